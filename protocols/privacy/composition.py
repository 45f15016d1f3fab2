"""Privacy of several independent views together: δ(ε) and ε(δ) as intervals that hold the truth.

Repeated collections, or the groups that a user is in, are views of one change of the data; their
privacy losses add up. How the intervals come about, and what they cover, stands in `accounting`.
"""

from collections.abc import Callable, Iterable
from math import exp, inf, log

import attrs

from protocols.privacy.accounting import OneWay
from protocols.privacy.convolution import ROUNDING
from protocols.privacy.loss import Pair

TOLERANCE = 1e-3  # width of an interval for δ, relative to δ, that the grid is chosen for


@attrs.frozen
class Interval:
    """An interval that holds the true value."""

    low: float
    high: float

    @property
    def estimate(self) -> float:
        """Its middle."""
        return (self.low + self.high) / 2 if self.high < inf else self.high


def _as_tuple(parts: Iterable[tuple[Pair, int]]) -> tuple[tuple[Pair, int], ...]:
    return tuple(parts)


@attrs.frozen
class Composition:
    """Independent views of one change of the data, each pair with how often it is seen.

    Its δ is the larger one of both directions.

    Raises `ValueError` for no views, or for a pair that is seen less than once.
    """

    parts: tuple[tuple[Pair, int], ...] = attrs.field(converter=_as_tuple)
    tolerance: float = TOLERANCE

    def __attrs_post_init__(self) -> None:
        if not self.parts:
            raise ValueError("a composition has at least one pair of laws")
        for _, times in self.parts:
            if not isinstance(times, int) or isinstance(times, bool) or times < 1:
                raise ValueError(f"a pair is seen a whole number of times from 1, got {times!r}")
        if not 0 < self.tolerance < 1:
            raise ValueError(
                f"the tolerance is relative and lies between 0 and 1, got {self.tolerance}"
            )

    @property
    def directions(self) -> tuple[OneWay, ...]:
        """From the data to its neighbour and back; once where they are alike."""
        forward = OneWay(tuple((pair.forward, times) for pair, times in self.parts))
        backward = OneWay(tuple((pair.backward, times) for pair, times in self.parts))
        return (forward,) if forward == backward else (forward, backward)

    def delta(self, epsilon: float) -> Interval:
        """δ(ε) for ε >= 0. Raises `ValueError` for another ε."""
        low, high = self.log_delta_ends(epsilon)
        return Interval(
            exp(low * (1 + 8 * ROUNDING) - 8 * ROUNDING), min(exp(high * (1 - 8 * ROUNDING)), 1.0)
        )

    def log_delta_ends(self, epsilon: float) -> tuple[float, float]:
        """Logs of the ends of the interval for δ(ε), for what is below the smallest float."""
        if not 0 <= epsilon < inf:
            raise ValueError(f"epsilon is a number from 0, got {epsilon}")
        return _larger(
            self.directions,
            lambda direction, known: direction.log_delta(epsilon, self.tolerance, known),
        )

    def epsilon(self, delta: float) -> Interval:
        """The least ε with δ(ε) <= delta; infinity where there is none.

        Raises `ValueError` for δ outside (0, 1).
        """
        if not 0 < delta < 1:
            raise ValueError(f"delta lies between 0 and 1, got {delta}")
        ends = _larger(
            self.directions,
            lambda direction, known: direction.epsilon(log(delta), self.tolerance, known),
        )
        return Interval(*ends)

    def log_delta(self, epsilon: float) -> float:
        """Log of the upper end for δ(ε).

        With `log_limit` it makes a composition a `Profile`, on the safe side.
        """
        return self.log_delta_ends(epsilon)[1]

    @property
    def log_limit(self) -> float:
        """Log of the upper end for δ as ε goes to infinity."""
        return max(direction.log_infinite(above=True) for direction in self.directions)


def _larger(
    directions: Iterable[OneWay], ends: Callable[[OneWay, float], tuple[float, float]]
) -> tuple[float, float]:
    """Ends of an interval for the larger of two values, the second no sharper than needed."""
    low = high = -inf
    for direction in directions:
        direction_low, direction_high = ends(direction, low)
        low, high = max(low, direction_low), max(high, direction_high)
    return low, high
