"""A log that is written without a run is that of the run."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.advice.logs import log_of
from protocols.committee.script import Committee
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.secagg.script import SecAgg, SecAggPlus
from simnet import run
from simnet.network.presets import PRESETS
from simnet.network.recorded import RecordedRun, recorded
from simnet.network.timing import timed
from simnet.record.log import SEND, TAKE, TAKE_ALL, WORK


def told(log: RecordedRun) -> dict[str, list[object]]:
    """What each party does, in its order, without numbers of posts and lists."""

    def to(post: int) -> object:
        number = int(log.post_to[post])
        if number >= 0:
            return log.names[number]
        return [log.names[member] for member in log.groups[-1 - number]]

    def post(number: int) -> object:
        line = log.lines[int(log.post_line[number])]
        later = log.works[log.deferred[number]] if number in log.deferred else {}
        return log.names[line.sender], line.tag, line.frame_bytes, to(number), dict(later)

    found: dict[str, list[object]] = {name: [] for name in log.names}
    for party, kind, value in log.events.T.tolist():
        what: object = value
        if kind in (SEND, TAKE):
            what = post(value)
        elif kind == WORK:
            what = sorted(log.works[value].items())
        elif kind == TAKE_ALL:
            what = sorted(map(str, map(post, log.lists[value].tolist())))
        found[log.names[party]].append((kind, what))
    return found


@st.composite
def questions(draw: st.DrawFn) -> DPDS | DPDG:
    users, items = draw(st.integers(3, 9)), draw(st.integers(1, 12))
    if draw(st.booleans()):
        return DPDS(users, items, draw(st.sampled_from([0.2, 1.0])))
    return DPDG(users, items, 1.0, 1e-3, calibration="analytic")


@st.composite
def protocols(draw: st.DrawFn) -> DPDS | DPDG | Committee | SecAgg:
    question = draw(questions())
    n = question.users
    kind = draw(st.sampled_from(["pairs", "committee", "all", "neighbours"]))
    if kind == "pairs":
        return question
    if kind == "committee":
        members = draw(st.integers(1, 5))
        threshold = draw(st.sampled_from([f"{draw(st.integers(1, members))}", "60%"]))
        return Committee(n, question.items, 0.5, members, f"shamir:{threshold}")
    if kind == "all":
        return SecAgg(question, draw(st.integers(2, n)), draw(st.booleans()))
    degree = 2 * draw(st.integers(1, (n - 1) // 2))
    return SecAggPlus(question, draw(st.integers(2, degree + 1)), degree=degree)


@pytest.mark.slow
@given(protocols())
@settings(max_examples=30)
def test_a_log_without_a_run_is_that_of_the_run(protocol: DPDS | DPDG | Committee | SecAgg) -> None:
    items = [1 + user % protocol.items for user in range(protocol.users)]
    real, written = recorded(run(protocol, items, 5)), log_of(protocol, items)
    described = attrs.asdict(
        written,
        filter=lambda field, _: field.name in ("names", "roles", "sizes", "brings_input"),
    )
    assert all(getattr(real, name) == value for name, value in described.items())
    assert told(written) == told(real)
    ended, expected = (timed(log, PRESETS["mobile"]).ended for log in (written, real))
    assert ended == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_a_log_of_a_run_is_that_of_its_coins() -> None:
    """A local mechanism has no log without a run."""
    from protocols import GRR
    from protocols.local_frequency.script import FrequencyCollection

    protocol = FrequencyCollection(5, GRR(1.0, 3), "crowd")
    assert np.array_equal(log_of(protocol, [1] * 5).events, recorded(run(protocol, [1] * 5)).events)
