"""Draw the figures of experiments: measured means with intervals, beside what a law expects.

Each interval of a figure holds by itself with 95 % confidence. Verdicts use wider intervals, which
would hide the order of the curves here. `curves` draws no interval for a mean of fewer than five
random trials if the measure names no standard deviation. `bars` leaves an interval out only if an
end is infinite, as for a single random trial of such a measure.
"""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf, isfinite, log10
from typing import TYPE_CHECKING, Any

from simnet.drawing import COLOURS, DASHES, INK, MARKERS, SMALL, dress, panels
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 5  # with fewer trials and no known law, no interval is drawn
ALONE = 0.95  # the confidence of each interval of a figure
LETTERS_AN_INCH = 18  # of a note; few lines of plain text have wider letters
HANDLE = 8  # the width of the sign of an entry in a legend, in letters
ASIDE = 0.008  # how far neighbouring curves are moved apart, as a share of the axis
CLOSE = 0.05  # a step is at most this share of the smallest distance between two points
FINE = 60  # points of a smooth curve
MEAN, ALONE_MEAN, LAW = "mean, 95 % interval", "mean of few trials", "law"
SINGLE, JOINED = "single trials", "joins the points"
DOTTED: Any = (0, (1, 1.5))  # a line that only joins points; no law is drawn like this
Line = Mapping[str, Any]
Law = Callable[[Mapping[str, Any]], float]


def curves(
    table: Table,
    x: str,
    *,
    panel: str,
    line: Sequence[str],
    words: Callable[..., str],
    titles: Mapping[Any, str],
    x_label: str,
    notes: Sequence[str] = (),
    log_x: bool = False,
    log_y: bool = True,
    y_label: str | None = None,
    share_y: bool = True,
    columns: int | None = None,
    law: Law | None = None,
    joined: bool = True,
    decorate: "Callable[[Axes, Any], None] | None" = None,
) -> "Figure":
    """Draw curves over the axis `x`, in one panel for each value of the axis `panel`.

    `x`, `panel` and `line` name axes: an axis is a parameter of the grid.

    - A panel has one curve for each combination of the values of the `line` axes. `words` makes the
      name of a curve from these values, and `titles` has the title of each panel. "measure" counts
      as an axis; if neither `panel` nor `line` names it, only the first measure is drawn.
    - Points are means with intervals of 95 %. If there are fewer than five random trials and the
      measure names no deviation, the single trials are shown in place of an interval. Thin lines
      are expected values; `law` computes expected values between the points, from the parameters of
      a point. Dotted lines join points without a law, unless `joined` is false.
    - The y axis has the name of the first measure, unless `y_label` gives another. Panels have one
      scale of y unless `share_y` is false. `columns` is the number of panels in a row.
    - `decorate` draws additional lines or marks into a panel, for example with
      `simnet.drawing.vertical`.
    - `notes` are written below the figure. If made-up users stand in for real data, a note says so.
    """
    first = table.measures[0].name
    measures = table.shown_measures
    lines = [
        {**one, "runs": _runs(table, one, measures), "exact": _is_exact(table, one)}
        for one in table.summary(alone=ALONE)
        if "measure" in (panel, *line) or one["measure"] == first
    ]
    values = list(dict.fromkeys(one[panel] for one in lines if panel in one))
    figure: Figure
    figure, grid = panels(len(values), columns=columns, share_y=share_y)
    found = list(dict.fromkeys(tuple(one.get(name) for name in line) for one in lines))
    every = sorted({float(one[x]) for one in lines})
    used: dict[str, Any] = {}
    for axes, value in zip(grid, values, strict=True):
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        for place, key in enumerate(found):
            wanted = {panel: value, **dict(zip(line, key, strict=True))}
            points = [one for one in lines if all(one.get(name) == v for name, v in wanted.items())]
            if points:
                shift = _aside(every, log_x, place - (len(found) - 1) / 2)
                points = sorted(points, key=lambda one: one[x])
                used |= _curve(axes, points, x, words(*key), place, shift, law, log_x, joined)
        dress(axes, titles.get(value, str(value)))
        if decorate is not None:
            decorate(axes, value)
    _name_axes(grid, x_label, table.measures[0].words if y_label is None else y_label, share_y)
    _legend(figure, grid, used)
    note(figure, table, notes)
    return figure


def bars(
    table: Table,
    group: str,
    *,
    panel: str,
    bar: str,
    words: Callable[[Any], str],
    titles: Mapping[Any, str],
    group_words: Callable[[Any], str] = str,
    notes: Sequence[str] = (),
    log_y: bool = True,
    share_y: bool = True,
    x_label: str = "",
) -> "Figure":
    """Draw groups of measured means side by side, in one panel for each value of the axis `panel`.

    `group`, `panel` and `bar` name axes: an axis is a parameter of the grid. There is a group for
    each value of the axis `group`, with a mean for each value of the axis `bar`. On a linear scale
    the means are bars from 0. A logarithmic scale has no 0, so the means are drawn as points. A
    horizontal dash marks the expected value.
    """
    lines = table.summary(alone=ALONE)
    values, groups, kinds = table.values(panel), table.values(group), table.values(bar)
    figure: Figure
    figure, grid = panels(len(values), share_y=share_y)
    width, used = 0.8 / len(kinds), dict[str, Any]()
    for axes, value in zip(grid, values, strict=True):
        axes.set_yscale("log" if log_y else "linear")
        for place, kind in enumerate(kinds):
            points = {one[group]: one for one in lines if one[panel] == value and one[bar] == kind}
            at = [
                spot + (place - (len(kinds) - 1) / 2) * width
                for spot, one in enumerate(groups)
                if one in points
            ]
            shown = [points[one] for one in groups if one in points]
            means, colour = [one["mean"] for one in shown], COLOURS[place % len(COLOURS)]
            if not log_y:
                axes.bar(at, means, width * 0.92, color=colour, alpha=0.5, edgecolor=colour)
            axes.errorbar(
                at,
                means,
                yerr=_arms(shown),
                fmt=MARKERS[place % len(MARKERS)],
                color=colour,
                markersize=3.5,
                elinewidth=0.8,
                label=words(kind),
            )
            used[MEAN] = _sign(marker="o", yerr=True)
            known = [(x, one["expected"]) for x, one in zip(at, shown, strict=True)]
            known = [(x, expected) for x, expected in known if expected is not None]
            if known:
                half = 0.46 * width
                for spot, expected in known:
                    axes.hlines(expected, spot - half, spot + half, color=INK, linewidth=1.0)
                used[LAW] = _sign(linestyle="-", color=INK, linewidth=1.0)
        dress(axes, titles.get(value, str(value)))
        axes.set_xticks(range(len(groups)), [group_words(one) for one in groups], fontsize=SMALL)
    _name_axes(grid, x_label, table.measures[0].words, share_y)
    _legend(figure, grid, used)
    note(figure, table, notes)
    return figure


def note(figure: "Figure", table: Table, notes: Sequence[str]) -> None:
    """Write sentences under a figure. If made-up users stand in for real data, one more says so."""
    made_up = ["Made-up people stand in for real data."] if table.synthetic else []
    width = int(figure.get_figwidth() * LETTERS_AN_INCH)
    lines = [line for text in [*made_up, *notes] for line in textwrap.wrap(text, width)]
    if lines:
        text = figure.supxlabel("\n".join(lines), fontsize=SMALL, color=INK, x=0.01, ha="left")
        text.set_parse_math(False)
        taller = len(lines) * SMALL * 1.25 / 72
        figure.set_figheight(figure.get_figheight() + taller)


def _curve(
    axes: "Axes",
    points: Sequence[Line],
    x: str,
    label: str,
    place: int,
    shift: Callable[[float], float],
    law: Law | None,
    log_x: bool,
    joined: bool,
) -> dict[str, Any]:
    colour, used = COLOURS[place % len(COLOURS)], {}
    marker, dashes = MARKERS[place % len(MARKERS)], DASHES[place % len(DASHES)]
    known = all(one["expected"] is not None for one in points)
    exact = all(one["exact"] for one in points)  # the numbers do not depend on coins
    at = [float(one[x]) if exact else shift(float(one[x])) for one in points]
    axes.errorbar(
        at,
        [one["mean"] for one in points],
        yerr=_arms(points),
        fmt=marker,
        color=colour,
        markersize=3.5,
        markerfacecolor=colour if place % 2 else "white",
        elinewidth=0.8,
        label=label,
    )
    if not exact and all(one["runs"] for one in points):
        used[ALONE_MEAN] = _sign(marker="o")
    elif not exact:
        used[MEAN] = _sign(marker="o", yerr=True)
    for one, spot in zip(points, at, strict=True):
        if one["runs"]:
            axes.plot([spot] * len(one["runs"]), one["runs"], ".", color=colour, markersize=2)
            used[SINGLE] = _sign(marker=".", markersize=2)
    xs = [float(one[x]) for one in points]
    if known or (exact and law is not None):
        fine = [(spot, one["expected"]) for spot, one in zip(xs, points, strict=True)]
        if law is not None and len(points) > 1:
            fixed = {name: v for name, v in points[0].items() if name != x}
            fine = [(spot, law({**fixed, x: spot})) for spot in _between(xs, log_x)]
        shown = [(spot, y) for spot, y in fine if y is not None and isfinite(y)]
        axes.plot(
            [spot for spot, _ in shown],
            [y for _, y in shown],
            linestyle=dashes,
            color=colour,
            linewidth=0.9,
        )
        used[LAW] = _sign(linestyle="-", linewidth=0.9)
    elif joined and len(points) > 1:
        means = [one["mean"] for one in points]
        axes.plot(at, means, linestyle=DOTTED, color=colour, linewidth=0.8)
        used[JOINED] = _sign(linestyle=DOTTED, linewidth=0.8)
    return used


def _between(xs: Sequence[float], log_x: bool) -> list[float]:
    steps = max(FINE // max(len(xs) - 1, 1), 1)
    found = []
    for low, high in pairwise(xs):
        for step in range(steps):
            share = step / steps
            found.append(
                low * (high / low) ** share if log_x and low > 0 else low + (high - low) * share
            )
    return [*found, xs[-1]]


def _aside(xs: Sequence[float], log_x: bool, steps: float) -> Callable[[float], float]:
    """Return a function that moves a point aside by `steps` steps, on the scale of its axis."""
    on_scale = [log10(spot) for spot in xs] if log_x and xs[0] > 0 else list(xs)
    gaps = [high - low for low, high in pairwise(on_scale)]
    if not gaps:
        return lambda spot: spot
    by = steps * min(ASIDE * (on_scale[-1] - on_scale[0]), CLOSE * min(gaps))
    return lambda spot: spot * 10**by if log_x and xs[0] > 0 else spot + by


def _is_exact(table: Table, line: Line) -> bool:
    """Return whether the mean of a line does not depend on coins. An interval without width does
    not say so, because two trials may find the same number by chance.
    """
    return table.exact or any(one.exact for one in table.measures if one.name == line["measure"])


def _runs(table: Table, line: Line, measures: Sequence[Measure]) -> list[float]:
    measure = next(one for one in measures if one.name == line["measure"])
    if measure.deviation is not None or line["trials"] >= FEW or line["low"] == line["high"]:
        return []
    found = table.where(**{axis: line.get(axis) for axis in table.axes}).rows
    return [float(row[measure.name]) for row in found if measure.name in row]


def _arms(points: Sequence[Line]) -> list[list[float]]:
    arms = [
        (0.0, 0.0) if one.get("runs") else (one["mean"] - one["low"], one["high"] - one["mean"])
        for one in points
    ]
    below, above = zip(*((0.0, 0.0) if inf in arm else arm for arm in arms), strict=True)
    return [[max(arm, 0.0) for arm in side] for side in (below, above)]


def _name_axes(grid: "Sequence[Axes]", x_label: str, y_label: str, share_y: bool) -> None:
    for axes in grid:
        place = axes.get_subplotspec()
        if place is None:
            continue
        below = [
            other
            for other in grid
            if (spot := other.get_subplotspec()) is not None
            and spot.colspan.start == place.colspan.start
            and spot.rowspan.start > place.rowspan.start
        ]
        if not below:
            axes.set_xlabel(x_label, fontsize=SMALL + 1)
        if place.is_first_col():
            axes.set_ylabel(y_label, fontsize=SMALL + 1)
        elif share_y:
            axes.tick_params(labelleft=False)


def _sign(yerr: bool = False, **style: Any) -> Any:
    from matplotlib.collections import LineCollection
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

    style = {"linestyle": "none", "color": INK, "markersize": 3.5, **style}
    line = Line2D([], [], **style)
    if not yerr:
        return line
    return ErrorbarContainer((line, (), (LineCollection([], color=INK),)), has_yerr=True)


def _legend(figure: "Figure", grid: "Sequence[Axes]", signs: Mapping[str, Any]) -> None:
    entries = {
        label: handle
        for axes in grid
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    entries |= {name: sign for name, sign in signs.items() if name not in entries}
    room = int(
        figure.get_figwidth() * LETTERS_AN_INCH / (max(map(len, entries), default=0) + HANDLE)
    )
    columns = min(len(entries), max(room, 1))
    legend = figure.legend(
        entries.values(),
        entries.keys(),
        loc="outside upper left",
        ncols=max(columns, 1),
        fontsize=SMALL,
        frameon=False,
        columnspacing=1.2,
        handletextpad=0.5,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    rows = -(-len(entries) // max(columns, 1))
    figure.set_figheight(figure.get_figheight() + (rows - 1) * SMALL * 1.5 / 72)
