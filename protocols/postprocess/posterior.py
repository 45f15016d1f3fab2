"""The posterior of each count under a prior, and the average error of its mean.

An estimate is a count from the prior plus normal noise. Among all functions of the estimate, the
posterior mean has the least expected squared error, averaged over counts from the prior. For a
single count, or if the counts follow another law, some other function may have a smaller error.

Source: Jia and Gong, *Calibrate*, Eq. 9 to 12 and Theorem 2 (its proof says Theorem 1).
"""

import math
from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.postprocess.noise import Noise
from protocols.postprocess.priors import REACH, GaussianPrior, Prior, refuse_sloped
from simnet.arrays import Floats

TOGETHER = 256  # the largest number of estimates that share one set of points
APART = 20.0  # the largest distance between estimates that share points, in standard deviations


@attrs.frozen(eq=False)
class Posterior:
    """The posterior of the count behind each estimate; shapes (N,)."""

    mean: Floats
    variance: Floats
    log_marginal: Floats  # ln of the density of the estimates


def posterior(estimates: npt.ArrayLike, prior: Prior, noise: Noise) -> Posterior:
    """Return the posterior of the count behind each estimate; shapes (N,).

    Sums leave out counts with negligible posterior mass. If the noise has a slope, each possible
    count has its own variance; the paper uses the same variance for all (`noise.alike`). Raises
    `ValueError` for estimates that are not one row of finite numbers, for noise with a slope below
    0, and for a slope other than 0 if the prior has counts below 0.
    """
    counts = checked(estimates)
    if isinstance(prior, GaussianPrior):
        return _of_gaussian(counts, prior, noise)
    if noise.slope < 0:
        raise ValueError(
            f"noise that falls with the count is not supported, got slope={noise.slope}: "
            f"use noise.alike"
        )
    order = np.argsort(counts)
    result = np.empty((3, counts.size))
    for part in _neighbours(counts[order], noise.deviation):
        among = counts[order[part]]
        points, masses = prior.points(float(among[0]), float(among[-1]), noise)
        result[:, order[part]] = _moments(among, points, masses, noise)
    return Posterior(*result)


def posterior_mean(estimates: npt.ArrayLike, prior: Prior, noise: Noise) -> Floats:
    """Return the calibrated counts, shape (N,), in the order of the estimates.

    `estimates` are estimated counts, `prior` is the law of the true counts, and `noise` is the law
    of the errors of the estimates. Raises `ValueError` for estimates that are not one row of finite
    numbers, for noise with a slope below 0, and for a slope other than 0 if the prior has counts
    below 0.

    >>> from protocols import FinitePrior, Noise
    >>> prior = FinitePrior.of([0.5, 0.5])  # a count is 0 or 1
    >>> posterior_mean([0.5], prior, Noise(users=1, floor=1.0)).tolist()
    [0.5]
    """
    return posterior(estimates, prior, noise).mean


def checked(estimates: npt.ArrayLike) -> Floats:
    """Return estimated counts as an array, shape (N,).

    Raises `ValueError` for another shape and for numbers that are not finite.
    """
    counts = checks.as_doubles("estimates", estimates)
    if counts.ndim != 1:
        raise ValueError(f"estimates are an array with one axis, got shape {counts.shape}")
    if not np.isfinite(counts).all():
        raise ValueError(f"estimates are finite numbers, got {counts[~np.isfinite(counts)][0]}")
    return counts


def _of_gaussian(estimates: Floats, prior: GaussianPrior, noise: Noise) -> Posterior:
    """Return the posterior in closed form. Its mean lies between the mean of the prior and the
    estimate.
    """
    refuse_sloped(noise)
    total = prior.variance + noise.floor
    weight = prior.variance / total
    off = estimates - prior.mean
    log_marginal = -(off**2 / total + math.log(2 * math.pi * total)) / 2
    return Posterior(
        prior.mean + weight * off, np.full(off.size, weight * noise.floor), log_marginal
    )


def _neighbours(ordered: Floats, deviation: float) -> Iterator[slice]:
    """Yield groups of the sorted estimates. The estimates of a group are so close to each other
    that one set of counts serves all of them.
    """
    start = 0
    while start < ordered.size:
        near = int(np.searchsorted(ordered, ordered[start] + APART * deviation, side="right"))
        stop = max(min(near, start + TOGETHER), start + 1)
        yield slice(start, stop)
        start = stop


def _moments(estimates: Floats, points: Floats, log_masses: Floats, noise: Noise) -> Floats:
    """Return the mean, the variance and ln of the marginal density for each estimate; shape (3, m).

    The distance of an estimate f from a count k is (f - k)² / v(k), with v(k) the variance of the
    noise at k. We compute by how much it exceeds the distance from the nearest point r, because for
    a far estimate rounding would lose the differences between distances: (f - k)² / v(k) = (f - r)²
    / v(r) + (r - k) (2 f - r - k + (f - r)² slope / v(r)) / v(k).
    """
    f = estimates[:, np.newaxis]
    r = np.clip(f, points.min(), points.max())
    at_nearest, variances = noise.variance(r), noise.variance(points)
    logs = (points - r) * (2 * f - r - points + (f - r) ** 2 * noise.slope / at_nearest)
    logs /= 2 * variances
    logs += log_masses - np.log(2 * math.pi * variances) / 2
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(np.subtract(logs, top, out=logs), out=logs)
    totals = weights.sum(axis=1)
    means = weights @ points / totals
    spreads = np.einsum("ij,ij->i", weights, (points - means[:, np.newaxis]) ** 2) / totals
    marginals = np.log(totals) + (top - (f - r) ** 2 / (2 * at_nearest))[:, 0]
    return np.array([means, spreads, marginals])


def bayes_risk(prior: Prior, noise: Noise, largest: float) -> float:
    """Return the mean squared error of the posterior mean, averaged over counts from a prior on
    0..largest.

    This is the mean of the posterior variance over all estimates.
    """
    step = noise.deviation / 16
    reach = REACH * math.sqrt(float(noise.variance(largest)))
    estimates = np.arange(-reach, largest + reach, step)
    posteriors = posterior(estimates, prior, noise)
    return float(np.sum(np.exp(posteriors.log_marginal) * posteriors.variance) * step)
