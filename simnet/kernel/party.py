"""`Party`: the only door of a script to the world.

A script gets its name, its coins and its messages from its party, and from nothing else. `Party`
checks what the script asks for and hands it to a `Link`, which carries messages: see
`simnet.kernel.link`.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import attrs
import numpy as np

from simnet.coins.coins import Coins, Deferred, RowBlock, evaluates_block
from simnet.doors.call import DoorKind, door_call
from simnet.errors import ScriptError
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.crowds import post_rows, rows_from, tally_of
from simnet.kernel.link import Link, Payload
from simnet.kernel.reading import Reading
from simnet.kernel.tags import Summed, Tag
from simnet.kernel.turns import hand_over
from simnet.roster import Group, Roster
from simnet.values.field import HELD_BY_ANOTHER, Field, FieldArray
from simnet.values.sealed import WAYS_OUT, Made, Sealed, source_of
from simnet.values.typed import Typed

# Messages that a party sends before it lets others go on: so mailboxes stay small.
BURST = 256

To = str | Group | Sequence[str]


class Party:
    """What a role's script is given: a name, coins, and ways to send and to receive.

    Wherever parties are named, a name, a sequence of names or a `Group` will do. Every error that a
    method raises ends the run with the party's name, the round and the tag.

    Only the script that it is given to may use it, in its turn: nobody can act as another party,
    from a thread, or after the run has failed.
    """

    __slots__ = ("_actor", "_lifts", "_link", "_reading", "_roster", "_scope", "_seed", "_turn")

    def __init__(
        self, actor: Actor, roster: Roster, link: Link, reading: Reading, seed: int
    ) -> None:
        self._actor = actor
        self._roster = roster
        self._link = link
        self._turn = link.turn
        self._reading = reading
        self._lifts = reading.lifts
        self._seed = seed
        self._scope = ""  # what the run puts before the names that the script uses

    def within(self, scope: str) -> "Party":
        """This party as it appears inside a protocol that runs as a part of another.

        All names, roles and tags that the part's script uses stand for those with `scope` put
        before them.
        """
        return ScopedParty(self._actor, self._roster, self._link, self._reading, self._seed, scope)

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
        self._begin()
        actor = self._actor
        if actor.coins is None:
            actor.coins = self._reading.coins(self._seed, actor.name, actor.meter)
            actor.coins.check = self._check_draw
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

    # The doors: what leads from sealed values to messages, to choices and to the output.

    def secret(
        self,
        function: Callable[..., Any],
        *arguments: object,
        field: Field,
        shape: tuple[int, ...] | int,
    ) -> FieldArray:
        """Declare what messages must protect: field elements of this field and shape.

        `function` is given the values behind the arguments and, if it has a place for one more,
        discrete coins; it returns whole numbers. Field and shape are public. For example,
        `me.secret(lambda vote: [vote], vote, field=F, shape=(1,))`.
        """
        actor = self._actor
        elements: FieldArray = self._through("secret", function, arguments, field, shape)
        actor.secrets.append(elements)
        return elements.metered(actor.meter)

    def disclose(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Make a plain value that may shape anything, and is on record as disclosed.

        `function` is called as for `secret`, and may return anything. A verdict counts the value as
        known to everybody. For example, `me.disclose(lambda vote: vote > 2, vote)`.
        """
        return self._through("disclose", function, arguments)

    def output(self, function: Callable[..., Any], *arguments: object) -> Sealed:
        """Make what the script is to return, which stays sealed until then.

        `function` is given the values behind the arguments, and no coins. What it raises ends the
        run when all scripts have ended. For example, `return me.output(np.mean, total)`.
        """
        sealed: Sealed = self._through("output", function, arguments)
        return sealed

    def _through(
        self,
        kind: DoorKind,
        function: Callable[..., Any],
        arguments: Sequence[object],
        field: Field | None = None,
        shape: tuple[int, ...] | int = (),
    ) -> Any:
        """Open a door. Raises `ScriptError` where none may be opened.

        What the function raises ends the run, whether or not the script catches it.
        """
        if evaluates_block():
            raise TypeError(
                f"opens me.{kind} in a deferred block: open the door before the block is made"
            )
        self._begin()
        actor = self._actor
        number = actor.doors_opened[kind]
        call = door_call(kind, actor.name, number, function, arguments, actor.meter, field, shape)
        actor.doors_opened[kind] = number + 1
        coins = self.coins.for_doors if call.takes_coins else None
        actor.door, self._turn.actor = kind, None  # nobody acts while the function is called
        self._turn.opener, self._turn.door_coins = actor, coins
        try:
            result = self._reading.door(call, coins, actor.meter)
        except Exception as error:
            self._turn.failure = error
            raise
        finally:
            actor.door, self._turn.actor = None, actor
            self._turn.opener = self._turn.door_coins = None
        if kind != "output":
            return result
        if call.error is not None:
            actor.output_failure = actor.output_failure or call.error
        return Sealed(Made(call))

    async def send(self, tag: Tag, to: str, payload: Payload) -> None:
        """Send one payload to one party.

        A payload is field elements, `bits(...)`, `index(...)`, `reals(...)`, or a tuple of them.
        """
        tag = self._own(tag) or await self._stop()
        if type(payload) is Sealed:
            raise self._sends_sealed(payload)
        if type(to) is not str:
            raise TypeError(
                f"send has one recipient, given by name, got {type(to).__name__}: use publish for "
                "one payload to several, scatter for a row to each"
            )
        actor = self._actor
        # What `_check_held` would pass is passed at once: this is done for every message.
        holder = getattr(payload, "meter", None)
        if (holder is not actor.meter and holder is not None) or isinstance(payload, tuple):
            self._check_held(payload)
        if self._lifts:
            payload = self._reading.outgoing(actor.name, payload)
        if isinstance(tag, Summed):
            group = self._roster.single(self._scope + to)
            self._link.put(actor, tag, [group], _one_row(payload), None)
        else:
            self._link.post(actor, tag, self._scope + to, payload)
        actor.burst += 1
        if actor.burst >= BURST:
            actor.burst = 0
            await self._link.breathe(actor)

    async def scatter(
        self,
        tag: Tag,
        to: To | Sequence[To],
        rows: RowBlock | Deferred | Sequence[Payload],
        keys: Typed | None = None,
    ) -> None:
        """Send row k to the k-th recipient.

        With `keys`, indices of shape (K,), a summed tag takes K groups of recipients: the rows go
        to the members of the first group under the first key, then to those of the second, and so
        on.
        """
        tag = self._own(tag) or await self._stop()
        actor = self._actor
        if isinstance(rows, Sequence):
            rows = list(rows)
        self._check_held(rows)
        if self._lifts:
            rows = self._reading.outgoing(actor.name, rows)
        if isinstance(tag, Summed):
            places: Any = [to] if keys is None else to
            groups = [self._group(names) for names in places]
            self._link.put(actor, tag, groups, _block(rows), keys)
            return
        if keys is not None:
            raise refuse(actor, tag.name, "only a summed tag takes keys")
        recipients: Any = to
        group = self._group(recipients)
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
        post = self._link.post_rows if is_array else self._link.post_each
        post(actor, tag, group, payloads)

    async def send_rows(self, tag: Tag, to: str, rows: Any) -> None:
        """Send one message for each party that this one stands for: row k is the k-th member's.

        Rows are `bits(...)`, `index(...)`, `reals(...)` or a tuple of them; one row where the party
        is no crowd. A `tally` stands for messages that were never made, where the law of what they
        add up to is known. Under a `Voluntary` tag members may be silent, and rows are those of the
        others, in order.
        """
        tag = self._own(tag) or await self._stop()
        actor = self._actor
        seat = self._roster.seats[actor.number]
        post_rows(self._link, actor, seat, tag, self._scope + to, rows)

    async def publish(self, tag: Tag, to: To, payload: Payload) -> None:
        """Send the same payload to each recipient.

        Each member of a crowd is sent it, and the crowd's script receives it once.
        """
        await self.publish_each(tag, to, [payload])

    async def publish_each(self, tag: Tag, to: To, payloads: Sequence[Payload]) -> None:
        """Send the same payloads, one message each, to each recipient."""
        tag = self._own(tag) or await self._stop()
        actor = self._actor
        if isinstance(tag, Summed):
            raise refuse(
                actor,
                tag.name,
                "a summed tag is scattered, one row to each recipient, not published",
            )
        self._check_held(payloads)
        if self._lifts:
            payloads = [self._reading.outgoing(actor.name, payload) for payload in payloads]
        self._link.post_copies(actor, tag, self._group(to), payloads)

    async def receive(self, tag: Tag, sender: str, shape: tuple[int, ...] | None = None) -> Payload:
        """The next payload of a sender, waited for.

        With `shape`, a payload of another shape is refused.
        """
        # One call less than elsewhere: this is how parties stream to each other.
        tag = self._own(tag) or await self._stop()
        if isinstance(tag, Summed):
            raise self._only_added_up(tag)
        payload = await self._link.take(self._actor, tag, self._roster.find(self._scope + sender))
        if shape is not None:
            self._check_shape(tag, sender, payload, shape)
        return payload

    async def receive_each(self, tag: Tag, sender: str, count: int) -> list[Payload]:
        """The next `count` payloads of a sender, waited for."""
        tag = self._kept_apart(tag) or await self._stop()
        number = self._roster.find(self._scope + sender)
        return await self._link.take_many(self._actor, tag, number, count)

    async def receive_any(self, tag: Tag) -> tuple[str, Payload]:
        """The next payload of whoever sends one, and who it was.

        When several have sent one, the schedule decides among them.
        """
        tag = self._kept_apart(tag) or await self._stop()
        sender, payload = await self._link.take_any(self._actor, tag)
        return sender.removeprefix(self._scope), payload

    async def gather(
        self, tag: Tag, senders: To, shape: tuple[int, ...] | None = None
    ) -> list[Payload]:
        """One payload from each named sender, in the order named.

        With `shape`, a payload of another shape is refused.
        """
        tag = self._kept_apart(tag) or await self._stop()
        group = self._group(senders)
        payloads = await self._link.take_each(self._actor, tag, group)
        if shape is not None:
            for sender, payload in zip(group, payloads, strict=True):
                self._check_shape(tag, sender.removeprefix(self._scope), payload, shape)
        return payloads

    async def gather_rows(self, tag: Tag, senders: To) -> Payload:
        """What the senders send with `send_rows`, as one array.

        It holds one row of each party that they stand for, in order.
        """
        payloads = await self.gather(tag, senders)
        return rows_from(self._actor, tag, self._group(senders), self._roster.crowds, payloads)

    async def gather_tally(
        self, tag: Tag, senders: To, count: Callable[[Payload], Payload]
    ) -> Payload:
        """What all these rows add up to.

        `count` is given rows and returns whole numbers; it is not called when the senders have
        tallied their rows themselves.
        """
        payloads = await self.gather(tag, senders)
        return tally_of(
            self._actor, tag, self._group(senders), self._roster.crowds, payloads, count
        )

    async def gather_sum(
        self, tag: Tag, senders: To | None = None, key: int | None = None, count: int | None = None
    ) -> FieldArray:
        """The sum of one message from each named sender.

        Without `senders`, it is the sum of the `count` messages with a key, whoever sends them.
        Nobody else may send to this party under the tag and key: such a run fails.
        """
        summed = self._added_up(tag) or await self._stop()
        actor = self._actor
        if (senders is None) == (count is None):
            raise refuse(
                actor, summed.name, "a sum names either its senders or how many messages it has"
            )
        group = None if senders is None else self._group(senders)
        number = len(group) if group is not None else int(count or 0)
        if number < 1:
            raise refuse(actor, summed.name, "a sum has at least one message")
        return await self._link.take_sum(actor, summed, key, group, number)

    async def gather_sums(self, tag: Tag, keys: Sequence[int], counts: Sequence[int]) -> FieldArray:
        """For each key the sum of the `counts[k]` messages with it, whoever sends them.

        Shape (K, ...), K >= 1.
        """
        summed = self._added_up(tag) or await self._stop()
        actor = self._actor
        if len(keys) != len(counts) or not keys or min(counts) < 1:
            raise refuse(
                actor,
                summed.name,
                f"{len(keys)} keys need as many counts from 1, got {list(counts)[:5]}",
            )
        return await self._link.take_sums(actor, summed, keys, counts)

    # What follows is what every method begins with. `ScopedParty` sets the scope and maps tags.

    def _own(self, tag: Tag) -> Tag | None:
        """The tag under which the run carries the script's `tag`; None if the party may not act.

        Not an exception: a script could catch it and try again for ever. Who gets None awaits
        `_stop`.
        """
        if self._turn.actor is not self._actor:
            return None
        if not isinstance(tag, Tag):
            raise TypeError(
                f"a tag is a Tag, got {tag!r}: declare one at the top of the module, such as "
                f'SHARE = Tag("share")'
            )
        self._actor.last_tag = tag.name
        if tag.phase is not None:
            self._actor.receipts.phases.add((tag.name, tag.phase))
        return tag

    async def _stop(self) -> NoReturn:
        """Refuse to act when it is not this party's turn; once the run is over, for good."""
        self._check_turn()
        while True:
            await hand_over()

    def _check_turn(self) -> None:
        """Raise `ScriptError` when another script, or another thread, uses this party."""
        acting = self._turn.actor or self._turn.opener
        if acting is not None and acting.door is not None:
            whose = "its party" if acting is self._actor else f"the party of {self._actor.name}"
            raise refuse(
                acting,
                acting.last_tag,
                f"uses {whose} in the function of me.{acting.door}: such a function calculates "
                "with the values and coins that it is given, and with nothing else",
            )
        if acting is not None and acting is not self._actor:
            raise refuse(
                acting,
                acting.last_tag,
                f"uses the party of {self._actor.name}: a script acts as nobody but the party "
                "that it is given",
            )
        if threading.get_ident() != self._turn.thread:
            raise refuse(
                self._actor,
                self._actor.last_tag,
                "acts in a thread of its own: a script is one sequence of steps",
            )

    def _begin(self) -> None:
        """Raise `ScriptError` unless this party may act, for what is not awaited."""
        if self._turn.actor is not self._actor or threading.get_ident() != self._turn.thread:
            self._check_turn()
            raise refuse(self._actor, self._actor.last_tag, "acts although the run is over")

    def _check_draw(self, coins: Coins) -> None:
        """Raise where nobody may draw from coins of this party: all may be drawn by its script
        alone, in its turn, and those that a door's function is given by that function.
        """
        actor = self._actor
        opener = self._turn.opener
        if coins is not actor.coins:
            if coins is self._turn.door_coins:
                return
            raise TypeError("draws coins that were given to the function of another door")
        if opener is None:
            self._begin()
        elif opener is actor and actor.door == "output":
            raise TypeError("the function of me.output draws coins: draw them in the script before")
        elif opener is actor:
            raise TypeError(
                f"the function of me.{actor.door} draws from the coins of the script: let it draw "
                "from coins that it is given, and write function(value, coins)"
            )
        else:
            raise TypeError(
                f"the function of me.{opener.door} draws from the coins of {actor.name}: a party's "
                "coins are its own"
            )

    def _check_held(self, payload: Any) -> None:
        """Raise `ScriptError` for a payload, or payloads, with an array that another party holds.

        Verdicts count what a party holds as what came to it in messages, or was its own.
        """
        if isinstance(payload, tuple | list):
            for piece in payload:
                self._check_held(piece)
            return
        if type(payload) is Sealed:
            raise self._sends_sealed(payload)
        holder = getattr(payload, "meter", None)
        if holder is not None and holder is not self._actor.meter:
            raise refuse(self._actor, self._actor.last_tag, f"sends {HELD_BY_ANOTHER}")

    def _sends_sealed(self, payload: Sealed) -> ScriptError:
        what = f"sends {source_of(payload)}, which is sealed. {WAYS_OUT}"
        return refuse(self._actor, self._actor.last_tag, what)

    def _kept_apart(self, tag: Tag) -> Tag | None:
        """The tag of messages that are received one by one."""
        own = self._own(tag)
        if isinstance(own, Summed):
            raise self._only_added_up(own)
        return own

    def _only_added_up(self, tag: Summed) -> ScriptError:
        what = "messages of a summed tag are only ever added up: use gather_sum"
        return refuse(self._actor, tag.name, what)

    def _added_up(self, tag: Tag) -> Summed | None:
        """The tag of messages that are only added up."""
        own = self._own(tag)
        if own is not None and not isinstance(own, Summed):
            raise refuse(
                self._actor,
                own.name,
                f'only a summed tag can be summed: declare it Summed("{own.name}")',
            )
        return own

    def _group(self, names: To) -> Group:
        if isinstance(names, Group):
            return names
        if isinstance(names, str):
            return self._roster.single(self._scope + names)
        return self._roster.group([self._scope + name for name in names])

    def _check_shape(self, tag: Tag, sender: str, payload: Payload, shape: tuple[int, ...]) -> None:
        if getattr(payload, "shape", None) != shape:
            raise refuse(
                self._actor,
                tag.name,
                f"{sender} sent a payload of shape {_shape(payload)}, expected {shape}",
            )


class ScopedParty(Party):
    """A party inside a part of a protocol: its script's names and tags are the run's, less a scope.

    Example. In scope `g2.` the script's `u1` is the run's `g2.u1`, and its tag `share` is the run's
    tag `g2.share`, so that parts that run side by side do not read each other's messages.
    """

    __slots__ = ("_tags",)

    def __init__(
        self,
        actor: Actor,
        roster: Roster,
        link: Link,
        reading: Reading,
        seed: int,
        scope: str,
    ) -> None:
        super().__init__(actor, roster, link, reading, seed)
        self._scope = scope
        self._tags: dict[Tag, Tag] = {}

    def within(self, scope: str) -> Party:
        """The party inside a part of the part."""
        return super().within(self._scope + scope)

    def _own(self, tag: Tag) -> Tag | None:
        own = super()._own(tag)
        if own is None:
            return None
        inner = self._tags.get(own)
        if inner is None:
            inner = self._tags[own] = attrs.evolve(own, name=self._scope + own.name)
        return super()._own(inner)


def _block(rows: Any) -> Any:
    if isinstance(rows, Deferred | Typed) or hasattr(rows, "field"):
        return rows
    raise TypeError(
        f"a summed tag carries field elements, got {type(rows).__name__}: write "
        "constant(field, ...)"
    )


def _one_row(payload: Any) -> Any:
    if isinstance(payload, Deferred):
        raise TypeError("a deferred block is scattered, one row to each recipient, not sent")
    return _block(payload)[np.newaxis]


def _shape(payload: Any) -> Any:
    return getattr(payload, "shape", type(payload).__name__)
