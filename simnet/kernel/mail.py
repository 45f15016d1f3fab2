"""Messages from one party to another: posting, billing, waiting, taking out. No trio here, except to wait for a turn."""

from collections.abc import Callable, Sequence
from typing import Any

from simnet.errors import ScriptError
from simnet.kernel.actor import Actor, Link, Want
from simnet.kernel.schedule import Schedule
from simnet.kernel.tags import Tag
from simnet.kernel.turns import Turns
from simnet.record.ledger import Ledger
from simnet.record.message import Message
from simnet.record.transcript import Recorder
from simnet.roster import Group, Roster
from simnet.values.frames import HEADER_BYTES
from simnet.values.typed import Typed
from simnet.values.wire import Manifest, manifest_of

Delay = Callable[[int], float]


def one_step(frame_bytes: int) -> float:  # noqa: ARG001  # the interface names the size
    """The delay of a link on which every message takes one unit of time: completion time then counts rounds."""
    return 1.0


def manifest_for(payload: Any) -> Manifest:
    """What a payload consists of. Raises `TypeError` for values that do not say how they travel."""
    pieces = payload if isinstance(payload, tuple) else (payload,)
    if any(not hasattr(piece, "wire") for piece in pieces):
        kinds = ", ".join(type(piece).__name__ for piece in pieces)
        raise TypeError(f"a payload is made of field elements, bits(...), index(...) or reals(...), got {kinds}")
    return manifest_of(*((piece.wire, piece.shape) for piece in pieces))


def in_hands_of(payload: Any, actor: Actor) -> Any:
    """A payload with its arithmetic billed to the party that received it."""
    if type(payload) is tuple:
        return tuple(piece.metered(actor.meter) for piece in payload)
    return payload.metered(actor.meter)


class Mail:
    """The mailboxes of a run."""

    def __init__(
        self, roster: Roster, actors: Sequence[Actor], ledger: Ledger, recorder: Recorder, turns: Turns,
        schedule: Schedule | None, delay: Delay,
    ) -> None:  # fmt: skip
        self._roster = roster
        self._actors = actors
        self._ledger = ledger
        self._recorder = recorder
        self._turns = turns
        self._schedule = schedule
        self._delay = delay

    def link(self, actor: Actor, tag: Tag, to: str) -> Link:
        """The sender's end of a link, made when first used."""
        group = self._roster.group((to,))
        recipient = self._actors[int(group.numbers[0])]
        link = actor.links[tag.name, to] = Link(tag, recipient, group, actor.observed or recipient.observed)
        return link

    def post(self, actor: Actor, link: Link, payload: Any) -> None:
        """Put a message into its recipient's mailbox, and wake a recipient that waited for just this."""
        recipient = link.recipient
        line = link.line
        try:
            same = line is not None and payload.wire is link.wire and payload.shape == link.shape
        except AttributeError:  # a tuple of pieces, or no payload at all
            same = False
        local = recipient is actor
        round_ = actor.depth + (not local)
        if line is None or not same or line.lot.round != round_:
            manifest = manifest_for(payload)
            line = link.line = self._ledger.open(actor.number, link.to, link.tag.name, round_, manifest)
            link.wire, link.shape = getattr(payload, "wire", None), getattr(payload, "shape", None)
            link.delay = 0.0 if local else self._delay(manifest.payload_bytes + HEADER_BYTES)
        line.sent += 1
        if link.watched:
            self._recorder.add(Message(round_, actor.number, recipient.number, link.tag.name, None, payload))
        link.box.put(actor.number, (payload, line.lot, actor.clock + link.delay, local))
        if recipient.want is not None:
            self._settle(recipient, link.tag.name, actor.number)

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Any]) -> None:
        """Post one payload to each member of a group, in order."""
        for name, payload in zip(to, payloads, strict=True):
            self.post(actor, actor.links.get((tag.name, name)) or self.link(actor, tag, name), payload)

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Any:
        """The first message of a sender, waited for."""
        box = actor.boxes.get(tag.name)
        if box is None or sender not in box.held:
            actor.want = Want(tag.name, [sender])
            await self._turns.wait()
            box = actor.boxes[tag.name]
        return self._received(actor, box.take(sender))

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Any]:
        """The first message of each of the senders, all waited for."""
        numbers = senders.numbers.tolist()
        box = actor.boxes.get(tag.name)
        held = box.held if box else {}
        missing = next((place for place, number in enumerate(numbers) if number not in held), None)
        if missing is not None:
            actor.want = Want(tag.name, numbers, missing)
            await self._turns.wait()
        box = actor.boxes[tag.name]
        return [self._received(actor, box.take(number)) for number in numbers]

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Any]:
        """A message from whoever comes first by the schedule, and the sender's name."""
        box = actor.boxes.get(tag.name)
        if box is None or not box.held:
            actor.want = Want(tag.name, None)
            await self._turns.wait()
            box = actor.boxes[tag.name]
        if self._schedule is None or len(box.held) == 1:
            sender = box.first()
        else:
            waiting = sorted(box.held)
            names = [self._roster.names[number] for number in waiting]
            sender = waiting[self._schedule.message(tag.name, names)]
        return self._roster.names[sender], self._received(actor, box.take(sender))

    def _received(self, actor: Actor, envelope: tuple[Any, Any, float, bool]) -> Any:
        payload, lot, arrival, local = envelope
        if local:
            actor.receipts.kept[lot] += 1
        else:
            actor.receipts.read[lot] += 1
            if lot.round > actor.depth:
                actor.depth = lot.round
        if arrival > actor.clock:
            actor.clock = arrival
        return in_hands_of(payload, actor)

    def _settle(self, recipient: Actor, tag: str, sender: int) -> None:
        """Wake a waiting party whose last missing message has come."""
        want = recipient.want
        if want.tag != tag:
            return
        senders = want.senders
        if senders is not None:
            if senders[want.at] != sender:
                return
            held = recipient.boxes[tag].held
            while want.at < len(senders) and senders[want.at] in held:
                want.at += 1
            if want.at < len(senders):
                return
        recipient.want = None
        self._turns.ready(recipient)


def refuse(actor: Actor, tag: str, what: str) -> ScriptError:
    """An error that names party, round and tag."""
    return ScriptError(f'{actor.name} in round {actor.depth + 1} (tag "{tag}"): {what}')
