"""When protocols are done, and how exact they are, against the number of users."""

from typing import TYPE_CHECKING

from scenarios.completion.families import CHOICES, FAMILIES, NETWORKS
from scenarios.completion.figures import TIME, Cell, grid_of_cells
from scenarios.completion.trials import ERROR, SECONDS, without_drop_outs
from simnet.studies.experiment import Experiment, Parameters
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

USERS = (20, 60, 200, 600, 2000, 6000, 20_000, 60_000, 200_000)
MOST_OF_TSS = 2000  # a run of TSS with 6,000 users has 180 million messages


def cost(parameters: Parameters) -> float:
    """Return about how many seconds a trial takes."""
    users = int(parameters["users"] or 0)
    return 1.5e-5 * users**2 if parameters["protocol"] == "tss" else 0.1 + users / 200_000


def drawn(table: Table) -> "Figure":
    """Draw a panel for each network, and one for the error."""
    times = [
        Cell(network.name, measure, "seconds until the last party ends", scale=TIME)
        for network, measure in zip(NETWORKS, SECONDS, strict=True)
    ]
    error = Cell("error at equal privacy", ERROR, "expected squared L2 error")
    cells = [*times[:2], error, *times[2:]]
    return grid_of_cells(table, "users", "users n", cells, log_x=True, height=2.7)


EXPERIMENT = Experiment(
    summary="when protocols are done on four networks, and their error, against the number of "
    "users",
    source="this project",
    trial=without_drop_outs,
    grid=[
        {"protocol": [name for name in FAMILIES if name != "tss"], "users": USERS},
        {"protocol": ["tss"], "users": [users for users in USERS if users <= MOST_OF_TSS]},
    ],
    measures=[*SECONDS, ERROR],
    trials=2,
    quick={"users": [60, 200]},
    choices=(
        *CHOICES,
        "Nobody drops out.",
        "TSS elects users by chance, so its runs differ. It has no runs with more than "
        f"{MOST_OF_TSS:,} users, because these would have too many messages.",
        "The error is the mean of the squared L2 error by the law of the protocol, so it has no "
        "interval.",
    ),
    figure=drawn,
    cost=cost,
)
