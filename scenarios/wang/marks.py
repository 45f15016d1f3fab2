"""What the figures of Wang et al. add to curves: ticks, and points without lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
