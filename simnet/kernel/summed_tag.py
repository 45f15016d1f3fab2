"""All sums of one tag: which one a message goes into, and the blocks that still have to be
evaluated.
"""

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from simnet.coins.coins import Deferred
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.reading import Reading, Total
from simnet.kernel.sums import Pool, Sum
from simnet.record.ledger import Lot
from simnet.record.message import Block, Key
from simnet.record.transcript import Recorder
from simnet.roster import Group, Roster
from simnet.values.field import Field, FieldArray
from simnet.values.totals import Slots


@attrs.define(
    eq=False
)  # not frozen, like what else is made for every block: a frozen one takes longer
class Entry:
    """A sender's block on its way into one sum after another, `rows[k]` being the totals of the
    k-th.
    """

    sender: Actor
    block: FieldArray | Deferred
    pool: Pool
    rows: list[Slots]
    to: Sequence[Group]
    keys: Sequence[Key]
    lot: Lot


Totals = dict[int, tuple[Pool, Total]]  # by identity of the pool
Job = Callable[[], Totals]


class SummedTag:
    """All sums of one tag, and the blocks that still have to be evaluated for them."""

    def __init__(self, tag: str, roster: Roster, reading: Reading, recorder: Recorder) -> None:
        self.tag = tag
        self.pending: list[Entry] = []
        self._roster = roster
        self._reading = reading
        self._recorder = recorder
        self._sums: dict[tuple[Key, int], Sum] = {}
        self._pools: dict[tuple[Field, tuple[int, ...]], Pool] = {}

    def sending(self, sender: int, key: Key, to: Group) -> Sum:
        """The sum that this party's next message to this group goes into."""
        epoch = 0
        while (sum_ := self._sum(key, epoch)).has_from(sender, to):
            epoch += 1
        return sum_

    def asking(self, number: int, key: Key, count: int) -> Sum:
        """The sum that this party asks for next, of so many messages."""
        epoch = 0
        while number in (sum_ := self._sum(key, epoch)).asked:
            epoch += 1
        sum_.asked[number] = count
        return sum_

    def refuse_late(self, actors: Sequence[Actor]) -> None:
        """Raise `ScriptError` when a recipient got messages besides those that it summed, whatever
        came first.
        """
        for sum_ in self._sums.values():
            for number, count in sum_.asked.items():
                sent = sum_.count(number)
                if sent > count:
                    names = ", ".join(
                        [self._roster.names[sender] for sender in sum_.senders(number)[:5]]
                    )
                    key = "" if sum_.key is None else f" with key {sum_.key}"
                    wrong = f"sums {count} messages{key}, but {sent} were sent to it, by {names}"
                    rule = "a sum takes in whatever is sent to it, one message from each sender"
                    raise refuse(actors[number], self.tag, f"{wrong}: {rule}")

    def pool(self, field: Field, shape: tuple[int, ...]) -> Pool:
        """The pool for rows of this shape."""
        found = self._pools.get((field, shape))
        if found is None:
            found = self._pools[field, shape] = Pool(self._reading, field, shape)
        return found

    def refuse_unlike(self, actor: Actor, sum_: Sum, pool: Pool) -> None:
        """Raise `ScriptError` for a row that does not fit what the sum began with."""
        began = sum_.pool
        assert began is not None
        first = self._roster.names[sum_._senders[0]]
        raise refuse(
            actor,
            self.tag,
            f"sends a row of shape {pool.shape} over F_{pool.field.modulus} into a sum that "
            f"{first} began "
            f"with shape {began.shape} over F_{began.field.modulus}",
        )

    def fold(self, entry: Entry, block: FieldArray, total: Total) -> None:
        """Add a sender's block to a total of its pool."""
        total.add(entry.rows, block)
        if self._recorder.observed:
            self._record(entry, block)

    def evaluate(self, threads: int, progress: Callable[[int], None]) -> list[Job]:
        """The pending blocks as jobs, each to be run in a thread of its own; `merge` is called when
        all are done.
        """
        pending, self.pending = self.pending, []
        shares: list[list[Entry]] = [[] for _ in range(threads)]
        for entry in pending:  # one party's blocks stay in one thread: they bill to one meter
            shares[entry.sender.number % threads].append(entry)
        return [self._job(share, progress) for share in shares if share]

    def merge(self, totals: Totals) -> None:
        """Add what a job has summed up."""
        for pool, total in totals.values():
            pool.total.merge(total)

    def _job(self, share: list[Entry], progress: Callable[[int], None]) -> Job:
        totals: Totals = {}

        def work() -> Totals:
            for entry in share:
                deferred, pool = entry.block, entry.pool
                assert isinstance(deferred, Deferred)
                try:
                    block = deferred.evaluate()
                except Exception as error:
                    raise refuse(
                        entry.sender, self.tag, f"the deferred block failed: {error}"
                    ) from error
                if id(pool) not in totals:
                    totals[id(pool)] = pool, pool.apart()
                self.fold(entry, block, totals[id(pool)][1])
                progress(deferred.size)
            return totals

        return work

    def _sum(self, key: Key, epoch: int) -> Sum:
        found = self._sums.get((key, epoch))
        if found is None:
            found = self._sums[key, epoch] = Sum(self.tag, key, self._roster)
        return found

    def _record(self, entry: Entry, block: FieldArray) -> None:
        """Keep the rows to observed parties, or all of them when the sender is observed."""
        sender = entry.sender
        recipients = np.concatenate([group.numbers for group in entry.to])
        sizes = [len(group) for group in entry.to]
        keys = [key for key, size in zip(entry.keys, sizes, strict=True) for _ in range(size)]
        if not sender.observed:
            seen = np.flatnonzero(self._recorder.mask[recipients])
            recipients, keys, block = (
                recipients[seen],
                [keys[place] for place in seen.tolist()],
                block[seen],
            )
        if not keys:
            return
        wire = None if keys[0] is None else entry.lot.manifest.pieces[0][0]
        self._recorder.add_block(
            Block(entry.lot.round, sender.number, recipients.tolist(), self.tag, keys, block, wire)
        )
