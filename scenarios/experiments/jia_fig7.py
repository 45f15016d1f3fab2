"""Fig. 7 of Jia and Gong: errors of OUE, OUE-Zero and ways to calibrate."""

from typing import Any

from scenarios.jia.improvement import quotes
from scenarios.jia.people import CHOICES, FILES, TITLES
from scenarios.jia.trials import ERRORS, RUNS, WORDS, errors, errors_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.table import Table


def draw(table: Table) -> Any:
    """Errors over ε, with room about the means."""
    figure = curves(
        table,
        "epsilon",
        panel="population",
        line=["measure"],
        words=lambda name: WORDS[name],
        titles=TITLES,
        x_label="ε",
        notes=("Points: means with intervals that hold together at 99.9 %. Lines: expected.",),
        y_label="squared error per item",
    )
    for axes, population in zip(figure.axes, table.values("population"), strict=True):
        means = [line["mean"] for line in table.where(population=population).summary()]
        axes.set_ylim(min(means) / 1.5, max(means) * 1.5)
    return figure


EXPERIMENT = Experiment(
    summary="Errors of OUE, OUE-Zero and Calibrate",
    source="Jia and Gong, Fig. 7",
    trial=errors,
    grid=[{"population": list(FILES), "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0], "beta": [0.05]}],
    measures=ERRORS,
    trials=RUNS,
    quick={"epsilon": [1.0, 5.0]},
    files=list(FILES.values()),
    choices=(
        *CHOICES,
        "power law on 1..n, which the text does not say, with mean n / d, which is known; "
        "the paper fits the mean of "
        "the estimates, which may allow no power law. Others beside it: fitted mean, "
        "infinite support, likelihood",
    ),
    quotes=list(quotes()),
    figure=draw,
    cost=errors_cost,
)
