"""Expected errors of OUE, OUE-Zero and Calibrate, computed without a simulation.

OUE-Zero is OUE with every estimate below the significance threshold set to 0. Calibrate, or
OUE-Calibrate, replaces an estimate by the posterior mean of the count under a prior.

Source: Jia and Gong, *Calibrate*, section IV. A population is an array with the number of users who
hold each item, shape (N,). An error is the squared error of a count, averaged over the items. The
expectation of an error is over normal noise with the exact variance of each item, by closed forms
and by quadrature. If the prior is fitted to the mean of the estimates, `means_with_weights` and
`averaged` average over this mean as well.
"""

from collections.abc import Sequence
from math import sqrt

import attrs
import numpy as np

from protocols.mechanisms.unary import OUE
from protocols.postprocess.calibrate import Step
from protocols.postprocess.expected import moments_of_errors, normal_density
from protocols.postprocess.noise import Noise
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import Prior
from simnet.arrays import Ints

# The standard deviations that the quadrature covers on either side, and the number of its points.
REACH, NODES = 9.0, 160
Means = Sequence[tuple[float, float]]  # values of the mean of the estimates, with their weights


def mse_above(
    holders: Ints, noise: Noise, step: Step, threshold: float, nodes: int = NODES
) -> tuple[float, float]:
    """Return the mean and the standard deviation of the squared error, averaged over items whose
    errors are independent.

    An estimate below `threshold` becomes 0, and every other estimate becomes what `step` makes of
    it. Let s be the standard deviation of the estimate of an item with f holders, and z =
    (threshold - f) / s. The squared error of this item is f² with probability Φ(z); the rest of its
    mean is an integral, by Gauss-Legendre.
    """
    from scipy.special import ndtr  # scipy loads slowly, so we import it only where it is needed

    truth, items = np.unique(np.asarray(holders, dtype=np.float64), return_counts=True)
    deviation = np.sqrt(noise.variance(truth))
    z = np.clip((threshold - truth) / deviation, -REACH, REACH)
    places, weights = np.polynomial.legendre.leggauss(nodes)
    half = (REACH - z) / 2
    at = z[:, np.newaxis] + half[:, np.newaxis] * (places + 1)
    mass = normal_density(at) * weights * half[:, np.newaxis]
    estimates = truth[:, np.newaxis] + deviation[:, np.newaxis] * at
    squared = (step(estimates.ravel()).reshape(at.shape) - truth[:, np.newaxis]) ** 2
    below = ndtr(z)
    mean = truth**2 * below + (mass * squared).sum(axis=1)
    second = truth**4 * below + (mass * squared**2).sum(axis=1)
    total = int(items.sum())
    variance = float((items * np.maximum(second - mean**2, 0)).sum())
    return float((items * mean).sum()) / total, sqrt(variance) / total


def means_with_weights(mean: float, deviation: float) -> Means:
    """Return means that estimates may have, with weights: a rule for integrals over the normal law
    with this mean and standard deviation.

    Means of 1 and less are left out, because no power law has such a mean. So
    `mean + 6 * deviation` must be above 1.
    """
    if mean - 6 * deviation > 1:
        places, weights = np.polynomial.hermite_e.hermegauss(5)
        at, masses = mean + deviation * places, weights
    else:
        low, high = max(1 + 1e-3 * deviation, mean - 6 * deviation), mean + 6 * deviation
        places, weights = np.polynomial.legendre.leggauss(16)
        at = low + (high - low) * (places + 1) / 2
        masses = weights * normal_density((at - mean) / deviation)
    return list(zip(at.tolist(), (masses / masses.sum()).tolist(), strict=True))


def averaged(parts: Sequence[tuple[float, float]], weights: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of a mixture of laws with these means and deviations."""
    means, deviations = np.array(parts).T
    mean = float(np.dot(weights, means))
    return mean, sqrt(float(np.dot(weights, deviations**2 + (means - mean) ** 2)))


@attrs.frozen
class ExpectedErrors:
    """The expected errors of OUE (`raw`), OUE-Zero and OUE-Calibrate at one ε."""

    epsilon: float
    threshold: float  # significance threshold, a count
    raw: float
    zero: float
    calibrated: float


def expected_errors(holders: Ints, epsilons: Sequence[float], prior: Prior) -> list[ExpectedErrors]:
    """Return the expected errors for every ε, with a given prior."""
    rows, items = [], len(holders)
    for epsilon in epsilons:
        noise = Noise.of(OUE(epsilon, items), int(np.sum(holders)))
        threshold = noise.threshold(items)
        errors_of = (expected_raw_mse(noise, items), expected_zero_mse(holders, noise, threshold))
        rows.append(
            ExpectedErrors(
                epsilon, threshold, *errors_of, expected_calibrated_mse(holders, noise, prior)
            )
        )
    return rows


def expected_raw_mse(noise: Noise, items: int) -> float:
    """The expected error of raw estimates: the variance of an estimate at n / N holders."""
    return float(noise.variance(noise.users / items))


def expected_zero_mse(holders: Ints, noise: Noise, threshold: float) -> float:
    """The expected error of OUE-Zero.

    For an item with f holders and standard deviation s it is f² Φ(z) + s² (z φ(z) + 1 - Φ(z)), with
    z = (threshold - f) / s.
    """
    from scipy.special import ndtr  # scipy loads slowly, so we import it only where it is needed

    truth = np.asarray(holders, dtype=np.float64)
    variance = noise.variance(truth)
    z = (threshold - truth) / np.sqrt(variance)
    kept = z * normal_density(z) + ndtr(-z)
    return float(np.mean(truth**2 * ndtr(z) + variance * kept))


def expected_calibrated_mse(holders: Ints, noise: Noise, prior: Prior) -> float:
    """The expected error of posterior means with a given prior.

    The posterior means assume the same noise for all items, as in the paper.
    """
    return float(
        moments_of_errors(
            holders, noise, lambda counts: posterior_mean(counts, prior, noise.alike)
        ).mse.mean()
    )
