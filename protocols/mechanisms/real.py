"""Reports of one real number: the common part of the numeric mechanisms."""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.density import Density, epsilon_between
from simnet.arrays import Floats
from simnet.values.typed import Typed, reals


class RealReport(ABC):
    """An unbiased report of a value in [-1, 1]. A subclass defines its `law` and its `bound`."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """The largest absolute value of a report; inf if reports are unbounded."""

    @property
    def continuous(self) -> bool:
        """Whether the law has a continuous part.

        If it has one, ε is that of exact real numbers, and the doubles that are drawn in their
        place can tell more.
        """
        return bool(self.law(0.0).parts)

    @abstractmethod
    def law(self, value: float) -> Density:
        """Return the law of the report of a user who holds `value`."""

    @property
    def exact_epsilon(self) -> float:
        """The ε of the report's law.

        The log ratio of two laws is largest for the values -1 and 1.
        """
        return epsilon_between([self.law(-1.0), self.law(0.0), self.law(1.0)])

    def estimate(self, reports: npt.ArrayLike) -> float:
        """Return the mean of the reports, which have shape (n,): an unbiased estimate of the mean
        of the values.

        Raises `ValueError` for no reports, and for a report that is not finite or whose absolute
        value exceeds the bound.
        """
        return float(checks.reports_of_reals(reports, (None,), self.bound).mean())

    def payload(self, reports: Floats) -> Typed:
        """Return the reports, encoded for sending: real numbers."""
        return reals(reports)

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(np.empty(0))

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Return the reports that the received numbers stand for."""
        return np.asarray(numbers, dtype=np.float64)
