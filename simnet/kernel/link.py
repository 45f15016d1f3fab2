"""`Link`: what carries the messages of a `Party` to other parties.

A script calls methods of its `Party`. The `Party` checks what the script asks for, and passes it on
to a link. Two links carry messages.

- In a run, `simnet.kernel.mail.Mail`: mailboxes for single messages, running totals for summed
  messages, and the turns of waiting parties.
- In the exhaustive reading, `simnet.exhaustive.outbox.Outbox`: it collects the messages that one
  party sends, and asks the code that plays the script for every message that the party receives.

Other links stand before one of them and pass requests on to it: `simnet.kernel.fates.CutLink` for a
party that has a fate, and `simnet.kernel.astray.AstrayLink` for a party of whose messages some
are lost, damaged, duplicated or late. A party may have both.

`post...` and `put` send and return at once. `take...` and `heard` wait for messages: `take...`
return the messages or their sum, `heard` returns who has sent. `breathe` gives other parties a
turn. A link may rely on `Party`, which checks the tag: it is `Summed` for `put`, `take_sum`,
`take_sums` and `heard`, and not `Summed` for the other methods that get a tag. Inside a part
(`Party.within`), `Party` passes on the names of the whole run.

Example. `await me.send(NOTE, to="u2", payload=x)` becomes `link.post(actor, NOTE, "u2", x)`, and
`await me.gather_sum(SHARE, senders=users)` becomes `await link.take_sum(actor, SHARE, None, users,
len(users))`.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from simnet.coins.coins import Deferred, RowBlock
from simnet.kernel.actor import Actor, Turn
from simnet.kernel.tags import Summed, Tag
from simnet.record.message import Key
from simnet.roster import Group
from simnet.values.field import FieldArray
from simnet.values.rows import Rows, Tally
from simnet.values.typed import Typed

# Field elements, plain numbers with a wire type, or a tuple of these. The type is open because
# `post` refuses every other value with an error that names its type.
Payload = Any


class Link(Protocol):
    """Carries messages of parties. `actor` is the party that sends or waits."""

    turn: Turn  # the party whose turn it is; no other party may act

    def post(self, actor: Actor, tag: Tag, to: str, payload: Payload) -> None:
        """Send one payload to one party."""
        ...

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Payload) -> None:
        """Send one row of an array to each member of a group, in order."""
        ...

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send one payload to each member of a group, in order.

        The payloads need not be of one wire type or shape.
        """
        ...

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send the same payloads, in order, to each member of a group."""
        ...

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """Send one block to one party. The block stands for `messages` messages of a party or of a
        crowd's members.
        """
        ...

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """Add the rows of a block to the sums of their recipients.

        The rows go to one group or, with `keys`, to one group after another.
        """
        ...

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Payload:
        """Wait for the next payload of a sender, and return it."""
        ...

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Payload]:
        """Wait for the next `count` payloads of a sender, and return them."""
        ...

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Payload]:
        """Wait for the next payload of each sender, and return them in the order of the group."""
        ...

    async def take_some(
        self, actor: Actor, tag: Tag, senders: Group, within: float | None
    ) -> dict[int, Payload]:
        """Wait for the next payload of each sender that still sends one; with `within`, for at most
        `within` seconds.

        Return the payloads by the number of the sender, in the order of the group.
        """
        ...

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Payload]:
        """Wait for a payload of any sender, and return the sender's name and the payload."""
        ...

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """Wait for `count` messages, and return their sum.

        The sum consists of messages with this key: those of `senders` or, if `senders` is None,
        those of any party.
        """
        ...

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """Wait for several sums, one for each key, and return them in shape (K, ...); `counts`
        gives the number of messages of each sum.
        """
        ...

    async def heard(self, actor: Actor, tag: Summed, key: Key, senders: Group) -> list[int]:
        """Wait for the next message with this key of each sender that still sends one, and return
        the numbers of these senders, in the order of the group. The messages stay in the sum.
        """
        ...

    async def breathe(self, actor: Actor) -> None:
        """Hand the turn over if another party can go on now."""
        ...
