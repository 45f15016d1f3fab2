"""The Gaussian mechanism: how much noise an (ε, δ) needs, and which δ a noise gives.

Classic: Dwork and Roth, Theorem A.1, valid for ε <= 1. Analytic: Balle and Wang, *Improving the Gaussian Mechanism for
Differential Privacy*, Theorem 8, which is exact. Sensitivities are L2, for whatever neighbours the caller means.
"""

from math import exp, log, sqrt
from typing import Literal

Calibration = Literal["classic", "analytic"]
CALIBRATIONS = ("classic", "analytic")


def sigma(calibration: Calibration, sensitivity: float, epsilon: float, delta: float) -> float:
    """The standard deviation of the noise. Raises `ValueError` for parameters outside the calibration's range."""
    if not epsilon > 0 or epsilon == float("inf"):
        raise ValueError(f"epsilon is positive and finite, got {epsilon}")
    if not 0 < delta < 1:
        raise ValueError(f"delta lies between 0 and 1, got {delta}")
    if calibration == "classic":
        if epsilon > 1:
            raise ValueError(f"the classic calibration holds for epsilon up to 1, got {epsilon}: use analytic")
        return sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon
    return _analytic(sensitivity, epsilon, delta)


def delta_of(sigma: float, sensitivity: float, epsilon: float) -> float:
    """The exact δ of Gaussian noise at ε: Φ(Δ/2σ - εσ/Δ) - e^ε Φ(-Δ/2σ - εσ/Δ)."""
    from scipy.special import log_ndtr, ndtr  # here, not above: it takes a while to load

    half, shift = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
    return float(ndtr(half - shift) - exp(epsilon + log_ndtr(-half - shift)))


def _analytic(sensitivity: float, epsilon: float, delta: float) -> float:
    """The least σ with `delta_of` at most δ; δ falls as σ grows."""
    from scipy.optimize import brentq

    low = high = sensitivity
    while delta_of(low, sensitivity, epsilon) < delta:
        low /= 2
    while delta_of(high, sensitivity, epsilon) > delta:
        high *= 2
    return float(brentq(lambda s: delta_of(s, sensitivity, epsilon) - delta, low, high, xtol=1e-14 * high, rtol=1e-14))
