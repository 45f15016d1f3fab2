"""The expected errors after a step that treats every item by itself.

The expectation is over normal noise, and is computed by quadrature.
"""

from collections.abc import Callable

import attrs
import numpy as np
import numpy.typing as npt

from protocols.postprocess.noise import Noise
from simnet.arrays import Floats

# the quadrature covers 9 standard deviations on either side of the mean, with 160 points that are
# about a ninth of a standard deviation apart
SPREAD, STEPS = 9.0, 160


@attrs.frozen(eq=False)
class ErrorMoments:
    """Moments of what a step makes of each item's estimate, and of the squared error of this
    result, over the noise of the estimate; shapes (N,).
    """

    variance: Floats  # variance of the result
    mse: Floats  # mean of the squared error
    mse_variance: Floats  # variance of the squared error


def moments_of_errors(
    truth: npt.ArrayLike, noise: Noise, step: Callable[[Floats], Floats], steps: int = STEPS
) -> ErrorMoments:
    """Return the moments of `step` for items with these true counts, shape (N,).

    `step` maps estimated counts one by one, shapes (m,). `steps` is the number of points: the
    default is enough for a smooth function, and a function with a jump needs more.
    """
    counts, places = np.unique(np.asarray(truth, dtype=np.float64), return_inverse=True)
    z = np.linspace(-SPREAD, SPREAD, steps)
    weights = normal_density(z) * (z[1] - z[0])
    estimates = counts[:, np.newaxis] + np.sqrt(noise.variance(counts))[:, np.newaxis] * z
    off = step(estimates.ravel()).reshape(estimates.shape) - counts[:, np.newaxis]
    mean, square, fourth = (off**power @ weights for power in (1, 2, 4))
    return ErrorMoments((square - mean**2)[places], square[places], (fourth - square**2)[places])


def normal_density(z: Floats) -> Floats:
    """Return the density of the standard normal law."""
    return np.asarray(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))
