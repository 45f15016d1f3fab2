"""The probability that a run completes if users drop out at random.

Each user drops out with probability δ (the rate), independently of the others. A user that drops
out does so before the last message that the protocol needs from it. A run completes if the server
gets a result, even if the result does not count all users.

- DPDS, TSS and DPDG with additive sharing need everybody: (1 - δ)^n.
- Secure aggregation, and DPDS among users with Shamir's sharing and agreement on contributors, need
  t of the n users until the end. When the others leave does not matter: P[Bin(n, 1 - δ) >= t].
- A committee needs one user whose shares came, and m of its k members until the end; members drop
  out at a rate of their own: (1 - δ^n) P[Bin(k, 1 - δ') >= m].
- A local mechanism in which every user reports needs one report of any user: 1 - δ^n.
- SecAgg+ needs, for every user that shared its secrets, t of its group until the end, and for every
  user that sent keys, the keys of t of its group. The group consists of the user and its k
  neighbours. The users stand on a circle in a random order, and the neighbours of a user are the k
  users next to it. If all users are neighbours, the law is that of secure aggregation.
  Otherwise the groups overlap, and we know no closed law; there are two bounds, and a simulation.
  *Lower bound.* Let q = P[Bin(k + 1, 1 - δ) < t] be the probability that too few of a group stay.
  If one more user stays, no group gets smaller, so by Harris's inequality all n groups are large
  enough with probability at least (1 - q)^n. This is true at whatever time users leave. *Upper
  bound.* ⌊n / (k + 1)⌋ of the groups have no user in common, so they are independent. Let q' be the
  probability that too few of a group stay although its middle user has shared its secrets. Then a
  run completes with probability at most (1 - q')^⌊n / (k + 1)⌋, and at most P[Bin(n, 1 - δ) >= t].
  For the upper bound, and in simulations, a user that drops out is equally likely to do so before
  each of its four messages.

Source of the inequality: T. E. Harris, *A lower bound for the critical probability in a certain
percolation process*, 1960, lemma 4.1.
"""

from collections.abc import Sequence
from math import exp, expm1, log1p

import attrs
import numpy as np

from protocols import checks
from simnet.arrays import Bools, Ints
from simnet.coins.sampled import SampledCoins
from simnet.kernel.limits import refuse_above
from simnet.printable import count_of, rounded
from simnet.scenario.verify import clopper_pearson

STEPS = ("keys", "shares", "masked", "opened")  # what a user of secure aggregation sends, in order
BLOCK = 1 << 22  # users that are simulated at once
ELEMENTS_A_DRAW = 25  # so many elements of messages take as long as simulating one user
ADDITIVE = ("dpds", "tss", "dpdg")


@attrs.frozen
class Deployment:
    """Protocols with their parameters, to be compared at one rate of drop-outs.

    `users` is n >= 2. `threshold` is t of `secagg`, and of `dpds_robust` with Shamir's sharing.
    `degree` and `neighbour_threshold` are k and t of `secagg_plus`, which is left out without them.
    `members` is the number of servers of `committee`, `member_threshold` the number of them that
    must be left at the end, and `member_rate` the probability with which each of them drops out.

    Raises `ValueError` for values out of range, and if only one of `degree` and
    `neighbour_threshold` is given.

    >>> deployment = Deployment(users=100, threshold=67)
    >>> [round(option.lowest, 3) for option in completions(deployment, 0.1)]
    [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    """

    users: int
    threshold: int
    degree: int | None = None
    neighbour_threshold: int | None = None
    members: int = 3
    member_threshold: int = 2
    member_rate: float = 0.0

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 2)
        checks.whole("threshold", self.threshold, 2, self.users)
        if (self.degree is None) != (self.neighbour_threshold is None):
            raise ValueError("give both the degree and the threshold of SecAgg+, or neither")
        if self.degree is not None and self.neighbour_threshold is not None:
            _check_circle(self.users, self.degree, self.neighbour_threshold)
        checks.whole("members", self.members, 1)
        checks.whole("member_threshold", self.member_threshold, 1, self.members)
        checks.chance("member_rate", self.member_rate)


@attrs.frozen
class Simulated:
    """The number of simulated runs, how many completed, and an interval for the probability."""

    completed: int
    runs: int
    low: float  # the interval of Clopper and Pearson, with confidence 0.95
    high: float


@attrs.frozen
class Completion:
    """The probability that a run of one protocol completes.

    It lies between `lowest` and `highest`, which are equal if there is an exact law. `most_aborts`
    is 1 - `lowest`, accurate also where it is tiny. `needs` says in words who must stay. `exact`
    says whether the probability is known exactly: bounds may be equal by rounding alone.
    `can_complete` and `can_abort` say whether the probabilities to complete and to abort are above
    0: a float may round a tiny probability to 0, and one near 1 to 1.
    """

    protocol: str
    parameters: str
    needs: str
    lowest: float
    highest: float
    most_aborts: float
    can_complete: bool
    can_abort: bool
    simulated: Simulated | None = None
    exact: bool = True


def completions(
    deployment: Deployment, rate: float, runs: int = 0, seed: int = 0
) -> tuple[Completion, ...]:
    """Return the probability to complete, protocol by protocol, at this rate of drop-outs.

    SecAgg+ is also simulated `runs` times, with draws that follow from `seed`, unless its
    probability is known exactly. Raises `ValueError` for a rate outside [0, 1] and for negative
    `runs`.

    >>> deployment = Deployment(users=1000, threshold=501, degree=52, neighbour_threshold=28)
    >>> plus = completions(deployment, 0.25, runs=100)[-2]
    >>> plus.protocol, round(plus.lowest, 3), round(plus.highest, 4)
    ('secagg_plus', 0.874, 0.9982)
    """
    checks.chance("rate", rate)
    checks.whole("runs", runs, 0)
    n, t = deployment.users, deployment.threshold
    everybody = _all_of(n, rate)
    enough, some = _at_least(t, n, rate), _somebody(n, rate)

    def of_users(protocol: str, parameters: str, needs: str, chance: Pair) -> Completion:
        return _exact(protocol, parameters, needs, chance, rate)

    found = [of_users(name, "additive", f"all {n:,} users", everybody) for name in ADDITIVE]
    stay = f"{t:,} of {n:,} users"
    found.append(of_users("dpds_robust", f"shamir:{t}", stay, enough))
    k, m = deployment.members, deployment.member_threshold
    committee = _both(some, _at_least(m, k, deployment.member_rate))
    needs = f"one user, {m} of {k} members"
    rates = rate, deployment.member_rate
    words = f"{count_of(k, 'member')}, threshold {m}"
    found.append(_exact("committee", words, needs, committee, *rates))
    found.append(of_users("secagg", f"threshold {t}", stay, enough))
    if deployment.degree is not None and deployment.neighbour_threshold is not None:
        found.append(
            on_a_circle(n, deployment.degree, deployment.neighbour_threshold, rate, runs, seed)
        )
    found.append(of_users("local mechanisms", "", "one user", some))
    return tuple(found)


def on_a_circle(
    users: int, degree: int, threshold: int, rate: float, runs: int = 0, seed: int = 0
) -> Completion:
    """Return bounds on the probability that a run of SecAgg+ completes, and the result of `runs`
    simulated runs. If all users are neighbours, or if nobody or everybody drops out, return the
    exact probability, and no simulation.

    Raises `ValueError` for a degree that is odd or outside 2..n - 1, a threshold outside 2..k + 1
    (k is the degree), a rate outside [0, 1], and negative `runs`.
    """
    _check_circle(users, degree, threshold)
    checks.chance("rate", rate)
    checks.whole("runs", runs, 0)
    group = degree + 1
    needs = f"{threshold} of any {group} in a row"
    words = f"degree {degree}, threshold {threshold}"
    if group == users:
        return _exact("secagg_plus", words, needs, _at_least(threshold, users, rate), rate)
    _, few = _at_least(threshold, group, rate)  # q
    # q': the middle user stays, or it leaves after it shared, with probability δ/2
    _, few_others_if_it_stays = _at_least(threshold - 1, degree, rate)
    _, few_others = _at_least(threshold, degree, rate)
    few_and_shared = (1 - rate) * few_others_if_it_stays + rate / 2 * few_others
    lowest, aborts = _power(few, users)
    highest, _ = _power(few_and_shared, users // group)
    highest = min(highest, _at_least(threshold, users, rate)[0])  # t users answer in any case
    exact = rate in (0, 1)  # then nobody leaves, or everybody
    simulated = None
    if runs and not exact:
        steps = [rate / len(STEPS)] * len(STEPS)
        completed = _simulate(users, degree, threshold, steps, runs, seed)
        simulated = Simulated(completed, runs, *clopper_pearson(completed, runs))
    return Completion(
        *("secagg_plus", words, needs, lowest, highest, aborts),
        can_complete=rate < 1,
        can_abort=rate > 0,
        simulated=simulated,
        exact=exact,
    )


def completes_on_a_circle(leaves: Ints, degree: int, threshold: int) -> Bools:
    """Return which runs of SecAgg+ complete.

    `leaves`, shape (runs, n), says for the users in the order of the circle how many messages of
    `STEPS` they send before they leave; 4 stands for users that stay. The result has shape (runs,).
    """
    with_keys, sharing, staying = leaves >= 1, leaves >= 2, leaves >= len(STEPS)
    # The server stops if t shares of a secret cannot come, or have not come in the end.
    reachable = ~with_keys | (_in_groups(with_keys, degree) >= threshold)
    opened = ~sharing | (_in_groups(staying, degree) >= threshold)
    found: Bools = reachable.all(axis=1) & opened.all(axis=1) & (staying.sum(axis=1) >= threshold)
    return found


def _in_groups(marks: Bools, degree: int) -> Ints:
    """Return how many of each user and its neighbours are marked; shape (runs, n)."""
    half = degree // 2
    wide = np.concatenate([marks[:, -half:], marks, marks[:, :half]], axis=1)
    sums = np.cumsum(np.pad(wide, ((0, 0), (1, 0))), axis=1, dtype=np.int64)
    groups: Ints = sums[:, degree + 1 :] - sums[:, : -degree - 1]
    return groups


def _simulate(
    users: int, degree: int, threshold: int, steps: Sequence[float], runs: int, seed: int
) -> int:
    simulated = f"simulating {rounded(runs)} runs with {rounded(users)} users"
    refuse_above(simulated, elements=ELEMENTS_A_DRAW * runs * users, memory=100 * users)
    coins = SampledCoins(seed, "drop-outs")
    ends = np.cumsum(steps)
    completed, at_once = 0, max(1, BLOCK // users)
    for first in range(0, runs, at_once):
        count = min(at_once, runs - first)
        drawn = coins.uniform(count * users).plain.reshape(count, users)
        leaves = np.searchsorted(ends, drawn, side="right")
        completed += int(completes_on_a_circle(leaves, degree, threshold).sum())
    return completed


# Probabilities come in pairs, of an event and of its complement, so that neither is rounded away.

Pair = tuple[float, float]


def _at_least(needed: int, count: int, rate: float) -> Pair:
    from scipy.special import betainc  # imported only here: scipy loads slowly

    if needed <= 0:
        return 1.0, 0.0
    if needed > count:
        return 0.0, 1.0
    stay = betainc(needed, count - needed + 1, 1 - rate)
    return float(stay), float(betainc(count - needed + 1, needed, rate))


def _all_of(count: int, rate: float) -> Pair:
    return _power(rate, count)


def _somebody(count: int, rate: float) -> Pair:
    return 1 - rate**count, rate**count


def _power(chance: float, count: int) -> Pair:
    """Return the probability that none of `count` independent events happens, each of which has
    this chance, and the probability that one or more of them happen.
    """
    if chance >= 1:
        return float(count == 0), float(count > 0)
    log = count * log1p(-chance)
    return exp(log), -expm1(log)


def _both(one: Pair, two: Pair) -> Pair:
    return one[0] * two[0], one[1] + one[0] * two[1]


def _exact(protocol: str, parameters: str, needs: str, chance: Pair, *rates: float) -> Completion:
    """Return the completion of a protocol for which `chance` is known exactly.

    `rates` are the rates of drop-outs of its users, and of its members if it has some. A run can
    complete unless one of these rates is 1: each protocol needs some user and, if it has members,
    some member. A run can abort unless all rates are 0: if nobody drops out, it completes.
    """
    return Completion(
        *(protocol, parameters, needs, chance[0], chance[0], chance[1]),
        can_complete=max(rates) < 1,
        can_abort=max(rates) > 0,
    )


def _check_circle(users: int, degree: int, threshold: int) -> None:
    checks.whole("degree", degree, 2, users - 1)
    if degree % 2:
        raise ValueError(f"the degree must be even, got {degree}")
    checks.whole("threshold of SecAgg+", threshold, 2, degree + 1)
