"""Messages from one party to another: putting them into mailboxes, billing them, waiting for them,
and taking them out.
"""

from collections.abc import Coroutine, Sequence
from typing import Any

import numpy as np

from simnet.coins.coins import Deferred, RowBlock
from simnet.kernel.actor import Actor, Envelope, refuse, refuse_one_for_many
from simnet.kernel.link import Link
from simnet.kernel.schedule import Schedule
from simnet.kernel.summing import Summing
from simnet.kernel.tags import Summed, Tag
from simnet.kernel.turns import Turns
from simnet.kernel.waits import ForSum, FromAnyone, FromNamed, FromSome
from simnet.record.ledger import Ledger, Line
from simnet.record.log import EndedWait, Log
from simnet.record.message import Block, Key, Message
from simnet.record.transcript import Recorder
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.rows import Rows, Tally, manifest_of_each
from simnet.values.typed import Typed
from simnet.values.wire import Manifest, manifest_of


def manifest_for(payload: Any) -> Manifest:
    """Return the manifest of a payload. Raises `TypeError` for values without a wire type."""
    if _is_piece(payload):
        return manifest_of((payload.wire, payload.shape))
    pieces = payload if isinstance(payload, tuple) else (payload,)
    if not all(map(_is_piece, pieces)):
        kinds = ", ".join(type(piece).__name__ for piece in pieces)
        raise TypeError(
            "a payload must be field elements, bits(...), index(...), reals(...), public keys, "
            f"signatures or boxes, or a tuple of these, got {kinds}{_advice(pieces)}"
        )
    return manifest_of(*((piece.wire, piece.shape) for piece in pieces))


def in_hands_of(payload: Any, actor: Actor) -> Any:
    """Return the payload as the party `actor` holds it: arithmetic on it is billed to this
    party.
    """
    if isinstance(payload, tuple):
        return tuple([piece.metered(actor.meter) for piece in payload])
    return payload.metered(actor.meter)


def _is_piece(payload: object) -> bool:
    """Whether the payload is one array with a wire type. A tally has one too, but stands for many
    messages.
    """
    return hasattr(payload, "wire") and not isinstance(payload, Tally)


def _advice(pieces: Sequence[Any]) -> str:
    for piece in pieces:
        if isinstance(piece, Tally):
            return ": use send_rows for a tally"
        if isinstance(piece, Coroutine):
            piece.close()  # otherwise Python would warn a second time
            return ": is an `await` missing?"
    if any(isinstance(piece, int | float | np.ndarray) for piece in pieces):
        return ": write constant(field, ...), index(...) or reals(...) around numbers"
    return ""


class Mail(Link):
    """The link of a run: mailboxes for single messages, and `Summing` for summed messages."""

    def __init__(
        self,
        roster: Roster,
        actors: Sequence[Actor],
        ledger: Ledger,
        recorder: Recorder,
        turns: Turns,
        summing: Summing,
        schedule: Schedule | None,
        log: Log,
        has_clock: bool,
    ) -> None:
        self._has_clock = has_clock
        self._roster = roster
        self._actors = actors
        self._ledger = ledger
        self._recorder = recorder
        self.turn = turns.turn
        self._turns = turns
        self._summing = summing
        self._schedule = schedule
        self._log = log

    def post(self, actor: Actor, tag: Tag, to: str, payload: Any) -> None:
        """Put a message into a mailbox, and wake the recipient if its wait is over."""
        number = self._roster.number.get(to)
        if number is None:
            number = self._roster.find(to)
        local = number == actor.number
        line = self._line(actor, tag.name, payload, local)
        line.sent += 1
        line.address += number
        if local:
            line.local += 1
        else:
            self._ledger.messages += 1
        self._deliver(actor, number, line, self._log.send(line, number), payload)

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Any) -> None:
        """See `Link.post_rows`."""
        self._post_alike(actor, tag, to, [rows[place] for place in range(len(to))])

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Any]) -> None:
        """See `Link.post_each`."""
        for name, payload in zip(to, payloads, strict=True):
            self.post(actor, tag, name, payload)
        self._turns.refuse_excess(actor)

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Any]) -> None:
        """Post the same payloads, in order, to each member of a group.

        The copy in a crowd's mailbox stands for one copy for each member of the crowd.
        """
        if not payloads or not len(to):
            return
        lots, envelopes = [], []
        for payload in payloads:
            line = self._line(actor, tag.name, payload, local=False)
            self._ledger.bill(line, to.size, to.address, to.position(actor.number) is not None)
            lots.append(line.lot)
            envelopes.append((payload, line.lot, self._log.send_all(line, to), False, 1))
        own = [(payload, lot, post, True, 1) for payload, lot, post, _, _ in envelopes]
        for number in to.numbers.tolist():
            recipient = self._actors[number]
            size = self._roster.seats[number].size if recipient.is_crowd else 1
            copies = envelopes if size == 1 else [(*envelope[:-1], size) for envelope in envelopes]
            recipient.box(tag.name).put_all(actor.number, own if recipient is actor else copies)
            if actor.observed or recipient.observed:
                for payload, lot in zip(payloads, lots, strict=True):
                    whose, keys, rows = [number] * size, [None] * size, [payload] * size
                    self._recorder.add_block(
                        Block(lot.round, actor.number, whose, tag.name, keys, rows)
                    )
            if recipient.wait is not None:
                self._settle(recipient, tag.name, actor.number)
        self._turns.refuse_excess(actor)

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """Post a block, which stands for messages of a party or of a crowd's members.

        Raises `ScriptError` if the sender is the recipient, and `BadInput` for a crowd as the
        recipient.
        """
        number = self._roster.find(to)
        if number == actor.number:
            raise refuse(
                actor, tag.name, "may not send rows to itself with send_rows: name another party"
            )
        line = self._ledger.line(actor.number, tag.name, actor.depth + 1, manifest_of_each(block))
        self._ledger.bill(line, messages, messages * number)
        recipient, lot = self._actors[number], line.lot
        recipient.refuse_messages()
        payload = block.whole if isinstance(block, Rows) else block
        post = self._log.send_rows(line, number, messages)
        recipient.box(tag.name).put(actor.number, (payload, lot, post, False, messages))
        if messages and (actor.observed or recipient.observed):
            whose = [number] * messages
            self._recorder.add_block(
                Block(lot.round, actor.number, whose, tag.name, [None] * messages, block)
            )
        if recipient.wait is not None:
            self._settle(recipient, tag.name, actor.number)
        self._turns.refuse_excess(actor)

    def _post_alike(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Any]) -> None:
        if not payloads:
            return
        line = self._line(actor, tag.name, payloads[0], local=False)
        self._ledger.bill(line, len(to), to.address, to.position(actor.number) is not None)
        post = self._log.send_all(line, to)
        for number, payload in zip(to.numbers.tolist(), payloads, strict=True):
            self._deliver(actor, number, line, post, payload)
        self._turns.refuse_excess(actor)

    def _line(self, actor: Actor, tag: str, payload: Any, local: bool) -> Line:
        round_ = actor.depth + (not local)
        line = actor.line
        if line is not None:
            lot = line.lot
            try:
                if (
                    payload.wire is line.wire
                    and payload.shape == line.shape
                    and lot.tag == tag
                    and lot.round == round_
                    and not isinstance(payload, Tally)
                ):
                    return line
            except AttributeError:  # the payload is a tuple, or not a payload, and so has no `wire`
                pass
        refuse_one_for_many(actor, tag, self._roster)
        line = actor.line = self._ledger.line(actor.number, tag, round_, manifest_for(payload))
        return line

    def _deliver(self, actor: Actor, number: int, line: Line, post: int, payload: Any) -> None:
        recipient = self._actors[number]
        lot = line.lot
        if recipient.is_crowd:
            recipient.refuse_messages()
        recipient.box(lot.tag).put(actor.number, (payload, lot, post, recipient is actor, 1))
        if actor.observed or recipient.observed:
            self._recorder.add(Message(lot.round, actor.number, number, lot.tag, None, payload))
        if recipient.wait is not None:
            self._settle(recipient, lot.tag, actor.number)

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """See `Link.put`."""
        self._summing.put(actor, tag.name, to, rows, keys)
        self._turns.refuse_excess(actor)

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """See `Link.take_sum`."""
        return await self._summing.take(actor, tag.name, key, senders, count)

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """See `Link.take_sums`."""
        return await self._summing.take_each(actor, tag.name, keys, counts)

    async def heard(self, actor: Actor, tag: Summed, key: Key, senders: Group) -> list[int]:
        """See `Link.heard`."""
        return await self._summing.heard(actor, tag.name, key, senders)

    async def breathe(self, actor: Actor) -> None:
        """See `Link.breathe`."""
        await self._turns.breathe(actor)

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Any:
        """See `Link.take`."""
        box = actor.box(tag.name)
        if sender not in box.held:
            actor.wait = FromNamed(tag.name, [sender])
        await self._turns.wait(actor)
        return self._received(actor, box.take(sender))

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Any]:
        """See `Link.take_each`."""
        numbers = senders.numbers.tolist()
        box = actor.box(tag.name)
        missing = next(
            (place for place, number in enumerate(numbers) if number not in box.held), None
        )
        if missing is not None:
            actor.wait = FromNamed(tag.name, numbers, missing)
        await self._turns.wait(actor)
        return [self._received(actor, box.take(number)) for number in numbers]

    async def take_some(
        self, actor: Actor, tag: Tag, senders: Group, within: float | None
    ) -> dict[int, Any]:
        """See `Link.take_some`."""
        numbers = senders.numbers.tolist()
        held = actor.box(tag.name).held
        missing = {number for number in numbers if number not in held}
        if within is not None:
            self._refuse_deadline(actor, tag, senders)
            self._log.begin_wait(actor.number)
        wait = FromSome(tag.name, numbers, missing, within)
        if missing or within is not None:
            actor.wait = wait
        await self._turns.wait(actor)
        silent, actor.silent = actor.silent, frozenset()
        if within is not None:
            taken = len({*numbers} - silent - {actor.number})
            self._log.deadline(actor.number, EndedWait(within, bool(silent), wait.at, taken))
        box = actor.box(tag.name)
        return {
            number: self._received(actor, box.take(number))
            for number in numbers
            if number not in silent
        }

    def _refuse_deadline(self, actor: Actor, tag: Tag, senders: Group) -> None:
        if not self._has_clock:
            raise refuse(
                actor,
                tag.name,
                "waits with a deadline, and the run has no network: give it one, such as "
                'run(..., network="broadband"), or --network broadband on the command line',
            )
        crowds = self._roster.crowds.intersection(senders.numbers.tolist())
        crowd = min(crowds, default=None)
        if actor.is_crowd or crowd is not None:
            name = actor.name if crowd is None else self._roster.names[crowd]
            raise refuse(
                actor,
                tag.name,
                f"waits with a deadline, and {name} is a crowd, whose members have different "
                "times: seat them one by one",
            )

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Any]:
        """See `Link.take_many`."""
        payloads: list[Any] = []
        box = actor.box(tag.name)
        while len(payloads) < count:
            if sender not in box.held:
                actor.wait = FromNamed(tag.name, [sender])
            await self._turns.wait(actor)
            payloads += [
                self._received(actor, envelope)
                for envelope in box.take_up_to(sender, count - len(payloads))
            ]
        return payloads

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Any]:
        """Wait for a message of any sender, and return the sender's name and the payload.

        If messages of several senders wait, the schedule chooses the sender; in a run without a
        schedule, the mailbox chooses.
        """
        box = actor.box(tag.name)
        if not box.held:
            actor.wait = FromAnyone(tag.name)
        await self._turns.wait(actor)
        if self._schedule is None or len(box.held) == 1:
            sender = box.first()
        else:
            waiting = sorted(box.held)
            names = [self._roster.names[number] for number in waiting]
            sender = waiting[self._schedule.message(tag.name, names)]
        return self._roster.names[sender], self._received(actor, box.take(sender))

    def _received(self, actor: Actor, envelope: Envelope) -> Any:
        payload, lot, post, local, messages = envelope
        if local:  # a message of a party to itself takes no time and no round
            actor.receipts.kept[lot] += messages
        else:
            actor.receipts.read[lot] += messages
            if lot.round > actor.depth:
                actor.depth = lot.round
            self._log.take(actor.number, post)
        return in_hands_of(payload, actor)

    def _settle(self, recipient: Actor, tag: str, sender: int) -> None:
        wait = recipient.wait
        if wait is None or wait.tag != tag:
            return
        if isinstance(wait, FromNamed):
            senders = wait.senders
            if senders[wait.place] != sender:
                return
            held = recipient.boxes[tag].held
            while wait.place < len(senders) and senders[wait.place] in held:
                wait.place += 1
            if wait.place < len(senders):
                return
        elif isinstance(wait, FromSome):
            if sender in recipient.boxes[tag].held:  # else it came too late for an earlier wait
                wait.missing.discard(sender)
            if wait.missing or wait.within is not None:
                return  # the clock says when a wait with a deadline ends
        elif isinstance(wait, ForSum) or not recipient.boxes[tag].held:
            return  # `Summing` wakes whoever waits for a sum
        recipient.wait = None
        self._turns.ready(recipient)
