"""When protocols are done, and how exact they are, against the number of users."""

from scenarios.completion.trials import CHOICES, MARGIN, SECONDS, without_drop_outs
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Parameters

FAST = ("dpds", "dpdg", "committee", "secagg", "secagg_plus", "oue", "grr")


def cost(parameters: Parameters) -> float:
    """Return about how many seconds a trial takes; a run of TSS takes longest."""
    users = int(parameters["users"] or 0)
    return users**2 / 40_000 if parameters["protocol"] == "tss" else 0.5 + users / 200_000


EXPERIMENT = Experiment(
    summary="when protocols are done on four networks, against the number of users",
    source="this project",
    trial=without_drop_outs,
    grid=[
        {"protocol": FAST, "users": [100, 300, 1000, 3000, 10_000, 30_000, 100_000, 1_000_000]},
        {"protocol": ["tss"], "users": [100, 300, 1000]},
    ],
    measures=[*SECONDS, MARGIN],
    trials=5,
    quick={"users": [100, 10_000]},
    choices=(
        *CHOICES,
        "nobody drops out; TSS elects users by chance, so its runs differ, and for more than 1,000 "
        "users a run has too many messages",
    ),
    figure=lambda table: curves(
        table,
        "users",
        panel="measure",
        line=["protocol"],
        words=str,
        titles={measure.name: measure.words for measure in table.measures},
        x_label="users n",
        y_label="",
        log_x=True,
        share_y=False,
        columns=3,
    ),
    cost=cost,
)
