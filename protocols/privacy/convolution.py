"""Sums of many independent losses or integers, by FFT of tilted masses, with bounds on the errors.

Theory of operation. The law of a sum S of independent terms is a convolution, and an FFT turns the
convolution of n equal laws into an n-th power. Two things need care.

*Tails.* The error of an FFT is about 1e-16 times its largest entry, but we want masses as small as
1e-30. So we tilt each term X: we multiply its mass at x by exp(t x), and divide by E[exp(t X)], so
that the masses add up to 1 again. The number t is the tilt, and log E[exp(t X)] is the cumulant.
The sum of the tilted terms has the tilted law of the sum, and a suitable t makes the tail of
interest the middle of this law. In the end we multiply the mass at x by exp(cumulant - t x), which
removes the tilt.

*Circles.* An FFT adds positions modulo the number of points, as on a circle. So masses of the sum
outside the window of that many points are misplaced. `window` chooses the window so that, by
Chernoff's bound, the misplaced mass is at most exp(-50) on either side.

Example. S is the sum of a thousand terms. Each term is 1 with probability 0.01, and 0 otherwise.
Then P[S = 60] is 1.6e-27. Under the tilt t = ln 6.3, a term is 1 with probability 0.06, so the sum
is about 60, and its tilted mass at 60 is 0.053, correct to 15 digits. The factor exp(cumulant - 60
t) turns this mass into 1.6e-27.

Errors of the FFT. The FFT has at most log2(points) stages. In every stage an entry is the sum of a
few products, with an error of a few units of rounding. So the error of an entry is at most
`ROUNDINGS` times log2(points) units of rounding, times the sum of the absolute values of all
entries; compare Higham, *Accuracy and Stability of Numerical Algorithms*, Theorem 24.2. Source:
Gopi, Lee, Wutschitz, *Numerical Composition of Differential Privacy*, 2021, for accounting by FFT
on a circle.
"""

from collections.abc import Sequence
from math import ceil, exp, floor, log, log2, sqrt
from typing import Protocol

import attrs
import numpy as np
import numpy.typing as npt

from simnet.arrays import Floats, Ints, Numbers

ROUNDING = 2.0**-53
ROUNDINGS = 8  # a bound on the error of one stage of an FFT, in units of rounding
OUTSIDE = 50.0  # on each side of the window, a tilted mass of at most exp(-50) is left out
# the tilts that are tried for Chernoff's bound, in standard deviations of the sum
REACH = np.geomspace(0.25, 64, 17)


@attrs.frozen
class Moments:
    """The cumulant log E[exp(tilt X)] of a law, and the mean and variance of the tilted law."""

    cumulant: float
    mean: float
    variance: float

    @property
    def deviation(self) -> float:
        """The standard deviation of the tilted law, but at least 1e-12 and at least 1e-9 times
        |mean|, so that it can serve as the unit of a grid's spacing.
        """
        return max(sqrt(self.variance), 1e-9 * abs(self.mean), 1e-12)


class Summand(Protocol):
    """The law of one summand.

    The total mass of the law may be below 1 if other code accounts for the missing mass, as
    `accounting` does for infinite and unknown losses.
    """

    def moments(self, tilt: float) -> Moments:
        """Return the moments under a tilt."""
        ...

    def masses(self, tilt: float, spacing: float, points: int) -> tuple[Floats, float]:
        """Return the tilted masses on the grid spacing * i, folded modulo `points`.

        Also returns a bound on the sum of their errors.
        """
        ...


Parts = Sequence[tuple[Summand, int]]  # pairs: a law, and the number of terms that have this law


def atoms_moments(log_masses: Floats, places: Numbers, tilt: float) -> Moments:
    """Return the moments, under a tilt, of finitely many masses at places; shapes (n,)."""
    exponents = log_masses + tilt * places
    top = float(exponents.max())
    weights = np.exp(exponents - top)
    total = float(weights.sum())
    mean = float(weights @ places) / total
    return Moments(top + log(total), mean, float(weights @ np.square(places - mean)) / total)


def tilted(log_masses: Floats, shift: Floats, cumulant: float) -> tuple[Floats, float]:
    """Return exp(log_masses + shift - cumulant), and a bound on the summed rounding errors."""
    masses = np.exp(log_masses + shift - cumulant)
    return masses, 2 * ROUNDING * float(masses @ (4 + abs(log_masses) + abs(shift) + abs(cumulant)))


def moments(parts: Parts, tilt: float) -> Moments:
    """Return the moments of the sum under a tilt."""
    terms = [(law.moments(tilt), times) for law, times in parts]
    return Moments(
        sum(times * term.cumulant for term, times in terms),
        sum(times * term.mean for term, times in terms),
        sum(times * term.variance for term, times in terms),
    )


def window(parts: Parts, tilt: float, outside: float, widening: float = 0.0) -> tuple[float, float]:
    """Return two ends; beyond each the tilted sum has at most mass exp(-outside), by Chernoff's
    bound.

    `widening` is a variance proxy V of the amount Z that the grid adds to the sum:
    log E[exp(r Z)] <= V (r² + |r|) / 2 for every r.
    """
    here = moments(parts, tilt)

    def end(sign: int) -> float:
        reaches = sign * REACH / here.deviation
        further = np.array([moments(parts, tilt + r).cumulant for r in reaches])
        grid = widening * ((tilt + reaches) ** 2 + abs(tilt + reaches)) / 2
        ends = (further + grid - here.cumulant + outside) / reaches
        return float(sign * np.min(sign * ends))

    return end(-1), end(1)


@attrs.frozen(eq=False)
class TiltedSum:
    """The tilted law of a sum on the grid points spacing * (first + j).

    The mass of the sum itself at x is exp(cumulant - tilt x) times the tilted mass.
    """

    tilt: float
    cumulant: float
    spacing: float
    first: int
    masses: Floats  # (points,)
    error: float  # a bound on the error of every mass
    outside: float  # an upper bound on the tilted mass that is misplaced or missing

    def place(self, index: Ints) -> Floats:
        """Return the places of the masses with these indices; the shape of the indices."""
        return np.asarray(self.spacing * (self.first + index), dtype=np.float64)


def tilted_sum(
    parts: Parts, tilt: float, spacing: float, ends: tuple[float, float], outside: float
) -> TiltedSum:
    """Return the tilted law of the sum of all parts, on a grid that covers the `ends` of `window`.

    `outside` must be the same as for `window`.
    """
    from scipy.fft import irfft, next_fast_len  # imported only here: scipy loads slowly

    first = floor(ends[0] / spacing)
    points = next_fast_len(max(ceil(ends[1] / spacing) - first + 1, 64), real=True)
    spectrum, size, spread = _spectrum(parts, tilt, spacing, points)
    stage = ROUNDINGS * ROUNDING * log2(points)
    error = 2 / points * float(np.sum(spread + stage * size))
    folded = np.roll(irfft(spectrum, points), -(first % points))
    cumulant = moments(parts, tilt).cumulant
    return TiltedSum(tilt, cumulant, spacing, first, folded, error, 2 * exp(-outside))


def _spectrum(
    parts: Parts, tilt: float, spacing: float, points: int
) -> tuple[npt.NDArray[np.complex128], Floats, Floats]:
    """Return the product of the parts' spectra, each to its power, with bounds on its size and
    error.
    """
    from scipy.fft import rfft  # imported only here: scipy loads slowly

    product = np.ones(points // 2 + 1, dtype=np.complex128)
    size, relative = np.ones(len(product)), np.zeros(len(product))
    for law, times in parts:
        masses, off = law.masses(tilt, spacing, points)
        spectrum = rfft(masses)
        off += ROUNDINGS * ROUNDING * log2(points) * float(masses.sum())
        bound = abs(spectrum) + off
        product *= spectrum**times
        size *= bound**times
        # the rounding errors of taking the power, in absolute value and in angle
        relative += times * (off / bound + 8 * ROUNDING)
    return product, size, relative * size


def fold(index: Ints, masses: Floats, points: int) -> Floats:
    """Return the masses added up by index modulo `points`; shape (points,)."""
    return np.asarray(
        np.bincount(index % points, weights=masses, minlength=points), dtype=np.float64
    )
