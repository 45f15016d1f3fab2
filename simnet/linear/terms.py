"""Sparse linear forms, many at once: rows of terms (unknown, coefficient).

Theory of operation. An unknown is identified by an integer, its number. A message of a sharing
protocol may be a vector of some thousand elements. Each element is "a secret minus the sum of some
coins", with the same coefficients for every element. So the unknowns of a vector get consecutive
numbers, and a row with L *lanes* represents L linear forms at once. Every lane has the coefficients
of the row. The unknowns of lane l have the numbers that the row lists, plus l. If a script treats
the elements of a vector differently, `refine` splits the row into rows with fewer lanes.

Example. One vector consists of the unknowns 10, 11, 12 and another vector of 20, 21, 22. Each
vector has three elements, so one row with three lanes represents it. Their sum, 10 + 20, 11 + 21,
12 + 22, is also one row with three lanes. A single element of the sum needs a row of its own, with
one lane.

>>> both = join([fresh(10, 1, 3), fresh(20, 1, 3)])
>>> both.vectors(), both.lanes
([{10: 1}, {20: 1}], 3)
>>> total = accumulate(both, np.array([0, 0]), None, rows=1, modulus=7)
>>> total.vectors(), total.lanes
([{10: 1, 20: 1}], 3)
>>> pick(total, np.array([2])).vectors(), pick(total, np.array([2])).lanes
([{12: 1, 22: 1}], 1)

Rows are stored as in a compressed sparse matrix (`starts`, `unknowns`, `coefficients`).
"""

import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from math import gcd

import attrs
import numpy as np

from simnet.arrays import Bools, Ints
from simnet.linear.modular import run_sums, times
from simnet.linear.vectors import Vector

PORTION = 1 << 18  # about so many terms are added up at once
MANY = 1 << 10  # if a result has more coefficients than this, and all are equal, one number is kept
SMALL = 1 << 31  # numbers below this one fit into int32


# The latest array of each shape, while it lives. Senders who share in the same way then have one
# array.
_latest: "weakref.WeakValueDictionary[tuple[int, ...], Ints]" = weakref.WeakValueDictionary()


def shared(array: Ints) -> Ints:
    """Return the array, made read-only; or the array of the same shape that `shared` returned last,
    if that array still exists and is equal. So equal arrays are usually kept only once.

    The caller must not change its own array afterwards.
    """
    known = _latest.get(array.shape)
    if known is not None and np.array_equal(known, array):
        return known
    array.flags.writeable = False
    _latest[array.shape] = array
    return array


@attrs.frozen(eq=False)
class Terms:
    """Rows of terms: row k has the terms from `starts[k]` to `starts[k + 1] - 1`.

    Within a row the unknowns are in ascending order, and no coefficient is 0.
    """

    starts: Ints
    unknowns: Ints
    coefficients: Ints
    lanes: int

    @classmethod
    def of_vectors(cls, vectors: Sequence[Mapping[int, int]]) -> "Terms":
        """Return rows with one lane, one for each vector, which maps unknowns to coefficients."""
        ordered = [sorted(vector.items()) for vector in vectors]
        terms = list(itertools.chain.from_iterable(ordered))
        return cls(
            np.cumsum([0, *map(len, ordered)], dtype=np.int64),
            np.array([unknown for unknown, _ in terms], dtype=np.int64),
            np.array([coefficient for _, coefficient in terms], dtype=np.int64),
            1,
        )

    @property
    def rows(self) -> int:
        """The number of rows, of `lanes` forms each."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """The number of terms of each row."""
        return np.diff(self.starts)

    @property
    def row_numbers(self) -> Ints:
        """The row of each term."""
        return np.repeat(np.arange(self.rows), self.lengths)

    def vectors(self) -> list[Vector]:
        """Every row as a mapping from unknowns to coefficients: the form of the row's lane 0."""
        unknowns, coefficients = self.unknowns.tolist(), self.coefficients.tolist()
        return [
            dict(zip(unknowns[start:stop], coefficients[start:stop], strict=True))
            for start, stop in itertools.pairwise(self.starts.tolist())
        ]


def fresh(first: int, rows: int, lanes: int) -> Terms:
    """Return rows of one unknown each: lane l of row k is the unknown `first + k * lanes + l`."""
    return Terms(
        np.arange(rows + 1),
        first + lanes * np.arange(rows, dtype=np.int64),
        np.ones(rows, dtype=np.int64),
        lanes,
    )


def blank(rows: int, lanes: int = 1) -> Terms:
    """Return rows without terms."""
    nothing = np.zeros(0, dtype=np.int64)
    return Terms(np.zeros(rows + 1, dtype=np.int64), nothing, nothing, lanes)


def multiples(unknown: int, numbers: Ints) -> Terms:
    """Return rows with one lane: row k is `numbers[k]` times the unknown."""
    present = numbers != 0
    starts = np.concatenate([[0], present.cumsum()]).astype(np.int64)
    count = int(present.sum())
    return Terms(starts, np.full(count, unknown, dtype=np.int64), numbers[present], 1)


def take(terms: Terms, rows: Ints) -> Terms:
    """Return the rows with the given numbers, in the given order. A number may occur
    several times.
    """
    lengths = terms.lengths[rows]
    starts = np.concatenate([[0], lengths.cumsum()])
    places = np.repeat(terms.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
    return Terms(starts, terms.unknowns[places], terms.coefficients[places], terms.lanes)


def only(terms: Terms, wanted: Callable[[Ints], Bools]) -> Terms:
    """Return the rows with only those terms whose unknowns are wanted."""
    kept = wanted(terms.unknowns)
    before = np.zeros(len(kept) + 1, dtype=np.int64)  # the kept terms before each term
    np.cumsum(kept, out=before[1:])
    return Terms(before[terms.starts], terms.unknowns[kept], terms.coefficients[kept], terms.lanes)


def between(terms: Terms, begin: int, end: int) -> Terms:
    """Return the rows `begin` to `end - 1`. Their terms are not copied, so all terms stay in memory
    as long as these rows do.
    """
    starts = terms.starts[begin : end + 1]
    first, last = int(starts[0]), int(starts[-1])
    return Terms(
        starts - first, terms.unknowns[first:last], terms.coefficients[first:last], terms.lanes
    )


def refine(terms: Terms, lanes: int) -> Terms:
    """Return the same forms with fewer lanes in a row. `lanes` must divide the present number of
    lanes.
    """
    pieces = terms.lanes // lanes
    if pieces == 1:
        return terms
    if terms.unknowns.size == terms.rows and np.all(terms.lengths == 1):
        # As a rule these are fresh unknowns; a large run has many.
        split = terms.unknowns[:, np.newaxis] + lanes * np.arange(pieces)
        return Terms(
            np.arange(split.size + 1),
            split.reshape(-1),
            np.repeat(terms.coefficients, pieces),
            lanes,
        )
    rows = take(terms, np.repeat(np.arange(terms.rows), pieces))
    offsets = np.repeat(
        np.tile(np.arange(pieces, dtype=np.int64) * lanes, terms.rows), rows.lengths
    )
    return Terms(rows.starts, rows.unknowns + offsets, rows.coefficients, lanes)


def pick(terms: Terms, elements: Ints) -> Terms:
    """Return the forms with the given numbers. Lane l of row k is the form number `k * lanes + l`.

    If `elements` lists whole rows, the result keeps the lanes; otherwise each row has one lane.
    """
    lanes = terms.lanes
    if elements.size % lanes == 0:
        wanted = elements.reshape(-1, lanes)
        if np.all(wanted == wanted[:, :1] + np.arange(lanes)) and np.all(wanted[:, 0] % lanes == 0):
            return take(terms, wanted[:, 0] // lanes)
    return take(refine(terms, 1), elements.reshape(-1))


def join(parts: Sequence[Terms]) -> Terms:
    """Return the rows of several `Terms`, one after another. Their common number of lanes is the
    greatest common divisor of the parts' numbers of lanes.
    """
    lanes = gcd(*(part.lanes for part in parts))
    fine = [refine(part, lanes) for part in parts]
    ends = np.cumsum([part.starts[-1] for part in fine])
    starts = [
        part.starts[1:] + (end - part.starts[-1]) for part, end in zip(fine, ends, strict=True)
    ]
    return Terms(
        np.concatenate([[0], *starts]),
        np.concatenate([part.unknowns for part in fine]),
        np.concatenate([part.coefficients for part in fine]),
        lanes,
    )


def accumulate(
    source: Terms, targets: Ints, weights: Ints | None, rows: int, modulus: int
) -> Terms:
    """Return `rows` new rows: row k of `source`, times `weights[k]`, is added to row `targets[k]`.

    Weights are in `0..q-1`; if `weights` is None, every weight is 1. A term whose coefficient
    becomes 0 is dropped.
    """
    if not source.unknowns.size:
        return blank(rows, source.lanes)
    coefficients = source.coefficients
    if weights is not None:
        coefficients = times(coefficients, np.repeat(weights, source.lengths), modulus)
    if rows == 1 and source.unknowns.size > PORTION:
        return _long_sum(source.unknowns, coefficients, source.lanes, modulus)
    unknowns = source.unknowns
    into = np.repeat(targets.astype(np.int32 if rows < SMALL else np.int64), source.lengths)
    # Sorted by new row and unknown, the terms that have to be added up stand side by side. Large
    # runs have many terms, so an array is dropped as soon as it is not needed.
    if np.any(into[1:] < into[:-1]):
        order = _by_row(into, rows)
        into, unknowns, coefficients = into[order], unknowns[order], coefficients[order]
        del order
    if np.any((into[1:] == into[:-1]) & (unknowns[1:] < unknowns[:-1])):
        order = np.lexsort((unknowns, into))
        into, unknowns, coefficients = into[order], unknowns[order], coefficients[order]
        del order
    differs = (into[1:] != into[:-1]) | (unknowns[1:] != unknowns[:-1])
    begins = np.flatnonzero(np.concatenate([[True], differs]))
    coefficients = run_sums(coefficients, begins, modulus)
    left = begins[coefficients != 0]
    into, unknowns = into[left], unknowns[left]
    coefficients = coefficients[coefficients != 0]
    starts = np.concatenate([[0], np.bincount(into, minlength=rows).cumsum()]).astype(np.int64)
    if len(coefficients) > MANY and np.all(coefficients == coefficients[0]):
        # A party may hold the sum of thousands of coins while it waits: equal numbers take no room.
        coefficients = np.broadcast_to(coefficients[0], len(coefficients))
    return Terms(starts, unknowns, coefficients, source.lanes)


def _long_sum(unknowns: Ints, coefficients: Ints, lanes: int, modulus: int) -> Terms:
    """Return the sum of very many terms as one row."""
    # Sorting takes several times the memory of the terms. So the unknowns are cut into ranges, and
    # the terms of each range are sorted by themselves.
    sample = np.sort(unknowns[:: max(len(unknowns) // 4096, 1)])
    cuts = np.unique(sample[:: max(len(sample) * PORTION // len(unknowns), 1)])
    parts = []
    for low, high in itertools.pairwise([None, *cuts[1:].tolist(), None]):
        is_inside = np.ones(len(unknowns), dtype=np.bool_)
        if low is not None:
            is_inside &= unknowns >= low
        if high is not None:
            is_inside &= unknowns < high
        chosen = np.flatnonzero(is_inside)
        inside = unknowns[chosen]
        order = np.argsort(inside, kind="stable")
        inside = inside[order]
        begins = np.flatnonzero(np.diff(inside, prepend=-1))
        if begins.size:
            sums = run_sums(coefficients[chosen[order]], begins, modulus)
            parts.append((inside[begins[sums != 0]], sums[sums != 0]))
    found = np.concatenate([part for part, _ in parts])
    return Terms(
        np.array([0, len(found)]), found, np.concatenate([sums for _, sums in parts]), lanes
    )


def closed(rows: Terms, totals: Terms, sizes: Sequence[int], modulus: int) -> Terms:
    """Return rows with one more row after each group of rows: a total minus the sum of the group.

    The k-th group has `sizes[k]` rows. All rows have one lane.
    """
    if np.all(rows.lengths == 1) and np.all(rows.unknowns[1:] > rows.unknowns[:-1]):
        if not (totals.unknowns.size and rows.unknowns.size):
            is_apart = True
        else:
            is_apart = bool(totals.unknowns.max() < rows.unknowns[0])
        if is_apart:
            return _closed_quickly(rows, totals, sizes, modulus)
    lengths = np.asarray(sizes, dtype=np.int64)
    run = np.repeat(np.arange(len(lengths)), lengths)
    ends = lengths.cumsum() + np.arange(len(lengths))
    ones = np.ones(len(run), dtype=np.int64)
    return accumulate(
        join([rows, totals, rows]),
        np.concatenate([np.arange(len(run)) + run, ends, ends[run]]),
        np.concatenate([ones, np.ones(len(lengths), dtype=np.int64), ones * (modulus - 1)]),
        len(run) + len(lengths),
        modulus,
    )


def _closed_quickly(rows: Terms, totals: Terms, sizes: Sequence[int], modulus: int) -> Terms:
    """Do the same as `closed` for rows of one term each, whose unknowns are in ascending order and
    have larger numbers than all unknowns in the totals.
    """
    lengths, unknowns, coefficients = [], [], []
    begin = 0
    for size, start, stop in zip(sizes, totals.starts[:-1], totals.starts[1:], strict=True):
        group = slice(begin, begin + size)
        own, factors = rows.unknowns[group], rows.coefficients[group]
        lengths += [np.ones(size, dtype=np.int64), np.array([stop - start + size])]
        unknowns += [own, totals.unknowns[start:stop], own]
        coefficients += [factors, totals.coefficients[start:stop], modulus - factors]
        begin += size
    nothing = np.zeros(1, dtype=np.int64)
    return Terms(
        np.cumsum(np.concatenate([nothing, *lengths])),
        np.concatenate([nothing[:0], *unknowns]),
        np.concatenate([nothing[:0], *coefficients]),
        1,
    )


def _by_row(into: Ints, rows: int) -> Ints:
    """Return the stable order of terms by the row that they are added to."""
    # Numpy sorts numbers of 16 bits by counting, which is much faster than sorting larger numbers.
    order = np.argsort(into.astype(np.uint16), kind="stable")
    for shift in range(16, rows.bit_length(), 16):
        order = order[np.argsort((into >> shift).astype(np.uint16)[order], kind="stable")]
    return order


def no_rows(lanes: int) -> Terms:
    """Return `Terms` without rows."""
    nothing = np.zeros(0, dtype=np.int64)
    return Terms(np.zeros(1, dtype=np.int64), nothing, nothing, lanes)


def common_lanes(parts: Sequence[Terms]) -> int:
    """Return a number of lanes that all rows of several parts can have: the greatest common divisor
    of the parts' numbers of lanes, or 1 if some unknown would then occur in two different lanes; 0
    if there are no parts.
    """
    lanes = gcd(*(part.lanes for part in parts))
    if lanes < 2:
        return lanes
    listed = np.concatenate([refine(part, lanes).unknowns for part in parts if part.lanes])
    # Equal unknowns have a gap of 0; this is several times faster than np.unique.
    gaps = np.diff(np.sort(listed))
    return 1 if np.any((gaps > 0) & (gaps < lanes)) else lanes
