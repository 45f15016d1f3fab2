"""Fit a prior to noisy counts: by mean and variance, or by maximum likelihood.

Every user holds one item, so the mean count is exactly users / items (`known_total`). The paper
uses the mean of the estimates. Its standard error, σ / √N, can exceed the mean itself, and then no
power law fits.

Source: Jia and Gong, *Calibrate*, section 4.2, Eq. 16.
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

MeanSource = Literal["estimates", "known_total"]

LEAST_EXPONENT, LARGEST_EXPONENT = 1.05, 4.0  # the search range for the likeliest exponent


@attrs.frozen
class CountMoments:
    """Mean and variance of the true counts, to which the mean-variance method fits a prior."""

    mean: float
    variance: float  # of the counts behind the estimates, at least 0

    @classmethod
    def of(
        cls, estimates: npt.ArrayLike, noise: Noise, mean_source: MeanSource = "estimates"
    ) -> "CountMoments":
        """Return the mean and variance of the counts behind estimates, shape (N,).

        V₀ is subtracted from the variance of the estimates; the result is 0 if noise explains all
        of it. Raises `ValueError` for fewer than two estimates, and for an unknown `mean_source`.
        """
        one_of("mean_source", mean_source, get_args(MeanSource))
        counts = checked(estimates)
        if counts.size < 2:
            raise ValueError(f"a prior is fitted to at least 2 items, got {counts.size}")
        mean = float(counts.mean()) if mean_source == "estimates" else noise.users / counts.size
        return cls(mean, max(0.0, float(counts.var()) - noise.floor))


def power_law_of_mean(moments: CountMoments, support: float, at_zero: float = 0.0) -> PowerLaw:
    """Return the power law on 1..K with this mean, K finite or inf, beside a known mass at 0.

    Raises `ValueError` if there is no such power law.
    """
    if not 0 <= at_zero < 1:
        raise ValueError(f"at_zero is a probability below 1, got {at_zero}")
    return PowerLaw(exponent_of_mean(moments.mean / (1 - at_zero), support), support, at_zero)


def gaussian_of(moments: CountMoments) -> GaussianPrior:
    """Return the normal law with this mean and variance."""
    return GaussianPrior(moments.mean, moments.variance)


def laplace_of(moments: CountMoments) -> LaplacePrior:
    """Return the Laplace law with this mean and, up to rounding to whole numbers, this variance
    2 b².
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
    """Return the power law on 1..K under which the estimates are likeliest, Eq. 16.

    The exponent has an error of about 1e-4. Raises `ValueError` if it would lie outside 1.05..4,
    where data cannot identify a power law.
    """
    from scipy.optimize import minimize_scalar  # imported only here: scipy loads slowly

    counts = checked(estimates)

    def surprise(exponent: float) -> float:
        return -float(
            np.sum(posterior(counts, PowerLaw(exponent, support, at_zero), noise).log_marginal)
        )

    ends = (LEAST_EXPONENT, LARGEST_EXPONENT)
    likeliest = float(
        minimize_scalar(surprise, bounds=ends, method="bounded", options={"xatol": 1e-4}).x
    )
    if min(likeliest - ends[0], ends[1] - likeliest) < 1e-3:
        raise ValueError(
            f"the likeliest exponent lies outside {ends[0]}..{ends[1]}: fit the mean, or "
            f"give a prior"
        )
    return PowerLaw(likeliest, support, at_zero)
