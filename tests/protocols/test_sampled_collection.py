"""Sampled collections on the kernel: silence costs nothing and tells nothing, one law however users are seated."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.local.accuracy import score_interval, squared_l2_deviation
from protocols.local.sampled import SampledGRR
from protocols.local.sampled_collection import sampled_frequency
from simnet import Shuffled, run
from simnet.exhaustive.compare import Comparison
from simnet.record.bill import measured
from simnet.record.ledger import Traffic
from tests.protocols.test_local_frequency import HELD, SEATINGS, output_law


def collected(users: int, items: int, seating: str = "actors", **parameters: Any) -> Any:
    return sampled_frequency(users=users, items=items, population=seating, **parameters)  # type: ignore[arg-type]


@pytest.mark.parametrize(("items", "sampling"), [(2, 0.25), (3, 0.5), (2, 1.0)])
def test_the_estimate_has_exactly_the_same_law_however_users_are_seated(items: int, sampling: float) -> None:
    laws = [output_law(collected(3, items, seating, sampling=sampling), HELD) for seating in SEATINGS]
    assert sum(laws[0].values()) == 1
    assert laws[0] == laws[1] == laws[2]
    assert laws[0] != output_law(collected(3, items, sampling=sampling * 0.999), HELD)


@pytest.mark.parametrize(("items", "sampling"), [(2, 0.25), (3, 0.5), (3, 1.0)])
def test_mean_and_spread_of_the_error_are_those_of_the_exact_law(items: int, sampling: float) -> None:
    protocol = collected(3, items, "crowd", sampling=sampling)
    support = np.bincount(HELD, minlength=items + 1)[1:]
    law: Any = output_law(protocol, HELD)
    chances = np.array([float(chance) for chance in law.values()])
    estimates = np.array(list(law))
    np.testing.assert_allclose(chances @ estimates, support / 3, atol=1e-10)
    errors = np.sum((estimates - support / 3) ** 2, axis=1)
    assert chances @ errors == pytest.approx(protocol.mechanism.variance(support / 3, 3).sum(), rel=1e-9)
    spread = math.sqrt(chances @ errors**2 - (chances @ errors) ** 2)
    assert squared_l2_deviation(protocol.mechanism, support) == pytest.approx(spread, rel=1e-7)


@pytest.mark.parametrize("seating", SEATINGS)
@given(st.integers(1, 6), st.integers(2, 5), st.floats(0.05, 1), st.integers(0, 2**32), st.data())
@settings(max_examples=15)
def test_a_message_for_each_report_and_none_for_silence(
    seating: str, users: int, items: int, sampling: float, seed: int, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    protocol = collected(users, items, seating, sampling=sampling)
    done = run(protocol, held, seed)
    assert done.trace_hash == run(protocol, held, seed, schedule=Shuffled(data.draw(st.integers(0, 9)))).trace_hash
    sent = done.ledger.by("role", "sent").get("user", Traffic())
    reports = done.outputs["server"].sum() * users * sampling
    assert sent.messages == pytest.approx(reports, abs=1e-6)
    assert sent.payload_bytes == sent.messages  # an index of up to 8 items takes a byte
    assert done.ledger.by("role", "received").get("server", Traffic()) == sent
    assert not done.ledger.unread()
    assert done.ledger.rounds == (sent.messages > 0)  # a round is one in which somebody speaks
    assert all(
        measured(protocol.name, entry, done.ledger, users if entry.role == "user" else 1).holds
        for entry in protocol.expected_bill(done)
    )


def test_an_observer_sees_the_reports_that_were_sent() -> None:
    for seating in ("actors", "crowd"):
        protocol = collected(40, 3, seating, sampling=0.3, epsilon=2.0)
        done = run(protocol, np.arange(40) % 3 + 1, 5, observe=["server"])
        seen = [int(np.asarray(message.payload.values).ravel()[0]) + 1 for message in done.view(["server"]).received]
        assert len(seen) == done.ledger.total("sent").messages
        supports = protocol.mechanism.supports(seen)
        np.testing.assert_allclose(protocol.mechanism.estimate(supports, 40), done.outputs["server"])


@pytest.mark.parametrize("sampling", [0.25, 1.0])
def test_the_exact_law_of_the_servers_view_has_the_epsilon_of_a_report(sampling: float) -> None:
    """Neither more nor less: silence is in the view, and sampling does not amplify what the server sees."""
    protocol = collected(2, 3, sampling=sampling, epsilon=0.7)
    stated = protocol.disclosure(["report"])
    assert stated.epsilon == pytest.approx(0.7, rel=1e-12)
    assert Comparison(protocol, "server").worst([1, 2]).largest_epsilon == pytest.approx(0.7, rel=1e-12)
    assert Comparison(protocol, "u2").compare([1, 2], [2, 2]).same
    assert Comparison(protocol, "network").compare([1, 2], [3, 2]).same  # who is silent depends on no value


@pytest.mark.parametrize("seating", SEATINGS)
def test_many_runs_have_the_mean_and_the_variance_that_are_stated(seating: str) -> None:
    """Each of 8 statistics lies within 5.5 standard deviations: at most one false alarm in 3 million for each."""
    users, runs = (400, 120) if seating != "actors" else (40, 60)
    protocol = collected(users, 4, seating, sampling=0.4, epsilon=1.5)
    held = np.array([1, 1, 1, 2] * (users // 4))
    shares = np.array([0.75, 0.25, 0.0, 0.0])
    estimates = np.array([run(protocol, held, seed).outputs["server"] for seed in range(runs)])
    variance = protocol.mechanism.variance(shares, users)
    assert np.abs((estimates.mean(axis=0) - shares) / np.sqrt(variance / runs)).max() < 5.5
    ratio = np.mean((estimates - shares) ** 2, axis=0) / variance
    assert np.abs(ratio - 1).max() < 5.5 * math.sqrt(2.4 / runs)


@given(st.integers(1, 2000), st.floats(0.001, 1), st.floats(0.01, 10), st.integers(2, 50), st.data())
def test_intervals_exist_wherever_an_estimate_can_lie(
    users: int, sampling: float, epsilon: float, items: int, data: st.DataObject
) -> None:
    mechanism = SampledGRR(epsilon, items, sampling)
    one = data.draw(st.integers(0, users))
    estimate = mechanism.estimate(np.array([one, users - one, *[0] * (items - 2)]), users)
    low, high = score_interval(mechanism.variance, estimate, users, 0.95)
    assert (low <= high).all()
    assert np.isfinite([low, high]).all()


@pytest.mark.parametrize(
    ("given_", "wrong"),
    [
        ({"users": 0}, "users is at least 1"),
        ({"items": 1}, "items is at least 2"),
        ({"epsilon": -1.0}, "epsilon is positive"),
        ({"sampling": 0.0}, "sampling is a probability above 0"),
        ({"population": "masses"}, "population is actors or crowd or aggregate, got 'masses'"),
    ],
)
def test_nonsense_is_refused(given_: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        sampled_frequency(**{"users": 3, "items": 3, **given_})
