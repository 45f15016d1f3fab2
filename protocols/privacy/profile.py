"""Privacy profiles: δ as a function of ε, stored as ln δ, and its inverse ε(δ).

Source: Balle, Barthe, Gaboardi, *Privacy Profiles and Amplification by Subsampling*, 2020, for the
notion.
"""

from collections.abc import Callable
from functools import cache
from math import exp, inf, log, sqrt
from typing import Protocol

import attrs

from protocols import checks
from protocols.privacy.root import root

LARGEST_EPSILON, SMALLEST_BRACKET = 1e6, 1e-12


class Profile(Protocol):
    """The function δ(ε) for neighbouring inputs, or an upper bound on it.

    The function never rises with ε.
    """

    @property
    def log_limit(self) -> float:
        """The logarithm of the limit of δ as ε goes to infinity."""
        ...

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of δ(ε), for ε >= 0."""
        ...


@attrs.frozen
class Worst:
    """The largest δ of several profiles."""

    profiles: tuple[Profile, ...]

    @property
    def log_limit(self) -> float:
        """The logarithm of the limit of δ as ε goes to infinity."""
        return max(profile.log_limit for profile in self.profiles)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of δ(ε)."""
        return max(profile.log_delta(epsilon) for profile in self.profiles)


def delta_at(profile: Profile, epsilon: float) -> float:
    """Return δ(ε) of a profile.

    The result is 0 if δ is below the smallest float; `log_delta_at` gives its logarithm. Raises
    `ValueError` for an ε that is negative or not finite.

    >>> from protocols import GaussianProfile
    >>> round(delta_at(GaussianProfile(sigma=1.0, sensitivity=1.0), epsilon=1.0), 4)
    0.1269
    """
    return exp(log_delta_at(profile, epsilon))


def log_delta_at(profile: Profile, epsilon: float) -> float:
    """Return the logarithm of δ(ε), never above 0. Raises `ValueError` for an ε that is negative or
    not finite.
    """
    if not 0 <= epsilon < inf:
        raise ValueError(f"epsilon is finite and at least 0, got {epsilon}")
    # rounding may take a sum of probabilities above 1
    return min(profile.log_delta(epsilon), 0.0)


def epsilon_at(profile: Profile, delta: float) -> float:
    """Return the least ε at which a profile's δ(ε) is at most `delta`; infinity if there is no
    such ε up to 2^20.

    Raises `ValueError` for a `delta` outside (0, 1).

    >>> from protocols import GaussianProfile
    >>> round(epsilon_at(GaussianProfile(sigma=1.0, sensitivity=1.0), delta=1e-5), 3)
    4.377
    """
    checks.delta(delta)
    epsilon = 0.0
    for part in profile.profiles if isinstance(profile, Worst) else (profile,):
        if part.log_delta(epsilon) > log(delta):
            epsilon = epsilon_where(part.log_delta, log(delta), part.log_limit)
    return epsilon


def epsilon_where(log_delta: Callable[[float], float], target: float, limit: float) -> float:
    """Return the least ε where a falling function ln δ(ε) is at most the target.

    The result may exceed this ε by about 1e-14 plus 1e-11 times this ε. It is infinite if no ε up
    to 2^20 is large enough. `limit` is the limit of ln δ(ε) as ε goes to infinity.
    """
    # results are stored, because the search asks for the ends of its interval again
    log_delta = cache(log_delta)
    if log_delta(0.0) <= target:
        return 0.0
    if limit > target:
        return inf
    low, high = 0.0, 1.0
    while log_delta(high) > target:
        if high > LARGEST_EPSILON:
            return inf
        low, high = high, 2 * high
    while low == 0 and high > SMALLEST_BRACKET:  # ε can be small: 1e-5 for counts of a billion
        if log_delta(high / 16) > target:
            low = high / 16
        else:
            high /= 16

    def rise(
        epsilon: float,
        # for laws with tails like a Gaussian's, √(-ln δ) is close to a linear function of ε
    ) -> float:
        return sqrt(min(max(-log_delta(epsilon), 0.0), 1e300)) - sqrt(-target)

    least = root(rise, low, high)
    step = 1e-12 * max(least, 1e-12)
    while log_delta(least) > target:  # the root's error may have put it below the least ε
        least, step = min(least + step, high), 2 * step
    return least
