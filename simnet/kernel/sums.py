"""Summed tags: messages are folded into their recipients' totals as they are sent.

Nothing here is kept for a single message. A total has a row for every recipient, and beside it, for every recipient, how
many messages it holds and whose (as a sum of tokens), and the latest round and arrival among them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Deferred
from simnet.kernel.actor import Actor
from simnet.kernel.mail import refuse
from simnet.kernel.reading import Reading, Total
from simnet.record.ledger import Line
from simnet.record.message import Key, Message
from simnet.record.transcript import Recorder
from simnet.roster import COUNT_MASK, Group, Roster
from simnet.values.field import Field, FieldArray
from simnet.values.totals import Rows


@attrs.frozen(eq=False)
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


@attrs.frozen(eq=False)
class Part:
    """Rows `start..stop-1` of a sender's block, one to each member of a group, on their way into one sum."""

    sum: "Sum"
    to: Group
    start: int
    stop: int
    line: Line


class Sum:
    """One summed message of one tag and key for every recipient: the `epoch`-th that each of them asks for."""

    def __init__(self, tag: str, key: Key, roster: Roster) -> None:
        self.tag = tag
        self.key = key
        self.log: list[tuple[int, Group, Line]] = []
        self.total: Total | None = None
        self.shape: tuple[int, ...] = ()
        self.field: Field | None = None
        self.waiting: dict[int, Actor] = {}
        self.uniform = True  # every message so far went to the same group, in the same lot
        self.local: set[int] = set()  # senders who are among their own recipients
        self._roster = roster
        self._slots: dict[int, int] = {}
        self._rows: dict[int, Rows] = {}
        self._tokens = np.zeros(0, dtype=np.uint64)
        self._needed = np.zeros(0, dtype=np.uint64)
        self._rounds = np.zeros(0, dtype=np.int64)
        self._clocks = np.zeros(0, dtype=np.float64)

    def slot(self, number: int) -> int:
        """The row of a recipient, made when first used."""
        if number not in self._slots:
            self._slots[number] = len(self._slots)
            self._reserve()
        return self._slots[number]

    def rows(self, group: Group) -> Rows:
        """The rows of a group, as a slice when they follow one another."""
        if id(group) not in self._rows:
            for number in group.numbers.tolist():
                self._slots.setdefault(number, len(self._slots))
            self._reserve()
            slots = np.array([self._slots[number] for number in group.numbers.tolist()], dtype=np.intp)
            straight = bool(np.all(np.diff(slots) == 1))
            self._rows[id(group)] = slice(int(slots[0]), int(slots[-1]) + 1) if straight else slots
        return self._rows[id(group)]

    def count(self, slot: int) -> int:
        """How many messages the row at `slot` holds."""
        return int(self._tokens[slot] & COUNT_MASK)

    def tokens(self, slot: int) -> int:
        """The sum of the tokens of those who sent to the row."""
        return int(self._tokens[slot])

    def latest(self, slot: int) -> tuple[int, float]:
        """The latest round and arrival among the row's messages."""
        return int(self._rounds[slot]), float(self._clocks[slot])

    def arrive(self, sender: Actor, to: Group, line: Line, arrival: float) -> list[Actor]:
        """Note that a message has come for each of a group; returns the parties that waited for no more than this."""
        rows = self.rows(to)
        own = self._slots[sender.number] if line.local else None
        before = None if own is None else (self._rounds[own], self._clocks[own])
        self._tokens[rows] += self._roster.tokens[sender.number]
        self._rounds[rows] = np.maximum(self._rounds[rows], line.lot.round)
        self._clocks[rows] = np.maximum(self._clocks[rows], arrival)
        if own is not None and before is not None:  # what a party keeps is no message: it takes no time and no round
            self._rounds[own], self._clocks[own] = before
        if self.log:
            _, first_to, first = self.log[0]
            self.uniform = self.uniform and first_to is to and first.lot is line.lot
        if line.local:
            self.local.add(sender.number)
        self.log.append((sender.number, to, line))
        return self._complete(rows) if self.waiting else []

    def expect(self, slot: int, count: int, actor: Actor) -> None:
        """Have `arrive` return this party once its row holds `count` messages."""
        self._needed[slot] = count
        self.waiting[slot] = actor

    def senders(self, number: int) -> list[int]:
        """Who sent to a recipient, in order of sending."""
        return [sender for sender, to, _ in self.log if to.position(number) is not None]

    def _complete(self, rows: Rows) -> list[Actor]:
        reached = np.flatnonzero((self._tokens[rows] & COUNT_MASK) == self._needed[rows])
        slots = reached + rows.start if isinstance(rows, slice) else rows[reached]
        return [self.waiting.pop(slot) for slot in slots.tolist() if slot in self.waiting]

    def _reserve(self) -> None:
        missing = len(self._slots) - len(self._tokens)
        if missing > 0:
            grown = max(missing, len(self._tokens))
            for name in ("_tokens", "_needed", "_rounds", "_clocks"):
                array = getattr(self, name)
                setattr(self, name, np.concatenate([array, np.zeros(grown, dtype=array.dtype)]))
        if self.total is not None:
            self.total.reserve(len(self._slots))


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
            first = self._roster.names[sum_.log[0][0]]
            raise refuse(
                actor, self.tag,
                f"sends a row of shape {shape} over F_{field.modulus} into a sum that {first} began "
                f"with shape {sum_.shape} over F_{sum_.field.modulus if sum_.field else 0}",
            )  # fmt: skip

    def fold(self, actor: Actor, block: FieldArray, parts: Sequence[Part], totals: dict[int, Total] | None = None) -> None:
        """Add a sender's block, into the sums' own totals or into those given by identity of the sum."""
        for part in parts:
            rows = block[part.start : part.stop] if len(parts) > 1 else block
            total = part.sum.total if totals is None else self._own(totals, part.sum)
            assert total is not None
            where = part.sum.rows(part.to)
            total.reserve(where.stop if isinstance(where, slice) else int(where.max()) + 1)
            total.add(where, rows)
            if self._recorder.observed:
                self._record(actor, part, rows)

    def evaluate(self, threads: int, progress: Callable[[int], None]) -> list[Callable[[], None]]:
        """The pending blocks as jobs, each to be run in a thread of its own; `merge` is called when all are done."""
        pending, self.pending = self.pending, []
        shares: list[list[tuple[Actor, Deferred, list[Part]]]] = [[] for _ in range(threads)]
        for entry in pending:  # one party's blocks stay in one thread: they bill to one meter
            shares[entry[0].number % threads].append(entry)
        return [self._job(share, progress) for share in shares if share]

    def _job(self, share: list[tuple[Actor, Deferred, list[Part]]], progress: Callable[[int], None]) -> Any:
        totals: dict[int, Total] = {}

        def work() -> dict[int, Total]:
            for actor, deferred, parts in share:
                try:
                    block = deferred.evaluate()
                except Exception as error:
                    raise refuse(actor, self.tag, f"the deferred block failed: {error}") from error
                self.fold(actor, block, parts, totals)
                progress(int(np.prod(deferred.shape)))
            return totals

        return work

    def merge(self, totals: dict[int, Total]) -> None:
        """Add what a job has summed up."""
        for sum_ in self._sums.values():
            if id(sum_) in totals and sum_.total is not None:
                sum_.total.merge(totals[id(sum_)])

    def _own(self, totals: dict[int, Total], sum_: Sum) -> Total:
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
                lot = part.line.lot
                self._recorder.add(Message(lot.round, actor.number, number, self.tag, part.sum.key, rows[place]))
