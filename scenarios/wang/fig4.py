"""Fig. 4 of Wang et al.: means and frequencies of the censuses."""

from typing import TYPE_CHECKING

from scenarios.wang.compared import (
    DRAWN,
    DUCHI_CHOICE,
    K_CHOICE,
    LINES,
    alike,
    outperforms,
    titles,
    with_encodings,
)
from scenarios.wang.law import expected_error
from scenarios.wang.people import CENSUSES, CHOICES, FILES
from scenarios.wang.trials import (
    CATEGORICAL,
    EPSILON_CHOICE,
    EPSILONS,
    MSE,
    NUMERIC,
    RUNS,
    USERS,
    collected,
    collected_cost,
)
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECTION = "section VI-A, Fig. 4"
PLACE = ["estimates", "epsilon"]


def drawn_errors(table: Table) -> "Figure":
    """Draw the errors over ε: two panels of means, and two of frequencies."""
    return curves(
        with_encodings(table),
        "epsilon",
        panel="estimates",
        line=["method"],
        words=DRAWN.__getitem__,
        titles=titles(table),
        x_label="ε",
        law=expected_error(table),
        notes=[
            f"{LINES} Staircase is added: the paper says that its errors are similar to SCDF's."
        ],
    )


EXPERIMENT = Experiment(
    summary="Means and frequencies of the censuses",
    source="Wang et al., Fig. 4",
    trial=collected,
    grid=[
        {
            "estimates": ["BR-Numeric", "MX-Numeric"],
            "users": [USERS],
            "epsilon": list(EPSILONS),
            "method": [*NUMERIC, "staircase"],
            "k": [None],
        },
        {
            "estimates": ["BR-Categorical", "MX-Categorical"],
            "users": [USERS],
            "epsilon": list(EPSILONS),
            "method": list(CATEGORICAL),
            "k": [None],
        },
    ],
    measures=[MSE],
    trials=RUNS,
    quick={"epsilon": [0.5, 1.0, 4.0]},
    files=FILES,
    data=CENSUSES,
    paired=("method",),
    choices=(
        *CHOICES,
        EPSILON_CHOICE,
        K_CHOICE,
        "Errors are of numbers scaled to [-1, 1], averaged over attributes or categories.",
        "Our estimates of frequencies are unbiased; those of section IV-C are not.",
        DUCHI_CHOICE,
    ),
    claims=[
        outperforms(
            "Fig. 4, means",
            SECTION,
            "PM and HM err significantly less on means than Laplace, SCDF and Duchi et al.",
            PLACE,
            ("pm", "hm"),
            ("laplace", "scdf", "duchi"),
            "Numeric",
        ),
        outperforms(
            "Fig. 4, frequencies",
            SECTION,
            "OUE on k sampled attributes errs significantly less on frequencies than OUE on all "
            "with ε/d each",
            PLACE,
            CATEGORICAL[:1],
            CATEGORICAL[1:],
            "Categorical",
        ),
        outperforms(
            "Fig. 4, gap",
            SECTION,
            "There is a consistent gap between Duchi et al. and Laplace (SCDF) on numeric "
            "attributes",
            PLACE,
            ("duchi",),
            ("laplace", "scdf"),
            "Numeric",
        ),
        alike(
            "Fig. 4, Staircase",
            SECTION,
            "Staircase leads to similar errors on means as SCDF",
            [("staircase", "scdf")],
            PLACE,
        ),
        alike(
            "SCDF, comparable",
            "section VI-A, last sentence",
            "The errors of SCDF are comparable to Laplace's, on means",
            [("scdf", "laplace")],
            PLACE,
        ),
    ],
    figure=drawn_errors,
    cost=collected_cost,
)
