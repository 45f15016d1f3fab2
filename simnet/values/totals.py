"""Running totals of residues: what summed messages are added to as they are sent.

Theory of operation. We could keep the totals in 64 bits, and add every block to them. But a block
may have 5,000 × 30 residues of 16 bits, and adding it to 64-bit totals reads and writes four times
its size. So there are two arrays. Blocks are added to the narrow array, which has the field's own
type, until an entry could wrap. Then the narrow array is added to the wide one and set to zero.
`_room` more additions cannot make the narrow array wrap. `_bound` is an upper bound on
every wide entry: the wide array is reduced mod q before an entry could wrap. A row is reduced mod q
when somebody reads it.

Example. For q = 101 the sum of two residues always fits a byte. So the narrow totals are moved to
the wide totals before the third addition, and again before the fifth, the seventh, and so on.

A *slot* is the number of a row in the table.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from simnet.arrays import Indices
from simnet.values.field import Field
from simnet.values.residues import Residues, residues_of

Slots = slice | Indices  # the slots of some rows, as a slice or as an array
# The tag and the key of the messages of a sum, and how many such sums their recipient had before.
Label = tuple[str, int | None, int]

_WIDE_LIMIT = 1 << 63


class ResidueTotal:
    """A table of sums mod q; a slot names a row."""

    def __init__(self, field: Field, row_shape: tuple[int, ...]) -> None:
        self.field = field
        self.row_shape = row_shape
        self._room = field.headroom
        self._bound = 0
        self._narrow = np.zeros((0, *row_shape), dtype=field.dtype)
        self._wide = np.zeros((0, *row_shape), dtype=np.uint64)

    def reserve(self, slots: int) -> None:
        """Make room for at least `slots` rows. New rows start at zero."""
        missing = slots - self._narrow.shape[0]
        if missing > 0:
            grown = max(
                missing, self._narrow.shape[0]
            )  # double the size, so that many single messages cost no more than one block
            self._narrow = np.concatenate(
                [self._narrow, np.zeros((grown, *self.row_shape), self._narrow.dtype)]
            )
            self._wide = np.concatenate([self._wide, np.zeros((grown, *self.row_shape), np.uint64)])

    def name(self, slots: Slots, recipients: Indices, label: Label) -> None:
        """Do nothing: numbers are added up without looking at recipients."""

    def add(self, pieces: Sequence[Slots], block: Residues) -> None:
        """Add the rows of a block, one after another, to the rows that the pieces name.

        The first rows of the block go to the first piece, the next rows to the second piece, and so
        on. A piece may not name a row twice.
        """
        values = residues_of(block)
        if len(pieces) == 1:
            self._claim_room()
            self._narrow[pieces[0]] += values
            return
        spans = [(rows.start, rows.stop) for rows in pieces if isinstance(rows, slice)]
        disjoint = len(spans) == len(pieces) and _apart(spans)
        if disjoint:
            self._claim_room()
            # If every piece has one row, all rows can be added at once.
            if all(stop == start + 1 for start, stop in spans):
                self._narrow[[start for start, _ in spans]] += values
                return
        start = 0
        for rows in pieces:
            if not disjoint:
                self._claim_room()
            stop = start + (rows.stop - rows.start if isinstance(rows, slice) else len(rows))
            self._narrow[rows] += values[start:stop]
            start = stop

    def merge(self, other: "ResidueTotal") -> None:
        """Add the sums of another total, slot by slot."""
        other._widen()
        self._widen()
        self.reserve(other._wide.shape[0])
        self._claim(other._bound)
        self._wide[: other._wide.shape[0]] += other._wide

    def row(self, slot: int) -> Residues:
        """Return the sum at one slot."""
        return self._reduced(slot)

    def rows(self, slots: Sequence[int]) -> Residues:
        """Return the sums at several slots; shape (slots, ...)."""
        return self._reduced(list(slots))

    def _reduced(self, where: int | list[int]) -> Residues:
        total = (self._wide[where] + self._narrow[where]) % np.uint64(self.field.modulus)
        return Residues(self.field, np.asarray(total).astype(self.field.dtype))

    def _claim_room(self) -> None:
        """Make sure that one more addition cannot make a narrow entry wrap."""
        if self._room == 0:
            self._widen()
        self._room -= 1

    def _widen(self) -> None:
        self._claim((self.field.headroom - self._room) * (self.field.modulus - 1))
        self._wide += self._narrow
        self._narrow[...] = 0
        self._room = self.field.headroom

    def _claim(self, growth: int) -> None:
        """Reduce the wide entries mod q if adding `growth` to each could bring one to 2**63."""
        if self._bound + growth >= _WIDE_LIMIT:
            self._wide %= np.uint64(self.field.modulus)
            self._bound = self.field.modulus - 1
        self._bound += growth


def _apart(spans: Sequence[tuple[int, int]]) -> bool:
    ordered = sorted(spans)
    return all(before[1] <= after[0] for before, after in itertools.pairwise(ordered))
