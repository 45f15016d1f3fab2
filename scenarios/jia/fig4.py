"""Numbers of Fig. 4 of Jia and Gong: the noise of one collection by OUE, of Kosarak's size.

The paper's figure shows the distribution of this noise. Here its standard deviation, variance and
mean are measured.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import attrs

from scenarios.jia.people import SIZES, TITLES
from scenarios.jia.trials import noise, noise_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.table import Measure, Table

SOURCE = "Jia and Gong, section 4.2"
WHOLE: dict[str, Any] = {"population": "all of kosarak", "epsilon": 1.0}
ITEMS = SIZES[WHOLE["population"]][1]
SOME = 1000
STANDARD = "the number is the standard deviation, at ε = 1"


def offset(table: Table) -> Counterpart:
    """Return the square of the mean error over all items; the paper's number is that of one
    collection.
    """
    return Counterpart.of(table.at("offset", **WHOLE, items=ITEMS), 1)


def noise_of(measure: str, fitted: bool) -> Callable[[Table], Counterpart]:
    """Return a function that reads the standard deviation or the variance of the noise.

    With `fitted` the paper's number was fitted to one collection, and so is random.
    """

    def reading(table: Table) -> Counterpart:
        items = max(table.where(**WHOLE).values("items"), default=0)
        found = Counterpart.of(table.at(measure, **WHOLE, items=items))
        relative = sqrt(
            (1 if measure == "deviation" else 4) / (2 * ITEMS)
        )  # relative standard deviation of a fitted number, for normal noise
        return attrs.evolve(found, spread=relative) if fitted else found

    return reading


def deviations(table: Table) -> Table:
    """The part of the table with the standard deviations of the last `SOME` items."""
    return attrs.evolve(table.where(items=SOME), measures=table.measures[:1])


EXPERIMENT = Experiment(
    summary="Mean and deviation of the noise of OUE",
    source="Jia and Gong, Fig. 4",
    trial=noise,
    grid=[
        {
            "population": ["kosarak", "retail"],
            "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0],
            "items": [SOME],
        },
        {
            "population": [WHOLE["population"]],
            "epsilon": [WHOLE["epsilon"]],
            "items": [SOME, ITEMS],
        },
    ],
    measures=[
        Measure(
            "deviation",
            "standard deviation of the noise",
            "expected_deviation",
            "deviation_deviation",
        ),
        Measure("variance", "variance of the noise", "expected_variance", "deviation_variance"),
        Measure("offset", "square of the mean of the noise", "expected_offset", "deviation_offset"),
    ],
    trials=2,
    quick={"items": [SOME]},
    choices=(
        (
            "made-up counts by Zipf's law, of the same sizes as the data: the noise hardly "
            "depends on the counts"
        ),
        "ε = 1, which the text does not state, is the one that gives the printed numbers",
        (
            f"the noise of the last {SOME:,} items, which that of the others is like; of all for "
            "the mean of the noise"
        ),
    ),
    quotes=[
        Quote(
            SOURCE,
            "square of the fitted mean of the noise (printed -3.2)",
            lambda _: 3.2**2,
            offset,
        ),
        Quote(
            SOURCE,
            "variance of the noise by theory",
            "5434",
            noise_of("variance", fitted=False),
            STANDARD,
            noise_of("deviation", fitted=False),
        ),
        Quote(
            SOURCE,
            "fitted variance of the noise",
            "5405",
            noise_of("variance", fitted=True),
            STANDARD,
            noise_of("deviation", fitted=True),
        ),
    ],
    figure=lambda table: curves(
        deviations(table),
        "epsilon",
        panel="measure",
        line=["population"],
        words=lambda one: TITLES[one],
        titles={"deviation": "Noise of OUE"},
        x_label="ε",
    ),
    cost=noise_cost,
)
