"""What one party sends and waits for, when its script is played by itself.

What a party does is a function of its input, its coins, and the messages that it received. So its
script can be played without the other parties. The script gets the kernel's own `Party`, with an
`Outbox` in the place of the network. The outbox collects the messages that the script sends. When
the script waits for messages, the outbox suspends the script and returns a `Request`, which says
what the script waits for. The caller (`party_tree`) resumes the script with the messages.

A party that has a fate gets a `CutOutbox` around its outbox, and a party some of whose messages go
astray gets an `AstrayOutbox`. A message that goes astray is collected like others, and carries its
fate.

Example. The script ::

    await me.send(NOTE, "b", x)
    y = await me.receive(NOTE, "c")

leaves one `SentMessage` in the outbox and suspends with `Request("each", "note", senders=(c,))`,
where c is the number of party "c".
"""

import contextlib
import functools
import types
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from simnet.coins.coins import Deferred, RowBlock
from simnet.coins.tape import Tape
from simnet.kernel.actor import Actor, Turn, refuse
from simnet.kernel.astray import AstrayLink
from simnet.kernel.fates import CutLink
from simnet.kernel.link import Link, Payload
from simnet.kernel.mail import manifest_for
from simnet.kernel.summing import HEARD_TWICE, SUMS_AFTER_HEARD
from simnet.kernel.tags import Summed, Tag
from simnet.linear.forms import Forms
from simnet.linear.terms import refine
from simnet.linear.vectors import Vector
from simnet.record.fate import LOST, Fate, MessageFate, What
from simnet.record.message import Key, Message
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.rows import Rows, Tally
from simnet.values.typed import Typed
from simnet.values.wire import WireType


# without slots, because cached properties need an instance dictionary
@attrs.frozen(eq=False, kw_only=True, slots=False)
class SentMessage:
    """One message as its sender sends it. Parties are given by number; the round is not
    known yet.
    """

    sender: int
    recipient: int
    tag: str
    key: Key = None
    payload: Payload
    is_summed: bool = False
    key_wire: WireType | None = None
    astray: What | None = None  # what happens to the message on its way

    @property
    def is_lost(self) -> bool:
        """Whether the message is lost or damaged, so that the recipient cannot read it."""
        return self.astray in LOST

    @property
    def frame_bytes(self) -> int:
        """The bytes of the message with its frame."""
        message = Message(
            0, self.sender, self.recipient, self.tag, self.key, self.payload, self.key_wire
        )
        return message.frame_bytes

    @functools.cached_property
    def forms(self) -> list[Forms]:
        """The linear forms in the payload, in order."""
        return [piece for piece in pieces_of(self.payload) if isinstance(piece, Forms)]

    @functools.cached_property
    def content(self) -> Hashable:
        """What the recipient can tell about the payload: plain contents, and of linear forms the
        field and the shape.
        """
        return _content(self.payload)

    @functools.cached_property
    def structure(self) -> Hashable:
        """What the message is, without the values of secrets: equal for two messages of one sender
        that have the same tag, recipient, key, fate and plain contents, and the same forms.
        """
        terms = [forms.terms for forms in self.forms]
        return (
            self.tag,
            self.recipient,
            self.key,
            self.key_wire,
            self.is_summed,
            self.astray,
            self.content,
            tuple(
                (t.starts.tobytes(), t.unknowns.tobytes(), t.coefficients.tobytes()) for t in terms
            ),
        )

    @functools.cached_property
    def vectors(self) -> list[list[Vector]]:
        """For each array of forms in the payload, its elements as mappings from the sender's
        unknowns to coefficients.
        """
        return [refine(forms.terms, 1).vectors() for forms in self.forms]


def pieces_of(payload: Payload) -> tuple[Any, ...]:
    """The arrays that a payload consists of."""
    return payload if isinstance(payload, tuple) else (payload,)


def _content(payload: Payload) -> Hashable:
    if isinstance(payload, tuple):
        return tuple(_content(piece) for piece in payload)
    if isinstance(payload, Forms):
        return payload.field.modulus, payload.shape
    return payload.wire.kind, payload.wire.below, payload.shape, payload.numbers().tobytes()


@attrs.frozen
class Request:
    """What a script waits for. The script is resumed only when the whole request can be met.

    - "each": one message from each of `senders`, in this order.
    - "some": one message from each of `senders` that does not stay silent.
    - "any": one message from any party.
    - "heard": that each of `senders` that does not stay silent has sent into the next sum; the
      messages stay there.
    - "sum": one sum for each of `keys`, of as many messages with this key as `counts` says; with
      `senders`, of one message from each of them.
    """

    kind: Literal["each", "some", "any", "heard", "sum"]
    tag: str
    senders: tuple[int, ...] | None = None
    keys: tuple[Key, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def may_lack(self) -> bool:
        """Whether the script goes on without senders that stay silent."""
        return self.kind in ("some", "heard")


@types.coroutine
def _suspend(request: Request) -> Generator[Request, Any, Any]:
    answer = yield request
    return answer


class Outbox(Link):
    """The link of a party whose script is played by itself."""

    def __init__(self, roster: Roster, tape: Tape) -> None:
        self.sent: list[SentMessage] = []
        self.turn = Turn()
        self._roster = roster
        self._tape = tape
        self.astray: Mapping[int, What] = {}  # by recipient: the fates of what is being sent now
        # By tag and key: who has sent into the next sum.
        self._heard: dict[tuple[str, Key], frozenset[int]] = {}

    def post(self, actor: Actor, tag: Tag, to: str, payload: Payload) -> None:
        """Send a payload to one party."""
        self._send(actor, tag, self._roster.find(to), payload)

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Payload) -> None:
        """Send one row to each recipient."""
        for place, recipient in enumerate(to.numbers.tolist()):
            self._send(actor, tag, recipient, rows[place])

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send a payload to each recipient."""
        for recipient, payload in zip(to.numbers.tolist(), payloads, strict=True):
            self._send(actor, tag, recipient, payload)

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send the same payloads to each recipient."""
        for recipient in to.numbers.tolist():
            for payload in payloads:
                self._send(actor, tag, recipient, payload)

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """Send a block of rows as one message; the block may be empty.

        A tally is refused, because it stands for messages that are never made.
        """
        del messages
        if isinstance(block, Tally):
            self.turn.failure = refuse(
                actor, tag.name, "sends a tally, whose messages cannot be played out: send the rows"
            )
            raise self.turn.failure
        self._send(actor, tag, self._roster.find(to), block.whole)

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """Send the rows of a summed tag one by one.

        Raises `ScriptError` unless there is one row for each recipient.
        """
        block = rows.evaluate() if isinstance(rows, Deferred) else rows
        recipients = sum(len(group) for group in to)
        if block.shape[:1] != (recipients,):
            raise refuse(
                actor,
                tag.name,
                f"a block of shape {block.shape} for {recipients} recipients: "
                "each recipient needs exactly one row",
            )
        key_of_group: Sequence[Key] = [None] * len(to) if keys is None else keys.numbers().tolist()
        wire = None if keys is None else keys.wire
        place = 0
        for group, key in zip(to, key_of_group, strict=True):
            for recipient in group.numbers.tolist():
                self._send(actor, tag, recipient, block[place], key, wire)
                place += 1

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Payload:
        """Return the next payload of one sender."""
        return (await self.take_many(actor, tag, sender, 1))[0]

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Payload]:
        """The next payload from each of the senders."""
        del actor
        payloads: list[Payload] = await _suspend(
            Request("each", tag.name, tuple(senders.numbers.tolist()))
        )
        return payloads

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Payload]:
        """Return the next `count` payloads of a sender."""
        del actor
        payloads: list[Payload] = await _suspend(Request("each", tag.name, (sender,) * count))
        return payloads

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Payload]:
        """Return the first message that arrived: the name of its sender, and its payload."""
        del actor
        sender, payload = await _suspend(Request("any", tag.name))
        return self._roster.names[sender], payload

    async def take_some(
        self, actor: Actor, tag: Tag, senders: Group, within: float | None
    ) -> dict[int, Payload]:
        """Return the next payload of each sender that does not stay silent, by the number of the
        sender. Raises `ScriptError` for a deadline, which cannot be played out.
        """
        if within is not None:
            raise refuse(
                actor,
                tag.name,
                "waits with a deadline, and an exact view has no clock",
            )
        payloads: dict[int, Payload] = await _suspend(
            Request("some", tag.name, tuple(senders.numbers.tolist()))
        )
        return payloads

    async def heard(self, actor: Actor, tag: Summed, key: Key, senders: Group) -> list[int]:
        """Return the numbers of the senders that have sent. The messages stay in the sum.

        Raises `ScriptError` if the party has asked already who has sent into this sum.
        """
        if (tag.name, key) in self._heard:
            raise refuse(actor, tag.name, HEARD_TWICE)
        request = Request("heard", tag.name, tuple(senders.numbers.tolist()), (key,))
        numbers: list[int] = await _suspend(request)
        self._heard[tag.name, key] = frozenset(numbers)
        return numbers

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """Return the sum of `count` messages of a summed tag.

        After a call of `heard`, raises `ScriptError` unless `senders` names only senders that were
        heard.
        """
        numbers = None if senders is None else tuple(senders.numbers.tolist())
        heard = self._heard.pop((tag.name, key), None)
        if heard is not None and (numbers is None or not heard.issuperset(numbers)):
            raise refuse(
                actor,
                tag.name,
                "sums other messages than it has heard of: after `heard`, give gather_sum "
                "senders=..., and among them only parties that `heard` has returned",
            )
        sums: FieldArray = await _suspend(Request("sum", tag.name, numbers, (key,), (count,)))
        return sums.metered(actor.meter)[0]

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """Return one sum for each of the K keys; shape (K, ...).

        Raises `ScriptError` after a call of `heard` for one of the sums.
        """
        if any((tag.name, key) in self._heard for key in keys):
            raise refuse(actor, tag.name, SUMS_AFTER_HEARD)
        request = Request("sum", tag.name, keys=tuple(keys), counts=tuple(counts))
        sums: FieldArray = await _suspend(request)
        return sums.metered(actor.meter)

    async def breathe(self, actor: Actor) -> None:
        """Do nothing: there are no other parties."""

    def _send(
        self,
        actor: Actor,
        tag: Tag | Summed,
        recipient: int,
        payload: Payload,
        key: Key = None,
        key_wire: WireType | None = None,
    ) -> None:
        if self._tape.stop is not None:
            # here Python closes the script, which runs its `finally` clauses; the script will be
            # played again
            return
        manifest_for(payload)  # this call raises an error for values that cannot be sent
        message = SentMessage(
            sender=actor.number,
            recipient=recipient,
            tag=tag.name,
            key=key,
            payload=payload,
            is_summed=isinstance(tag, Summed),
            key_wire=key_wire,
            astray=self.astray.get(recipient),
        )
        self.sent.append(message)


class AstrayOutbox(AstrayLink):
    """The link of a party some of whose messages go astray. Its script is played by itself."""

    def __init__(self, outbox: Outbox, fates: Sequence[MessageFate], roster: Roster) -> None:
        super().__init__(outbox, fates)
        self._outbox = outbox
        self._roster = roster

    @contextlib.contextmanager
    def _going_astray(self, actor: Actor, tag: Tag, fates: Sequence[MessageFate]) -> Iterator[None]:
        del actor, tag
        self._outbox.astray = {self._roster.find(fate.recipient): fate.what for fate in fates}
        try:
            yield
        finally:
            self._outbox.astray = {}


class CutOutbox(CutLink):
    """The link of a party that has a fate. Its script is played by itself."""

    def __init__(self, link: Link, fate: Fate, actor: Actor, roster: Roster, tape: Tape) -> None:
        super().__init__(link, fate, actor, roster)
        self._tape = tape

    def _reached(self, tag: Tag, to: Sequence[str]) -> list[int] | None:
        # When a script stops at a coin, its `finally` clauses still run. What the script sends
        # there does not count, because the script will be played again.
        return super()._reached(tag, to) if self._tape.stop is None else None

    @contextlib.contextmanager
    def _last_send(self) -> Iterator[None]:
        # A coin may stop the script within the last send, if a deferred block tosses the coin. The
        # script will be played again, and will come to this send again.
        try:
            yield
        except BaseException:
            self._actor.is_gone = False
            raise
