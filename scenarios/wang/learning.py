"""Fig. 9 to 11 of Wang et al.: models learnt by LDP-SGD and judged by cross-validation."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from protocols.ldp_sgd.losses import LOSSES
from scenarios.wang.cross_validation import EPSILONS, FOLDS, learning_cost, learnt
from scenarios.wang.people import CENSUSES, FILES, STAND_INS, title
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import counted
from simnet.studies.statements import everywhere
from simnet.studies.table import Measure, NoSuchPoint, Table

SECTION = "Wang et al., section VI-B"
RUNS = 5  # each a whole cross-validation, as in the paper
METHODS = {
    "pm": "PM",
    "hm": "HM",
    "duchi": "Duchi et al., corrected",
    "duchi-as-printed": "Duchi et al., as printed",
    "laplace": "Laplace, ε/d each",
    "none": "no privacy",
}
FEATURES = {"BR": "90", "MX": "94"}
CHOICES = (
    "BR and MX may not be passed on: Adult and Census-Income stand in for them with --data (their "
    "hours and weeks of work in Fig. 11, for they hold no income in numbers); without, tables of "
    "the paper's shape and a linear income",
    "ten-fold cross-validation, five times, each of 20,000 users drawn anew; a quick run has one "
    "fold of the ten",
    "b_0 = 0; steps of 0.3 / √t; groups of max(50, d ln(d + 1) / ε²) users, at least 10 groups: "
    "the text names none",
    "labels are -1 and 1, which the losses need, and not the text's 0 and 1",
    "ε of 0.5, 1, 2 and 4: the values of the axis are in the figure only",
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def dimension_quote(people: str) -> Quote:
    """The quote of the number of features of a census."""

    def reading(table: Table) -> Counterpart:
        rows = table.where(census=people).rows
        if not rows or table.synthetic:
            raise NoSuchPoint("these people are made up with the paper's number of features")
        return counted(float(rows[0]["features"]))

    return Quote(
        SECTION,
        f"features of {people}, {STAND_INS[people][0]} in its place",
        FEATURES[people],
        reading,
        why=(
            "the paper's extract may not be passed on; its stand-in has other columns, and "
            "a constant feature"
        ),
    )


def experiment(
    summary: str, source: str, loss: str, words: str, quotes: Sequence[Quote]
) -> Experiment:
    """Return the experiment with a loss; `words` name what is measured."""
    common: Mapping[str, Sequence[Any]] = {
        "loss": [loss],
        "users": [20_000],
        "folds": [FOLDS],
        "first_step": [0.3],
        "regularisation": [1e-4],
    }
    return Experiment(
        summary=summary,
        source=source,
        trial=learnt,
        grid=[
            {
                "census": list(STAND_INS),
                **common,
                "method": [one for one in METHODS if one != "none"],
                "epsilon": list(EPSILONS),
            },
            {"census": list(STAND_INS), **common, "method": ["none"]},
        ],
        measures=[Measure("error", words)],
        trials=RUNS,
        quick={"epsilon": [1.0, 2.0], "folds": [1]},
        quick_trials=2,
        files=FILES,
        data=CENSUSES,
        choices=CHOICES,
        quotes=[*quotes, dimension_quote("BR"), dimension_quote("MX")],
        figure=lambda table: drawn_errors(table, LOSSES[loss].of_classes),
        cost=learning_cost,
    )


def drawn_errors(table: Table, of_classes: bool) -> "Figure":
    """Draw the errors over ε: rates from 0 to 0.6, mean squared errors on an axis fitted to the
    means.
    """
    figure = curves(
        _with_epsilon(table),
        "epsilon",
        panel="census",
        line=["method"],
        words=METHODS.__getitem__,
        titles={name: title(name, table.synthetic) for name in STAND_INS},
        x_label="ε",
        notes=["Bars: 99.9 % for all points together."],
        log_y=not of_classes,
    )
    means = [line["mean"] for line in table.summary()]
    for axes in figure.axes:
        axes.set_ylim(*((0, 0.6) if of_classes else (min(means) / 2, 2 * max(means))))
    return figure


def _with_epsilon(table: Table) -> Table:
    """Return the table with the error of the model without privacy repeated at every ε."""
    epsilons = table.values("epsilon")
    rows = [
        {**row, "epsilon": epsilon}
        for row in table.rows
        for epsilon in ([row["epsilon"]] if row.get("epsilon") is not None else epsilons)
    ]
    return attrs.evolve(table, rows=rows)


def below(better: Sequence[str], worse: str, what: str) -> Quote:
    """The quote that some mechanisms have smaller errors than another one."""
    return everywhere(
        SECTION,
        f"share of the censuses and ε at which {what}",
        "error",
        "method",
        ["census", "epsilon"],
        lambda numbers: max(numbers[one] for one in better) < numbers[worse],
        why="not on the people who stand in for the paper's, in so many runs and with these steps",
    )


OURS_BELOW_DUCHI = tuple(
    below(("pm", "hm"), rival, f"PM and HM err less than {METHODS[rival]}")
    for rival in ("duchi", "duchi-as-printed")
)
ALL_BELOW_LAPLACE = below(
    ("pm", "hm", "duchi"), "laplace", "PM, HM and Duchi et al. err less than Laplace"
)

FIG9 = experiment(
    "Logistic regression by LDP-SGD",
    "Wang et al., Fig. 9",
    "logistic",
    "misclassification rate",
    [*OURS_BELOW_DUCHI, ALL_BELOW_LAPLACE],
)
FIG10 = experiment(
    "Support vector machines by LDP-SGD",
    "Wang et al., Fig. 10",
    "hinge",
    "misclassification rate",
    [*OURS_BELOW_DUCHI, ALL_BELOW_LAPLACE],
)
FIG11 = experiment(
    "Linear regression by LDP-SGD",
    "Wang et al., Fig. 11",
    "squared",
    "mean squared error",
    [*OURS_BELOW_DUCHI, ALL_BELOW_LAPLACE],
)
