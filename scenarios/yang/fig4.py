"""Fig. 4 of Yang et al.: weights (WA), no weights (UWA), and the smallest budget (CPA)."""

from scenarios.yang.people import CHOICES, DATA, FILES, notes_on_data, titles
from scenarios.yang.trials import METHODS, RUNS, SETTINGS, groups, groups_cost
from simnet.studies.curves import bars
from simnet.studies.data import NONE_NEEDED
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.statements import always_less
from simnet.studies.trial import SQUARED_L2

EXPERIMENT = Experiment(
    summary="Weighted aggregation of groups with budgets of their own, by sampling",
    source="Yang et al., Fig. 4",
    trial=groups,
    grid=[
        {
            "population": ["gowalla", "census", "synthetic"],
            "protocol": ["dpds"],
            "users": [1000],
            "budgets": list(SETTINGS),
            "method": ["vwa", "uwa", "cpa"],
            "target": ["distribution"],
        }
    ],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["gowalla"]},
    files=FILES,
    data=DATA,
    choices=(
        *CHOICES,
        "There are four groups of 250 users, as in the paper. With budget ε, DPDS samples with p "
        "= 1 - exp(-ε).",
        (
            "The error is that of the noise alone. Therefore the estimate is compared with a "
            "weighted mean of the groups' true frequencies, and this mean has the weights of the "
            "estimate. With --set target=population the estimate is compared with the true "
            "frequencies among all users. Then the error also contains the differences between "
            "the groups."
        ),
    ),
    claims=[
        PaperClaim(
            "Fig. 4",
            "section 4.2.4, Fig. 4",
            "WA errs less than UWA and CPA in every setting, by sampling",
            runs=always_less(lambda method: method == "vwa", "method", ["population", "budgets"]),
            data=NONE_NEEDED,
        )
    ],
    figure=lambda table: bars(
        table,
        "budgets",
        panel="population",
        bar="method",
        words=METHODS.__getitem__,
        titles=titles(table),
        x_label="setting, with the ε of its four groups",
        group_words=lambda one: f"{SETTINGS.get(one, '')}\n{one}",
        notes=notes_on_data(table),
    ),
    cost=groups_cost,
)
