"""The exact law of a sum of integer noise shares, and the privacy of counts with this noise.

Users add shares of noise on the integers. The shares of users who drop out are missing, and users
who collude know their own shares. So an honest user is hidden by the sum of the remaining shares.
Here we compute the law of this sum by FFT, instead of treating it as a Gaussian. A bound on the
error is computed and enters the interval for δ.

Source: Yang et al., section 3.1.2; Kairouz, Liu, Steinke, *The Distributed Discrete Gaussian
Mechanism*, 2021.
"""

from math import ceil, exp, inf, log, pi, sqrt

import attrs
import numpy as np

from protocols.privacy.composition import TOLERANCE, Composition
from protocols.privacy.convolution import (
    OUTSIDE,
    Moments,
    Parts,
    atoms_moments,
    fold,
    moments,
    tilted,
    tilted_sum,
    window,
)
from protocols.privacy.loss import Pair, finite_pair
from simnet.arrays import Floats, Ints

# the sums that are left out on either side have probability at most exp(-150), so δ is accurate to
# 1e-60
LEFT_OUT = 150.0
LARGEST_DEVIATION = 1 << 14  # the largest deviation of the sum, on the integers
LEAST_DEVIATION = 0.3  # the least deviation of the sum, on the integers
LARGEST_ERROR = 0.5  # the largest error of a log probability that is accepted
NODES = 10  # the nodes of a Gauss-Legendre rule on an eighth of a deviation
QUADRATURE = 1e-14  # the relative error of a probability by this rule


@attrs.frozen(eq=False)
class IntegerNoise:
    """One share of noise: the logarithms of its probabilities on integers.

    Values beyond 40 standard deviations together have a probability below exp(-750), and are left
    out.
    """

    log_masses: Floats  # (n,)
    values: Ints  # (n,)

    def moments(self, tilt: float) -> Moments:
        """Return the moments under a tilt."""
        return atoms_moments(self.log_masses, self.values, tilt)

    def masses(self, tilt: float, spacing: float, points: int) -> tuple[Floats, float]:
        """Return the tilted masses on the integers, and a bound on the sum of their errors."""
        assert spacing == 1
        masses, off = tilted(
            self.log_masses, tilt * self.values.astype(np.float64), self.moments(tilt).cumulant
        )
        return fold(self.values, masses, points), off + QUADRATURE * float(masses.sum())


def rounded_gaussian(variance: float) -> IntegerNoise:
    """Return the law of a Gaussian with this variance, rounded to the nearest integer."""
    deviation = sqrt(variance)
    values = _reach(deviation)
    pieces = ceil(8 / deviation)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    offsets = ((np.arange(pieces)[:, None] + (nodes + 1) / 2) / pieces - 0.5).ravel()
    logs = np.log(np.tile(weights, pieces) / (2 * pieces * deviation)) - log(2 * pi) / 2
    exponents = logs - ((values[:, None] + offsets) / deviation) ** 2 / 2
    return IntegerNoise(np.logaddexp.reduce(exponents, axis=1), values)


def discrete_gaussian(variance: float) -> IntegerNoise:
    """Return the law with weights exp(-x²/(2 variance)) on the integers."""
    values = _reach(sqrt(variance))
    exponents = -(values**2) / (2 * variance)
    return IntegerNoise(exponents - log(float(np.exp(exponents).sum())), values)


def _reach(deviation: float) -> Ints:
    end = ceil(40 * deviation) + 2
    return np.arange(-end, end + 1)


def log_law(share: IntegerNoise, shares: int, end: int) -> tuple[Floats, float]:
    """Return the log probabilities of a sum of shares at 0..end; the law is symmetric.

    Also returns a bound on their errors, infinite if rounding hides some of the probabilities.
    """
    parts: Parts = [(share, shares)]
    deviation = moments(parts, 0.0).deviation
    logs, worst = np.full(end + 1, -inf), 0.0
    start, tilt = 0, 0.0
    while start <= end:
        total = tilted_sum(parts, tilt, 1.0, window(parts, tilt, OUTSIDE), OUTSIDE)
        tilt += 2 / deviation
        middle = (moments(parts, total.tilt).mean + moments(parts, tilt).mean) / 2
        here = np.arange(start, min(max(ceil(middle), start), end + 1))
        masses = total.masses[here - total.first]
        if len(here) and not masses.min() > 0:
            return logs, inf
        logs[here] = np.log(masses) + total.cumulant - total.tilt * here
        if len(here):
            worst = max(worst, (total.error + total.outside) / float(masses.min()))
        start += len(here)
    return logs, 2 * worst + 1e-15 * float(abs(logs).max())


def shifted(share: IntegerNoise, shares: int, shift: int) -> Pair:
    """Return the losses of a sum of shares against the same sum moved by `shift`.

    The losses of the two directions have equal laws. Raises `ValueError` if the standard deviation
    of the sum is too large or too small to compute, or too small for the shift, and for shares so
    small that rounding hides the law of their sum.
    """
    parts: Parts = [(share, shares)]
    deviation = moments(parts, 0.0).deviation
    found = f"the sum of the noise shares has standard deviation {deviation:.3g} on the integers"
    if deviation < LEAST_DEVIATION:
        raise ValueError(
            f"{found}, below {LEAST_DEVIATION}, the least that we can compute: use more fractional "
            "bits, or more noise"
        )
    if deviation > LARGEST_DEVIATION:
        raise ValueError(
            f"{found}, above {LARGEST_DEVIATION}, the largest that we can compute: use fewer "
            "fractional bits, or the Gaussian law, to which such a sum is close"
        )
    if shift > 20 * deviation:
        raise ValueError(
            f"noise of standard deviation {deviation:.3g} is too small to hide one user, who "
            f"changes a count by {shift} on the integers: use more noise"
        )
    end = ceil(window(parts, 0.0, LEFT_OUT)[1]) + shift
    half, error = log_law(share, shares, end + shift)
    if error > LARGEST_ERROR:
        raise ValueError(
            f"one noise share has standard deviation {deviation / sqrt(shares):.3g} on the "
            f"integers, so small that rounding hides the law of the sum of {shares:,} shares: "
            "use more fractional bits"
        )
    x = np.arange(-end, end + 1)
    pair = finite_pair(half[abs(x)], half[abs(x - shift)], 2 * exp(-LEFT_OUT), error)
    return Pair(pair.forward, pair.forward)


def replacement(
    share: IntegerNoise, shares: int, shift: int, tolerance: float = TOLERANCE
) -> Composition:
    """Return the privacy of noisy counts when one user's item is replaced, so that two counts
    change.

    `shares` is the number of users whose noise the server does not know. `shift` is the integer
    that represents a count of 1: it is 2^k with k fractional bits. Raises `ValueError` as `shifted`
    does, and for fewer than one share.
    """
    if shares < 1:
        raise ValueError(
            f"at least one noise share must be unknown to the server, got shares={shares}"
        )
    return Composition([(shifted(share, shares, shift), 2)], tolerance)
