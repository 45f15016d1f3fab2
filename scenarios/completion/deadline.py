"""When a server has its estimate, and how exact it is, against how long the server waits."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from protocols.catalogue import about
from protocols.local_frequency.script import FrequencyCollection
from scenarios.completion.hurried import hurried
from scenarios.completion.trials import CHOICES, ITEMS, NETWORKS, option
from simnet.kernel.run import run
from simnet.network.network import Network
from simnet.network.timing import timed
from simnet.scenario.drops import fates_of
from simnet.scenario.synthetic import uniform_items
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.table import Measure, Table
from simnet.studies.trial import SQUARED_L2, Aborted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JITTER = 0.5  # of the latency, on average
AGES = 1e4  # seconds; longer than any wait of a run
COUNTED = Measure("counted", "users who are counted [%]")
SECONDS = Measure("seconds", "until the server has its estimate [s]")
BY_NAME = {network.name: network for network in NETWORKS}


@attrs.frozen(kw_only=True)
class DeadlinePoint:
    """A protocol on a network. Each user leaves with the probability `drop`. Each wait of a server
    or a member of a committee lasts at most `patience` times as long as the longest of these waits
    on a calm network; the server of a committee waits twice as long as the members.
    """

    protocol: str
    users: int
    network: str
    drop: float
    patience: float


def with_jitter(network: Network) -> Network:
    """Return the network with messages that come later by chance: half the latency on average, by
    an exponential law.
    """
    latencies = {
        pair: attrs.evolve(latency, jitter=JITTER * latency.seconds)
        for pair, latency in network.latencies.items()
    }
    return attrs.evolve(network, name=f"{network.name} with jitter", latencies=latencies)


def plain(name: str, users: int) -> Any:
    """Return the protocol with the parameters of `simnet compare`; its users are actors."""
    script = option(name, users).script
    if isinstance(script, FrequencyCollection):
        return attrs.evolve(script, population="actors")
    return script


@cache
def longest_wait(name: str, users: int, network: str) -> float:
    """Return the longest wait of a server or a member, in seconds, if nobody drops out and no
    message comes late.
    """
    held = uniform_items(users, ITEMS, 0).inputs
    done = run(hurried(plain(name, users), AGES), held, 0, threads=1, network=BY_NAME[network])
    last: dict[int, float] = {}
    longest = 0.0
    for ended in done.deadlines:
        longest = max(longest, ended.at - last.get(ended.recipient, 0.0))
        last[ended.recipient] = ended.at
    return longest


@typed(DeadlinePoint)
def with_deadline(point: DeadlinePoint, seed: int, data: Path | None) -> Measurements:
    """Return when the server has its estimate, who is counted, and the error.

    Raises `Aborted` if the server has no estimate.
    """
    del data
    script = plain(point.protocol, point.users)
    people = uniform_items(point.users, ITEMS, seed)
    fates, _ = fates_of([str(point.drop)] if point.drop else [], script, people.inputs, seed)
    within = point.patience * longest_wait(point.protocol, point.users, point.network)
    protocol, network = hurried(script, within), with_jitter(BY_NAME[point.network])
    done = run(protocol, people.inputs, seed, threads=1, fates=fates, network=network)
    if "server" not in done.outputs:
        raise Aborted(done.aborts)
    assess = about(script).assess
    assert assess is not None
    assessed = assess(done, people.totals)
    return {
        SECONDS.name: timed(done, network, seed).ended["server"],
        COUNTED.name: 100 * len(script.counted(done.happened)) / point.users,
        "squared_l2": assessed.squared_l2,
        "expected_squared_l2": assessed.expected_squared_l2,
        "deviation_squared_l2": assessed.deviation_squared_l2,
        "people": people.source,
    }


def drawn(table: Table) -> "Figure":
    """Draw the curves of the last network."""
    return curves(
        table.where(network=table.values("network")[-1]),
        "patience",
        panel="measure",
        line=["protocol", "drop"],
        words=lambda protocol, drop: f"{protocol}, {drop:.0%} drop out",
        titles={measure.name: measure.words for measure in table.measures},
        x_label="deadline, as a multiple of the longest wait",
        y_label="",
        share_y=False,
        columns=3,
    )


EXPERIMENT = Experiment(
    summary="when a server with deadlines has its estimate, against how long it waits",
    source="this project",
    trial=with_deadline,
    grid=[
        {
            "protocol": ["committee", "secagg", "secagg_plus", "oue"],
            "users": [60],
            "network": list(BY_NAME),
            "drop": [0.0, 0.1],
            "patience": [1.5, 2.0, 4.0, 8.0],
        }
    ],
    measures=[SECONDS, COUNTED, SQUARED_L2],
    trials=5,
    quick={"protocol": ["committee", "oue"], "network": ["mobile"], "patience": [2.0, 8.0]},
    quick_trials=2,
    choices=(
        *CHOICES,
        "every message comes later by chance: by half the latency on average, by an exponential "
        "law",
        "each wait of a server, and of a member of the committee, ends at a deadline: `patience` "
        "times the longest of these waits if nobody drops out and no message comes later (the "
        "server of a committee waits twice as long as the members)",
        "each user drops out with this probability, at a random point between the user's sends",
    ),
    figure=drawn,
    cost=lambda parameters: 2.0 if parameters["protocol"] == "secagg" else 1.0,
)
