"""Figures of Biswas, Cormode and Maple: histograms of estimates, and what sampling costs and
saves.
"""

from typing import Any

import numpy as np

from scenarios.biswas.people import TITLES, holders
from simnet.scenario.figure import ESTIMATE, TRUTH, blank_figure
from simnet.studies.curves import COLOURS, MARKERS, dress
from simnet.studies.table import Table


def histograms(table: Table) -> Any:
    """A row for each law and sampling chance, a column for each ε: the truth, and the raw estimate
    of the first run.
    """
    rows = [(law, sampling) for law in table.values("law") for sampling in table.values("sampling")]
    columns = table.values("epsilon")
    figure = blank_figure()(
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


def _histogram(axes: Any, row: Any, truth: Any) -> None:
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
    axes.set_ylim(-1.2 * top, 2.2 * top)  # estimates of little ε leave the picture
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def _outside(axes: Any) -> int:
    """How many estimates a panel leaves out."""
    low, high = axes.get_ylim()
    return sum(
        int(np.sum((line.get_ydata() < low) | (line.get_ydata() > high)))
        for line in axes.get_lines()
    )


def trade_off(table: Table) -> Any:
    """By sampling chance: the distance of raw and of normalised estimates for each ε, and what is
    sent.
    """
    figure = blank_figure()(figsize=(12, 4), layout="constrained")
    raw, normalised, sent = figure.subplots(1, 3)
    for place, epsilon in enumerate(table.values("epsilon")):
        part, style = (
            table.where(epsilon=epsilon),
            {"color": COLOURS[place], "markersize": 3.5, "linewidth": 0.7},
        )
        chances = sorted(part.values("sampling"))
        for axes, measure, line in ((raw, "raw_tv", ""), (normalised, "normalised_tv", "-")):
            means = [part.at(measure, sampling=one).mean for one in chances]
            axes.plot(chances, means, MARKERS[place] + line, label=f"ε = {epsilon:g}", **style)
        raw.plot(
            chances,
            [part.at("raw_tv", sampling=one).expected for one in chances],
            color=COLOURS[place],
            linewidth=0.7,
        )
    chances = sorted(table.values("sampling"))
    users = table.values("users")[0]
    bits = [
        np.mean([row["bits"] for row in table.where(sampling=one).rows]) / 1000 for one in chances
    ]
    sent.plot(chances, bits, "o-", color=COLOURS[0], markersize=3.5, linewidth=0.7)
    for axes, title, log_y in (
        (raw, "distance of raw estimates", True),
        (normalised, "distance, clipped and scaled", True),
        (sent, f"kbit sent by {users:,} users", False),
    ):
        dress(axes, title, "sampling chance π", log_x=False, log_y=log_y)
    raw.set_ylabel("total variation distance")
    sent.set_ylim(0, None)
    raw.legend(frameon=False, fontsize=7)
    notes = (
        "Estimator ĉ, Binomial(100, 0.5). Lines of the first panel: as normal estimates would "
        "have it."
    )
    figure.supxlabel(notes, fontsize=6.5, x=0.01, ha="left")
    return figure
