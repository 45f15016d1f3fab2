"""Fig. 3 of Joy and Gerla: ε as the chance of a coin or of a face varies, as printed and exact."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from protocols.local.response import JoyGerla
from protocols.sampling.figures import privacy_curve
from protocols.sampling.privacy import epsilon_round_two
from protocols.sampling.two_rounds import TwoRounds
from simnet.study.curves import curves
from simnet.study.experiment import Experiment, Numbers, Parameters
from simnet.study.quote import Counterpart, Quote
from simnet.study.table import Measure, NoSuchPoint, Table

SOURCE = "Joy and Gerla, section 5.2"
POINTS = tuple(k / 20 for k in range(1, 20))
WORDS = {"eq. 30": "randomised response, Eq. 30", "response": "randomised response, exact",
         "eq. 29": "sampling, one value by Eq. 29", "sampling": "sampling, all values"}  # fmt: skip


def leakage(parameters: Parameters, seed: int, data: Path | None) -> Numbers:  # noqa: ARG001  # as all trials
    """ε of round two, or of randomised response, at one x."""
    p: Any = parameters
    point = privacy_curve([p["x"]], p.get("truthful", 0.8), p.get("sampling", 0.45))[0]
    if p["curve"] == "sampling":
        rest = (1 - p["sampling"] - p["x"]) / p["values"]  # none and all other values alike
        faces = (*[max(rest, 0.0)] * p["values"], p["x"])
        return {"epsilon": epsilon_round_two(TwoRounds(p["sampling"], faces, none=True))}
    found = {"eq. 30": point.printed, "response": JoyGerla(p.get("truthful", 0.8), p["x"]).exact_epsilon,
             "eq. 29": point.sampling}[p["curve"]]  # fmt: skip
    assert found is not None, "the grid has chances only"
    return {"epsilon": found}


def falling(table: Table, curve: str, rising: bool = False) -> Counterpart:
    """In which share of the steps of x a curve falls, or rises."""
    part = table.where(curve=curve)
    values = [part.at("epsilon", x=x).mean for x in sorted(part.values("x"))]
    if len(values) < 2:
        raise NoSuchPoint(f"no steps of {curve}")
    steps = [(a < b) if rising else (a > b) for a, b in pairwise(values)]
    return Counterpart(sum(steps) / len(steps))


def lower(table: Table) -> Counterpart:
    """At which share of x where there is a mechanism it leaks less than randomised response does."""
    ours, other = table.where(curve="eq. 29"), table.where(curve="response")
    both = [x for x in ours.values("x") if x in other.values("x")]
    if not both:
        raise NoSuchPoint("nothing to compare")
    return Counterpart(sum(ours.at("epsilon", x=x).mean < other.at("epsilon", x=x).mean for x in both) / len(both))


def ratio(table: Table) -> Counterpart:
    """How many times less Eq. 29 gives than randomised response has, at most, at the same x."""
    ours, other = table.where(curve="eq. 29"), table.where(curve="response")
    both = [x for x in ours.values("x") if x in other.values("x")]
    if not both:
        raise NoSuchPoint("nothing to compare")
    return Counterpart(max(other.at("epsilon", x=x).mean / ours.at("epsilon", x=x).mean for x in both))


ROOM = [x for x in POINTS if x < 0.55]  # what π_s = 0.45 leaves
EXPERIMENT = Experiment(
    summary="ε of sampling and of randomised response by their coins",
    source="Joy and Gerla, Fig. 3",
    trial=leakage,
    grid=[
        {"curve": ["eq. 30", "response"], "x": list(POINTS), "truthful": [0.8]},
        {"curve": ["eq. 29"], "x": list(ROOM), "sampling": [0.45]},
        {"curve": ["sampling"], "x": list(ROOM), "sampling": [0.45], "values": [1, 9]},
    ],
    measures=[Measure("epsilon", "ε of one answer", "epsilon")],
    quick={"x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]},
    choices=(
        "besides the printed formulas, the exact ε: of both answers, and of all values with the other faces alike",
        "ε is that of round two alone; an owner's two answers, or the sums of both rounds, have no finite ε",
    ),
    quotes=[
        Quote(SOURCE, "share of steps of the second coin at which randomised response leaks less", lambda _: 1.0,
              lambda table: falling(table, "response"),
              why="Eq. 30 looks at the answer yes alone; above 1/2 the answer no tells more, and ε grows again"),
        Quote(SOURCE, "share of steps of the value's face at which sampling leaks more", lambda _: 1.0,
              lambda table: falling(table, "eq. 29", rising=True), why="by Eq. 29 it leaks less with every step"),
        Quote(SOURCE, "share of x at which sampling leaks less, one value by Eq. 29", lambda _: 1.0, lower),
        Quote("Joy and Gerla, section 6", "how many times less sampling leaks at the same x, by Eq. 29", lambda _: 4.0,
              ratio, bound="at least", why="no x of the figure gives so much, even for one value alone"),
    ],
    figure=lambda table: curves(
        table, "x", panel="measure", line=["curve", "values"],
        words=lambda curve, values: WORDS[curve] + ("" if values is None else f", V={values}"),
        titles={"epsilon": "Privacy leakage, round two alone"},
        x_label="chance of the second coin, or of the value's face",
        notes=("Both rounds together, of one owner or summed up, have no finite ε.",), log_y=False,
    ),
    cost=lambda _: 0.001,
)  # fmt: skip
