"""Groups of users, each with its own ε, aggregated with weights.

Every group runs the same protocol, given by its name. The sizes of the groups differ by at most one
user, unless they are given. The weights are chosen for all users, so a run needs all of them.

Source: Yang et al., section 3.2. Groups sample their users in the paper's Fig. 4, and use local
mechanisms in Fig. 5; groups of DPDG are added here.
"""

from collections.abc import Callable
from math import expm1
from typing import Annotated

from protocols import checks
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.local_frequency import about as local_frequency
from protocols.local_frequency.script import FrequencyCollection
from protocols.local_mean import about as local_mean
from protocols.local_mean.script import MeanCollection
from protocols.mechanisms.named import FREQUENCY, NUMERIC
from protocols.reports.collection import SEATINGS, Population
from protocols.tss import about as tss
from protocols.tss.prime import Alpha, items_reported
from protocols.tss.script import TSS
from protocols.weighted.script import Target, Weighted, WeightedGroup
from protocols.weighted.weights import METHODS, Method

SECURE = ("dpds", "tss", "dpdg")

Epsilons = Annotated[str, "ε of each group of users, above 0, with commas between"]
MethodByName = Annotated[
    Method,
    "how users are weighed: by the variances of their groups (vwa, or owa by numerical search), "
    "all alike (uwa), or all alike and with the smallest ε (cpa)",
]
GroupUsers = Annotated[
    str | None,
    "the number of users of each group, with commas between; by default the numbers "
    "differ by at most 1",
]
TargetByName = Annotated[
    Target,
    "what the estimate is compared with: the true values of the groups, weighted as the estimate "
    "weighs them (distribution), or the true value of all users (population)",
]


def weighted(
    *,
    users: int,
    items: int,
    epsilons: Epsilons,
    method: MethodByName = "vwa",
    target: TargetByName = "distribution",
    protocol: Annotated[str, f"what every group runs: {', '.join((*SECURE, *FREQUENCY))}"] = "dpds",
    delta: Annotated[float, "δ of the groups' noise, with protocol dpdg, 0 < δ < 1"] = 1e-5,
    reported: Annotated[
        int | None,
        "k, how many items a user reports on, with protocol tss; by default about two fifths of N",
    ] = None,
    alpha: Alpha = None,
    gamma: Annotated[
        float | None,
        "γ > 1 for adaptive reporting sets, none for uniform ones, with protocol tss",
    ] = None,
    population: Population = "aggregate",
    group_users: GroupUsers = None,
) -> Weighted:
    """Return groups that estimate frequencies; `epsilons` lists one ε per group, such as
    `0.1,0.4,0.7,1`.

    `group_users` lists the groups' numbers of users, such as `100,300,200,400`. Without it, all
    groups have equally many users; if the users do not divide evenly, the first groups have one
    more. `protocol` is one of: dpds or tss, which sample with p = 1 - exp(-ε), so that ε is what
    the paper claims; dpdg with `delta`; or a local mechanism (oue, sue, grr, olh, hadamard), whose
    users are seated as `population` says. With tss, `reported` is k, or `alpha` is k / N, and
    `gamma` is the weight of the adaptive law of reporting sets. Raises `ValueError` for an unknown
    name, for sizes of groups that do not fit the users, for parameters that the groups' protocol
    refuses, and for a parameter out of range, also if `protocol` does not use it.
    """
    checks.one_of("protocol", protocol, (*SECURE, *FREQUENCY))
    k = items_reported(items, reported, alpha)

    def group(size: int, epsilon: float) -> WeightedGroup:
        if protocol in FREQUENCY:
            mechanism = FREQUENCY[protocol](epsilon, items)
            collection = FrequencyCollection(size, mechanism, population, fewest_reports=size)
            return WeightedGroup(collection, local_frequency.about)
        if size < 2:
            raise ValueError(
                f"with protocol={protocol} each group has at least 2 users: got a group of {size}"
            )
        if protocol == "dpdg":
            if epsilon > 1:
                raise ValueError(
                    "with protocol=dpdg the ε of a group is at most 1, because the noise has the "
                    f"classic calibration: got {epsilon:g}"
                )
            return WeightedGroup(DPDG(size, items, epsilon, delta), dpdg.about)
        participation = -expm1(-epsilon)
        if protocol == "dpds":
            return WeightedGroup(DPDS(size, items, participation), dpds.about)
        return WeightedGroup(TSS(size, items, participation, k, gamma), tss.about)

    groups = _groups(users, epsilons, group_users, method, target, group)
    # A run shows all parameters, so those that `protocol` does not use are checked too.
    checks.delta(delta)
    checks.reported_items(k, items)
    checks.adaptive_weight(gamma)
    checks.one_of("population", population, SEATINGS)
    return groups


def weighted_mean(
    *,
    users: int,
    epsilons: Epsilons,
    method: MethodByName = "vwa",
    target: TargetByName = "distribution",
    protocol: Annotated[str, f"the local mechanism of every group: {', '.join(NUMERIC)}"] = "pm",
    low: Annotated[float, "the least number that a user can hold, declared beforehand"] = -1.0,
    high: Annotated[float, "the largest number that a user can hold, declared beforehand"] = 1.0,
    population: Population = "crowd",
    group_users: GroupUsers = None,
) -> Weighted:
    """Return groups that estimate the mean of numbers in the declared range.

    `protocol` is a local mechanism such as pm or duchi, and `group_users` lists the groups' numbers
    of users. Raises `ValueError` for an unknown name, for an ε out of range, for sizes of groups
    that do not fit the users, and for parameters that the groups' protocol refuses.
    """
    checks.one_of("protocol", protocol, tuple(NUMERIC))

    def group(size: int, epsilon: float) -> WeightedGroup:
        mechanism = NUMERIC[protocol](epsilon)
        collection = MeanCollection(size, mechanism, low, high, population, fewest_reports=size)
        return WeightedGroup(collection, local_mean.about)

    return _groups(users, epsilons, group_users, method, target, group)


def _groups(
    users: int,
    epsilons: str,
    group_users: str | None,
    method: Method,
    target: Target,
    group: Callable[[int, float], WeightedGroup],
) -> Weighted:
    checks.one_of("method", method, METHODS)
    budgets = _budgets(epsilons)
    sizes = _sizes(users, len(budgets), group_users)
    if method == "cpa":
        budgets = [min(budgets)] * len(budgets)
    return Weighted(tuple(map(group, sizes, budgets)), method, target)


def _sizes(users: int, groups: int, group_users: str | None) -> list[int]:
    if group_users is None:
        if users < groups:
            raise ValueError(
                f"users must be at least the number of groups, {groups}: got users={users}"
            )
        return [users // groups + (place < users % groups) for place in range(groups)]
    try:
        sizes = [int(text) for text in group_users.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise ValueError(
            f"sizes of groups are whole numbers above 0 separated by commas, got {group_users!r}"
        )
    if len(sizes) != groups:
        raise ValueError(
            f"group_users={group_users} must give one size for each ε: the number of sizes is "
            f"{len(sizes)}, and that of epsilons is {groups}"
        )
    if sum(sizes) != users:
        raise ValueError(
            f"the sizes in group_users={group_users} add up to {sum(sizes):,}, but users "
            f"is {users:,}"
        )
    return sizes


def _budgets(epsilons: str) -> list[float]:
    try:
        budgets = [float(text) for text in epsilons.split(",")]
    except ValueError:
        budgets = []
    if not budgets or not all(0 < budget < float("inf") for budget in budgets):
        raise ValueError(
            f"epsilons are positive finite numbers separated by commas, got {epsilons!r}"
        )
    for budget in budgets:
        checks.epsilon(budget)
    return budgets
