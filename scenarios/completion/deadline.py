"""When a server has its estimate, and how exact it is, against how long the server waits."""

from typing import TYPE_CHECKING

from scenarios.completion.families import CHOICES, FAMILIES
from scenarios.completion.figures import TIME, Cell, grid_of_cells
from scenarios.completion.waiting import BY_NAME, COUNTED, SECONDS, with_deadline
from simnet.studies.experiment import Experiment
from simnet.studies.table import COMPLETED, Table
from simnet.studies.trial import SQUARED_L2

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def drawn(table: Table) -> "Figure":
    """Draw the time on each network for each rate of drop-outs. Two more panels for each rate show
    the share of the runs with a result and the error, on all networks together.
    """
    drops = table.values("drop")
    cells = [
        Cell(
            f"{name}, {drop * 100:g} % leave",
            SECONDS,
            "seconds until the estimate",
            {"network": name, "drop": drop},
            scale=TIME,
        )
        for drop in drops
        for name in table.values("network")
    ]
    for drop in drops:
        fixed, words = {"drop": drop}, f"all, {drop * 100:g} % leave"
        share = Cell(words, COMPLETED, "runs with a result", fixed, log_y=False)
        cells += [share, Cell(words, SQUARED_L2, "squared L2 error", fixed, scale="error")]
    columns = max(2, len(table.values("network")))
    return grid_of_cells(
        table,
        "patience",
        "deadline / longest wait",
        cells,
        columns=columns,
        ticks=sorted(table.values("patience")),
    )


EXPERIMENT = Experiment(
    summary="when a server with deadlines has its estimate, against how long it waits",
    source="this project",
    trial=with_deadline,
    grid=[
        {
            "protocol": FAMILIES[:-1],
            "users": [60],
            "network": list(BY_NAME),
            "drop": [0.0, 0.1],
            "patience": [2.0, 4.0, 8.0],
        }
    ],
    measures=[SECONDS, COUNTED, SQUARED_L2],
    trials=5,
    quick={
        "protocol": ["dpds", "committee", "oue"],
        "network": ["mobile"],
        "patience": [2.0, 8.0],
    },
    choices=(
        *CHOICES,
        "Every message is delayed at random, by an exponential law whose mean is half the latency.",
        "If a server, or a member of the committee, waits for several parties, it waits at most "
        "`patience` times as long as the longest of such waits in a run without drop-outs and "
        "without random delays. The server of a committee waits twice as long as its members.",
        "In dpds, tss and dpdg the users add up shares, so each wait of a user has a deadline "
        "too. If a message is missing when a deadline passes, the run has no result.",
        "Each user drops out with probability `drop`, before, between or after its sends.",
    ),
    figure=drawn,
    cost=lambda parameters: 0.5 if parameters["protocol"] in ("secagg", "tss") else 0.2,
)
