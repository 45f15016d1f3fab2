"""The largest threshold of Shamir's sharing with which a run still completes if users drop out.

A large threshold t protects better: t - 1 colluding users learn nothing from shares. A small
threshold lets more users drop out. So we look for the largest t such that a run fails with
probability at most 2^-η. The number η >= 0 is called `bits`.

*Model.* Every user drops out with probability δ, independently of the others, before it has sent
its last sum.

*DPDS* (`RobustDPDS`). A run completes if t of the n users are left at the end. It does not matter
when the others left. With S ~ Bin(n, 1 - δ), a run fails with probability P[S < t], exactly.

*TSS* (`RobustTSS`) with the threshold t(m) = ⌈P m / 100⌉ for an item with m elected users. A run
*completes* if all items have an estimate. Here it does matter when users leave. Let n be the number
of users who sent a reporting set. We assume that those who leave do so after they have sent their
shares and before their first sum. S1 elects users without knowing who will leave, so of m elected
users Bin(m, 1 - δ) are left. The numbers m themselves are random: with uniform reporting sets of k
of N items, m ~ Bin(n, k/N) for each item. An item fails with probability

    f = sum over m >= 1 of P[Bin(n, k/N) = m] P[Bin(m, 1 - δ) < t(m)],

exactly. The items of a run are not independent, because the same users leave, and because every
user reports on exactly k items. So for the run we use that it fails with probability at least f and
at most N f (the union bound). *Given* the numbers m_1, ..., m_N of a run, there is an exact law: if
D users leave, the numbers left for the items are independent and hypergeometric, so that the run
fails with probability

    1 - sum over D of P[Bin(n, δ) = D] prod over j of P[Hyp(n, n - D, m_j) >= t(m_j)].

A user who leaves while it sends its shares may be left out of the count. An item of which no
reporter is counted needs no sums, so the run fails no more often. Users who leave before they have
sent a reporting set are no part of n.
"""

from collections.abc import Sequence
from math import ceil, floor, inf, lgamma, log, log1p, sqrt

import numpy as np

from protocols import checks
from protocols.privacy.binomial import log_pmf
from protocols.sharing.schemes import ShamirPercent
from simnet.arrays import Floats
from simnet.kernel.limits import refuse_above
from simnet.printable import rounded

# The log of a bound: the probabilities of all numbers m that are left out of a sum add up to less.
NEGLECTED = log(1e-30)
# What one probability costs: so many elements of messages take as long, and so many bytes.
ELEMENTS_A_TERM, BYTES_A_TERM = 25, 100


def log_failure_of_sums(users: int, rate: float, threshold: int) -> float:
    """Return the log of the probability that fewer than `threshold` of the users are left.

    Raises `ValueError` for fewer than one user, for a threshold outside 1..n, and for a rate
    outside [0, 1].

    >>> from math import exp
    >>> round(exp(log_failure_of_sums(users=3, rate=0.5, threshold=2)), 9)
    0.5
    """
    _check(users, rate)
    checks.whole("threshold", threshold, 1, users)
    return float(_log_left_at_most(users, rate)[threshold - 1])


def largest_threshold(users: int, rate: float, bits: float) -> int | None:
    """Return the largest t with which a run of `RobustDPDS` completes with probability at least 1 -
    2^-bits if users drop out at this rate; None if no t does.

    Raises `ValueError` as `log_failure_of_sums` does, and for `bits` below 0.

    >>> largest_threshold(users=1000, rate=0.1, bits=40)
    827
    >>> largest_threshold(users=5, rate=0.1, bits=40) is None
    True
    """
    _check(users, rate)
    fails = _log_left_at_most(users, rate)[:users]  # place t - 1: fewer than t are left
    enough = np.flatnonzero(fails <= _allowed(bits))
    return int(enough[-1]) + 1 if enough.size else None


def log_failure_of_item(users: int, items: int, reported: int, rate: float, percent: int) -> float:
    """Return the log of f, the probability that one item of a run of `RobustTSS` has no estimate.

    `users` is n, the users who sent a uniform reporting set of `reported` of the `items`; `percent`
    is the P of the sharing `shamir:P%`. The probability is at most 1e-30 too large. Raises
    `ValueError` as `log_failure_of_sums` does, for `reported` outside 1..`items`, and for a
    `percent` outside 1..100.

    >>> from math import exp
    >>> round(exp(log_failure_of_item(users=2, items=1, reported=1, rate=0.5, percent=100)), 9)
    0.75
    """
    return _log_failures_of_item(users, items, reported, rate, [percent], NEGLECTED)[0]


def largest_percent(users: int, items: int, reported: int, rate: float, bits: float) -> int | None:
    """Return the largest P for which the union bound shows that in a run of `RobustTSS` with
    `shamir:P%` all items have an estimate with probability at least 1 - 2^-bits.

    None if there is no such P from 1 to 100. Raises `ValueError` as `log_failure_of_item` does, and
    for `bits` below 0.

    >>> largest_percent(users=1000, items=12, reported=5, rate=0.1, bits=40)
    77
    """
    allowed = _allowed(bits)
    every = range(1, 101)
    # far below what is allowed, so that what is left out decides nothing
    neglected = min(NEGLECTED, allowed - log(max(items, 1)) - 30)
    found = _log_failures_of_item(users, items, reported, rate, every, neglected)
    enough = [
        percent for percent, one in zip(every, found, strict=True) if one + log(items) <= allowed
    ]
    return max(enough, default=None)


def failure_given_elected(elected: Sequence[int], users: int, rate: float, percent: int) -> float:
    """Return the probability that some item has no estimate, given how many users are elected for
    each item.

    Raises `ValueError` as `log_failure_of_sums` does, for a number of elected users outside 0..n,
    and for a `percent` outside 1..100.

    >>> failure_given_elected([2, 1], users=2, rate=0.5, percent=50)
    0.5
    """
    _check(users, rate)
    for one in elected:
        checks.whole("elected", one, 0, users)
    sharing = ShamirPercent(percent)
    total = 0.0
    for left, log_chance in enumerate(_log_law(users, 1 - rate)):
        complete = sum(_log_enough(users, left, m, sharing.needed(m)) for m in elected)
        total += float(np.exp(log_chance)) * -float(np.expm1(complete))
    return total


def _check(users: int, rate: float) -> None:
    checks.whole("users", users, 1)
    checks.chance("rate", rate)


def _allowed(bits: float) -> float:
    if not bits >= 0:
        raise ValueError(f"bits is at least 0, got {bits}")
    return -bits * log(2)


def _log_law(users: int, chance: float) -> Floats:
    refuse_above(f"the law of {rounded(users)} users", memory=BYTES_A_TERM * users)
    if chance in (0, 1):
        law = np.full(users + 1, -inf)
        law[users if chance == 1 else 0] = 0.0
        return law
    return log_pmf(np.arange(users + 1), users, chance)


def _log_left_at_most(users: int, rate: float) -> Floats:
    return np.minimum(np.logaddexp.accumulate(_log_law(users, 1 - rate)), 0.0)


def _log_failures_of_item(
    users: int,
    items: int,
    reported: int,
    rate: float,
    percents: Sequence[int],
    neglected: float,
) -> list[float]:
    """Return the log of f for each percentage, at most e^`neglected` too large."""
    _check(users, rate)
    checks.whole("items", items, 1)
    checks.reported_items(reported, items)
    sharings = [ShamirPercent(percent) for percent in percents]
    chance = reported / items
    # By Bernstein's inequality, numbers at a distance of t or more from the mean have probabilities
    # of at most 2 e^-L together if t² / (2 v + 2 t / 3) = L, for the variance v.
    third = (log(2) - neglected) / 3
    reach = third + sqrt(third**2 + 6 * third * users * chance * (1 - chance))
    reach = min(reach, users)  # it is infinite for infinitely many bits
    first = max(floor(users * chance - reach), 1)
    last = min(ceil(users * chance + reach), users)
    terms_in_all = (last - first + 1) * last
    laws = f"the laws of {rounded(last - first + 1)} numbers of elected users"
    refuse_above(laws, elements=ELEMENTS_A_TERM * terms_in_all)
    log_elected = _log_law(users, chance)
    terms = []
    for m in range(first, last + 1):
        left = _log_left_at_most(m, rate)
        terms.append([log_elected[m] + left[sharing.needed(m) - 1] for sharing in sharings])
    found = np.logaddexp.reduce(np.array(terms), axis=0)
    if last - first + 1 < users:
        found = np.logaddexp(found, neglected)
    return [float(one) for one in found]


def _log_enough(users: int, left: int, elected: int, needed: int) -> float:
    def choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    fewest, most = max(elected + left - users, 0), min(elected, left)
    if needed <= fewest or elected == 0:
        return 0.0
    if needed > most:
        return -inf
    logs = [
        choose(left, s) + choose(users - left, elected - s) - choose(users, elected)
        for s in range(fewest, needed)
    ]
    too_few = float(np.exp(np.logaddexp.reduce(logs)))
    return log1p(-too_few) if too_few < 1 else -inf
