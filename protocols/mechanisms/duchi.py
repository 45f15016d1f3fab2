"""Duchi et al.'s mechanism for one value in [-1, 1]: report one of two numbers, B or -B.

Each user sends one bit; the mean of the reports is an unbiased mean of the values. Source: Wang et
al., *Collecting and Analyzing Multidimensional Data with Local Differential Privacy*, Algorithm 1.
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
    """An unbiased report of values in [-1, 1], by numbers of one size.

    Each mechanism says what its `bound` is.
    """

    @property
    @abstractmethod
    def bound(self) -> float:
        """B, the size of every number."""

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of the number reported on each value, B² - t²; shape as given."""
        numbers = checks.within_one(values)
        return np.asarray(self.bound**2 - numbers * numbers)

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


@attrs.frozen
class Duchi(TwoSided, RealReport):
    """B with probability 1/2 + (t/2) tanh(ε/2), else -B.

    The value is rounded to 1 or -1 with itself as mean, and what comes out is reported truthfully
    with e^ε : 1.
    """

    epsilon: float

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    @property
    def bound(self) -> float:
        """B = coth(ε/2), the size of every report."""
        return 1 / tanh(self.epsilon / 2)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports of the users; shape (n,). Raises `ValueError` for a value outside [-1, 1]."""
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        rounded = coins.uniform(numbers.size).plain < (1 + numbers) / 2
        truthful = coins.bernoullis(GRR(self.epsilon, 2).exact_chances[0], numbers.size)
        return np.where(rounded == truthful, self.bound, -self.bound)

    def law(self, value: float) -> Density:
        """The law of the report of a user that holds `value`."""
        t = float(checks.within_one(value))
        return Density(
            atoms=(
                Atom(-self.bound, self._log_chance(-t)),
                Atom(self.bound, self._log_chance(t)),
            )
        )

    def _log_chance(self, value: float) -> float:
        """Log of the probability of B.

        A coin of mean `value` is reported truthfully with e^ε : 1.
        """
        truthful = -log1p(exp(-self.epsilon))
        with np.errstate(divide="ignore"):  # a value at an end leaves one way to B only
            ways = np.log([(1 + value) / 2, (1 - value) / 2])
        return float(np.logaddexp(ways[0] + truthful, ways[1] + truthful - self.epsilon))
