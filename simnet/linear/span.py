"""Spans of sparse vectors over F_q, kept in reduced echelon form, each basis vector with where it
comes from.
"""

from collections.abc import Callable, Mapping

from simnet.linear.pivoting import Vector, add_to


class Span:
    """The span of the vectors added so far.

    `order` says which of a vector's entries becomes the pivot: the one with the smallest value.
    With every vector may come its origin, a combination of things of the caller's.
    """

    def __init__(self, modulus: int, order: Callable[[int], object] = lambda key: key) -> None:
        self._modulus = modulus
        self._order = order
        self._rows: dict[int, tuple[Vector, Vector]] = {}  # by pivot

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, vector: Mapping[int, int], origin: Mapping[int, int] | None = None) -> bool:
        """Add a vector; False when it was in the span already."""
        rest, source = self.reduce(vector, origin)
        if not rest:
            return False
        pivot = min(rest, key=self._order)  # type: ignore[arg-type]  # whatever `order` returns can be compared
        inverse = pow(rest[pivot], -1, self._modulus)
        self._rows[pivot] = (
            _scaled(rest, inverse, self._modulus),
            _scaled(source, inverse, self._modulus),
        )
        return True

    def reduce(
        self, vector: Mapping[int, int], origin: Mapping[int, int] | None = None
    ) -> tuple[Vector, Vector]:
        """What is left of a vector when its part in the span is taken away, and of its origin;
        nothing if it is in.
        """
        rest, source = dict(vector), dict(origin or {})
        pending = [key for key in rest if key in self._rows]
        while pending:
            key = pending.pop()
            factor = rest.get(key, 0)
            if factor:
                row, where = self._rows[key]
                add_to(rest, row, -factor, self._modulus)
                add_to(source, where, -factor, self._modulus)
                pending += [other for other in row if other in self._rows and other in rest]
        return rest, source

    def __contains__(self, vector: Mapping[int, int]) -> bool:
        return not self.reduce(vector)[0]

    def basis(self) -> list[tuple[Vector, Vector]]:
        """The reduced basis with its origins, by pivot: no vector has an entry at another's
        pivot.
        """
        return [self._clear(pivot) for pivot in sorted(self._rows, key=self._order)]  # type: ignore[arg-type]

    def _clear(self, pivot: int) -> tuple[Vector, Vector]:
        """A row without entries at other pivots: those it has came later, and so have no entry at
        this one.
        """
        row, source = self._rows[pivot]
        rest, where = self.reduce(
            {key: value for key, value in row.items() if key != pivot}, source
        )
        return {pivot: 1, **rest}, where


def _scaled(vector: Vector, factor: int, modulus: int) -> Vector:
    return {key: value * factor % modulus for key, value in vector.items()}
