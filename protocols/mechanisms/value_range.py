"""Declared ranges of numbers, and the maps from a range to [-1, 1] and back."""

from math import isfinite

import attrs
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats

LONGEST = 1e60  # the largest length of a range


@attrs.frozen
class ValueRange:
    """The range of numbers from `low` to `high`.

    Raises `ValueError` unless `low` is below `high`, both ends are finite, and the length is at
    most 1e60, so that variances are finite, too.
    """

    low: float
    high: float

    def __attrs_post_init__(self) -> None:
        for name, value in (("low", self.low), ("high", self.high)):
            checks.number(name, value)
        if not (self.low < self.high and isfinite(self.low) and isfinite(self.high - self.low)):
            raise ValueError(
                "values lie in a range of finite length, with low below high, got "
                f"{self.low}..{self.high}"
            )
        if self.high - self.low > LONGEST:
            raise ValueError(
                f"values lie in a range of length at most {LONGEST:g}, got {self.low}..{self.high}"
            )

    @property
    def unit(self) -> float:
        """How much a value changes, in its own units, if its scaled value rises by 1."""
        return (self.high - self.low) / 2

    def scaled(self, values: npt.ArrayLike) -> Floats:
        """Return the values as numbers in [-1, 1]; shape as given.

        Raises `ValueError` for a value outside the range, and for NaN.
        """
        numbers = checks.as_doubles("values", values)
        outside = numbers[~((numbers >= self.low) & (numbers <= self.high))]  # also NaN
        if outside.size:
            raise ValueError(
                f"values lie in the declared range {self.low:.15g}..{self.high:.15g}, got "
                f"{outside.flat[0]}"
            )
        return 2 * ((numbers - self.low) / (self.high - self.low)) - 1

    def unscaled(self, mean: float) -> float:
        """Return a mean of scaled values in the values' own units."""
        return self.low + (mean + 1) * self.unit
