"""The trials of Yang et al.: a protocol of the paper, run on people of a population."""

from math import exp, expm1
from pathlib import Path
from typing import Any

from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.tss.script import TSS
from protocols.weighted.groups import weighted, weighted_mean
from protocols.weighted.script import Weighted
from scenarios.yang.people import NORMAL_RANGE, STAND_IN, SYNTHETIC_ITEMS, drawn
from simnet.scenario.synthetic import normal_numbers
from simnet.studies.experiment import Numbers, Parameters
from simnet.studies.trial import errors

RUNS = 20  # "We run each algorithm 20 times and report the average result"
EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SETTINGS = {
    "0.1/0.4/0.7/1": "s1",
    "0.1/0.1/0.8/1": "s2",
    "0.1/0.1/0.1/1": "s3",
    "0.1/0.8/0.7/1": "s4",
}  # ε by group
METHODS = {"vwa": "WA", "owa": "OWA", "uwa": "UWA", "cpa": "CPA"}
MEANS = ("duchi", "pm")


def sampling(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """DPDS with p = 1 - e^-ε, or DPDG with ε and `delta` (Fig. 1 and 2)."""
    p: Any = parameters
    people = drawn(p["population"], p["users"], data, seed)
    users, items = len(people.inputs), len(people.labels)
    if p["protocol"] == "dpds":
        return errors(DPDS(users, items, -expm1(-p["epsilon"])), people, seed)
    return errors(
        DPDG(users, items, p["epsilon"], p["delta"], calibration=p["calibration"]), people, seed
    )


def two_stage(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """TSS with uniform reporting sets, or adaptive ones with γ = e^ε* where `epsilon_star` is given
    (Fig. 3).
    """
    p: Any = parameters
    people = drawn(p["population"], p["users"], data, seed)
    items, star = len(people.labels), p.get("epsilon_star")
    gamma = None if star is None else exp(star)
    return errors(
        TSS(len(people.inputs), items, p["participation"], round(p["alpha"] * items), gamma),
        people,
        seed,
    )


def groups(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """Weighted aggregation over equal groups with the budgets of a setting, with its weights (Fig.
    4, 5, Table II).
    """
    p: Any = parameters
    given = {
        "epsilons": p["budgets"].replace("/", ","),
        "method": p["method"],
        "target": p["target"],
    }
    if p["protocol"] in MEANS:
        values = normal_numbers(p["users"], -NORMAL_RANGE, NORMAL_RANGE, seed)
        made = weighted_mean(
            users=p["users"],
            protocol=p["protocol"],
            low=-NORMAL_RANGE,
            high=NORMAL_RANGE,
            population="crowd",
            **given,
        )
        return {**errors(made, values, seed), **_weights(made)}
    people = drawn(p["population"], p["users"], data, seed)
    made = weighted(
        users=len(people.inputs), items=len(people.labels), protocol=p["protocol"], **given
    )
    return {**errors(made, people, seed), **_weights(made)}


def _weights(protocol: Weighted) -> dict[str, float]:
    """The weight of a user of each group: w1, w2 and so on, adding up to 1."""
    return {f"w{place}": float(weight) for place, weight in enumerate(protocol.weights, start=1)}


def items_of(population: str) -> int:
    """How many items a population has, if the data are those of the choices."""
    return STAND_IN.get(population, SYNTHETIC_ITEMS)


def sharing_cost(parameters: Parameters) -> float:
    """About how many seconds a run takes in which all share with all."""
    p: Any = parameters
    wide = 2.0 if p["protocol"] == "dpdg" else 1.0
    seconds = (
        wide * (p["users"] / 1000) ** 2 * (0.02 + 0.002 * items_of(p["population"]))
        + 0.1 * p["users"] / 1000
    )
    return float(seconds)


def two_stage_cost(parameters: Parameters) -> float:
    """About how many seconds a run of TSS takes."""
    p: Any = parameters
    return float(p["users"] / 1000 * (0.15 + 0.01 * items_of(p["population"])))


def groups_cost(parameters: Parameters) -> float:
    """About how many seconds weighted aggregation takes."""
    p: Any = parameters
    return float(0.15 * p["users"] / 1000) if p["protocol"] == "dpds" else 0.01
