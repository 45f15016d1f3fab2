"""Calibrate: replace estimated counts by their posterior means under a fitted prior.

This is a step after any pure local collection. It reads only estimates, so it costs no privacy. The
result is biased on purpose and does not add up to the number of users. The method is best only if
the prior is right: fitted to Retail data at ε = 1, it is worse than setting insignificant counts to
zero.

Source: Jia and Gong, *Calibrate: Frequency Estimation and Heavy Hitter Identification with Local
Differential Privacy via Incorporating Prior Knowledge*, Algorithm 1.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, get_args

import attrs
import numpy as np
import numpy.typing as npt

from protocols.checks import one_of
from protocols.postprocess import consistency
from protocols.postprocess.fits import (
    FAMILIES,
    CountMoments,
    MeanSource,
    likeliest_power_law,
    power_law_of_mean,
)
from protocols.postprocess.noise import Noise, zeroed
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import Prior
from simnet.arrays import Floats

Support = Literal["users", "largest", "infinite"]

FITS = ("mean", "likelihood")

FALSE_POSITIVES = 2  # α of base-cut: how many items without holders exceed its threshold on average


@attrs.frozen
class Calibrate:
    """How a prior is fitted and used.

    The defaults are the paper's, with the largest possible count as the prior's support.
    """

    family: str = "power-law"
    # the largest count of the power law: the number of users, the largest estimate, or infinity
    support: Support = "users"
    fit: str = "mean"  # or likelihood, of the power law
    mean_source: MeanSource = "estimates"
    at_zero: float = 0.0  # for the power law: the known share of items that nobody holds
    # use each count's own variance in place of V₀: not in the paper; the result is not monotone
    # for estimates far below 0
    own_noise: bool = False

    def __attrs_post_init__(self) -> None:
        one_of("family", self.family, ("power-law", *FAMILIES))
        one_of("support", self.support, get_args(Support))
        one_of("fit", self.fit, FITS)
        one_of("mean_source", self.mean_source, get_args(MeanSource))
        of_power_law = self.fit, self.at_zero, self.support
        if self.family != "power-law" and of_power_law != ("mean", 0.0, "users"):
            raise ValueError(
                f"fit, at_zero and support are those of the power law, not of {self.family}: "
                "leave them out"
            )
        if self.fit == "likelihood" and self.mean_source != "estimates":
            raise ValueError(
                f"the likeliest prior goes by no mean: leave out mean_source, got "
                f"{self.mean_source!r}"
            )

    def prior(self, counts: npt.ArrayLike, noise: Noise) -> Prior:
        """Return the prior fitted to estimated counts, shape (N,).

        Raises `ValueError` if no member of the family fits.
        """
        largest = max(math.ceil(np.max(counts)), 2)
        support = {"users": noise.users, "largest": largest, "infinite": math.inf}[self.support]
        if self.fit == "likelihood":
            return likeliest_power_law(counts, self._assumed_noise(noise), support, self.at_zero)
        moments = CountMoments.of(counts, noise, self.mean_source)
        if self.family != "power-law":
            return FAMILIES[self.family](moments)
        return power_law_of_mean(moments, support, self.at_zero)

    def counts(self, counts: npt.ArrayLike, noise: Noise) -> Floats:
        """Return the calibrated counts for estimated counts; shapes (N,)."""
        return posterior_mean(counts, self.prior(counts, noise), self._assumed_noise(noise))

    def _assumed_noise(self, noise: Noise) -> Noise:
        return noise if self.own_noise else noise.alike


Step = Callable[[Floats], Floats]  # a function of counts, applied item by item; shapes (m,)


def significance(noise: Noise, items: int) -> Step:
    """Return the step that sets a count to zero unless it is significant among this many items."""
    threshold = noise.threshold(items)
    return lambda counts: zeroed(counts, threshold)


def base_cut(noise: Noise, items: int) -> Step:
    """Return the step that sets counts below the base-cut threshold to zero.

    Of the items that nobody holds, at most two exceed the threshold on average. Source: Base-Cut of
    Wang et al., *Locally Differentially Private Frequency Estimation with Consistency*, 2020,
    section 4, for α = 2. It keeps more counts than `significance`, which keeps one or more items
    without holders with probability at most 1/20.
    """
    threshold = noise.threshold(items, FALSE_POSITIVES) if items > 2 * FALSE_POSITIVES else 0.0
    return lambda counts: zeroed(counts, threshold)


def known_mean(noise: Noise, items: int) -> Step:
    """Return the step of posterior means under the power law on 1..n whose mean is n / N.

    Raises `ValueError` unless there are more users than items.
    """
    if noise.users <= items:
        raise ValueError(
            f"the power law on 1..n has the mean n / N only where there are more users than "
            f"items, got n={noise.users} "
            f"and N={items}: use more users, fewer items, or another method such as zero"
        )
    prior = power_law_of_mean(CountMoments(noise.users / items, 0.0), noise.users)
    return lambda counts: posterior_mean(counts, prior, noise.alike)


# Methods that treat each item by itself, with a step that does not depend on any report.
FIXED: Mapping[str, Callable[[Noise, int], Step]] = MappingProxyType(
    {"zero": significance, "base-cut": base_cut, "calibrate-total": known_mean}
)
FITTED: Mapping[str, Calibrate] = MappingProxyType(
    {
        "calibrate": Calibrate(),
        "calibrate-infinite": Calibrate(support="infinite"),
        "calibrate-gaussian": Calibrate("gaussian"),
        "calibrate-laplace": Calibrate("laplace"),
        "calibrate-poisson": Calibrate("poisson"),
        "calibrate-likelihood": Calibrate(fit="likelihood"),
    }
)
METHODS = (*consistency.METHODS, *FIXED, *FITTED)


def apply(method: str | Calibrate, estimates: npt.ArrayLike, noise: Noise) -> Floats:
    """Return the estimated shares, shape (N,), after a method.

    The method is one of `consistency`, or one that uses the noise. Raises `ValueError` for a name
    that is not in `METHODS`, for estimates that are not one row of finite numbers, and for
    estimates that no prior fits.
    """
    if isinstance(method, str):
        if method not in METHODS:
            raise ValueError(
                f"estimates are processed by {', '.join(METHODS)}; there is no {method!r}"
            )
        if method in consistency.METHODS:
            return consistency.apply(method, estimates)
    counts = consistency.apply("raw", estimates) * noise.users
    if isinstance(method, str) and method in FIXED:
        return FIXED[method](noise, counts.size)(counts) / noise.users
    fitted = FITTED[method] if isinstance(method, str) else method
    return fitted.counts(counts, noise) / noise.users
