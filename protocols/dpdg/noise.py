"""The variance of noise that is drawn on the integers."""

from math import ceil, sqrt

import numpy as np


def integer_variance(variance: float, rounded: bool) -> float:
    """The variance of Gaussian noise on the integers.

    The noise is a Gaussian of this variance, `rounded` to integers, or the discrete Gaussian with
    this parameter.

    By summation where the grid is coarse; from σ = 10 on they are variance + 1/12 and the parameter
    itself, to 1e-300.
    """
    from scipy.special import ndtr  # here, not above: it takes a while to load

    if variance > 100:
        return variance + 1 / 12 if rounded else variance
    x = np.arange(1, ceil(40 * sqrt(variance)) + 2)
    if rounded:
        weights = ndtr(-(x - 0.5) / sqrt(variance)) - ndtr(-(x + 0.5) / sqrt(variance))
        return float(2 * np.sum(x**2 * weights))
    weights = np.exp(-(x**2) / (2 * variance))
    return float(2 * np.sum(x**2 * weights) / (1 + 2 * np.sum(weights)))
