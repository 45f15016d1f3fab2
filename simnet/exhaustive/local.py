"""A party's script played by itself: what it does is a function of its input, its coins and what it
has been sent.

The script runs against the kernel's own `Party`, with a link that collects what is sent and
asks its driver for whatever is to be received. Nothing here knows of other parties.
"""

import types
from collections.abc import Callable, Generator, Sequence
from typing import Any

import attrs

from simnet.coins.coins import Block, Deferred
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.link import Link
from simnet.kernel.tags import Summed, Tag
from simnet.record.message import Key
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.rows import Rows, Tally
from simnet.values.typed import Typed
from simnet.values.wire import WireType


@attrs.frozen(eq=False)
class Sent:
    """One message as its sender sends it."""

    tag: str
    to: int
    key: Key
    payload: Any
    summed: bool
    key_wire: WireType | None = None


@attrs.frozen
class Ask:
    """What a script waits for.

    `one` message from each of `senders` in turn, `any` one, or a `sum`: over one message of each of
    the senders, or for each of `keys` over `counts` messages with it.
    """

    kind: str
    tag: str
    senders: tuple[int, ...] | None
    keys: tuple[Key, ...] = ()
    counts: tuple[int, ...] = ()


@types.coroutine
def _ask(what: Ask) -> Generator[Ask, Any, Any]:
    answer = yield what
    return answer


class Outbox(Link):
    """The link of one party that is played by itself."""

    def __init__(self, roster: Roster, has_opened: Callable[[], bool]) -> None:
        """An empty outbox of a party; `has_opened` tells whether it has turned forms into
        numbers.
        """
        self.sent: list[Sent] = []
        self._roster = roster
        self._has_opened = has_opened

    def post(self, actor: Actor, tag: Tag, to: str, payload: Any) -> None:
        """A message to one."""
        self._send(actor, Sent(tag.name, self._roster.find(to), None, payload, False))

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Any) -> None:
        """A row to each."""
        for place, number in enumerate(to.numbers.tolist()):
            self._send(actor, Sent(tag.name, number, None, rows[place], False))

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Any]) -> None:
        """A payload to each."""
        for number, payload in zip(to.numbers.tolist(), payloads, strict=True):
            self._send(actor, Sent(tag.name, number, None, payload, False))

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Any]) -> None:
        """The same payloads to each."""
        for number in to.numbers.tolist():
            for payload in payloads:
                self._send(actor, Sent(tag.name, number, None, payload, False))

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """The message of one who may be silent; silence is an empty one, as different from others
        as they are.

        What stands for messages that are never made cannot be played out.
        """
        del messages
        if isinstance(block, Tally):
            raise refuse(
                actor, tag.name, "sends a tally, whose messages cannot be played out: send the rows"
            )
        self._send(actor, Sent(tag.name, self._roster.find(to), None, block.whole, False))

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: Block | Deferred,
        keys: Typed | None,
    ) -> None:
        """Rows of a summed tag."""
        block: Any = rows.evaluate() if isinstance(rows, Deferred) else rows
        if block.shape[:1] != (sum(len(group) for group in to),):
            raise refuse(
                actor,
                tag.name,
                f"a block of shape {block.shape} for {sum(map(len, to))} recipients",
            )
        named: Sequence[Key] = [None] * len(to) if keys is None else keys.numbers().tolist()
        wire = None if keys is None else keys.wire
        place = 0
        for group, key in zip(to, named, strict=True):
            for number in group.numbers.tolist():
                self._send(actor, Sent(tag.name, number, key, block[place], True, wire))
                place += 1

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Any:
        """The first message of a sender."""
        del actor
        return (await _ask(Ask("one", tag.name, (sender,))))[0]

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Any]:
        """One message of each of the senders."""
        del actor
        taken: list[Any] = await _ask(Ask("one", tag.name, tuple(senders.numbers.tolist())))
        return taken

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """The sum of so many messages."""
        names = None if senders is None else tuple(senders.numbers.tolist())
        sums: FieldArray = await _ask(Ask("sum", tag.name, names, (key,), (count,)))
        return sums.metered(actor.meter)[0]

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """A sum for each key."""
        sums: FieldArray = await _ask(Ask("sum", tag.name, None, tuple(keys), tuple(counts)))
        return sums.metered(actor.meter)

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Any]:
        """The first messages of a sender."""
        del actor
        taken: list[Any] = await _ask(Ask("one", tag.name, (sender,) * count))
        return taken

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Any]:
        """A message from whoever was first."""
        del actor
        sender, payload = await _ask(Ask("any", tag.name, None))
        return self._roster.names[sender], payload

    async def breathe(self, actor: Actor) -> None:
        """Nobody else is here."""

    def _send(self, actor: Actor, sent: Sent) -> None:
        if self._has_opened():
            raise refuse(
                actor,
                sent.tag,
                "sends after it has opened field elements, whose numbers depend on coins "
                "that are not played out: "
                "enumerate field coins too, or send the elements themselves",
            )
        self.sent.append(sent)
