"""Choose parameters that just meet a target (ε, δ): the largest participation, the fewest users.

Both searches rely on monotonicity. δ does not fall when p rises: whoever has the counts for a large
p can drop each counted user at random, and so gets the counts for a smaller p. δ does not rise when
counts rise.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, log

from protocols import checks
from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampled_counts import (
    ERROR,
    LARGEST_COUNT,
    LEAST_PARTICIPATION,
    RELATIONS,
    Relation,
    profile,
)
from protocols.privacy.statement import positive_epsilon

SMALLEST_LOG = log(LEAST_PARTICIPATION) + 1  # of a participation


def largest_participation(
    counts: Sequence[int], relation: Relation, epsilon: float, delta: float
) -> float:
    """Return the largest p whose exact δ at `epsilon` is at most `delta`.

    Numerical errors may make the result slightly smaller, not larger. `counts` are the numbers of
    users who hold each item, or lower bounds; `relation` is `remove` or `replace`. Raises
    `ValueError` for an argument out of range, and if the search finds no p.

    >>> p = largest_participation([500] * 10, "replace", epsilon=1.0, delta=1e-6)
    >>> 0.92 < p < 0.93
    True
    """
    from scipy.optimize import brentq  # imported only here: scipy loads slowly

    target = _target(epsilon, delta)

    def excess(log_p: float) -> float:
        return max(log_delta_at(profile(counts, exp(log_p), relation), epsilon), -1e300) - target

    if excess(0.0) <= 0:
        return 1.0
    if excess(SMALLEST_LOG) > 0:
        raise ValueError(
            f"no participation from {exp(SMALLEST_LOG):.1e} to 1 has δ({epsilon}) at most {delta} "
            "for these counts: use a larger epsilon or delta, or leave out rare items"
        )
    log_p, step = float(brentq(excess, SMALLEST_LOG, 0.0, xtol=1e-12, rtol=1e-12)), 1e-12
    while excess(log_p) > 0:  # rounding may have put the root above the true value
        log_p, step = log_p - step, 2 * step
    return exp(log_p)


def fewest_holders(participation: float, relation: Relation, epsilon: float, delta: float) -> int:
    """Return the least number of holders per item with which the exact δ at `epsilon` is at most
    `delta`.

    Raises `ValueError` for an argument out of range, and for a target that a billion holders do not
    meet.

    >>> fewest_holders(0.5, "replace", epsilon=1.0, delta=1e-6)
    49
    """
    target = _target(epsilon, delta)

    def holds(count: int) -> bool:
        return log_delta_at(profile([count, count], participation, relation), epsilon) <= target

    low, high = 0, 1
    while not holds(high):
        if high == LARGEST_COUNT:
            raise ValueError(
                f"{LARGEST_COUNT:,} holders of every item are not enough for δ({epsilon}) at most "
                f"{delta} with participation {participation}: use a smaller participation"
            )
        low, high = high, min(2 * high, LARGEST_COUNT)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def fewest_users(share: float, holders: int, relation: Relation) -> int:
    """Return the least number of users n such that `share` times n is at least `holders`.

    `share` is the share of the users who hold the rarest item. Raises `ValueError` for a share
    outside (0, 1], for a share above a half with `replace`, which needs two items, and for an
    unknown relation.
    """
    checks.one_of("relation", relation, RELATIONS)
    most = 0.5 if relation == "replace" else 1.0
    if not 0 < share <= most:
        raise ValueError(
            f"the rarest item's share of the users lies above 0 and is at most {most:g}, "
            f"got {share}"
        )
    return ceil(holders / Fraction(str(share)))


def _target(epsilon: float, delta: float) -> float:
    positive_epsilon(epsilon)
    checks.delta(delta)
    # a little below ln δ, so that no numerical error lifts the true δ above its target
    return log(delta) - ERROR * (1 - log(delta))
