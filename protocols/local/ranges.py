"""Ranges that are declared before anything is known of the values, and that mechanisms over [-1, 1] are scaled to."""

from math import isfinite

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local import checks

Floats = npt.NDArray[np.float64]


@attrs.frozen
class Range:
    """Numbers from `low` to a larger `high`."""

    low: float = -1.0
    high: float = 1.0

    def __attrs_post_init__(self) -> None:
        for name, value in (("low", self.low), ("high", self.high)):
            checks.number(name, value)
        if not (self.low < self.high and isfinite(self.low) and isfinite(self.high - self.low)):
            raise ValueError(f"values lie in a range from low to a larger high, got {self.low}..{self.high}")

    @property
    def unit(self) -> float:
        """How much 1 is in the values' own units."""
        return (self.high - self.low) / 2

    def scaled(self, values: npt.ArrayLike) -> Floats:
        """Values as numbers in [-1, 1], shape as given. Raises `ValueError` for one outside the range."""
        held = np.asarray(values, dtype=np.float64)
        outside = held[~((held >= self.low) & (held <= self.high))]  # also NaN
        if outside.size:
            raise ValueError(f"values lie in the declared range {self.low:g}..{self.high:g}, got {outside.flat[0]}")
        return np.asarray(2 * ((held - self.low) / (self.high - self.low)) - 1)

    def unscaled(self, number: float) -> float:
        """A number for scaled values, such as their mean, in the values' own units."""
        return self.low + (number + 1) * self.unit
