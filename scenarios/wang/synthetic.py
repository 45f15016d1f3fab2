"""Fig. 5 and Fig. 6 of Wang et al.: means of 16 synthetic numbers, by six methods."""

from collections.abc import Sequence

from scenarios.wang.trials import (
    EPSILON_CHOICE,
    EPSILONS,
    INTERVALS,
    METHODS,
    MSE,
    NUMERIC,
    RUNS,
    TOO_LITTLE,
    USERS,
    collected,
    collected_cost,
    ours_below,
)
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Quote
from simnet.studies.statements import MeasureByAxis, Statement, everywhere, rises

SECTION = "Wang et al., section VI-A"


def gap_expands(method: str, rival: str) -> Statement:
    """Return the statement that a rival's error divided by a method's grows at every step of ε."""

    def holds(numbers: MeasureByAxis) -> bool:
        epsilons = [epsilon for name, epsilon in numbers if name == method]
        return rises(
            {epsilon: numbers[rival, epsilon] / numbers[method, epsilon] for epsilon in epsilons}
        )

    return holds


def gap_quote(method: str) -> Quote:
    """The quote that the gap to Duchi et al.'s mechanism, as printed, expands with ε."""
    return everywhere(
        SECTION,
        "share of the laws with which Duchi et al., as printed, err ever more than "
        f"{METHODS[method]} as ε grows",
        "mse",
        ["method", "epsilon"],
        ["estimates"],
        gap_expands(method, "duchi-as-printed"),
        why=(
            "up to ε* HM is Duchi et al.'s mechanism for one value; above ε*, where HM also"
            " uses PM, large values gain less"
        ),
    )


def outperforms_quote(rival: str) -> Quote:
    """The quote that PM and HM have smaller errors than a rival everywhere."""
    return everywhere(
        SECTION,
        f"share of the laws and ε at which PM and HM err less than {METHODS[rival]}",
        "mse",
        "method",
        ["estimates", "epsilon"],
        ours_below(rival),
        why=TOO_LITTLE,
    )


def experiment(summary: str, source: str, laws: Sequence[str]) -> Experiment:
    """Return the experiment on numbers that follow these laws."""
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
        choices=(
            f"n = {USERS:,}: the text does not say how many users there are; mean squared errors "
            "go with 1/n exactly",
            EPSILON_CHOICE,
        ),
        quotes=[
            *(
                outperforms_quote(rival)
                for rival in ("duchi", "duchi-as-printed", "laplace", "scdf")
            ),
            *(gap_quote(method) for method in ("pm", "hm")),
        ],
        figure=lambda table: curves(
            table,
            "epsilon",
            panel="estimates",
            line=["method"],
            words=METHODS.__getitem__,
            titles={},
            x_label="ε",
            notes=[
                f"n = {USERS:,}, d = 16. Duchi et al. as printed is not ε-LDP for even d. "
                f"{INTERVALS}"
            ],
        ),
        cost=collected_cost,
    )


FIG5 = experiment(
    "Means of 16 numbers of truncated normal laws",
    "Wang et al., Fig. 5",
    ("μ=0", "μ=1/3", "μ=2/3", "μ=1"),
)
FIG6 = experiment(
    "Means of 16 numbers of a uniform and of a power law",
    "Wang et al., Fig. 6",
    ("uniform", "power law"),
)
