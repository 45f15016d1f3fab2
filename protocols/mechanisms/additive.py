"""Additive noise for one value in [-1, 1]: Laplace noise, and noise whose density is a staircase
(`SCDF`, `Staircase` and `least_variance`).

Each user reports its value plus noise. The law of the noise does not depend on the value. Two
values differ by at most 2, so the sensitivity is 2. In Eq. 2 of Wang et al., the middle step of the
staircase has density a. The steps j = 0, 1, ... on either side have density a e^{-(j+1) ε} here.
The paper prints the exponent -j ε, with which the total mass would not be 1 for the a that it
gives.

Sources: Dwork et al. (Laplace); Soria-Comas and Domingo-Ferrer (SCDF); Geng and Viswanath
(Staircase); all as in Wang et al., *Collecting and Analyzing Multidimensional Data with Local
Differential Privacy*, Section III-A.
"""

from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf, log

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.density import Density, Flat, Tail
from protocols.mechanisms.real import RealReport
from simnet.arrays import Floats
from simnet.coins.coins import Coins

SENSITIVITY = 2  # the largest distance between two values
# Below this ε the closed form of SCDF's m loses digits, and we use its series up to ε⁵.
SERIES_BELOW = 0.01


@attrs.frozen
class Laplace(RealReport):
    """The Laplace mechanism for a value in [-1, 1]: noise of scale 2 / ε. Reports are unbounded.

    Raises `ValueError` for an ε outside 1e-6 to 1400.

    >>> from simnet.coins.sampled import SampledCoins
    >>> laplace = Laplace(epsilon=1.0)
    >>> float(laplace.variance(0.0)), round(laplace.exact_epsilon, 9)
    (8.0, 1.0)
    >>> laplace.perturb([0.5, -1.0], SampledCoins(7, "u1")).shape
    (2,)
    """

    epsilon: float

    bound = inf

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return the users' reports.

        Shape (n,). Raises `ValueError` for values of another shape, and for a value outside
        [-1, 1]; a value that is outside by a rounding error counts as -1 or 1.
        """
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        noise = _signs(numbers.size, coins) * coins.exponential(numbers.size).plain
        return np.asarray(numbers + noise * (SENSITIVITY / self.epsilon))

    def law(self, value: float) -> Density:
        """Return the law of the report of a user who holds `value`."""
        fall = self.epsilon / SENSITIVITY
        t = float(checks.within_one(value))
        return Density((Tail(t, -1, log(fall / 2), fall), Tail(t, 1, log(fall / 2), fall)))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the report on each value, 8 / ε²; shape as given."""
        return _everywhere(2 * (SENSITIVITY / self.epsilon) ** 2, values)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report."""
        return float(self.variance(0.0))


@attrs.frozen
class Stairs(RealReport):
    """Noise with a density of steps: a on the middle step [-m, m], and a e^{-(j+1) ε} on the j-th
    step on either side of it, for j = 0, 1, ...

    Each step beside the middle has width 2 (Eq. 2). With every m in (0, 2], a report has exactly
    the requested ε; `SCDF`, `Staircase` and `least_variance` choose m. Raises `ValueError` for
    another m, and for an ε outside 1e-6 to 1400.
    """

    epsilon: float
    middle: float  # m, 0 < m <= 2

    bound = inf

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)
        if not 0 < self.middle <= SENSITIVITY:
            raise ValueError(
                f"middle, m, lies above 0 and is at most {SENSITIVITY}, got {self.middle}"
            )

    @cached_property
    def log_height(self) -> float:
        """The logarithm of a, the density of the middle step. The height follows from the total
        mass: 2 m a + 4 a (r + r² + ...) = 1 with r = e^-ε.
        """
        rest = -expm1(-self.epsilon)
        return log(rest) - log(2 * self.middle * rest + 2 * SENSITIVITY * exp(-self.epsilon))

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return the users' reports.

        Shape (n,). Raises `ValueError` for values of another shape, and for a value outside
        [-1, 1]; a value that is outside by a rounding error counts as -1 or 1.
        """
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        inside = coins.uniform(numbers.size).plain < 2 * self.middle * exp(self.log_height)
        # j with probability (1 - r) r^j
        steps = np.floor(coins.exponential(numbers.size).plain / self.epsilon)
        within = coins.uniform(numbers.size).plain
        distance = np.where(
            inside, self.middle * within, self.middle + SENSITIVITY * (steps + within)
        )
        return numbers + _signs(numbers.size, coins) * distance

    def law(self, value: float) -> Density:
        """Return the law of the report of a user who holds `value`."""
        at = Fraction(float(checks.within_one(value)))
        half = Fraction(self.middle)
        top = self.log_height
        low, high, first = at - half, at + half, top - self.epsilon
        fall = self.epsilon / SENSITIVITY
        tails = Tail(low, -1, first, fall, SENSITIVITY), Tail(high, 1, first, fall, SENSITIVITY)
        return Density((Flat(low, high, top), *tails))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the report on each value; shape as given."""
        return _everywhere(self.law(0.0).second_moment, values)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report."""
        return float(self.variance(0.0))


def SCDF(epsilon: float) -> Stairs:
    """Return the stairs of Soria-Comas and Domingo-Ferrer.

    Here m = 2 (1 - e^-ε - ε e^-ε) / (ε - ε e^-ε). Raises `ValueError` for an ε outside 1e-6 to
    1400.
    """
    checks.epsilon_of_reals(epsilon)
    if epsilon < SERIES_BELOW:
        return Stairs(epsilon, 1 - epsilon / 6 + epsilon**3 / 360 - epsilon**5 / 15120)
    # the quotient in the docstring, written as a difference of two quotients
    return Stairs(epsilon, 2 / epsilon - 2 * exp(-epsilon) / -expm1(-epsilon))


def Staircase(epsilon: float) -> Stairs:
    """Return the stairs of Geng and Viswanath, which have the least expected absolute noise.

    Here m = 2 / (1 + e^{ε/2}). Raises `ValueError` for an ε outside 1e-6 to 1400.

    >>> round(Staircase(1.0).middle, 4), round(Staircase(1.0).exact_epsilon, 9)
    (0.7551, 1.0)
    """
    checks.epsilon_of_reals(epsilon)
    return Stairs(epsilon, 2 * exp(-epsilon / 2) / (1 + exp(-epsilon / 2)))


def least_variance(epsilon: float) -> Stairs:
    """Return the stairs whose m gives the least variance for this ε.

    Source: Geng and Viswanath, *The Optimal Mechanism in Differential Privacy*, the quadratic cost.
    With b = e^-ε, m / 2 = (((b (1 + b) / 2)^{1/3} - b) / (1 - b)). Raises `ValueError` for an ε
    outside 1e-6 to 1400.
    """
    checks.epsilon_of_reals(epsilon)
    b, root = exp(-epsilon), exp(-epsilon / 3)  # root³ = b
    v = ((1 + b) / 2) ** (1 / 3)
    return Stairs(epsilon, root * (1 + 2 * b) / (v * v + root * root * v + root**4))


def _signs(count: int, coins: Coins) -> Floats:
    return np.where(coins.integers(2, count).plain == 1, 1.0, -1.0)


def _everywhere(variance: float, values: npt.ArrayLike) -> Floats:
    return np.full_like(checks.within_one(values), variance)
