"""Fig. 5 of Yang et al.: weighted aggregation over local mechanisms, on normal data.

The mechanisms are GRR, OUE, Duchi et al.'s and PM.
"""

from scenarios.yang.trials import METHODS, RUNS, SETTINGS, groups, groups_cost
from simnet.studies.curves import bars
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.statements import everywhere
from simnet.studies.trial import SQUARED_L2

CHOICES = (
    "The standard normal law is truncated to -4..4, which mechanisms for means take as their "
    "range.",
    "GRR and OUE estimate the frequencies of 30 equal intervals of that range, and the others "
    "estimate the mean.",
    "The privacy budgets are those of s1 to s4 of Table II; the text names none for this figure.",
)


EXPERIMENT = Experiment(
    summary="Weighted aggregation of groups with budgets of their own, by local mechanisms",
    source="Yang et al., Fig. 5",
    trial=groups,
    grid=[
        {
            "population": ["normal"],
            "protocol": ["grr", "oue", "duchi", "pm"],
            "users": [10_000],
            "budgets": list(SETTINGS),
            "method": ["vwa", "uwa", "cpa"],
            "target": ["distribution"],
        }
    ],
    measures=[SQUARED_L2],
    trials=RUNS,
    choices=CHOICES,
    claims=[
        PaperClaim(
            "Fig. 5",
            "section 4.2.4, Fig. 5",
            "WA has much improvement over directed aggregation (UWA) for all the methods",
            runs=everywhere(
                "squared_l2",
                "method",
                ["protocol", "budgets"],
                lambda errors: errors["vwa"] * 1.5 < errors["uwa"],
            ),
            why="By the law the error of UWA is 10 to 46 times that of WA for these budgets.",
        )
    ],
    figure=lambda table: bars(
        table,
        "budgets",
        panel="protocol",
        bar="method",
        words=METHODS.__getitem__,
        titles={"grr": "GRR", "oue": "OUE", "duchi": "Duchi et al.", "pm": "PM"},
        x_label="setting, with the ε of its four groups",
        group_words=lambda one: f"{SETTINGS.get(one, '')}\n{one}",
        notes=[f"{one[0].upper()}{one[1:]}." for one in CHOICES],
    ),
    cost=groups_cost,
)
