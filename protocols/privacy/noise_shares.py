"""The exact law of a sum of integer noise shares, and the privacy of counts with it.

Users add shares of noise on the integers; those that drop out take theirs away, those that collude
know theirs. What hides an honest user is the sum of the remaining shares, whose law is computed
here by FFT rather than taken for a Gaussian. Tilts two deviations apart cover it, so that every
probability, however small, has a relative error below 1e-13 times the number of shares; the bound
is worked out and goes into the interval for δ. Source: Yang et al., section 3.1.2; Kairouz, Liu,
Steinke, *The Distributed Discrete Gaussian Mechanism*, 2021.
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

# sums beyond have probability exp(-150) at most, on either side: δ is right down to 1e-60
LEFT_OUT = 150.0
LARGEST_DEVIATION = 1 << 14  # of the sum, on the integers
LEAST_DEVIATION = 0.3
NODES = 10  # of a Gauss-Legendre rule on an eighth of a deviation
QUADRATURE = 1e-14  # relative error of a probability by that rule


@attrs.frozen(eq=False)
class IntegerNoise:
    """One share: its log probabilities on integers.

    What lies beyond 40 deviations has less than exp(-750).
    """

    log_masses: Floats  # (n,)
    values: Ints  # (n,)

    def moments(self, tilt: float) -> Moments:
        """Moments under a tilt."""
        return atoms_moments(self.log_masses, self.values, tilt)

    def masses(self, tilt: float, spacing: float, points: int) -> tuple[Floats, float]:
        """Tilted masses on the integers."""
        assert spacing == 1
        masses, off = tilted(
            self.log_masses, tilt * self.values.astype(np.float64), self.moments(tilt).cumulant
        )
        return fold(self.values, masses, points), off + QUADRATURE * float(masses.sum())


def rounded_gaussian(variance: float) -> IntegerNoise:
    """The law of a Gaussian of that variance, rounded to the nearest integer."""
    deviation = sqrt(variance)
    values = _reach(deviation)
    pieces = ceil(8 / deviation)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    offsets = ((np.arange(pieces)[:, None] + (nodes + 1) / 2) / pieces - 0.5).ravel()
    logs = np.log(np.tile(weights, pieces) / (2 * pieces * deviation)) - log(2 * pi) / 2
    exponents = logs - ((values[:, None] + offsets) / deviation) ** 2 / 2
    return IntegerNoise(np.logaddexp.reduce(exponents, axis=1), values)


def discrete_gaussian(variance: float) -> IntegerNoise:
    """The law with weights exp(-x²/(2 variance)) on the integers."""
    values = _reach(sqrt(variance))
    exponents = -(values**2) / (2 * variance)
    return IntegerNoise(exponents - log(float(np.exp(exponents).sum())), values)


def _reach(deviation: float) -> Ints:
    end = ceil(40 * deviation) + 2
    return np.arange(-end, end + 1)


def log_law(share: IntegerNoise, shares: int, end: int) -> tuple[Floats, float]:
    """Log probabilities of a sum of shares at 0..end, the law being symmetric.

    Also returns a bound on their errors.
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
        logs[here] = np.log(masses) + total.cumulant - total.tilt * here
        if len(here):
            worst = max(worst, (total.error + total.outside) / float(masses.min()))
        start += len(here)
    return logs, 2 * worst + 1e-15 * float(abs(logs).max())


def shifted(share: IntegerNoise, shares: int, shift: int) -> Pair:
    """A sum of shares against the same sum moved by `shift`; both directions are alike, mirrored.

    Raises `ValueError` for sums too wide, too narrow or too narrow beside the shift to be computed.
    """
    parts: Parts = [(share, shares)]
    deviation = moments(parts, 0.0).deviation
    if not LEAST_DEVIATION <= deviation <= LARGEST_DEVIATION:
        raise ValueError(
            f"the sum of noise has deviation {deviation:.3g} on the integers where "
            f"{LEAST_DEVIATION} to {LARGEST_DEVIATION} can be computed: use fewer fractional bits, "
            "or the Gaussian that it is close to"
        )
    if shift > 20 * deviation:
        raise ValueError(
            f"a shift of {shift} is plain beside noise of deviation {deviation:.3g}: "
            f"nothing is hidden"
        )
    end = ceil(window(parts, 0.0, LEFT_OUT)[1]) + shift
    half, error = log_law(share, shares, end + shift)
    x = np.arange(-end, end + 1)
    pair = finite_pair(half[abs(x)], half[abs(x - shift)], 2 * exp(-LEFT_OUT), error)
    return Pair(pair.forward, pair.forward)


def replacement(
    share: IntegerNoise, shares: int, shift: int, tolerance: float = TOLERANCE
) -> Composition:
    """The privacy of noisy counts when one user's item is replaced, so that two counts move.

    `shares` users' noise is unknown. `shift`: what a count of 1 is on the integers, 2^k in fixed
    point. Raises `ValueError` as `shifted` does, and for fewer than one share.
    """
    if shares < 1:
        raise ValueError(
            f"without a share of noise that is unknown nothing is hidden, got shares={shares}"
        )
    return Composition([(shifted(share, shares, shift), 2)], tolerance)
