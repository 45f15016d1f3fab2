"""The variance of noise that takes integer values."""

from math import ceil, sqrt

import numpy as np


def integer_variance(variance: float, rounded: bool) -> float:
    """The variance of Gaussian noise on the integers.

    If `rounded`, the noise is a Gaussian of this `variance`, rounded to integers. Otherwise the
    noise is the discrete Gaussian with the parameter σ² = `variance`.
    """
    from scipy.special import ndtr  # imported only here: scipy loads slowly

    if variance > 100:
        return variance + 1 / 12 if rounded else variance
    x = np.arange(1, ceil(40 * sqrt(variance)) + 2)
    if rounded:
        weights = ndtr(-(x - 0.5) / sqrt(variance)) - ndtr(-(x + 0.5) / sqrt(variance))
        return float(2 * np.sum(x**2 * weights))
    weights = np.exp(-(x**2) / (2 * variance))
    return float(2 * np.sum(x**2 * weights) / (1 + 2 * np.sum(weights)))
