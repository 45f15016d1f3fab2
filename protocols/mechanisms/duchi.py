"""Duchi et al.'s mechanism for one value in [-1, 1]: report one of two numbers, B or -B.

Each user sends one bit. The mean of the reports is an unbiased estimate of the mean value.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Algorithm 1.
"""

from abc import ABC, abstractmethod
from math import exp, log1p, tanh

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.density import Atom, Density
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.real import RealReport
from simnet.arrays import Floats
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, bits


class TwoSided(ABC):
    """An unbiased report of values in [-1, 1] by numbers B or -B. A subclass defines `bound`, B."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """The absolute value of every reported number, B."""

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the number that is reported for each value t, B² - t².

        Shape as given.
        """
        numbers = checks.within_one(values)
        return np.asarray(self.bound**2 - numbers * numbers)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a number, which is the variance on value 0."""
        return float(self.variance(0.0))

    def payload(self, reports: Floats) -> Typed:
        """Return the reports, encoded for sending: one bit for each number, 1 for B."""
        return bits(reports > 0)

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Return the reports that the received bits stand for."""
        return np.where(np.asarray(numbers) == 1, self.bound, -self.bound)


@attrs.frozen
class Duchi(TwoSided, RealReport):
    """Duchi et al.'s mechanism: B with probability 1/2 + (t/2) tanh(ε/2), else -B.

    The value t is rounded to 1 or -1 with mean t, and the result is reported by randomised
    response. Raises `ValueError` for an ε outside 1e-6 to 1400.

    >>> duchi = Duchi(epsilon=1.0)
    >>> round(duchi.bound, 4), round(duchi.exact_epsilon, 9)
    (2.164, 1.0)
    >>> round(duchi.law(0.5).mean, 9)
    0.5
    """

    epsilon: float

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    @property
    def bound(self) -> float:
        """The absolute value of every report, B = coth(ε/2)."""
        return 1 / tanh(self.epsilon / 2)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return the users' reports.

        Shape (n,). Raises `ValueError` for values of another shape, and for a value outside
        [-1, 1]; a value that is outside by a rounding error counts as -1 or 1.
        """
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        rounded = coins.uniform(numbers.size).plain < (1 + numbers) / 2
        truthful = coins.bernoullis(GRR(self.epsilon, 2).exact_chances[0], numbers.size)
        return np.where(rounded == truthful, self.bound, -self.bound)

    def law(self, value: float) -> Density:
        """Return the law of the report of a user who holds `value`."""
        t = float(checks.within_one(value))
        return Density(
            atoms=(
                Atom(-self.bound, self._log_chance(-t)),
                Atom(self.bound, self._log_chance(t)),
            )
        )

    def _log_chance(self, value: float) -> float:
        truthful = -log1p(exp(-self.epsilon))
        with np.errstate(divide="ignore"):  # log(0) if the value is 1 or -1
            ways = np.log([(1 + value) / 2, (1 - value) / 2])
        return float(np.logaddexp(ways[0] + truthful, ways[1] + truthful - self.epsilon))
