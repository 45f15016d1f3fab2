"""The expected errors of Fig. 4 to 7 of Wang et al., also between the points that were run."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.split import Split
from protocols.mechanisms.tuples import INNER, Tuples, optimal_k
from scenarios.wang.people import LAWS
from simnet.studies.curves import Law
from simnet.studies.table import Table

GRID = 10_000  # the number of points of the numerical integral for the mean square of a law


def expected_error(table: Table) -> Law:
    """Return the function that gives the expected mean squared error from a point's parameters."""
    # The variance of a reported number is linear in the square of the value, and the variance of a
    # frequency is linear in the share. So two facts about the people are enough: the mean of the
    # squares, and the mean share of the categories.
    people = {row["estimates"]: row for row in table.rows}
    squares = {name: _mean_square(name, table) for name in people}

    def law(at: Mapping[str, Any]) -> float:
        name, method = at["estimates"], at["method"].partition(" on ")[0]
        numeric, categorical = (int(people[name][kind]) for kind in ("numeric", "categorical"))
        # The sizes of the domains do not matter.
        attributes = Attributes(numeric, (2,) * categorical)
        epsilon, k = float(at["epsilon"]), at.get("k")
        mechanism = (
            Tuples(
                epsilon,
                attributes,
                method,
                optimal_k(epsilon, attributes.count, method) if k == "best" else k,
            )
            if method in INNER
            else Split(epsilon, attributes, method)
        )
        if name.endswith("-Categorical"):
            share = categorical / people[name]["categories"]
            return float(mechanism.frequency_variance(share, 1)) / float(at["users"])
        return float(mechanism.variance(sqrt(squares[name]))) / float(at["users"])

    return law


def _mean_square(name: str, table: Table) -> float:
    """Return the mean square of the scaled numbers: of a law, or of the people drawn."""
    if name in LAWS:
        return float(np.mean(LAWS[name]((np.arange(GRID) + 0.5) / GRID) ** 2))
    return float(np.mean([row["mean_square"] for row in table.where(estimates=name).rows]))
