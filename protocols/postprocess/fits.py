"""Fitting a prior to noisy counts: by mean and variance, or by maximum likelihood.

Every user holds one item, so the mean count is users / items exactly (`known_total`); the paper
takes the mean of the estimates, whose standard error σ / √N can exceed it, and then no power law
fits. Source: Jia and Gong, *Calibrate*, section 4.2, Eq. 16.
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

LEAST_EXPONENT, LARGEST_EXPONENT = 1.05, 4.0  # between which the likeliest exponent is looked for


@attrs.frozen
class CountMoments:
    """Mean and variance of true counts, to which the mean-variance method fits a prior.

    The variance is that of the counts behind the estimates.
    """

    mean: float
    variance: float  # from 0

    @classmethod
    def of(
        cls, estimates: npt.ArrayLike, noise: Noise, mean_source: MeanSource = "estimates"
    ) -> "CountMoments":
        """Mean and variance of the counts behind estimates, shape (N,).

        V₀ is taken off the variance, which is 0 when noise explains all of it. Raises `ValueError`
        for fewer than two estimates and another source.
        """
        one_of("mean_source", mean_source, get_args(MeanSource))
        counts = checked(estimates)
        if counts.size < 2:
            raise ValueError(f"a prior is fitted to at least 2 items, got {counts.size}")
        mean = float(counts.mean()) if mean_source == "estimates" else noise.users / counts.size
        return cls(mean, max(0.0, float(counts.var()) - noise.floor))


def power_law_of_mean(moments: CountMoments, support: float, at_zero: float = 0.0) -> PowerLaw:
    """The power law on 1..K with this mean, K finite or inf, beside a mass at 0 that is known.

    Raises `ValueError` when there is none.
    """
    if not 0 <= at_zero < 1:
        raise ValueError(f"at_zero is a probability below 1, got {at_zero}")
    return PowerLaw(exponent_of_mean(moments.mean / (1 - at_zero), support), support, at_zero)


def gaussian_of(moments: CountMoments) -> GaussianPrior:
    """The normal law with this mean and variance."""
    return GaussianPrior(moments.mean, moments.variance)


def laplace_of(moments: CountMoments) -> LaplacePrior:
    """The Laplace law with this mean and, up to rounding to whole numbers, this variance 2 b²."""
    return LaplacePrior(moments.mean, math.sqrt(moments.variance / 2))


def poisson_of(moments: CountMoments) -> PoissonPrior:
    """The Poisson law with this mean. Raises `ValueError` for a mean that is not positive."""
    if not moments.mean > 0:
        raise ValueError(
            f"no Poisson prior fits estimates whose mean count is {moments.mean:.4g}: the noise "
            "hides the counts; take a larger epsilon, more users, or another prior"
        )
    return PoissonPrior(moments.mean)


FAMILIES: Mapping[str, Callable[[CountMoments], Prior]] = MappingProxyType(
    {"gaussian": gaussian_of, "laplace": laplace_of, "poisson": poisson_of}
)


def likeliest_power_law(
    estimates: npt.ArrayLike, noise: Noise, support: float, at_zero: float = 0.0
) -> PowerLaw:
    """The power law on 1..K under which the estimates are likeliest, Eq. 16.

    The exponent is right to about 1e-4.

    Raises `ValueError` when it would lie outside 1.05..4, where a fit is no power law that data can
    tell.
    """
    from scipy.optimize import minimize_scalar  # here, not above: it takes a while to load

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
