"""Fig. 1 and Fig. 2 of Biswas, Cormode and Maple: histograms from a tenth and from most of the
users.

The values of Fig. 1 follow one binomial law. Those of Fig. 2 follow "two binomials with a +", which
can be a sum or a mixture: the text does not say which.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.biswas.people import CHOICES, TITLES, USERS, holders
from scenarios.biswas.trials import NORMALISED, RAW, SQUARED, collected
from simnet.scenario.figure import ESTIMATE, TRUTH, blank_figure
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.statements import everywhere, exact, falls
from simnet.studies.table import NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINOMIAL = "binomial"


def experiment(
    summary: str,
    source: str,
    laws: Sequence[str],
    quotes: Sequence[Quote],
    choices: Sequence[str] = (),
) -> Experiment:
    """Return the experiment on values that follow these laws."""
    return Experiment(
        summary=summary,
        source=source,
        trial=collected,
        grid=[
            {
                "law": list(laws),
                "users": [USERS],
                "estimator": ["centred"],
                "sampling": [0.1, 0.9],
                "epsilon": [1.0, 2.0, 4.0, 6.0],
                "histogram": [True],
            },
        ],
        measures=[SQUARED, RAW, NORMALISED],
        trials=20,
        quick_trials=3,
        choices=(*CHOICES, *choices),
        quotes=[
            *quotes,
            everywhere(
                f"Biswas et al., section 4 and {source.removeprefix('Biswas et al., ')}",
                "the estimates by g are closer to the data for π = 0.9 than for π = 0.1",
                "squared_l2",
                "sampling",
                ["law", "epsilon"],
                falls,
                points="the two π are the paper's; it names no ε",
            ),
        ],
        figure=histograms,
        cost=lambda _: 0.004,
    )


def size(table: Table) -> Counterpart:
    """The number of values whose share is estimated.

    Raises `NoSuchPoint` if nothing was run on the binomial law.
    """
    found = table.where(law=BINOMIAL).rows
    if not found:
        raise NoSuchPoint(f"nothing was run of {BINOMIAL}")
    return exact(float(found[0]["values"]))


def histograms(table: Table) -> "Figure":
    """Draw the truth and the raw estimate of the first run, in a panel for each setting.

    There is a row of panels for each law and sampling probability, and a column for each ε.
    """
    rows = [(law, sampling) for law in table.values("law") for sampling in table.values("sampling")]
    columns = table.values("epsilon")
    figure: Figure = blank_figure()(
        figsize=(2.9 * len(columns), 2.1 * len(rows) + 0.3), layout="constrained"
    )
    grid = figure.subplots(len(rows), len(columns), squeeze=False, sharex=True, sharey="row")
    for (law, sampling), line in zip(rows, grid, strict=True):
        for epsilon, axes in zip(columns, line, strict=True):
            found = table.where(law=law, sampling=sampling, epsilon=epsilon).rows
            if found:
                _histogram(axes, found[0], holders(law, found[0]["users"]) / found[0]["users"])
            axes.set_title(f"π = {sampling:g}, ε = {epsilon:g}", loc="left", fontsize=8)
        line[0].set_ylabel(TITLES[law], fontsize=7)
    for axes in grid[-1]:
        axes.set_xlabel("value", fontsize=8)
    grid[0, -1].legend(frameon=False, fontsize=7)
    hidden = sum(_outside(axes) for axes in grid.flat)
    cut = f" {hidden} of them lie outside the panels." if hidden else ""
    figure.supxlabel(
        f"Raw estimates of g in one run; the text names no ε.{cut}", fontsize=6.5, x=0.01, ha="left"
    )
    return figure


def _histogram(axes: "Axes", row: Any, truth: Any) -> None:
    values = np.arange(len(truth))
    axes.plot(
        values,
        [row[f"raw{value}"] for value in values],
        ".",
        color=ESTIMATE,
        markersize=3,
        label="estimate",
    )
    axes.bar(values, truth, width=1.0, color=TRUTH, label="truth")
    top = max(truth)
    axes.set_ylim(-1.2 * top, 2.2 * top)  # estimates for small ε would not fit into the picture
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def _outside(axes: "Axes") -> int:
    """The number of estimates that lie outside a panel."""
    low, high = axes.get_ylim()
    drawn = [np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.get_lines()]
    return sum(int(np.sum((values < low) | (values > high))) for values in drawn)


FIG1 = experiment(
    "A histogram from sampled users",
    "Biswas et al., Fig. 1",
    [BINOMIAL],
    [
        Quote(
            "Biswas et al., section 4 and Fig. 1",
            "size of the domain of Binomial(100, 0.5)",
            "100",
            size,
            correction="the values 0 to 100 are 101",
            instead=lambda _: 100.0 - 0.0 + 1.0,
        )
    ],
)
FIG2 = experiment(
    "A histogram of two binomials from sampled users",
    "Biswas et al., Fig. 2",
    ["sum", "mixture"],
    [],
    [
        '"+" as the sum of two independent numbers, and as a mixture in equal parts: the text does '
        "not say which"
    ],
)
