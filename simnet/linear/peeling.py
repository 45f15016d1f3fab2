"""What elimination can settle at once, for all rows together: coins seen once, coins seen bare,
coins that fare alike.

Entries are (row, column, coefficient): a message, a coin, and how often the coin is in it.
"""

from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt

from simnet.linear.modular import Ints, inverses, times

Bools = npt.NDArray[np.bool_]


@attrs.frozen(eq=False)
class Entries:
    """The entries of a sparse matrix, one for each (row, column) that is not 0."""

    rows: Ints
    columns: Ints
    coefficients: Ints

    def only(self, kept: Bools) -> "Entries":
        """Some of the entries."""
        return Entries(self.rows[kept], self.columns[kept], self.coefficients[kept])


def peel(entries: Entries, rows: int, columns: int) -> tuple[list[tuple[int, int]], Entries]:
    """Rows that hold a coin seen nowhere else, with that coin: they say nothing, and without them
    others may not.

    A coin's row may hold coins of rows peeled later, never of rows peeled earlier. Returns also the
    entries left.
    """
    peeled: list[tuple[int, int]] = []
    while entries.rows.size:
        single = np.bincount(entries.columns, minlength=columns)[entries.columns] == 1
        if not single.any():
            break
        gone, first = np.unique(entries.rows[single], return_index=True)
        peeled += zip(gone.tolist(), entries.columns[single][first].tolist(), strict=True)
        mask = np.zeros(rows, dtype=np.bool_)
        mask[gone] = True
        entries = entries.only(~mask[entries.rows])
    return peeled, entries


def reveal(
    entries: Entries, rows: int, columns: int, bare: Bools
) -> tuple[list[tuple[int, int]], Entries]:
    """Rows that show one coin alone, with that coin; `bare` rows hold no secret. Known coins no
    longer count.

    A coin's row may hold coins revealed earlier, never later ones. Returns also the entries left.
    """
    revealed: list[tuple[int, int]] = []
    while entries.rows.size:
        single = (np.bincount(entries.rows, minlength=rows)[entries.rows] == 1) & bare[entries.rows]
        if not single.any():
            break
        known, first = np.unique(entries.columns[single], return_index=True)
        revealed += zip(entries.rows[single][first].tolist(), known.tolist(), strict=True)
        mask = np.zeros(columns, dtype=np.bool_)
        mask[known] = True
        entries = entries.only(~mask[entries.columns])
    return revealed, entries


def distinct(entries: Entries, modulus: int) -> Entries:
    """One coin of every class of coins whose columns are multiples of each other: the rest hides
    nothing more.
    """
    order = np.lexsort((entries.rows, entries.columns))
    ordered = Entries(entries.rows[order], entries.columns[order], entries.coefficients[order])
    names, starts, degrees = np.unique(ordered.columns, return_index=True, return_counts=True)
    scales = inverses(ordered.coefficients[starts], modulus) if names.size else names
    scaled = times(ordered.coefficients, np.repeat(scales, degrees), modulus)
    kept = np.zeros(len(names), dtype=np.bool_)
    for chosen, places in _by_degree(starts, degrees):
        table = np.concatenate([ordered.rows[places], scaled[places]], axis=1)
        kept[chosen[_first_of_each(table)]] = True
    return ordered.only(np.repeat(kept, degrees))


def _first_of_each(table: Ints) -> Ints:
    """The places of rows that are like no row before; entries are not negative. Exact: whole rows
    become one number.
    """
    keys, size = np.zeros(len(table), dtype=np.int64), 1
    for column in table.T:
        base = int(column.max(initial=0)) + 1
        if size * base >= 1 << 62:  # keys no longer fit: count them out
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        if size * base >= 1 << 62:
            values, column = np.unique(column, return_inverse=True)
            base = len(values)
        keys, size = keys * base + column, size * base
    return np.unique(keys, return_index=True)[1]


def _by_degree(starts: Ints, degrees: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For each number of entries, the columns that have so many, and their entries' places, a row a
    column.
    """
    for degree in np.unique(degrees).tolist():
        chosen = np.flatnonzero(degrees == degree)
        yield chosen, starts[chosen][:, np.newaxis] + np.arange(degree)
