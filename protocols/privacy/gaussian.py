"""The Gaussian mechanism: the noise that given ε and δ need, and the δ of given noise.

Classic calibration: Dwork and Roth, Theorem A.1, valid for ε <= 1. Analytic calibration, which is
exact: Balle and Wang, *Improving the Gaussian Mechanism for Differential Privacy*, Theorem 8.
Sensitivities are L2; the caller decides which inputs are neighbours.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, frexp, inf, ldexp, log, log2, pi, sqrt
from typing import Literal

import attrs
import numpy as np

from protocols import checks
from protocols.privacy.profile import delta_at

Calibration = Literal["classic", "analytic"]
CALIBRATIONS = ("classic", "analytic")
LARGEST_EPSILON = 1e12  # of the analytic calibration
LARGEST_RATIO = 1e250  # of σ and Δ, in either direction


def sigma(calibration: Calibration, sensitivity: float, epsilon: float, delta: float) -> float:
    """Return the standard deviation of Gaussian noise that satisfies (ε, δ).

    `calibration` is `classic` or `analytic`, and `sensitivity` is the largest L2 distance of
    neighbouring values. If the classic result exceeds the largest float, infinity is returned.

    Raises `ValueError` for another calibration, and unless 0 < δ < 1 and the sensitivity and ε are
    positive and finite. With the classic calibration it also raises `ValueError` for ε > 1. With
    the analytic one it does so for ε > 10^12, where rounding errors would count, and if the noise
    would exceed about 10^250 times the sensitivity, or the largest float.

    >>> round(sigma("classic", sensitivity=1.0, epsilon=1.0, delta=1e-5), 3)
    4.845
    >>> round(sigma("analytic", sensitivity=1.0, epsilon=1.0, delta=1e-5), 3)
    3.731
    """
    checks.one_of("calibration", calibration, CALIBRATIONS)
    _positive("sensitivity", sensitivity)
    _positive("epsilon", epsilon)
    checks.delta(delta)
    if calibration == "classic":
        if epsilon > 1:
            raise ValueError(
                f"the classic calibration holds for epsilon up to 1, got {epsilon:.15g}; the "
                "calibration `analytic` holds for larger ones too"
            )
        return sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon
    if epsilon > LARGEST_EPSILON:
        raise ValueError(f"epsilon must be at most {LARGEST_EPSILON:g}, got {epsilon:.15g}")
    return _analytic(sensitivity, epsilon, delta)


def _positive(name: str, value: float) -> None:
    if not 0 < value < inf:  # also refuses NaN
        raise ValueError(f"{name} is positive and finite, got {value}")


def delta_of(sigma: float, sensitivity: float, epsilon: float) -> float:
    """Return the exact δ of Gaussian noise at ε: Φ(Δ/(2σ) - εσ/Δ) - e^ε Φ(-Δ/(2σ) - εσ/Δ).

    Φ is the standard normal distribution function, σ = `sigma` and Δ = `sensitivity`. Raises
    `ValueError` as `GaussianProfile` does, and for an ε that is negative or not finite.
    """
    return delta_at(GaussianProfile(sigma, sensitivity), epsilon)


@attrs.frozen
class GaussianProfile:
    """The privacy profile of Gaussian noise with standard deviation σ on a value of L2
    sensitivity Δ. Raises `ValueError` unless both are positive and finite, and if one of them is
    more than 10^250 times the other.

    >>> profile = GaussianProfile(sigma=3.73, sensitivity=1.0)
    >>> from protocols import epsilon_at
    >>> round(epsilon_at(profile, delta=1e-5), 2)
    1.0
    """

    sigma: float  # σ > 0
    sensitivity: float  # Δ > 0
    log_limit = -inf

    def __attrs_post_init__(self) -> None:
        _positive("sigma", self.sigma)
        _positive("sensitivity", self.sensitivity)
        if not 1 / LARGEST_RATIO <= self.sigma / self.sensitivity <= LARGEST_RATIO:
            raise ValueError(
                "sigma and sensitivity must not differ by a factor of more than "
                f"{LARGEST_RATIO:g}, got sigma = {self.sigma:.15g} and sensitivity = "
                f"{self.sensitivity:.15g}"
            )

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of δ(ε), for ε >= 0.

        Let h = Δ/(2σ) and x = εσ/Δ - h, and let φ be the standard normal density. Then δ is the
        integral of φ(x + u) (1 - e^(-2hu)) over u > 0.
        """
        scale = -frexp(self.sensitivity)[1]  # so that products do not overflow
        sigma, sensitivity = ldexp(self.sigma, scale), ldexp(self.sensitivity, scale)
        half = sensitivity / (2 * sigma)
        x = epsilon * sigma / sensitivity - half
        if half > STEEP:  # the difference may cancel, so it is rounded only once
            ratio = Fraction(sigma) / Fraction(sensitivity)
            x = float(Fraction(epsilon) * ratio - 1 / (2 * ratio))
        if x < -sqrt(FAR):
            return 0.0  # δ is 1 up to e^(-FAR/2)
        if x > FARTHEST:
            return -x * (x / 2)  # the other terms are far below rounding
        root = sqrt(max(x, 0.0) ** 2 + FAR)
        # beyond this point φ has fallen by e^(-FAR/2)
        stop = -x + sqrt(FAR) if x < 0 else FAR / (x + root)
        edges = np.linspace(0.0, stop, PANELS + 1)
        # 1 - e^(-2hu) rises within a few 1/2h: if a panel is much longer, the first one is divided.
        rise = STEEPEST / (2 * half)
        finer = rise * 2.0 ** np.arange(max(ceil(log2(edges[1] / rise)), 0))
        edges = np.concatenate([edges[:1], finer, edges[1:]])
        widths = np.diff(edges)
        u = edges[:-1, None] + (NODES + 1) / 2 * widths[:, None]
        peak = x if x > 0 else 0.0
        values = np.exp((peak - x - u) * (peak + x + u) / 2) * -np.expm1(-2 * half * u)
        total = float(widths @ values @ WEIGHTS) / 2
        return min(log(total) - peak**2 / 2 - log(2 * pi) / 2, 0.0)


FAR, PANELS, STEEPEST = 160.0, 8, 30.0
STEEP, FARTHEST = 1e3, 1e12
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


@lru_cache(maxsize=256)  # every party of a run asks for the same σ
def _analytic(sensitivity: float, epsilon: float, delta: float) -> float:
    """Return the least σ whose δ(ε) is at most `delta`; δ(ε) falls as σ grows."""
    from scipy.optimize import brentq  # imported only here: scipy loads slowly

    def excess(sigma: float) -> float:
        return GaussianProfile(sigma, sensitivity).log_delta(epsilon) - log(delta)

    low = high = sensitivity
    while excess(low) < 0:
        low, high = low / 2, low
    while excess(high) > 0:
        low, high = high, high * 2
        if not high / sensitivity <= LARGEST_RATIO or high == inf:
            raise ValueError(
                f"the noise for epsilon = {epsilon:.15g}, delta = {delta:.15g} and sensitivity = "
                f"{sensitivity:.15g} is too large to compute: give a larger epsilon or delta, or a "
                "smaller sensitivity"
            )
    return float(brentq(excess, low, high, xtol=1e-14 * low, rtol=1e-14))
