"""The accuracy of a sampled frequency estimate: exact intervals and the law of the squared error.

Every user takes part with the same probability p, so the count of an item with support Π is
Binomial(Π, p), independently of the other items. We find the intervals by inverting the binomial
tails.

Source of the mean squared error: Yang et al., Lemma 3.1.
"""

from collections.abc import Callable

import attrs
import numpy as np

from simnet.arrays import Bools, Floats, Ints
from simnet.stated.assessment import Assessment

LARGEST_TABLE = 300  # up to this many users, all binomial tails are tabulated


def assess_sampled(
    estimate: Floats, support: Ints, chance: float, users: int, confidence: float
) -> Assessment:
    """Compare the estimate `count / (chance * users)` with the true frequencies.

    All arrays have shape (N,).
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


def assess_sampled_survivors(
    estimate: Floats,
    support: Ints,
    chance: float,
    counted: int,
    users: int,
    confidence: float,
) -> Assessment:
    """Compare the estimate `count / (chance * counted)` with the true frequencies of all users.

    `counted` of the users were left, and are treated as a random sample of all users. The intervals
    treat the users as sampled independently, and the expected error is that of a sample without
    replacement. All arrays have shape (N,).
    """
    found = assess_sampled(estimate, support, chance * counted / users, users, confidence)
    shares = support / users
    lost = (1 - float(shares @ shares)) / counted * (users - counted) / max(users - 1, 1)
    return attrs.evolve(found, expected_squared_l2=(1 - chance) / (chance * counted) + lost)


def support_interval(
    counts: Ints, chance: float, users: int, confidence: float
) -> tuple[Ints, Ints]:
    """Return the ends of a confidence interval of the support of each item; shapes (N,).

    No support exceeds `users`. Each interval covers the true support with probability at least
    `confidence`. A support is rejected on one side if a count at least as extreme as the observed
    one has probability at most (1 - confidence) / 2.
    """
    tail = (1 - confidence) / 2
    chance_of_at_most, chance_of_at_least = tails(chance, users)

    def is_not_too_small(support: Ints) -> Bools:
        return np.asarray(chance_of_at_least(counts, support) > tail)

    def is_too_large(support: Ints) -> Bools:
        return np.asarray(chance_of_at_most(counts, support) <= tail)

    # if a count rejects every support, keep the support that explains the count best
    low = np.minimum(_first(is_not_too_small, counts, users), users)
    return low, np.maximum(_first(is_too_large, low, users) - 1, low)


# Tail(counts, supports): the tail probability of Bin(support, chance) at each count
Tail = Callable[[Ints, Ints], Floats]


def tails(chance: float, users: int) -> tuple[Tail, Tail]:
    """Return the functions P[X <= count] and P[X >= count] for X ~ Bin(support, chance).

    Supports go up to `users`.
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

    from scipy.special import bdtr, bdtrc  # imported only here: scipy loads slowly

    def at_least_so_many(counts: Ints, support: Ints) -> Floats:
        return np.where(counts == 0, 1.0, bdtrc(np.maximum(counts - 1, 0), support, chance))

    return lambda counts, support: np.asarray(bdtr(counts, support, chance)), at_least_so_many


def _first(holds: Callable[[Ints], Bools], start: Ints, stop: int) -> Ints:
    """Return the least integer from `start` to `stop` from which on a condition holds.

    The result is `stop + 1` if the condition never holds.
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
    """Return the mean and the standard deviation of the squared L2 error.

    The estimate is `count / (chance * users)`. If the supports add up to n, the mean is (1 - p) /
    (p n) (Lemma 3.1). The variance is a sum over the items, divided by (p n)⁴. An item adds 2 v² +
    v (1 - 6 p (1 - p)) with v = Π p (1 - p).
    """
    p, n = np.float64(chance), np.float64(users)
    # for a tiny p the error overflows to infinity, and we report it as infinite
    with np.errstate(divide="ignore", over="ignore"):
        spread = support * (1 - p) / (p * n**2)
        variance = np.sum(2 * spread**2 + spread * (1 - 6 * p * (1 - p)) / (p * n) ** 2)
    return float(spread.sum()), float(np.sqrt(max(variance, 0.0)))
