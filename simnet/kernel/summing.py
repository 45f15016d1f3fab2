"""The desk for summed tags: takes blocks in, has deferred ones evaluated, hands sums out."""

import math
import os
import threading
from collections.abc import Callable, Sequence

import trio

from simnet.coins.coins import Block, Deferred
from simnet.kernel.actor import Actor, refuse, refuse_one_for_many, set_wait
from simnet.kernel.reading import Reading
from simnet.kernel.summed_tag import Entry, Job, SummedTag, Totals
from simnet.kernel.sums import Sum
from simnet.kernel.turns import Turns
from simnet.kernel.waits import ForSum
from simnet.record.ledger import Ledger
from simnet.record.message import Key
from simnet.record.transcript import Recorder
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.totals import Slots
from simnet.values.typed import Typed
from simnet.values.wire import manifest_of

# Field elements in a block. Below, threads lose more in handing the interpreter over than they
# gain.
WORTH_A_THREAD = 1 << 18


class Interrupted(Exception):  # raised in a worker thread alone, never seen outside
    """The run was given up while a thread still computed."""


class Summing:
    """All summed tags of a run."""

    def __init__(
        self,
        roster: Roster,
        actors: Sequence[Actor],
        ledger: Ledger,
        recorder: Recorder,
        turns: Turns,
        reading: Reading,
        threads: int | None,
        progress: Callable[[int], None],
    ) -> None:
        self._roster = roster
        self._actors = actors
        self._ledger = ledger
        self._recorder = recorder
        self._turns = turns
        self._reading = reading
        self._threads = threads
        self._progress = progress
        self._tags: dict[str, SummedTag] = {}

    def put(
        self,
        actor: Actor,
        tag: str,
        to: Sequence[Group],
        rows: Block | Deferred,
        keys: Typed | None,
    ) -> None:
        """Take in one sender's block: rows for one group, or for one group after another when there
        are keys.

        Raises `ScriptError` when the rows are not as many as the recipients, or do not fit the sum
        they go into.
        """
        if isinstance(rows, Typed):
            raise refuse(actor, tag, "a summed tag carries field elements, and got plain numbers")
        refuse_one_for_many(actor, tag, self._roster)
        for number in self._roster.crowds:
            if any(group.position(number) is not None for group in to):
                self._actors[number].refuse_messages()
        self._check(actor, tag, to, rows, keys)
        entry = self._enter(actor, tag, to, rows, keys)
        desk = self._tags[tag]
        if isinstance(rows, Deferred):
            desk.pending.append(entry)
        else:
            desk.fold(entry, rows, entry.pool.total)
            self._progress(math.prod(rows.shape))

    async def take(
        self, actor: Actor, tag: str, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """The sum of the messages that `actor` asks for, waited for."""
        desk = self._tag(tag)
        sum_ = desk.asking(actor.number, key, count)
        await self._await(actor, sum_, senders, count)
        if desk.pending:
            await self._evaluate(desk)
        self._receive(actor, sum_)
        assert sum_.pool is not None
        actor.meter.bill("FA", (count - 1) * math.prod(sum_.pool.shape))
        return sum_.pool.total.row(sum_.slot(actor.number)).metered(actor.meter)

    async def take_each(
        self, actor: Actor, tag: str, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """The sums that `actor` asks for, one for each key, all waited for; they must have one
        field and shape.
        """
        desk = self._tag(tag)
        sums = [
            desk.asking(actor.number, key, count) for key, count in zip(keys, counts, strict=True)
        ]
        number = actor.number
        for sum_, count in zip(sums, counts, strict=True):
            if sum_.count(number) != count:
                await self._await(actor, sum_, None, count)
        if desk.pending:
            await self._evaluate(desk)
        pool = sums[0].pool
        assert pool is not None
        slots = []
        for sum_ in sums:
            if sum_.pool is not pool:
                raise refuse(
                    actor, tag, "asks at once for sums of rows of different shapes or fields"
                )
            self._receive(actor, sum_)
            slots.append(sum_.slot(number))
        actor.meter.bill("FA", (sum(counts) - len(counts)) * math.prod(pool.shape))
        return pool.total.rows(slots).metered(actor.meter)

    def refuse_late(self) -> None:
        """Raise `ScriptError` for a sum that does not hold all that was sent into it."""
        for desk in self._tags.values():
            desk.refuse_late(self._actors)

    def finish(self) -> None:
        """Evaluate what nobody asked for: it was sent, and its work is part of the bill."""
        self.refuse_late()
        for desk in self._tags.values():
            for job in desk.evaluate(1, self._progress):
                desk.merge(job())

    def _tag(self, tag: str) -> SummedTag:
        if tag not in self._tags:
            self._tags[tag] = SummedTag(tag, self._roster, self._reading, self._recorder)
        return self._tags[tag]

    def _check(
        self,
        actor: Actor,
        tag: str,
        to: Sequence[Group],
        rows: FieldArray | Deferred,
        keys: Typed | None,
    ) -> None:
        recipients = sum([len(group.numbers) for group in to])
        if rows.shape[:1] != (recipients,):
            raise refuse(
                actor,
                tag,
                (
                    f"a block of shape {rows.shape} for {recipients} recipients: one row each "
                    f"is needed"
                ),
            )
        if keys is not None and keys.shape != (len(to),):
            raise refuse(
                actor,
                tag,
                f"{len(to)} groups of recipients need as many keys, got shape {keys.shape}",
            )

    def _enter(
        self,
        actor: Actor,
        tag: str,
        to: Sequence[Group],
        rows: FieldArray | Deferred,
        keys: Typed | None,
    ) -> Entry:
        """Bill a block and note its messages with the sums that they go into."""
        desk = self._tag(tag)
        number = actor.number
        field, shape = rows.field, rows.shape[1:]
        pool = desk.pool(field, shape)
        pieces = ((field.wire, shape),) if keys is None else ((keys.wire, ()), (field.wire, shape))
        line = self._ledger.line(number, tag, actor.depth + 1, manifest_of(*pieces))
        lot, time = line.lot, actor.clock + line.delay
        named: Sequence[Key] = [None] if keys is None else keys.numbers().tolist()
        places: list[Slots] = []
        for group, key in zip(to, named, strict=True):
            size = len(group.numbers)
            if not size:
                continue
            local = group.position(number) is not None
            line.sent += size
            line.address += group.address
            line.local += local
            sum_ = desk.sending(number, key, group)
            if sum_.pool is not pool:
                if sum_.pool is not None:
                    desk.refuse_unlike(actor, sum_, pool)
                sum_.begin(pool, group, lot)
            for ready in sum_.arrive(number, group, lot, time, local):
                self._turns.ready(ready)
            places.append(sum_.rows(group))
        return Entry(actor, rows, pool, places, to, named, lot)

    async def _await(self, actor: Actor, sum_: Sum, senders: Group | None, count: int) -> None:
        """Wait until all messages have come, and never go on with others than those asked for."""
        if sum_.count(actor.number) < count:
            set_wait(actor, ForSum(sum_.tag, sum_.key, count, senders, sum_))
            sum_.expect(actor, count)
            await self._turns.wait()
            actor.wait = None
        self._check_senders(actor, sum_, senders, count)

    def _check_senders(self, actor: Actor, sum_: Sum, senders: Group | None, count: int) -> None:
        """Never hand out a sum of other messages than those asked for."""
        number = actor.number
        if sum_.count(number) == count and (
            senders is None or sum_.fingerprint(number) == senders.fingerprint
        ):
            return
        sent = sum_.senders(actor.number)
        names = self._roster.names
        if senders is None:
            raise refuse(
                actor,
                sum_.tag,
                f"sums {count} messages with key {sum_.key}, but {len(sent)} were sent",
            )
        asked = senders.numbers.tolist()
        twice = sorted({names[sender] for sender in sent if sent.count(sender) > 1})
        others = sorted({names[sender] for sender in sent if sender not in set(asked)})
        wrong = (
            f"{', '.join(twice[:3])} sent twice" if twice else f"{', '.join(others[:3])} also sent"
        )
        raise refuse(actor, sum_.tag, f"sums what {len(asked)} named senders send, but {wrong}")

    async def _evaluate(self, desk: SummedTag) -> None:
        """Evaluate what is pending, in threads when it is much; the turn stays with the caller
        meanwhile.
        """
        threads = self._threads or (os.cpu_count() or 1 if _is_large(desk) else 1)
        stop = threading.Event()
        jobs = desk.evaluate(threads, _Tally(self._progress, stop).add)
        for totals in [jobs[0]()] if len(jobs) == 1 else await _in_threads(jobs, stop):
            desk.merge(totals)

    def _receive(self, actor: Actor, sum_: Sum) -> None:
        """Note the receipts, and the round and time of the last of them."""
        round_, arrival = sum_.latest(actor.number)
        if round_ > actor.depth:
            actor.depth = round_
        if arrival > actor.clock:
            actor.clock = arrival
        receipts = actor.receipts
        if sum_.mixture is None:
            assert sum_.lot is not None
            own = actor.number in sum_.local
            receipts.read[sum_.lot] += sum_.count(actor.number) - own
            receipts.kept[sum_.lot] += own
            return
        for sender, to, lot in sum_.mixture.log:
            if to.position(actor.number) is not None:
                (receipts.kept if sender == actor.number else receipts.read)[lot] += 1


def _is_large(desk: SummedTag) -> bool:
    return max(math.prod(entry.block.shape) for entry in desk.pending) >= WORTH_A_THREAD


class _Tally:
    """Passes progress on from several threads, and stops them when the run is given up."""

    def __init__(self, progress: Callable[[int], None], stop: threading.Event) -> None:
        self._progress = progress
        self._stop = stop
        self._lock = threading.Lock()

    def add(self, elements: int) -> None:
        if self._stop.is_set():
            raise Interrupted
        with self._lock:
            self._progress(elements)


async def _in_threads(jobs: Sequence[Job], stop: threading.Event) -> list[Totals]:
    """Run the jobs side by side and wait for all; a cancelled run leaves no thread computing for
    long.
    """
    results: dict[int, Totals] = {}
    failures: list[Exception] = []

    async def one(place: int) -> None:
        try:
            results[place] = await trio.to_thread.run_sync(jobs[place], abandon_on_cancel=True)
        except Exception as error:
            stop.set()
            failures.append(error)

    try:
        async with trio.open_nursery() as nursery:
            for place in range(len(jobs)):
                nursery.start_soon(one, place)
    finally:
        stop.set()
    for failure in failures:
        if not isinstance(failure, Interrupted):
            raise failure
    return [results[place] for place in range(len(jobs))]
