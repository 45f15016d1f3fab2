"""Find the combinations of messages in which all coins cancel; prove that coins hide everything
else.

Theory of operation. Without the terms that a coalition knows, the messages that it sees are linear
in coins, which are uniform and unknown to the coalition, and in *targets*, which are secrets (and
other unknowns that are not uniform, such as products)::

    y = A coins + B targets        over F_q; one row for each field element that is received

In this module a *message* is one such row.

A row vector λ with λA = 0 is a combination of messages from which the coins cancel. Such a
combination tells the coalition λB·targets, a linear function of the targets. A combination with
λA ≠ 0 is uniform. So the view tells exactly the functions λB with λA = 0. `Elimination` proves both
halves of this statement for a given view:

- `remnants` are rows without coins. Their targets span all functions λB, and `weights` returns the
  combination of messages that gives a remnant.
- `shift()` returns a matrix X such that each row of B - AX is in the span of the remnants' targets.
  The new coins c = coins + X·targets are as uniform as the old coins, and the view in the new coins
  is y = A c + (B - AX) targets. So the view tells nothing else (docs/proofs/shift-of-coins.md).

The coins are eliminated in several steps, the cheapest first: see `peeling` and `pivoting`.

Example over F_5 with six messages, coins 1..4 and secrets 11..14. The message {1: 1, 11: 1} is
c1 + s11.

>>> messages = [{1: 1, 11: 1}, {1: 1, 2: 1}, {2: 1, 12: 1}, {3: 1, 13: 1}, {4: 1}, {4: 1, 14: 1}]
>>> terms = Terms.of_vectors(messages)
>>> elimination = Elimination(terms, terms.unknowns < 10, terms.unknowns > 10, modulus=5)

Message 3 is peeled: coin 3 occurs in no other message, so message 3 is uniform and tells nothing.
Message 4 reveals coin 4, so message 5 tells s14. Messages 0, 1 and 2 contain the coins 1 and
2, and a combination of the three messages tells s11 + s12:

>>> [remnant.targets for remnant in elimination.remnants]
[{12: 1, 11: 1}, {14: 1}]
>>> elimination.weights({0: 1}), elimination.weights({1: 1})
({0: 1, 1: 4, 2: 1}, {4: 4, 5: 1})

The shift proves that the messages tell nothing else. Each coin is replaced by a new coin minus its
shift. Replacing c3 by c3 - s13 removes s13 from message 3. Replacing c1 by c1 - s11 removes s11
from message 0 but brings -s11 into message 1, so c2 becomes c2 + s11. Then message 2 contains
s11 + s12, which the coalition knows anyway:

>>> elimination.shift()
{2: {11: 4}, 1: {11: 1}, 3: {13: 1}}
"""

import functools
from collections.abc import Mapping

import numpy as np

from simnet.arrays import Bools, Ints
from simnet.linear.modular import inverses, run_sums, times
from simnet.linear.peeling import Entries, drop_proportional, peel, reveal
from simnet.linear.pivoting import Pivoting
from simnet.linear.terms import PORTION, SMALL, Terms
from simnet.linear.vectors import Vector, add_to, multiple


class Elimination:
    """Eliminates the coins from the rows of `terms`.

    `is_coin` and `is_target` contain a boolean for each term: whether its unknown is a coin, or a
    target. The coalition knows all other unknowns, so their terms are left out. Coins and targets
    are identified by the numbers of their unknowns, and messages by the numbers of their rows.
    """

    def __init__(self, terms: Terms, is_coin: Bools, is_target: Bools, modulus: int) -> None:
        self._modulus = modulus
        row_numbers = _small(terms.row_numbers)
        self._coins, entries = _by_coin(terms, is_coin, row_numbers)
        self._all_entries, self._rows = entries, terms.rows
        self._targets = _vectors_by_row(
            row_numbers[is_target], terms.unknowns[is_target], terms.coefficients[is_target]
        )
        without_targets = np.ones(terms.rows, dtype=np.bool_)
        without_targets[row_numbers[is_target]] = False
        del row_numbers  # a large run has ten million terms
        width = len(self._coins)
        self._peeled, rest = peel(entries, terms.rows, width)
        self._revealed, rest = reveal(rest, terms.rows, width, without_targets)
        rest = drop_proportional(rest, modulus)
        # Only peeled rows are left out: rows that reveal a coin have no targets.
        used_up = {row for row, _ in self._peeled}
        targets = {row: dict(vector) for row, vector in self._targets.items() if row not in used_up}
        coins = _vectors_by_row(rest.rows, rest.columns, rest.coefficients)
        self._pivoting = Pivoting(coins, targets, modulus)
        self.remnants = self._pivoting.remnants

    @functools.cached_property
    def _entries(self) -> "_RowIndex":
        return _RowIndex(self._all_entries, self._rows)

    def weights(self, remnants: Mapping[int, int]) -> Vector:
        """Return a combination of remnants as a combination of messages, by row number.

        `remnants` gives the weight of each remnant by its index in `self.remnants`.
        """
        mixed: Vector = {}
        for place, weight in remnants.items():
            add_to(mixed, self.remnants[place].weights, weight, self._modulus)
        weights = self._pivoting.trace(mixed)
        return self._without_revealed(weights) if self._revealed else weights

    def _without_revealed(self, weights: Vector) -> Vector:
        """Subtract multiples of the rows that reveal coins, so that the revealed coins vanish."""
        entries, modulus = self._all_entries, self._modulus
        factors = np.zeros(self._rows, dtype=np.int64)
        factors[list(weights)] = list(weights.values())
        # A row that reveals a coin may contain coins of earlier passes.
        for rows, columns in reversed(self._revealed):
            # The entries of these coins, coin by coin.
            starts = np.searchsorted(entries.columns, columns)
            degrees = np.searchsorted(entries.columns, columns, side="right") - starts
            begins = degrees.cumsum() - degrees
            places = np.repeat(starts - begins, degrees) + np.arange(degrees.sum())
            found, coefficients = entries.rows[places], entries.coefficients[places]
            sums = run_sums(times(factors[found], coefficients, modulus), begins, modulus)
            own = coefficients[found == np.repeat(rows, degrees)]
            factors[rows] = times(-sums % modulus, inverses(own, modulus), modulus)
        used = np.flatnonzero(factors)
        return dict(zip(used.tolist(), factors[used].tolist(), strict=True))

    def shift(self) -> dict[int, Vector]:
        """Return the matrix X by rows: for each coin, the coefficient of each target in its shift.

        A coin whose shift is zero is left out.
        """
        # We solve the pivots and then the peeled rows, each in reverse order. When we come to a
        # row, the shifts of its other coins are known already. We choose the shift of its own coin
        # such that the row's targets vanish. Dropped and revealed coins need no shift.
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
        """Choose the shift of one coin such that a row's targets vanish.

        The shifts of the row's other coins must be known already.
        """
        rest: Vector = dict(targets)
        own_entry = 0
        for place, value in coins:
            if place == column:
                own_entry = value
            elif place in shift:
                add_to(rest, shift[place], -value, self._modulus)
        if rest:
            shift[column] = multiple(rest, pow(own_entry, -1, self._modulus), self._modulus)


def _by_coin(terms: Terms, is_coin: Bools, row_numbers: Ints) -> tuple[Ints, Entries]:
    """Return the coins, ascending, and the entries of A, ordered by column and then by row. Column
    k of A belongs to the k-th of these coins.
    """
    unknowns = terms.unknowns[is_coin]
    order = np.argsort(unknowns, kind="stable")
    unknowns = unknowns[order]
    is_first = np.ones(len(unknowns), dtype=np.bool_)
    np.not_equal(unknowns[1:], unknowns[:-1], out=is_first[1:])
    coins = unknowns[is_first]
    del unknowns
    columns: Ints = np.cumsum(is_first, dtype=np.int32 if len(order) < SMALL else np.int64)
    columns -= 1
    rows, coefficients = row_numbers[is_coin][order], terms.coefficients[is_coin][order]
    return coins, Entries(rows, columns, coefficients)


def _small(numbers: Ints) -> Ints:
    return numbers.astype(np.int32) if numbers.size and numbers[-1] < SMALL else numbers


class _RowIndex:
    def __init__(self, entries: Entries, rows: int) -> None:
        order = np.argsort(entries.rows, kind="stable")
        self._columns = entries.columns[order]
        self._coefficients = entries.coefficients[order]
        self._starts = np.concatenate([[0], np.bincount(entries.rows, minlength=rows).cumsum()])

    def of(self, row: int) -> list[tuple[int, int]]:
        span = slice(int(self._starts[row]), int(self._starts[row + 1]))
        return list(
            zip(self._columns[span].tolist(), self._coefficients[span].tolist(), strict=True)
        )


def _vectors_by_row(rows: Ints, keys: Ints, values: Ints) -> dict[int, Vector]:
    """Return the entries as one vector for each row that has an entry."""
    # Equal numbers are one object in all vectors, and the arrays become lists in portions: a large
    # run has millions of entries, and a Python number takes about 32 bytes.
    vectors: dict[int, Vector] = {}
    known: dict[int, int] = {}
    for begin in range(0, len(rows), PORTION):
        part = slice(begin, begin + PORTION)
        lists = rows[part].tolist(), keys[part].tolist(), values[part].tolist()
        for row, key, value in zip(*lists, strict=True):
            vector = vectors.setdefault(row, {})
            vector[known.setdefault(key, key)] = known.setdefault(value, value)
    return vectors
