"""Trials of Fig. 1 to 5 and Table II of Yang et al.: protocols on people of a population."""

from math import exp, expm1
from pathlib import Path

import attrs

from protocols import checks
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.privacy.gaussian import Calibration
from protocols.tss import about as tss
from protocols.tss.script import TSS
from protocols.weighted.about import about
from protocols.weighted.groups import weighted, weighted_mean
from protocols.weighted.script import Target, Weighted
from protocols.weighted.weights import Method
from scenarios.yang.people import NORMAL_RANGE, STAND_IN, SYNTHETIC_ITEMS, drawn
from simnet.scenario.synthetic import normal_numbers
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.trial import errors

RUNS = 20  # "We run each algorithm 20 times and report the average result"
EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SETTINGS = {
    "0.1/0.4/0.7/1": "s1",
    "0.1/0.1/0.8/1": "s2",
    "0.1/0.1/0.1/1": "s3",
    "0.1/0.8/0.7/1": "s4",
}  # the budgets ε of the four groups, and their name in Table II
METHODS = {"vwa": "WA", "owa": "OWA", "uwa": "UWA", "cpa": "CPA"}
MEANS = ("duchi", "pm")  # these mechanisms estimate a mean, not frequencies


@attrs.frozen(kw_only=True)
class SamplingPoint:
    """DPDS or DPDG among people of a population (Fig. 1 and 2)."""

    population: str
    protocol: str  # dpds or dpdg
    users: int
    epsilon: float
    delta: float = 0.0  # δ and the calibration are for DPDG only
    calibration: Calibration = "classic"
    drop: float = 0.0  # the probability that a user drops out
    network: str = ""  # on which the run is timed


@typed(SamplingPoint)
def sampling(point: SamplingPoint, seed: int, data: Path | None) -> Measurements:
    """Run DPDS with p = 1 - e^-ε, or DPDG with ε and δ; return the errors.

    Raises `ValueError` for another protocol.
    """
    checks.one_of("protocol", point.protocol, ("dpds", "dpdg"))
    people = drawn(point.population, point.users, data, seed)
    users, items = len(people.inputs), len(people.labels)
    if point.protocol == "dpds":
        sampled = DPDS(users, items, -expm1(-point.epsilon))
        return errors(sampled, dpds.about(sampled), people, seed, point.drop, point.network)
    noisy = DPDG(users, items, point.epsilon, point.delta, calibration=point.calibration)
    return errors(noisy, dpdg.about(noisy), people, seed, point.drop, point.network)


@typed(SamplingPoint)
def sharing_cost(point: SamplingPoint) -> float:
    """Return about how many seconds a run of DPDS or DPDG takes."""
    thousands = point.users / 1000
    wide = 3.5 if point.protocol == "dpdg" else 1.0
    return wide * thousands**2 * (0.005 + 0.0012 * items_of(point.population)) + 0.1 * thousands


@attrs.frozen(kw_only=True)
class TwoStagePoint:
    """TSS among people of a population (Fig. 3)."""

    population: str
    users: int
    alpha: float  # the share of the items that a user reports on
    participation: float
    law: str  # the law of the reporting sets: US or AS
    epsilon_star: float | None = None  # ε* = log γ of adaptive sets; None for uniform sets
    network: str = ""  # on which the run is timed


@typed(TwoStagePoint)
def two_stage(point: TwoStagePoint, seed: int, data: Path | None) -> Measurements:
    """Run TSS with uniform reporting sets (US), or with adaptive ones (AS) if ε* is given; return
    the errors.

    Raises `ValueError` if `law` names other reporting sets.
    """
    checks.one_of("law", point.law, ("US",) if point.epsilon_star is None else ("AS",))
    people = drawn(point.population, point.users, data, seed)
    items = len(people.labels)
    gamma = None if point.epsilon_star is None else exp(point.epsilon_star)
    reported = round(point.alpha * items)
    staged = TSS(len(people.inputs), items, point.participation, reported, gamma)
    return errors(staged, tss.about(staged), people, seed, network=point.network)


@typed(TwoStagePoint)
def two_stage_cost(point: TwoStagePoint) -> float:
    """Return about how many seconds a run of TSS takes."""
    return point.users / 1000 * (0.15 + 0.01 * items_of(point.population))


@attrs.frozen(kw_only=True)
class GroupsPoint:
    """Equal groups of users with budgets of their own (Fig. 4 and 5, Table II)."""

    population: str
    protocol: str
    users: int
    budgets: str  # the ε of the groups, with slashes between them
    method: Method
    target: Target


@typed(GroupsPoint)
def groups(point: GroupsPoint, seed: int, data: Path | None) -> Measurements:
    """Run weighted aggregation over the groups; return the errors and the weights."""
    epsilons = point.budgets.replace("/", ",")
    if point.protocol in MEANS:
        numbers = normal_numbers(point.users, -NORMAL_RANGE, NORMAL_RANGE, seed)
        means = weighted_mean(
            users=point.users,
            protocol=point.protocol,
            low=-NORMAL_RANGE,
            high=NORMAL_RANGE,
            population="crowd",
            epsilons=epsilons,
            method=point.method,
            target=point.target,
        )
        return {**errors(means, about(means), numbers, seed), **_weights(means)}
    people = drawn(point.population, point.users, data, seed)
    frequencies = weighted(
        users=len(people.inputs),
        items=len(people.labels),
        protocol=point.protocol,
        epsilons=epsilons,
        method=point.method,
        target=point.target,
    )
    return {**errors(frequencies, about(frequencies), people, seed), **_weights(frequencies)}


@typed(GroupsPoint)
def groups_cost(point: GroupsPoint) -> float:
    """Return about how many seconds weighted aggregation takes."""
    return 0.15 * point.users / 1000 if point.protocol == "dpds" else 0.01


def _weights(protocol: Weighted) -> dict[str, float]:
    """The weight of one user of each group, under the names w1, w2 and so on; the numbers add up
    to 1.
    """
    return {f"w{place}": float(weight) for place, weight in enumerate(protocol.weights, start=1)}


def items_of(population: str) -> int:
    """The number of items of a population."""
    return STAND_IN.get(population, SYNTHETIC_ITEMS)
