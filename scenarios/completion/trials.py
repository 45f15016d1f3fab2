"""The trials: one run, or a formula for its time, on four networks.

All protocols estimate the frequencies of the same items at the same privacy: the parameters
are those of `simnet compare`.
"""

from functools import cache
from pathlib import Path
from typing import Any

import attrs

from protocols.advice.advice import Option, Question, options_of
from protocols.advice.seconds import seconds
from protocols.catalogue import about
from protocols.committee.script import RobustDPDS
from protocols.dpds.script import DPDS
from protocols.tss.robust import RobustTSS
from protocols.tss.script import TSS
from simnet.kernel.run import run
from simnet.network.presets import PRESETS
from simnet.network.recorded import recorded
from simnet.network.timing import timed
from simnet.scenario.drops import fates_of
from simnet.scenario.synthetic import uniform_items
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.table import Measure
from simnet.studies.trial import Aborted

ITEMS, EPSILON, DELTA = 10, 1.0, 1e-6
NETWORKS = tuple(PRESETS[name] for name in ("data-centre", "wide-area", "broadband", "mobile"))
MARGIN = Measure("margin", "margin [percentage points]", exact=True)
SECONDS = tuple(Measure(f"seconds {one.name}", f"{one.name} [s]") for one in NETWORKS)
CHOICES = (
    f"{ITEMS} items that equally many users hold; a user's item is protected with ε = {EPSILON:g} "
    f"and δ = {DELTA:g} (local mechanisms with δ = 0), with the parameters of `simnet compare`",
    "the networks and prices of operations that have a name (`simnet network`)",
)


@cache
def option(label: str, users: int) -> Option:
    """Return the protocol with this label in `simnet compare`, at equal privacy."""
    question = Question(users, ITEMS, EPSILON, DELTA, rarest=users // ITEMS)
    found = options_of(label.removesuffix(" with noise"), question)
    return next(one for one in found if one.label == label)


@attrs.frozen(kw_only=True)
class Point:
    """A protocol, by its label in `simnet compare`, and a number of users."""

    protocol: str
    users: int


@typed(Point)
def without_drop_outs(point: Point, seed: int, data: Path | None) -> Measurements:
    """Return when the last party ends on each network, and the margin of a frequency."""
    del data
    chosen = option(point.protocol, point.users)
    held = [1 + user % ITEMS for user in range(point.users)] if point.users <= 10_000 else []
    times = seconds(chosen.script, point.users, lambda: held, NETWORKS, chosen.messages, seed=seed)
    named = {measure.name: time for measure, time in zip(SECONDS, times, strict=True)}
    return {**named, MARGIN.name: 100 * chosen.margin(1 / ITEMS)}


@attrs.frozen(kw_only=True)
class DropPoint:
    """A protocol that users may leave, and the probability with which each user leaves."""

    protocol: str
    users: int
    drop: float


@typed(DropPoint)
def with_drop_outs(point: DropPoint, seed: int, data: Path | None) -> Measurements:
    """Return when the last party ends on each network, and the error of the estimate.

    Raises `Aborted` if the run is aborted.
    """
    del data
    protocol = robust(point.protocol, point.users)
    people = uniform_items(point.users, ITEMS, seed)
    fates, _ = fates_of([str(point.drop)] if point.drop else [], protocol, people.inputs, seed)
    done = run(protocol, people.inputs, seed, threads=1, fates=fates)
    if done.aborts:
        raise Aborted(done.aborts)
    assess = about(protocol).assess
    assert assess is not None
    assessed = assess(done, people.totals)
    log = recorded(done)
    times = {
        measure.name: timed(log, network).completion
        for measure, network in zip(SECONDS, NETWORKS, strict=True)
    }
    return {
        **times,
        "squared_l2": assessed.squared_l2,
        "expected_squared_l2": assessed.expected_squared_l2,
        "deviation_squared_l2": assessed.deviation_squared_l2,
        "people": people.source,
    }


def robust(name: str, users: int) -> Any:
    """Return a protocol that survives drop-outs, with the parameters of `simnet compare`."""
    if name == "dpds_robust":
        sampled = option("dpds", users).script
        assert isinstance(sampled, DPDS)
        p = sampled.participation
        return RobustDPDS(users, ITEMS, p, sharing=f"shamir:{users // 2 + 1}")
    if name == "tss_robust":
        staged = option("tss", users).script
        assert isinstance(staged, TSS)
        return RobustTSS(users, ITEMS, staged.participation, staged.reported)
    return option(name, users).script
