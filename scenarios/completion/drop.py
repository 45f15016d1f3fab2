"""When protocols that survive drop-outs end, against the share of users who drop out."""

from scenarios.completion.trials import CHOICES, SECONDS, with_drop_outs
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.trial import SQUARED_L2

EXPERIMENT = Experiment(
    summary="when protocols are done on four networks, against the share of users who drop out",
    source="this project",
    trial=with_drop_outs,
    grid=[
        {
            "protocol": ["committee", "secagg", "secagg_plus", "dpds_robust", "tss_robust"],
            "users": [100],
            "drop": [0.0, 0.02, 0.05, 0.1],
        }
    ],
    measures=[*SECONDS, SQUARED_L2],
    trials=5,
    quick={"protocol": ["committee", "secagg_plus"], "drop": [0.0, 0.1]},
    quick_trials=2,
    choices=(
        *CHOICES,
        "each user drops out with this probability, at a random point between the user's sends; a "
        "party that waits for this user stops waiting when no other party can go on (a "
        "real server needs a deadline, and takes longer)",
        "dpds_robust needs more than half of the shares, tss_robust three fifths",
    ),
    figure=lambda table: curves(
        table,
        "drop",
        panel="measure",
        line=["protocol"],
        words=str,
        titles={measure.name: measure.words for measure in table.measures},
        x_label="probability that a user drops out",
        y_label="",
        share_y=False,
        columns=3,
    ),
    cost=lambda parameters: 6.0 if parameters["protocol"] in ("secagg", "tss_robust") else 2.0,
)
