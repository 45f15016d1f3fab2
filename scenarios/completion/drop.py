"""When protocols end if users drop out, how exact they are, and how many runs have a result."""

from typing import TYPE_CHECKING

from scenarios.completion.families import CHOICES, FAMILIES, NETWORKS, ROBUST
from scenarios.completion.figures import TIME, Cell, grid_of_cells
from scenarios.completion.trials import SECONDS, with_drop_outs
from simnet.studies.experiment import Experiment
from simnet.studies.table import COMPLETED, Table
from simnet.studies.trial import SQUARED_L2

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COSTS = {"tss": 0.6, "tss_robust": 1.2, "secagg": 0.6}  # seconds


def drawn(table: Table) -> "Figure":
    """Draw a panel for each network, one for the error, and one for the share of completed runs."""
    times = [
        Cell(network.name, measure, "seconds until the last party ends", scale=TIME)
        for network, measure in zip(NETWORKS, SECONDS, strict=True)
    ]
    error = Cell("error", SQUARED_L2, "squared L2 error")
    completed = Cell("runs with a result", COMPLETED, "share of the runs", log_y=False)
    cells = [*times[:2], error, *times[2:], completed]
    ticks = sorted(table.values("drop"))
    return grid_of_cells(table, "drop", "probability that a user drops out", cells, ticks=ticks)


EXPERIMENT = Experiment(
    summary="when protocols are done on four networks, and which runs have a result, against the "
    "probability that a user drops out",
    source="this project",
    trial=with_drop_outs,
    grid=[
        {
            "protocol": [*FAMILIES[:-1], *ROBUST],
            "users": [60],
            "drop": [0.0, 0.01, 0.05, 0.1],
        }
    ],
    measures=[*SECONDS, SQUARED_L2],
    trials=10,
    quick={"protocol": ["dpds", "committee", "secagg_plus"], "drop": [0.0, 0.1]},
    choices=(
        *CHOICES,
        "Each user drops out with probability `drop`, before, between or after its sends. A party "
        "that waits for this user stops waiting when no other party can go on, except in dpds, "
        "tss and dpdg. A real server needs a deadline, and takes longer.",
        "The protocols dpds, tss and dpdg have no result if a user leaves before its last message. "
        "The protocol dpds_robust needs more than half of the shares, and tss_robust three fifths "
        "of them.",
    ),
    figure=drawn,
    cost=lambda parameters: COSTS.get(str(parameters["protocol"]), 0.2),
)
