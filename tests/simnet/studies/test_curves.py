"""Which curves a figure has."""

from typing import Any

import attrs
import pytest

pytest.importorskip("matplotlib")

from simnet.studies.curves import bars, curves
from simnet.studies.table import Measure, Table

ROWS: list[dict[str, Any]] = [
    {
        "x": x,
        "who": who,
        "kind": 0,
        "trial": trial,
        "one": x + trial / 10,
        "other": 2.0 * x + trial / 10,
        "half": x / 2,
    }
    for x in (1.0, 2.0)
    for who in ("a", "b")
    for trial in range(3)
]
TABLE = Table(ROWS, ["x", "who", "kind"], [Measure("one"), Measure("other"), Measure("half")])


def drawn(panel: str, line: list[str]) -> list[tuple[str, list[str]]]:
    """The title of each panel, and the names of its curves."""
    figure = curves(
        TABLE,
        "x",
        panel=panel,
        line=line,
        words=lambda *key: " of ".join(key),
        titles={},
        x_label="x",
    )
    return [
        (axes.get_title(loc="left"), axes.get_legend_handles_labels()[1]) for axes in figure.axes
    ]


@pytest.mark.slow
def test_measures_are_curves_panels_or_the_first_alone() -> None:
    assert drawn("who", ["measure"]) == [
        ("a", ["one", "other", "half"]),
        ("b", ["one", "other", "half"]),
    ]
    assert drawn("measure", ["who"]) == [(name, ["a", "b"]) for name in ("one", "other", "half")]
    assert drawn("kind", ["who"]) == [("0", ["a", "b"])]
    assert drawn("kind", ["measure", "who"]) == [
        ("0", [f"{name} of {who}" for who in ("a", "b") for name in ("one", "other", "half")])
    ]


def test_few_trials_without_a_law_are_shown_one_by_one() -> None:
    """Their intervals would fill the panel; enough trials, or a known deviation, have intervals."""

    def shown(table: Table) -> tuple[int, bool]:
        figure = curves(table, "x", panel="who", line=["kind"], words=str, titles={}, x_label="x")
        lines: list[Any] = figure.axes[0].get_lines()
        singles = [line for line in lines if line.get_marker() == "."]
        return sum(len(line.get_ydata()) for line in singles), "single trials" in {
            text.get_text() for text in figure.legends[0].get_texts()
        }

    assert shown(TABLE) == (6, True)
    many = [{**row, "trial": row["trial"] + 3 * k} for row in ROWS for k in range(2)]
    assert shown(Table(many, TABLE.axes, TABLE.measures)) == (0, False)
    law = [{**row, "law": row["one"], "scatter": 0.1} for row in ROWS]
    assert shown(Table(law, TABLE.axes, [Measure("one", "", "law", "scatter")])) == (0, False)


@pytest.mark.slow
def test_trials_that_agree_by_chance_are_no_law() -> None:
    """Lines that only join points are dotted and named; a law is a line of another kind."""

    def signs(table: Table) -> set[str]:
        figure = curves(table, "x", panel="who", line=["kind"], words=str, titles={}, x_label="x")
        return {text.get_text() for text in figure.legends[0].get_texts()} - {"0"}

    agreeing = [{**row, "one": row["x"]} for row in ROWS]
    few = Table(agreeing, TABLE.axes, TABLE.measures)
    assert signs(few) == {"mean of few trials", "single trials", "joins the points"}
    measured = attrs.evolve(few, rows=agreeing * 2)
    assert signs(measured) == {"mean, 95 % interval", "joins the points"}
    assert signs(attrs.evolve(measured, exact=True)) == {"joins the points"}
    known = [Measure("one", expected="half", exact=True)]
    assert signs(attrs.evolve(measured, measures=known)) == {"law"}


def test_a_logarithmic_scale_has_no_bars() -> None:
    """A bar's length means something from 0 on only."""

    def drawn_bars(log_y: bool) -> int:
        figure = bars(
            Table([row for row in ROWS if row["x"] == 1.0], TABLE.axes, TABLE.measures[:1]),
            "x",
            panel="kind",
            bar="who",
            words=str,
            titles={},
            log_y=log_y,
        )
        return len(figure.axes[0].patches)

    assert (drawn_bars(log_y=True), drawn_bars(log_y=False)) == (0, 2)
