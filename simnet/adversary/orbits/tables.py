"""Matrices that do not change when alike parties change places, as short tables.

Theory of operation
-------------------

Parties fall into *classes* of parties that are alike. The rows and columns of a matrix belong to
*types*. A type has a *word*, which lists classes, and it has one row (or column) for each way to
put different parties into the places of its word::

    type        word               its rows
    partial     (user)             one for each user
    share       (user, user)       one for each ordered pair of different users
    total       ()                 a single row

A matrix is *equivariant* if an entry stays the same when the parties of a class change places, in
its row and in its column. Then an entry depends on three things only: on the type of its row, on
the type of its column, and on which places of the two contain the same party. This last thing is a
*matching*: a set of pairs (place in the row's word, place in the column's word). Places that are
not matched contain different parties. So the whole matrix is a `Table`::

    (row type, column type, matching) -> coefficient

Example: every user i sends a share to every other user. The row "sum of what i receives" has the
coefficient 1 at the share (j, i) for every other user j. This is a single entry: the row type
(user), the column type (user, user), and the matching {(0, 1)}, which says that the row's party is
the recipient.

*Products.* In a product of two matrices, the columns of the first are the rows of the second: we
call the parties in their places *middle tuples*. To multiply two tables, we go through pairs of
their entries that have the same middle type, and through the matchings of the result that agree
with both entries. It remains to count, for one row and one column, the middle tuples to which both
entries apply. Places of the middle tuple that are matched with the row or the column are fixed. All
other places are free: they contain parties that occur neither in the row nor in the column. Let a
class have `h` parties, and let `m` of them occur in the row or the column. Then the first free
place of this class has h - m parties to choose from, the second h - m - 1, and so on. The product
of these numbers, reduced mod q, is a factor of the coefficient.

>>> orbits = Orbits({"user": 5}, modulus=101)
>>> share, user, total = ("user", "user"), ("user",), ()
>>> received = {(0, 0, ((0, 1),)): 1}  # row i, share (j, i)
>>> all_sums = {(0, 0, ()): 1}         # the sum over all users i
>>> orbits.product(all_sums, received, [total], [user], [share])
{(0, 0, ()): 1}
>>> is_sent_by = {(0, 0, ((0, 0),)): 1}  # share (i, j), secret of i
>>> orbits.product(received, is_sent_by, [user], [share], [user])
{(0, 0, ()): 1}

The first product says that the sum over all users contains every share once. The second product
says that what user i receives depends on the secret of every other user, and not on the secret of
user i. The following product is diagonal, and its coefficient is the number of shares that each
user receives:

>>> orbits.product(received, {(0, 0, ((1, 0),)): 1}, [user], [share], [user])
{(0, 0, ((0, 0),)): 4}
"""

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

Word = tuple[str, ...]  # the classes of the places of a type
Matching = tuple[tuple[int, int], ...]  # pairs of places with one party, in ascending order
Entry = tuple[int, int, Matching]  # row type, column type, matching
Table = dict[Entry, int]


class Orbits:
    """The arithmetic of tables for classes of given sizes, over F_q.

    Words may contain the names in `sizes` only.
    """

    def __init__(self, sizes: Mapping[str, int], modulus: int) -> None:
        self.sizes = dict(sizes)
        self.modulus = modulus
        self._compositions: dict[
            tuple[Word, Word, Word, Matching, Matching], tuple[tuple[Matching, int], ...]
        ] = {}

    def exists(self, word: Word) -> bool:
        """Whether the classes have enough parties for the word's places."""
        return all(count <= self.sizes[name] for name, count in Counter(word).items())

    def matchings(self, row: Word, column: Word) -> tuple[Matching, ...]:
        """All matchings of two words that occur: those for which the classes are large enough."""
        return _matchings(row, column, tuple(sorted(self.sizes.items())))

    def entries(self, rows: Sequence[Word], columns: Sequence[Word]) -> list[Entry]:
        """All places that a table with these row types and column types has."""
        return [
            (row, column, matching)
            for (row, word), (column, other) in itertools.product(
                enumerate(rows), enumerate(columns)
            )
            for matching in self.matchings(word, other)
        ]

    def product(
        self,
        left: Mapping[Entry, int],
        right: Mapping[Entry, int],
        rows: Sequence[Word],
        inner: Sequence[Word],
        columns: Sequence[Word],
    ) -> Table:
        """The product of two tables. The columns of `left` and the rows of `right` have the words
        `inner`.
        """
        by_row: dict[int, list[tuple[int, Matching, int]]] = {}
        for (middle, column, second), value in right.items():
            by_row.setdefault(middle, []).append((column, second, value))
        result: Table = {}
        for (row, middle, first), factor in left.items():
            for column, second, value in by_row.get(middle, ()):
                for matching, count in self._composed(
                    rows[row], inner[middle], columns[column], first, second
                ):
                    key = row, column, matching
                    entry = (result.get(key, 0) + factor * value * count) % self.modulus
                    if entry:
                        result[key] = entry
                    else:
                        result.pop(key, None)
        return result

    def added(
        self, left: Mapping[Entry, int], right: Mapping[Entry, int], factor: int = 1
    ) -> Table:
        """The table `left` plus a multiple of the table `right`."""
        result = dict(left)
        for key, value in right.items():
            entry = (result.get(key, 0) + factor * value) % self.modulus
            if entry:
                result[key] = entry
            else:
                result.pop(key, None)
        return result

    def identity(self, words: Sequence[Word]) -> Table:
        """The table of the identity matrix; types without any tuple are left out."""
        return {
            (place, place, tuple((at, at) for at in range(len(word)))): 1
            for place, word in enumerate(words)
            if self.exists(word)
        }

    def _composed(
        self, row: Word, middle: Word, column: Word, first: Matching, second: Matching
    ) -> tuple[tuple[Matching, int], ...]:
        """The matchings of the row with the column that agree with `first` (row and middle) and
        with `second` (middle and column). With each matching we return the number of middle tuples
        to which both apply, reduced mod q.
        """
        key = row, middle, column, first, second
        found = self._compositions.get(key)
        if found is None:
            found = self._compositions[key] = tuple(self._compose(*key))
        return found

    def _compose(
        self, row: Word, middle: Word, column: Word, first: Matching, second: Matching
    ) -> Iterator[tuple[Matching, int]]:
        by_middle = dict(second)
        # A place of the middle that both sides match forces their places to be equal.
        forced = [(p, by_middle[x]) for p, x in first if x in by_middle]
        # All other pairs join places that are not matched with the middle: a matched place contains
        # a party of the middle, from which unmatched places of the other side differ.
        free_row = [place for place in range(len(row)) if place not in {p for p, _ in first}]
        free_column = [
            place for place in range(len(column)) if place not in set(by_middle.values())
        ]
        matched = {x for _, x in first} | set(by_middle)
        free = Counter(name for x, name in enumerate(middle) if x not in matched)
        for more in _partial_matchings(free_row, free_column, row, column):
            matching = tuple(sorted([*forced, *more]))
            present = _present(row, column, matching)
            if any(number > self.sizes[name] for name, number in present.items()):
                continue
            count = 1
            for name, places in free.items():
                for taken in range(places):
                    count *= max(self.sizes[name] - present[name] - taken, 0)
            if count:
                yield matching, count % self.modulus


def _present(row: Word, column: Word, matching: Matching) -> Counter[str]:
    present = Counter(row) + Counter(column)
    present.subtract(row[place] for place, _ in matching)
    return present


def _partial_matchings(
    row_places: Sequence[int], column_places: Sequence[int], row: Word, column: Word
) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways to match none, some or all of the places, each with one place of the same class."""
    if not row_places:
        yield ()
        return
    place, rest = row_places[0], row_places[1:]
    for more in _partial_matchings(rest, column_places, row, column):
        yield more
    for other in column_places:
        if row[place] == column[other]:
            left = [each for each in column_places if each != other]
            for more in _partial_matchings(rest, left, row, column):
                yield ((place, other), *more)


@functools.lru_cache(maxsize=4096)
def _matchings(row: Word, column: Word, sizes: tuple[tuple[str, int], ...]) -> tuple[Matching, ...]:
    by_name = dict(sizes)
    found = [
        tuple(sorted(matching))
        for matching in _partial_matchings(range(len(row)), range(len(column)), row, column)
    ]
    return tuple(
        matching
        for matching in sorted(found)
        if all(number <= by_name[name] for name, number in _present(row, column, matching).items())
    )
