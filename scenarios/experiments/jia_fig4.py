"""Fig. 4 of Jia and Gong: the noise of one collection by OUE of Kosarak's size."""

from math import pi, sqrt

from scenarios.jia.people import SIZES, TITLES
from scenarios.jia.trials import cost, noise, theory
from simnet.study.curves import curves
from simnet.study.experiment import Experiment
from simnet.study.quote import Counterpart, Quote
from simnet.study.table import Measure, NoSuchPoint, Table

SOURCE = "Jia and Gong, section 4.2"
WHOLE, EPSILON = "all of kosarak", 1.0
ITEMS = SIZES[WHOLE][1]
STANDARD = "it is the standard deviation, at ε = 1"


def offset(table: Table) -> Counterpart:
    """The size of the mean error over items: a normal number's, whose standard deviation is σ / √d."""
    expected = theory(WHOLE, EPSILON).deviation / sqrt(ITEMS) * sqrt(2 / pi)
    try:
        found = abs(table.at("mean", population=WHOLE, epsilon=EPSILON).mean)
    except NoSuchPoint:
        found = None
    return Counterpart(expected, found, spread=sqrt(pi / 2 - 1))


def variance(table: Table, fitted: bool) -> Counterpart:
    """The noise's variance as predicted, or as fitted to one collection."""
    del table
    known = theory(WHOLE, EPSILON)
    return Counterpart(known.floor, spread=sqrt(2 / ITEMS) if fitted else 0.0)


def deviation(table: Table, fitted: bool) -> Counterpart:
    """Its standard deviation."""
    known = theory(WHOLE, EPSILON)
    spread = sqrt(1 / (2 * ITEMS)) if fitted else 0.0
    try:
        found = table.at("deviation", population=WHOLE, epsilon=EPSILON)
    except NoSuchPoint:
        return Counterpart(known.deviation, spread=spread)
    return Counterpart(known.deviation, found.mean, found.low, found.high, spread)


EXPERIMENT = Experiment(
    summary="Mean and deviation of the noise of OUE",
    source="Jia and Gong, Fig. 4",
    trial=noise,
    grid=[
        {"population": ["kosarak", "retail"], "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0]},
        {"population": [WHOLE], "epsilon": [EPSILON]},
    ],
    measures=[
        Measure("deviation", "standard deviation of the noise", "expected_deviation", "deviation_deviation"),
    ],
    trials=2,
    quick={"population": ["kosarak"], "epsilon": [1.0]},
    choices=(
        "counts by Zipf's law, of the sizes of the data: noise hardly depends on who holds what",
        "ε = 1, which the text does not state, is the one that gives the printed numbers",
    ),
    quotes=[
        Quote(SOURCE, "size of the fitted mean of the noise (printed -3.2)", "3.2", offset),
        Quote(SOURCE, "variance of the noise by theory", "5434", lambda table: variance(table, fitted=False),
              STANDARD, lambda table: deviation(table, fitted=False)),
        Quote(SOURCE, "fitted variance of the noise", "5405", lambda table: variance(table, fitted=True),
              STANDARD, lambda table: deviation(table, fitted=True)),
    ],
    figure=lambda table: curves(
        table, "epsilon", panel="measure", line=["population"], words=lambda one: TITLES[one],
        titles={"deviation": "Noise of OUE"}, x_label="ε",
    ),
    cost=cost,
)  # fmt: skip
