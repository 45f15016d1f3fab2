"""Fit a prior to noisy counts: by mean and variance, or by maximum likelihood.

Every user holds one item, so the mean count is exactly users / items. It is used if the
`mean_source` is `known_total`. The paper, and the `mean_source` `estimates`, use the mean of the
estimates instead. Its standard error, σ / √N for noise of deviation σ, can exceed the true mean
count. So the mean of the estimates may be 1 or less; no power law on 1..K has such a mean.

Maximum likelihood (Eq. 16) maximises the sum, over the items, of the logarithm of the density of
the estimate, Σ_k p_f(k) p_s(estimate - k), with the prior p_f and the density p_s of the noise. For
a normal prior the density of the estimate is normal, so the likeliest parameters are those of the
mean-variance method. For the other families we search numerically.

Source: Jia and Gong, *Calibrate*, section III-C.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, get_args

import attrs
import numpy as np
import numpy.typing as npt

from protocols.checks import one_of
from protocols.postprocess.noise import Noise
from protocols.postprocess.posterior import checked, posterior
from protocols.postprocess.power_law import exponent_of_mean
from protocols.postprocess.priors import GaussianPrior, LaplacePrior, PoissonPrior, PowerLaw, Prior
from simnet.arrays import Floats

MeanSource = Literal["estimates", "known_total"]

LEAST_EXPONENT, LARGEST_EXPONENT = 1.05, 4.0  # the search range for the likeliest exponent
LEAST_MEAN, GRID = 1e-3, 24  # the least mean of a Poisson law; points of the first search


@attrs.frozen
class CountMoments:
    """The mean and variance of the true counts. The mean-variance method fits a prior to them."""

    mean: float
    variance: float  # the variance of the counts behind the estimates, at least 0

    @classmethod
    def of(
        cls, estimates: npt.ArrayLike, noise: Noise, mean_source: MeanSource = "estimates"
    ) -> "CountMoments":
        """Return the mean and variance of the counts behind estimates, shape (N,).

        V₀ is subtracted from the variance of the estimates; the variance of the counts is 0 if
        noise explains the whole variance of the estimates. Raises `ValueError` for fewer than two
        estimates, for estimates that are not one row of finite numbers, and for an unknown
        `mean_source`.
        """
        one_of("mean_source", mean_source, get_args(MeanSource))
        counts = checked(estimates)
        if counts.size < 2:
            raise ValueError(f"a prior is fitted to at least 2 items, got {counts.size}")
        mean = float(counts.mean()) if mean_source == "estimates" else noise.users / counts.size
        return cls(mean, max(0.0, float(counts.var()) - noise.floor))


def power_law_of_mean(moments: CountMoments, support: float, at_zero: float = 0.0) -> PowerLaw:
    """Return a law of counts with this mean: a known mass `at_zero` at 0, and otherwise a power law
    on 1..K, with K finite or infinite.

    Raises `ValueError` if there is no such power law, and for an `at_zero` outside [0, 1).
    """
    if not 0 <= at_zero < 1:
        raise ValueError(f"at_zero is a probability below 1, got {at_zero}")
    return PowerLaw(exponent_of_mean(moments.mean / (1 - at_zero), support), support, at_zero)


def gaussian_of(moments: CountMoments) -> GaussianPrior:
    """Return the normal law with this mean and variance."""
    return GaussianPrior(moments.mean, moments.variance)


def laplace_of(moments: CountMoments) -> LaplacePrior:
    """Return the Laplace law with this mean and this variance 2 b², both up to rounding to whole
    numbers.
    """
    return LaplacePrior(moments.mean, math.sqrt(moments.variance / 2))


def poisson_of(moments: CountMoments) -> PoissonPrior:
    """Return the Poisson law with this mean.

    Raises `ValueError` for a mean that is not positive.
    """
    if not moments.mean > 0:
        raise ValueError(
            f"no Poisson prior fits estimates whose mean count is {moments.mean:.4g}: the noise "
            "hides the counts; use a larger epsilon, more users, or another prior"
        )
    return PoissonPrior(moments.mean)


FAMILIES: Mapping[str, Callable[[CountMoments], Prior]] = MappingProxyType(
    {"gaussian": gaussian_of, "laplace": laplace_of, "poisson": poisson_of}
)


def likeliest_power_law(
    estimates: npt.ArrayLike, noise: Noise, support: float, at_zero: float = 0.0
) -> PowerLaw:
    """Return the power law on 1..K, with the mass `at_zero` at 0, under which the estimates are
    likeliest, Eq. 16.

    The exponent has an error of about 1e-4. Raises `ValueError` if it would lie outside 1.05..4,
    and for estimates that are not one row of finite numbers.
    """
    counts = checked(estimates)
    ends = (LEAST_EXPONENT, LARGEST_EXPONENT)
    likeliest = _least(
        lambda exponent: surprise(counts, PowerLaw(exponent, support, at_zero), noise), *ends
    )
    if min(likeliest - ends[0], ends[1] - likeliest) < 1e-3:
        raise ValueError(
            f"the likeliest exponent lies outside {ends[0]}..{ends[1]}: use calibrate with "
            "fit=mean, or give a prior"
        )
    return PowerLaw(likeliest, support, at_zero)


def likeliest_gaussian(estimates: npt.ArrayLike, noise: Noise) -> GaussianPrior:
    """Return the normal law under which the estimates are likeliest."""
    return gaussian_of(CountMoments.of(estimates, noise))


def likeliest_poisson(estimates: npt.ArrayLike, noise: Noise) -> PoissonPrior:
    """Return the Poisson law under which the estimates are likeliest.

    The logarithm of its mean has an error of about 1e-4. Raises `ValueError` if the likeliest mean
    is not above 1/1000, and for estimates that are not one row of finite numbers.
    """
    counts = checked(estimates)
    ends = math.log(LEAST_MEAN), math.log(max(float(counts.max()), 1.0) + noise.deviation)
    grid = np.linspace(*ends, GRID)
    step = grid[1] - grid[0]

    def of(logarithm: float) -> float:
        return surprise(counts, PoissonPrior(math.exp(logarithm)), noise)

    best = float(grid[np.argmin([of(place) for place in grid.tolist()])])
    likeliest = _least(of, max(best - step, ends[0]), min(best + step, ends[1]))
    if likeliest - ends[0] < 1e-3:
        raise ValueError(
            "no Poisson prior fits: the likeliest mean count is below "
            f"{LEAST_MEAN:g}; use a larger epsilon, more users, or another prior"
        )
    return PoissonPrior(math.exp(likeliest))


def likeliest_laplace(estimates: npt.ArrayLike, noise: Noise) -> LaplacePrior:
    """Return the Laplace law under which the estimates are likeliest.

    The search is numerical and may end at a local maximum. The result is at least as likely as the
    law of the mean-variance method.
    """
    from scipy.optimize import minimize  # imported only here: scipy loads slowly

    counts = checked(estimates)
    first = laplace_of(CountMoments.of(counts, noise))
    unit = noise.deviation

    def of(place: npt.NDArray[np.float64]) -> float:
        # beyond these the law is a point mass, or flat, to double precision
        scale = math.exp(min(max(float(place[1]), -20.0), 40.0))
        return surprise(counts, LaplacePrior(float(place[0]) * unit, scale), noise)

    scales = [max(first.scale, unit / 10), unit / 10, unit]
    starts = [
        np.array([centre / unit, math.log(scale)])
        for centre, scale in zip((first.mean, *2 * [float(np.median(counts))]), scales, strict=True)
    ]
    start = min(starts, key=of)
    found = minimize(of, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-6}).x
    likeliest = LaplacePrior(
        float(found[0]) * unit, math.exp(min(max(float(found[1]), -20.0), 40.0))
    )
    return min((likeliest, first), key=lambda prior: surprise(counts, prior, noise))


LIKELIEST: Mapping[str, Callable[[npt.ArrayLike, Noise], Prior]] = MappingProxyType(
    {"gaussian": likeliest_gaussian, "laplace": likeliest_laplace, "poisson": likeliest_poisson}
)


def surprise(estimates: Floats, prior: Prior, noise: Noise) -> float:
    """Return minus the logarithm of the likelihood of estimates, shape (N,), under a prior."""
    return -float(np.sum(posterior(estimates, prior, noise).log_marginal))


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function of one number is least between two ends, to about 1e-4."""
    from scipy.optimize import minimize_scalar  # imported only here: scipy loads slowly

    options = {"xatol": 1e-4}
    return float(minimize_scalar(function, bounds=(low, high), method="bounded", options=options).x)
