"""Fig. 5 and Fig. 6 of Wang et al.: means of 16 synthetic numbers, by six methods."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import attrs

from scenarios.wang.compared import AGAINST_CORRECTED, CLOSE, DUCHI_CHOICE, K_CHOICE, all_below
from scenarios.wang.law import expected_error
from scenarios.wang.trials import (
    EPSILON_CHOICE,
    EPSILONS,
    METHODS,
    MSE,
    NUMERIC,
    RUNS,
    USERS,
    collected,
    collected_cost,
)
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Word
from simnet.studies.paired import DIFFERENCE as OF_ERRORS
from simnet.studies.paired import QUOTIENT, Contrast, paired_share
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import MeasureByAxis, Statement, exact, places_in_words
from simnet.studies.table import NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = ["estimates", "epsilon"]
SLIGHT_GAP = Word(
    0.5,
    "a gap grows 'slightly' if, from the least ε to the largest, it grows by at most this "
    "share of its size at the least ε",
)
LITTLE = Word(
    0.25,
    "the difference of two errors is 'small' if the larger one exceeds the smaller one by at "
    "most this share of the smaller one",
)
OTHER_ROW = "another row judges the word 'slightly'"
STRICT = (
    "the gap is the quotient of the errors, as on a log axis, and it grows at every step of ε; "
    f"{OTHER_ROW}"
)
TREND = (
    "the gap is the quotient of the errors, and at the largest ε it is above that at the least; "
    f"{OTHER_ROW}"
)
SLIGHTLY = (
    "the gap is the quotient of the errors, and from the least ε to the largest it grows slightly"
)
DIFFERENCE = (
    "the gap is the difference of the errors, and at the largest ε it is above that at the least"
)
SIMILAR = "of this figure the text says only that it leads to similar conclusions"


def gap_quotes(source: str, method: str, points: str) -> list[Quote]:
    """The quotes which say that the gap between `method` and the printed version of Duchi et al.'s
    mechanism slightly expands with ε.

    `points` is a remark that all these quotes have.
    """
    what = f"the gap of {METHODS[method]} to Duchi et al. as printed slightly expands with ε"

    def gaps(numbers: MeasureByAxis) -> list[float]:
        if len(numbers) < 2:
            raise KeyError("at least two values of ε are needed")
        return [numbers[key] for key in sorted(numbers)]  # the keys end in ε

    def strictly(numbers: MeasureByAxis) -> bool:
        return all(one < other for one, other in pairwise(gaps(numbers)))

    def as_trend(numbers: MeasureByAxis) -> bool:
        found = gaps(numbers)
        return found[0] < found[-1]

    def over_laws(table: Table, holds: Statement, contrast: Contrast = QUOTIENT) -> Counterpart:
        return paired_share(
            table,
            [("duchi-as-printed", method)],
            ["estimates"],
            holds,
            along=["epsilon"],
            contrast=contrast,
            shown=PLACE,
        )

    def of_ends(table: Table, holds: Statement, contrast: Contrast = QUOTIENT) -> Counterpart:
        found = over_laws(table, holds, contrast)
        epsilons = table.values("epsilon")
        ends = min(epsilons), max(epsilons)
        looked_at = [row for row in table.rows if row["epsilon"] in ends]
        return attrs.evolve(found, judged_at=places_in_words(looked_at, PLACE))

    def slightly(table: Table) -> Counterpart:
        most = 1 + table.word("slightly")

        def holds(numbers: MeasureByAxis) -> bool:
            found = gaps(numbers)
            return found[0] < found[-1] <= most * found[0]

        return of_ends(table, holds)

    every_law = (
        "Against Duchi et al. corrected, which is ε-LDP for every d, the statement holds for some "
        "laws only."
    )
    return [
        Quote(
            source,
            what,
            STATED,
            lambda table: over_laws(table, strictly),
            under=STRICT,
            why="Up to ε*, HM is Duchi et al.'s mechanism for one value, whose error is the "
            "smaller, the larger the squares of the values are. Above ε*, HM's error is the "
            "larger, the larger these squares are. So for laws with large values the gap first "
            "shrinks.",
            points=points,
            disputed="The text does not say that the gap grows at every step of ε."
            if method == "hm"
            else every_law,
        ),
        Quote(
            source,
            what,
            STATED,
            lambda table: of_ends(table, as_trend),
            under=TREND,
            why="The gap does not grow.",
            points=points,
            disputed=every_law if method == "hm" else "",
        ),
        Quote(
            source,
            what,
            STATED,
            lambda table: of_ends(table, as_trend, OF_ERRORS),
            under=DIFFERENCE,
            why="All errors fall as ε grows, and so do their differences.",
            points=points,
            disputed="The text goes on that this agrees with section IV, whose Fig. 3 shows "
            "quotients and no differences.",
        ),
        Quote(
            source,
            what,
            STATED,
            slightly,
            under=SLIGHTLY,
            why="For some law of the data, the gap grows by more than the threshold of 'slightly'.",
            points=points,
            disputed="We chose the threshold of 'slightly'. The text may be about the range of ε "
            "in its figure, which we do not know.",
        ),
    ]


def outperforms_quote(source: str, rival: str, points: str) -> Quote:
    """The quote that PM and HM have smaller errors than a rival everywhere."""
    return Quote(
        source,
        f"PM and HM err less than {METHODS[rival]}",
        STATED,
        lambda table: all_below(table, ("pm", "hm"), (rival,), PLACE),
        why=AGAINST_CORRECTED if rival == "duchi" else CLOSE,
        points=points,
    )


def better_differs(table: Table) -> Counterpart:
    """Return 1 if the expected error of PM is below that of HM for some laws and ε and not for
    others; otherwise 0.

    Raises `NoSuchPoint` for fewer than two pairs of a law and an ε.
    """
    places: dict[tuple[str, float], dict[str, float]] = {}
    for line in table.summary():
        place = places.setdefault((line["estimates"], line["epsilon"]), {})
        place[line["method"]] = line["expected"]
    signs = {place["pm"] < place["hm"] for place in places.values() if {"pm", "hm"} <= set(place)}
    if len(places) < 2:
        raise NoSuchPoint("at least two pairs of a law and an ε are needed")
    compared = [row for row in table.rows if row["method"] in ("pm", "hm")]
    return attrs.evolve(
        exact(float(len(signs) == 2)), judged_at=places_in_words(compared, ["estimates", "epsilon"])
    )


def differ_little(table: Table) -> Counterpart:
    """Return the share of the pairs of a law and an ε at which PM and HM err almost alike."""
    most = 1 + table.word("small")

    def holds(numbers: MeasureByAxis) -> bool:
        return 1 / most <= numbers["pm", "hm"] <= most

    found = paired_share(table, [("pm", "hm")], PLACE, holds, shown=PLACE)
    errors = {
        (line["estimates"], line["epsilon"], line["method"]): line["expected"]
        for line in table.summary()
    }
    quotients = [
        errors[people, epsilon, "pm"] / errors[people, epsilon, "hm"]
        for people, epsilon, method in errors
        if method == "pm" and (people, epsilon, "hm") in errors
    ]
    most = max(max(one, 1 / one) for one in quotients)
    words = f"by the law the larger error is up to {most:.3g} times the smaller one"
    return attrs.evolve(found, judged_at=f"{found.judged_at}; {words}")


def drawn_means(table: Table) -> "Figure":
    """Draw the errors over ε, a panel for each law."""
    users, attributes = (
        ", ".join(f"{one:,}" for one in table.values(axis)) for axis in ("users", "attributes")
    )
    return curves(
        table,
        "epsilon",
        panel="estimates",
        line=["method"],
        words=METHODS.__getitem__,
        titles={},
        x_label="ε",
        law=expected_error(table),
        notes=[
            f"n = {users}, d = {attributes}. Lines: by the law; they hide each other where two "
            "methods err alike (Laplace and SCDF). Duchi et al. as printed is not ε-LDP for even d."
        ],
    )


def experiment(
    summary: str, source: str, laws: Sequence[str], rivals: Sequence[str], points: str = ""
) -> Experiment:
    """Return the experiment on numbers that follow these laws.

    `rivals` are the methods that PM and HM are compared with, and `points` is a remark that all
    quotes have.
    """
    where = source.replace("al., ", "al., section VI-A, ")
    return Experiment(
        summary=summary,
        source=source,
        trial=collected,
        grid=[
            {
                "estimates": list(laws),
                "users": [USERS],
                "attributes": [16],
                "epsilon": list(EPSILONS),
                "method": list(NUMERIC),
                "k": [None],
            },
        ],
        measures=[MSE],
        trials=RUNS,
        quick={"epsilon": [0.5, 1.0, 4.0]},
        quick_trials=2,
        paired=("method",),
        words={"slightly": SLIGHT_GAP, "small": LITTLE},
        choices=(
            f"We take n = {USERS:,}; the text does not say how many users there are. Expected mean "
            "squared errors are proportional to 1/n.",
            EPSILON_CHOICE,
            K_CHOICE,
            DUCHI_CHOICE,
        ),
        quotes=[
            *(outperforms_quote(where, rival, points) for rival in rivals),
            *(one for method in ("pm", "hm") for one in gap_quotes(where, method, points)),
            Quote(
                where,
                "the difference in the performance of PM and HM is small",
                STATED,
                differ_little,
                under="the quotient of their errors is close to 1, by the threshold of 'small'",
                why="In some setting the two errors differ by more than the threshold of 'small'.",
                points=points,
                disputed="We chose the threshold of 'small'. The settings of the paper's figure, "
                "such as its largest ε, are not in the text.",
            ),
            Quote(
                where,
                "PM errs less than HM in some settings, and more in others",
                STATED,
                better_differs,
                points=points,
            ),
        ],
        figure=drawn_means,
        cost=collected_cost,
    )


FIG5 = experiment(
    "Means of 16 numbers of truncated normal laws",
    "Wang et al., Fig. 5",
    ("μ=0", "μ=1/3", "μ=2/3", "μ=1"),
    ("duchi", "duchi-as-printed"),
)
FIG6 = experiment(
    "Means of 16 numbers of a uniform and of a power law",
    "Wang et al., Fig. 6",
    ("uniform", "power law"),
    ("duchi", "duchi-as-printed", "laplace", "scdf"),
    SIMILAR,
)
