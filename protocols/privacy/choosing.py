"""Choosing parameters at an exact target: the largest participation, the fewest users, the largest share of noise.

Each answer rests on monotonicity: δ rises with p (a smaller p is a thinning of the counts, which is post-processing) and
falls as counts rise.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, exp, log

from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampling import LARGEST_COUNT, Relation, profile
from protocols.privacy.statement import positive_epsilon

SMALLEST_LOG = -60.0  # of a participation: e^-60 sends nobody


def largest_participation(counts: Sequence[int], relation: Relation, epsilon: float, delta: float) -> float:
    """The largest p, to a relative 1e-12 and never above, whose exact δ at ε is at most δ.

    `counts` are the users who hold each item, or lower bounds. Raises `ValueError` for a target that is none, or that
    no p meets.
    """
    target = _target(epsilon, delta)

    def holds(log_p: float) -> bool:
        return log_delta_at(profile(counts, exp(log_p), relation), epsilon) <= target

    if not holds(SMALLEST_LOG):
        raise ValueError(f"no participation has δ({epsilon}) at most {delta} for these counts")
    return exp(_last(holds, SMALLEST_LOG, 0.0))


def fewest_holders(participation: float, relation: Relation, epsilon: float, delta: float) -> int:
    """The least number of holders of every item with which the exact δ at ε is at most δ.

    Raises `ValueError` for a target that is none, and for one that a billion holders do not meet.
    """
    target = _target(epsilon, delta)

    def holds(count: int) -> bool:
        return log_delta_at(profile([count, count], participation, relation), epsilon) <= target

    high = 1
    while not holds(high):
        high *= 2
        if high > LARGEST_COUNT:
            raise ValueError(
                f"{LARGEST_COUNT:,} holders of every item are not enough for δ({epsilon}) at most {delta} with "
                f"participation {participation}: use a smaller one"
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def fewest_users(share: float, holders: int) -> int:
    """The least number of users of whom `share` are so many holders. Raises `ValueError` for a share outside (0, 1]."""
    if not 0 < share <= 1:
        raise ValueError(f"the rarest item's share of the users lies above 0 and is at most 1, got {share}")
    return ceil(holders / Fraction(str(share)))


def _target(epsilon: float, delta: float) -> float:
    positive_epsilon(epsilon)
    if not 0 < delta < 1:
        raise ValueError(f"delta lies between 0 and 1, got {delta}")
    return log(delta)


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The largest value, to 1e-12, at which a condition that fails from some point on still holds."""
    if holds(high):
        return high
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
