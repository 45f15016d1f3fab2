"""Privacy profiles: δ as a function of ε, kept as ln δ, and turned around.

Source: Balle, Barthe, Gaboardi, *Privacy Profiles and Amplification by Subsampling*, 2020, for the
notion.
"""

from collections.abc import Callable
from functools import cache
from math import exp, inf, log, sqrt
from typing import Protocol

import attrs

from protocols.privacy.root import root

LARGEST_EPSILON, SMALLEST_BRACKET = 1e6, 1e-12


class Profile(Protocol):
    """δ(ε) of a pair of neighbours, the larger of both directions; it falls as ε grows."""

    @property
    def log_limit(self) -> float:
        """Log of δ for ε to infinity."""
        ...

    def log_delta(self, epsilon: float) -> float:
        """Log of δ(ε), for ε >= 0; at ε = 0 δ is the total variation distance."""
        ...


@attrs.frozen
class Worst:
    """The largest δ of several profiles."""

    profiles: tuple[Profile, ...]

    @property
    def log_limit(self) -> float:
        """Log of δ for ε to infinity."""
        return max(profile.log_limit for profile in self.profiles)

    def log_delta(self, epsilon: float) -> float:
        """Log of δ(ε)."""
        return max(profile.log_delta(epsilon) for profile in self.profiles)


def delta_at(profile: Profile, epsilon: float) -> float:
    """δ(ε); 0 where it is below the smallest float, which `log10_delta` tells apart."""
    return exp(log_delta_at(profile, epsilon))


def log_delta_at(profile: Profile, epsilon: float) -> float:
    """Log of δ(ε), never above 0. Raises `ValueError` for an ε below 0."""
    if not 0 <= epsilon < inf:
        raise ValueError(f"epsilon is a number from 0, got {epsilon}")
    # a sum of probabilities may be above 1 by a rounding
    return min(profile.log_delta(epsilon), 0.0)


def epsilon_at(profile: Profile, delta: float) -> float:
    """The least ε with δ(ε) <= δ; infinity when no ε has.

    Raises `ValueError` for a δ outside (0, 1).
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta lies between 0 and 1, got {delta}")
    epsilon = 0.0
    for part in profile.profiles if isinstance(profile, Worst) else (profile,):
        if part.log_delta(epsilon) > log(delta):
            epsilon = epsilon_where(part.log_delta, log(delta), part.log_limit)
    return epsilon


def epsilon_where(log_delta: Callable[[float], float], target: float, limit: float) -> float:
    """The least ε where a falling ln δ(ε) is at most the target, to a relative 1e-11, and no less.

    `limit` is what ln δ falls to.
    """
    log_delta = cache(log_delta)  # the ends of brackets are asked for again
    if log_delta(0.0) <= target:
        return 0.0
    if limit > target:
        return inf
    low, high = 0.0, 1.0
    while log_delta(high) > target:
        if high > LARGEST_EPSILON:
            return inf
        low, high = high, 2 * high
    while low == 0 and high > SMALLEST_BRACKET:  # counts of a billion have an ε of 1e-5
        if log_delta(high / 16) > target:
            low = high / 16
        else:
            high /= 16

    def rise(
        epsilon: float,
    ) -> float:  # √(-ln δ) is close to a line for whatever has tails like a Gaussian's
        return sqrt(min(max(-log_delta(epsilon), 0.0), 1e300)) - sqrt(-target)

    least = root(rise, low, high)
    step = 1e-12 * max(least, 1e-12)
    while log_delta(least) > target:  # the root may lie below by its error
        least, step = min(least + step, high), 2 * step
    return least
