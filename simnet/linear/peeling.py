"""The cheap first steps of elimination, which work on all rows at once.

Theory of operation. The system is a sparse matrix of entries (row, column, coefficient): a message,
a coin, and the coin's coefficient in that message. Before the pivoting, three cheap steps remove
entries:

1. `peel`: if a coin occurs in one row only, that row is uniform whatever its other terms are. The
   row tells nothing, so it is removed. Then other coins may be left that occur in one row only.
2. `reveal`: if a row consists of a single coin and has no targets, the row tells this coin. A known
   coin hides nothing, so it is removed from all rows. Then other rows may consist of a single coin.
3. `drop_proportional`: if the columns of several coins are multiples of each other, a combination
   of rows cancels all of these coins or none of them. So only the first of these coins is kept.

Example. The messages are c1 + s1, c2 + s2, c2 + s3, c3 and c3 + s4. `peel` removes the first
message, because c1 occurs in no other message. `reveal` removes c3, because the fourth message is
c3. Only c2 is left.
"""

from collections.abc import Iterable, Iterator

import attrs
import numpy as np

from simnet.arrays import Bools, Ints
from simnet.linear.modular import inverses, times


@attrs.frozen(eq=False)
class Entries:
    """The entries of a sparse matrix that are not 0: three arrays of the same length.

    The entries are ordered by column, and by row within a column.
    """

    rows: Ints
    columns: Ints
    coefficients: Ints

    def where(self, chosen: Bools) -> "Entries":
        """Return the entries at which `chosen` is true."""
        return Entries(self.rows[chosen], self.columns[chosen], self.coefficients[chosen])


def peel(entries: Entries, rows: int, columns: int) -> tuple[list[tuple[int, int]], Entries]:
    """Remove every row with a coin that occurs in no other row; repeat this until no such row is
    left.

    Returns a pair (row, coin) for each removed row, in order, and the remaining entries. A removed
    row may contain the coins of rows that are removed later, but not the coin of a row that was
    removed earlier.
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
) -> tuple[list[tuple[Ints, Ints]], Entries]:
    """Remove every coin that is the only entry of a row in `without_targets`; repeat this until no
    such coin is left.

    Returns the coins that were removed in each pass, beside the rows that gave them, and the
    remaining entries. The row of a removed coin may contain coins of earlier passes, but no other
    coin of the same pass or of a later pass.
    """
    passes: list[tuple[Ints, Ints]] = []
    while entries.rows.size:
        is_alone = np.bincount(entries.rows, minlength=rows)[entries.rows] == 1
        is_alone &= without_targets[entries.rows]
        if not is_alone.any():
            break
        known_coins, first = np.unique(entries.columns[is_alone], return_index=True)
        passes.append((entries.rows[is_alone][first], known_coins))
        is_known = np.zeros(columns, dtype=np.bool_)
        is_known[known_coins] = True
        entries = entries.where(~is_known[entries.columns])
    return passes, entries


def drop_proportional(entries: Entries, modulus: int) -> Entries:
    """Keep the first coin of every class of coins whose columns are multiples of each other.

    We compare whole columns and not hashes, because a verdict must not depend on a collision of
    hashes.
    """
    if not entries.rows.size:
        return entries
    begins = np.flatnonzero(np.diff(entries.columns, prepend=-1))
    degrees = np.diff(begins, append=entries.columns.size)
    scales = inverses(entries.coefficients[begins], modulus)
    is_kept = np.zeros(len(begins), dtype=np.bool_)
    for degree in np.unique(degrees).tolist():
        chosen = np.flatnonzero(degrees == degree)
        is_kept[
            chosen[_first_of_each(_table(entries, begins[chosen], scales[chosen], degree, modulus))]
        ] = True
    return entries.where(np.repeat(is_kept, degrees))


def _table(
    entries: Entries, begins: Ints, scales: Ints, degree: int, modulus: int
) -> Iterator[Ints]:
    """Yield the columns of a table with a row for each coin with `degree` entries: the numbers of
    the rows in which the coin occurs, and the coin's coefficients divided by the first of them.
    """
    for place in range(degree):
        yield entries.rows[begins + place]
    for place in range(1, degree):  # the first coefficient becomes 1
        yield times(entries.coefficients[begins + place], scales, modulus)


def _first_of_each(table: Iterable[Ints]) -> Ints:
    """Return the index of the first occurrence of each different row of a table. The table is given
    by its columns; it has at least one column, and no negative entry.
    """
    keys, size = np.zeros(1, dtype=np.int64), 1
    for column in table:
        base = int(column.max(initial=0)) + 1
        if size * base >= 1 << 62:
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        if size * base >= 1 << 62:
            values, column = np.unique(column, return_inverse=True)
            base = len(values)
        keys, size = keys * base + column, size * base
    return np.unique(keys, return_index=True)[1]
