"""The steps of elimination that need no arithmetic, for all rows together.

Before the pivoting, three cheap steps take away most of what a large run consists of:

1. `peel`: a coin that occurs in one row only makes that row uniform, whatever else is in it. Such a
   row says nothing, and without it other coins may occur once only.
2. `reveal`: a row that consists of one coin alone tells that coin. Known coins no longer hide
   anything, and without them other rows may consist of one coin alone.
3. `drop_proportional`: of several coins whose columns are multiples of each other only the first is
   kept, because a combination of rows cancels all of them or none.

A system is a sparse matrix of entries (row, column, coefficient): a message, a coin, and how often
the coin is in the message. [The first step is the peeling of erasure codes.]
"""

from collections.abc import Iterator

import attrs
import numpy as np

from simnet.arrays import Bools, Ints
from simnet.linear.modular import inverses, times


@attrs.frozen(eq=False)
class Entries:
    """The entries of a sparse matrix: one for each (row, column) that is not 0."""

    rows: Ints
    columns: Ints
    coefficients: Ints

    def where(self, chosen: Bools) -> "Entries":
        """The entries where `chosen` is true."""
        return Entries(self.rows[chosen], self.columns[chosen], self.coefficients[chosen])


def peel(entries: Entries, rows: int, columns: int) -> tuple[list[tuple[int, int]], Entries]:
    """Take away every row that has a coin which occurs nowhere else, as often as there is one.

    Returns (row, coin) for each row taken away, in order, and the entries left. The row of a coin
    may contain coins of rows that are peeled later, never of rows peeled earlier.
    """
    peeled: list[tuple[int, int]] = []
    while entries.rows.size:
        occurs_once = np.bincount(entries.columns, minlength=columns)[entries.columns] == 1
        if not occurs_once.any():
            break
        gone_rows, first = np.unique(entries.rows[occurs_once], return_index=True)
        peeled += zip(gone_rows.tolist(), entries.columns[occurs_once][first].tolist(), strict=True)
        is_gone = np.zeros(rows, dtype=np.bool_)
        is_gone[gone_rows] = True
        entries = entries.where(~is_gone[entries.rows])
    return peeled, entries


def reveal(
    entries: Entries, rows: int, columns: int, without_targets: Bools
) -> tuple[list[tuple[int, int]], Entries]:
    """Take away every coin that is alone in a row of `without_targets`, as often as there is one.

    Returns (row, coin) for each coin taken away, in order, and the entries left. The row of a coin
    may contain coins that were revealed earlier, never coins revealed later.
    """
    revealed: list[tuple[int, int]] = []
    while entries.rows.size:
        is_alone = np.bincount(entries.rows, minlength=rows)[entries.rows] == 1
        is_alone &= without_targets[entries.rows]
        if not is_alone.any():
            break
        known_coins, first = np.unique(entries.columns[is_alone], return_index=True)
        revealed += zip(entries.rows[is_alone][first].tolist(), known_coins.tolist(), strict=True)
        is_known = np.zeros(columns, dtype=np.bool_)
        is_known[known_coins] = True
        entries = entries.where(~is_known[entries.columns])
    return revealed, entries


def drop_proportional(entries: Entries, modulus: int) -> Entries:
    """Keep one coin of every class of coins whose columns are multiples of each other.

    Each column is divided by its first coefficient; then two are proportional exactly when they are
    equal. Columns are compared whole, not by a hash: a verdict rests on it.
    """
    order = np.lexsort((entries.rows, entries.columns))
    ordered = Entries(entries.rows[order], entries.columns[order], entries.coefficients[order])
    names, starts, degrees = np.unique(ordered.columns, return_index=True, return_counts=True)
    scales = inverses(ordered.coefficients[starts], modulus) if names.size else names
    scaled = times(ordered.coefficients, np.repeat(scales, degrees), modulus)
    is_kept = np.zeros(len(names), dtype=np.bool_)
    for chosen, places in _by_degree(starts, degrees):
        table = np.concatenate([ordered.rows[places], scaled[places]], axis=1)
        is_kept[chosen[_first_of_each(table)]] = True
    return ordered.where(np.repeat(is_kept, degrees))


def _first_of_each(table: Ints) -> Ints:
    """The places of those rows of a table that are equal to no row before; no entry is negative.

    Rows become single numbers, column by column: key * base + entry. Where these would no longer
    fit into 62 bits, the keys made so far are renumbered 0, 1, 2, ..., which keeps different rows
    different.
    """
    keys, size = np.zeros(len(table), dtype=np.int64), 1
    for column in table.T:
        base = int(column.max(initial=0)) + 1
        if size * base >= 1 << 62:
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        if size * base >= 1 << 62:
            values, column = np.unique(column, return_inverse=True)
            base = len(values)
        keys, size = keys * base + column, size * base
    return np.unique(keys, return_index=True)[1]


def _by_degree(starts: Ints, degrees: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The columns of each number of entries, with the places of their entries, a row a column."""
    for degree in np.unique(degrees).tolist():
        chosen = np.flatnonzero(degrees == degree)
        yield chosen, starts[chosen][:, np.newaxis] + np.arange(degree)
