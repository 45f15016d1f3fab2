"""Running totals of forms, to which a symbolic reading adds summed messages.

To add forms, sorted terms must be merged, which is cheaper for many blocks together. So blocks are
only collected, and all collected blocks are added up when a party asks for a sum. The results are
*chunks*. If there are many chunks, they are added up too.

Mixtures (`simnet.linear.mixtures`) that share one array of weights, for the same slots, mostly
become a chunk of their own, which is a mixture again: only their bases are added.
"""

import itertools
from collections.abc import Sequence
from math import gcd, prod

import attrs
import numpy as np

from simnet.arrays import Indices, Ints
from simnet.linear.forms import FormReading, Forms
from simnet.linear.mixtures import Mixture, TermRows, added, refined, written_out
from simnet.linear.terms import (
    PORTION,
    Terms,
    accumulate,
    between,
    blank,
    join,
    no_rows,
    refine,
    take,
)
from simnet.values.field import Field
from simnet.values.totals import Label, ResidueTotal, Slots

MOST_CHUNKS = 16  # if there are more chunks than this, they are added up


@attrs.frozen(eq=False)
class _Block:
    """Rows for some slots: equally many rows of terms for each slot, in the order of `slots`."""

    slots: Ints
    rows: TermRows

    def is_alike(self, other: "_Block") -> bool:
        """Whether both blocks are mixtures that share one array of weights, for the same slots."""
        return (
            isinstance(self.rows, Mixture)
            and isinstance(other.rows, Mixture)
            and self.rows.weights is other.rows.weights
            and self.rows.each * self.rows.lanes == other.rows.each * other.rows.lanes
            and np.array_equal(self.slots, other.slots)
        )


class _Chunk:
    """The sum of some blocks; `block` has at most one group of rows for each slot."""

    def __init__(self, block: _Block) -> None:
        self.block = block
        count = int(block.slots.max(initial=-1)) + 1
        # The place of each slot in the block; -1 for slots without rows.
        self._places = np.full(count, -1, dtype=np.int64)
        self._places[block.slots] = np.arange(len(block.slots))

    def of(self, slots: Ints) -> "tuple[Ints, TermRows] | None":
        """Return which of the given slots have rows in this chunk, by their places, and these rows.
        Return None if there are no such rows, or if these rows are written out and have no terms.
        """
        is_low = np.flatnonzero(slots < len(self._places))
        inside = is_low[self._places[slots[is_low]] >= 0]
        if not inside.size:
            return None
        places = self._places[slots[inside]]
        rows = self.block.rows
        if isinstance(rows, Mixture):
            several = rows.count // len(self.block.slots)  # combinations in the row of one slot
            parts = places[:, np.newaxis] * several + np.arange(several)
            return inside, rows.take(parts.reshape(-1))
        rows = written_out(rows)
        each = rows.rows // len(self.block.slots)
        if len(slots) == 1:  # every party of a large run asks for its sum: copy nothing
            first = int(places[0]) * each
            chosen = between(rows, first, first + each)
            return (inside, chosen) if chosen.unknowns.size else None
        chosen = take(rows, (places[:, np.newaxis] * each + np.arange(each)).reshape(-1))
        return (inside, chosen) if chosen.starts[-1] else None


class FormTotal:
    """Running sums of forms, one for each slot, with the interface of `ResidueTotal`."""

    def __init__(self, field: Field, row_shape: tuple[int, ...], reading: FormReading) -> None:
        self._sampled = ResidueTotal(field, row_shape)
        self._field = field
        self._size = prod(row_shape)
        self._reading = reading
        self._pending: list[_Block] = []
        self._chunks: list[_Chunk] = []

    def reserve(self, slots: int) -> None:
        """Make room for the sums of at least `slots` slots."""
        self._sampled.reserve(slots)

    def name(self, slots: Slots, recipients: Indices, label: Label) -> None:
        """Do nothing: forms are added up without looking at recipients."""

    def add(self, pieces: Sequence[Slots], block: Forms) -> None:
        """Add a block. `pieces` lists slots: the k-th row of the block is added to the k-th
        slot.
        """
        self._sampled.add(pieces, block.sampled)
        slots = [
            np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows for rows in pieces
        ]
        into = np.concatenate(slots)
        rows = refined(block.rows, gcd(block.rows.lanes, self._size))
        if isinstance(rows, Mixture) and rows.count % max(len(into), 1):
            rows = rows.terms  # the row of a slot is a part of a combination
        self._pending.append(_Block(into, rows))

    def merge(self, other: "FormTotal") -> None:
        """Add the sums of another total, slot by slot."""
        self._sampled.merge(other._sampled)
        self._pending += other._pending + other._blocks()

    def row(self, slot: int) -> Forms:
        """Return the sum at one slot."""
        return Forms(self._sampled.row(slot), self._rows(np.array([slot])), self._reading)

    def rows(self, slots: Sequence[int]) -> Forms:
        """Return the sums at several slots; shape (slots, ...)."""
        return Forms(
            self._sampled.rows(slots), self._rows(np.asarray(slots, dtype=np.int64)), self._reading
        )

    def _rows(self, slots: Ints) -> TermRows:
        if self._pending:
            self._chunks += map(_Chunk, self._added(self._pending))
            self._pending = []
        if len(self._chunks) > MOST_CHUNKS:
            self._chunks = list(map(_Chunk, self._added(self._blocks())))
        if len(self._chunks) > MOST_CHUNKS:
            self._chunks = [_Chunk(self._sum(self._blocks()))]
        found = [rows for chunk in self._chunks if (rows := chunk.of(slots)) is not None]
        if not found or not self._size:
            return blank(len(slots) * self._size)
        if len(found) == 1 and len(found[0][0]) == len(slots):
            return found[0][1]
        blocks = [_Block(inside, rows) for inside, rows in found]
        return self._sum(blocks, len(slots)).rows

    def _blocks(self) -> list[_Block]:
        return [chunk.block for chunk in self._chunks]

    def _added(self, blocks: Sequence[_Block]) -> list[_Block]:
        """Add up the blocks in groups: one sum for each group of mixtures that are alike, and one
        sum for all other blocks.
        """
        alike: list[list[_Block]] = []
        others: list[_Block] = []
        for block in blocks:
            if not isinstance(block.rows, Mixture) or not _are_distinct(block.slots):
                others.append(block)
                continue
            group = next((group for group in alike if group[0].is_alike(block)), None)
            if group is None:
                alike.append([block])
            else:
                group.append(block)
        sums = [self._mixed(group) for group in alike]
        return [*sums, self._sum(others)] if others else sums

    def _mixed(self, blocks: Sequence[_Block]) -> _Block:
        mixtures = [block.rows for block in blocks if isinstance(block.rows, Mixture)]
        return _Block(blocks[0].slots, added(mixtures))

    def _sum(self, blocks: Sequence[_Block], slots: int | None = None) -> _Block:
        """Return the sum of several blocks, written out. The result has the first `slots` slots or,
        without `slots`, all slots up to the last slot that has rows.
        """
        fine = [written_out(block.rows) for block in blocks]
        lanes = gcd(self._size, *(terms.lanes for terms in fine))
        fine = [refine(terms, lanes) for terms in fine]
        each = self._size // lanes
        last = max((int(block.slots.max(initial=-1)) for block in blocks), default=-1)
        count = last + 1 if slots is None else slots
        # We add up a few slots at a time, because adding up takes several times the memory of the
        # terms.
        parts = [
            self._portion(blocks, fine, begin, end)
            for begin, end in itertools.pairwise(_portions(blocks, fine, each, count))
        ]
        return _Block(np.arange(count), join(parts) if parts else no_rows(lanes))

    def _portion(
        self, blocks: Sequence[_Block], fine: Sequence[Terms], begin: int, end: int
    ) -> Terms:
        lanes = fine[0].lanes
        each = self._size // lanes
        chosen, into = [], []
        for block, terms in zip(blocks, fine, strict=True):
            places = np.flatnonzero((block.slots >= begin) & (block.slots < end))
            if not places.size:
                continue
            if places.size < block.slots.size:
                rows = (places[:, np.newaxis] * each + np.arange(each)).reshape(-1)
                terms = take(terms, rows)
            chosen.append(terms)
            into.append(block.slots[places] - begin)
        source = join(chosen) if chosen else no_rows(lanes)
        del chosen
        where = np.concatenate(into) if into else np.zeros(0, dtype=np.int64)
        targets = (where[:, np.newaxis] * each + np.arange(each)).reshape(-1)
        return accumulate(source, targets, None, (end - begin) * each, self._field.modulus)


def _portions(blocks: Sequence[_Block], fine: Sequence[Terms], each: int, count: int) -> list[int]:
    """Return where to cut the slots 0 to `count - 1` into portions. Without the terms of its last
    slot, a portion has at most `PORTION` terms.
    """
    if sum(len(terms.unknowns) for terms in fine) <= PORTION:
        return [0, count]
    lengths = np.zeros(count, dtype=np.int64)
    for block, terms in zip(blocks, fine, strict=True):
        sizes = terms.lengths.reshape(len(block.slots), each).sum(axis=1)
        np.add.at(lengths, block.slots, sizes)
    ends = lengths.cumsum()
    cuts = np.searchsorted(ends, np.arange(PORTION, int(ends[-1]), PORTION)) + 1
    return sorted({0, count, *cuts.tolist()})


def _are_distinct(slots: Ints) -> bool:
    return len(np.unique(slots)) == len(slots)
