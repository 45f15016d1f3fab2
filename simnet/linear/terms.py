"""Sparse linear forms: rows of terms (unknown, coefficient), several unknowns side by side where
all fare alike.

An unknown is a number. A row of L lanes stands for L forms: lane l has the same coefficients, and
every unknown's number is l higher. So one row speaks of a whole vector until a script treats its
elements differently.
"""

from collections.abc import Sequence
from math import gcd

import attrs
import numpy as np

from simnet.linear.modular import Ints, run_sums, times


@attrs.frozen(eq=False)
class Terms:
    """Row k has the terms `starts[k]..starts[k+1]`; unknowns ascend within a row, no coefficient is
    0.
    """

    starts: Ints
    unknowns: Ints
    coefficients: Ints
    lanes: int

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


def fresh(first: int, rows: int, lanes: int) -> Terms:
    """Unknowns that follow one another: row k is unknown `first + k * lanes` and its neighbours."""
    return Terms(
        np.arange(rows + 1),
        first + lanes * np.arange(rows, dtype=np.int64),
        np.ones(rows, dtype=np.int64),
        lanes,
    )


def blank(rows: int) -> Terms:
    """Rows without terms, of one lane."""
    nothing = np.zeros(0, dtype=np.int64)
    return Terms(np.zeros(rows + 1, dtype=np.int64), nothing, nothing, 1)


def take(terms: Terms, rows: Ints) -> Terms:
    """Some of the rows, in this order; a row may be taken twice."""
    lengths = terms.lengths[rows]
    starts = np.concatenate([[0], lengths.cumsum()])
    places = np.repeat(terms.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
    return Terms(starts, terms.unknowns[places], terms.coefficients[places], terms.lanes)


def refine(terms: Terms, lanes: int) -> Terms:
    """The same forms with fewer lanes a row; `lanes` divides the present number."""
    pieces = terms.lanes // lanes
    if pieces == 1:
        return terms
    rows = take(terms, np.repeat(np.arange(terms.rows), pieces))
    offsets = np.repeat(
        np.tile(np.arange(pieces, dtype=np.int64) * lanes, terms.rows), rows.lengths
    )
    return Terms(rows.starts, rows.unknowns + offsets, rows.coefficients, lanes)


def pick(terms: Terms, elements: Ints) -> Terms:
    """Some of the forms, counted lane by lane; lanes are kept together where whole rows are
    picked.
    """
    lanes = terms.lanes
    if elements.size % lanes == 0:
        wanted = elements.reshape(-1, lanes)
        if np.all(wanted == wanted[:, :1] + np.arange(lanes)) and np.all(wanted[:, 0] % lanes == 0):
            return take(terms, wanted[:, 0] // lanes)
    return take(refine(terms, 1), elements.reshape(-1))


def join(parts: Sequence[Terms]) -> Terms:
    """The rows of several, one after another, in as many lanes as all of them allow."""
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
    """New rows: row k is added to row `targets[k]`, times `weights[k]` in `0..q-1` where weights
    are given.
    """
    coefficients = source.coefficients
    if weights is not None:
        coefficients = times(coefficients, np.repeat(weights, source.lengths), modulus)
    into = np.repeat(targets, source.lengths)
    order = np.lexsort((source.unknowns, into))
    into, unknowns, coefficients = into[order], source.unknowns[order], coefficients[order]
    if into.size:
        begins = np.flatnonzero(
            np.concatenate([[True], (into[1:] != into[:-1]) | (unknowns[1:] != unknowns[:-1])])
        )
        coefficients = run_sums(coefficients, begins, modulus)
        kept = coefficients != 0
        into, unknowns, coefficients = (
            into[begins][kept],
            unknowns[begins][kept],
            coefficients[kept],
        )
    starts = np.concatenate([[0], np.bincount(into, minlength=rows).cumsum()]).astype(np.int64)
    return Terms(starts, unknowns, coefficients, source.lanes)
