"""Rows of numbers in [-1, 1] from columns of data: numbers by declared range, categories one-hot.

A category of c values becomes c - 1 columns of 0 and 1, all 0 for the first value, as in Wang et al., *Collecting and
Analyzing Multidimensional Data with Local Differential Privacy*, Section VI. Ranges and values are declared, not read
off the data that are to be protected.
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local.ranges import Range

Floats = npt.NDArray[np.float64]


@attrs.frozen
class Numeric:
    """A column of numbers in a declared range."""

    column: str
    range: Range

    @property
    def width(self) -> int:
        """How many features it makes."""
        return 1

    def encoded(self, values: Sequence[str]) -> Floats:
        """Values as numbers in [-1, 1]; shape (n, 1). Raises `ValueError` for what is no number in the range."""
        try:
            return self.range.scaled([float(value) for value in values])[:, np.newaxis]
        except ValueError as error:
            raise ValueError(f"column {self.column!r}: {error}") from error


@attrs.frozen
class Category:
    """A column with one of several declared values."""

    column: str
    values: tuple[str, ...]  # at least 2, all different

    def __attrs_post_init__(self) -> None:
        if len(self.values) < 2 or len(set(self.values)) != len(self.values):
            raise ValueError(f"category {self.column!r} has two or more values, none of them twice, got {self.values}")

    @property
    def width(self) -> int:
        """How many features it makes."""
        return len(self.values) - 1

    def encoded(self, values: Sequence[str]) -> Floats:
        """A 1 in the column of the value, none for the first; shape (n, c - 1). `ValueError` for an undeclared one."""
        place = {value: k for k, value in enumerate(self.values)}
        stranger = next((value for value in values if value not in place), None)
        if stranger is not None:
            raise ValueError(f"column {self.column!r} holds {stranger!r}, which is none of its declared values")
        return np.eye(len(self.values))[[place[value] for value in values]][:, 1:]


Feature = Numeric | Category


def encoded(table: Mapping[str, Sequence[str]], features: Sequence[Feature]) -> Floats:
    """The features of every row, side by side; shape (n, d). Raises `ValueError` for values that were not declared."""
    return np.hstack([feature.encoded(table[feature.column]) for feature in features])


def with_constant(features: Floats) -> Floats:
    """The features and a last one that is 1 for everybody, whose weight is the intercept; shapes (n, d), (n, d + 1)."""
    return np.hstack([features, np.ones((len(features), 1))])
