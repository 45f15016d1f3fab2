"""The power law on 1..K: its sums, its mean and the exponent for which it has a given mean.

Source: Jia and Gong, *Calibrate*, section III-C, Eq. 15. The paper does not say what K is. The
largest possible count is n, the number of users. For the same mean, an infinite K gives another
exponent.
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from protocols import checks
from protocols.postprocess.counting import points
from simnet.arrays import Floats

STEEPEST = 40.0  # for larger exponents the law equals the point mass at 1, in double precision


def check_support(support: float) -> None:
    """Raise `ValueError` for a K below 2, and `TypeError` for a K that is neither an integer nor
    infinite.
    """
    if support != math.inf:
        checks.whole("support", support, 2)  # type: ignore[arg-type]  # whether it is whole is what is checked


def log_power_sum(exponent: float, support: float) -> float:
    """The logarithm of S(s) = Σ k^-s over k = 1..K; K may be inf for s > 1.

    Raises `ValueError` for an infinite sum and for K < 2.
    """
    check_support(support)
    if support == math.inf:
        return math.log(_zeta(exponent))
    places, weights = _integers(int(support))
    logs = -exponent * places
    top = float(logs.max())
    return top + math.log(float(np.sum(weights * np.exp(logs - top))))


def power_law_mean(exponent: float, support: float) -> float:
    """The mean M(α) = S(α - 1) / S(α). The mean falls from K to 1 as α grows. For infinite K, the
    mean exists only if α > 2.

    Raises `ValueError` for an infinite mean and for K < 2.
    """
    if support == math.inf:
        if exponent <= 2:
            raise ValueError(
                "the mean of a power law on all counts is finite only for an exponent above 2, got "
                f"{exponent:g}"
            )
        return _zeta(exponent - 1) / _zeta(exponent)
    return math.exp(log_power_sum(exponent - 1, support) - log_power_sum(exponent, support))


def exponent_of_mean(mean: float, support: float) -> float:
    """The exponent α for which the power law on 1..K has this mean; K is at least 2 or infinite.

    Raises `ValueError` for K < 2, and unless 1 < mean < K, because no power law has another mean.
    """
    check_support(support)
    checks.number("mean", mean)
    if not 1 < mean < support:
        advice = (
            "if noise hides the mean of the estimates, take calibrate-total, which uses the known "
            "mean, users / items"
            if mean <= 1
            else "take a smaller at_zero, or a law on more counts"
        )
        raise ValueError(
            f"a power law on 1..{support:g} has a mean between these two numbers, got {mean:g}: "
            f"{advice}"
        )
    if support == math.inf:
        return bisect(lambda alpha: _zeta(alpha - 1) / _zeta(alpha) - mean, 2 + 1e-12, STEEPEST)
    low = -2.0
    while power_law_mean(low, support) <= mean:
        low *= 2
    return bisect(lambda alpha: power_law_mean(alpha, support) - mean, low, STEEPEST)


def bisect(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function crosses 0, to double precision. If it does not cross 0
    between the ends, return the end nearest to the crossing.
    """
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)


@functools.lru_cache(maxsize=8)
def _integers(support: int) -> tuple[Floats, Floats]:
    """The logarithms of points, and weights, for sums over 1..K of functions that are smooth in the
    logarithm of k.
    """
    places, weights = points(1, support, lambda _: math.inf)
    return np.log(places), weights


def _zeta(exponent: float) -> float:
    from scipy.special import zeta  # imported only here: scipy loads slowly

    if exponent <= 1:
        raise ValueError(f"the sum of k^-s over all k is finite only for s > 1, got s={exponent:g}")
    return float(zeta(exponent, 1))
