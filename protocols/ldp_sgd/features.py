"""Features in [-1, 1] from the rows of a table: numbers by declared ranges, categories one-hot.

A column of c categories becomes c - 1 features, each 0 or 1. They are all 0 for the last category.
Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section VI.
"""

import numpy as np

from protocols.mechanisms.value_range import ValueRange
from simnet.arrays import Floats, Ints
from simnet.scenario.schema import Schema


def encoded(rows: Floats, schema: Schema) -> Floats:
    """Return the features of every row, first those of numbers; shape (n, d).

    Raises `ValueError` for a number out of its declared range, and for a value that is not an item
    of its domain.
    """
    first = len(schema.numeric)
    ranges = [ValueRange(number.low, number.high) for number in schema.numeric]
    numbers = [
        interval.scaled(column)[:, np.newaxis]
        for interval, column in zip(ranges, rows.T[:first], strict=True)
    ]
    sizes = [len(category.labels) for category in schema.categorical]
    flags = [_one_hot(column, size) for column, size in zip(rows.T[first:], sizes, strict=True)]
    return np.hstack([*numbers, *flags])


def with_constant(features: Floats) -> Floats:
    """Return the features and, as the last feature, a constant 1, whose weight is the intercept.

    The features have shape (n, d), and the result has shape (n, d + 1).
    """
    return np.hstack([features, np.ones((len(features), 1))])


def names_of(schema: Schema) -> tuple[str, ...]:
    """Return the names of the features that `encoded` makes."""
    flags = [
        f"{column.name}={label}" for column in schema.categorical for label in column.labels[:-1]
    ]
    return (*(column.name for column in schema.numeric), *flags)


def items_of(column: Floats, size: int) -> Ints:
    """Return a column of categories as integers, shape (n,).

    Raises `ValueError` for a value that is not an item from 1 to `size`.
    """
    if not (column == np.floor(column)).all():  # also refuses NaN
        raise ValueError(f"items are whole numbers, got {column[column != np.floor(column)][0]}")
    outside = column[(column < 1) | (column > size)]  # checked before huge numbers are cast
    if outside.size:
        raise ValueError(f"items are whole numbers from 1 to {size}, got {outside[0]:g}")
    return column.astype(np.int64)


def _one_hot(column: Floats, size: int) -> Floats:
    return np.eye(size)[items_of(column, size) - 1, :-1]
