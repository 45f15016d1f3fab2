"""Fig. 2 of Yang et al.: DPDS for populations of different sizes."""

from math import expm1, log, sqrt
from statistics import NormalDist
from typing import Any

from scenarios.yang.people import CHOICES, DATA, FILES, GOWALLA_DATA, notes_on_data, titles
from scenarios.yang.trials import RUNS, items_of, sampling, sharing_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote, Stated
from simnet.studies.statements import everywhere, falls
from simnet.studies.table import CONFIDENCE, Estimate, NoSuchPoint, Table
from simnet.studies.trial import SQUARED_L2

SOURCE = "Yang et al., section 4.2.2, Fig. 2"
SQUARED = (
    "The number is the squared L2 error, which is the sum over the items. The metric of section "
    "4.1.2 is the mean over the items."
)

CROWDED = (
    "How far the mean of 20 runs scatters depends on how many users share a cell. In our part of "
    "Gowalla 62 % of the users share one cell. With 66 % or more, the chance of the printed "
    "number would be above 1 %. Another measure would be the probability of a number that is at "
    "least as far from the expected one, on either side; it is 2 %."
)


def quoted(
    printed: str, users: int, ran: int | None = None, under: str = "", disputed: str = ""
) -> Quote:
    """The quote of an error on Gowalla at ε = 0.2: first as the mean over the items, then as the
    sum.

    `users` is the number of users that the paper names, and `ran` the number that a reading,
    described by `under`, takes in its place.
    """
    at = {"population": "gowalla", "users": ran or users, "epsilon": 0.2}

    def summed(table: Table) -> Counterpart:
        return Counterpart.of(table.at("squared_l2", **at), RUNS)

    def mean(table: Table) -> Counterpart:
        return Counterpart.of(table.at("squared_l2", **at).scaled(1 / items_of("gowalla")), RUNS)

    return Quote(
        SOURCE,
        f"MSE of DPDS, Gowalla, ε=0.2, n={users}",
        printed,
        mean,
        correction=SQUARED,
        corrected=summed,
        why=(
            "The expected squared L2 error is 1 / (n (e^ε - 1)), and the mean over 12 items is a "
            "twelfth of it."
        ),
        under=under,
        data=GOWALLA_DATA,
        disputed=disputed,
    )


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
    quick={"population": ["gowalla"], "users": [1000, 2000, 5000], "epsilon": [0.2, 1.0]},
    quick_trials=2,
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
    quotes=[
        quoted("0.9e-3", 5000),
        quoted("2.4e-3", 1000, disputed=CROWDED),
        quoted(
            "2.4e-3",
            1000,
            2000,
            "the number belongs to n = 2000, the next point of the curve",
            disputed="The text says that the number belongs to n = 1000, and another row compares "
            "it there.",
        ),
        everywhere(
            SOURCE,
            "the error falls as the number of users grows, at each ε and in each data set",
            "squared_l2",
            "users",
            ["population", "epsilon"],
            falls,
            points="n, ε and the data sets are the paper's",
        ),
        Quote(
            SOURCE,
            "power of n to which the error is proportional (the text: inversely proportional to n)",
            Stated(-1.0),
            power_of_users,
            points="a line through all n, the mean over ε and data sets",
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
