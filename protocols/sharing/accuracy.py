"""How good a sampled frequency estimate is.

There are exact intervals for the support, and the law of the squared error.

Every user takes part with the same chance p, so the count of an item with support Π is Binomial(Π,
p), independently of the others. Source: Yang et al., Lemma 3.1; intervals by inverting the binomial
tails.
"""

from collections.abc import Callable

import numpy as np

from simnet.arrays import Bools, Floats, Ints
from simnet.stated.assessment import Assessment

LARGEST_TABLE = 300  # users of whom all binomial tails are tabulated


def assess_sampled(
    estimate: Floats, support: Ints, chance: float, users: int, confidence: float
) -> Assessment:
    """Hold the estimate `count / (chance * users)` against the true support.

    Exact intervals, shapes (N,).
    """
    counts = np.rint(estimate * (chance * users)).astype(np.int64)
    low, high = support_interval(counts, chance, users, confidence)
    mean, deviation = squared_l2_law(support, chance, users)
    variance = np.asarray(support * (1 - chance) / (chance * users**2), dtype=np.float64)
    estimated = np.asarray(
        np.maximum(counts, 1) * (1 - chance) / (chance * users) ** 2, dtype=np.float64
    )
    return Assessment(
        estimate=estimate,
        truth=support / users,
        low=low / users,
        high=high / users,
        confidence=confidence,
        expected_squared_l2=mean,
        deviation_squared_l2=deviation,
        variance=variance,
        estimated_variance=estimated,
    )


def support_interval(
    counts: Ints, chance: float, users: int, confidence: float
) -> tuple[Ints, Ints]:
    """The least and the greatest support that the counts do not reject; shapes (N,).

    No support exceeds `users`.

    Each interval covers the true support with probability at least `confidence`: a support is
    rejected on either side when a count so far out has probability at most (1 - confidence) / 2.
    """
    tail = (1 - confidence) / 2
    chance_of_at_most, chance_of_at_least = tails(chance, users)

    def is_not_too_small(support: Ints) -> Bools:
        return np.asarray(chance_of_at_least(counts, support) > tail)

    def is_too_large(support: Ints) -> Bools:
        return np.asarray(chance_of_at_most(counts, support) <= tail)

    # a count so far out that every support is rejected leaves the one that explains it best
    low = np.minimum(_first(is_not_too_small, counts, users), users)
    return low, np.maximum(_first(is_too_large, low, users) - 1, low)


Tail = Callable[[Ints, Ints], Floats]  # of Bin(support, chance), at counts and supports


def tails(chance: float, users: int) -> tuple[Tail, Tail]:
    """The chances of at most, and of at least, so many of a support of up to `users`.

    A small run has a table: whether the last of a support is sampled or not gives each row from the
    one before. scipy, which larger runs need, takes longer to load than a small run takes.
    """
    if users <= LARGEST_TABLE:
        at_most = np.ones((users + 1, users + 1))
        at_least = np.ones((users + 1, users + 1))
        at_least[0, 1:] = 0.0
        for support in range(users):
            for table, of_none in ((at_most, 0.0), (at_least, 1.0)):
                fewer = np.concatenate([[of_none], table[support, :-1]])
                table[support + 1] = (1 - chance) * table[support] + chance * fewer
        return (
            lambda counts, support: at_most[support, counts],
            lambda counts, support: at_least[support, counts],
        )

    from scipy.special import bdtr, bdtrc  # here, not above: it takes a while to load

    def at_least_so_many(counts: Ints, support: Ints) -> Floats:
        return np.where(counts == 0, 1.0, bdtrc(np.maximum(counts - 1, 0), support, chance))

    return lambda counts, support: np.asarray(bdtr(counts, support, chance)), at_least_so_many


def _first(holds: Callable[[Ints], Bools], start: Ints, stop: int) -> Ints:
    """The least integer from `start` to `stop` from which on a condition holds, or `stop + 1`.

    It is found by bisection.
    """
    low, high = start.astype(np.int64), np.full_like(start, stop + 1, dtype=np.int64)
    while np.any(low < high):
        middle = (low + high) // 2
        is_met = holds(np.minimum(middle, stop)) | (middle > stop)
        low, high = (
            np.where(is_met | (low >= high), low, middle + 1),
            np.where(is_met & (low < high), middle, high),
        )
    return low


def squared_l2_law(support: Ints, chance: float, users: int) -> tuple[float, float]:
    """Mean and standard deviation of the squared L2 error of `count / (chance * users)`.

    The mean is (1 - p) / (p n) whatever the supports (Lemma 3.1); the variance adds up those of the
    squared deviations of independent binomials, 2 v² + v (1 - 6 p (1 - p)) with v = Π p (1 - p).
    """
    p, n = np.float64(chance), np.float64(users)
    # An absurdly small p has an infinite error, which is true
    with np.errstate(divide="ignore", over="ignore"):
        spread = support * (1 - p) / (p * n**2)
        variance = np.sum(2 * spread**2 + spread * (1 - 6 * p * (1 - p)) / (p * n) ** 2)
    return float(spread.sum()), float(np.sqrt(max(variance, 0.0)))
