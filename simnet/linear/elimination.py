"""Which combinations of messages are free of coins, and how coins hide everything else.

Theory of operation. The messages that a coalition sees are linear in coins, which are uniform and
unknown to it, and in *targets*, which are secrets (and numbers that nobody declared):

    y = A coins + B targets        one row a message, over F_q

The rows λ with λA = 0 are the combinations of messages from which the coins cancel. Such a
combination tells the coalition λB, a linear function of the targets. All others are uniform. So the
view tells exactly the functions λB with λA = 0, and `Elimination` finds both halves of the proof:

- `remnants`: rows that are free of coins. Their targets span all functions λB, and `weights` says
  which messages make one up: an attack.
- `shift()`: a matrix X such that B - AX consists of remnants' functions alone. Adding X·targets to
  the coins leaves their law as it is (they are uniform) and takes everything but these functions
  out of the view: a proof that it tells no more (docs/proofs/shift-of-coins.md).

The coins are eliminated in this order, the cheapest steps first (see `peeling` and `pivoting`):
peel rows with a coin that occurs once, take away coins that are told outright, drop proportional
coins, pivot on coins that occur in few rows, and give the dense rest to flint.

Example, over F_5: six messages, coins 1..4, secrets 11..14. A message {1: 1, 11: 1} is c1 + s11.

>>> messages = [{1: 1, 11: 1}, {1: 1, 2: 1}, {2: 1, 12: 1}, {3: 1, 13: 1}, {4: 1}, {4: 1, 14: 1}]
>>> terms = Terms.of_vectors(messages)
>>> elimination = Elimination(terms, terms.unknowns < 10, terms.unknowns > 10, modulus=5)

Message 3 is peeled: coin 3 occurs nowhere else, so the message says nothing. Message 4 reveals coin
4, and message 5 tells s14. Messages 0, 1 and 2 share two coins, and tell s11 + s12 together:

>>> [remnant.targets for remnant in elimination.remnants]
[{12: 1, 11: 1}, {14: 1}]
>>> elimination.weights({0: 1}), elimination.weights({1: 1})
({2: 1, 1: 4, 0: 1}, {5: 1, 4: 4})

To show that nothing else is told, secrets are subtracted from the coins that hide them. Coin 3
takes s13 out of message 3. Coin 1 takes s11 out of message 0; coin 2 puts it back in message 1,
which has no secret, and message 2 is left with s11 + s12, which is told anyway:

>>> elimination.shift()
{2: {11: 4}, 1: {11: 1}, 3: {13: 1}}
"""

from collections.abc import Mapping

import numpy as np

from simnet.arrays import Bools, Ints
from simnet.linear.peeling import Entries, drop_proportional, peel, reveal
from simnet.linear.pivoting import Pivoting
from simnet.linear.terms import Terms
from simnet.linear.vectors import Vector, add_to, back_substitute, multiple


class Elimination:
    """The coins eliminated from the rows of `terms`.

    `is_coin` and `is_target` say of each term what it is about; terms that are neither are known
    and left out. Coins and targets are named by their unknowns, messages by their rows.
    """

    def __init__(self, terms: Terms, is_coin: Bools, is_target: Bools, modulus: int) -> None:
        self._modulus = modulus
        row_numbers = terms.row_numbers
        self._coins, columns = np.unique(terms.unknowns[is_coin], return_inverse=True)
        entries = Entries(row_numbers[is_coin], columns, terms.coefficients[is_coin])
        self._entries = _RowIndex(entries, terms.rows)
        self._targets = _vectors_by_row(
            row_numbers[is_target], terms.unknowns[is_target], terms.coefficients[is_target]
        )
        without_targets = np.ones(terms.rows, dtype=np.bool_)
        without_targets[row_numbers[is_target]] = False
        width = len(self._coins)
        self._peeled, rest = peel(entries, terms.rows, width)
        revealed, rest = reveal(rest, terms.rows, width, without_targets)
        rest = drop_proportional(rest, modulus)
        self._reveal_rank = {row: at for at, (row, _) in enumerate(revealed)}
        self._revealing_row = {column: row for row, column in revealed}
        self._inverses: dict[int, int] = {}  # of revealed coins, by row, as they are needed
        used_up = self._reveal_rank.keys() | {row for row, _ in self._peeled}
        targets = {row: dict(vector) for row, vector in self._targets.items() if row not in used_up}
        coins = _vectors_by_row(rest.rows, rest.columns, rest.coefficients)
        self._pivoting = Pivoting(coins, targets, modulus)
        self.remnants = self._pivoting.remnants

    def weights(self, remnants: Mapping[int, int]) -> Vector:
        """A combination of remnants, by their place, as a combination of the messages' rows."""
        mixed: Vector = {}
        for place, weight in remnants.items():
            add_to(mixed, self.remnants[place].weights, weight, self._modulus)
        weights = self._pivoting.trace(mixed)
        if not self._reveal_rank:
            return weights
        # Revealed coins were left out of the pivoting. Each that is still in the combination is
        # taken off by the row that reveals it, which may bring in coins revealed earlier.
        return back_substitute(weights, self._reveal_rank, self._reveals_needed, self._modulus)

    def _reveals_needed(self, row: int) -> list[tuple[int, int]]:
        """The rows that take the revealed coins of a row off, each with its factor."""
        needed = []
        for column, value in self._entries.of(row):
            other = self._revealing_row.get(column)
            if other is not None and other != row:
                needed.append((other, -value * self._inverse_of_revealed(other, column)))
        return needed

    def _inverse_of_revealed(self, row: int, column: int) -> int:
        """The inverse of a revealed coin's coefficient in the row that reveals it."""
        inverse = self._inverses.get(row)
        if inverse is None:
            entry = next(value for place, value in self._entries.of(row) if place == column)
            inverse = self._inverses[row] = pow(entry, -1, self._modulus)
        return inverse

    def shift(self) -> dict[int, Vector]:
        """X by coin: how much of which target is added to it.

        A coin that is left alone is not named.
        """
        # Pivots and peeled rows are solved in reverse order: the shifts of a row's other coins
        # are settled by then, and the shift of its own coin makes the row's targets vanish. Dropped
        # and revealed coins need no shift.
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

        The row's other coins have their shifts already.
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


class _RowIndex:
    """The entries of a matrix, to be looked up row by row."""

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


def _vectors_by_row(rows: Ints, keys: Ints, values: Ints) -> dict[int, Vector]:
    """Entries as one vector for each row that has any."""
    vectors: dict[int, Vector] = {}
    for row, key, value in zip(rows.tolist(), keys.tolist(), values.tolist(), strict=True):
        vectors.setdefault(row, {})[key] = value
    return vectors
