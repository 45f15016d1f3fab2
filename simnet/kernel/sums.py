"""Summed tags: messages are folded into their recipients' totals as they are sent.

Nothing here is kept for a single message but its sender and its time. `Sum` knows who sent to whom,
`Pool` holds the totals.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from simnet.kernel.actor import Actor
from simnet.kernel.reading import Reading, Total
from simnet.record.ledger import Lot
from simnet.record.message import Key
from simnet.roster import COUNT_MASK, Group, Roster
from simnet.values.field import Field
from simnet.values.totals import Slots


class Pool:
    """Totals of one field and row shape, a row for every sum and recipient, handed out one range
    after another.
    """

    def __init__(self, reading: Reading, field: Field, shape: tuple[int, ...]) -> None:
        self.field = field
        self.shape = shape
        self.size = 0
        self.total = reading.total(field, shape)
        self._reading = reading

    def take(self, rows: int) -> int:
        """The first of so many new rows."""
        first, self.size = self.size, self.size + rows
        self.total.reserve(self.size)
        return first

    def apart(self) -> Total:
        """An empty total of the same rows, for a thread of its own."""
        total = self._reading.total(self.field, self.shape)
        total.reserve(self.size)
        return total


class Sum:
    """One summed message of one tag and key for every recipient: the `epoch`-th that each of them
    asks for.

    As long as all messages go to the same group in one lot, senders and times alone answer every
    question. When they differ, a `_Mixture` does.
    """

    def __init__(self, tag: str, key: Key, roster: Roster) -> None:
        self.tag = tag
        self.key = key
        self.pool: Pool | None = None
        self.lot: Lot | None = None
        self.local: set[int] = set()  # senders who are among their own recipients
        self.asked: dict[
            int, int
        ] = {}  # recipients who have asked for this sum, and for how many messages
        self.mixture: _Mixture | None = None
        self._roster = roster
        self._to: Group | None = None
        self._rows = slice(0, 0)
        self._sent: set[Any] = set()
        self._senders: list[int] = []
        self._times: list[float] = []
        self._waiting: dict[int, tuple[Actor, int]] = {}
        self._least_awaited = 0
        self._digest: tuple[int, int, list[tuple[float, int]]] = (-1, 0, [])

    def begin(self, pool: Pool, to: Group, lot: Lot) -> None:
        """Take the first message's field, shape, group and lot for granted."""
        self.pool, self._to, self.lot = pool, to, lot
        first = pool.take(len(to))
        self._rows = slice(first, first + len(to))

    def has_from(self, sender: int, to: Group) -> bool:
        """Whether a party has sent to this group already; if not, from now on it has."""
        mark = sender if self._to is None or to is self._to else (sender, id(to))
        if mark in self._sent:
            return True
        self._sent.add(mark)
        return False

    def rows(self, to: Group) -> Slots:
        """The totals of a group."""
        if to is self._to or self.mixture is None:
            return self._rows
        return self.mixture.rows(to)

    def slot(self, number: int) -> int:
        """The total of a recipient who has been sent something."""
        assert self._to is not None
        place = self._to.position(number)
        if place is not None:
            return self._rows.start + place
        assert self.mixture is not None
        slot: int = self.mixture.slots[number]
        return slot

    def arrive(self, sender: int, to: Group, lot: Lot, time: float, local: bool) -> Sequence[Actor]:
        """Note that a message has come for each of a group; returns the parties that waited for no
        more than this.
        """
        if self.mixture is None and (to is not self._to or lot is not self.lot):
            self._mix()
        if local:
            self.local.add(sender)
        self._senders.append(sender)
        self._times.append(time)
        if self.mixture is not None:
            self.mixture.add(sender, to, lot, time, local)
        return (
            self._complete(to)
            if self._waiting and len(self._senders) >= self._least_awaited
            else ()
        )

    def count(self, number: int) -> int:
        """How many messages a recipient has been sent."""
        if self.mixture is not None:
            return self.mixture.count(number)
        return (
            len(self._senders)
            if self._to is not None and self._to.position(number) is not None
            else 0
        )

    def senders(self, number: int) -> list[int]:
        """Who sent to a recipient, in order of sending."""
        if self.mixture is not None:
            return [sender for sender, to, _ in self.mixture.log if to.position(number) is not None]
        return list(self._senders) if self.count(number) else []

    def fingerprint(self, number: int) -> int:
        """The sum of the tokens of those who sent to a recipient that has been sent something."""
        return self._digested()[1] if self.mixture is None else self.mixture.fingerprint(number)

    def latest(self, number: int) -> tuple[int, float]:
        """The latest round and arrival among a recipient's messages; what it keeps for itself takes
        neither.
        """
        if self.mixture is not None:
            return self.mixture.latest(number)
        for time, sender in reversed(self._digested()[2]):
            if sender != number and self.lot is not None:
                return self.lot.round, time
        return 0, 0.0

    def expect(self, actor: Actor, count: int) -> None:
        """Have `arrive` return this party once it has been sent `count` messages."""
        self._least_awaited = min(count, self._least_awaited) if self._waiting else count
        self._waiting[actor.number] = actor, count

    def _digested(self) -> tuple[int, int, list[tuple[float, int]]]:
        """Number of messages, sum of the senders' tokens, and the two latest arrivals with their
        senders.
        """
        if self._digest[0] != len(self._senders):
            tokens = int(self._roster.tokens[self._senders].sum())
            latest = sorted(zip(self._times, self._senders, strict=True))[-2:]
            self._digest = len(self._senders), tokens, latest
        return self._digest

    def _mix(self) -> None:
        assert self.pool is not None
        assert self._to is not None
        assert self.lot is not None
        self.mixture = _Mixture(self._roster, self.pool, self._to, self._rows)
        for sender, time in zip(self._senders, self._times, strict=True):
            self.mixture.add(sender, self._to, self.lot, time, sender in self.local)

    def _complete(self, to: Group) -> list[Actor]:
        members = to.numbers.tolist() if len(to) < len(self._waiting) else list(self._waiting)
        done = [
            number for number in members if number in self._waiting and self._is_complete(number)
        ]
        return [self._waiting.pop(number)[0] for number in done]

    def _is_complete(self, number: int) -> bool:
        return self.count(number) >= self._waiting[number][1]


class _Mixture:
    """A sum whose messages went to several groups, or in several rounds: what each recipient has
    been sent.
    """

    def __init__(self, roster: Roster, pool: Pool, first: Group, rows: slice) -> None:
        self.log: list[tuple[int, Group, Lot]] = []
        self.slots = dict(zip(first.numbers.tolist(), range(rows.start, rows.stop), strict=True))
        self._roster = roster
        self._pool = pool
        self._rows: dict[int, Slots] = {id(first): rows}
        self._tokens = np.zeros(len(roster), dtype=np.uint64)
        self._rounds = np.zeros(len(roster), dtype=np.int64)
        self._times = np.zeros(len(roster), dtype=np.float64)

    def rows(self, to: Group) -> Slots:
        if id(to) not in self._rows:
            numbers = to.numbers.tolist()
            for number in numbers:
                if number not in self.slots:
                    self.slots[number] = self._pool.take(1)
            self._rows[id(to)] = np.array([self.slots[number] for number in numbers], dtype=np.intp)
        return self._rows[id(to)]

    def count(self, number: int) -> int:
        return int(self._tokens[number] & COUNT_MASK)

    def fingerprint(self, number: int) -> int:
        return int(self._tokens[number])

    def latest(self, number: int) -> tuple[int, float]:
        return int(self._rounds[number]), float(self._times[number])

    def add(self, sender: int, to: Group, lot: Lot, time: float, local: bool) -> None:
        before = (self._rounds[sender], self._times[sender]) if local else None
        self._tokens[to.numbers] += self._roster.tokens[sender]
        self._rounds[to.numbers] = np.maximum(self._rounds[to.numbers], lot.round)
        self._times[to.numbers] = np.maximum(self._times[to.numbers], time)
        if before is not None:  # what a party keeps for itself is no message
            self._rounds[sender], self._times[sender] = before
        self.log.append((sender, to, lot))
