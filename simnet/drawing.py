"""Figures made with matplotlib, an optional library.

A figure with a grid of panels is as wide as a paper's column (3.4 inches) or page (7 inches).

The colours of curves were found by a search with simulated colour blindness, so that colour-blind
readers can tell them apart. In a grey print the colours are almost alike; therefore curves also
have dashes and, if they have few points, markers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from simnet.errors import BadInput
from simnet.installed import extra_missing

INK, TRUTH, ESTIMATE = "#22304a", "#b9c4d6", "#ad4003"
COLOURS = (
    "#0a4cff",  # blue
    "#ee6625",  # orange
    "#3ea577",  # green
    "#9e83c8",  # violet
    "#ad4003",  # rust
    "#366e8c",  # slate blue
    "#865f41",  # brown
    "#5e6966",  # grey
)
# There is one marker more than there are colours, so that many lines differ in colour or marker.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*")
DASHES = ("-", (0, (5, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (4, 1, 1, 1)), (0, (7, 1)), (0, (2, 2)))
COLUMN, PAGE = 3.4, 7.0  # inches: the width of a column and of a page
PANEL_HEIGHT = 2.1  # inches
# Sizes of letters in points: of ticks, legends and notes, and of titles and labels.
SMALL, NORMAL = 7.0, 8.0
FEW_POINTS = 20  # if a line has at most this many points, each point gets a marker


def blank_figure() -> Any:
    """Return matplotlib's class `Figure`.

    Raises `BadInput` when matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput(extra_missing("drawing", "matplotlib", "plots")) from None
    return Figure


def line_figure(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> Any:
    """Return a matplotlib figure with one line for each name: `lines[name][i]` stands over `x[i]`.

    Raises `BadInput` for a line that has another number of values than `x`, and when matplotlib is
    not installed.

    >>> figure = line_figure([1, 2, 4], {"square": [1, 4, 16]}, x_label="x", log_y=True)
    >>> figure.axes[0].get_yscale(), figure.axes[0].lines[0].get_label()
    ('log', 'square')
    """
    figure, (axes,) = panels(1)
    for place, (name, values) in enumerate(lines.items()):
        if len(values) != len(x):
            raise BadInput(
                f"the line {name!r} and x must be equally long, got lengths {len(values)} and "
                f"{len(x)}"
            )
        axes.plot(
            x,
            values,
            linestyle=DASHES[place % len(DASHES)],
            marker=MARKERS[place % len(MARKERS)] if len(x) <= FEW_POINTS else "",
            color=COLOURS[place % len(COLOURS)],
            markersize=4,
            linewidth=1.0,
            label=name,
        )
    axes.set_xscale("log" if log_x else "linear")
    axes.set_yscale("log" if log_y else "linear")
    dress(axes, title, x_label, y_label)
    for text in axes.legend(frameon=False, fontsize=SMALL).get_texts():
        text.set_parse_math(False)
    return figure


def panels(
    count: int, *, columns: int | None = None, share_y: bool = False, height: float = PANEL_HEIGHT
) -> tuple[Any, list[Any]]:
    """Return a figure with a grid of panels, and its axes row by row.

    `columns` is the number of panels in a row; by default it is at most 3. A figure with one panel
    in a row is as wide as a column, and any other figure is as wide as a page. With `share_y` all
    panels have the same scale of y. `height` is the height of a row, in inches. Raises `BadInput`
    for no panel at all, and when matplotlib is not installed.

    >>> figure, axes = panels(4)
    >>> len(axes), float(figure.get_figwidth()), float(figure.get_figheight())
    (4, 7.0, 4.7)
    """
    if count == 0:
        raise BadInput("the figure shows none of these points")
    wide = columns or (count if count <= 3 else 2 if count == 4 else 3)
    rows = -(-count // wide)
    size = (COLUMN if wide == 1 else PAGE, rows * height + 0.5 * (1 + (rows == 1)))
    figure = blank_figure()(figsize=size, layout="constrained")
    grid = list(figure.subplots(rows, wide, squeeze=False, sharey=share_y).flat)
    for spare in grid[count:]:
        spare.remove()
    return figure, grid[:count]


def dress(
    axes: Any, title: str = "", x_label: str | None = None, y_label: str | None = None
) -> None:
    """Set the title, the names of the axes and the sizes of letters of a panel."""
    axes.set_title(title, loc="left", fontsize=NORMAL, color=INK)
    if x_label is not None:
        axes.set_xlabel(x_label, fontsize=NORMAL)
    if y_label is not None:
        axes.set_ylabel(y_label, fontsize=NORMAL)
    axes.tick_params(which="both", labelsize=SMALL)
    axes.spines[["top", "right"]].set_visible(False)


def vertical(axes: Any, x: float, label: str) -> None:
    """Draw a thin vertical line at x, with a label beside its upper end."""
    axes.axvline(x, color=INK, linewidth=0.7, linestyle=(0, (2, 2)), zorder=0)
    axes.annotate(
        label,
        (x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(2, -2),
        textcoords="offset points",
        va="top",
        fontsize=SMALL,
        color=INK,
    )


def horizontal(axes: Any, y: float, label: str) -> None:
    """Draw a thin horizontal line at y, with a label above its right end."""
    axes.axhline(y, color=INK, linewidth=0.7, linestyle=(0, (2, 2)), zorder=0)
    axes.annotate(
        label,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 2),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=SMALL,
        color=INK,
    )


def ring(axes: Any, x: float, y: float, label: str = "") -> None:
    """Draw a ring around a point, with a label beside it unless the label is empty."""
    axes.plot([x], [y], "o", markersize=9, markerfacecolor="none", color=ESTIMATE, zorder=4)
    if label:
        axes.annotate(
            label,
            (x, y),
            xytext=(6, 4),
            textcoords="offset points",
            fontsize=SMALL,
            color=ESTIMATE,
        )
