"""Fig. 1 and Fig. 2 of Biswas, Cormode and Maple: histograms for π = 0.1 and π = 0.9.

The values of Fig. 1 follow one binomial law. Those of Fig. 2 follow "Binomial(50, 0.6)+Binomial(50,
0.4)", where the "+" can mean a sum or a mixture.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.biswas.people import CHOICES, LETTERS, TITLES, USERS, holders
from scenarios.biswas.trials import NORMALISED, RAW, SQUARED, collected
from simnet.drawing import ESTIMATE, INK, PAGE, SMALL, TRUTH, blank_figure
from simnet.studies.curves import note
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.statements import MeasureByAxis, everywhere
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINOMIAL = "binomial"
LEAST, MOST = 0.1, 0.9  # the sampling probabilities of the figures


def experiment(
    summary: str,
    source: str,
    laws: Sequence[str],
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
                "sampling": [LEAST, MOST],
                "epsilon": [1.0, 2.0, 4.0, 6.0],
                "histogram": [True],
            },
        ],
        measures=[SQUARED, RAW, NORMALISED],
        trials=20,
        choices=(*CHOICES, *choices),
        claims=[closer(source, law) for law in laws],
        figure=histograms,
        cost=lambda _: 0.004,
    )


def closer(source: str, law: str) -> PaperClaim:
    """Return the claim that estimates are closer to the data for the larger sampling probability:
    a smaller sum of squared errors of the raw estimates, on average.
    """
    reading = everywhere("squared_l2", "sampling", ["epsilon"], smaller_at_the_end)
    figure = source.removeprefix("Biswas et al., ")
    return PaperClaim(
        f"{figure}, {law}",
        f"section 4 and {figure}",
        f"The estimates by g are closer to the data for π = 0.9 than for π = 0.1: "
        f"{' '.join(TITLES[law].split())}",
        runs=lambda table: reading(table.where(law=law)),
    )


def smaller_at_the_end(numbers: MeasureByAxis) -> bool:
    """Whether the error, or the distance, at π = 0.9 is smaller than that at π = 0.1."""
    return numbers[MOST] < numbers[LEAST]


def histograms(table: Table) -> "Figure":
    """Draw a panel for each law, π and ε: the truth, and the raw estimates of the first run."""
    table, left_out = only_first(table, "users", "estimator")
    estimator = table.values("estimator")[0]
    columns = [
        (law, sampling) for law in table.values("law") for sampling in table.values("sampling")
    ]
    rows = sorted(table.values("epsilon"), reverse=True)
    figure: Figure = blank_figure()(figsize=(PAGE, 1.45 * len(rows) + 0.9), layout="constrained")
    grid = figure.subplots(len(rows), len(columns), squeeze=False, sharex=True, sharey="row")
    for epsilon, line in zip(rows, grid, strict=True):
        for (law, sampling), axes in zip(columns, line, strict=True):
            found = table.where(law=law, sampling=sampling, epsilon=epsilon).rows
            if found:
                _histogram(axes, found[0], holders(law, found[0]["users"]) / found[0]["users"])
        line[0].set_ylabel(f"ε = {epsilon:g}\nshare of users", fontsize=SMALL + 0.5)
    for (law, sampling), top, bottom in zip(columns, grid[0], grid[-1], strict=True):
        top.set_title(f"{TITLES[law]},\nπ = {sampling:g}", loc="left", fontsize=SMALL, color=INK)
        bottom.set_xlabel("value", fontsize=SMALL + 0.5)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=SMALL, frameon=False)
    note(
        figure,
        table,
        [
            f"Estimates by {LETTERS.get(estimator, estimator)} in one run, neither clipped nor "
            "scaled to a sum. Each row of panels has its own vertical axis.",
            "The paper has two panels, for π = 0.1 and 0.9; its text names no ε.",
            *left_out,
        ],
    )
    return figure


def only_first(table: Table, *axes: str) -> tuple[Table, list[str]]:
    """Return the rows with the first value of some axes, and notes on the values left out."""
    notes = []
    for axis in axes:
        first, *others = table.values(axis)
        if others:
            table = table.where(**{axis: first})
            notes.append(f"Only the rows with {axis} = {first} are drawn.")
    return table, notes


def _histogram(axes: "Axes", row: Any, truth: Any) -> None:
    values = np.arange(len(truth))
    edges = np.arange(len(truth) + 1) - 0.5
    axes.stairs(
        truth, edges, fill=True, facecolor=TRUTH, edgecolor=INK, linewidth=0.5, label="truth"
    )
    axes.plot(
        values,
        [row[f"raw{value}"] for value in values],
        ".",
        color=ESTIMATE,
        markersize=2.5,
        label="estimate",
    )
    axes.tick_params(labelsize=SMALL)
    axes.spines[["top", "right"]].set_visible(False)


FIG1 = experiment("A histogram from sampled users", "Biswas et al., Fig. 1", [BINOMIAL])
FIG2 = experiment(
    "A histogram of two binomials from sampled users",
    "Biswas et al., Fig. 2",
    ["sum", "mixture"],
    [
        'We read "+" as the sum of two independent numbers, and as a mixture in equal parts; the '
        "text does not say which."
    ],
)
