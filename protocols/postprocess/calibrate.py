"""Calibrate: replace estimated counts by their posterior means under a fitted prior.

Calibrate reads estimates and no reports, so it costs no privacy. The result is biased on purpose
and need not add up to the number of users. If the prior is wrong, the result may be worse than
setting insignificant counts to zero.

Source: Jia and Gong, *Calibrate: Frequency Estimation and Heavy Hitter Identification with Local
Differential Privacy via Incorporating Prior Knowledge*, section III.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.postprocess import consistency
from protocols.postprocess.fits import (
    FAMILIES,
    LIKELIEST,
    CountMoments,
    MeanSource,
    likeliest_power_law,
    power_law_of_mean,
)
from protocols.postprocess.noise import BETA, Noise, zeroed
from protocols.postprocess.posterior import checked, posterior_mean
from protocols.postprocess.priors import Prior
from simnet.arrays import Floats

Support = Literal["users", "largest", "infinite"]

FITS = ("mean", "likelihood")

# the parameter α of base-cut: of the items that nobody holds, at most so many exceed the threshold
# on average
FALSE_POSITIVES = 2


@attrs.frozen
class Calibrate:
    """How a prior is fitted and used.

    The defaults are the paper's, except for the support, of which the paper says nothing. Raises
    `ValueError` for an unknown `family`, `support`, `fit` or `mean_source`, for an `at_zero`
    outside [0, 1), and for choices that do not fit together.
    """

    family: str = "power-law"
    # the largest count of the power law: the number of users, the largest estimate, or infinity
    support: Support = "users"
    fit: str = "mean"  # by mean and variance, or by maximum likelihood
    mean_source: MeanSource = "estimates"  # or `known_total`: the mean count is users / items
    at_zero: float = 0.0  # only for the power law: the known share of items that nobody holds
    # whether each count has its own variance instead of V₀. This is not in the paper. If true, the
    # result is not monotone for estimates far below 0.
    own_noise: bool = False
    known: Prior | None = None  # a prior that is known beforehand, in place of one that is fitted

    def __attrs_post_init__(self) -> None:
        one_of("family", self.family, ("power-law", *FAMILIES))
        one_of("support", self.support, get_args(Support))
        one_of("fit", self.fit, FITS)
        one_of("mean_source", self.mean_source, get_args(MeanSource))
        if self.family != "power-law" and (self.at_zero, self.support) != (0.0, "users"):
            raise ValueError(
                f"at_zero and support are those of the power law, not of {self.family}: "
                "leave them out"
            )
        if not 0 <= self.at_zero < 1:
            raise ValueError(f"at_zero is a probability below 1, got {self.at_zero}")
        if self.fit == "likelihood" and self.mean_source != "estimates":
            raise ValueError(
                "the likeliest prior does not use the known mean: leave out fit=likelihood, or "
                "take calibrate instead of calibrate-total, without mean_source=known_total"
            )
        usual = ("power-law", "users", "mean", 0.0)
        if self.known is not None and self._fitted_how != usual:
            raise ValueError(
                "a prior that is known is not fitted: leave out family, support, fit and at_zero"
            )

    @property
    def _fitted_how(self) -> tuple[str, str, str, float]:
        return self.family, self.support, self.fit, self.at_zero

    @property
    def method(self) -> str:
        """The name of a method in `CALIBRATED` with this family of priors; for the power law, also
        with this source of the mean.

        The method with this name may differ from this one in other options.
        """
        if self.family != "power-law":
            return f"calibrate-{self.family}"
        return "calibrate-total" if self.mean_source == "known_total" else "calibrate"

    def prior(self, counts: npt.ArrayLike, noise: Noise) -> Prior:
        """Return the prior fitted to estimated counts, shape (N,), or the known prior.

        Raises `ValueError` if no member of the family fits, and, unless the prior is known, for
        estimates that are not one row of finite numbers.
        """
        if self.known is not None:
            return self.known
        counts = checked(counts)
        if self.fit == "likelihood" and self.family != "power-law":
            return LIKELIEST[self.family](counts, self._assumed_noise(noise))
        if self.fit == "likelihood":
            support = self._largest_count(counts, noise)
            return likeliest_power_law(counts, self._assumed_noise(noise), support, self.at_zero)
        moments = CountMoments.of(counts, noise, self.mean_source)
        if self.family != "power-law":
            return FAMILIES[self.family](moments)
        return power_law_of_mean(moments, self._largest_count(counts, noise), self.at_zero)

    def counts(self, counts: npt.ArrayLike, noise: Noise) -> Floats:
        """Return the calibrated counts for estimated counts; shapes (N,)."""
        return posterior_mean(counts, self.prior(counts, noise), self._assumed_noise(noise))

    @property
    def is_fixed(self) -> bool:
        """Whether the prior is the same for all estimates, so that every item is treated
        separately.
        """
        known_mean = self.mean_source == "known_total" and self.support != "largest"
        return self.known is not None or (known_mean and self.family in ("power-law", "poisson"))

    def step(self, noise: Noise, items: int) -> "Step":
        """Return the function that gives posterior means, if the prior does not depend on
        estimates.

        Raises `ValueError` for a prior that depends on them. Unless the prior is known, it also
        raises `ValueError` for fewer than two items, and if no power law (with the mass `at_zero`
        at 0) has the mean n / N.
        """
        if not self.is_fixed:
            raise ValueError(
                "a prior that depends on the estimates of all items cannot treat one item alone"
            )
        if self.known is None:
            checks.whole("items", items, 2)
            if self.family == "power-law":
                _refuse_few_users(noise.users, items * (1 - self.at_zero))
        prior = self.prior(np.full(items, noise.users / items), noise)
        return lambda counts: posterior_mean(counts, prior, self._assumed_noise(noise))

    def _largest_count(self, counts: npt.ArrayLike, noise: Noise) -> float:
        if self.support == "largest":
            return max(math.ceil(float(np.max(counts))), 2)
        return noise.users if self.support == "users" else math.inf

    def _assumed_noise(self, noise: Noise) -> Noise:
        return noise if self.own_noise else noise.alike


Step = Callable[[Floats], Floats]  # a function of counts, applied item by item; shapes (m,)


def significance(noise: Noise, items: int, beta: float = BETA) -> Step:
    """Return the step that sets counts below the significance threshold for this many items to
    zero (see `Noise.threshold`). `beta` is β of Eq. 22.
    """
    threshold = noise.threshold(items, beta)
    return lambda counts: zeroed(counts, threshold)


def base_cut(noise: Noise, items: int) -> Step:
    """Return the step that sets counts below the base-cut threshold to zero.

    If the noise is normal, at most two of the items that nobody holds exceed the threshold on
    average. Source: Base-Cut of Wang et al., *Locally Differentially Private Frequency Estimation
    with Consistency*, 2020, section 4, for α = 2.
    """
    threshold = noise.threshold(items, FALSE_POSITIVES) if items > 2 * FALSE_POSITIVES else 0.0
    return lambda counts: zeroed(counts, threshold)


def known_mean(noise: Noise, items: int) -> Step:
    """Return the step of posterior means under the power law on 1..n whose mean is n / N.

    Raises `ValueError` unless there are more users than items, and for fewer than two items.
    """
    return KNOWN_MEAN.step(noise, items)


def _refuse_few_users(users: int, items_held: float) -> None:
    if users <= items_held:
        raise ValueError(
            "a power law has the known mean count only if there are more users than items that "
            f"somebody holds, got {users} and {items_held:g}: use more users, fewer items, or "
            "another method such as zero"
        )


KNOWN_MEAN = Calibrate(mean_source="known_total")

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
CALIBRATED: Mapping[str, Calibrate] = MappingProxyType({"calibrate-total": KNOWN_MEAN, **FITTED})


def with_options(
    method: str,
    fit: str | None = None,
    support: str | None = None,
    at_zero: float | None = None,
    prior: Prior | None = None,
) -> str | Calibrate:
    """Return a method with some of its choices changed, or its name if every choice is None.

    Raises `ValueError` for a method that does not have the choice, and for choices that do not fit
    together.

    >>> with_options("calibrate", support="largest").support
    'largest'
    """
    given: dict[str, Any] = {
        name: value
        for name, value in (("fit", fit), ("support", support), ("at_zero", at_zero))
        if value is not None
    }
    if prior is not None:
        given["known"] = prior
    if not given:
        return method
    names = " and ".join("prior" if name == "known" else name for name in given)
    if method not in CALIBRATED:
        raise ValueError(f"{method} does not calibrate, so it has no {names}: take calibrate")
    if method == "calibrate-infinite" and support not in (None, "infinite"):
        raise ValueError(
            f"the support of calibrate-infinite is infinite, got support={support}: take calibrate"
        )
    if CALIBRATED[method].family != "power-law" and (support, at_zero) != (None, None):
        raise ValueError(
            f"support and at_zero are those of the power law, not of {method}: leave them out"
        )
    if prior is not None and (method not in ("calibrate", "calibrate-total") or len(given) > 1):
        raise ValueError(
            "a prior of your own is not fitted: give prior alone, with postprocess=calibrate, got "
            f"{names} with {method}"
        )
    if method == "calibrate-likelihood" and fit not in (None, "likelihood"):
        raise ValueError(f"calibrate-likelihood has fit=likelihood, got {fit}: take calibrate")
    return attrs.evolve(CALIBRATED[method], **given)


def apply(method: str | Calibrate, estimates: npt.ArrayLike, noise: Noise) -> Floats:
    """Return the estimated shares, shape (N,), after a method.

    `method` is a name in `METHODS`, or a `Calibrate`. Raises `ValueError` for another name, for
    estimates that are not one row of finite numbers or too few for the method, and for estimates
    that no prior fits.
    """
    if isinstance(method, str):
        if method not in METHODS:
            raise ValueError(
                f"unknown method of post-processing {method!r}: use one of {', '.join(METHODS)}"
            )
        if method in consistency.METHODS:
            return consistency.apply(method, estimates)
    counts = consistency.apply("raw", estimates) * noise.users
    if isinstance(method, str) and method in FIXED:
        return FIXED[method](noise, counts.size)(counts) / noise.users
    fitted = FITTED[method] if isinstance(method, str) else method
    return fitted.counts(counts, noise) / noise.users
