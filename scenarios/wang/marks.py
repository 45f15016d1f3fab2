"""What the figures of Wang et al. add to curves: ticks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def ticks(figure: "Figure", values: Sequence[float]) -> None:
    """Put the ticks of x at these values, written out."""
    for axes in figure.axes:
        axes.set_xticks(values, [f"{value:,}" for value in values])
        axes.set_xticks([], minor=True)
