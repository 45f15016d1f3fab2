"""The trial with deadlines: when the server has its estimate, if it waits for a limited time."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from protocols.catalogue import about
from scenarios.completion.families import NEED_EVERYBODY, NETWORKS, people, script_of
from scenarios.completion.hurried import hurried
from scenarios.completion.trials import errors_of
from simnet.kernel.run import Run, run
from simnet.network.network import Network
from simnet.network.timing import Timing, timed
from simnet.record.fate import Ending, Fate
from simnet.scenario.drops import fates_of
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.table import Measure
from simnet.studies.trial import Aborted

JITTER = 0.5  # of the latency, on average
AGES = 1e4  # seconds; longer than any wait of a run
COUNTED = Measure("counted", "users who are counted [%]")
SECONDS = Measure("seconds", "until the server has its estimate [s]")
BY_NAME = {network.name: network for network in NETWORKS}


@attrs.frozen(kw_only=True)
class DeadlinePoint:
    """A protocol on a network. Each user drops out with the probability `drop`. A wait with a
    deadline lasts at most `patience` times as long as the longest of these waits in a run without
    drop-outs and random delays; the server of a committee waits at most twice as long as this.
    """

    protocol: str
    users: int
    network: str
    drop: float
    patience: float


def with_jitter(network: Network) -> Network:
    """Return the network with random delays. They have an exponential law, whose mean is half the
    latency.
    """
    latencies = {
        pair: attrs.evolve(latency, jitter=JITTER * latency.seconds)
        for pair, latency in network.latencies.items()
    }
    return attrs.evolve(network, name=f"{network.name} with jitter", latencies=latencies)


@cache
def longest_wait(name: str, users: int, network: str) -> float:
    """Return about the longest of the waits that get a deadline, in seconds, if nobody drops out
    and there are no random delays.
    """
    script, held, calm = script_of(name, users), people(users).inputs, BY_NAME[network]
    if name in NEED_EVERYBODY:
        return max(wait.ended - wait.began for wait in timed(run(script, held, 0), calm).waits)
    done = run(hurried(script, AGES), held, 0, threads=1, network=calm)
    # A wait is counted from the end of the party's wait before, so the work between them is in it.
    last: dict[int, float] = {}
    waits = [0.0]
    for ended in done.deadlines:
        waits.append(ended.at - last.get(ended.recipient, 0.0))
        last[ended.recipient] = ended.at
    return max(waits)


@typed(DeadlinePoint)
def with_deadline(point: DeadlinePoint, seed: int, data: Path | None) -> Measurements:
    """Return when the server has its estimate, the percentage of the users who are counted, and the
    error.

    Raises `Aborted` if the server has no estimate.
    """
    del data
    script, held = script_of(point.protocol, point.users), people(point.users).inputs
    fates, _ = fates_of([str(point.drop)] if point.drop else [], script, held, seed)
    within = point.patience * longest_wait(point.protocol, point.users, point.network)
    network = with_jitter(BY_NAME[point.network])
    wait_for = in_time_or_never if point.protocol in NEED_EVERYBODY else hurrying
    found = wait_for(script, held, seed, fates, network, within)
    estimator = about(script).estimator
    assert estimator is not None
    return {
        SECONDS.name: found.timing.ended[estimator],
        COUNTED.name: 100 * found.counted / point.users,
        **errors_of(found.done, script),
    }


class Waited(NamedTuple):
    """A run in which parties waited with deadlines, its times, and how many users are counted."""

    done: Run
    timing: Timing
    counted: int


def hurrying(
    script: Any, held: Any, seed: int, fates: dict[str, Fate], network: Network, within: float
) -> Waited:
    """Run a protocol that goes on without the users who are late.

    Raises `Aborted` if the server has no estimate.
    """
    protocol = hurried(script, within)
    done = run(protocol, held, seed, threads=1, fates=fates, network=network)
    if "server" not in done.outputs:
        raise Aborted(done.aborts)
    return Waited(done, timed(done, network, seed), len(script.counted(done.happened)))


def in_time_or_never(
    script: Any, held: Any, seed: int, fates: dict[str, Fate], network: Network, within: float
) -> Waited:
    """Run a protocol that has no result if one message is missing: up to the first deadline that
    passes, it runs as it does without deadlines.

    Raises `Aborted` if a message never comes, or comes after the deadline.
    """
    done = run(script, held, seed, threads=1, fates=fates)
    if done.aborts:
        raise Aborted(done.aborts)
    timing = timed(done, network, seed)
    late = [wait for wait in timing.waits if wait.ended - wait.began > within]
    if late:
        first = min(late, key=lambda wait: wait.began)
        line = timing.log.lines[int(timing.log.post_line[first.post])]
        why = f'its deadline passed before every "{line.tag}" had come'
        raise Aborted([Ending(timing.log.names[first.party], line.round, why)])
    return Waited(done, timing, len(held))
