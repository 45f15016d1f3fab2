"""Additive noise for one value in [-1, 1]: Laplace, and the staircase densities SCDF and Staircase.

Each user reports its value plus noise whose law does not depend on the value. Sources: Dwork et al.
(Laplace); Soria-Comas and Domingo-Ferrer (SCDF); Geng and Viswanath (Staircase); all as in Wang et
al., *Collecting and Analyzing Multidimensional Data with Local Differential Privacy*, Section
III-A, with sensitivity 2. Steps j = 0, 1, ... of Eq. 2 have density a e^{-(j+1) ε}; with the
exponent that is printed the mass is not 1.
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

SENSITIVITY = 2  # how far apart two values are at most
# An ε below which the closed form of SCDF's m loses digits and its series to ε⁵ does not
SERIES_BELOW = 0.01


@attrs.frozen
class Laplace(RealReport):
    """Laplace noise of scale 2 / ε."""

    epsilon: float

    bound = inf

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports of the users; shape (n,). Raises `ValueError` for a value outside [-1, 1]."""
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        noise = _signs(numbers.size, coins) * coins.exponential(numbers.size).plain
        return np.asarray(numbers + noise * (SENSITIVITY / self.epsilon))

    def law(self, value: float) -> Density:
        """The law of the report of a user that holds `value`."""
        fall = self.epsilon / SENSITIVITY
        t = float(checks.within_one(value))
        return Density((Tail(t, -1, log(fall / 2), fall), Tail(t, 1, log(fall / 2), fall)))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of the report on each value, 8 / ε²; shape as given."""
        return _everywhere(2 * (SENSITIVITY / self.epsilon) ** 2, values)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report."""
        return float(self.variance(0.0))


@attrs.frozen
class Stairs(RealReport):
    """Noise with a density of steps: a on [-m, m], a e^{-(j+1) ε} on the j-th steps beside it.

    Each step has width 2 (Eq. 2). Every m > 0 gives exactly ε as long as m <= 2; `SCDF`,
    `Staircase` and `least_variance` choose it.
    """

    epsilon: float
    middle: float  # m, 0 < m <= 2

    bound = inf

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)
        if not 0 < self.middle <= SENSITIVITY:
            raise ValueError(
                f"the middle step reaches above 0 and at most to {SENSITIVITY}, got {self.middle}"
            )

    @cached_property
    def log_height(self) -> float:
        """Log of a, from the mass 2 m a + 4 a (r + r² + ...) = 1 with r = e^-ε."""
        rest = -expm1(-self.epsilon)
        return log(rest) - log(2 * self.middle * rest + 2 * SENSITIVITY * exp(-self.epsilon))

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports of the users; shape (n,). Raises `ValueError` for a value outside [-1, 1]."""
        numbers = checks.within_one(checks.shaped("values", values, (None,)))
        inside = coins.uniform(numbers.size).plain < 2 * self.middle * exp(self.log_height)
        # j with chance (1 - r) r^j
        steps = np.floor(coins.exponential(numbers.size).plain / self.epsilon)
        within = coins.uniform(numbers.size).plain
        distance = np.where(
            inside, self.middle * within, self.middle + SENSITIVITY * (steps + within)
        )
        return numbers + _signs(numbers.size, coins) * distance

    def law(self, value: float) -> Density:
        """The law of the report of a user that holds `value`."""
        at = Fraction(float(checks.within_one(value)))
        half = Fraction(self.middle)
        top = self.log_height
        low, high, first = at - half, at + half, top - self.epsilon
        fall = self.epsilon / SENSITIVITY
        tails = Tail(low, -1, first, fall, SENSITIVITY), Tail(high, 1, first, fall, SENSITIVITY)
        return Density((Flat(low, high, top), *tails))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of the report on each value; shape as given."""
        return _everywhere(self.law(0.0).second_moment, values)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report."""
        return float(self.variance(0.0))


def SCDF(epsilon: float) -> Stairs:
    """The stairs of Soria-Comas and Domingo-Ferrer: m = 2 (1 - e^-ε - ε e^-ε) / (ε - ε e^-ε)."""
    checks.epsilon_of_reals(epsilon)
    if epsilon < SERIES_BELOW:
        return Stairs(epsilon, 1 - epsilon / 6 + epsilon**3 / 360 - epsilon**5 / 15120)
    # The same fraction, split in two
    return Stairs(epsilon, 2 / epsilon - 2 * exp(-epsilon) / -expm1(-epsilon))


def Staircase(epsilon: float) -> Stairs:
    """The stairs of Geng and Viswanath with the least expected absolute noise.

    m = 2 / (1 + e^{ε/2}).
    """
    checks.epsilon_of_reals(epsilon)
    return Stairs(epsilon, 2 * exp(-epsilon / 2) / (1 + exp(-epsilon / 2)))


def least_variance(epsilon: float) -> Stairs:
    """The stairs of least variance.

    Geng and Viswanath, *The Optimal Mechanism in Differential Privacy*, the quadratic cost: with b
    = e^-ε, m / 2 = (((b (1 + b) / 2)^{1/3} - b) / (1 - b)); written here without its difference of
    nearly equal numbers.
    """
    checks.epsilon_of_reals(epsilon)
    b, root = exp(-epsilon), exp(-epsilon / 3)  # root³ = b
    v = ((1 + b) / 2) ** (1 / 3)
    return Stairs(epsilon, root * (1 + 2 * b) / (v * v + root * root * v + root**4))


def _signs(count: int, coins: Coins) -> Floats:
    return np.where(coins.integers(2, count).plain == 1, 1.0, -1.0)


def _everywhere(variance: float, values: npt.ArrayLike) -> Floats:
    return np.full_like(checks.within_one(values), variance)
