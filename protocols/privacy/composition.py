"""Privacy of several independent views together: intervals that contain the true δ(ε) and ε(δ).

The views can be repeated collections, or the collections of several groups that a user belongs to.
The views are independent, and all are compared for the same change of the data. So the privacy loss
of all views together (see `loss`) is the sum of the losses of the single views.
"""

from collections.abc import Callable, Iterable
from math import exp, inf, log

import attrs

from protocols import checks
from protocols.privacy.accounting import OneWay
from protocols.privacy.convolution import ROUNDING
from protocols.privacy.loss import Pair

TOLERANCE = 1e-3  # the requested width of an interval for δ, relative to δ


@attrs.frozen
class Interval:
    """An interval that contains the true value."""

    low: float
    high: float

    @property
    def estimate(self) -> float:
        """The middle of the interval; infinity if the upper end is infinite."""
        return (self.low + self.high) / 2 if self.high < inf else self.high


def _as_tuple(parts: Iterable[tuple[Pair, int]]) -> tuple[tuple[Pair, int], ...]:
    return tuple(parts)


@attrs.frozen
class Composition:
    """Independent views, compared for one change of the data. δ is the larger δ of the two
    directions.

    `parts` lists tuples (pair, times): a pair of laws, and how often it is seen. `tolerance` is the
    requested relative width of the intervals. Raises `ValueError` for no views, for a pair that is
    seen less than once, and for a tolerance outside (0, 1).

    >>> from protocols import gaussian_pair
    >>> hundred = Composition([(gaussian_pair(sensitivity=1.0, deviation=20.0), 100)])
    >>> interval = hundred.delta(epsilon=1.0)  # 100 views with σ = 20 are like one with σ = 2
    >>> 0 < interval.low <= interval.high < 0.007
    True
    """

    parts: tuple[tuple[Pair, int], ...] = attrs.field(converter=_as_tuple)
    tolerance: float = TOLERANCE

    def __attrs_post_init__(self) -> None:
        if not self.parts:
            raise ValueError("a composition has at least one pair of laws, got none")
        for _, times in self.parts:
            checks.whole("the number of times that a pair is seen", times, 1)
        if not 0 < self.tolerance < 1:
            raise ValueError(
                f"the tolerance is relative and lies between 0 and 1, got {self.tolerance}"
            )

    @property
    def directions(self) -> tuple[OneWay, ...]:
        """The losses of both directions: from the data to the changed data, and back.

        There is a single entry if the losses of both directions are the same objects, or equal
        Gaussian losses.
        """
        forward = OneWay(tuple((pair.forward, times) for pair, times in self.parts))
        backward = OneWay(tuple((pair.backward, times) for pair, times in self.parts))
        return (forward,) if forward == backward else (forward, backward)

    def delta(self, epsilon: float) -> Interval:
        """Return an interval for δ(ε).

        Raises `ValueError` for an ε that is negative or not finite. The interval is wide if the
        losses are too small or too large for a grid.
        """
        low, high = self.log_delta_ends(epsilon)
        return Interval(
            exp(low * (1 + 8 * ROUNDING) - 8 * ROUNDING), min(exp(high * (1 - 8 * ROUNDING)), 1.0)
        )

    def log_delta_ends(self, epsilon: float) -> tuple[float, float]:
        """Return the logarithms of the ends of the interval for δ(ε), also below the smallest
        float. Raises `ValueError` as `delta` does.
        """
        if not 0 <= epsilon < inf:
            raise ValueError(f"epsilon is finite and at least 0, got {epsilon}")
        return _larger(
            self.directions,
            lambda direction, known: direction.log_delta(epsilon, self.tolerance, known),
        )

    def epsilon(self, delta: float) -> Interval:
        """Return an interval for the least ε with δ(ε) <= delta; both ends are infinite if there is
        no such ε.

        Raises `ValueError` for `delta` outside (0, 1).
        """
        checks.delta(delta)
        ends = _larger(
            self.directions,
            lambda direction, known: direction.epsilon(log(delta), self.tolerance, known),
        )
        return Interval(*ends)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of the upper end of the interval for δ(ε)."""
        return self.log_delta_ends(epsilon)[1]

    @property
    def log_limit(self) -> float:
        """The logarithm of the upper end of the interval for δ as ε goes to infinity."""
        return max(direction.log_infinite(above=True) for direction in self.directions)


def _larger(
    directions: Iterable[OneWay], ends: Callable[[OneWay, float], tuple[float, float]]
) -> tuple[float, float]:
    """Return the ends of an interval for the larger of the values of the directions.

    `ends` gets a direction and a known lower bound on the result, and returns the ends for this
    direction.
    """
    low = high = -inf
    for direction in directions:
        direction_low, direction_high = ends(direction, low)
        low, high = max(low, direction_low), max(high, direction_high)
    return low, high
