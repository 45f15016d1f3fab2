"""Deferred blocks: sent at once, and evaluated later.

A sender may scatter a `Deferred` block, which says how rows are made from the coins of the block,
instead of the rows themselves. So blocks of many senders can be made in several threads. A thread
can add a block to its totals and forget it before it makes the next block. (A block of which some
row may have to be taken out of a sum again is kept: see `sums.py`.)

If there are several threads, each adds its blocks to totals of its own. The totals are merged when
all threads are done. Addition mod q does not depend on the order, so the sums are the same for any
number of threads. All blocks of one sender go to one thread, in order, because they bill to one
meter.
"""

import itertools
import threading
from collections.abc import Callable, Sequence

import attrs

from simnet.coins.coins import Deferred
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.blame import place_of, text_of
from simnet.kernel.reading import Total
from simnet.kernel.sums import TotalTable
from simnet.record.ledger import Lot
from simnet.record.log import Log
from simnet.record.message import Block, Key
from simnet.record.transcript import Recorder
from simnet.roster import Group
from simnet.values.field import FieldArray
from simnet.values.totals import Slots

Progress = Callable[[int], None]


class Interrupted(Exception):  # raised in a worker thread alone, never seen outside
    """The run was stopped, or another thread has failed, while this thread was computing."""


@attrs.define(eq=False)  # not frozen: one is made for every block, and a frozen one takes longer
class Posting:
    """The destination of a sender's block. `to` has the groups of recipients; the rows for the k-th
    group that has members go to `slots[k]` of the table, for the sum `sums[k]`.
    """

    sender: Actor
    tag: str
    to: Sequence[Group]
    keys: Sequence[Key]
    lot: Lot
    table: TotalTable
    slots: Sequence[Slots]
    sums: Sequence[object]  # the sums that `slots` belong to
    log: Log
    posts: Sequence[int]  # the numbers of the posts in the log
    send: int  # the number of the send, for the transcript
    kept: FieldArray | None = None  # the block, if a recipient may leave it out of its sum

    def row_for(self, number: int, sum_: object) -> FieldArray | None:
        """Return the row of the kept block that went into this sum of the recipient with this
        number, or None if no row did.
        """
        assert self.kept is not None
        first = 0
        groups = [group for group in self.to if len(group)]
        for group, own in zip(groups, self.sums, strict=True):
            place = group.position(number)
            if own is sum_ and place is not None:
                row: FieldArray = self.kept[first + place]
                return row
            first += len(group)
        return None

    def add(self, block: FieldArray, total: Total, recorder: Recorder) -> None:
        """Add the block to a total, and record the rows that belong in the transcript."""
        total.add(self.slots, block)
        if recorder.observed and recorder.keeps_sums:
            self._record(block, recorder)

    def _record(self, block: FieldArray, recorder: Recorder) -> None:
        recipients, keys, seen = recorder.addressed(self.to, self.keys, self.sender.observed)
        if not keys:
            return
        if seen is not None:
            block = block[seen]
        wire = None if keys[0] is None else self.lot.manifest.pieces[0][0]
        number = self.sender.number
        recorder.add_block(
            Block(self.lot.round, number, recipients, self.tag, keys, block, wire), self.send
        )


Pending = tuple[Posting, Deferred]
Partial = tuple[TotalTable, Total]  # a table, and the totals of one thread for the table's slots


def evaluate(pending: Sequence[Pending], recorder: Recorder, progress: Progress) -> None:
    """Make the blocks and add them to the totals, one after another."""
    for posting, block in pending:
        posting.add(made(posting, block), posting.table.total, recorder)
        progress(block.size)


def evaluate_in_threads(
    pending: Sequence[Pending], recorder: Recorder, progress: Progress, threads: int
) -> None:
    """Make the blocks in at most `threads` threads, and add them to the totals when all threads
    are done.
    """
    stop, lock = threading.Event(), threading.Lock()
    partials: list[list[Partial]] = []
    failures: list[BaseException] = []

    def tick(elements: int) -> None:
        if stop.is_set():
            raise Interrupted
        with lock:
            progress(elements)

    def work(share: Sequence[Pending]) -> None:
        try:
            partials.append(_add_up(share, recorder, tick))
        except BaseException as error:  # the error is raised below, in the thread of the run
            stop.set()
            failures.append(error)

    # Daemon threads: after an interrupt the process need not wait for the blocks in progress.
    workers = [
        threading.Thread(target=work, args=(share,), daemon=True)
        for share in _shares(pending, threads)
    ]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        stop.set()
    failure = next((error for error in failures if not isinstance(error, Interrupted)), None)
    if failure is not None:
        raise failure
    for table, total in itertools.chain.from_iterable(partials):
        table.total.merge(total)


def _shares(pending: Sequence[Pending], threads: int) -> list[list[Pending]]:
    shares: list[list[Pending]] = [[] for _ in range(threads)]
    for posting, block in pending:
        shares[posting.sender.number % threads].append((posting, block))
    return [share for share in shares if share]


def _add_up(pending: Sequence[Pending], recorder: Recorder, progress: Progress) -> list[Partial]:
    partials: dict[int, Partial] = {}  # this thread's totals, by the identity of their table
    for posting, block in pending:
        rows = made(posting, block)
        table = posting.table
        if id(table) not in partials:
            partials[id(table)] = table, table.empty_total()
        posting.add(rows, partials[id(table)][1], recorder)
        progress(block.size)
    return list(partials.values())


def made(posting: Posting, block: Deferred) -> FieldArray:
    """Return the rows of a deferred block. Raises `ScriptError`, which names the sender, if the
    block fails.
    """
    number = posting.sender.number
    posting.log.begin_deferred(number)
    try:
        rows = block.evaluate()
    except Exception as error:
        what = f"the deferred block failed: {text_of(error)}{place_of(error)}"
        raise refuse(posting.sender, posting.tag, what) from error
    if posting.posts:
        posting.log.note_deferred(posting.posts[0], number)
    return rows
