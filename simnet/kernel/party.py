"""`Party`: the only door of a script to the world."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Block, Coins, Deferred
from simnet.kernel.actor import Actor
from simnet.kernel.crowds import post_rows, rows_from, tally_of
from simnet.kernel.mail import Mail, refuse
from simnet.kernel.reading import Reading
from simnet.kernel.summing import Summing
from simnet.kernel.tags import Summed, Tag
from simnet.kernel.turns import Turns
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.typed import Typed

# messages that a party sends before it lets others go on: mailboxes stay small, an interrupt is
# noticed
BURST = 256

To = str | Group | Sequence[str]


class Party:
    """What a role's script is given: a name, coins, and ways to send and to receive.

    Wherever parties are named, a name, a sequence of names or a `Group` will do. Every error that a
    method raises ends the run with the party's name, the round and the tag.
    """

    __slots__ = (
        "_actor",
        "_lifts",
        "_mail",
        "_reading",
        "_roster",
        "_scope",
        "_seed",
        "_summing",
        "_turns",
    )

    def __init__(
        self,
        actor: Actor,
        roster: Roster,
        mail: Mail,
        summing: Summing,
        turns: Turns,
        reading: Reading,
        seed: int,
    ) -> None:
        self._actor = actor
        self._roster = roster
        self._mail = mail
        self._summing = summing
        self._turns = turns
        self._reading = reading
        self._lifts = reading.lifts
        self._seed = seed
        self._scope = ""

    def within(self, scope: str) -> "Party":
        """This party as it appears inside a protocol that runs as a part of another.

        All names, roles and tags that the part's script uses stand for those with `scope` put
        before them.
        """
        part = Party(
            self._actor,
            self._roster,
            self._mail,
            self._summing,
            self._turns,
            self._reading,
            self._seed,
        )
        part._scope = self._scope + scope
        return part

    @property
    def name(self) -> str:
        """The party's name, such as `u3` or `server`."""
        return self._actor.name.removeprefix(self._scope)

    @property
    def role(self) -> str:
        """The role that it plays."""
        return self._actor.role.removeprefix(self._scope)

    @property
    def index(self) -> int:
        """Its place among those who play the role, from 1."""
        return self._roster.seats[self._actor.number].index

    @property
    def coins(self) -> Coins:
        """Its coins, the only randomness of a script."""
        actor = self._actor
        if actor.coins is None:
            actor.coins = self._reading.coins(self._seed, actor.name, actor.meter)
        return actor.coins

    def all(self, role: str) -> Group:
        """Everyone who plays `role`, in order, this party included if it does."""
        return self._roster.role(self._scope + role)

    def names(self, role: str) -> list[str]:
        """The names of everyone who plays `role`, in order."""
        return [name.removeprefix(self._scope) for name in self.all(role)]

    def group(self, names: To) -> Group:
        """Some parties as a group, to be used several times."""
        return self._group(names)

    def is_in(self, group: Group) -> bool:
        """Whether this party is a member."""
        return group.position(self._actor.number) is not None

    def secret(self, value: FieldArray) -> FieldArray:
        """Declare a value that messages must protect; what is returned stands for it in the rest of
        the script.
        """
        actor = self._actor
        held = self._reading.secret(actor.name, len(actor.secrets), value.metered(actor.meter))
        actor.secrets.append(held)
        return held

    async def send(self, tag: Tag, to: str, payload: Any) -> None:
        """Send one payload: field elements, `bits(...)`, `index(...)`, `reals(...)`, or a tuple of
        them.
        """
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        actor.last_tag = tag.name
        if self._lifts:
            payload = self._reading.outgoing(actor.name, payload)
        if type(tag) is Summed:
            group = self._roster.single(self._scope + to)
            self._summing.put(actor, tag.name, [group], _one_row(payload), None)
        else:
            self._mail.post(actor, tag, self._scope + to if self._scope else to, payload)
        actor.burst += 1
        if actor.burst >= BURST:
            actor.burst = 0
            await self._turns.breathe(actor)

    async def scatter(
        self, tag: Tag, to: Any, rows: Block | Deferred | Sequence[Any], keys: Typed | None = None
    ) -> None:
        """Send row k to the k-th recipient.

        With `keys`, indices of shape (K,), a summed tag takes K groups of recipients: the rows go
        to the members of the first group under the first key, then to those of the second, and so
        on.
        """
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        actor.last_tag = tag.name
        if self._lifts:
            rows = self._reading.outgoing(actor.name, rows)
        if isinstance(tag, Summed):
            groups = [to] if keys is None else to
            self._summing.put(
                actor,
                tag.name,
                [g if type(g) is Group else self._group(g) for g in groups],
                _block(rows),
                keys,
            )
            return
        if keys is not None:
            raise refuse(actor, tag.name, "only a summed tag takes keys")
        group = self._group(to)
        payloads: Any = rows.evaluate() if isinstance(rows, Deferred) else rows
        is_array = hasattr(payloads, "wire")
        if not is_array and not isinstance(payloads, Sequence):
            raise TypeError(
                f"rows are an array or a sequence of payloads, got {type(rows).__name__}"
            )
        length = payloads.shape[0] if is_array else len(payloads)
        if length != len(group):
            raise refuse(
                actor,
                tag.name,
                f"{length} rows for {len(group)} recipients: one row each is needed",
            )
        post = self._mail.post_rows if is_array else self._mail.post_each
        post(actor, tag, group, payloads)

    async def send_rows(self, tag: Tag, to: str, rows: Any) -> None:
        """Send one message for each party that this one stands for: row k is that of its k-th
        member.

        Rows are `bits(...)`, `index(...)`, `reals(...)` or a tuple of them; one row where the party
        is no crowd. A `tally` stands for messages that were never made, where the law of what they
        add up to is known. Under a `Voluntary` tag members may be silent, and rows are those of the
        others, in order.
        """
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        actor.last_tag = tag.name
        post_rows(self._mail, actor, self._roster.seats[actor.number], tag, self._scope + to, rows)

    async def publish(self, tag: Tag, to: To, payload: Any) -> None:
        """Send the same payload to each recipient; of a crowd, to each member, and its script
        receives it once.
        """
        await self.publish_each(tag, to, [payload])

    async def publish_each(self, tag: Tag, to: To, payloads: Sequence[Any]) -> None:
        """Send the same payloads, one message each, to each recipient."""
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        actor.last_tag = tag.name
        if isinstance(tag, Summed):
            raise refuse(
                actor,
                tag.name,
                "a summed tag is scattered, one row to each recipient, not published",
            )
        if self._lifts:
            payloads = [self._reading.outgoing(actor.name, payload) for payload in payloads]
        self._mail.post_copies(actor, tag, self._group(to), payloads)

    async def receive(self, tag: Tag, sender: str, shape: tuple[int, ...] | None = None) -> Any:
        """The next payload of a sender, waited for; with `shape`, one of another shape is
        refused.
        """
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        self._taking(tag)
        payload = await self._mail.take(actor, tag, self._roster.find(self._scope + sender))
        if shape is not None and getattr(payload, "shape", None) != shape:
            raise refuse(
                actor,
                tag.name,
                f"{sender} sent a payload of shape {_shape(payload)}, expected {shape}",
            )
        return payload

    async def receive_each(self, tag: Tag, sender: str, count: int) -> list[Any]:
        """The next `count` payloads of a sender, waited for."""
        if self._scope:
            tag = self._own(tag)
        self._taking(tag)
        return await self._mail.take_many(
            self._actor, tag, self._roster.find(self._scope + sender), count
        )

    async def receive_any(self, tag: Tag) -> tuple[str, Any]:
        """The next payload of whoever sends one, and who it was; the schedule decides among
        several.
        """
        if self._scope:
            tag = self._own(tag)
        self._taking(tag)
        sender, payload = await self._mail.take_any(self._actor, tag)
        return sender.removeprefix(self._scope), payload

    async def gather(
        self, tag: Tag, senders: To, shape: tuple[int, ...] | None = None
    ) -> list[Any]:
        """One payload from each named sender, in the order named; with `shape`, one of another
        shape is refused.
        """
        if self._scope:
            tag = self._own(tag)
        self._taking(tag)
        group = self._group(senders)
        payloads = await self._mail.take_each(self._actor, tag, group)
        for sender, payload in zip(group, payloads, strict=True) if shape is not None else ():
            if getattr(payload, "shape", None) != shape:
                raise refuse(
                    self._actor,
                    tag.name,
                    f"{sender} sent a payload of shape {_shape(payload)}, expected {shape}",
                )
        return payloads

    async def gather_rows(self, tag: Tag, senders: To) -> Any:
        """What the senders send with `send_rows`: one row of each party that they stand for, in
        order, as one array.
        """
        payloads = await self.gather(tag, senders)
        return rows_from(self._actor, tag, self._group(senders), self._roster.crowds, payloads)

    async def gather_tally(self, tag: Tag, senders: To, count: Callable[[Any], Any]) -> Any:
        """What all these rows add up to: `count` gets rows and returns whole numbers, or the
        senders have tallied.
        """
        payloads = await self.gather(tag, senders)
        return tally_of(
            self._actor, tag, self._group(senders), self._roster.crowds, payloads, count
        )

    async def gather_sum(
        self, tag: Tag, senders: To | None = None, key: int | None = None, count: int | None = None
    ) -> FieldArray:
        """The sum of one message from each named sender, or of the `count` messages with a key,
        whoever sends them.

        Nobody else may send to this party under the tag and key: such a run fails.
        """
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        self._adding(tag)
        if (senders is None) == (count is None):
            raise refuse(
                actor, tag.name, "a sum names either its senders or how many messages it has"
            )
        group = None if senders is None else self._group(senders)
        number = len(group) if group is not None else int(count or 0)
        if number < 1:
            raise refuse(actor, tag.name, "a sum has at least one message")
        return await self._summing.take(actor, tag.name, key, group, number)

    async def gather_sums(self, tag: Tag, keys: Sequence[int], counts: Sequence[int]) -> FieldArray:
        """For each key the sum of the `counts[k]` messages with it, whoever sends them; shape (K,
        ...), K >= 1.
        """
        if self._scope:
            tag = self._own(tag)
        actor = self._actor
        self._adding(tag)
        if len(keys) != len(counts) or not keys or min(counts) < 1:
            raise refuse(
                actor,
                tag.name,
                f"{len(keys)} keys need as many counts from 1, got {list(counts)[:5]}",
            )
        return await self._summing.take_each(actor, tag.name, keys, counts)

    def _adding(self, tag: Tag) -> None:
        self._actor.last_tag = tag.name
        if not isinstance(tag, Summed):
            raise refuse(
                self._actor,
                tag.name,
                f'only a summed tag can be summed: declare it Summed("{tag.name}")',
            )

    def _own(self, tag: Tag) -> Tag:
        """Inside a part, its own tag of that name."""
        return attrs.evolve(tag, name=self._scope + tag.name)

    def _group(self, names: To) -> Group:
        if isinstance(names, Group) or not self._scope:
            return self._roster.group(names)
        return self._roster.group(
            [self._scope + name for name in ([names] if isinstance(names, str) else names)]
        )

    def _taking(self, tag: Tag) -> None:
        self._actor.last_tag = tag.name
        if type(tag) is Summed:
            raise refuse(
                self._actor,
                tag.name,
                "messages of a summed tag are only ever added up: use gather_sum",
            )


def _block(rows: Any) -> Any:
    if isinstance(rows, Deferred | Typed) or hasattr(rows, "field"):
        return rows
    raise TypeError(f"a summed tag carries field elements, got {type(rows).__name__}")


def _one_row(payload: Any) -> Any:
    if isinstance(payload, Deferred):
        raise TypeError("a deferred block is scattered, one row to each recipient, not sent")
    return _block(payload)[np.newaxis]


def _shape(payload: Any) -> Any:
    return getattr(payload, "shape", type(payload).__name__)
