"""Expected errors of OUE, OUE-Zero and Calibrate, computed without a simulation.

Source: Jia and Gong, *Calibrate*, section IV. A population is an array with the number of users who
hold each item, shape (N,). An error is the squared error of a count, averaged over the items. Its
expectation is over normal noise with the exact variance of each item, by closed forms and by
quadrature. The prior is given; it is not fitted to the noise.
"""

from collections.abc import Sequence

import attrs
import numpy as np

from protocols.mechanisms.unary import OUE
from protocols.postprocess.expected import moments_of_errors, normal_density
from protocols.postprocess.noise import Noise
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import Prior
from simnet.arrays import Ints


@attrs.frozen
class Improvement:
    """By how much Calibrate's error is smaller than OUE-Zero's.

    The paper says "improves by ... %", which can be read in two ways.
    """

    zero: float
    calibrated: float

    @property
    def saved(self) -> float:
        """The share of OUE-Zero's error that is saved: (Zero - Calibrate) / Zero, below 1."""
        return 1 - self.calibrated / self.zero

    @property
    def excess(self) -> float:
        """The excess of OUE-Zero's error: Zero / Calibrate - 1, which can be above 1."""
        return self.zero / self.calibrated - 1


@attrs.frozen
class ExpectedErrors:
    """The expected errors of OUE (`raw`), OUE-Zero and OUE-Calibrate at one ε."""

    epsilon: float
    threshold: float  # significance threshold, a count
    raw: float
    zero: float
    calibrated: float

    @property
    def improvement(self) -> Improvement:
        """The improvement of OUE-Calibrate over OUE-Zero."""
        return Improvement(self.zero, self.calibrated)


def expected_errors(holders: Ints, epsilons: Sequence[float], prior: Prior) -> list[ExpectedErrors]:
    """Return the expected errors for every ε, with a given prior.

    `power_law_of_mean` makes the paper's prior. `FinitePrior.empirical` makes the best possible
    one, from the true counts.
    """
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
    """The expected error of raw estimates: V₀ and the slope times n / N."""
    return float(noise.variance(noise.users / items))


def expected_zero_mse(holders: Ints, noise: Noise, threshold: float) -> float:
    """The expected error of OUE-Zero.

    For an item with f holders and standard deviation s it is f² Φ(z) + s² (z φ(z) + 1 - Φ(z)), with
    z = (threshold - f) / s.
    """
    from scipy.special import ndtr  # imported only here: scipy loads slowly

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
