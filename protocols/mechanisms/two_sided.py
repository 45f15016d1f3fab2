"""Reports whose numbers are all B or -B: what Duchi et al.'s mechanisms for one value and for
several share.
"""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats
from simnet.values.typed import Typed, bits


class TwoSided(ABC):
    """An unbiased report of values in [-1, 1], by numbers of one size.

    Each mechanism says what its `bound` is.
    """

    @property
    @abstractmethod
    def bound(self) -> float:
        """B, the size of every number."""

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of the number reported on each value, B² - t²; shape as given."""
        held = checks.within_one(values)
        return np.asarray(self.bound**2 - held * held)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a number: that on 0."""
        return float(self.variance(0.0))

    def payload(self, reports: Floats) -> Typed:
        """Reports as they travel: one bit a number, 1 for B."""
        return bits(reports > 0)

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Reports from the bits that arrived."""
        return np.where(np.asarray(numbers) == 1, self.bound, -self.bound)
