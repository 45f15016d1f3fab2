"""Colours of figures: readable on light and dark pages, and by colour-blind readers."""

import io
import itertools
import re
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from simnet.drawing import COLOURS, DASHES, ESTIMATE, INK, MARKERS, TRUTH, line_figure
from simnet.scenario.figure import drawn
from tests.harness.seeing import (
    DARK,
    FOR_LETTERS,
    FOR_PARTS,
    SIGHTS,
    contrast,
    difference,
    luminance,
)

DIFFERENT = 18.0  # nine times the difference that is just noticeable


def test_contrast_and_difference_have_their_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # from the guidelines
    assert luminance("#ff0000") == pytest.approx(0.2126)
    assert difference("#ffffff", "#000000") == pytest.approx(100, abs=0.01)
    # red and green are one colour to a reader without green cones, at the same luminance
    assert (
        difference("#c06000", "#7f8000", "no green cones")
        < 15
        < 40
        < difference("#c06000", "#7f8000")
    )


@pytest.mark.parametrize("colour", [*COLOURS, ESTIMATE])
def test_a_colour_stands_out_on_a_light_and_on_a_dark_page(colour: str) -> None:
    assert contrast(colour) >= FOR_PARTS
    assert contrast(colour, DARK) >= FOR_PARTS


@pytest.mark.parametrize("sight", SIGHTS)
def test_every_two_colours_differ_for_every_sight(sight: str) -> None:
    for one, other in itertools.combinations(COLOURS, 2):
        assert difference(one, other, sight) >= DIFFERENT, (one, other)


def test_letters_and_estimates_stand_out_from_what_lies_under_them() -> None:
    assert contrast(INK) >= FOR_LETTERS
    assert contrast(ESTIMATE, TRUTH) >= FOR_PARTS


def test_in_grey_curves_differ_in_marks_and_dashes() -> None:
    looks = {(MARKERS[place % len(MARKERS)], place % len(DASHES)) for place in range(len(COLOURS))}
    assert len(looks) == len(COLOURS) <= len(MARKERS)


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_written_figure_has_a_white_ground_of_its_own(form: str) -> None:
    """So letters stay readable on a dark page, whatever the reader's page looks like."""
    from matplotlib.image import imread

    picture: Any = drawn(line_figure([1, 2], {"a": [1, 2]}), form)
    if form == "png":
        pixels = imread(io.BytesIO(picture), "png")
        corners = pixels[[0, 0, -1, -1], [0, -1, 0, -1]]
        assert (corners == 1.0).all()
    else:
        ground = re.search(rb'<g id="patch_1">\s*<path d="([^"]*)"\s*style="([^"]*)"', picture)
        assert ground is not None
        assert b"fill: #ffffff" in ground[2]
        assert b"opacity" not in ground[2]
