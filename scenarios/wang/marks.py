"""The ticks that the figures of Wang et al. have on their x axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def ticks(figure: "Figure", values: Sequence[float]) -> None:
    """Put the ticks of the x axis at these values, and print the values in full."""
    for axes in figure.axes:
        axes.set_xticks(values, [f"{value:,}" for value in values])
        axes.set_xticks([], minor=True)
