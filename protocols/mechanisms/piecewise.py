"""PM, the piecewise mechanism for one value in [-1, 1].

Each user, who holds a value t, sends one real number in [-C, C]. The mean of the reports is an
unbiased estimate of the mean value. The density of the report is high on an interval, the *high
piece*. With h = 1 / (e^{ε/2} - 1), the ends of the high piece are l = t - h (1 - t) and r = t + h
(1 + t), and C = 1 + 2h.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Algorithm 2 and Lemma 1.
"""

from fractions import Fraction
from functools import cached_property
from math import exp, expm1, log, tanh

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.density import Density, Flat
from protocols.mechanisms.real import RealReport
from simnet.arrays import Floats
from simnet.coins.coins import Coins

# values per step: small enough for the cache, large enough that calls cost little
BLOCK = 1 << 15


@attrs.frozen
class PM(RealReport):
    """The piecewise mechanism: density p on [l, r], and p e^-ε on the rest of [-C, C].

    Raises `ValueError` for an ε outside 1e-6 to 1400.

    >>> pm = PM(epsilon=2.0)
    >>> round(pm.bound, 4), round(pm.exact_epsilon, 9)
    (2.164, 2.0)
    >>> round(pm.law(0.5).mean, 9)
    0.5
    """

    epsilon: float

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)

    @cached_property
    def spread(self) -> float:
        """Half the length of the high piece, h = 1 / (e^{ε/2} - 1)."""
        return exp(-self.epsilon / 2) / -expm1(-self.epsilon / 2)

    @property
    def bound(self) -> float:
        """The largest absolute value of a report, C = 1 + 2h = coth(ε/4)."""
        return 1 + 2 * self.spread

    @cached_property
    def log_height(self) -> float:
        """The logarithm of p = e^{ε/2} tanh(ε/4) / 2."""
        return self.epsilon / 2 + log(tanh(self.epsilon / 4) / 2)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return the users' reports.

        Shape (n,). Raises `ValueError` for values of another shape, and for a value outside
        [-1, 1]; a value that is outside by a rounding error counts as -1 or 1.

        A report is the inverse of its distribution function at u. All multiples of 2**-53 from 0 to
        below 1 are equally likely for u.
        """
        numbers = checks.shaped("values", values, (None,))
        reports, room = np.empty(numbers.size), np.empty(BLOCK)
        for start in range(0, numbers.size, BLOCK):
            part = checks.within_one(numbers[start : start + BLOCK])
            uniforms = coins.uniform(part.size).plain
            self._invert(part, uniforms, reports[start : start + BLOCK], room[: part.size])
        return reports

    def _invert(self, values: Floats, uniforms: Floats, reports: Floats, inside: Floats) -> None:
        """Write the inverse distribution functions at the uniforms to `reports`.

        The arrays `uniforms` and `inside` are overwritten. Let U be a uniform number, and w the
        probability that a report lies outside the high piece. Let v = U - w t / 2, and let c be v
        limited to [w/2, 1 - w/2]. The report is t (1 + h) + (c - 1/2) / p + (v - c) e^ε / p; it
        lies in the high piece if c = v.
        """
        outside = 1 / (1 + exp(self.epsilon / 2))
        slope = exp(-self.log_height)
        np.multiply(values, -outside / 2, out=reports)
        uniforms += reports  # v
        np.clip(uniforms, outside / 2, 1 - outside / 2, out=inside)  # c
        # v - c is exactly 0 in the high piece, so the large factor e^ε costs no digits there
        uniforms -= inside
        uniforms *= exp(self.epsilon - self.log_height)
        inside -= 0.5
        inside *= slope
        np.multiply(values, 1 + self.spread, out=reports)
        reports += inside
        reports += uniforms

    def law(self, value: float) -> Density:
        """Return the law of the report of a user who holds `value`."""
        t = Fraction(float(checks.within_one(value)))
        h = Fraction(self.spread)
        top = self.log_height
        low, left, right, high = -1 - 2 * h, t - h * (1 - t), t + h * (1 + t), 1 + 2 * h
        pieces = [
            (low, left, top - self.epsilon),
            (left, right, top),
            (right, high, top - self.epsilon),
        ]
        # a tail is empty at ±1
        return Density(tuple(Flat(*piece) for piece in pieces if piece[0] != piece[1]))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the report on each value, h t² + (h + 4h²) / 3 (Lemma 1).

        Shape as given.
        """
        numbers = checks.within_one(values)
        return np.asarray(self.spread * numbers * numbers + (self.spread + 4 * self.spread**2) / 3)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report, which is the variance on values 1 and -1."""
        return float(self.variance(1.0))
