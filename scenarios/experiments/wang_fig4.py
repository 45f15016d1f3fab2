"""Fig. 4 of Wang et al.: means and frequencies of the censuses."""

from collections.abc import Callable

from protocols.local.attributes import Attributes
from protocols.local.split import Method, Split
from protocols.local.tuples import printed_k
from protocols.local.unary import OUE
from scenarios.wang.people import CHOICES, FILES, SHAPES, TITLES
from scenarios.wang.trials import (
    CATEGORICAL,
    EPSILON_CHOICE,
    EPSILONS,
    FREQUENCIES,
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
    sampled_below,
)  # fmt: skip
from simnet.study.curves import curves
from simnet.study.experiment import Experiment
from simnet.study.quote import Counterpart, Quote
from simnet.study.statements import everywhere, exact
from simnet.study.table import Table

SECTION = "Wang et al., section VI-A"
PLACE = ["estimates", "epsilon"]


def whole_epsilon(method: Method) -> Callable[[Table], Counterpart]:
    """The ε of a whole report on a table of BR's shape at ε = 1, by the best effort with this method."""
    numeric, domains = SHAPES["BR"]
    return lambda _: exact(Split(1.0, Attributes(numeric, domains), method).exact_epsilon)


def printed_frequency(_: Table) -> Counterpart:
    """What the estimator of section IV-C, without debiasing, has as mean for a category that nobody holds, at ε = 1."""
    numeric, domains = SHAPES["BR"]
    return exact(OUE(1.0 / printed_k(1.0, numeric + len(domains)), 2).support_chances[1])


EXPERIMENT = Experiment(
    summary="Means and frequencies of the censuses",
    source="Wang et al., Fig. 4",
    trial=collected,
    grid=[
        {"estimates": ["BR-Numeric", "MX-Numeric"], "users": [USERS], "epsilon": list(EPSILONS),
         "method": list(NUMERIC), "k": [None]},
        {"estimates": ["BR-Categorical", "MX-Categorical"], "users": [USERS], "epsilon": list(EPSILONS),
         "method": list(CATEGORICAL), "k": [None]},
    ],
    measures=[MSE],
    trials=RUNS,
    quick={"epsilon": [1.0, 4.0]},
    quick_trials=2,
    files=FILES,
    choices=(
        *CHOICES, EPSILON_CHOICE, "errors are of numbers scaled to [-1, 1], averaged over attributes or categories",
        "frequencies are debiased, which the estimator of section IV-C lacks",
    ),
    quotes=[
        Quote(
            "Wang et al., section VI", "users of a census", "4e6", lambda table: exact(max(table.values("users"))),
            why="the extracts may not be passed on; others stand in for them, with fewer users",
        ),
        everywhere(
            SECTION, "share of the censuses and ε at which PM and HM err less on means than Laplace", "mse", "method",
            PLACE, ours_below("laplace"),
        ),
        everywhere(
            SECTION, "share of the censuses and ε at which PM and HM err less on means than SCDF", "mse", "method",
            PLACE, ours_below("scdf"),
        ),
        everywhere(
            SECTION, "share of the censuses and ε at which PM and HM err less on means than Duchi et al., corrected",
            "mse", "method", PLACE, ours_below("duchi"), why=TOO_LITTLE,
        ),
        everywhere(
            SECTION, "share of the censuses and ε at which sampled attributes err less on frequencies than ε/d each",
            "mse", "method", PLACE, sampled_below,
        ),
        Quote(
            SECTION, "ε of the best effort with Algorithm 3 on BR, said to be ε-LDP, ε=1", lambda _: 1.0,
            whole_epsilon("duchi-as-printed"),
            correction="Algorithm 3 with ties in T- only: as printed it has more for an even number of numbers",
            corrected=whole_epsilon("duchi"),
        ),
        Quote(
            "Wang et al., section IV-C", "mean of the estimated frequency of a category that nobody holds, k=1, ε=1",
            lambda _: 0.0, printed_frequency, correction="debiased, (y - q) / (p - q) in place of y",
            corrected=lambda _: exact(0.0),
        ),
    ],
    figure=lambda table: curves(
        table, "epsilon", panel="estimates", line=["method"], words=METHODS.__getitem__,
        titles={f"{who}-{kind}": f"{kind}, {title}" for who, title in TITLES.items()
                for kind in ("Numeric", "Categorical")},
        x_label="ε", notes=[f"Means: by method. {FREQUENCIES} {INTERVALS}"],
    ),
    cost=collected_cost,
)  # fmt: skip
