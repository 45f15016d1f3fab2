"""Elimination of coins from rows, one pivot after another: columns of lowest degree first, the
dense rest with flint.

A row is a message, or what is left of it; every row remembers what was subtracted from it, so that
what comes out can be traced back to messages.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence

import attrs

Vector = dict[int, int]  # entries by row, column or unknown; none is 0

SPARSE_DEGREE = 6  # a coin in more rows than this is left to the dense stage,
LARGEST_DENSE = 30_000_000  # unless that would have to hold more entries than this


def add_to(vector: Vector, other: Mapping[int, int], factor: int, modulus: int) -> None:
    """`vector += factor * other`, in place."""
    for key, value in other.items():
        total = (vector.get(key, 0) + factor * value) % modulus
        if total:
            vector[key] = total
        else:
            vector.pop(key, None)


@attrs.frozen(eq=False)
class Pivot:
    """A row that was used up for a coin: `coins` and `targets` as they were then, the coin's entry
    in them.
    """

    column: int
    coins: Vector
    targets: Vector


@attrs.frozen(eq=False)
class Remnant:
    """A combination of rows from which all coins are gone, and what it says about the targets."""

    weights: Vector
    targets: Vector


class Pivoting:
    """Rows `coins[r]`, with `targets[r]` beside them, freed of coins. Both are used up."""

    def __init__(self, coins: dict[int, Vector], targets: dict[int, Vector], modulus: int) -> None:
        self.pivots: list[Pivot] = []
        self.remnants: list[Remnant] = []
        self._coins = coins
        self._targets = targets
        self._modulus = modulus
        self._order: dict[int, int] = {}  # by row, when it was used up
        self._subtracted: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._columns: dict[int, set[int]] = defaultdict(set)
        for row, vector in coins.items():
            for column in vector:
                self._columns[column].add(row)
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
        """A combination of rows as they came out, in terms of the rows as they went in."""
        result: Vector = {}
        pending: Vector = {}
        agenda: list[int] = []
        by_order = {place: row for row, place in self._order.items()}

        def settle(row: int, weight: int) -> None:
            add_to(result, {row: 1}, weight, self._modulus)
            for pivot, factor in self._subtracted.get(row, ()):
                if pivot not in pending:
                    pending[pivot] = 0
                    heapq.heappush(agenda, -self._order[pivot])
                pending[pivot] -= weight * factor

        for row, weight in weights.items():
            settle(row, weight)
        while agenda:
            row = by_order[-heapq.heappop(agenda)]
            settle(row, pending.pop(row) % self._modulus)
        return result

    def _eliminate(self, most: int) -> None:
        """Use up rows for the coins that are in at most so many rows."""
        agenda = [(len(rows), column) for column, rows in self._columns.items()]
        heapq.heapify(agenda)
        while agenda:
            degree, column = heapq.heappop(agenda)
            rows = self._columns.get(column, set())
            if degree != len(rows) or not rows:  # it has changed since, and stands elsewhere
                continue
            if degree > most:
                break
            row = min(rows, key=lambda r: (len(self._coins[r]), r))
            touched = self._use_up(row, column)
            for other in touched:
                if self._columns[other]:
                    heapq.heappush(agenda, (len(self._columns[other]), other))

    def _use_up(self, row: int, column: int) -> set[int]:
        """Free all other rows of a coin; returns the columns whose degree has changed."""
        coins, targets = self._coins.pop(row), self._targets.pop(row, {})
        touched = set(coins)
        inverse = pow(coins[column], -1, self._modulus)
        for place in coins:
            self._columns[place].discard(row)
        for other in sorted(self._columns[column]):
            factor = self._coins[other][column] * inverse % self._modulus
            before = set(self._coins[other]) & touched
            add_to(self._coins[other], coins, -factor, self._modulus)
            for place in coins:
                if place in self._coins[other]:
                    self._columns[place].add(other)
                elif place in before:
                    self._columns[place].discard(other)
            add_to(self._targets.setdefault(other, {}), targets, -factor, self._modulus)
            self._subtracted[other].append((row, factor))
        del self._columns[column]
        self._order[row] = len(self._order)
        self.pivots.append(Pivot(column, coins, targets))
        return touched - {column}

    def _groups(self) -> list[tuple[list[int], list[int]]]:
        """The rows that still hold coins, in groups that share none, with the coins of each."""
        groups, seen = [], set()
        for start in sorted(row for row, coins in self._coins.items() if coins):
            if start in seen:
                continue
            rows: list[int] = [start]
            columns: set[int] = set()
            seen.add(start)
            for row in rows:
                for column in self._coins[row].keys() - columns:
                    columns.add(column)
                    rows += sorted(self._columns[column] - seen)
                    seen |= self._columns[column]
            groups.append((rows, sorted(columns)))
        return groups

    def _finish_densely(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        """Reduce a group of rows, with the identity beside it, by flint."""
        from flint import nmod_mat

        place = {column: at for at, column in enumerate(columns)}
        wide, tall = len(columns), len(rows)
        entries = [0] * (tall * (wide + tall))
        for at, row in enumerate(rows):
            for column, value in self._coins.pop(row).items():
                entries[at * (wide + tall) + place[column]] = value
            entries[at * (wide + tall) + wide + at] = 1
        held = [self._targets.pop(row, {}) for row in rows]
        reduced, _ = nmod_mat(tall, wide + tall, entries, self._modulus).rref()
        for line in reduced.tolist():
            values = [int(value) for value in line]
            weights = {at: value for at, value in enumerate(values[wide:]) if value}
            targets: Vector = {}
            for at, value in weights.items():
                add_to(targets, held[at], value, self._modulus)
            coins = {columns[at]: value for at, value in enumerate(values[:wide]) if value}
            if coins:
                self.pivots.append(Pivot(next(iter(coins)), coins, targets))
            else:
                self.remnants.append(
                    Remnant({rows[at]: value for at, value in weights.items()}, targets)
                )
