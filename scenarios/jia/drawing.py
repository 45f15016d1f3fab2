"""The size and letters of this paper's figures: the width of a page, and nothing below 7 points."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = 7.0  # inches
SMALLEST, LARGEST = 7.0, 8.0  # points
COLUMNS = 3  # of a legend


def at_page_width(figure: "Figure", height: float) -> "Figure":
    """Return the figure with the width of a page, and with letters of 7 to 8 points.

    Panels that are compared keep the scales that they have.
    """
    from matplotlib.text import Text  # imported only here: matplotlib loads slowly

    figure.set_size_inches(PAGE, height)
    for text in figure.findobj(Text):
        text.set_fontsize(min(max(float(text.get_fontsize()), SMALLEST), LARGEST))
    for legend in figure.legends:
        legend.set_ncols(COLUMNS)
    for axes in figure.axes:
        axes.tick_params(labelsize=SMALLEST, which="both")
    return figure
