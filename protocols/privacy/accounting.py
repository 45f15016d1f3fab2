"""Intervals for δ(ε) and ε(δ) of a sum of independent privacy losses, in one direction.

Theory of operation. Let P and Q be the laws of a view x under two neighbouring inputs. The privacy
loss of x is L = log P(x)/Q(x). If a view consists of several independent parts, its loss is the sum
of the parts' losses. Its δ is ::

    δ(ε) = E[(1 - e^(ε - L))+]          over the law P, infinite losses included.

`loss` puts each part's law on a grid of spacing h: it splits every loss between the two nearest
grid points in a way that never makes δ smaller. `convolution` computes the law of the sum by FFT.
Before the FFT the masses are tilted (multiplied by an exponential function). The aim is that the
losses near ε have the largest masses, and that errors are relative to δ and not to 1. This module
computes the interval:

1. The upper end is the δ of the grid, plus bounds on errors: of the FFT and of rounding, of the
   mass that is left out, of unknown losses, and of the stated losses and their masses
   (`TiltedLosses.log_over`).
2. The lower end subtracts a bound on what splitting can have added to δ. Let S be the sum on the
   grid, and V = h²/4 times the number of terms. Then splitting has added at most

       √V exp(√V/2 - 1/2 + √(1 + V/4)) E[exp(-|S - ε|/√V)],

   which is about 3.3 V times the density of S at ε. This error falls with the square of h. Rounding
   every loss up or down would give an error of up to h for each term. docs/proofs/composition.md
   proves the bound (`TiltedLosses._gap`).
3. The spacing h is chosen for the requested width of the interval. If the interval turns out
   wider, a finer grid is tried. Rare huge losses may be declared unknown, because under a tilt they
   would outweigh all other losses (`OneWay.log_delta`, `OneWay.trimmed`).

If a single loss within about √V of ε has a probability far larger than δ, splitting this loss may
have added much more than δ. Then the interval is wide, but it still contains δ.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, expm1, inf, isfinite, log, log1p, nextafter, pi, sqrt

import attrs
import numpy as np

from protocols.privacy.convolution import (
    OUTSIDE,
    ROUNDING,
    Moments,
    TiltedSum,
    moments,
    tilted_sum,
    window,
)
from protocols.privacy.loss import LossLaw
from protocols.privacy.profile import epsilon_where
from simnet.arrays import Floats

LARGEST_GRID = 1 << 21  # the most points of a grid; if they are not enough, intervals are wider
POINTS = 1 << 11  # the least number of grid points per standard deviation of the sum
# if the tolerance is not met, a grid that is 8 times finer is tried; laws of few atoms need it
FINENESS = (1, 8)
# the number of attempts with fewer huge losses or finer grids; far out in a tail, each attempt
# gains a factor of a million
ATTEMPTS = 60
RELATIVE = 1e-11  # the relative precision of an ε
COARSEST = 4e5  # the largest V: then e^√V, a factor of the bound on the error, is a double
STEEPEST = 0.5  # a bound on tilt √V, because a coarse grid tells nothing about a steep tilt
# the least tilt, times the deviation plus |mean| of the sum; the largest tilt, times the deviation
LEAST_TILT, LARGEST_TILT = 1e-4, 1e3


@attrs.frozen
class OneWay:
    """Independent losses in one direction: the law of each loss, and how often this law occurs."""

    parts: tuple[tuple[LossLaw, int], ...]

    @property
    def terms(self) -> int:
        """The number of independent losses in the sum."""
        return sum(times for _, times in self.parts)

    @property
    def error(self) -> float:
        """A bound on the error of the sum of the stated losses."""
        return sum(times * law.error for law, times in self.parts)

    @property
    def mass_error(self) -> float:
        """A bound on the error of the logarithm of a mass, in the law of the sum."""
        return sum(times * law.mass_error for law, times in self.parts)

    @property
    def largest(self) -> float:
        """The least upper bound on all finite sums; minus infinity if every sum is infinite."""
        each = [times * law.largest for law, times in self.parts]
        return -inf if -inf in each else sum(each)

    @property
    def limit(self) -> float:
        """The least ε, rounded up, from which on no finite loss contributes to δ.

        It is negative if all finite sums are negative, and minus infinity if every sum is infinite.
        """
        each = [(law.largest, law.error, times) for law, times in self.parts]
        if not all(isfinite(largest) for largest, _, _ in each):
            return self.largest
        exact = sum(times * (Fraction(largest) + Fraction(error)) for largest, error, times in each)
        nearest = float(exact)
        return nextafter(nearest, inf) if nearest < exact else nearest

    def log_infinite(self, above: bool) -> float:
        """Return a bound, from above or from below, on the log probability of an infinite loss.

        The bound from above counts unknown losses as infinite.
        """
        # P[no infinite loss] = Π (1 - chance)^times
        log_finite = sum(
            times * log1p(-chance) if chance < 1 else -inf
            for law, times in self.parts
            for chance in [min(law.infinite + (law.unknown if above else 0.0), 1.0)]
        )
        slack = self.mass_error + 8 * ROUNDING * self.terms
        if log_finite >= 0:
            return -inf
        return min(log(-expm1(log_finite)) + (slack if above else -slack), 0.0)

    def log_delta(
        self, epsilon: float, tolerance: float, known: float = -inf
    ) -> tuple[float, float]:
        """Return the logarithms of the ends of an interval for δ(ε).

        The tolerance is for the relative width of the interval. The interval may be wider: unknown
        losses and the errors of stated losses add to its width, and the finest grid may be too
        coarse. The search also ends if the interval lies below `known`, the logarithm of a lower
        bound on the final result.
        """
        losses, fineness, low, high = self, FINENESS[0], -inf, 0.0
        for _ in range(ATTEMPTS):
            grid_low, grid_high, is_fine = losses.ends(epsilon, tolerance, fineness)
            stays = grid_high > high - 1
            low, high = max(low, grid_low), min(high, grid_high)
            if is_fine or high <= known or (stays and fineness == FINENESS[-1]):
                break
            losses, fineness = self.trimmed(high, tolerance), FINENESS[-1] if stays else fineness
        return low, high

    def ends(self, epsilon: float, tolerance: float, fineness: int) -> tuple[float, float, bool]:
        """Return the logarithms of the ends of an interval for δ(ε), and whether the search may
        stop.

        The ends come from one grid, or without a grid if only infinite losses contribute to δ(ε).
        `fineness` is as in `tilted`.
        """
        if self.limit <= epsilon:
            low, high = self.log_infinite(above=False), self.log_infinite(above=True)
            return low, high, high - low <= tolerance
        grid = self.tilted(self.tilt_at(epsilon), tolerance, fineness)
        if grid is None:
            return self.log_infinite(above=False), self.log_added(epsilon), True
        return grid.log_under(epsilon), grid.log_over(epsilon), grid.is_fine_at(epsilon, tolerance)

    def epsilon(
        self, log_delta: float, tolerance: float, known: float = -inf
    ) -> tuple[float, float]:
        """Return the ends of an interval for the least ε with ln δ(ε) <= log_delta.

        Both ends are infinite if no ε is large enough. Only the upper end is infinite if unknown
        losses or rounding decide this. The tolerance is for ε or for δ, as in `log_delta`; here
        `known` is a lower bound on the final ε.
        """
        infinite = self.log_infinite(above=False)
        if infinite >= log_delta:
            # if both are equal, rounding decides, so the interval covers both cases
            return (inf if infinite > log_delta else 0.0), inf
        losses = self.trimmed(log_delta, tolerance)
        # for larger ε only infinite losses contribute to δ
        limit = max(losses.limit, 0.0)
        is_met = losses.log_infinite(above=True) <= log_delta
        if limit == 0:
            return 0.0, 0.0 if is_met else inf
        tilt = losses.tilt_for(log_delta + log1p(-exp(infinite - log_delta)))
        for fineness in FINENESS:
            grid = losses.tilted(tilt, tolerance, fineness)
            if grid is None:
                added = epsilon_where(self.log_added, log_delta, -inf)
                return 0.0, min(added, limit) if is_met else added
            low = grid.crossing(grid.log_under, log_delta, limit, above=False)
            high = grid.crossing(grid.log_over, log_delta, limit) if is_met else inf
            if (
                high - low <= tolerance * max(high, tolerance)
                or grid.is_fine_at(low, tolerance)
                or high <= known
            ):
                break
        return low, high

    def trimmed(self, log_delta: float, tolerance: float) -> "OneWay":
        """Return the losses with the largest ones declared unknown, as long as this hardly changes
        the δ whose logarithm is given.
        """
        mass = 1e-3 * tolerance * exp(log_delta) / self.terms
        return OneWay(tuple((law.trimmed(mass), times) for law, times in self.parts))

    def tilt_at(self, epsilon: float) -> float:
        """Return the tilt that is best for ε (see `_centre`), or the nearest useful tilt."""
        return self._tilt(lambda tilt: _centre(moments(self.parts, tilt), tilt) - epsilon)

    def tilt_for(self, log_delta: float) -> float:
        """Return the tilt for the ε at which δ is about the given δ, by the saddle-point
        approximation.
        """

        def surplus(tilt: float) -> float:
            at = moments(self.parts, tilt)
            spread = log1p(2 * pi * at.variance * tilt**2) / 2
            return log_delta - (at.cumulant - tilt * _centre(at, tilt) - log1p(tilt) - spread)

        return self._tilt(surplus)

    def _tilt(self, surplus: Callable[[float], float]) -> float:
        """Return the root of a rising function of the tilt, or the end of the range of useful tilts
        that is nearest to it.
        """
        from scipy.optimize import brentq  # imported only here: scipy loads slowly

        at = moments(self.parts, 0.0)
        low, high = LEAST_TILT / (at.deviation + abs(at.mean)), LARGEST_TILT / at.deviation
        if surplus(low) >= 0:
            return low
        if surplus(high) <= 0:
            return high
        return exp(brentq(lambda s: surplus(exp(s)), log(low), log(high), xtol=1e-3, rtol=1e-9))

    def log_added(self, epsilon: float) -> float:
        """Return the logarithm of an upper bound on δ(ε): the sum of the δ of the losses, each at
        an equal part of ε.
        """
        part = epsilon / self.terms * (1 - 2 * ROUNDING)
        total = sum(times * law.delta(part) for law, times in self.parts)
        return min(log(total) + 8 * ROUNDING * len(self.parts), 0.0) if total > 0 else -inf

    def tilted(self, tilt: float, tolerance: float, fineness: int) -> "TiltedLosses | None":
        """Return the sum under a tilt, on a grid `fineness` times finer than smooth losses need.

        The grid has at most about `LARGEST_GRID` points, and the tilt is lowered if it is too steep
        for the grid. Returns None if such a grid would be too coarse to tell anything.
        """
        # The gap is 3.3 V times the density of S at ε, and δ is that density over t (t + 1): this h
        # makes the gap half of the tolerance.
        smooth = sqrt(0.6 * tolerance / (self.terms * tilt * (tilt + 1)))
        spacing = min(smooth, moments(self.parts, tilt).deviation / POINTS) / fineness
        while True:
            added = self.terms * spacing * spacing / 4
            if added > COARSEST:
                return None
            tilt = min(tilt, STEEPEST / sqrt(added))
            ends = window(self.parts, tilt, OUTSIDE, added)
            excess = (ends[1] - ends[0]) / spacing / LARGEST_GRID
            if excess <= 1:
                total = tilted_sum(self.parts, tilt, spacing, ends, OUTSIDE)
                return TiltedLosses(total, _centre(moments(self.parts, tilt), tilt), added, self)
            spacing *= 1.05 * excess


def _centre(at: Moments, tilt: float) -> float:
    """Return the ε for which a tilt is best: there exp(cumulant - tilt ε)/(tilt (tilt + 1)) is
    least.
    """
    return at.mean - 1 / tilt - 1 / (1 + tilt)


@attrs.frozen(eq=False)
class TiltedLosses:
    """A tilted sum of losses on a grid, accurate for δ around the ε of the tilt."""

    total: TiltedSum
    centre: float  # the ε
    added: float  # V, a bound on the variance that splitting adds to the sum
    losses: OneWay
    limit: float = attrs.field(init=False)  # `OneWay.limit` of the losses

    @limit.default
    def _limit_of_losses(self) -> float:
        return self.losses.limit

    def log_over(self, epsilon: float) -> float:
        """Return the logarithm of an upper bound on δ(ε)."""
        if epsilon >= self.limit:  # the grid may have points beyond the largest loss
            return self.losses.log_infinite(above=True)
        # if the losses have this error, the true δ(ε) lies between the computed δ(ε - error) and
        # δ(ε + error)
        near = epsilon - self.losses.error
        value, doubt = self._excess(near)
        finite = self._log_in_units(near, value + doubt, 1) + self.losses.mass_error
        return float(min(np.logaddexp(finite, self.losses.log_infinite(above=True)), 0.0))

    def log_under(self, epsilon: float) -> float:
        """Return the logarithm of a lower bound on δ(ε)."""
        if epsilon >= self.limit:
            return self.losses.log_infinite(above=False)
        far = epsilon + self.losses.error
        value, doubt = self._excess(far)
        finite = (
            self._log_in_units(far, value - doubt - self._gap(far), -1) - self.losses.mass_error
        )
        return float(np.logaddexp(finite, self.losses.log_infinite(above=False)))

    def is_fine_at(self, epsilon: float, tolerance: float) -> bool:
        """Return whether the grid's own error in δ(ε) is at most `tolerance` times the upper
        bound on δ(ε).

        Unknown losses are not part of this error.
        """
        _, doubt = self._excess(epsilon)
        spread = self._log_in_units(epsilon, 2 * doubt + self._gap(epsilon), 1)
        return spread <= log(tolerance) + self.log_over(epsilon)

    def crossing(
        self, bound: Callable[[float], float], target: float, limit: float, above: bool = True
    ) -> float:
        """Return an ε in 0..limit where a falling bound crosses a target. The bound at `limit` must
        be at most the target.

        If `above` is true, the bound at this ε is at most the target; otherwise the bound is larger
        than the target. The result is 0 if even the bound at 0 is at most the target.
        """
        from scipy.optimize import brentq  # imported only here: scipy loads slowly

        low = high = min(max(self.centre, 0.0), limit)
        step = 0.01 / self.total.tilt
        while low > 0 and bound(low) <= target:
            low, step = max(low - step, 0.0), 2 * step
        while high < limit and bound(high) > target:
            high, step = min(high + step, limit), 2 * step
        if bound(low) <= target:
            return 0.0
        root = brentq(
            lambda epsilon: max(bound(epsilon), -1e4) - target,
            low,
            high,
            xtol=RELATIVE**2,
            rtol=RELATIVE,
        )
        step = RELATIVE * max(root, RELATIVE)
        while (bound(root) > target) == above:
            root, step = (min(root + step, high) if above else max(root - step, low)), 2 * step
        return float(root)

    def _log_in_units(self, epsilon: float, value: float, sign: int) -> float:
        """Return log(`value` · exp(cumulant - tilt ε)), rounded up if `sign` is 1, down if -1.

        Returns -inf for a value of at most 0.
        """
        total = self.total
        rounding = 8 * ROUNDING * (abs(total.cumulant) + total.tilt * abs(epsilon) + 1)
        if value <= 0:
            return -inf
        return total.cumulant - total.tilt * epsilon + log(value) + sign * rounding

    def _atoms_between(self, low: float, high: float) -> tuple[Floats, Floats]:
        spacing, first = self.total.spacing, self.total.first
        start, stop = (
            min(max(ceil(end / spacing) - first, 0), len(self.total.masses)) for end in (low, high)
        )
        return self.total.place(np.arange(start, stop)), self.total.masses[start:stop]

    def _excess(self, epsilon: float) -> tuple[float, float]:
        """Return E[(1 - e^(ε - S))+] on the grid, in units of e^(cumulant - tilt ε), and a bound on
        its error.
        """
        total, tilt = self.total, self.total.tilt
        # places farther away have weights of at most exp(-OUTSIDE)
        places, masses = self._atoms_between(epsilon, epsilon + OUTSIDE / tilt)
        weights = np.exp(tilt * (epsilon - places)) * np.maximum(-np.expm1(epsilon - places), 0.0)
        largest = exp(-tilt * log1p(1 / tilt)) / (1 + tilt)  # of exp(-tx)(1 - exp(-x))
        value = float(masses @ weights)
        doubt = total.error * float(weights.sum()) + total.outside * largest + 2 * exp(-OUTSIDE)
        return value, doubt + ROUNDING * len(masses) * abs(value)

    def _gap(self, epsilon: float) -> float:
        """Return a bound on what splitting has added, in the same units (`tilted` ensures tilt
        √V < 1).
        """
        # √V exp(√V/2 - 1/2 + √(1 + V/4)) E[exp(-|S - ε|/√V)], S the sum on the grid
        total, root = self.total, sqrt(self.added)
        below, above = (OUTSIDE / (1 / root + sign * total.tilt) for sign in (-1, 1))
        places, masses = self._atoms_between(epsilon - below, epsilon + above)
        off = places - epsilon
        weights = np.exp(-total.tilt * off - abs(off) / root)
        doubt = total.error * float(weights.sum()) + total.outside + 2 * exp(-OUTSIDE)
        factor = root * exp(root / 2 - 0.5 + sqrt(1 + self.added / 4))
        return factor * (float(masses @ weights) + doubt)
