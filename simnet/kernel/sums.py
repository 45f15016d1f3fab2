"""Adding up messages whose recipients need only the sum.

Theory of operation. The recipients of a tag that is declared as `Summed` get only sums of messages.
The kernel adds each row to its recipient's running total when the row is sent or, for a deferred
block, later. It keeps rows that may have to be taken out again: rows in runs with fates of parties,
and rows of deferred blocks that are evaluated after a party has called `heard` for their tag.

A message may carry a *key*, which is a number: messages with different keys go into different sums.

Example. u1 and u2 scatter two rows each under `share`, without keys::

    u1: [[1, 2], [3, 4]]   u2: [[5, 6], [0, 1]]     rows go to u1 and u2
    totals after both:     u1: [6, 8]   u2: [3, 5]  (mod q)

A share takes these steps from `scatter` to the sum that `gather_sum` returns:

1. `Summing.put` (in `summing.py`) receives a sender's block. `put` counts its messages on the bill,
   and notes the sender in a `Sum`. A tag and a key may have several `Sum`s, one after another: if
   senders scatter two blocks each to the same group under the same key, the recipients' second
   `gather_sum` returns the sum of the second blocks.

2. The block's rows are added to running totals (`values/totals.py`). All totals of one tag, field
   and shape are rows of one table, `TotalTable`. A `Sum` stores the *slot* of each recipient, which
   is the number of the recipient's row in that table. A `Deferred` block is computed later
   (`deferred.py`).

3. If the recipient has not called `heard`, `Summing.take` waits until the recipient has been sent
   as many messages as it asks for, and returns the recipient's row of the table. If the recipient
   has named senders, `take` first checks that they sent these messages.

The messages of a sum that go to one group in one lot form a `Batch`. If groups or lots differ, a
sum has several batches. Then we also count the messages to each recipient.

A fingerprint shows whether the *right* parties have sent. Every party has a token of 64 bits, of
which 40 look random. The tokens of the senders must add up to the same sum as the tokens of the
parties that the recipient asks for.
"""

from collections.abc import Iterable, Sequence

import attrs
import numpy as np

from simnet.arrays import Words
from simnet.kernel.actor import Actor
from simnet.kernel.reading import Reading, Total
from simnet.record.ledger import Lot
from simnet.record.message import Key
from simnet.roster import COUNT_MASK, Group, Roster
from simnet.values.field import Field
from simnet.values.totals import Slots


class TotalTable:
    """The totals of one tag, field and row shape. Slots are given out one after another."""

    def __init__(self, reading: Reading, field: Field, shape: tuple[int, ...]) -> None:
        self.field = field
        self.shape = shape
        self.total = reading.total(field, shape)
        self._reading = reading
        self._used = 0

    def take(self, count: int) -> int:
        """Reserve `count` new consecutive slots, and return the first one."""
        first, self._used = self._used, self._used + count
        self.total.reserve(self._used)
        return first

    def empty_total(self) -> Total:
        """Return an empty total with the same slots, for one thread."""
        total = self._reading.total(self.field, self.shape)
        total.reserve(self._used)
        return total


@attrs.define(eq=False)
class Batch:
    """The messages of one sum that were sent to one group in one lot, so with one tag, round, wire
    type and shape.

    `posts` has, by sender and in the order of sending, the number of the post: the event of the log
    that notes the send.
    """

    to: Group
    lot: Lot
    slots: Slots  # the slots of the group's totals
    posts: dict[int, int] = attrs.field(factory=dict)
    local: set[int] = attrs.field(factory=set)  # senders who are members of the group themselves
    _digest: tuple[int, int] = (-1, 0)

    def slot(self, number: int) -> int:
        """Return the slot of a group member's total."""
        place = self.to.position(number)
        assert place is not None
        slots = self.slots
        return slots.start + place if isinstance(slots, slice) else int(slots[place])

    def fingerprint(self, tokens: Words) -> int:
        """Return the sum of the senders' tokens mod 2**64."""
        if self._digest[0] != len(self.posts):
            self._digest = len(self.posts), int(tokens[list(self.posts)].sum())
        return self._digest[1]

    def has_other_than(self, number: int) -> bool:
        """Return whether a party other than this group member has sent."""
        return len(self.posts) > (number in self.local)


class Sum:
    """One sum for every recipient of a tag and key: the recipients' first sum, or their second, and
    so on.

    `add` notes the messages of a sender to a group, and returns the slots of their rows.
    """

    def __init__(self, tag: str, key: Key, roster: Roster, turn: int) -> None:
        self.tag = tag
        self.key = key
        self.turn = turn  # the number of earlier sums of this tag and key
        self.table: TotalTable | None = None  # set by the first block
        self.asked: dict[int, int] = {}  # the number of messages that each recipient asks for
        # By recipient that has called `heard`: the senders that it heard. Such a recipient may
        # leave messages out of its sum.
        self.heard: dict[int, frozenset[int]] = {}
        self._roster = roster
        self._batches: list[Batch] = []
        self._by_group: dict[int, tuple[Batch, ...]] = {}  # by identity of the group
        # Used from the second batch on: each recipient's batches, and the sum of its senders'
        # tokens.
        self._by_recipient: dict[int, list[Batch]] = {}
        self._tokens: Words | None = None
        # The number of blocks so far. A recipient has been sent at most this many messages.
        self._added = 0
        # The waiting recipients, each with the number of messages that it waits for.
        self._waiting: dict[int, tuple[Actor, int]] = {}
        self._least_awaited = 0

    def has_from(self, sender: int, to: Group) -> bool:
        """Return whether a party has sent to this group, for this sum, already."""
        for batch in self._by_group.get(id(to), ()):  # noqa: SIM110  # fast: for every block
            if sender in batch.posts:
                return True
        return False

    def reaches_from(self, sender: int, to: Group) -> bool:
        """Return whether a party has sent to any member of this group, for this sum, already."""
        members = set(to.numbers.tolist())
        return any(
            sender in batch.posts and not members.isdisjoint(batch.to.numbers.tolist())
            for batch in self._batches
        )

    def add(self, sender: int, to: Group, lot: Lot, post: int, is_local: bool) -> Slots:
        """Note the messages of a sender to a group, with the number of their post in the log.
        Return the group's slots.

        `is_local` says whether the sender belongs to the group.
        """
        batch = self._batch(to, lot)
        batch.posts[sender] = post
        if is_local:
            batch.local.add(sender)
        self._added += 1
        if self._tokens is not None:
            self._tokens[to.numbers] += self._roster.tokens[sender]
        return batch.slots

    def completed(self, to: Group) -> Iterable[Actor]:
        """Return the waiting members of a group that have now been sent enough messages."""
        if not self._waiting or self._added < self._least_awaited:
            return ()
        members = to.numbers.tolist() if len(to) < len(self._waiting) else list(self._waiting)
        done = [
            number
            for number in members
            if number in self._waiting and self.count(number) >= self._waiting[number][1]
        ]
        return [self._waiting.pop(number)[0] for number in done]

    def expect(self, actor: Actor, count: int) -> None:
        """Make `completed` return this party once it has been sent `count` messages."""
        self._least_awaited = min(count, self._least_awaited) if self._waiting else count
        self._waiting[actor.number] = actor, count

    def stop_expecting(self, number: int) -> None:
        """Note that this party waits no longer, so that `completed` does not return it."""
        self._waiting.pop(number, None)

    def batches(self, number: int) -> Sequence[Batch]:
        """Return the batches of messages that a recipient has been sent."""
        if self._tokens is not None:
            return self._by_recipient.get(number, ())
        is_sent_to = self._batches and self._batches[0].to.position(number) is not None
        return self._batches if is_sent_to else ()

    def count(self, number: int) -> int:
        """Return the number of messages sent to a recipient so far."""
        if self._tokens is not None:
            return int(self._tokens[number] & COUNT_MASK)
        if not self._batches or self._batches[0].to.position(number) is None:
            return 0
        return len(self._batches[0].posts)

    def fingerprint(self, number: int) -> int:
        """Return the sum of the tokens of all senders to a recipient."""
        if self._tokens is not None:
            return int(self._tokens[number])
        return sum(batch.fingerprint(self._roster.tokens) for batch in self.batches(number))

    def senders(self, number: int) -> list[int]:
        """Return the senders to a recipient; a party that sent several messages occurs several
        times.
        """
        return [sender for batch in self.batches(number) for sender in batch.posts]

    def slot(self, number: int) -> int:
        """Return the slot of a recipient's total. The recipient must have been sent a message."""
        return self.batches(number)[0].slot(number)

    def first_sender(self) -> int:
        """Return a party whose message began the sum."""
        return next(iter(self._batches[0].posts))

    def _batch(self, to: Group, lot: Lot) -> Batch:
        alike = self._by_group.get(id(to), ())
        for batch in alike:
            if batch.lot is lot:
                return batch
        if self._batches and self._tokens is None:
            self._tell_recipients_apart()
        begun = Batch(to, lot, alike[0].slots if alike else self._named_slots(to))
        self._batches.append(begun)
        self._by_group[id(to)] = (*alike, begun)
        if self._tokens is not None:
            for number in to.numbers.tolist():
                self._by_recipient.setdefault(number, []).append(begun)
        return begun

    def _tell_recipients_apart(self) -> None:
        first = self._batches[0]
        self._by_recipient = {number: [first] for number in first.to.numbers.tolist()}
        self._tokens = np.zeros(len(self._roster), dtype=np.uint64)
        self._tokens[first.to.numbers] = first.fingerprint(self._roster.tokens)

    def _named_slots(self, to: Group) -> Slots:
        assert self.table is not None
        slots = self._new_slots(to)
        self.table.total.name(slots, to.numbers, (self.tag, self.key, self.turn))
        return slots

    def _new_slots(self, to: Group) -> Slots:
        assert self.table is not None
        if not self._batches:
            first = self.table.take(len(to))
            return slice(first, first + len(to))
        slots = [
            self.slot(number) if number in self._by_recipient else self.table.take(1)
            for number in to.numbers.tolist()
        ]
        return np.array(slots, dtype=np.intp)
