"""Expected errors of OUE, OUE-Zero and Calibrate, computed and not simulated.

Source: Jia and Gong, *Calibrate*, section 4. A population is given by how many users hold each
item, shape (N,). Errors are of counts, squared, averaged over items. They are expected over normal
noise with the exact variance of each item, by closed forms and by quadrature, for a prior that is
given and not fitted to the noise.
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
    """How much smaller an error is than OUE-Zero's.

    The paper does not tell which of two ways to say it is meant.
    """

    zero: float
    calibrated: float

    @property
    def saved(self) -> float:
        """(Zero - Calibrate) / Zero, below 1."""
        return 1 - self.calibrated / self.zero

    @property
    def excess(self) -> float:
        """Zero / Calibrate - 1, any size."""
        return self.zero / self.calibrated - 1


@attrs.frozen
class ExpectedErrors:
    """A row of the paper's comparison in expectation: OUE, OUE-Zero and OUE-Calibrate."""

    epsilon: float
    threshold: float  # of significance, in counts
    raw: float
    zero: float
    calibrated: float

    @property
    def improvement(self) -> Improvement:
        """Of OUE-Calibrate over OUE-Zero."""
        return Improvement(self.zero, self.calibrated)


def expected_errors(holders: Ints, epsilons: Sequence[float], prior: Prior) -> list[ExpectedErrors]:
    """The comparison for every ε under a given prior.

    It may come from `power_law_of_mean`, or for the best from `FinitePrior.empirical`.
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

    Of an item with f holders and deviation s it is f² Φ(z) + s² (z φ(z) + 1 - Φ(z)), with z =
    (threshold - f) / s.
    """
    from scipy.special import ndtr  # here, not above: it takes a while to load

    truth = np.asarray(holders, dtype=np.float64)
    variance = noise.variance(truth)
    z = (threshold - truth) / np.sqrt(variance)
    kept = z * normal_density(z) + ndtr(-z)
    return float(np.mean(truth**2 * ndtr(z) + variance * kept))


def expected_calibrated_mse(holders: Ints, noise: Noise, prior: Prior) -> float:
    """The expected error of posterior means under a given prior.

    Noise is taken for alike for all items, as in the paper.
    """
    return float(
        moments_of_errors(
            holders, noise, lambda counts: posterior_mean(counts, prior, noise.alike)
        ).mse.mean()
    )
