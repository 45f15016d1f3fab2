"""Fig. 7 and Fig. 8 of Wang et al.: errors on MX by the number of users and of attributes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scenarios.wang.compared import (
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
from simnet.studies.data import NONE_NEEDED
from simnet.studies.experiment import Experiment, Value
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.readings import quotient
from simnet.studies.statements import MeasureByAxis, Statement, everywhere, falls, rises
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 1.0


def falls_by(table: Table) -> Counterpart:
    """Return HM's error for the fewest users, divided by that for the most users."""
    few, many = (
        table.at("mse", estimates="MX-Numeric", method="hm", users=n, epsilon=EPSILON)
        for n in (min(table.values("users")), max(table.values("users")))
    )
    return quotient(few, many)


def claims(axis: str, source: str, words: str, trend: Statement) -> Iterator[PaperClaim]:
    """Yield the claims of Fig. 7 or 8."""
    place = ["estimates", axis]

    def ends(numbers: MeasureByAxis) -> bool:
        return trend({value: numbers[value] for value in (min(numbers), max(numbers))})

    yield PaperClaim(
        f"{source}, trend",
        f"section VI-A, {source}",
        f"{words}, from the least to the largest number",
        runs=everywhere("mse", axis, ["estimates", "method"], ends),
        # Errors are proportional to 1/n, whatever the data.
        data=NONE_NEEDED if axis == "users" else None,
    )
    yield outperforms(
        f"{source}, means",
        f"section VI-A, {source}",
        "PM and HM err less on means than Laplace, SCDF and Duchi et al., by a clear margin",
        place,
        ("pm", "hm"),
        ("laplace", "scdf", "duchi"),
        "Numeric",
    )
    yield outperforms(
        f"{source}, frequencies",
        f"section VI-A, {source}",
        "OUE on k sampled attributes errs less on frequencies than OUE on all, by a clear margin",
        place,
        CATEGORICAL[:1],
        CATEGORICAL[1:],
        "Categorical",
    )
    if axis == "users":
        yield PaperClaim(
            f"{source}, Lemma 5",
            f"section VI-A, {source}",
            "In agreement with Lemma 5 errors are proportional to 1/√n: HM's mean squared error "
            "for 2500 users, divided by that for 40,000",
            lambda: 16.0,
            runs=falls_by,
            tolerance=0.01,
            data=NONE_NEEDED,
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
        files=FILES,
        data=CENSUSES,
        paired=("method",),
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
        claims=list(claims(axis, source.removeprefix("Wang et al., "), words, every_step)),
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
