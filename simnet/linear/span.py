"""The span of sparse vectors over F_q, kept in echelon form.

Each vector of the basis has a pivot, which is the vector's first entry in the order of keys that
the caller chooses. Each vector also has an *origin*: the combination of the caller's objects (for
example, of messages) that gives the vector. Every row operation is applied to the vector and to its
origin.

Example, over F_7: two vectors are independent, and a third vector depends on these two.

>>> span = Span(modulus=7)
>>> span.add({1: 1, 2: 1}, {100: 1}), span.add({2: 1, 3: 1}, {200: 1})
(True, True)
>>> span.add({1: 1, 3: 6})
False
>>> span.basis()
[({1: 1, 3: 6}, {100: 1, 200: 6}), ({2: 1, 3: 1}, {200: 1})]
"""

import heapq
from collections.abc import Callable, Mapping

from simnet.linear.vectors import Vector, add_to, multiple

KeyOrder = Callable[[int], tuple[int, ...]]


def by_number(key: int) -> tuple[int, ...]:
    """Return the rank of a key: keys are ordered by their numbers."""
    return (key,)


class Span:
    """The span of the vectors added so far.

    `order` ranks the keys of vectors: a vector's pivot is its key of the smallest rank. The order
    decides what the reduced basis looks like, not what the span is.
    """

    def __init__(self, modulus: int, order: KeyOrder = by_number) -> None:
        self._modulus = modulus
        self._order = order
        # A vector and its origin, by the pivot of the vector, and the number of older rows.
        self._rows: dict[int, tuple[Vector, Vector]] = {}
        self._ages: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, vector: Mapping[int, int], origin: Mapping[int, int] | None = None) -> bool:
        """Add a vector to the span. Return False if the span contained the vector already."""
        rest, source = self.reduce(vector, origin)
        if not rest:
            return False
        pivot = min(rest, key=self._order)
        inverse = pow(rest[pivot], -1, self._modulus)
        self._ages[pivot] = len(self._rows)
        self._rows[pivot] = (
            multiple(rest, inverse, self._modulus),
            multiple(source, inverse, self._modulus),
        )
        return True

    def reduce(
        self, vector: Mapping[int, int], origin: Mapping[int, int] | None = None
    ) -> tuple[Vector, Vector]:
        """Subtract from a vector its part in the span, and subtract the same combination from its
        origin.

        Returns the remainder, which has no entry at any pivot, with its origin. The remainder is
        empty when the vector is in the span.
        """
        rest, source, ages = dict(vector), dict(origin or {}), self._ages
        # A row may contain pivots of younger rows, but none of older rows. We subtract the oldest
        # row first, so that no pivot comes back. In another order, the number of steps may double
        # with each row.
        pending = [(ages[key], key) for key in rest if key in ages]
        heapq.heapify(pending)
        while pending:
            _, key = heapq.heappop(pending)
            if key in rest:
                row, row_origin = self._rows[key]
                new = [other for other in row if other in ages and other not in rest]
                factor = -rest[key]
                add_to(rest, row, factor, self._modulus)
                add_to(source, row_origin, factor, self._modulus)
                for other in new:
                    heapq.heappush(pending, (ages[other], other))
        return rest, source

    def __contains__(self, vector: Mapping[int, int]) -> bool:
        return not self.reduce(vector)[0]

    def basis(self) -> list[tuple[Vector, Vector]]:
        """Return the reduced basis with its origins, ordered by pivot.

        Each vector is 1 at its own pivot and 0 at all other pivots, so equal spans with the same
        order of keys have equal bases.
        """
        return [self._reduced_row(pivot) for pivot in sorted(self._rows, key=self._order)]

    def _reduced_row(self, pivot: int) -> tuple[Vector, Vector]:
        # Besides its own pivot, the row may contain only pivots of rows that were added after it.
        # These rows were reduced by this row when they were added. So subtracting them does not
        # bring back this row's own pivot.
        row, origin = self._rows[pivot]
        rest, source = self.reduce(
            {key: value for key, value in row.items() if key != pivot}, origin
        )
        return {pivot: 1, **rest}, source
