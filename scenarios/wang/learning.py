"""Fig. 9 to 11 of Wang et al.: models learnt by LDP-SGD and judged on held-out users."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from protocols.ldp_sgd.losses import LOSSES
from scenarios.wang.compared import DUCHI_CHOICE
from scenarios.wang.cross_validation import EPSILONS, learning_cost, learnt
from scenarios.wang.people import CENSUSES, FILES, STAND_INS, title
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.statements import paired_less
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

USERS, RUNS = 20_000, 50  # as many models of each method as in ten-fold cross-validation, 5 times
METHODS = {
    "pm": "PM",
    "hm": "HM",
    "duchi": "Duchi et al., corrected",
    "duchi-as-printed": "Duchi et al., as printed",
    "laplace": "Laplace, ε/d each",
    "none": "no privacy",
    "same_steps": "HM's steps without noise",
    "constant": "same answer for all",
}
CHOICES = (
    "The paper's censuses, BR and MX, may not be passed on. With --data, Adult and Census-Income "
    "stand in for them. These files have no total income, so the models predict the age (Adult) "
    "and the weeks of work (Census-Income) instead. Without --data we make up people with as many "
    "attributes as in BR and MX, and with an income that is a linear function of the others plus "
    "noise.",
    "Each trial draws 20,000 users anew and holds out one tenth of them. In 50 trials each method "
    "makes 50 models. The paper makes 50 models too, by five cross-validations with ten folds; but "
    "the models of one cross-validation share users. The options --set folds=10 --trials 5 do as "
    "the paper does.",
    "In a trial all methods learn from the same users, and all private methods in the same groups "
    "and with the same steps. The model without privacy has groups and steps by the same rules "
    "for ε = ∞.",
    "The text gives no constants. We take b_0 = 0, groups of max(50, d ln(d + 1) / ε²) users, but "
    "at least 10 groups, and steps of γ_1 / √t. Here γ_1 is 1 / (2 d) for linear regression, else "
    "min(3, 5 ε² / (2 d)).",
    "There is no constant feature, as in the paper. A column of c categories becomes c - 1 flags, "
    "which are all 0 for its last category.",
    "ε is 0.5, 1, 2 and 4; the paper's values can be seen in its figure only.",
    DUCHI_CHOICE,
)


def less(better: Sequence[str], worse: str) -> Callable[[Table], Counterpart]:
    """Return the reading that the better methods err less than another one, at every point."""
    return lambda table: paired_less(
        [point.rows for point in table.points().values()], better, [worse]
    )


def experiment(
    summary: str,
    figure: str,
    loss: str,
    words: str,
    claims: Sequence[PaperClaim],
) -> Experiment:
    """Return the experiment on models that are learnt with this loss.

    `words` name what is measured, and `open_words` are words of the text that need a threshold.
    """
    return Experiment(
        summary=summary,
        source=f"Wang et al., {figure}",
        trial=learnt,
        grid=[
            {
                "census": list(STAND_INS),
                "loss": [loss],
                "users": [USERS],
                "folds": [1],
                "regularisation": [1e-4],
                "epsilon": list(EPSILONS),
            }
        ],
        measures=[Measure(name, f"{words}: {method}") for name, method in METHODS.items()],
        trials=RUNS,
        quick={"users": [USERS // 10], "epsilon": [0.5, 2.0]},
        files=FILES,
        data=CENSUSES,
        choices=CHOICES,
        claims=claims,
        figure=lambda table: drawn_errors(table, words, LOSSES[loss].of_classes),
        cost=learning_cost,
    )


def drawn_errors(table: Table, words: str, of_classes: bool) -> "Figure":
    """Draw the errors over ε: rates on a linear axis, mean squared errors on a logarithmic one."""
    figure = curves(
        table,
        "epsilon",
        panel="census",
        line=["measure"],
        words=METHODS.__getitem__,
        titles={name: title(name, table.synthetic) for name in STAND_INS},
        x_label="ε",
        y_label=words,
        log_y=not of_classes,
        share_y=of_classes,
        notes=[
            "Errors on held-out users; all methods of a trial see the same users.",
            "By its text, the paper's figure has PM, HM, Duchi et al. as printed, "
            + ("Laplace and no privacy" if of_classes else "and no privacy")
            + "; the other lines are ours.",
        ],
    )
    if of_classes:
        figure.axes[0].set_ylim(0, None)
    return figure


def claims_of(figure: str) -> list[PaperClaim]:
    """Return the claims on a figure."""
    source = f"section VI-B, {figure}"
    far = "far" if figure == "Fig. 11" else "significantly"
    return [
        PaperClaim(
            f"{figure}, Duchi",
            source,
            "PM and HM err less than Duchi et al.",
            runs=less(("pm", "hm"), "duchi-as-printed"),
        ),
        PaperClaim(
            f"{figure}, Laplace",
            source,
            f"The error of Laplace is {far} higher than those of PM, HM and Duchi et al.",
            runs=less(("pm", "hm", "duchi"), "laplace"),
        ),
    ]


FIG9 = experiment(
    "Logistic regression by LDP-SGD",
    "Fig. 9",
    "logistic",
    "misclassification rate",
    [
        *claims_of("Fig. 9"),
        PaperClaim(
            "Fig. 9, drop",
            "section VI-B, Fig. 9",
            "The misclassification rate drops less quickly with ε than the errors of means, and "
            "the gap to Duchi et al. shows no clear trend",
            data=CENSUSES,
        ),
    ],
)
FIG10 = experiment(
    "Support vector machines by LDP-SGD",
    "Fig. 10",
    "hinge",
    "misclassification rate",
    [
        *claims_of("Fig. 10"),
        PaperClaim(
            "Fig. 10, no privacy",
            "section VI-B, Fig. 10",
            "With SVM and ε >= 2 on BR, the errors of PM and HM approach that without privacy",
            data=CENSUSES,
        ),
    ],
)
FIG11 = experiment(
    "Linear regression by LDP-SGD",
    "Fig. 11",
    "squared",
    "mean squared error",
    claims_of("Fig. 11"),
)
