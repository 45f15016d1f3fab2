"""Fig. 5, 6, 8 and 9 of Jia and Gong: precision, recall and F-score of heavy hitters.

Heavy hitters are the items that more than `cut` users hold. A method predicts the items whose
estimated count is above the cut. OUE-Zero is OUE with every estimate below the significance
threshold set to 0. The paper calls the cut a threshold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

import attrs

from scenarios.jia.paired import (
    all_less,
    always,
    difference_falls,
    difference_rises,
    less,
    places_of,
    quotient_falls,
    sure,
)
from scenarios.jia.people import CHOICES, DATA, FILES, TITLES
from scenarios.jia.trials import FOUND, RATES, TRIALS, WORDS, hitters, hitters_cost
from simnet.drawing import vertical
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Product
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import paired_less, places_in_words
from simnet.studies.table import Measure, NoSuchPoint, Table, TrialRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The fields `what`, `reading`, `why`, `under` and `disputed` of a quote.
Row = tuple[str, Callable[[Table], Counterpart], str, str, str]
SOURCE = "Jia and Gong, section IV-B, Fig."
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
        quick_trials=2,
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
        quotes=list(_by_cut(number, population) if by_cut else _by_epsilon(number, population)),
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


def below(table: Table) -> Places:
    """Return the trials by cut, for the cuts below the significance threshold.

    Raises `NoSuchPoint` if there are none.
    """
    return _some(
        {cut: rows for cut, rows in by_cut(table).items() if cut < threshold_of(table)}, "below"
    )


def above(table: Table) -> Places:
    """Return the trials by cut, for the cuts from the significance threshold on.

    Raises `NoSuchPoint` if there are none.
    """
    return _some(
        {cut: rows for cut, rows in by_cut(table).items() if cut >= threshold_of(table)},
        "at or above",
    )


def by_cut(table: Table) -> Places:
    """Return the trials by cut."""
    return places_of(table, "cut")


def by_epsilon(table: Table) -> Places:
    """Return the trials by ε."""
    return places_of(table, "epsilon")


def _some(places: Places, where: str) -> Places:
    if not places:
        raise NoSuchPoint(f"no cut {where} the significance threshold was run")
    return places


def alike(places: Places, axis: str) -> Counterpart:
    """Return the share of places at which OUE and OUE-Zero have the same rates in every trial."""
    rows = {
        place: [
            {**row, "alike": int(all(row[f"{r}_zero"] == row[f"{r}_oue"] for r in RATES))}
            for row in trials
        ]
        for place, trials in places.items()
    }
    return always(rows, "alike", axis, lambda row: row.get("cut", inf) >= row["threshold"])


def best(places: Places, axis: str) -> Counterpart:
    """Return the share of places at which Calibrate has a better F-score than OUE and OUE-Zero."""
    with_all = [[row for row in rows if "f_score_calibrate" in row] for rows in places.values()]
    if not all(with_all):
        raise NoSuchPoint(f"at some {axis} no collection could be calibrated")
    found = paired_less(with_all, ["f_score_oue", "f_score_zero"], ["f_score_calibrate"])
    words = places_in_words([{axis: value} for value in places], [axis])
    return attrs.evolve(sure(found), judged_at=words)


def _quotes(number: int, population: str, rows: Iterator[Row]) -> Iterator[Quote]:
    for what, reading, why, under, disputed in rows:
        yield Quote(
            f"{SOURCE} {number}",
            f"{what}, {TITLES[population]}",
            STATED,
            partial(_with_threshold, reading=reading),
            why=why,
            under=under,
            disputed=disputed,
        )


def _with_threshold(table: Table, reading: Callable[[Table], Counterpart]) -> Counterpart:
    found = reading(table)
    if "cut" not in table.axes:
        return found
    words = f"the significance threshold is {threshold_of(table):.4g}"
    return attrs.evolve(found, judged_at="; ".join(filter(None, (found.judged_at, words))))


LOSES = "At some point Calibrate's F-score is not the highest one."
ORDER = "At some point the two numbers have the other order, or are equal."
TRULY = "At some point the two have different rates."
DIFFERENT = (
    "The text says 'for different thresholds (especially thresholds that are smaller than the "
    "significance threshold)' and names none. It may mean all thresholds, the smaller ones alone, "
    "or only several thresholds."
)
ZERO_STEPS = (
    "The text does not say that this is so at every step to a smaller threshold, and it does not "
    "name its thresholds. It may compare the largest threshold with the smallest."
)
GIVEN = "The text says 'given a threshold' and names none. It need not mean every threshold."
BUDGETS = (
    "The text says 'for different privacy budgets' and names none for this figure. It need not "
    "mean every budget."
)
STEPWISE = (
    "The text does not say that the improvement shrinks at every step to a larger threshold, and "
    "it does not name its thresholds. It may compare the smallest threshold with the largest."
)


def precision_of_zero(table: Table) -> Counterpart:
    """Return the share of steps to a smaller cut at which OUE-Zero's precision rises.

    Below the significance threshold OUE-Zero predicts the same items at every cut. So by the
    definition of precision its mean rises if more items are above the smaller cut in truth, because
    each of these items is predicted with some probability. Otherwise the mean stays the same.
    """
    places = below(table)
    return _if_items_between(places, difference_falls(places, "precision_zero", "", "cut"))


def counts_of_zero(table: Table, one: str, other: str = "", falls: bool = False) -> Counterpart:
    """Return the share of steps to a smaller cut at which OUE-Zero's number `one` of items rises.

    With `falls`, the number has to fall. With `other`, it has to rise by more than the number
    `other` rises.

    OUE-Zero predicts the same items at every cut below the significance threshold. An item between
    the two cuts of a step turns from a false into a true positive if it is predicted, and from a
    true negative into a false negative otherwise. As fewer users than the significance threshold
    hold the item, it is predicted with a probability below 1/2.
    """
    places = below(table)
    found = (
        difference_rises(places, one, "cut")
        if falls
        else difference_falls(places, one, other, "cut")
    )
    return _if_items_between(places, found)


def _if_items_between(places: Places, found: Counterpart) -> Counterpart:
    """Return the counterpart, completed by the value that follows from the laws: the share of steps
    for which the true count of some item lies between the two cuts.
    """
    heavy = [rows[0]["above"] for rows in places.values()]
    steps = [more > less for more, less in pairwise(heavy)]
    return attrs.evolve(found, expected=sum(steps) / len(steps))


def lower_recall(places: Places, axis: str) -> Counterpart:
    """Return the share of places at which Calibrate has lower recall than OUE.

    Where Calibrate turns an estimate that equals the cut into less than the cut, it predicts only
    items that OUE predicts, too. So its mean recall is lower wherever an item is above the
    cut in truth: OUE alone predicts it with some probability.
    """
    found = less(places, "recall_calibrate", "recall_oue", axis=axis)
    return _if_lowered(places, found)


def fewer_positives(places: Places, axis: str) -> Counterpart:
    """Return the share of places at which Calibrate has fewer true positives and fewer false
    positives than OUE.

    The expected share is that of `lower_recall`: with fewer true positives the recall is lower, and
    the other way round. Calibrate also has fewer false positives on average, because OUE
    predicts some items below the cut that Calibrate does not predict.
    """
    pairs = [("right_calibrate", "right_oue", 1.0), ("wrong_calibrate", "wrong_oue", 1.0)]
    return _if_lowered(places, all_less(places, pairs, axis))


def _if_lowered(places: Places, found: Counterpart) -> Counterpart:
    """Return the counterpart, completed by the value that follows from the laws: the share of
    places at which the true count of some item is above the cut. The value is left out unless it is
    known at all places.
    """
    if not all(rows[0]["lowered"] for rows in places.values()):
        return found
    laws = [rows[0]["above"] > 0 for rows in places.values()]
    return attrs.evolve(found, expected=sum(laws) / len(laws))


def recall_of_zero_and_oue(table: Table) -> Counterpart:
    """Return the share of cuts below the significance threshold at which OUE-Zero has lower recall
    than OUE.

    OUE-Zero predicts some of the items that OUE predicts. So its mean recall is lower wherever an
    item is above the cut in truth: OUE alone finds it if its estimate lies between the cut and the
    significance threshold, which has some probability.
    """
    places = below(table)
    found = less(places, "recall_zero", "recall_oue", axis="cut")
    laws = [rows[0]["above"] > 0 for rows in places.values()]
    return attrs.evolve(found, expected=sum(laws) / len(laws))


def recall_of_zero(table: Table) -> Counterpart:
    """Return the share of steps to a smaller cut at which OUE-Zero's recall falls.

    The denominator of the recall is the number of items above the cut in truth, which is not
    random. Below the significance threshold OUE-Zero predicts the same items at every cut. So its
    mean recall is the mean, over the items above the cut, of the probability that OUE-Zero predicts
    the item. This probability grows strictly with the number of users who hold the item. So the
    mean recall falls if there are items between the two cuts, because fewer users hold these items
    than any item above the larger cut. If no item is above the larger cut, the recall is 0 there,
    and cannot fall.
    """
    places = below(table)
    heavy = [rows[0]["above"] for rows in places.values()]
    falls = [more > less > 0 for more, less in pairwise(heavy)]
    found = difference_rises(places, "recall_zero", "cut")
    return attrs.evolve(found, expected=sum(falls) / len(falls))


def _by_cut(number: int, population: str) -> Iterator[Quote]:
    return _quotes(number, population, _rows_by_cut())


def _rows_by_cut() -> Iterator[Row]:
    yield (
        "Calibrate has a better F-score than OUE and OUE-Zero",
        lambda table: best(by_cut(table), "cut"),
        LOSES,
        "at all thresholds shown",
        DIFFERENT,
    )
    yield (
        "Calibrate has a better F-score than OUE and OUE-Zero",
        lambda table: best(below(table), "cut"),
        LOSES,
        "at thresholds smaller than the significance threshold",
        DIFFERENT,
    )
    yield (
        "Calibrate achieves higher precision than OUE",
        lambda table: less(by_cut(table), "precision_oue", "precision_calibrate", axis="cut"),
        ORDER,
        "",
        DIFFERENT,
    )
    yield (
        "Calibrate has lower recall than OUE",
        lambda table: lower_recall(by_cut(table), "cut"),
        ORDER,
        "",
        DIFFERENT,
    )
    yield (
        "Calibrate has fewer true positives and fewer false positives than OUE",
        lambda table: fewer_positives(by_cut(table), "cut"),
        ORDER,
        "both at the same threshold",
        GIVEN,
    )
    for other in ("oue", "zero"):
        yield (
            "Calibrate's improvement is more significant when the threshold is smaller",
            partial(_improvement, other=other),
            "At some step to a larger threshold the improvement does not shrink.",
            f"the improvement is the difference of the F-scores of Calibrate and {WORDS[other]}",
            STEPWISE,
        )
        yield (
            "Calibrate's improvement is more significant when the threshold is smaller",
            partial(_relative_improvement, other=other),
            "At some step to a larger threshold the improvement does not shrink.",
            f"the improvement is Calibrate's F-score divided by that of {WORDS[other]}",
            STEPWISE,
        )
    yield (
        "when the threshold is larger than the significance threshold, OUE-Zero and OUE have the "
        "same performance",
        lambda table: alike(above(table), "cut"),
        TRULY,
        "",
        "",
    )
    yield (
        "below the significance threshold OUE-Zero has higher precision than OUE",
        lambda table: less(below(table), "precision_oue", "precision_zero", axis="cut"),
        ORDER,
        "",
        "",
    )
    yield (
        "below the significance threshold OUE-Zero has lower recall than OUE",
        recall_of_zero_and_oue,
        ORDER,
        "",
        "",
    )
    yield (
        "OUE-Zero predicts the same items for all thresholds smaller than the significance "
        "threshold",
        lambda table: always(
            below(table), "unchanged", "cut", lambda row: row["cut"] <= row["threshold"]
        ),
        "With a smaller threshold OUE-Zero predicts further items.",
        "compared with half the threshold, in the same collection",
        "",
    )
    yield (
        "OUE-Zero's precision rises as the threshold becomes smaller",
        precision_of_zero,
        "At some step the precision does not rise.",
        "",
        ZERO_STEPS,
    )
    yield (
        "OUE-Zero's true positives increase as the threshold becomes smaller",
        partial(counts_of_zero, one="right_zero"),
        "At some step the true positives do not increase.",
        "",
        ZERO_STEPS,
    )
    yield (
        "OUE-Zero's false positives decrease as the threshold becomes smaller",
        partial(counts_of_zero, one="wrong_zero", falls=True),
        "At some step the false positives do not decrease.",
        "",
        ZERO_STEPS,
    )
    yield (
        "OUE-Zero's false negatives increase faster than its true positives as the threshold "
        "becomes smaller",
        partial(counts_of_zero, one="missed_zero", other="right_zero"),
        "At some step the true positives increase by as many items as the false negatives, or by "
        "more.",
        "faster: by more items at every step",
        "",
    )
    yield (
        "OUE-Zero's recall falls as the threshold becomes smaller",
        recall_of_zero,
        "At some step the recall does not fall.",
        "",
        "",
    )


def _improvement(table: Table, other: str) -> Counterpart:
    return difference_falls(by_cut(table), "f_score_calibrate", f"f_score_{other}", "cut")


def _relative_improvement(table: Table, other: str) -> Counterpart:
    return quotient_falls(by_cut(table), "f_score_calibrate", f"f_score_{other}", "cut")


def _by_epsilon(number: int, population: str) -> Iterator[Quote]:
    return _quotes(number, population, _rows_by_epsilon())


def _rows_by_epsilon() -> Iterator[Row]:
    yield (
        "Calibrate has a better F-score than OUE and OUE-Zero at every ε",
        lambda table: best(by_epsilon(table), "epsilon"),
        LOSES,
        "",
        BUDGETS,
    )
    yield (
        "Calibrate achieves higher precision than OUE at every ε",
        lambda table: less(
            by_epsilon(table), "precision_oue", "precision_calibrate", axis="epsilon"
        ),
        ORDER,
        "",
        BUDGETS,
    )
    yield (
        "Calibrate has lower recall than OUE at every ε",
        lambda table: lower_recall(by_epsilon(table), "epsilon"),
        ORDER,
        "",
        BUDGETS,
    )
    yield (
        "Calibrate has fewer true positives and fewer false positives than OUE at every ε",
        lambda table: fewer_positives(by_epsilon(table), "epsilon"),
        ORDER,
        "both at the same ε",
        BUDGETS,
    )
    yield (
        "OUE and OUE-Zero have exactly the same curves",
        lambda table: alike(by_epsilon(table), "epsilon"),
        TRULY,
        "",
        "",
    )


FIG5 = figure_of(5, "kosarak", by_cut=True)
FIG6 = figure_of(6, "retail", by_cut=True)
FIG8 = figure_of(8, "kosarak", by_cut=False)
FIG9 = figure_of(9, "retail", by_cut=False)
