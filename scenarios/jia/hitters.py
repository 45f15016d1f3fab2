"""Fig. 5, 6, 8 and 9 of Jia and Gong: precision, recall and F-score of heavy hitters."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import attrs

from scenarios.jia.people import CHOICES, DATA, FILES, TITLES
from scenarios.jia.trials import FOUND, RATES, RUNS, WORDS, hitters, hitters_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Product
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.statements import MeasureByAxis, resampled
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "Jia and Gong, section 4.2"
CUTS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # multiples of the significance threshold
PANELS = {"precision": "Precision", "recall": "Recall", "f_score": "F-score"}
Rule = Callable[[MeasureByAxis], bool]  # on the mean rates at a point


def figure_of(number: int, population: str, by_cut: bool) -> Experiment:
    """Return the experiment of one figure: over cuts at ε = 4, or over ε with the significance
    threshold as cut.
    """
    grid: Product = {
        "population": [population],
        "epsilon": [4.0] if by_cut else [1.0, 2.0, 3.0, 4.0, 5.0],
        "cut": list(CUTS) if by_cut else [1.0],
    }
    axis, label = ("cut", "cut, in multiples of the threshold") if by_cut else ("epsilon", "ε")
    return Experiment(
        summary=f"Heavy hitters {'by cut' if by_cut else 'by ε'}, {TITLES[population]}",
        source=f"Jia and Gong, Fig. {number}",
        trial=hitters,
        grid=[grid],
        measures=[
            Measure(f"{rate}_{name}", f"{PANELS[rate]} of {WORDS[name]}")
            for rate in RATES
            for name in FOUND
        ],
        trials=RUNS,
        quick={"epsilon": [4.0] if by_cut else [5.0], "cut": [0.5, 1.0]},
        quick_trials=2,
        files=[FILES[population]],
        data=DATA[population],
        choices=(
            *CHOICES,
            (
                "the cuts are multiples of the significance threshold (1); the text does not list "
                "the paper's"
            ),
        ),
        quotes=list(_by_cut(population) if by_cut else _by_epsilon(population)),
        figure=lambda table: _draw(table, axis, label, TITLES[population]),
        cost=hitters_cost,
    )


def melted(table: Table) -> Table:
    """Return the table with one row for each method, and one measure for each rate."""
    rows = [
        {
            **{axis: row.get(axis) for axis in table.axes},
            "method": name,
            **{rate: row[f"{rate}_{name}"] for rate in RATES},
        }
        for row in table.rows
        for name in FOUND
    ]
    return attrs.evolve(
        table, rows=rows, axes=[*table.axes, "method"], measures=[Measure(rate) for rate in RATES]
    )


def _draw(table: Table, axis: str, label: str, title: str) -> "Figure":
    figure = curves(
        melted(table),
        axis,
        panel="measure",
        line=["method"],
        words=lambda name: WORDS[name],
        titles={rate: f"{words}, {title}" for rate, words in PANELS.items()},
        x_label=label,
        log_y=False,
        y_label="",
        notes=("Means with intervals that hold together at 99.9 %.",),
    )
    for axes in figure.axes:
        axes.set_ylim(0, 1.02)
    return figure


def share(table: Table, rule: Rule, below: bool | None = None) -> Counterpart:
    """Return at which share of the points a rule holds.

    `below` chooses the points: True for cuts below the significance threshold, False for the other
    cuts, None for all.
    """
    cuts = (
        point
        for point in table.points().values()
        if below is None or (point.rows[0]["cut"] < 1) == below
    )
    return resampled([point.rows for point in cuts], rule)


def _best(rates: MeasureByAxis) -> bool:
    return rates["f_score_calibrate"] > max(rates["f_score_oue"], rates["f_score_zero"])


def _sharper(rates: MeasureByAxis) -> bool:
    return (
        rates["precision_calibrate"] > rates["precision_oue"]
        and rates["recall_calibrate"] < rates["recall_oue"]
    )


def _zero_sharper(rates: MeasureByAxis) -> bool:
    return (
        rates["precision_zero"] > rates["precision_oue"]
        and rates["recall_zero"] < rates["recall_oue"]
    )


def _alike(rates: MeasureByAxis) -> bool:
    return all(rates[f"{rate}_zero"] == rates[f"{rate}_oue"] for rate in RATES)


def _statement(what: str, rule: Rule, below: bool | None, why: str) -> Quote:
    return Quote(SOURCE, what, lambda _: 1.0, lambda table: share(table, rule, below), why=why)


LOSES = "at some points Calibrate's F-score is the lower one"
EQUAL = "the two lists differ somewhere"


def _by_cut(population: str) -> Iterator[Quote]:
    title = TITLES[population]
    yield _statement(
        f"share of cuts at which Calibrate has the best F-score, {title}", _best, None, LOSES
    )
    yield _statement(
        f"share of cuts below the threshold at which it has, {title}", _best, True, LOSES
    )
    yield _statement(
        f"share of cuts at which Calibrate is more precise than OUE and recalls less, {title}",
        _sharper,
        None,
        "at some cut both methods are alike, or the order is reversed",
    )
    yield _statement(
        f"share of cuts from the threshold on at which OUE and OUE-Zero are alike, {title}",
        _alike,
        False,
        EQUAL,
    )
    yield _statement(
        (
            "share of cuts below it at which OUE-Zero is more precise than OUE and recalls less, "
            f"{title}"
        ),
        _zero_sharper,
        True,
        "at some cut it is not",
    )


def _by_epsilon(population: str) -> Iterator[Quote]:
    title = TITLES[population]
    yield _statement(
        f"share of ε at which Calibrate has the best F-score, {title}", _best, None, LOSES
    )
    yield _statement(
        f"share of ε at which OUE and OUE-Zero are alike, {title}", _alike, None, EQUAL
    )


FIG5 = figure_of(5, "kosarak", by_cut=True)
FIG6 = figure_of(6, "retail", by_cut=True)
FIG8 = figure_of(8, "kosarak", by_cut=False)
FIG9 = figure_of(9, "retail", by_cut=False)
