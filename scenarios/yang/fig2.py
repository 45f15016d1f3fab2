"""Fig. 2 of Yang et al.: DPDS for populations of different sizes."""

from math import expm1, log, sqrt
from statistics import NormalDist
from typing import Any

from scenarios.yang.people import CHOICES, DATA, FILES, notes_on_data, titles
from scenarios.yang.trials import RUNS, sampling, sharing_cost
from simnet.studies.curves import curves
from simnet.studies.data import NONE_NEEDED
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim, Stated
from simnet.studies.statements import everywhere, falls
from simnet.studies.table import CONFIDENCE, Estimate, NoSuchPoint, Table
from simnet.studies.trial import SQUARED_L2

SOURCE = "section 4.2.2, Fig. 2"


def error(table: Table, users: int) -> Counterpart:
    """Return the error of DPDS on Gowalla at ε = 0.2."""
    at = {"population": "gowalla", "users": users, "epsilon": 0.2}
    return Counterpart.of(table.at("squared_l2", **at), RUNS)


def power_of_users(table: Table) -> Counterpart:
    """Return the power of n to which the error is proportional, averaged over all other parameters.

    The power is the slope of a straight line through the logarithms.

    Raises `NoSuchPoint` for fewer than two numbers of users.
    """
    lines: dict[tuple[Any, ...], list[tuple[float, Estimate]]] = {}
    for point, part in table.points().items():
        at = dict(zip(table.axes, point, strict=True))
        key = tuple(value for name, value in at.items() if name != "users")
        lines.setdefault(key, []).append((at["users"], part.at("squared_l2")))
    slopes = [_slope(line) for line in lines.values() if len(line) > 1]
    if not slopes:
        raise NoSuchPoint("at least two numbers of users are needed")
    found, law, variance = (sum(numbers) / len(slopes) for numbers in zip(*slopes, strict=True))
    arm = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt(variance / len(slopes))
    trials = min(one.trials for line in lines.values() for _, one in line)
    return Counterpart(law, found, found - arm, found + arm, trials=trials)


def _slope(line: list[tuple[float, Estimate]]) -> tuple[float, float, float]:
    logs = [log(users) for users, _ in line]
    middle = sum(logs) / len(logs)
    scale = sum((x - middle) ** 2 for x in logs)
    weights = [(x - middle) / scale for x in logs]
    estimates = [one for _, one in line]
    pairs = list(zip(weights, estimates, strict=True))
    return (
        sum(weight * log(one.mean) for weight, one in pairs),
        sum(weight * log(one.expected or one.mean) for weight, one in pairs),
        sum((weight * one.spread) ** 2 / one.trials for weight, one in pairs),
    )


EXPERIMENT = Experiment(
    summary="DPDS under different population sizes",
    source="Yang et al., Fig. 2",
    trial=sampling,
    takes_drop=True,
    takes_network=True,
    grid=[
        {
            "population": ["gowalla"],
            "protocol": ["dpds"],
            "users": [1000, 2000, 3000, 4000, 5000],
            "epsilon": [0.2, 0.4, 0.6, 0.8, 1.0],
        },
        {
            "population": ["census", "synthetic"],
            "protocol": ["dpds"],
            "users": [1000, 2000, 3000, 4000, 5000],
            "epsilon": [0.2, 0.6, 1.0],
        },
    ],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["gowalla"], "users": [1000, 2000], "epsilon": [0.2, 1.0]},
    files=FILES,
    data=DATA,
    choices=(
        *CHOICES,
        "DPDS samples with p = 1 - exp(-ε).",
        "Our data set Synthetic has n users in each trial. The paper's has 1000 users, and the "
        "text does not say how up to 5000 users are sampled from them.",
        "ε is as in the paper, but for Census-Income and Synthetic only 0.2, 0.6 and 1, to save "
        "time.",
    ),
    claims=[
        PaperClaim(
            "Fig. 2, n = 5000",
            SOURCE,
            "Error of DPDS, Gowalla, ε = 0.2, n = 5000; the sum over the items",
            "0.9e-3",
            runs=lambda table: error(table, 5000),
            data=NONE_NEEDED,
        ),
        PaperClaim(
            "Fig. 2, n = 1000",
            SOURCE,
            "Error of DPDS, Gowalla, ε = 0.2, n = 1000; the sum over the items",
            "2.4e-3",
            runs=lambda table: error(table, 1000),
            why="1 / (n (e^ε - 1)) is 4.517e-3, and 2.258e-3 for n = 2000, the next point. How far "
            "the mean of 20 runs scatters depends on how many users share a cell.",
        ),
        PaperClaim(
            "Fig. 2, falls",
            SOURCE,
            "The error falls as the number of users grows, at each ε and in each data set",
            runs=everywhere("squared_l2", "users", ["population", "epsilon"], falls),
            data=NONE_NEEDED,
        ),
        PaperClaim(
            "Fig. 2, 1/n",
            SOURCE,
            "The error is inversely proportional to n: the power of n",
            Stated(-1.0),
            runs=power_of_users,
            data=NONE_NEEDED,
        ),
    ],
    figure=lambda table: curves(
        table,
        "users",
        panel="population",
        line=["epsilon"],
        words="ε={}".format,
        titles=titles(table),
        x_label="users n",
        law=lambda at: 1 / (at["users"] * expm1(at["epsilon"])),
        notes=notes_on_data(table),
    ),
    cost=sharing_cost,
)
