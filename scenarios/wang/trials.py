"""The trials of Wang et al.: tables collected by its mechanisms, and by those that it compares
with.
"""

from math import sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.local_table.script import local_table
from scenarios.wang.people import STAND_INS, drawn, rows_of, title
from simnet.kernel.run import run
from simnet.studies.experiment import Numbers, Parameters
from simnet.studies.statements import Numbers as ByMethod
from simnet.studies.table import Measure, Table

RUNS = 20  # the paper averages 100
USERS = 40_000
EPSILONS = (0.5, 1.0, 2.0, 4.0)
METHODS = {
    "pm": "PM",
    "hm": "HM",
    "duchi": "Duchi et al., corrected",
    "duchi-as-printed": "Duchi et al., as printed",
    "laplace": "Laplace, ε/d each",
    "scdf": "SCDF, ε/d each",
}
NUMERIC = tuple(METHODS)
CATEGORICAL = (
    "hm",
    "duchi",
)  # OUE with ε/k on k attributes or with ε/d on all: numbers are another matter
MSE = Measure("mse", "mean squared error", "expected_mse", "deviation_mse")
EPSILON_CHOICE = "ε of 0.5, 1, 2 and 4: the values of the axis are in the figure only"
ENCODINGS = {
    "hm": "OUE, ε/k on k attributes",
    "duchi": "OUE, ε/d on all attributes",
}  # of the methods, for categories
DRAWN = {**METHODS, **{f"{method} on categories": words for method, words in ENCODINGS.items()}}
INTERVALS = "Bars: 99.9 % for all points together; lines: expected."
TOO_LITTLE = (
    "as printed, that mechanism has ln(1 + e^ε) for an even number of attributes and is no fair "
    "rival"
)


def collected(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """Means or frequencies of a table, with the mean squared error over those of one kind (Fig. 4
    to 8).

    `estimates` is the people's name, and for a census `BR-Numeric` and so on; numbers are scaled to
    [-1, 1].
    """
    p: Any = parameters
    name, _, kind = p["estimates"].partition("-")
    people = drawn(name, p["users"], data, seed, p.get("attributes"))
    protocol = local_table(
        users=p["users"], schema=people.schema, method=p["method"], epsilon=p["epsilon"], k=p["k"]
    )
    done = run(
        protocol, people.inputs, seed, threads=1
    )  # trials share the processors, a run needs one
    assessed = protocol.assess(done, people.totals)
    part = list(assessed.parts.values())[kind == "Categorical"]
    squares = ((assessed.estimate - assessed.truth) / assessed.units)[part] ** 2
    variances = (assessed.variance / assessed.units**2)[part]
    return {
        "mse": float(squares.mean()),
        "expected_mse": float(variances.mean()),
        "deviation_mse": sqrt(2 * float(np.sum(variances**2)))
        / len(variances),  # as of normal, uncorrelated ones
        "exact_epsilon": protocol.mechanism.exact_epsilon,
        "numeric": len(people.schema.numeric),
        "categorical": len(people.schema.categorical),
        "rows": p["users"] if data is None or name not in STAND_INS else rows_of(name, data),
        "people": people.source,
    }


def with_encodings(table: Table) -> Table:
    """The table with other names of methods for categories, whatever perturbs numbers beside
    them.
    """
    rows = [
        {**row, "method": f"{row['method']} on categories"}
        if row["estimates"].endswith("-Categorical")
        else row
        for row in table.rows
    ]
    return attrs.evolve(table, rows=rows)


def titles(table: Table) -> dict[str, str]:
    """What is estimated of whom, in words."""
    return {
        f"{name}-{kind}": f"{kind}, {title(name, table.synthetic)}"
        for name in STAND_INS
        for kind in ("Numeric", "Categorical")
    }


def collected_cost(parameters: Parameters) -> float:
    """About how many seconds a collection takes."""
    p: Any = parameters
    return float(0.04 * p["users"] / 40_000 + 0.005)


def ours_below(rival: str) -> Any:
    """The statement that PM and HM err less than another method."""

    def holds(numbers: ByMethod) -> bool:
        return max(numbers["pm"], numbers["hm"]) < numbers[rival]

    return holds


def sampled_below(numbers: ByMethod) -> bool:
    """Whether frequencies are better of sampled attributes than of all with ε/d.

    Of means, nothing.
    """
    if "pm" in numbers:
        raise KeyError("means")
    return numbers["hm"] < numbers["duchi"]
