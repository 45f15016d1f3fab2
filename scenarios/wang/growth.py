"""Fig. 7 and Fig. 8 of Wang et al.: errors on MX by the number of users and of attributes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from scenarios.wang.law import expected_error
from scenarios.wang.marks import ticks
from scenarios.wang.people import CENSUSES, CHOICES, FILES
from scenarios.wang.trials import (
    CATEGORICAL,
    CLOSE,
    DRAWN,
    LINES,
    MSE,
    NUMERIC,
    RUNS,
    TOO_LITTLE,
    USERS,
    collected,
    collected_cost,
    ours_below,
    outperforms,
    sampled_below,
    titles,
    with_encodings,
)
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Value, Word
from simnet.studies.statements import MeasureByAxis, Statement, everywhere, falls, rises
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 1.0
STEPS = "at every step of the axis"
MARGIN = "by a clear margin"
ENDS = "from the least to the largest value of the axis"


def below_additive(most: float) -> Statement:
    """Return the statement that PM and HM err less than Laplace and SCDF: below `most` times."""
    laplace, scdf = (ours_below(rival, most) for rival in ("laplace", "scdf"))
    return lambda numbers: laplace(numbers) and scdf(numbers)


def experiment(
    summary: str,
    source: str,
    axis: str,
    values: Sequence[int],
    trend: tuple[str, Statement],
) -> Experiment:
    """Return the experiment over these numbers of `users` or of `attributes`.

    `trend` has in words how errors should change, and a test of it.
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
        words={
            MARGIN: Word(0.1, "an error smaller by at least this share has a 'clear margin'"),
        },
        choices=(
            *CHOICES,
            f"ε = {EPSILON:g}: the text names none",
            "with d attributes, the first ones of each kind are taken, in proportion",
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
                        "Duchi et al.'s mechanism as printed has a smaller error for 3 numbers than"
                        " for 2, and for 5 than for 4, because ties make B larger"
                    ),
                    under=under,
                    points=f"these {axis} are ours: the values of the axis are in the figure only",
                )
                for under, statement in ((STEPS, every_step), (ENDS, ends))
            ),
            *outperforms(
                where,
                "PM and HM err less on means than Laplace and SCDF",
                place,
                below_additive,
                MARGIN,
                ("pm", "hm", "laplace", "scdf"),
                "Numeric",
                CLOSE,
            ),
            *outperforms(
                where,
                "PM and HM err less on means than Duchi et al., corrected",
                place,
                partial(ours_below, "duchi"),
                MARGIN,
                ("pm", "hm", "duchi"),
                "Numeric",
                TOO_LITTLE,
            ),
            *outperforms(
                where,
                "sampled attributes err less on frequencies than ε/d each",
                place,
                sampled_below,
                MARGIN,
                CATEGORICAL,
                "Categorical",
                CLOSE,
            ),
        ],
        figure=lambda table: drawn_growth(table, axis),
        cost=collected_cost,
    )


def drawn_growth(table: Table, axis: str) -> "Figure":
    """Draw the errors over the axis: means in one panel, frequencies in the other."""
    notes = [f"ε = {EPSILON:g}. {LINES}"]
    if axis != "users":
        notes.append(
            "Between the points the law depends on which attributes are added: straight lines."
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
