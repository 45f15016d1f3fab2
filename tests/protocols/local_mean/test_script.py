"""Local collections of a mean: declared ranges, stated errors, and one bill however users are
seated.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.ldp_sgd.script import LDPSGD, ldp_sgd
from protocols.local_frequency.script import local_frequency
from protocols.local_mean.script import MeanCollection, local_mean
from protocols.mechanisms.named import NUMERIC as MECHANISMS
from protocols.weighted.groups import weighted, weighted_mean
from protocols.weighted.script import Weighted
from simnet import ScriptError, Shuffled, run
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but

AGES = np.array([17.0, 25.0, 25.0, 38.5, 90.0, 64.0] * 50)


def ages(mechanism: str, population: Any = "crowd", epsilon: float = 1.0) -> MeanCollection:
    return local_mean(
        users=len(AGES),
        mechanism=mechanism,
        epsilon=epsilon,
        low=0.0,
        high=100.0,
        population=population,
    )


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("seating", long_but(["actors", "crowd"], "crowd"))
def test_errors_and_intervals_are_as_stated(mechanism: str, seating: Any) -> None:
    """Mean and variance lie within 5.5 standard deviations, and no fewer intervals than 5.5 below
    95 % hold the truth.

    That is at most one false alarm in 3 million for each of the 36.
    """
    held, runs = (AGES, 200) if seating == "crowd" else (AGES[:12], 60)
    protocol = local_mean(
        users=len(held), mechanism=mechanism, low=0.0, high=100.0, population=seating
    )
    done = [run(protocol, held, seed) for seed in range(runs)]
    assessed = about(protocol).assess(done[0], np.array([held.sum()]))
    errors = np.array([one.outputs["server"] for one in done]) - held.mean()
    assert abs(errors.mean()) < 5.5 * np.sqrt(assessed.expected_squared_l2 / runs)
    ratio = np.mean(errors**2) / assessed.expected_squared_l2
    half = (assessed.high[0] - assessed.low[0]) / 2  # the same in every run
    assert np.sum(np.abs(errors) <= half) > 0.95 * runs - 5.5 * np.sqrt(runs * 0.95 * 0.05)
    assert abs(ratio - 1) < 5.5 * np.sqrt(
        2.5 / runs
    )  # 2 for a normal sum; of a dozen exponentials it is 2.5


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_expected_error_is_that_of_the_values_in_their_own_units(mechanism: str) -> None:
    protocol = ages(mechanism)
    chosen: Any = protocol.mechanism
    scaled = (AGES - 50) / 50
    exact = sum(chosen.law(t).second_moment - t * t for t in scaled[:6]) * 50 * 50**2 / 300**2
    assessed = about(protocol).assess(run(protocol, AGES), np.array([AGES.sum()]))
    assert assessed.expected_squared_l2 == pytest.approx(exact, rel=1e-9)
    assert assessed.truth[0] == pytest.approx(AGES.mean())
    half = (assessed.high[0] - assessed.low[0]) / 2
    assert half == pytest.approx(
        1.959964 * 50 * np.sqrt(protocol.mechanism.worst_variance / 300), rel=1e-6
    )
    assert assessed.estimated_variance[0] >= assessed.variance[0] * (1 - 1e-12)


@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=5),
    st.sampled_from(sorted(MECHANISMS)),
    st.integers(0, 99),
)
@cases(30)
def test_the_bill_is_the_same_however_users_are_seated(
    held: list[float], mechanism: str, seed: int
) -> None:
    bills = []
    for seating in ("actors", "crowd"):
        protocol = local_mean(users=len(held), mechanism=mechanism, population=seating)
        done = run(protocol, held, seed)
        assert done.trace_hash == run(protocol, held, seed, schedule=Shuffled(seed)).trace_hash
        assert not done.ledger.unread()
        bills.append(
            [
                done.ledger.by(axis, way)
                for axis in ("role", "round", "tag")
                for way in ("sent", "received")
            ]
        )
    assert bills[0] == bills[1]
    sent = bills[0][0]["user"]
    assert (sent.messages, sent.payload_bytes) == (
        len(held),
        len(held) * (1 if mechanism == "duchi" else 8),
    )


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.floats(0, 1))
def test_values_are_scaled_into_the_declared_range_and_back(
    low: float, width: float, share: float
) -> None:
    protocol = local_mean(users=1, low=low, high=low + width)
    assert protocol.interval.scaled([protocol.low, protocol.high]).tolist() == [-1, 1]
    value = min(low + share * width, protocol.high)
    (scaled,) = protocol.interval.scaled([value])
    assert -1 <= scaled <= 1
    assert protocol.interval.unscaled(scaled) == pytest.approx(
        value, rel=1e-9, abs=1e-9 * (abs(low) + width)
    )


@pytest.mark.parametrize("stranger", [-0.1, 100.1, float("nan"), float("inf")])
@pytest.mark.parametrize("seating", ["actors", "crowd"])
def test_a_value_out_of_the_declared_range_is_refused(stranger: float, seating: Any) -> None:
    held = AGES.copy()
    held[7] = stranger
    with pytest.raises(
        ScriptError, match=rf"values lie in the declared range 0..100, got {stranger}"
    ):
        run(ages("pm", seating), held)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (
            {"mechanism": "gauss"},
            "mechanism is hm or pm or .* or least-variance, got 'gauss'",
        ),
        (
            {"low": 1.0, "high": 1.0},
            r"a range of finite length, with low below high, got 1.0..1.0",
        ),
        ({"low": 2.0}, r"got 2.0..1.0"),
        ({"low": float("-inf")}, r"a range of finite length, with low below high"),
        ({"high": float("nan")}, r"a range of finite length, with low below high"),
        ({"low": -1e308, "high": 1e308}, r"a range of finite length, with low below high"),
        ({"population": "aggregate"}, "for numbers use population=crowd"),
        ({"population": "all"}, "population is actors or crowd"),
        ({"users": 0}, "users is at least 1"),
        ({"epsilon": 0.0}, "epsilon is positive"),
    ],
)
def test_nonsense_is_refused(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        local_mean(**{"users": 3, **given})


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_stated_epsilon_is_that_of_the_mechanism(mechanism: str) -> None:
    protocol = ages(mechanism, epsilon=0.8)
    stated = about(protocol).disclosure(["report"])
    assert stated is not None
    assert stated.epsilon == pytest.approx(0.8, rel=1e-9)
    assert about(protocol).privacy(None, None, None, None)[0].epsilon == stated.epsilon


@for_each(
    "protocol, dense",
    [
        (local_mean(users=3, mechanism="pm"), True),
        (local_mean(users=3, mechanism="hm"), True),
        (local_mean(users=3, mechanism="hm", epsilon=0.5), False),  # Duchi et al.'s alone
        (local_mean(users=3, mechanism="duchi"), False),
        (weighted_mean(users=4, epsilons="0.5,1", protocol="hm"), True),
        (weighted_mean(users=4, epsilons="0.5,1", protocol="duchi"), False),
        (weighted(users=4, items=2, epsilons="0.5,1", protocol="oue"), False),
        (ldp_sgd(users=4, attributes=2, mechanism="hm"), True),
        (ldp_sgd(users=4, attributes=2, mechanism="duchi"), False),
        (local_frequency(users=3, items=4), False),
    ],
)
def test_what_has_a_density_is_stated_for_exact_reals_alone(protocol: Any, dense: bool) -> None:
    tags = {"g1.report", "estimate"} if isinstance(protocol, Weighted) else {"report"}
    told = about(protocol).disclosure({"gradient"} if isinstance(protocol, LDPSGD) else tags)
    assert told.tier == ("proved for exact reals" if dense else "proved")
    assert ("doubles that are sent can tell more" in told.argument) == dense
    if not isinstance(protocol, Weighted | LDPSGD):
        (stated,) = about(protocol).privacy(None, None, None, None)
        told_of = "exact reals: the doubles that are drawn and sent can tell more"
        assert stated.assumption == (
            told_of if dense else "nothing: the statement holds for each user separately"
        )
