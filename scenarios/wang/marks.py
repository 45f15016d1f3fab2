"""What the figures of Wang et al. add to curves: equal scales, lines to compare with, ticks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simnet.scenario.figure import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALL = 7  # points, of a mark's label


def same_scale(axes: "Sequence[Axes]", least: float | None = None) -> None:
    """Give panels the same range of y, which begins at `least` if it is given."""
    ends = [one.get_ylim() for one in axes]
    low = min(low for low, _ in ends) if least is None else least
    for one in axes:
        one.set_ylim(low, max(high for _, high in ends))


def level(figure: "Figure", y: float, words: str) -> None:
    """Draw a horizontal line at y in each panel, with its label at the right."""
    for axes in figure.axes:
        axes.axhline(y, color=INK, linewidth=0.8, linestyle="--", zorder=0)
        axes.text(
            0.99,
            y,
            words,
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="bottom",
            fontsize=SMALL,
            color=INK,
        )


def place(figure: "Figure", x: float, words: str, left: bool = False) -> None:
    """Draw a vertical line at x in each panel, with its label at the top, on either side."""
    for axes in figure.axes:
        axes.axvline(x, color=INK, linewidth=0.8, linestyle="--", zorder=0)
        axes.text(
            x,
            0.99,
            f" {words} ",
            transform=axes.get_xaxis_transform(),
            ha="right" if left else "left",
            va="top",
            fontsize=SMALL,
            color=INK,
        )


def ticks(figure: "Figure", values: Sequence[float]) -> None:
    """Put the ticks of x at these values, written out."""
    for axes in figure.axes:
        axes.set_xticks(values, [f"{value:,}" for value in values])
        axes.set_xticks([], minor=True)


def without_lines(figure: "Figure") -> None:
    """Hide the lines between points that have nothing in between."""
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() in ("", "None", " "):
                line.set_visible(False)
