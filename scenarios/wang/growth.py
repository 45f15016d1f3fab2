"""Fig. 7 and Fig. 8 of Wang et al.: errors on MX by the number of users and of attributes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scenarios.wang.compared import (
    AGAINST_CORRECTED,
    CLOSE,
    DRAWN,
    DUCHI_CHOICE,
    K_CHOICE,
    LINES,
    outperforms,
    titles,
    with_encodings,
)
from scenarios.wang.law import expected_error
from scenarios.wang.marks import ticks
from scenarios.wang.people import CENSUSES, CHOICES, FILES
from scenarios.wang.trials import (
    CATEGORICAL,
    MSE,
    NUMERIC,
    RUNS,
    USERS,
    collected,
    collected_cost,
)
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Value, Word
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.statements import MeasureByAxis, Statement, everywhere, falls, rises
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 1.0
STEPS = "at every step of the axis"
MARGIN = "by a clear margin"
ENDS = "from the least to the largest value of the axis"


def falls_by(source: str) -> Quote:
    """The quote that the mean squared error is proportional to 1/n."""

    def users(table: Table) -> tuple[int, int]:
        return min(table.values("users")), max(table.values("users"))

    def printed(table: Table) -> float:
        least, most = users(table)
        return most / least

    def reading(table: Table) -> Counterpart:
        few, many = (
            table.at("mse", estimates="MX-Numeric", method="hm", users=n, epsilon=EPSILON)
            for n in users(table)
        )
        return quotient(few, many)

    return Quote(
        source,
        "mean squared error of HM's means for the fewest users, divided by that for the most users",
        printed,
        reading,
        under="Lemma 5, with which the figure is said to agree: errors are proportional to 1/√n",
        points=f"MX's numbers, ε = {EPSILON:g}; a difference of 1 % is allowed, because each trial "
        "draws its users anew",
        tolerance=lambda _: 0.01,
    )


def experiment(
    summary: str,
    source: str,
    axis: str,
    values: Sequence[int],
    trend: tuple[str, Statement],
) -> Experiment:
    """Return the experiment over these numbers of `users` or of `attributes`.

    `trend` is a sentence on how errors should change, and a function that tests the sentence.
    """
    others: Mapping[str, Sequence[Value]] = {
        "users": [USERS],
        "epsilon": [EPSILON],
        "k": [None],
        axis: values,
    }
    words, every_step = trend
    where = source.replace("al., ", "al., section VI-A, ")

    def ends(numbers: MeasureByAxis) -> bool:
        return every_step({value: numbers[value] for value in (min(numbers), max(numbers))})

    place = ["estimates", axis]
    return Experiment(
        summary=summary,
        source=source,
        trial=collected,
        grid=[
            {"estimates": ["MX-Numeric"], **others, "method": list(NUMERIC)},
            {"estimates": ["MX-Categorical"], **others, "method": list(CATEGORICAL)},
        ],
        measures=[MSE],
        trials=RUNS,
        quick_trials=2,
        files=FILES,
        data=CENSUSES,
        paired=("method",),
        words={
            MARGIN: Word(
                0.1,
                "an error is smaller than another 'by a clear margin' if it is smaller by "
                "at least this share of the other",
            ),
        },
        choices=(
            *CHOICES,
            f"ε is {EPSILON:g}; the text names none.",
            K_CHOICE,
            *(
                (
                    "For d attributes, we take the first numeric and the first categorical "
                    "attributes of the table. Their shares are as in the whole table, rounded.",
                )
                if axis == "attributes"
                else ()
            ),
            DUCHI_CHOICE,
        ),
        quotes=[
            *(
                everywhere(
                    where,
                    words,
                    "mse",
                    axis,
                    ["estimates", "method"],
                    statement,
                    why=(
                        "Duchi et al.'s mechanism as printed has a smaller error for 3 numbers "
                        "than for 2, and for 5 than for 4, because ties make B larger."
                        if axis == "attributes"
                        else CLOSE
                    ),
                    under=under,
                    points=f"these values of {axis} are ours: the paper has its own in the figure "
                    "only",
                    disputed="The text does not say that the errors grow at every step. It goes "
                    "on with Lemma 5, which is about PM and HM alone."
                    if axis == "attributes" and under == STEPS
                    else "",
                )
                for under, statement in ((STEPS, every_step), (ENDS, ends))
            ),
            *outperforms(
                where,
                "PM and HM err less on means than Laplace and SCDF",
                place,
                MARGIN,
                ("pm", "hm"),
                ("laplace", "scdf"),
                "Numeric",
                CLOSE,
            ),
            *outperforms(
                where,
                "PM and HM err less on means than Duchi et al., corrected",
                place,
                MARGIN,
                ("pm", "hm"),
                ("duchi",),
                "Numeric",
                AGAINST_CORRECTED,
            ),
            *outperforms(
                where,
                "OUE on k sampled attributes errs less on frequencies than OUE on all with ε/d "
                "each",
                place,
                MARGIN,
                CATEGORICAL[:1],
                CATEGORICAL[1:],
                "Categorical",
                CLOSE,
            ),
            *((falls_by(where),) if axis == "users" else ()),
        ],
        figure=lambda table: drawn_growth(table, axis),
        cost=collected_cost,
    )


def drawn_growth(table: Table, axis: str) -> "Figure":
    """Draw the errors over the axis: means in one panel, frequencies in the other."""
    epsilons = ", ".join(f"{epsilon:g}" for epsilon in table.values("epsilon"))
    notes = [f"ε = {epsilons}. {LINES}"]
    if axis != "users":
        notes.append(
            "Between the points the law depends on which attributes are added, so the lines are "
            "straight."
        )
    figure = curves(
        with_encodings(table),
        axis,
        panel="estimates",
        line=["method"],
        words=DRAWN.__getitem__,
        titles=titles(table),
        x_label=axis,
        law=expected_error(table) if axis == "users" else None,
        notes=notes,
        log_x=axis == "users",
    )
    ticks(figure, table.values(axis))
    return figure


FIG7 = experiment(
    "Means and frequencies of more and more users",
    "Wang et al., Fig. 7",
    "users",
    (2_500, 5_000, 10_000, 20_000, 40_000),
    ("more users make smaller errors", falls),
)
FIG8 = experiment(
    "Means and frequencies of more and more attributes",
    "Wang et al., Fig. 8",
    "attributes",
    (4, 7, 10, 13, 16),
    ("more attributes make larger errors", rises),
)
