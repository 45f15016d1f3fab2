"""Fig. 2 of Wang et al.: the density of PM's reports."""

from math import exp
from typing import TYPE_CHECKING

import numpy as np

from protocols.mechanisms.piecewise import PM
from scenarios.wang.claims import printed_variance_pm
from scenarios.wang.one_value import BINS, pieces
from simnet.drawing import COLOURS, NORMAL, SMALL, dress, panels
from simnet.studies.curves import note
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VALUES, EPSILON = (0.0, 0.5, 1.0), 1.0
CHOICE = "ε is 1; the text names none."


def densities(table: Table) -> "Figure":
    """Draw a panel for each value, with the density and a histogram of the reports."""
    values, epsilons = table.values("value"), table.values("epsilon")
    mechanism = PM(epsilons[0])
    figure: Figure
    figure, grid = panels(len(values), share_y=True)
    edges = np.linspace(-mechanism.bound, mechanism.bound, BINS + 1)
    at = np.linspace(-mechanism.bound, mechanism.bound, 2001)
    for axes, value in zip(grid, values, strict=True):
        rows = table.where(value=value, epsilon=epsilons[0]).rows
        shares = np.mean(
            [[row[f"bin{place}"] for place in range(1, BINS + 1)] for row in rows], axis=0
        )
        axes.stairs(
            shares / np.diff(edges), edges, fill=True, color=COLOURS[5], alpha=0.45, label="reports"
        )
        axes.plot(
            at,
            np.exp(mechanism.law(value).log_density(at)),
            color=COLOURS[1],
            linewidth=1.2,
            label="density",
        )
        dress(axes, f"input t = {value:g}", "report")
        axes.set_ylim(0, None)
    grid[0].set_ylabel("probability density", fontsize=NORMAL)
    grid[-1].legend(frameon=False, fontsize=SMALL, loc="upper left")
    words = (
        f"ε = {epsilons[0]:g}: the text names none. Bars: histogram of the reports; line: density."
    )
    note(figure, table, [words])
    return figure


EXPERIMENT = Experiment(
    summary="The density of PM's reports",
    source="Wang et al., Fig. 2",
    trial=pieces,
    grid=[{"value": list(VALUES), "epsilon": [EPSILON], "reports": [100_000]}],
    measures=[
        Measure(
            "centre",
            "share of reports in the likeliest piece",
            "expected_centre",
            "deviation_centre",
        ),
        Measure("variance", "variance of a report", "expected_variance", "deviation_variance"),
    ],
    trials=20,
    choices=(CHOICE,),
    claims=[
        PaperClaim(
            "Fig. 2, likeliest piece",
            "section III-B, Algorithm 2",
            "A report lies in the likeliest piece with probability e^(ε/2)/(e^(ε/2) + 1), ε = 1",
            lambda: 1 / (1 + exp(-EPSILON / 2)),
            runs=lambda table: Counterpart.of(table.at("centre", value=0.5, epsilon=EPSILON)),
        ),
        PaperClaim(
            "Fig. 2, variance",
            "section III-B, Lemma 1",
            "The variance of PM, ε = 1, t = 0.5",
            lambda: printed_variance_pm(0.5, EPSILON),
            runs=lambda table: Counterpart.of(table.at("variance", value=0.5, epsilon=EPSILON)),
        ),
    ],
    figure=densities,
    cost=lambda _: 0.004,
)
