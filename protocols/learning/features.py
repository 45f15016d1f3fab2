"""Rows of numbers in [-1, 1] from a table: numbers by their declared ranges, categories one-hot.

A category of c values becomes c - 1 columns of 0 and 1, all 0 for the first value, as in Wang et al., *Collecting and
Analyzing Multidimensional Data with Local Differential Privacy*, Section VI.
"""

import numpy as np
import numpy.typing as npt

from protocols.local.interval import Interval
from simnet.study.schema import Schema

Floats = npt.NDArray[np.float64]


def encoded(rows: Floats, schema: Schema) -> Floats:
    """The features of every row of a table, first those of numbers; shapes (n, columns) and (n, d).

    Raises `ValueError` for a number out of its declared range.
    """
    first = len(schema.numeric)
    ranges = [Interval(one.low, one.high) for one in schema.numeric]
    numbers = [one.scaled(column)[:, np.newaxis] for one, column in zip(ranges, rows.T[:first], strict=True)]
    sizes = [len(one.labels) for one in schema.categorical]
    flags = [_one_hot(column, size) for column, size in zip(rows.T[first:], sizes, strict=True)]
    return np.hstack([*numbers, *flags])


def with_constant(features: Floats) -> Floats:
    """The features and a last one that is 1 for everybody, whose weight is the intercept; shapes (n, d), (n, d + 1)."""
    return np.hstack([features, np.ones((len(features), 1))])


def _one_hot(items: Floats, size: int) -> Floats:
    """Items from 1 as flags, none for the first; shapes (n,) and (n, c - 1)."""
    return np.eye(size)[items.astype(np.int64) - 1, 1:]
