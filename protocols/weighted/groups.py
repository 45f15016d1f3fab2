"""Equal groups of users, each with its own ε, aggregated with weights.

Every group runs the same protocol, given by its name.

Source: Yang et al., section 3.2, with DPDS, TSS and DPDG as in Fig. 4, and with local mechanisms as
in Fig. 5.
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
from protocols.reports.collection import Population
from protocols.tss import about as tss
from protocols.tss.script import TSS
from protocols.weighted.script import Target, Weighted, WeightedGroup
from protocols.weighted.weights import METHODS, Method

SECURE = ("dpds", "tss", "dpdg")

Epsilons = Annotated[str, "ε of each group of users, above 0, with commas between"]
MethodByName = Annotated[
    Method,
    "how groups are weighed: by their variances (vwa, or owa by numerical search), alike (uwa), "
    "or alike and all with the smallest ε (cpa)",
]
TargetByName = Annotated[
    Target,
    "what is estimated: the distribution from which users are drawn, or the users' own values",
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
    reported: Annotated[int, "k, how many items a user reports on, with protocol tss"] = 1,
    population: Population = "aggregate",
) -> Weighted:
    """Return groups that estimate frequencies; `epsilons` lists one ε per group, such as
    `0.1,0.4,0.7,1`.

    If the users do not divide evenly, the first groups have one more user. `protocol` is one of:
    dpds or tss, which sample with p = 1 - exp(-ε), so that ε is what the paper claims; dpdg with
    `delta`; or a local mechanism (oue, sue, grr, olh, hadamard), whose users are seated as
    `population` says. Raises `ValueError` for an ε that is not above zero.
    """
    checks.one_of("protocol", protocol, (*SECURE, *FREQUENCY))

    def group(size: int, epsilon: float) -> WeightedGroup:
        if protocol in FREQUENCY:
            mechanism = FREQUENCY[protocol](epsilon, items)
            collection = FrequencyCollection(size, mechanism, population)
            return WeightedGroup(collection, local_frequency.about)
        if protocol == "dpdg":
            return WeightedGroup(DPDG(size, items, epsilon, delta), dpdg.about)
        participation = -expm1(-epsilon)
        if protocol == "dpds":
            return WeightedGroup(DPDS(size, items, participation), dpds.about)
        return WeightedGroup(TSS(size, items, participation, reported), tss.about)

    return _equal_groups(users, epsilons, method, target, group)


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
) -> Weighted:
    """Return groups that estimate the mean of numbers in the declared range.

    `protocol` is a local mechanism such as pm or duchi. Raises `ValueError` for an ε that is not
    above zero.
    """
    checks.one_of("protocol", protocol, tuple(NUMERIC))

    def group(size: int, epsilon: float) -> WeightedGroup:
        collection = MeanCollection(size, NUMERIC[protocol](epsilon), low, high, population)
        return WeightedGroup(collection, local_mean.about)

    return _equal_groups(users, epsilons, method, target, group)


def _equal_groups(
    users: int,
    epsilons: str,
    method: Method,
    target: Target,
    group: Callable[[int, float], WeightedGroup],
) -> Weighted:
    """Return as many groups as there are ε. With CPA every group uses the smallest ε."""
    checks.one_of("method", method, METHODS)
    budgets = _budgets(epsilons)
    if method == "cpa":
        budgets = [min(budgets)] * len(budgets)
    sizes = [
        users // len(budgets) + (place < users % len(budgets)) for place in range(len(budgets))
    ]
    return Weighted(tuple(map(group, sizes, budgets)), method, target)


def _budgets(epsilons: str) -> list[float]:
    try:
        budgets = [float(text) for text in epsilons.split(",")]
    except ValueError:
        budgets = []
    if not budgets or not all(0 < budget < float("inf") for budget in budgets):
        raise ValueError(f"budgets are positive numbers separated by commas, got {epsilons!r}")
    return budgets
