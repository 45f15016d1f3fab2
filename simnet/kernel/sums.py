"""Summed tags: messages are folded into their recipients' totals as they are sent.

Nothing here is kept for a single message. A total has a row for every recipient, and beside it, for every recipient,
how many messages it holds and whose (as a sum of tokens), and the latest round and arrival among them.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from simnet.coins.coins import Deferred
from simnet.kernel.actor import Actor
from simnet.kernel.mail import refuse
from simnet.kernel.reading import Reading, Total
from simnet.record.ledger import Lot
from simnet.record.message import Key, Message
from simnet.record.transcript import Recorder
from simnet.roster import COUNT_MASK, Group, Roster
from simnet.values.field import Field, FieldArray
from simnet.values.totals import Rows

Totals = dict[int, Total]  # by identity of the sum
Job = Callable[[], Totals]


@attrs.define(eq=False)
class SumWant:
    """What a party waits for that sums: `count` messages, from the group if senders are named."""

    sum: "Sum"
    recipient: int
    count: int
    senders: Group | None

    @property
    def tag(self) -> str:
        """The tag that is summed."""
        return self.sum.tag

    def missing(self) -> list[int]:
        """The named senders who have not sent yet."""
        sent = set(self.sum.senders(self.recipient))
        return [sender for sender in (self.senders.numbers.tolist() if self.senders else []) if sender not in sent]


@attrs.define(eq=False)  # not frozen, like what else is made once a message: a frozen one takes three times as long
class Part:
    """Rows `start..stop-1` of a sender's block, one to each member of a group, on their way into one sum."""

    sum: "Sum"
    to: Group
    start: int
    stop: int
    lot: Lot


@attrs.define(eq=False)
class Arrival:
    """One sender's messages to a group, come in at the same time."""

    sender: int
    to: Group
    lot: Lot
    time: float
    local: bool


class Sum:
    """One summed message of one tag and key for every recipient: the `epoch`-th that each of them asks for.

    As long as all messages went to the same group in one lot, the log alone answers every question. When they differ,
    the answers are kept in arrays with a row for every recipient.
    """

    def __init__(self, tag: str, key: Key, roster: Roster) -> None:
        self.tag = tag
        self.key = key
        self.log: list[Arrival] = []
        self.local: set[int] = set()  # senders who are among their own recipients
        self.total: Total | None = None
        self.shape: tuple[int, ...] = ()
        self.field: Field | None = None
        self._roster = roster
        self._slots: dict[int, int] = {}
        self._rows: dict[int, Rows] = {}
        self._waiting: dict[int, tuple[Actor, int]] = {}
        self._least_awaited = 0
        self._fingerprint = 0
        self._last_two: list[tuple[float, int]] = []  # the latest arrivals, with their senders
        self._arrays: _Arrays | None = None

    @property
    def uniform(self) -> bool:
        """Whether all messages so far went to the same group in one lot."""
        return self._arrays is None

    def reserve(self, number: int) -> None:
        """Make a row for a recipient."""
        self._slots.setdefault(number, len(self._slots))

    def row(self, number: int) -> FieldArray:
        """The sum for a recipient."""
        assert self.total is not None
        return self.total.row(self._slots[number])

    def rows(self, group: Group) -> Rows:
        """The rows of a group, as a slice when they follow one another."""
        if id(group) not in self._rows:
            members = group.numbers.tolist()
            slots = np.array([self._slots.setdefault(number, len(self._slots)) for number in members], dtype=np.intp)
            straight = bool(np.all(np.diff(slots) == 1))
            self._rows[id(group)] = slice(int(slots[0]), int(slots[-1]) + 1) if straight else slots
        return self._rows[id(group)]

    def count(self, number: int) -> int:
        """How many messages a recipient has been sent."""
        if self._arrays is not None:
            return self._arrays.count(self._slots[number])
        return len(self.log) if self.log and self.log[0].to.position(number) is not None else 0

    def fingerprint(self, number: int) -> int:
        """The sum of the tokens of those who sent to a recipient that has been sent something."""
        return self._fingerprint if self._arrays is None else self._arrays.fingerprint(self._slots[number])

    def latest(self, number: int) -> tuple[int, float]:
        """The latest round and arrival among a recipient's messages; what it keeps for itself takes neither."""
        if self._arrays is not None:
            return self._arrays.latest(self._slots[number])
        times = [time for time, sender in self._last_two if sender != number]
        return (self.log[0].lot.round, max(times)) if times else (0, 0.0)

    def arrive(self, sender: Actor, to: Group, lot: Lot, time: float, local: bool) -> list[Actor]:
        """Note that a message has come for each of a group; returns the parties that waited for no more than this."""
        entry = Arrival(sender.number, to, lot, time, local)
        if self._arrays is None and self.log and (self.log[0].to is not to or self.log[0].lot is not lot):
            self._arrays = _Arrays(self._roster)
            for earlier in self.log:
                self._arrays.add(earlier, self.rows(earlier.to), self._slots)
        self.log.append(entry)
        if local:
            self.local.add(sender.number)
        rows = self.rows(to)
        if self._arrays is None:
            self._fingerprint = (self._fingerprint + int(self._roster.tokens[sender.number])) % (1 << 64)
            if len(self._last_two) < 2 or time > self._last_two[0][0]:
                self._last_two = sorted([*self._last_two, (time, sender.number)])[-2:]
        else:
            self._arrays.add(entry, rows, self._slots)
        return self._complete(to) if self._waiting and len(self.log) >= self._least_awaited else []

    def expect(self, actor: Actor, count: int) -> None:
        """Have `arrive` return this party once it has been sent `count` messages."""
        self._waiting[actor.number] = actor, count
        self._least_awaited = min(count, self._least_awaited) if len(self._waiting) > 1 else count

    def senders(self, number: int) -> list[int]:
        """Who sent to a recipient, in order of sending."""
        return [entry.sender for entry in self.log if entry.to.position(number) is not None]

    def _complete(self, to: Group) -> list[Actor]:
        members = to.numbers.tolist() if len(to) < len(self._waiting) else list(self._waiting)
        done = [number for number in members if number in self._waiting and self._is_complete(number)]
        return [self._waiting.pop(number)[0] for number in done]

    def _is_complete(self, number: int) -> bool:
        return self.count(number) >= self._waiting[number][1]


class _Arrays:
    """For every row of a sum: tokens of its senders, latest round and arrival."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._tokens = np.zeros(len(roster), dtype=np.uint64)
        self._rounds = np.zeros(len(roster), dtype=np.int64)
        self._times = np.zeros(len(roster), dtype=np.float64)

    def count(self, slot: int) -> int:
        return int(self._tokens[slot] & COUNT_MASK)

    def fingerprint(self, slot: int) -> int:
        return int(self._tokens[slot])

    def latest(self, slot: int) -> tuple[int, float]:
        return int(self._rounds[slot]), float(self._times[slot])

    def add(self, entry: Arrival, rows: Rows, slots: dict[int, int]) -> None:
        own = slots[entry.sender] if entry.local else None
        before = None if own is None else (self._rounds[own], self._times[own])
        self._tokens[rows] += self._roster.tokens[entry.sender]
        self._rounds[rows] = np.maximum(self._rounds[rows], entry.lot.round)
        self._times[rows] = np.maximum(self._times[rows], entry.time)
        if own is not None and before is not None:
            self._rounds[own], self._times[own] = before


class SummedTag:
    """All sums of one tag, and the blocks that still have to be evaluated for them."""

    def __init__(self, tag: str, roster: Roster, reading: Reading, recorder: Recorder) -> None:
        self.tag = tag
        self.pending: list[tuple[Actor, Deferred, list[Part]]] = []
        self._roster = roster
        self._reading = reading
        self._recorder = recorder
        self._sums: dict[tuple[Key, int], Sum] = {}
        self._sent: Counter[tuple[int, Key, int]] = Counter()
        self._asked: Counter[tuple[int, Key]] = Counter()

    def sending(self, actor: Actor, key: Key, to: Group) -> Sum:
        """The sum that this party's next message to this group goes into."""
        epoch = self._sent[actor.number, key, id(to)]
        self._sent[actor.number, key, id(to)] += 1
        return self._sum(key, epoch)

    def asking(self, actor: Actor, key: Key) -> Sum:
        """The sum that this party asks for next."""
        epoch = self._asked[actor.number, key]
        self._asked[actor.number, key] += 1
        return self._sum(key, epoch)

    def settle_shape(self, actor: Actor, sum_: Sum, field: Field, shape: tuple[int, ...]) -> None:
        """Fix field and row shape by the first message; refuse a later one that differs."""
        if sum_.total is None:
            sum_.total = self._reading.total(field, shape)
            sum_.field, sum_.shape = field, shape
            return
        if sum_.shape != shape or sum_.field != field:
            first = self._roster.names[sum_.log[0].sender]
            raise refuse(
                actor, self.tag,
                f"sends a row of shape {shape} over F_{field.modulus} into a sum that {first} began "
                f"with shape {sum_.shape} over F_{sum_.field.modulus if sum_.field else 0}",
            )  # fmt: skip

    def fold(self, actor: Actor, block: FieldArray, parts: Sequence[Part], totals: Totals | None = None) -> None:
        """Add a sender's block, into the sums' own totals or into those given by identity of the sum."""
        for part in parts:
            rows = block[part.start : part.stop] if len(parts) > 1 else block
            total = part.sum.total if totals is None else self._own(totals, part.sum)
            assert total is not None  # settle_shape made it
            total.add(part.sum.rows(part.to), rows)
            if self._recorder.observed:
                self._record(actor, part, rows)

    def evaluate(self, threads: int, progress: Callable[[int], None]) -> list[Job]:
        """The pending blocks as jobs, each to be run in a thread of its own; `merge` is called when all are done."""
        pending, self.pending = self.pending, []
        shares: list[list[tuple[Actor, Deferred, list[Part]]]] = [[] for _ in range(threads)]
        for entry in pending:  # one party's blocks stay in one thread: they bill to one meter
            shares[entry[0].number % threads].append(entry)
        return [self._job(share, progress) for share in shares if share]

    def _job(self, share: list[tuple[Actor, Deferred, list[Part]]], progress: Callable[[int], None]) -> Job:
        totals: Totals = {}

        def work() -> Totals:
            for actor, deferred, parts in share:
                try:
                    block = deferred.evaluate()
                except Exception as error:
                    raise refuse(actor, self.tag, f"the deferred block failed: {error}") from error
                self.fold(actor, block, parts, totals)
                progress(deferred.size)
            return totals

        return work

    def merge(self, totals: Totals) -> None:
        """Add what a job has summed up."""
        for sum_ in self._sums.values():
            if id(sum_) in totals and sum_.total is not None:
                sum_.total.merge(totals[id(sum_)])

    def _own(self, totals: Totals, sum_: Sum) -> Total:
        if id(sum_) not in totals:
            assert sum_.field is not None
            totals[id(sum_)] = self._reading.total(sum_.field, sum_.shape)
        return totals[id(sum_)]

    def _sum(self, key: Key, epoch: int) -> Sum:
        if (key, epoch) not in self._sums:
            self._sums[key, epoch] = Sum(self.tag, key, self._roster)
        return self._sums[key, epoch]

    def _record(self, actor: Actor, part: Part, rows: FieldArray) -> None:
        """Keep the rows to observed parties, or all of them when the sender is observed."""
        observed = range(len(self._roster)) if actor.observed else sorted(self._recorder.observed)
        for number in observed:
            place = part.to.position(number)
            if place is not None:
                self._recorder.add(Message(part.lot.round, actor.number, number, self.tag, part.sum.key, rows[place]))
