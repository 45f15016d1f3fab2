"""`Link`: what carries messages between a `Party` and the others.

A script talks to its `Party`, and a `Party` knows nothing of mailboxes, running totals or trees of
histories: it checks what the script asks for, and hands it to a link. Two links exist.

- In a run, `simnet.kernel.mail.Mail`: mailboxes for single messages, running totals for summed
  ones, and the turns of parties that wait.
- In the exhaustive reading, `simnet.exhaustive.outbox.Outbox`: it collects what one party sends,
  and asks the driver of the script for whatever is to be received.

So a script does the same in both, and `Party` is tested once.

The methods come in three kinds. `post...` and `put` send and return at once. `take...` wait, and
return what has come. `breathe` gives others a turn. Whoever implements them may rely on `Party`
for this much: a tag is of the right kind (`Summed` for `put`, `take_sum` and `take_sums`, any
other for the rest), groups belong to the roster of the run, and names are those of the whole run,
also inside a part (`Party.within`).

Example. `await me.send(NOTE, to="u2", payload=x)` becomes `link.post(actor, NOTE, "u2", x)`, and
`await me.gather_sum(SHARE, senders=users)` becomes
`await link.take_sum(actor, SHARE, None, users, len(users))`.
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

# Field elements, plain numbers with a wire type, or a tuple of them. Whatever else a script
# passes is refused where it is posted, by name, so its static type is open.
Payload = Any


class Link(Protocol):
    """Carries the messages of a script's parties. `actor` is the party that sends or waits."""

    turn: Turn  # whose turn it is: nobody else may act

    def post(self, actor: Actor, tag: Tag, to: str, payload: Payload) -> None:
        """Send one payload to one party."""
        ...

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Payload) -> None:
        """Send one row of an array to each member of a group, in order."""
        ...

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send one payload to each member of a group, in order; they may differ in kind."""
        ...

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send the same payloads, in order, to each member of a group."""
        ...

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """Send as one block what so many members of a crowd send to one party."""
        ...

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """Send the rows of a block into the sums of their recipients.

        The rows are for one group or, with `keys`, for one group after another.
        """
        ...

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Payload:
        """The next payload of a sender."""
        ...

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Payload]:
        """The next `count` payloads of a sender."""
        ...

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Payload]:
        """The next payload of each of the senders, in the order of the group."""
        ...

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Payload]:
        """The next payload of whoever has sent one, and the sender's name."""
        ...

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """The sum of `count` messages: from the senders or, without any, of those with the key."""
        ...

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """For each key the sum of as many messages as `counts` says; shape (K, ...)."""
        ...

    async def breathe(self, actor: Actor) -> None:
        """Let other parties go on for a while."""
        ...
