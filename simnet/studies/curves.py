"""Draw the figures of experiments: measured means with intervals, beside expected values."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from simnet.scenario.figure import INK, blank_figure
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 5  # trials from which on an interval without a known law is worth drawing
FEW_WORDS = (
    f"Fewer than {FEW} trials and no known law: small marks are single trials, without intervals."
)
COLOURS = ("#22304a", "#c8502d", "#3d8b7d", "#b08b2e", "#7a5aa6", "#5b8fc9", "#9a9a9a", "#c76f9c")
EXPECTED = "#f2c14e"
LETTERS_AN_INCH = 20  # of a note
HANDLE = 8  # letters that the sign of an entry of a legend takes
RINGS, RING = 2, 2.0  # so many curves have rings for marks, which those upon them leave to be seen
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")


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
) -> "Figure":
    """Draw curves over `x`, in one panel for each value of an axis.

    A panel has one curve for each combination of the values of the `line` axes. `measure` counts as
    an axis. Points are means with intervals of joint confidence. Thin lines are expected values;
    dotted lines connect means whose expected values are unknown. Very wide intervals, which come
    from few trials, are left out. `words` makes the name of a curve from the values of its axes.
    The label of y is the first measure, unless `y_label` gives another. If users are made up, a
    note under the panels says so.
    """
    first = table.measures[0].name
    lines = [
        {**one, "runs": _runs(table, one)}
        for one in table.summary()
        if "measure" in (panel, *line) or one["measure"] == first
    ]
    panels = list(dict.fromkeys(one[panel] for one in lines if panel in one))
    figure: Figure = blank_figure()(figsize=(max(4.6 * len(panels), 6), 4.2), layout="constrained")
    grid = figure.subplots(1, len(panels), squeeze=False)[0]
    found = list(dict.fromkeys(tuple(one.get(name) for name in line) for one in lines))
    for axes, value in zip(grid, panels, strict=True):
        for place, key in enumerate(found):
            wanted = {panel: value, **dict(zip(line, key, strict=True))}
            points = [one for one in lines if all(one.get(name) == v for name, v in wanted.items())]
            if points:
                _curve(axes, sorted(points, key=lambda one: one[x]), x, words(*key), place)
        dress(axes, titles.get(value, str(value)), x_label, log_x, log_y)
    grid[0].set_ylabel(table.measures[0].words if y_label is None else y_label)
    _legend(figure, grid)
    _note(figure, table, [*notes, *([FEW_WORDS] if any(one["runs"] for one in lines) else [])])
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
) -> "Figure":
    """Draw groups of bars, in one panel for each value of an axis.

    A dash on each bar is the expected value.
    """
    lines = table.summary()
    panels, groups, kinds = table.values(panel), table.values(group), table.values(bar)
    figure: Figure = blank_figure()(figsize=(max(3.8 * len(panels), 6), 4.2), layout="constrained")
    grid = figure.subplots(1, len(panels), squeeze=False)[0]
    width = 0.8 / len(kinds)
    for axes, value in zip(grid, panels, strict=True):
        for place, kind in enumerate(kinds):
            points = {one[group]: one for one in lines if one[panel] == value and one[bar] == kind}
            at = [
                spot + (place - (len(kinds) - 1) / 2) * width
                for spot, one in enumerate(groups)
                if one in points
            ]
            shown = [points[one] for one in groups if one in points]
            axes.bar(
                at,
                [one["mean"] for one in shown],
                width * 0.92,
                color=COLOURS[place],
                label=words(kind),
            )
            axes.errorbar(
                at,
                [one["mean"] for one in shown],
                yerr=_arms(shown),
                fmt="none",
                ecolor=INK,
                elinewidth=0.8,
            )
            axes.plot(
                at,
                [one["expected"] for one in shown],
                "_",
                color=EXPECTED,
                markersize=9,
                markeredgewidth=2,
            )
        dress(axes, titles.get(value, str(value)), "", False, log_y)
        axes.set_xticks(range(len(groups)), [group_words(one) for one in groups], fontsize=7)
    grid[0].set_ylabel(table.measures[0].words)
    _legend(figure, grid)
    _note(figure, table, notes)
    return figure


def dress(axes: "Axes", title: str, x_label: str, log_x: bool, log_y: bool = True) -> None:
    """Set the title, labels and scales of a panel."""
    axes.set_title(title, loc="left", fontsize=9, color=INK)
    axes.set_xlabel(x_label)
    if log_y:
        axes.set_yscale("log")
    if log_x:
        axes.set_xscale("log")
    axes.spines[["top", "right"]].set_visible(False)


def _curve(
    axes: "Axes", points: Sequence[Mapping[str, Any]], x: str, label: str, place: int
) -> None:
    colour = COLOURS[place % len(COLOURS)]
    at = [one[x] for one in points]
    axes.errorbar(
        at,
        [one["mean"] for one in points],
        yerr=_arms(points),
        fmt=MARKERS[place % len(MARKERS)],
        color=colour,
        markersize=3.5 + RING * max(RINGS - place, 0),
        markerfacecolor="none" if place < RINGS else colour,
        elinewidth=0.8,
        label=label,
    )
    for one in points:
        axes.plot(
            [one[x]] * len(one["runs"]), one["runs"], ".", color=colour, markersize=2, alpha=0.6
        )
    known = all(one["expected"] is not None for one in points)
    axes.plot(
        at,
        [one["expected" if known else "mean"] for one in points],
        "-" if known else ":",
        color=colour,
        linewidth=0.7,
    )


def _runs(table: Table, line: Mapping[str, Any]) -> list[float]:
    """Return the numbers of single trials where there are too few for an interval, else no numbers.

    If the law is known, one trial is enough.
    """
    measure = next(one for one in table.measures if one.name == line["measure"])
    if measure.deviation is not None or line["trials"] >= FEW or line["low"] == line["high"]:
        return []
    found = table.where(**{axis: line.get(axis) for axis in table.axes}).rows
    return [float(row[measure.name]) for row in found if measure.name in row]


def _arms(points: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    """Return how far the intervals reach below and above the means.

    Of an unbounded interval nothing is drawn.
    """
    arms = [
        (0.0, 0.0) if one.get("runs") else (one["mean"] - one["low"], one["high"] - one["mean"])
        for one in points
    ]
    below, above = zip(*((0.0, 0.0) if inf in arm else arm for arm in arms), strict=True)
    return [list(below), list(above)]


def _legend(figure: "Figure", grid: "Sequence[Axes]") -> None:
    """Draw one legend for all panels, above them."""
    entries = {
        label: handle
        for axes in grid
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    room = int(
        figure.get_figwidth() * LETTERS_AN_INCH / (max(map(len, entries), default=0) + HANDLE)
    )
    figure.legend(
        entries.values(),
        entries.keys(),
        loc="outside upper right",
        ncols=min(len(entries), max(room, 1)),
        fontsize=7,
        frameon=False,
    )


def _note(figure: "Figure", table: Table, notes: Sequence[str]) -> None:
    """Write under the figure what was chosen, and that users are made up if they are."""
    made_up = ["Synthetic people stand in for real data."] if table.synthetic else []
    width = int(figure.get_figwidth() * LETTERS_AN_INCH)
    lines = [line for note in [*made_up, *notes] for line in textwrap.wrap(note, width)]
    figure.supxlabel("\n".join(lines), fontsize=6.5, color=INK, x=0.01, ha="left")
