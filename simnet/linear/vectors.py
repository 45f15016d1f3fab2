"""Sparse vectors over F_q, as dictionaries, and solving triangular systems of them.

A `Vector` maps a key (the number of a row, of a column, or of an unknown) to an entry in 1..q-1. An
entry of 0 is never stored. So two vectors are equal exactly if their dictionaries are equal, and
a vector is zero exactly if its dictionary is empty.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping

Vector = dict[int, int]


def add_to(vector: Vector, other: Mapping[int, int], factor: int, modulus: int) -> None:
    """Add `factor * other` to `vector`, in place."""
    entry = vector.get
    for key, value in other.items():
        total = (entry(key, 0) + factor * value) % modulus
        if total:
            vector[key] = total
        else:
            vector.pop(key, None)


def multiple(vector: Mapping[int, int], factor: int, modulus: int) -> Vector:
    """Return `factor * vector`. The factor must not be 0 mod q."""
    return {key: value * factor % modulus for key, value in vector.items()}


def back_substitute(
    weights: Mapping[int, int],
    rank: Mapping[int, int],
    substitutes: Callable[[int], Iterable[tuple[int, int]]],
    modulus: int,
) -> Vector:
    """Solve `x = weights + Σ_row x[row] * substitutes(row)` for a system in triangular form.

    `substitutes(row)` lists pairs (other, factor): one unit of `row` needs `factor` units of
    `other`. Each `other` has a rank, smaller than the rank of `row` if `row` has one. A row without
    a rank is never needed by another row.

    Example. One unit of row 7 needs 2 units of row 5, and each unit of row 5 needs 3 units of row
    4:

    >>> calls = {7: [(5, 2)], 5: [(4, 3)]}
    >>> back_substitute({7: 1}, {4: 0, 5: 1}, lambda row: calls.get(row, []), modulus=101)
    {7: 1, 5: 2, 4: 6}
    """
    result: Vector = {}
    pending: dict[int, int] = {}  # for each unfinished row, its weight so far
    # A heap of the unfinished rows; the row with the largest rank comes first.
    agenda: list[tuple[int, int]] = []

    def finish(row: int, weight: int) -> None:
        if not weight:
            return
        result[row] = weight
        for other, factor in substitutes(row):
            if other not in pending:
                pending[other] = 0
                heapq.heappush(agenda, (-rank[other], other))
            pending[other] += weight * factor

    for row, weight in weights.items():
        if row in rank:
            pending[row] = weight
            heapq.heappush(agenda, (-rank[row], row))
    for row, weight in weights.items():
        if row not in rank:
            finish(row, weight % modulus)
    while agenda:
        _, row = heapq.heappop(agenda)
        finish(row, pending.pop(row) % modulus)
    return result
