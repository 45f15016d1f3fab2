"""The trials without deadlines: one run, or a formula for its time, on four networks."""

from pathlib import Path
from typing import Any

import attrs

from protocols.advice.seconds import seconds
from protocols.catalogue import about
from protocols.tss.script import TSS
from scenarios.completion.families import NETWORKS, option, people, script_of
from simnet.kernel.run import Run, run
from simnet.network.network import Network
from simnet.network.recorded import recorded
from simnet.network.timing import timed
from simnet.scenario.drops import fates_of
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.table import Measure
from simnet.studies.trial import Aborted

ERROR = Measure("expected_squared_l2", "expected squared L2 error", exact=True)


def seconds_on(network: Network) -> Measure:
    """Return the measure of the time at which the last party ends on a network."""
    return Measure(f"seconds {network.name}", f"{network.name} [s]")


SECONDS = tuple(map(seconds_on, NETWORKS))


@attrs.frozen(kw_only=True)
class Point:
    """A protocol, by its label in `simnet compare`, and a number of users."""

    protocol: str
    users: int


@typed(Point)
def without_drop_outs(point: Point, seed: int, data: Path | None) -> Measurements:
    """Return when the last party ends on each network, and the expected error."""
    del data
    chosen = option(point.protocol, point.users)
    held = people(point.users).inputs.tolist()
    if isinstance(chosen.script, TSS):
        log = recorded(run(chosen.script, held, seed, threads=1))
        times = [timed(log, network).completion for network in NETWORKS]
    else:
        times = seconds(chosen.script, point.users, lambda: held, NETWORKS, chosen.messages)
    named = {measure.name: time for measure, time in zip(SECONDS, times, strict=True)}
    return {**named, ERROR.name: chosen.error}


@attrs.frozen(kw_only=True)
class DropPoint:
    """A protocol, by its name, and the probability with which each user drops out."""

    protocol: str
    users: int
    drop: float


@typed(DropPoint)
def with_drop_outs(point: DropPoint, seed: int, data: Path | None) -> Measurements:
    """Return when the last party ends on each network, and the error of the estimate.

    Raises `Aborted` if the run is aborted.
    """
    del data
    protocol = script_of(point.protocol, point.users)
    held = people(point.users).inputs
    fates, _ = fates_of([str(point.drop)] if point.drop else [], protocol, held, seed)
    done = run(protocol, held, seed, threads=1, fates=fates)
    if done.aborts:
        raise Aborted(done.aborts)
    log = recorded(done)
    times = {
        measure.name: timed(log, network).completion
        for measure, network in zip(SECONDS, NETWORKS, strict=True)
    }
    return {**times, **errors_of(done, protocol)}


def errors_of(done: Run, protocol: Any) -> dict[str, float | str]:
    """Return the error of the estimate of a run, with its expected value and standard deviation."""
    population = people(protocol.users)
    assess = about(protocol).assess
    assert assess is not None
    assessed = assess(done, population.totals)
    return {
        "squared_l2": assessed.squared_l2,
        "expected_squared_l2": assessed.expected_squared_l2,
        "deviation_squared_l2": assessed.deviation_squared_l2,
        "people": population.source,
    }
