"""Which combinations of messages are free of coins, and how coins make up for everything else.

With the messages seen written as `y = A coins + B targets`, the targets being secrets and opaque
numbers:

- `remnants` are rows whose coins are gone; together they span all combinations λ with λA = 0, but
  for rows that say
  nothing. What λB is they know, λ itself is worked out when asked for (`weights`).
- `shift` is a matrix X with B - AX made of remnants alone: adding X·targets to the coins, which
  leaves their law as it
  is, takes everything but the remnants' functions out of the view. It proves that the view holds no
  more than these.
"""

import heapq
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from simnet.linear.peeling import Entries, distinct, peel, reveal
from simnet.linear.pivoting import Pivoting, Vector, add_to
from simnet.linear.terms import Terms

Bools = npt.NDArray[np.bool_]


class Elimination:
    """The coins eliminated from the rows of `terms`; `is_coin` and `is_target` say what each term
    is about.
    """

    def __init__(self, terms: Terms, is_coin: Bools, is_target: Bools, modulus: int) -> None:
        self._modulus = modulus
        row_numbers = terms.row_numbers
        self._coins, columns = np.unique(terms.unknowns[is_coin], return_inverse=True)
        entries = Entries(row_numbers[is_coin], columns, terms.coefficients[is_coin])
        self._entries = _ByRow(entries, terms.rows)
        self._targets = _vectors(
            row_numbers[is_target], terms.unknowns[is_target], terms.coefficients[is_target]
        )
        bare = np.ones(terms.rows, dtype=np.bool_)
        bare[row_numbers[is_target]] = False
        self._peeled, left = peel(entries, terms.rows, len(self._coins))
        self._revealed, left = reveal(left, terms.rows, len(self._coins), bare)
        left = distinct(left, modulus)
        settled = {row for row, _ in self._peeled} | {row for row, _ in self._revealed}
        targets = {row: dict(vector) for row, vector in self._targets.items() if row not in settled}
        self._pivoting = Pivoting(
            _vectors(left.rows, left.columns, left.coefficients), targets, modulus
        )
        self.remnants = self._pivoting.remnants

    def weights(self, remnants: Mapping[int, int]) -> Vector:
        """A combination of remnants, by their place, as a combination of the messages' rows."""
        mixed: Vector = {}
        for place, weight in remnants.items():
            add_to(mixed, self.remnants[place].weights, weight, self._modulus)
        result = self._pivoting.trace(mixed)
        if not self._revealed:
            return result
        order = {column: at for at, (_, column) in enumerate(self._revealed)}
        pending: Vector = {}
        agenda: list[int] = []

        def settle(row: int, weight: int, own: int | None) -> None:
            for column, value in self._entries.of(row):
                if column in order and column != own:
                    if column not in pending:
                        pending[column] = 0
                        heapq.heappush(agenda, -order[column])
                    pending[column] += weight * value

        for row, weight in list(result.items()):
            settle(row, weight, None)
        while agenda:
            row, column = self._revealed[-heapq.heappop(agenda)]
            needed = pending.pop(column) % self._modulus
            if needed:
                value = next(value for place, value in self._entries.of(row) if place == column)
                weight = -needed * pow(value, -1, self._modulus) % self._modulus
                result[row] = weight
                settle(row, weight, column)
        return result

    def shift(self) -> dict[int, Vector]:
        """X by coin: how much of which target is added to it; coins that are left alone are not
        named.
        """
        shift: dict[int, Vector] = {}
        for pivot in reversed(self._pivoting.pivots):
            self._solve(shift, pivot.column, list(pivot.coins.items()), pivot.targets)
        for row, column in reversed(self._peeled):
            if shift or row in self._targets:
                self._solve(shift, column, self._entries.of(row), self._targets.get(row, {}))
        return {int(self._coins[column]): vector for column, vector in shift.items()}

    def _solve(
        self,
        shift: dict[int, Vector],
        column: int,
        coins: list[tuple[int, int]],
        targets: Mapping[int, int],
    ) -> None:
        """Choose what is added to one coin such that a row's targets vanish, the row's other coins
        being settled.
        """
        rest: Vector = dict(targets)
        own = 0
        for place, value in coins:
            if place == column:
                own = value
            elif place in shift:
                add_to(rest, shift[place], -value, self._modulus)
        if rest:
            inverse = pow(own, -1, self._modulus)
            shift[column] = {
                target: value * inverse % self._modulus for target, value in rest.items()
            }


class _ByRow:
    """Entries row by row."""

    def __init__(self, entries: Entries, rows: int) -> None:
        order = np.argsort(entries.rows, kind="stable")
        self._columns = entries.columns[order]
        self._coefficients = entries.coefficients[order]
        self._starts = np.concatenate([[0], np.bincount(entries.rows, minlength=rows).cumsum()])

    def of(self, row: int) -> list[tuple[int, int]]:
        """The columns of a row with their coefficients."""
        span = slice(int(self._starts[row]), int(self._starts[row + 1]))
        return list(
            zip(self._columns[span].tolist(), self._coefficients[span].tolist(), strict=True)
        )


def _vectors(
    rows: npt.NDArray[np.int64], keys: npt.NDArray[np.int64], values: npt.NDArray[np.int64]
) -> dict[int, Vector]:
    """Entries as one dictionary a row."""
    vectors: dict[int, Vector] = {}
    for row, key, value in zip(rows.tolist(), keys.tolist(), values.tolist(), strict=True):
        vectors.setdefault(row, {})[key] = value
    return vectors
