"""All sums of a run: `Summing` receives blocks of rows, and returns the sums to recipients.

The head of `sums.py` explains how this works.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence

from simnet.coins.coins import Deferred, RowBlock
from simnet.errors import ScriptError
from simnet.kernel.actor import Actor, refuse, refuse_one_for_many
from simnet.kernel.deferred import Pending, Posting, evaluate, evaluate_in_threads, made
from simnet.kernel.reading import Reading
from simnet.kernel.sums import Batch, Sum, TotalTable
from simnet.kernel.turns import Turns
from simnet.kernel.waits import ForSum
from simnet.printable import count_of
from simnet.record.ledger import Ledger
from simnet.record.log import Log
from simnet.record.message import Key
from simnet.record.transcript import Recorder
from simnet.roster import Group, Roster
from simnet.values.field import Field, FieldArray
from simnet.values.typed import Typed
from simnet.values.wire import manifest_of

# The number of field elements from which on a block is worth a thread. For smaller blocks, threads
# lose more time by waiting for Python's interpreter than they gain.
WORTH_A_THREAD = 1 << 18

# After `heard`, the total may have messages of parties that were not heard, in any number.
SUMS_AFTER_HEARD = (
    "asks with gather_sums for a sum for which it has called `heard`: after `heard`, use "
    "gather_sum(..., senders=..., key=...)"
)

HEARD_TWICE = "calls `heard` twice for one sum: call gather_sum before the next `heard`"


class Summing:
    """The sums of all summed tags. The sums of a tag and key stand in the order in which recipients
    ask for them.
    """

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
        keeps_blocks: bool,
        log: Log,
    ) -> None:
        self._roster = roster
        self._actors = actors
        self._ledger = ledger
        self._recorder = recorder
        self._turns = turns
        self._reading = reading
        self._threads = threads
        self._progress = progress
        self._sums: dict[tuple[str, Key], list[Sum]] = {}  # by turn
        self._tables: dict[tuple[str, Field, tuple[int, ...]], TotalTable] = {}
        self._pending: dict[str, list[Pending]] = {}  # deferred blocks by tag
        self._log = log
        self._keeps_blocks = keeps_blocks  # whether blocks that are not deferred may be left out
        self._heard_tags: set[str] = set()
        self._postings: dict[int, list[Posting]] = {}  # the kept blocks by sender

    def put(
        self,
        actor: Actor,
        tag: str,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """Receive a block of rows from one sender. The rows go to one group of recipients or, with
        keys, to one group after another.

        Raises `ScriptError` unless there is one row for each recipient and the rows fit the sum
        that they go into, for plain numbers, and for a crowd as the sender; `BadInput` for a crowd
        as a recipient.
        """
        if isinstance(rows, Typed):
            raise refuse(
                actor,
                tag,
                "a summed tag carries field elements only, but got plain numbers: write "
                "constant(field, ...) around them",
            )
        refuse_one_for_many(actor, tag, self._roster)
        for number in self._roster.crowds:
            if any(group.position(number) is not None for group in to):
                self._actors[number].refuse_messages()
        _refuse_misshapen(actor, tag, to, rows, keys)
        posting = self._send(actor, tag, to, rows, keys)
        if isinstance(rows, Deferred):
            self._pending.setdefault(tag, []).append((posting, rows))
        else:
            if self._keeps_blocks:
                self._keep(posting, rows)
            posting.add(rows, posting.table.total, self._recorder)
            self._progress(math.prod(rows.shape))

    async def take(
        self, actor: Actor, tag: str, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """Wait for the messages of one sum, and return the sum."""
        sum_ = self._sum_to_read(actor, tag, key, count)
        if actor.number in sum_.heard:
            return await self._some(actor, sum_, senders)
        await self._wait_for(actor, sum_, senders, count)
        self._evaluate(tag)
        slot = self._receive(actor, sum_)
        assert sum_.table is not None
        actor.meter.bill("FA", (count - 1) * math.prod(sum_.table.shape))
        return sum_.table.total.row(slot).metered(actor.meter)

    async def heard(self, actor: Actor, tag: str, key: Key, senders: Group) -> list[int]:
        """Wait for the next message with this key of each sender that still sends one, and return
        who has sent. Raises `ScriptError` if this party has asked already who has sent into this
        sum.
        """
        number = actor.number
        sum_ = self._next_to_read(actor, tag, key)
        if number in sum_.heard:
            raise refuse(actor, tag, HEARD_TWICE)
        self._heard_tags.add(tag)
        wanted = set(senders.numbers.tolist())
        silent: frozenset[int] = frozenset()
        await self._turns.wait(actor)
        while not silent and (missing := wanted.difference(sum_.senders(number))):
            actor.wait = ForSum(tag, key, len(senders), senders, sum_, may_lack=True)
            sum_.expect(actor, sum_.count(number) + len(missing))
            await self._turns.wait(actor)
            actor.wait = None
            silent, actor.silent = actor.silent, frozenset()
        sum_.stop_expecting(number)
        heard = [sender for sender in senders.numbers.tolist() if sender not in silent]
        sum_.heard[number] = frozenset(heard)
        for batch in sum_.batches(number):
            self._advance(actor, batch, sum_.heard[number])
        return heard

    async def _some(self, actor: Actor, sum_: Sum, senders: Group | None) -> FieldArray:
        """Return the sum of the messages of `senders`, some of those that the recipient has heard.

        The messages of all other parties are taken out of the total.
        """
        number, tag = actor.number, sum_.tag
        heard = sum_.heard[number]
        wanted = frozenset(() if senders is None else senders.numbers.tolist())
        if senders is None or not wanted <= heard:
            others = [self._roster.names[sender] for sender in sorted(wanted - heard)[:3]]
            what = f"sums messages of {', '.join(others)}" if others else "names no senders"
            raise refuse(
                actor,
                tag,
                f"{what}: after `heard`, gather_sum needs senders=..., with parties that `heard` "
                "has returned",
            )
        sent = sum_.senders(number)
        twice = sorted(self._roster.names[one] for one, times in Counter(sent).items() if times > 1)
        if twice:
            raise refuse(
                actor,
                tag,
                f"has called `heard` for a sum into which {twice[0]} has sent twice: in such a sum "
                "each sender may send only one message",
            )
        self._evaluate(tag)
        batches = sum_.batches(number)
        slot = batches[0].slot(number)
        assert sum_.table is not None
        total = sum_.table.total.row(slot)
        for sender in sent:
            if sender not in wanted:
                total = total - self._left_out(actor, sum_, sender)
        for batch in batches:
            kept = number in batch.local and number in heard
            actor.receipts.read[batch.lot] += len(heard.intersection(batch.posts)) - kept
            actor.receipts.kept[batch.lot] += kept
        actor.meter.bill("FA", (len(wanted) - 1) * math.prod(sum_.table.shape))
        return total.metered(actor.meter)

    def _left_out(self, actor: Actor, sum_: Sum, sender: int) -> FieldArray:
        for posting in self._postings.get(sender, ()):
            row = posting.row_for(actor.number, sum_)
            if row is not None:
                return row.metered(None)
        raise refuse(
            actor,
            sum_.tag,
            f"leaves {self._roster.names[sender]} out of a sum whose rows were not kept: give the "
            "run fates of parties, or send deferred blocks (me.coins.deferred) and call `heard` "
            "before anybody asks for a sum of this tag and before a deadline passes",
        )

    def _keep(self, posting: Posting, rows: FieldArray) -> None:
        posting.kept = rows
        self._postings.setdefault(posting.sender.number, []).append(posting)

    async def take_each(
        self, actor: Actor, tag: str, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """Wait for the messages of several sums, one for each key, and return the sums.

        Raises `ScriptError` unless the rows of all sums have one field and one shape, and after
        `heard` for one of the sums.
        """
        sums = [
            self._sum_to_read(actor, tag, key, count)
            for key, count in zip(keys, counts, strict=True)
        ]
        if any(actor.number in sum_.heard for sum_ in sums):
            raise refuse(actor, tag, SUMS_AFTER_HEARD)
        for sum_, count in zip(sums, counts, strict=True):
            # there may be thousands of sums; we wait only for incomplete ones
            if sum_.count(actor.number) != count:
                await self._wait_for(actor, sum_, None, count)
        self._evaluate(tag)
        table = sums[0].table
        assert table is not None
        if any(sum_.table is not table for sum_ in sums):
            raise refuse(
                actor,
                tag,
                "asks gather_sums for sums of different shapes or fields: use gather_sum for each "
                "of them",
            )
        slots = [self._receive(actor, sum_) for sum_ in sums]
        actor.meter.bill("FA", (sum(counts) - len(counts)) * math.prod(table.shape))
        return table.total.rows(slots).metered(actor.meter)

    def refuse_late(self) -> None:
        """Raise `ScriptError` if a recipient was sent more messages than it asked for, unless it
        has called `heard` for the sum.
        """
        for sums in self._sums.values():
            for sum_ in sums:
                for number, count in sum_.asked.items():
                    if sum_.count(number) > count and number not in sum_.heard:
                        raise self._too_many(sum_, number, count)

    def evaluate_all(self) -> None:
        """Make the deferred blocks of all tags."""
        for tag in list(self._pending):
            self._evaluate(tag)

    def finish(self) -> None:
        """Evaluate the blocks that are still deferred: their work is part of the bill.

        Raises `ScriptError` as `refuse_late` does.
        """
        self.refuse_late()
        for pending in self._pending.values():
            evaluate(pending, self._recorder, self._progress)
        self._pending.clear()

    def _send(
        self,
        actor: Actor,
        tag: str,
        to: Sequence[Group],
        rows: FieldArray | Deferred,
        keys: Typed | None,
    ) -> Posting:
        number = actor.number
        field, shape = rows.field, rows.shape[1:]
        table = self._table(tag, field, shape)
        pieces = ((field.wire, shape),) if keys is None else ((keys.wire, ()), (field.wire, shape))
        line = self._ledger.line(number, tag, actor.depth + 1, manifest_of(*pieces))
        listed: Sequence[Key] = [None] if keys is None else keys.numbers().tolist()
        slots, sums, posts = [], [], []
        for group, key in zip(to, listed, strict=True):
            size = len(group.numbers)
            if not size:
                continue
            is_local = group.position(number) is not None
            self._ledger.bill(line, size, group.address, is_local)
            sum_ = self._sum_to_fill(actor, tag, key, group)
            if sum_.table is None:
                sum_.table = table
            elif sum_.table is not table:
                raise self._unlike(actor, sum_, table)
            post = self._log.send_all(line, group)
            posts.append(post)
            slots.append(sum_.add(number, group, line.lot, post, is_local))
            sums.append(sum_)
            for waiter in sum_.completed(group):
                self._turns.ready(waiter)
        send = self._recorder.begin_send()
        return Posting(actor, tag, to, listed, line.lot, table, slots, sums, self._log, posts, send)

    def _sum_to_fill(self, sender: Actor, tag: str, key: Key, to: Group) -> Sum:
        sums = self._sums.get((tag, key), ())
        for sum_ in sums:
            # the last send of a party that drops out may go to a part of its group only
            has_sent = sum_.reaches_from if sender.is_gone else sum_.has_from
            if not has_sent(sender.number, to):
                return sum_
        return self._new_sum(tag, key)

    def _next_to_read(self, actor: Actor, tag: str, key: Key) -> Sum:
        for sum_ in self._sums.get((tag, key), ()):
            if actor.number not in sum_.asked:
                return sum_
        return self._new_sum(tag, key)

    def _sum_to_read(self, actor: Actor, tag: str, key: Key, count: int) -> Sum:
        """Return the sum that this party asks for next, which must have `count` messages."""
        sum_ = self._next_to_read(actor, tag, key)
        sum_.asked[actor.number] = count
        return sum_

    def _new_sum(self, tag: str, key: Key) -> Sum:
        sums = self._sums.setdefault((tag, key), [])
        made = Sum(tag, key, self._roster, len(sums))
        sums.append(made)
        return made

    def _table(self, tag: str, field: Field, shape: tuple[int, ...]) -> TotalTable:
        found = self._tables.get((tag, field, shape))
        if found is None:
            found = TotalTable(self._reading, field, shape)
            self._tables[tag, field, shape] = found
        return found

    async def _wait_for(self, actor: Actor, sum_: Sum, senders: Group | None, count: int) -> None:
        number = actor.number
        if sum_.count(number) < count:
            actor.wait = ForSum(sum_.tag, sum_.key, count, senders, sum_)
            sum_.expect(actor, count)
        await self._turns.wait(actor)
        actor.wait = None
        is_complete = sum_.count(number) == count
        if senders is not None:
            is_complete &= sum_.fingerprint(number) == senders.fingerprint
        if not is_complete:
            raise self._other_senders(actor, sum_, senders, count)

    def _evaluate(self, tag: str) -> None:
        """Add the deferred blocks of a tag to their sums."""
        pending = self._pending.pop(tag, None)
        if not pending:
            return
        try:
            self._add_up(tag, pending)
        except Exception as error:
            # From now on totals lack rows, so the run ends even if the script catches the error.
            self._turns.turn.failure = error
            raise

    def _add_up(self, tag: str, pending: Sequence[Pending]) -> None:
        if (
            self._keeps_blocks or tag in self._heard_tags
        ):  # some rows may be left out of some sums: keep all
            for posting, block in pending:
                rows = made(posting, block)
                posting.add(rows, posting.table.total, self._recorder)
                self._keep(posting, rows)
                self._progress(block.size)
            return
        is_large = max(block.size for _, block in pending) >= WORTH_A_THREAD
        threads = self._threads or (os.cpu_count() or 1 if is_large else 1)
        if threads == 1 or len({posting.sender for posting, _ in pending}) == 1:
            evaluate(pending, self._recorder, self._progress)
        else:
            evaluate_in_threads(pending, self._recorder, self._progress, threads)

    def _receive(self, actor: Actor, sum_: Sum) -> int:
        """Note that the party has received the messages of its sum, and their round. Return the
        slot in which the table has the party's total.
        """
        number, receipts = actor.number, actor.receipts
        batches = sum_.batches(number)
        for batch in batches:
            kept = number in batch.local
            receipts.read[batch.lot] += len(batch.posts) - kept
            receipts.kept[batch.lot] += kept
            if batch.has_other_than(number):
                actor.depth = max(actor.depth, batch.lot.round)
                self._log.take_all(number, batch.posts)
        return batches[0].slot(number)

    def _advance(self, actor: Actor, batch: Batch, heard: frozenset[int]) -> None:
        for sender, post in batch.posts.items():
            if sender in heard and sender != actor.number:
                actor.depth = max(actor.depth, batch.lot.round)
                self._log.take(actor.number, post)

    def _too_many(self, sum_: Sum, number: int, count: int) -> ScriptError:
        sent = sum_.senders(number)
        names = ", ".join(self._roster.names[sender] for sender in sent[:5])
        key = "" if sum_.key is None else f" with key {sum_.key}"
        more = "" if len(sent) <= 5 else " and others"
        wrong = (
            f"sums {count_of(count, 'message')}{key}, but {len(sent)} were sent to it, by "
            f"{names}{more}"
        )
        rule = "a sum contains everything that is sent into it, whoever sends it"
        return refuse(self._actors[number], sum_.tag, f"{wrong}: {rule}")

    def _unlike(self, actor: Actor, sum_: Sum, table: TotalTable) -> ScriptError:
        begun = sum_.table
        assert begun is not None
        first = self._roster.names[sum_.first_sender()]
        return refuse(
            actor,
            sum_.tag,
            f"sends a row of shape {table.shape} over F_{table.field.modulus} into a sum that "
            f"{first} began with shape {begun.shape} over F_{begun.field.modulus}",
        )

    def _other_senders(
        self, actor: Actor, sum_: Sum, senders: Group | None, count: int
    ) -> ScriptError:
        sent = sum_.senders(actor.number)
        if senders is None:
            key = "" if sum_.key is None else f" with key {sum_.key}"
            wrong = f"sums {count_of(count, 'message')}{key}, but {len(sent)} were sent"
            return refuse(actor, sum_.tag, wrong)
        names, asked = self._roster.names, set(senders.numbers.tolist())
        twice = sorted({names[sender] for sender in sent if sent.count(sender) > 1})
        others = sorted({names[sender] for sender in sent if sender not in asked})
        wrong = (
            f"{', '.join(twice[:3])} sent twice" if twice else f"{', '.join(others[:3])} also sent"
        )
        return refuse(actor, sum_.tag, f"sums what the senders that it names send, but {wrong}")


def _refuse_misshapen(
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
            f"sends rows of shape {rows.shape} to {count_of(recipients, 'recipient')}: each "
            "recipient needs exactly one row",
        )
    if keys is not None and keys.shape != (len(to),):
        raise refuse(
            actor,
            tag,
            f"each group of recipients needs one key: got {count_of(len(to), 'group')}, and keys "
            f"of shape {keys.shape}",
        )
