"""The ticks on the x axes of Fig. 7 and 8 of Wang et al."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def ticks(figure: "Figure", values: Sequence[float]) -> None:
    """Put the ticks of all x axes of a figure at these values, and print the values in full."""
    for axes in figure.axes:
        axes.set_xticks(values, [f"{value:,}" for value in values])
        axes.set_xticks([], minor=True)
