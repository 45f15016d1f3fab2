"""The figures of the experiments on time: small panels with one curve for each protocol.

A protocol has the same colour, marker and dashes in all panels of all figures. Within a
figure, panels that show seconds have one scale, so that networks can be compared.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import attrs

from scenarios.completion.families import FAMILIES, ROBUST
from simnet.drawing import COLOURS, DASHES, INK, MARKERS, SMALL, dress, panels
from simnet.studies.table import COMPLETED, Measure, Table, estimated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ERROR_RATE = 0.05  # every interval holds by itself with 95 %
TIME = "time"  # the scale of the panels that show seconds
HEIGHT = 2.2  # inches, of a row of panels
ASIDE = 0.04  # of the distance of ticks: how far neighbouring points are moved apart
PROTOCOLS = (*FAMILIES, *ROBUST)


@attrs.frozen
class Cell:
    """A panel: its title, what it shows, the name of its y axis, and the rows that it shows.

    Panels that name the same `scale` have one scale of y.
    """

    title: str
    measure: Measure
    y_label: str
    fixed: dict[str, Any] = attrs.field(factory=dict)
    log_y: bool = True
    scale: str = ""


def grid_of_cells(
    table: Table,
    x: str,
    x_label: str,
    cells: Sequence[Cell],
    *,
    columns: int = 3,
    log_x: bool = False,
    ticks: Sequence[float] | None = None,
    height: float = HEIGHT,
) -> "Figure":
    """Draw the cells in rows, with one legend. A point is a mean, with a 95 % interval if there
    is one; lines only join points.

    `ticks` are the values of x. If they are given, they stand at equal distances, and points are
    moved aside a little.
    """
    figure: Figure
    figure, grid = panels(len(cells), columns=columns, height=height)
    scales: dict[str, Any] = {}
    for axes, cell in zip(grid, cells, strict=True):
        if cell.scale and axes is not scales.setdefault(cell.scale, axes):
            axes.sharey(scales[cell.scale])
    handles: dict[str, Any] = {}
    for place, (axes, cell) in enumerate(zip(grid, cells, strict=True)):
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if cell.log_y else "linear")
        axes.yaxis.set_minor_formatter("")
        if cell.measure == COMPLETED:
            axes.set_ylim(-0.04, 1.04)
        part = table.where(**cell.fixed)
        for name in PROTOCOLS:
            spot = _spot(ticks, name)
            curve = _curve(axes, part.where(protocol=name), x, cell.measure, name, spot)
            if curve is not None:
                handles.setdefault(name, curve)
        if ticks is not None:
            axes.set_xticks(range(len(ticks)), [f"{tick:g}" for tick in ticks])
        axes.xaxis.set_minor_formatter("")
        is_first = cell.scale != TIME or place % columns == 0
        is_last = place + columns >= len(cells)
        dress(axes, cell.title, x_label if is_last else "", cell.y_label if is_first else "")
        axes.grid(color="#d8dde6", linewidth=0.5)
        axes.set_axisbelow(True)
    is_full = len(cells) % columns == 0
    legend = figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside upper left" if is_full else (1 - 0.85 / columns, 0.1),
        ncols=5 if is_full else 1,
        fontsize=SMALL + 0.5,
        frameon=False,
        handlelength=4.5,
    )
    for text in legend.get_texts():
        text.set_color(INK)
    return figure


def _spot(ticks: Sequence[float] | None, name: str) -> Callable[[float], float]:
    if ticks is None:
        return lambda x: x
    aside = ASIDE * (PROTOCOLS.index(name) - (len(PROTOCOLS) - 1) / 2)
    return lambda x: ticks.index(x) + aside


def _curve(
    axes: "Axes",
    table: Table,
    x: str,
    measure: Measure,
    name: str,
    spot: Callable[[float], float],
) -> Any:
    at, means, below, above = [], [], [], []
    for value in sorted(table.values(x)):
        rows = _with_numbers(table.where(**{x: value}), measure)
        if not rows:
            continue
        found = estimated(rows, measure, ERROR_RATE)
        at.append(spot(float(value)))
        means.append(found.mean)
        known = isfinite(found.low) and isfinite(found.high)
        below.append(max(found.mean - max(found.low, 0.0), 0.0) if known else 0.0)
        above.append(max(found.high - found.mean, 0.0) if known else 0.0)
    if not at:
        return None
    look = PROTOCOLS.index(name)
    colour = COLOURS[look % len(COLOURS)]
    return axes.errorbar(
        at,
        means,
        yerr=[below, above],
        marker=MARKERS[look % len(MARKERS)],
        linestyle=DASHES[look % len(DASHES)],
        color=colour,
        markersize=5.5 - 0.3 * look,
        markerfacecolor=colour if look % 2 else "white",
        linewidth=2.2 - 0.18 * look,
        elinewidth=0.7,
    )


def _with_numbers(table: Table, measure: Measure) -> list[Any]:
    # If no run was aborted, the table lacks the measure; then every run counts as completed.
    if measure == COMPLETED:
        return [{COMPLETED.name: 1.0, **row} for row in table.rows]
    return [row for row in table.rows if measure.name in row]
