"""Running totals of forms, to which a symbolic reading adds summed messages.

`values.totals.ResidueTotal` does the same for numbers, and adds each block at once. For forms this
would be slow, because sorted terms must be merged, which is cheaper for many blocks together. So
blocks are only collected, and they are added up when a party asks for a sum. The result is a
*chunk*. If there are many chunks, they are added up too.
"""

from collections.abc import Sequence
from math import gcd, prod

import attrs
import numpy as np

from simnet.arrays import Indices, Ints
from simnet.linear.forms import FormReading, Forms
from simnet.linear.terms import Terms, accumulate, blank, join, refine, take
from simnet.values.field import Field
from simnet.values.totals import Label, ResidueTotal, Slots

MOST_CHUNKS = 16  # if there are more chunks than this, they are added up


@attrs.frozen(eq=False)
class _Chunk:
    """The sums of some blocks, for slots with consecutive numbers."""

    terms: Terms
    each: int  # the number of rows of terms for one row of the total

    def rows(self, slots: Ints) -> Terms:
        """The terms of some slots; those that had no block yet are empty."""
        inside = slots[slots * self.each < self.terms.rows]
        return take(
            self.terms, (inside[:, np.newaxis] * self.each + np.arange(self.each)).reshape(-1)
        )


class FormTotal:
    """Running sums of forms, one for each slot, with the interface of `ResidueTotal`."""

    def __init__(self, field: Field, row_shape: tuple[int, ...], reading: FormReading) -> None:
        self._sampled = ResidueTotal(field, row_shape)
        self._field = field
        self._size = prod(row_shape)
        self._reading = reading
        self._pending: list[tuple[Ints, Terms]] = []
        self._chunks: list[_Chunk] = []

    def reserve(self, slots: int) -> None:
        """Make room for at least `slots` rows."""
        self._sampled.reserve(slots)

    def name(self, slots: Slots, recipients: Indices, label: Label) -> None:
        """Do nothing: forms are added up without looking at recipients."""

    def add(self, pieces: Sequence[Slots], block: Forms) -> None:
        """Add a block. The pieces say to which rows of the total the block's rows are added, in
        order.
        """
        self._sampled.add(pieces, block.sampled)
        slots = [
            np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows for rows in pieces
        ]
        self._pending.append(
            (np.concatenate(slots), refine(block.terms, gcd(block.terms.lanes, self._size)))
        )

    def merge(self, other: "FormTotal") -> None:
        """Add another total that has the same rows."""
        self._sampled.merge(other._sampled)
        self._pending += other._pending + other._as_blocks()

    def row(self, slot: int) -> Forms:
        """Return the sum at one slot."""
        return Forms(self._sampled.row(slot), self._terms(np.array([slot])), self._reading)

    def rows(self, slots: Sequence[int]) -> Forms:
        """The sums at several slots; shape (slots, ...)."""
        return Forms(
            self._sampled.rows(slots), self._terms(np.asarray(slots, dtype=np.int64)), self._reading
        )

    def _terms(self, slots: Ints) -> Terms:
        if self._pending:
            self._chunks.append(self._sum(self._pending))
            self._pending = []
        if not self._chunks or not self._size:
            return blank(len(slots) * self._size)
        if len(self._chunks) > MOST_CHUNKS:
            self._chunks = [self._sum(self._as_blocks())]
        summands = [
            (np.flatnonzero(slots * chunk.each < chunk.terms.rows), chunk.rows(slots))
            for chunk in self._chunks
        ]
        if len(summands) == 1 and len(summands[0][0]) == len(slots):
            return summands[0][1]
        return self._sum(summands, len(slots)).terms

    def _as_blocks(self) -> list[tuple[Ints, Terms]]:
        """The chunks, each in the form of a block."""
        return [
            (np.arange(chunk.terms.rows // max(chunk.each, 1)), chunk.terms)
            for chunk in self._chunks
        ]

    def _sum(self, parts: Sequence[tuple[Ints, Terms]], slots: int | None = None) -> _Chunk:
        """The sum of several blocks; for each block, the slots of its rows are given."""
        source = join([terms for _, terms in parts])
        each = self._size // source.lanes
        into = np.concatenate([slots for slots, _ in parts])
        count = int(into.max(initial=-1)) + 1 if slots is None else slots
        targets = (into[:, np.newaxis] * each + np.arange(each)).reshape(-1)
        return _Chunk(accumulate(source, targets, None, count * each, self._field.modulus), each)
