"""Reports of one real number: what all numeric mechanisms share."""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.density import Density, epsilon_between
from simnet.arrays import Floats
from simnet.values.typed import Typed, reals


class RealReport(ABC):
    """An unbiased report of a value in [-1, 1].

    Each mechanism says what its `law` and its `bound` are.
    """

    @property
    @abstractmethod
    def bound(self) -> float:
        """The largest report."""

    @property
    def continuous(self) -> bool:
        """Whether the law has a density.

        Then doubles are drawn in place of reals, and ε is that of exact reals.
        """
        return bool(self.law(0.0).parts)

    @abstractmethod
    def law(self, value: float) -> Density:
        """The law of the report of a user that holds `value`."""

    @property
    def exact_epsilon(self) -> float:
        """The ε of the report's law.

        It is computed from the laws at both ends, where all ratios are largest, and in the middle.
        """
        return epsilon_between([self.law(-1.0), self.law(0.0), self.law(1.0)])

    def estimate(self, reports: npt.ArrayLike) -> float:
        """The mean of the values, unbiased: that of the reports, shape (n,).

        Raises `ValueError` when there are none, and for one that is not finite or exceeds the
        bound.
        """
        return float(checks.reports_of_reals(reports, (None,), self.bound).mean())

    def payload(self, reports: Floats) -> Typed:
        """Reports as they travel: reals."""
        return reals(reports)

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        return self.payload(np.empty(0))

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Reports from the numbers that arrived."""
        return np.asarray(numbers, dtype=np.float64)
