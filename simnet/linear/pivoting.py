"""Elimination of coins from rows, one pivot after another.

A row is a message, or what is left of a message after other rows were subtracted. `Pivoting` picks
a coin, and as the *pivot* a row that contains the coin. It subtracts multiples of the pivot row
from all other rows that contain the coin. Then no other row contains the coin, so the pivot row is
uniform, and is put aside. The rows that are left at the end contain no coins. They give the
*remnants*.

There are two stages, to avoid new nonzero entries (fill-in):

- sparse: coins that occur in few rows are eliminated first, and the shortest of these rows is the
  pivot. This changes few entries, and other coins may then occur in few rows.
- dense: the remaining rows fall into groups that share no coin. Each group becomes one dense matrix
  `[coins | identity]`, which flint reduces. The columns of the identity then give each reduced row
  as a combination of the group's rows. If one group is too large for this, there is no dense stage:
  the coins of all groups are eliminated as in the sparse stage.

"""

import functools
import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from simnet.arrays import Ints
from simnet.linear.peeling import Entries, drop_proportional
from simnet.linear.vectors import Vector, add_to, back_substitute

SPARSE_DEGREE = 6  # a coin that occurs in more rows than this is eliminated in the dense stage
# The most entries of a dense matrix. If a group of rows needs more, there is no dense stage: all
# coins are eliminated in the sparse stage.
LARGEST_DENSE = 30_000_000
LARGEST_KEPT = 10_000  # the results of matrices with at most so many entries are remembered


@attrs.frozen(eq=False)
class Pivot:
    """A row that was put aside for the coin `column`; `coins` and `targets` are its entries at that
    time.
    """

    column: int
    coins: Vector
    targets: Vector


@attrs.frozen(eq=False)
class Remnant:
    """A combination of rows from which all coins are gone.

    `weights` are the weights of the rows, as the sparse stage left these rows (see
    `Pivoting.trace`), and `targets` is the part of the combination in targets.
    """

    weights: Vector
    targets: Vector


def _reduced(matrix: bytes, tall: int, wide: int, modulus: int) -> Ints:
    from flint import nmod_mat

    entries = np.frombuffer(matrix, dtype=np.int64).reshape(tall, wide)
    whole = np.concatenate([entries, np.eye(tall, dtype=np.int64)], axis=1)
    reduced, _ = nmod_mat(tall, wide + tall, whole.reshape(-1).tolist(), modulus).rref()
    return np.array([list(map(int, line)) for line in reduced.tolist()], dtype=np.int64)


# Users who share two secrets among the same holders give equal matrices, and a verdict with seeds
# eliminates the same rows several times.
_reduced_once = functools.lru_cache(maxsize=2048)(_reduced)


def _not_proportional(matrix: Ints, modulus: int) -> Ints:
    """Return the first column of every class of columns that are multiples of each other,
    ascending. No column is zero.
    """
    columns, rows = np.nonzero(matrix.T)
    entries = drop_proportional(Entries(rows, columns, matrix[rows, columns]), modulus)
    return np.unique(entries.columns)


class Pivoting:
    """Eliminates coins from rows: row r has the coins `coins[r]` and the targets `targets[r]`. Both
    arguments are changed.
    """

    def __init__(self, coins: dict[int, Vector], targets: dict[int, Vector], modulus: int) -> None:
        self.pivots: list[Pivot] = []
        self.remnants: list[Remnant] = []
        self._coins = coins
        self._targets = targets
        self._modulus = modulus
        # For each row: the number of rows that were put aside before it.
        self._rank: dict[int, int] = {}
        self._subtracted: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._rows_of: dict[int, set[int]] = defaultdict(set)  # by coin
        for row, vector in coins.items():
            for column in vector:
                self._rows_of[column].add(row)
        self._eliminate(SPARSE_DEGREE)
        groups = self._groups()
        if any(
            len(group) * (len(columns) + len(group)) > LARGEST_DENSE for group, columns in groups
        ):
            self._eliminate(len(coins))
            groups = []
        for group, columns in groups:
            self._finish_densely(group, columns)
        for row, vector in sorted(self._targets.items()):
            if vector:
                self.remnants.append(Remnant({row: 1}, vector))

    def trace(self, weights: Mapping[int, int]) -> Vector:
        """Return a combination of final rows, or of pivots, as a combination of original rows.

        A final row is what the sparse stage leaves of an original row: the original row minus
        multiples of pivots. A pivot of this stage is an original row minus multiples of earlier
        pivots.
        """

        def subtracted(row: int) -> list[tuple[int, int]]:
            return [(pivot, -factor) for pivot, factor in self._subtracted.get(row, ())]

        return back_substitute(weights, self._rank, subtracted, self._modulus)

    def _eliminate(self, most: int) -> None:
        agenda = [(len(rows), column) for column, rows in self._rows_of.items()]
        heapq.heapify(agenda)
        while agenda:
            degree, column = heapq.heappop(agenda)
            rows = self._rows_of.get(column, set())
            if degree != len(rows) or not rows:
                # the coin's degree has changed since this entry was made, and a newer entry exists
                continue
            if degree > most:
                break
            row = min(rows, key=lambda r: (len(self._coins[r]), r))
            touched = self._use_up(row, column)
            for other in touched:
                if self._rows_of[other]:
                    heapq.heappush(agenda, (len(self._rows_of[other]), other))

    def _use_up(self, row: int, column: int) -> set[int]:
        """Eliminate a coin from all rows but the pivot row. Return the other coins of the pivot
        row.
        """
        coins, targets = self._coins.pop(row), self._targets.pop(row, {})
        touched = set(coins)
        inverse = pow(coins[column], -1, self._modulus)
        for place in coins:
            self._rows_of[place].discard(row)
        for other in sorted(self._rows_of[column]):
            factor = self._coins[other][column] * inverse % self._modulus
            before = touched & self._coins[other].keys()  # Python goes through the shorter set
            add_to(self._coins[other], coins, -factor, self._modulus)
            for place in coins:
                if place in self._coins[other]:
                    self._rows_of[place].add(other)
                elif place in before:
                    self._rows_of[place].discard(other)
            add_to(self._targets.setdefault(other, {}), targets, -factor, self._modulus)
            self._subtracted[other].append((row, factor))
        del self._rows_of[column]
        self._rank[row] = len(self._rank)
        self.pivots.append(Pivot(column, coins, targets))
        return touched - {column}

    def _groups(self) -> list[tuple[list[int], list[int]]]:
        """Return the rows that still have coins, in groups that share no coin, and the coins of
        each group.
        """
        groups: list[tuple[list[int], list[int]]] = []
        rows_seen: set[int] = set()
        for start in sorted(row for row, coins in self._coins.items() if coins):
            if start in rows_seen:
                continue
            rows: list[int] = [start]
            columns: set[int] = set()
            rows_seen.add(start)
            for row in rows:  # the loop also visits the rows that it adds to this list
                for column in self._coins[row].keys() - columns:
                    columns.add(column)
                    rows += sorted(self._rows_of[column] - rows_seen)
                    rows_seen |= self._rows_of[column]
            groups.append((rows, sorted(columns)))
        return groups

    def _finish_densely(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        """Reduce the matrix [coins | identity] of a group of rows by flint."""
        for column in columns:  # no other group has these coins
            del self._rows_of[column]
        place = {column: at for at, column in enumerate(columns)}
        tall = len(rows)
        matrix = np.zeros((tall, len(columns)), dtype=np.int64)
        for at, row in enumerate(rows):
            coins = self._coins.pop(row)
            matrix[at, [place[column] for column in coins]] = list(coins.values())
        kept = _not_proportional(matrix, self._modulus)
        matrix, columns = matrix[:, kept], [columns[at] for at in kept.tolist()]
        wide = len(columns)
        group_targets = [self._targets.pop(row, {}) for row in rows]
        reduce = _reduced_once if matrix.size <= LARGEST_KEPT else _reduced
        for values in reduce(matrix.tobytes(), tall, wide, self._modulus).tolist():
            weights = {at: value for at, value in enumerate(values[wide:]) if value}
            targets: Vector = {}
            for at, value in weights.items():
                add_to(targets, group_targets[at], value, self._modulus)
            coins = {columns[at]: value for at, value in enumerate(values[:wide]) if value}
            if coins:
                self.pivots.append(Pivot(next(iter(coins)), coins, targets))
            else:
                self.remnants.append(
                    Remnant({rows[at]: value for at, value in weights.items()}, targets)
                )
