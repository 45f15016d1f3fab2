"""Fig. 2 of Yang et al.: DPDS for populations of different sizes."""

from scenarios.yang.people import CHOICES, CHOICES_IN_SHORT, DATA, FILES, titles
from scenarios.yang.trials import RUNS, items_of, sampling, sharing_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.table import Table
from simnet.studies.trial import SQUARED_L2

SQUARED = (
    "it is the squared L2 error, the sum over items, not the mean over them that the metric of "
    "section 4.1.2 is"
)


def quoted(printed: str, users: int) -> Quote:
    """The quote of an error on Gowalla at ε = 0.2: first as the mean over the items, then as their
    sum.

    The paper defines its metric as the mean.
    """
    at = {"population": "gowalla", "users": users, "epsilon": 0.2}

    def summed(table: Table) -> Counterpart:
        return Counterpart.of(table.at("squared_l2", **at), RUNS)

    def mean(table: Table) -> Counterpart:
        return Counterpart.of(table.at("squared_l2", **at).scaled(1 / items_of("gowalla")), RUNS)

    return Quote(
        "Yang et al., section 4.2.2",
        f"MSE of DPDS, Gowalla, ε=0.2, n={users}",
        printed,
        mean,
        correction=SQUARED,
        corrected=summed,
        why=(
            "the squared L2 error expected is 1 / (n (e^ε - 1)), and the mean over 12 items a "
            "twelfth of that"
        ),
    )


EXPERIMENT = Experiment(
    summary="DPDS under different population sizes",
    source="Yang et al., Fig. 2",
    trial=sampling,
    grid=[
        {
            "population": ["gowalla", "census", "synthetic"],
            "protocol": ["dpds"],
            "users": [1000, 2000, 3000, 4000, 5000],
            "epsilon": [0.2, 0.4, 0.6, 0.8, 1.0],
        }
    ],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["gowalla"], "users": [1000, 5000], "epsilon": [0.2, 1.0]},
    quick_trials=5,
    files=FILES,
    data=DATA,
    choices=(*CHOICES, "p = 1 - exp(-ε)"),
    quotes=[
        quoted("0.9e-3", 5000),
        quoted("2.4e-3", 1000),
    ],
    figure=lambda table: curves(
        table,
        "users",
        panel="population",
        line=["epsilon"],
        words="ε={}".format,
        titles=titles(table),
        x_label="users",
        notes=CHOICES_IN_SHORT,
    ),
    cost=sharing_cost,
)
