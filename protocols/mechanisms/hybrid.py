"""HM, the hybrid mechanism for one value in [-1, 1].

HM is PM with probability α, and Duchi et al.'s mechanism otherwise. Above ε*, which is about 0.61,
the variance of the mixture does not depend on the value. Up to ε*, the worst variance is least
without PM, so α is 0. The choice between the two mechanisms does not depend on the value, so it
does no harm that a report can reveal which of them made it.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section III-C and Lemma 3.
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

# ε*: at this ε, PM and Duchi et al.'s mechanism have the same variance for the value 0
EPS_STAR = log((-5 + 2 * cbrt(6353 - 405 * sqrt(241)) + 2 * cbrt(6353 + 405 * sqrt(241))) / 27)
# ε#: at this ε, PM and Duchi et al.'s mechanism have the same worst variance
EPS_SHARP = log((7 + 4 * sqrt(7) + 2 * sqrt(20 + 14 * sqrt(7))) / 9)


@attrs.frozen
class HM(RealReport):
    """The hybrid mechanism: PM(ε) with probability α, otherwise Duchi(ε).

    α is 1 - e^{-ε/2} if ε > ε*, and 0 up to ε*.

    Raises `ValueError` for an ε outside 1e-6 to 1400.

    >>> round(HM(epsilon=1.0).alpha, 4), HM(epsilon=0.5).alpha
    (0.3935, 0.0)
    >>> round(HM(epsilon=1.0).worst_variance, 4)
    4.289
    """

    epsilon: float

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    @property
    def mixes(self) -> bool:
        """Whether PM is ever used, that is, whether ε > ε*."""
        return self.epsilon > EPS_STAR

    @property
    def alpha(self) -> float:
        """The probability of PM, α (Lemma 3)."""
        return -expm1(-self.epsilon / 2) if self.mixes else 0.0

    @property
    def piecewise(self) -> PM:
        """The mechanism that is used with probability α."""
        return PM(self.epsilon)

    @property
    def binary(self) -> Duchi:
        """The mechanism that is used with probability 1 - α."""
        return Duchi(self.epsilon)

    @property
    def bound(self) -> float:
        """The largest absolute value of a report."""
        return self.piecewise.bound if self.mixes else self.binary.bound

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return the users' reports.

        Shape (n,). Raises `ValueError` for values of another shape, and for a value outside
        [-1, 1]; a value that is outside by a rounding error counts as -1 or 1.
        """
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        if not self.mixes:
            return self.binary.perturb(numbers, coins)
        first = coins.bernoullis(self.alpha, numbers.size)
        reports = np.empty(numbers.size)
        reports[first] = self.piecewise.perturb(numbers[first], coins)
        reports[~first] = self.binary.perturb(numbers[~first], coins)
        return reports

    def law(self, value: float) -> Density:
        """Return the law of the report of a user who holds `value`."""
        if not self.mixes:
            return self.binary.law(value)
        log_rest = -self.epsilon / 2  # log of 1 - α, which underflows for no ε
        return mixture(
            [(log(self.alpha), self.piecewise.law(value)), (log_rest, self.binary.law(value))]
        )

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the report on each value; shape as given.

        The reports of both mechanisms have the value as mean, so the variance is the mean of the
        two variances, with weights α and 1 - α.
        """
        rest = exp(-self.epsilon / 2) if self.mixes else 1.0
        return self.alpha * self.piecewise.variance(values) + rest * self.binary.variance(values)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report: that on value 0. If ε > ε*, the variance is the same on
        every value.
        """
        return float(self.variance(0.0))
