"""Fig. 4 of Wang et al.: means and frequencies of the censuses."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.split import Split, SplitMethod
from protocols.mechanisms.tuples import printed_k
from protocols.mechanisms.unary import OUE
from scenarios.wang.compared import (
    AGAINST_CORRECTED,
    CLOSE,
    DRAWN,
    DUCHI_CHOICE,
    K_CHOICE,
    LINES,
    alike,
    all_below,
    of_kind,
    ours_alone,
    outperforms,
    titles,
    with_encodings,
)
from scenarios.wang.law import expected_error
from scenarios.wang.people import CENSUSES, CHOICES, FILES, SHAPES
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
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import STATED, Counterpart, Quote, Stated
from simnet.studies.statements import exact
from simnet.studies.table import Table
from simnet.studies.verdict_table import NONE_NEEDED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECTION = "Wang et al., section VI-A, Fig. 4"
PLACE = ["estimates", "epsilon"]


def whole_epsilon(method: SplitMethod) -> Callable[[Table], Counterpart]:
    """Return a function that gives the actual ε of a whole report on a table of BR's shape, where
    the requested ε is 1.
    """
    numeric, domains = SHAPES["BR"]
    return lambda _: exact(Split(1.0, Attributes(numeric, domains), method).exact_epsilon)


def encoding() -> OUE:
    """Optimised unary encoding (OUE) for one categorical attribute of the data set BR.

    A user's whole report has ε = 1. By Eq. 12 the user reports on k attributes, each with ε/k.
    """
    numeric, domains = SHAPES["BR"]
    return OUE(1.0 / printed_k(1.0, numeric + len(domains)), 2)


def printed_frequency(_: Table) -> Counterpart:
    """The mean of the estimator of section IV-C for a category that nobody holds, at ε = 1.

    This estimator does not remove the bias.
    """
    return exact(float(encoding().support_chances[1]))


def gap_to_additive(duchi: str) -> Callable[[Table], Counterpart]:
    """Return a function that gives the share of places at which a version of Duchi et al.'s
    mechanism has smaller errors on means than Laplace and SCDF.
    """
    return lambda table: all_below(of_kind(table, "Numeric"), (duchi,), ("laplace", "scdf"), PLACE)


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
    quick_trials=2,
    files=FILES,
    data=CENSUSES,
    paired=("method",),
    words={
        "comparable": Word(
            0.1,
            "two errors are 'comparable' if the larger one exceeds the smaller one by at "
            "most this share of the smaller one",
        ),
        "similar": Word(
            0.1,
            "two errors are 'similar' if the larger one exceeds the smaller one by at most "
            "this share of the smaller one",
        ),
        "significantly": Word(
            0.1,
            "an error is 'significantly' smaller than another if it is smaller by at "
            "least this share of the other",
        ),
    },
    choices=(
        *CHOICES,
        EPSILON_CHOICE,
        K_CHOICE,
        "Errors are of numbers scaled to [-1, 1], averaged over attributes or categories.",
        "Our estimates of frequencies are unbiased; those of section IV-C are not.",
        DUCHI_CHOICE,
    ),
    quotes=[
        *(
            quote
            for rival, name, why in (
                ("laplace", "Laplace", CLOSE),
                ("scdf", "SCDF", CLOSE),
                ("duchi", "Duchi et al., corrected", AGAINST_CORRECTED),
            )
            for quote in outperforms(
                SECTION,
                f"PM and HM err less on means than {name}",
                PLACE,
                "significantly",
                ("pm", "hm"),
                (rival,),
                "Numeric",
                why,
            )
        ),
        *outperforms(
            SECTION,
            "OUE on k sampled attributes errs less on frequencies than OUE on all with ε/d each",
            PLACE,
            "significantly",
            CATEGORICAL[:1],
            CATEGORICAL[1:],
            "Categorical",
            CLOSE,
        ),
        Quote(
            SECTION,
            'actual ε of the "best effort" on BR, with Algorithm 3 for the numbers, at ε=1; the '
            "text says that it is ε-LDP",
            Stated(1.0),
            whole_epsilon("duchi-as-printed"),
            correction=(
                "With the corrected Algorithm 3 a report has the stated ε. With the algorithm as "
                "printed, its actual ε is larger if the number of numeric attributes is even."
            ),
            corrected=whole_epsilon("duchi"),
            data=NONE_NEEDED,
        ),
        Quote(
            "Wang et al., section IV-C",
            "mean of the estimated frequency of a category that nobody holds, k=1, ε=1",
            Stated(0.0),
            printed_frequency,
            under=(
                "g is 1 if a report of OUE supports the category, and 0 otherwise; the text "
                "defines g only for reports that name a single value"
            ),
            why="The estimator does not remove the bias. With (g - q) / (p - q) in place of g it "
            "would, where p and q are the probabilities of g = 1 for a user who holds the "
            "category and for another user.",
            data=NONE_NEEDED,
            disputed="The text calls it an estimator, and nowhere an unbiased one.",
        ),
        alike(
            SECTION,
            "Staircase leads to similar errors on means as SCDF",
            PLACE,
            [("staircase", "scdf")],
            "similar",
        ),
        alike(
            "Wang et al., section VI-A, last sentence",
            "the errors of SCDF are comparable to Laplace's",
            PLACE,
            [("scdf", "laplace")],
            "comparable",
            under="their errors on means; the sentence may be about models, which we do not learn "
            "with SCDF",
            disputed=ours_alone("comparable"),
        ),
        *(
            Quote(
                SECTION,
                "there is a consistent gap between Duchi et al. and Laplace (SCDF) on numeric "
                "attributes: Duchi et al. errs less",
                STATED,
                gap_to_additive(duchi),
                under=f"Duchi et al.'s Algorithm 3 {words}, against both rivals",
                why=CLOSE,
            )
            for duchi, words in (("duchi", "corrected"), ("duchi-as-printed", "as printed"))
        ),
    ],
    figure=drawn_errors,
    cost=collected_cost,
)
