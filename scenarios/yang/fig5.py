"""Fig. 5 of Yang et al.: weighted aggregation over local mechanisms, on normal data.

The mechanisms are GRR, OUE, Duchi et al.'s and PM.
"""

from functools import partial

from scenarios.yang.trials import METHODS, RUNS, SETTINGS, groups, groups_cost
from simnet.studies.curves import bars
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import everywhere
from simnet.studies.table import Table
from simnet.studies.trial import SQUARED_L2

CHOICES = (
    "The standard normal law is truncated to -4..4, which mechanisms for means take as their "
    "range.",
    "GRR and OUE estimate the frequencies of 30 equal intervals of that range, and the others "
    "estimate the mean.",
    "The privacy budgets are those of s1 to s4 of Table II; the text names none for this figure.",
)

SOURCE = "Yang et al., section 4.2.4, Fig. 5"
POINTS = "the four mechanisms are the paper's; the text names no budgets for this figure"


def much_less(table: Table, factor: float | None) -> Counterpart:
    """Return the share of mechanisms and settings in which the error of UWA is more than `factor`
    times the error of WA; None stands for the threshold of the word "much".
    """
    times = table.word("much") if factor is None else factor
    return everywhere(
        SOURCE,
        "",
        "squared_l2",
        "method",
        ["protocol", "budgets"],
        lambda errors: errors["vwa"] * times < errors["uwa"],
    ).reading(table)


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
    quick_trials=5,
    choices=CHOICES,
    words={
        "much": Word(
            1.5,
            "the improvement is 'much' if the error of UWA is more than this many times the "
            "error of WA",
        )
    },
    quotes=[
        Quote(
            SOURCE,
            "WA has much improvement compared with directed aggregation for all the methods",
            STATED,
            partial(much_less, factor=None),
            why="In some setting the improvement is below the threshold of 'much'.",
            under="directed aggregation is UWA, and the improvement is in the squared L2 error",
            points=POINTS,
            disputed="We chose the threshold of 'much' and the budgets. By the law the error of "
            "UWA is 10 to 46 times the error of WA for these budgets. The two errors are nearly "
            "the same if all groups have nearly the same budget.",
        ),
        Quote(
            SOURCE,
            "WA errs less than directed aggregation for all the methods",
            STATED,
            partial(much_less, factor=1.0),
            why="In some setting WA errs more than UWA.",
            under="directed aggregation is UWA, and any improvement counts",
            points=POINTS,
        ),
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
