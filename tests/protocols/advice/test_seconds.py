"""Laws of times are what the clock finds in the log of a run."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.advice.logs import log_of
from protocols.advice.seconds import TooLarge, seconds
from protocols.committee.script import Committee
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.secagg.script import SecAgg, SecAggPlus
from protocols.tss.script import TSS
from simnet.network.network import Access, Latency, Network, Transport
from simnet.network.presets import PRESETS
from simnet.network.timing import timed

RATES = st.one_of(st.none(), st.floats(1e3, 1e8))


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Draw a network without chances."""
    names = ("client", "server")
    return Network(
        name="drawn",
        classes={
            name: Access(draw(RATES), draw(RATES), draw(st.floats(0.5, 20))) for name in names
        },
        latencies={
            pair: Latency(draw(st.floats(0, 0.2))) for pair in itertools.product(names, names)
        },
        transport=draw(st.sampled_from([Transport(), Transport(10, 3)])),
        prices={
            kind: draw(st.floats(0, 1e-4)) for kind in ("FA", "FM", "FS", "BS", "RS", "RM", "nS")
        },
    )


@st.composite
def protocols(draw: st.DrawFn) -> DPDS | DPDG | SecAgg | Committee:
    users, items = draw(st.integers(3, 30)), draw(st.integers(1, 40))
    question: DPDS | DPDG = DPDS(users, items, 0.5)
    if draw(st.booleans()):
        question = DPDG(users, items, 1.0, 1e-3, calibration="analytic")
    kind = draw(st.sampled_from(["pairs", "all", "neighbours", "committee"]))
    if kind == "pairs":
        return question
    if kind == "committee":
        members = draw(st.integers(1, 6))
        return Committee(users, items, 0.5, members, f"shamir:{draw(st.integers(1, members))}")
    if kind == "all":
        return SecAgg(question, draw(st.integers(2, users)), draw(st.booleans()))
    degree = 2 * draw(st.integers(1, (users - 1) // 2))
    return SecAggPlus(question, draw(st.integers(2, degree + 1)), degree=degree)


@given(protocols(), networks())
@settings(max_examples=30)
def test_a_law_gives_the_time_of_the_clock(
    protocol: DPDS | DPDG | SecAgg | Committee, network: Network
) -> None:
    by_clock = timed(log_of(protocol, []), network).completion
    (by_law,) = seconds(protocol, protocol.users, list, [network], protocol.users)
    assert by_law == pytest.approx(by_clock, rel=1e-12, abs=1e-12)


def test_where_there_is_no_law_the_clock_looks_at_every_message() -> None:
    chances = {pair: Latency(0.01, jitter=0.1) for pair in PRESETS["mobile"].latencies}
    network = Network(name="jitter", classes=PRESETS["mobile"].classes, latencies=chances)
    protocol = DPDS(20, 3, 0.5)
    by_clock = timed(log_of(protocol, []), network).completion
    assert seconds(protocol, 20, list, [network], 20) == [by_clock]
    with pytest.raises(TooLarge, match="the clock"):
        seconds(DPDS(100_000, 3, 0.5), 100_000, list, [network], 1e5)
    with pytest.raises(TooLarge, match="a run"):
        seconds(TSS(100_000, 9, 0.5, 3), 100_000, list, [PRESETS["mobile"]], 1e4)
