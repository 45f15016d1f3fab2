"""Every figure can go into a paper as it is: its width, letters, legend and names of axes; and it
can be read in a grey print, on a dark page and by colour-blind readers.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection, QuadMesh
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from simnet.drawing import COLUMN, PAGE, SMALL
from simnet.studies.experiment import Experiment
from simnet.studies.find import find_experiment, names
from simnet.studies.table import Table
from simnet.studies.trial import Aborted
from tests.harness.seeing import FOR_LETTERS, FOR_PARTS, contrast

DRAWN = [name for name in names() if find_experiment(name)[1].figure is not None]
TALLEST = 9.0  # inches: the height of a page
IN_GREY = 1.5  # the contrast that tells two lines apart whose marks and dashes are alike


def imitated(experiment: Experiment) -> Table:
    """The table of a quick run in which every point has the numbers of one trial at the first
    point with its own kinds of numbers, made a little larger from point to point.
    """
    quick = experiment.quickly()
    rows: list[dict[str, Any]] = []
    kinds: dict[tuple[str, ...], dict[str, float | str]] = {}
    for place, point in enumerate(quick.points()):
        kind = tuple(value for value in point.values() if isinstance(value, str))
        if kind not in kinds or quick.exact:
            try:
                kinds[kind] = dict(quick.trial(point, 1, None))
            except Aborted:  # as in a sweep, a run with a deadline may have no numbers
                continue
        numbers = {
            name: value * (1 + 0.01 * place) if isinstance(value, float) else value
            for name, value in kinds[kind].items()
        }
        rows += [{**point, **numbers, "trial": trial, "seed": 1} for trial in range(2)]
    return quick.table(rows, synthetic=bool(quick.files))


def letters(figure: Any) -> Iterator[Text]:
    return (text for text in figure.findobj(Text) if text.get_visible() and text.get_text())


def entries(axes: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names of a panel's curves, and what tells a curve from others: colour, mark and line."""
    for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
        line = handle[0] if isinstance(handle, ErrorbarContainer) else handle
        if isinstance(line, Line2D):
            yield name, (str(line.get_color()), str(line.get_marker()), str(line.get_linestyle()))


def colours(artist: Any) -> Iterator[str]:
    """The colours of an artist that are seen, without how clear they are."""
    for name in ("get_color", "get_facecolor", "get_edgecolor", "get_markeredgecolor"):
        if hasattr(artist, name):
            for colour in to_rgba_array(getattr(artist, name)()):
                if colour[3]:
                    yield to_hex(colour)


def explained(axes: Any, figure: Any) -> set[str]:
    """The colours that a legend, or words written in a panel, tell the meaning of."""
    legends = [*figure.legends, *(other.get_legend() for other in figure.axes)]
    kinds = (Line2D, Patch, Collection)
    found = itertools.product((each for each in legends if each), kinds)
    signs = [one for legend, kind in found for one in legend.findobj(kind)]
    return {colour for one in [*signs, *axes.texts] for colour in colours(one)}


def unexplained(figure: Any) -> list[Any]:
    """The drawn lines, bars and points that no legend and no words in their panel explain."""
    return [
        artist
        for axes in figure.axes
        if axes.get_label() != "<colorbar>"
        for artist in (*axes.lines, *axes.patches, *axes.collections)
        if artist.get_visible() and not set(colours(artist)) & explained(axes, figure)
    ]


def seen(artist: Any) -> Iterator[str]:
    """The colours of an artist's lines, edges and areas, with how clear they are."""
    for name in ("get_color", "get_facecolor", "get_edgecolor", "get_markeredgecolor"):
        if hasattr(artist, name):
            clear = artist.get_alpha()
            for *rgb, alpha in to_rgba_array(getattr(artist, name)()):
                yield to_hex((*rgb, alpha if clear is None else clear), keep_alpha=True)


def faint(figure: Any) -> list[Any]:
    """The drawn artists, and the letters, that do not stand out from the ground of the figure.

    Letters in the coloured cells of a picture stand on these cells, and are left out.
    """
    ground = to_hex(figure.get_facecolor())
    in_cells = {text for axes in figure.axes if axes.images for text in axes.texts}
    parts = [
        artist
        for axes in figure.axes
        for artist in (*axes.lines, *axes.patches, *axes.collections)
        if artist.get_visible() and not isinstance(artist, QuadMesh)
    ]
    return [one for one in parts if not has_contrast(seen(one), ground, FOR_PARTS)] + [
        text
        for text in letters(figure)
        if text not in in_cells and not has_contrast([text.get_color()], ground, FOR_LETTERS)
    ]


def has_contrast(found: Iterable[Any], ground: str, least: float) -> bool:
    return any(contrast(colour, ground) >= least for colour in found)


def in_grey(axes: Any) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """The names of a panel's curves, their colours, and all that a grey print keeps: the mark, its
    size, whether it is filled, and the line.
    """
    for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
        line = handle[0] if isinstance(handle, ErrorbarContainer) else handle
        if isinstance(line, Line2D):
            filled = line.get_markerfacecolor() == line.get_color()
            look = (line.get_marker(), line.get_markersize(), filled, line.get_linestyle())
            yield name, str(line.get_color()), look


def alike_in_grey(figure: Any) -> list[tuple[str, str]]:
    """The curves of a panel that a grey print does not tell apart."""
    return [
        (one, other)
        for axes in figure.axes
        for (one, colour, look), (other, others, as_other) in itertools.combinations(
            in_grey(axes), 2
        )
        if one != other and look == as_other and contrast(colour, others) < IN_GREY
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_fits_a_paper(name: str) -> None:
    """It is a column or a page wide, has letters of 7 points at least, and names its axes.

    No letters are cut off at the edge, and no titles of panels run into one another. Whatever is
    drawn has its colour in a legend, or in words in its panel. All of it stands out from the
    ground, which is white on every page, and a grey print tells all curves apart.
    """
    experiment = find_experiment(name)[1]
    assert experiment.figure is not None
    figure = experiment.figure(imitated(experiment))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    assert figure.get_figwidth() in (COLUMN, PAGE)
    assert figure.get_figheight() <= TALLEST
    assert min(float(text.get_fontsize()) for text in letters(figure)) >= SMALL
    assert any(axes.get_xlabel() for axes in figure.axes) or figure.get_supxlabel()
    assert any(axes.get_ylabel() for axes in figure.axes) or figure.get_supylabel()
    assert not unexplained(figure)
    assert not faint(figure)
    assert not alike_in_grey(figure)
    assert to_hex(figure.get_facecolor(), keep_alpha=True) == "#ffffffff"
    renderer = canvas.get_renderer()
    shown = figure.get_tightbbox(renderer)  # in inches
    assert (shown.x0 > -0.02, shown.y0 > -0.02) == (True, True)
    assert shown.x1 < figure.get_figwidth() + 0.02
    assert shown.y1 < figure.get_figheight() + 0.02
    looks = dict(itertools.chain.from_iterable(map(entries, figure.axes)))
    assert len(set(looks.values())) == len(looks)
    titles = [axes._left_title for axes in figure.axes]  # type: ignore[attr-defined]
    boxes = [text.get_window_extent(renderer) for text in titles if text.get_text()]
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)


@pytest.mark.slow
@pytest.mark.parametrize(("users", "has_line"), [("1000", True), ("500", False)])
def test_the_crossing_of_fig1_is_shown_for_its_number_of_users_alone(
    users: str, has_line: bool
) -> None:
    experiment = find_experiment("fig1")[1].with_settings({"users": users})
    assert experiment.figure is not None
    figure: Any = experiment.figure(imitated(experiment))
    said = [text.get_text() for text in letters(figure)]
    assert any(text.startswith("ε = 0.0") for text in said) == has_line
    assert any("Dotted line" in text for text in said) == has_line
