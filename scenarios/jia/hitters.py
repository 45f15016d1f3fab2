"""Fig. 5, 6, 8 and 9 of Jia and Gong: precision, recall and F-score of heavy hitters.

Heavy hitters are the items that more than `cut` users hold. A method predicts the items whose
estimated count is above the cut. OUE-Zero is OUE with every estimate below the significance
threshold set to 0. The paper calls the cut a threshold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from scenarios.jia.paired import all_less, always, difference_falls, places_of
from scenarios.jia.people import CHOICES, DATA, FILES, TITLES
from scenarios.jia.trials import FOUND, RATES, TRIALS, WORDS, hitters, hitters_cost
from simnet.drawing import vertical
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Product
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.table import Measure, NoSuchPoint, Table, TrialRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The fields `what`, `reading`, `why`, `under` and `disputed` of a quote.
CUTS = {
    "retail": (200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0, 1400.0, 1800.0, 2400.0),
    "kosarak": (100.0, 200.0, 300.0, 400.0, 550.0, 700.0, 850.0, 1100.0, 1500.0),
}  # the cuts: counts on either side of the significance threshold
FEW_CUTS = {"retail": (400.0, 800.0, 1400.0), "kosarak": (200.0, 400.0, 850.0)}
PANELS = {"precision": "Precision", "recall": "Recall", "f_score": "F-score"}
Places = Mapping[float, Sequence[TrialRow]]


def figure_of(number: int, population: str, by_cut: bool) -> Experiment:
    """Return the experiment of one figure: over cuts at ε = 4 if `by_cut`, otherwise over ε with
    the significance threshold as cut.
    """
    grid: Product = (
        {"population": [population], "epsilon": [4.0], "cut": list(CUTS[population])}
        if by_cut
        else {"population": [population], "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0]}
    )
    axis, label = ("cut", "threshold (users)") if by_cut else ("epsilon", "privacy budget ε")
    cut_choice = (
        "The text does not list the paper's thresholds. Ours, named cut, were chosen "
        "for ε = 4: some lie below and some above the significance threshold of this ε (Eq. 22 "
        "with β = 0.05, as in the paper)."
        if by_cut
        else "The threshold is the significance threshold of each ε (Eq. 22 with β = 0.05), as in "
        "the paper. The text names no ε for this figure; ours are 1 to 5."
    )
    return Experiment(
        summary=f"Heavy hitters {'by threshold' if by_cut else 'by ε'}, {TITLES[population]}",
        source=f"Jia and Gong, Fig. {number}",
        trial=hitters,
        grid=[grid],
        measures=[
            Measure(f"{rate}_{name}", f"{PANELS[rate]} of {WORDS[name]}")
            for rate in RATES
            for name in FOUND
        ],
        trials=TRIALS,
        quick={"cut": list(FEW_CUTS[population])} if by_cut else {"epsilon": [1.0, 3.0, 5.0]},
        files=[FILES[population]],
        choices=(
            *CHOICES,
            cut_choice,
            (
                "Calibrate's prior is the power law on 1..n whose mean is the mean of the "
                "estimates. A collection for which there is no such law is left out of "
                "Calibrate's numbers."
            ),
        ),
        data=DATA[population],
        claims=list(claims(number, by_cut)) if population == "retail" else (),
        figure=lambda table: _draw(table, axis, label, TITLES[population]),
        cost=hitters_cost,
    )


def melted(table: Table) -> Table:
    """Return the table with a row for each trial and each of its methods, and a measure for each
    rate: precision, recall and F-score.
    """
    rows = [
        {
            **{axis: row.get(axis) for axis in table.axes},
            "method": name,
            **{rate: row[f"{rate}_{name}"] for rate in RATES},
        }
        for row in table.rows
        for name in FOUND
        if f"precision_{name}" in row
    ]
    return attrs.evolve(
        table, rows=rows, axes=[*table.axes, "method"], measures=[Measure(rate) for rate in RATES]
    )


def _draw(table: Table, axis: str, label: str, title: str) -> "Figure":
    people = "made-up people" if table.synthetic else title

    def marked(axes: "Axes", _: object) -> None:
        axes.set_ylim(0, 1.1)
        if axis == "cut":
            vertical(axes, threshold_of(table), "significance")

    return curves(
        melted(table),
        axis,
        panel="measure",
        line=["method"],
        words=lambda name: WORDS[name],
        titles={rate: f"{words}, {people}" for rate, words in PANELS.items()},
        x_label=label,
        log_y=False,
        y_label="rate, 0 to 1",
        notes=(
            "At the significance threshold and above, OUE and OUE-Zero name the same items.",
            *(() if axis == "cut" else ("The threshold is the significance threshold of each ε.",)),
        ),
        decorate=marked,
    )


def threshold_of(table: Table) -> float:
    """Return the significance threshold of the first trial."""
    return float(table.rows[0]["threshold"])


def _by(table: Table, where: str = "") -> Places:
    """Return the trials by threshold or ε: all, or those below or above the significance
    threshold.
    """
    if "cut" not in table.axes:
        return places_of(table, "epsilon")
    places = places_of(table, "cut")
    if where:
        low, least = where == "below", threshold_of(table)
        places = {cut: rows for cut, rows in places.items() if (cut < least) == low}
    if not places:
        raise NoSuchPoint(f"no threshold {where} the significance threshold was run")
    return places


def alike(table: Table) -> Counterpart:
    """Return whether OUE-Zero and OUE have the same rates from the significance threshold on."""
    rows = {
        place: [
            {**row, "alike": int(all(row[f"{r}_zero"] == row[f"{r}_oue"] for r in RATES))}
            for row in trials
        ]
        for place, trials in _by(table, "above").items()
    }
    return always(rows, "alike", "place", lambda _: True)


def best(table: Table) -> Counterpart:
    """Return whether Calibrate has the best F-score, below the threshold if thresholds vary."""
    pairs = [(f"f_score_{other}", "f_score_calibrate", 1.0) for other in ("oue", "zero")]
    return all_less(_by(table, "below"), pairs)


def fewer(*rates: str) -> Callable[[Table], Counterpart]:
    """Return the reading that Calibrate has less of these than OUE; it does by law where it lowers
    every estimate at the threshold and some item is above it.
    """

    def read(table: Table) -> Counterpart:
        places = _by(table)
        pairs = [(f"{rate}_calibrate", f"{rate}_oue", 1.0) for rate in rates]
        found = all_less(places, pairs)
        if not all(rows[0]["lowered"] for rows in places.values()):
            return found
        laws = [rows[0]["above"] > 0 for rows in places.values()]
        return attrs.evolve(found, expected=sum(laws) / len(laws))

    return read


def gains(table: Table) -> Counterpart:
    """Return whether Calibrate's F-score exceeds OUE's by more at the smallest threshold than at
    the largest.
    """
    places = _by(table)
    ends = {cut: places[cut] for cut in (min(places), max(places))}
    return difference_falls(ends, "f_score_calibrate", "f_score_oue", "cut")


def claims(number: int, by_cut: bool) -> Iterator[PaperClaim]:
    """Yield the claims on heavy hitters, by threshold or by ε; they are judged on Retail."""
    both = f"Fig. {number - 1} and {number}"
    at = "smaller than the significance threshold" if by_cut else "at every ε"
    rows: list[tuple[str, str, Callable[[Table], Counterpart]]] = [
        ("F-score", f"Calibrate has a better F-score than OUE and OUE-Zero, {at}", best),
        (
            "precision",
            "Calibrate achieves higher precision than OUE",
            lambda table: all_less(_by(table), [("precision_oue", "precision_calibrate", 1.0)]),
        ),
        ("recall", "Calibrate has lower recall than OUE", fewer("recall")),
        (
            "positives",
            "Calibrate has fewer true and false positives than OUE",
            fewer("right", "wrong"),
        ),
        ("OUE-Zero", "From the significance threshold on, OUE-Zero and OUE are the same", alike),
    ]
    if by_cut:
        rows += [
            (
                "improvement",
                "Calibrate's improvement over OUE is more significant when the threshold is "
                "smaller: the difference of the F-scores, smallest and largest threshold",
                gains,
            ),
            (
                "Zero, precision",
                "Below the significance threshold OUE-Zero has higher precision than OUE",
                lambda table: all_less(
                    _by(table, "below"), [("precision_oue", "precision_zero", 1.0)]
                ),
            ),
            (
                "Zero, recall",
                "Below the significance threshold OUE-Zero has lower recall than OUE",
                lambda table: all_less(_by(table, "below"), [("recall_zero", "recall_oue", 1.0)]),
            ),
        ]
    for name, words, runs in rows:
        yield PaperClaim(f"{both}, {name}", f"section IV-B, {both}", words, runs=runs)


FIG5 = figure_of(5, "kosarak", by_cut=True)
FIG6 = figure_of(6, "retail", by_cut=True)
FIG8 = figure_of(8, "kosarak", by_cut=False)
FIG9 = figure_of(9, "retail", by_cut=False)
