"""Prior laws of the counts of items, and the counts at which a posterior has its mass.

Theory of operation. For each of N estimates, `posterior` sums mass(k) times likelihood(k) over the
possible counts k, which may be as many as n. (Under a normal prior the posterior has a closed form,
and nothing is summed.) Two ideas make this cheap.

*Which counts matter.* Beyond some distance from its peak the product is negligible. The method
`points(low, high, noise)` of a prior finds counts that include those that matter for some estimate
in low..high. A power law is the hard case, because the product can have a second peak at 1:
docs/proofs/posterior.md shows which counts may be left out.

*How many counts are needed.* Where the product is smooth, a few counts represent a long row of
counts (`counting`). `points` returns these counts, with the logarithms of their mass times the
number of counts that each represents.

Source: Jia and Gong, *Calibrate*, section III-C.
"""

import math

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.postprocess import counting
from protocols.postprocess.noise import Noise
from protocols.postprocess.power_law import bisect, check_support, log_power_sum, power_law_mean
from simnet.arrays import Floats

Points = tuple[Floats, Floats]  # counts, and the logarithms of their weights

REACH = 12.0  # at this distance, in standard deviations of the noise, a likelihood is below e^-72
NEGLIGIBLE = -60.0  # logarithm of the share of a sum that may be left out
# logarithm of a negligible summand; smaller, because there are many summands
OUT_OF_REACH = -(REACH**2) / 2 - 20


def largest_plausible(estimate: float, noise: Noise, reach: float = REACH) -> float:
    """Return the largest k at which exp(-(f - k)² / (2 v(k))) is e^(-reach²/2) times its maximum.

    v(k) = V₀ + slope · k is the variance of the noise, with a slope of at least 0, and f is the
    estimate. The function (f - k)² / v(k) of k is convex. Over k >= 0 it is least at the largest of
    f, 0 and, for a slope above 0, -f - 2 V₀ / slope.
    """
    best = max(estimate, -estimate - 2 * noise.floor / noise.slope if noise.slope else 0.0, 0.0)
    half = (estimate - best) ** 2 / (2 * float(noise.variance(best))) + reach**2 / 2
    at_estimate = noise.floor + noise.slope * estimate
    return (
        estimate + half * noise.slope + math.sqrt(half * (half * noise.slope**2 + 2 * at_estimate))
    )


@attrs.frozen
class PowerLaw:
    """The power law: mass proportional to k^-α on the counts 1..K, with K finite or inf.

    `exponent` is α, above 1 for an infinite K. `support` is K >= 2. `at_zero` is a separate mass at
    0, for items that nobody holds, 0 <= at_zero < 1. Raises `ValueError` for values out of range.

    >>> PowerLaw(exponent=1.0, support=2).mean  # masses 2/3 and 1/3
    1.3333333333333333
    """

    exponent: float  # α, above 1 for an infinite K
    support: float  # K >= 2, a whole number or inf
    at_zero: float = 0.0  # 0 <= z < 1

    def __attrs_post_init__(self) -> None:
        checks.number("exponent", self.exponent)
        checks.chance("at_zero", self.at_zero)
        check_support(self.support)
        if not math.isfinite(self.exponent) or self.at_zero == 1:
            raise ValueError(
                f"exponent is finite and at_zero below 1, got {self.exponent} and {self.at_zero}"
            )
        if self.support == math.inf and self.exponent <= 1:
            raise ValueError(
                f"a power law on all counts has an exponent above 1, got {self.exponent}"
            )

    @property
    def mean(self) -> float:
        """The mean count. Raises `ValueError` if it is infinite: for an infinite K and α <= 2."""
        return (1 - self.at_zero) * power_law_mean(self.exponent, self.support)

    def points(self, low: float, high: float, noise: Noise) -> Points:
        """Return points for sums over the counts that matter, and ln of their weights."""
        # if the masses of the law rise with the count, the peak of the product lies higher
        reach = REACH + 2 * math.sqrt(max(0.0, -self.exponent))
        largest = max(largest_plausible(estimate, noise, reach) for estimate in (low, high))
        last = int(min(self.support, math.ceil(largest) + 1))
        places, weights = counting.points(self._first(low, noise), last, lambda _: noise.deviation)
        ordinary = math.log1p(-self.at_zero) - log_power_sum(self.exponent, self.support)
        logs = ordinary + np.log(weights) - self.exponent * np.log(places)
        if not self.at_zero:
            return places, logs
        return np.append(0.0, places), np.append(math.log(self.at_zero), logs)

    def _first(self, estimate: float, noise: Noise) -> int:
        """Return a count such that all smaller counts have negligible posterior mass, for this
        estimate and for all larger estimates.

        The product of mass and likelihood, if it is small at 1 and at this count, is small between
        them: see the page "Where the posterior of a power law begins" in the documentation. If the
        law ends more than `REACH` standard deviations below the estimate, no count is left out.
        """
        near = round(min(estimate, self.support))
        first = math.floor(estimate - REACH * math.sqrt(float(noise.variance(max(estimate, 0.0)))))
        if first <= 1 or near < first:
            return 1
        here, *ends = (self._log_product(count, estimate, noise) for count in (near, 1, first))
        return first if max(ends) < here + NEGLIGIBLE else 1

    def _log_product(self, count: float, estimate: float, noise: Noise) -> float:
        variance = float(noise.variance(count))
        return (
            -self.exponent * math.log(count)
            - ((estimate - count) ** 2 / variance + math.log(variance)) / 2
        )


@attrs.frozen
class PoissonPrior:
    """The Poisson law on 0, 1, 2, ...

    Raises `ValueError` for a mean that is not positive and finite.
    """

    mean: float  # λ > 0

    def __attrs_post_init__(self) -> None:
        checks.number("mean", self.mean)
        if not 0 < self.mean < math.inf:
            raise ValueError(f"a Poisson law has a positive and finite mean, got {self.mean}")

    def points(self, low: float, high: float, noise: Noise) -> Points:
        """Return points for sums over the counts that matter, and ln of their weights."""
        from scipy.special import gammaln  # imported only here: scipy loads slowly

        # we take the ends for both estimates, because for a very negative estimate a larger
        # count may be likelier
        ends = [end for estimate in (low, high) for end in self._ends(estimate, noise)]
        first, last = max(math.floor(min(ends)), 0), math.ceil(max(ends))
        smooth = noise.deviation
        places, weights = counting.points(
            first, last, lambda count: min(smooth, math.sqrt(count + 1))
        )
        return places, np.log(weights) + places * math.log(self.mean) - self.mean - gammaln(
            places + 1
        )

    def _mode(self, estimate: float, noise: Noise) -> float:
        """Return approximately the count with the largest product of mass and likelihood."""

        # the slope of the logarithm of mass times exp(-(f - k)² / (2 v(k))), which is concave
        def rise(count: float) -> float:
            ratio = (estimate - count) / float(noise.variance(count))
            return math.log(self.mean / (count + 0.5)) + ratio * (1 + noise.slope * ratio / 2)

        return bisect(rise, 0.0, max(self.mean, abs(estimate)) + 1)

    def _ends(self, estimate: float, noise: Noise) -> tuple[float, float]:
        """Return a count below the mode and a count above it, beyond which the posterior mass is
        negligible.
        """

        def log_product(count: float) -> float:
            off = (estimate - count) / math.sqrt(float(noise.variance(count)))
            return count * math.log(self.mean) - math.lgamma(count + 1) - off * off / 2

        mode = self._mode(estimate, noise)
        reach, least = self._reach(mode, noise), log_product(mode) + OUT_OF_REACH
        return (
            -bisect(lambda count: log_product(-count) - least, -mode, min(reach - mode, 0.0)),
            bisect(lambda count: log_product(count) - least, mode, mode + reach),
        )

    def _reach(self, mode: float, noise: Noise) -> float:
        """Return a distance from the mode beyond which mass times likelihood is negligible."""
        return REACH * math.sqrt(max(float(noise.variance(mode)), mode + 1)) + REACH**2


@attrs.frozen
class LaplacePrior:
    """The law with masses proportional to e^(-|k - μ| / b) on all whole numbers k.

    For b = 0 it is the point mass at μ. Raises `ValueError` for a negative b, and for numbers that
    are not finite.
    """

    mean: float  # μ
    scale: float  # b >= 0

    def __attrs_post_init__(self) -> None:
        _finite(mean=self.mean, scale=self.scale)
        if self.scale < 0:
            raise ValueError(f"a scale is not negative, got {self.scale}")

    def points(self, low: float, high: float, noise: Noise) -> Points:
        """Return points for sums over the counts that matter, and ln of their weights.

        The noise must not depend on the count.
        """
        refuse_sloped(noise)
        if not self.scale:
            return np.array([self.mean]), np.zeros(1)
        reach = REACH * noise.deviation
        first = math.floor(self._mode(low, noise) - reach)
        last = math.ceil(self._mode(high, noise) + reach)
        kink = math.floor(self.mean)  # the law is smooth on either side of μ
        ends = ((first, min(kink, last)), (max(kink + 1, first), last))
        sides = [counting.points(*side, lambda _: noise.deviation) for side in ends]
        places, weights = (np.concatenate(pieces) for pieces in zip(*sides, strict=True))
        return places, np.log(weights) - np.abs(
            places - self.mean
        ) / self.scale - self._log_normaliser

    def _mode(self, estimate: float, noise: Noise) -> float:
        """Return where mass times likelihood is largest.

        The result is the estimate moved towards μ by σ² / b, but not beyond μ.
        """
        off, pull = estimate - self.mean, noise.floor / self.scale
        return self.mean + math.copysign(max(abs(off) - pull, 0.0), off)

    @property
    def _log_normaliser(self) -> float:
        """The logarithm of (e^(-δ/b) + e^(-(1-δ)/b)) / (1 - e^(-1/b)), where δ is the fraction
        of μ.
        """
        left = self.mean - math.floor(self.mean)
        near, far = sorted((left / self.scale, (1 - left) / self.scale))
        return -near + math.log1p(math.exp(near - far)) - math.log(-math.expm1(-1 / self.scale))


@attrs.frozen
class GaussianPrior:
    """The normal law on the real line; the point mass at its mean for variance 0.

    Raises `ValueError` for a negative variance, and for numbers that are not finite.
    """

    mean: float  # μ
    variance: float  # τ² >= 0

    def __attrs_post_init__(self) -> None:
        _finite(mean=self.mean, variance=self.variance)
        if self.variance < 0:
            raise ValueError(f"a variance is not negative, got {self.variance}")


@attrs.frozen(eq=False)
class FinitePrior:
    """Any law on finitely many counts.

    `counts` and `masses` have shape (m,); the masses add up to 1. `FinitePrior.of(pmf)` takes the
    masses at 0, 1, 2, ... Raises `ValueError` for other shapes, counts that are not finite,
    negative masses or another sum.

    >>> FinitePrior.empirical([0, 0, 3, 5]).masses.tolist()
    [0.5, 0.25, 0.25]
    """

    counts: Floats = attrs.field(converter=np.asarray)  # shape (m,)
    masses: Floats = attrs.field(converter=np.asarray)  # shape (m,), adding up to 1

    def __attrs_post_init__(self) -> None:
        if self.counts.ndim != 1 or self.counts.shape != self.masses.shape:
            raise ValueError(
                "counts and masses are two lists of the same length, got shapes "
                f"{self.counts.shape} and {self.masses.shape}"
            )
        if not (
            np.isfinite(self.counts).all()
            and (self.masses >= 0).all()
            and abs(self.masses.sum() - 1) <= 1e-9
        ):
            raise ValueError(
                "counts are finite, and masses are not negative and add up to 1, got counts "
                f"{self.counts} and masses {self.masses}"
            )

    @classmethod
    def of(cls, pmf: npt.ArrayLike) -> "FinitePrior":
        """Return the law with these masses, shape (m,), at the counts 0, 1, ..., m - 1."""
        return cls(np.arange(np.size(pmf), dtype=np.float64), checks.as_doubles("masses", pmf))

    @classmethod
    def empirical(cls, counts: npt.ArrayLike) -> "FinitePrior":
        """Return the law of a count that is drawn uniformly from these counts, shape (N,).

        Suppose that `counts` are the true counts of the items. Then no function that is applied to
        each estimate by itself has a smaller expected squared error, on average over the items,
        than the posterior mean under this law.
        """
        values, times = np.unique(checks.as_doubles("counts", counts), return_counts=True)
        return cls(values, times / times.sum())

    def points(self, low: float, high: float, noise: Noise) -> Points:  # noqa: ARG002  # as all priors have it
        """Return all counts that have a mass, and the logarithms of the masses.

        If a count is below 0, the noise must not depend on the count.
        """
        if self.counts.min(initial=0) < 0:
            refuse_sloped(noise)
        has_mass = self.masses > 0
        return self.counts[has_mass].astype(np.float64), np.log(self.masses[has_mass])


Prior = PowerLaw | PoissonPrior | LaplacePrior | GaussianPrior | FinitePrior


def refuse_sloped(noise: Noise) -> None:
    """Raise `ValueError` for noise whose variance depends on the count: this variance is defined
    only for counts from 0 to the number of users.
    """
    if noise.slope:
        raise ValueError(
            "a prior with counts below 0 needs noise with one variance for all counts: use "
            "noise.alike"
        )


def _finite(**values: float) -> None:
    for name, value in values.items():
        checks.number(name, value)
        if not math.isfinite(value):
            raise ValueError(f"{name} is finite, got {value}")
