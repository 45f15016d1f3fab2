"""The trials of Fig. 4 to 8 of Wang et al.: tables collected by its mechanisms and by rivals.

What is stated about the results, and how they are drawn, is in modules that this one does not
import: so a change there leaves the results of finished trials valid.
"""

from math import sqrt
from pathlib import Path

import attrs
import numpy as np

from protocols import checks
from protocols.local_table.about import assess
from protocols.local_table.script import local_table
from scenarios.wang.people import LAWS, STAND_INS, drawn, rows_of
from simnet.kernel.run import run
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.table import Measure

RUNS = 100  # as the paper
USERS = 10_000
EPSILONS = (0.5, 1.0, 2.0, 4.0)
METHODS = {
    "pm": "PM",
    "hm": "HM",
    "duchi": "Duchi et al., corrected",
    "duchi-as-printed": "Duchi et al., as printed",
    "laplace": "Laplace, ε/d each",
    "scdf": "SCDF, ε/d each",
}
ESTIMATES = (
    *LAWS,
    *(f"{census}-{kind}" for census in STAND_INS for kind in ("Numeric", "Categorical")),
)
NUMERIC = tuple(METHODS)
# For categories a method is OUE with ε/k on k attributes, or OUE with ε/d on all attributes.
# The mechanism for numbers does not matter to them.
CATEGORICAL = ("hm", "duchi")
MSE = Measure("mse", "mean squared error", "expected_mse", "deviation_mse")
EPSILON_CHOICE = "ε is 0.5, 1, 2 and 4; the paper's values can be seen in its figure only."


@attrs.frozen(kw_only=True)
class TablePoint:
    """A table of `users` users, and how it is collected.

    `estimates` is the name of the people. For a census the name also says which columns the errors
    are about, such as `BR-Numeric`.
    """

    estimates: str
    users: int
    epsilon: float
    method: str
    k: int | str | None
    attributes: int | None = None  # the number of columns; None stands for all columns


@typed(TablePoint)
def collected(point: TablePoint, seed: int, data: Path | None) -> Measurements:
    """Collect a table; return the mean squared error of its means or of its frequencies, with the
    error's expected value and standard deviation.

    Numbers are scaled to [-1, 1]. Raises `ValueError` for another name than those of `ESTIMATES`,
    and `BadInput` as `drawn` does.
    """
    name, _, kind = point.estimates.partition("-")
    checks.one_of("estimates", point.estimates, ESTIMATES)
    people = drawn(name, point.users, data, seed, point.attributes)
    protocol = local_table(
        users=point.users,
        schema=people.schema,
        method=point.method,
        epsilon=point.epsilon,
        k=point.k,
    )
    # Trials already run side by side, so a run uses one thread.
    numbers, _ = protocol.scaled(people.inputs)
    done = run(protocol, people.inputs, seed, threads=1)
    assessed = assess(protocol, done, people.totals)
    part = list(assessed.parts.values())[kind == "Categorical"]
    squares = ((assessed.estimate - assessed.truth) / assessed.units)[part] ** 2
    variances = (assessed.variance / assessed.units**2)[part]
    # The standard deviation is that of the mean square of normal, uncorrelated errors.
    return {
        "mse": float(squares.mean()),
        "expected_mse": float(variances.mean()),
        "deviation_mse": sqrt(2 * float(np.sum(variances**2))) / len(variances),
        "exact_epsilon": protocol.mechanism.exact_epsilon,
        "numeric": len(people.schema.numeric),
        "categorical": len(people.schema.categorical),
        "categories": sum(protocol.mechanism.attributes.domains),
        "mean_square": float(np.mean(numbers**2)) if numbers.size else 0.0,
        "rows": point.users if data is None or name not in STAND_INS else rows_of(name, data),
        "people": people.source,
    }


@typed(TablePoint)
def collected_cost(point: TablePoint) -> float:
    """Return about how many seconds a collection takes."""
    return 0.04 * point.users / 40_000 + 0.005
