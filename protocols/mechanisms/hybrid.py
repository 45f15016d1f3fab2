"""HM, the hybrid mechanism for one value in [-1, 1].

It is PM with probability α, and Duchi et al.'s mechanism otherwise. Above ε* the mixture's variance
does not depend on the value; up to ε*, PM never helps and α is 0. The coin does not depend on the
value, so that a report may show which way it fell. Source: Wang et al., *Collecting and Analyzing
Multidimensional Data with Local Differential Privacy*, Section III-C and Lemma 3.
"""

from math import cbrt, exp, expm1, log, sqrt

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.density import Density, mixture
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.real import RealReport
from simnet.arrays import Floats
from simnet.coins.coins import Coins

# ε*, where PM and Duchi et al.'s mechanism have the same variance on 0
EPS_STAR = log((-5 + 2 * cbrt(6353 - 405 * sqrt(241)) + 2 * cbrt(6353 + 405 * sqrt(241))) / 27)
# ε#, where they have the same worst variance
EPS_SHARP = log((7 + 4 * sqrt(7) + 2 * sqrt(20 + 14 * sqrt(7))) / 9)


@attrs.frozen
class HM(RealReport):
    """PM(ε) with probability α = 1 - e^{-ε/2} if ε > ε* else 0, and Duchi(ε) otherwise."""

    epsilon: float

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    @property
    def mixes(self) -> bool:
        """Whether PM is ever used."""
        return self.epsilon > EPS_STAR

    @property
    def alpha(self) -> float:
        """The probability of PM (Lemma 3)."""
        return -expm1(-self.epsilon / 2) if self.mixes else 0.0

    @property
    def piecewise(self) -> PM:
        """The mechanism that is used with probability α."""
        return PM(self.epsilon)

    @property
    def binary(self) -> Duchi:
        """The mechanism that is used otherwise."""
        return Duchi(self.epsilon)

    @property
    def bound(self) -> float:
        """The largest report."""
        return self.piecewise.bound if self.mixes else self.binary.bound

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports of the users; shape (n,). Raises `ValueError` for a value outside [-1, 1]."""
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        if not self.mixes:
            return self.binary.perturb(numbers, coins)
        first = coins.bernoullis(self.alpha, numbers.size)
        reports = np.empty(numbers.size)
        reports[first] = self.piecewise.perturb(numbers[first], coins)
        reports[~first] = self.binary.perturb(numbers[~first], coins)
        return reports

    def law(self, value: float) -> Density:
        """The law of the report of a user that holds `value`."""
        if not self.mixes:
            return self.binary.law(value)
        log_rest = -self.epsilon / 2  # log of 1 - α, which underflows for no ε
        return mixture(
            [(log(self.alpha), self.piecewise.law(value)), (log_rest, self.binary.law(value))]
        )

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of the report on each value: both have the value as mean, so variances mix.

        Shape as given.
        """
        rest = exp(-self.epsilon / 2) if self.mixes else 1.0
        return self.alpha * self.piecewise.variance(values) + rest * self.binary.variance(values)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report: that on 0 up to ε*, the same everywhere above."""
        return float(self.variance(0.0))
