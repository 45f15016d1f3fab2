"""Local collections of frequencies: the law and the bill do not depend on how users are seated, and
errors are as stated.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.local_frequency.script import local_frequency
from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.named import FREQUENCY as MECHANISMS
from protocols.mechanisms.numbered import Numbered
from protocols.mechanisms.tuples import Tuples
from protocols.reports.accuracy import score_interval, squared_l2_deviation
from simnet import Shuffled, run
from simnet.exhaustive.compare import Comparison
from tests.harness.fuzz import cases
from tests.harness.laws import HELD, SEATINGS, output_law
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.networks import completion


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "items"), [("oue", 2), ("sue", 2), ("grr", 2), ("grr", 3), ("hadamard", 3)]
)
def test_the_estimate_has_exactly_the_same_law_however_users_are_seated(
    mechanism: str, items: int
) -> None:
    held = HELD if mechanism == "grr" else HELD[:2]
    laws = [
        output_law(
            local_frequency(users=len(held), items=items, mechanism=mechanism, population=seating),
            held,
        )
        for seating in SEATINGS
    ]
    assert sum(laws[0].values()) == 1
    assert laws[0] == laws[1] == laws[2]


def test_another_law_is_told_apart() -> None:
    one, other = (
        local_frequency(users=2, items=2, mechanism="grr", epsilon=e) for e in (1.0, 1.0001)
    )
    assert output_law(one, [1, 2]) != output_law(other, [1, 2])


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mean_and_spread_of_the_error_are_those_of_the_exact_law(mechanism: str) -> None:
    held, items = (HELD, 3) if mechanism == "grr" else (HELD[:2], 2)
    protocol = local_frequency(
        users=len(held), items=items, mechanism=mechanism, population="crowd"
    )
    truth = np.bincount(held, minlength=items + 1)[1:] / len(held)
    law: Any = output_law(protocol, held)
    chances = np.array([float(chance) for chance in law.values()])
    estimates = np.array(list(law))
    np.testing.assert_allclose(chances @ estimates, truth, atol=1e-11)
    errors = np.sum((estimates - truth) ** 2, axis=1)
    assert chances @ errors == pytest.approx(about(protocol).expected_squared_l2, rel=1e-9)
    spread = np.sqrt(chances @ errors**2 - (chances @ errors) ** 2)
    deviation = squared_l2_deviation(protocol.mechanism, np.bincount(held, minlength=items + 1)[1:])
    if isinstance(protocol.mechanism, Numbered):
        assert np.isnan(deviation)  # not worked out
    else:
        assert deviation == pytest.approx(spread, rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("seating", long_but(SEATINGS, "crowd"))
def test_many_runs_have_the_mean_and_the_variance_that_are_stated(
    mechanism: str, seating: Any
) -> None:
    """Each of 8 statistics lies within 5.5 standard deviations: at most one false alarm in 3
    million for each.
    """
    users, runs = (300, 100) if seating != "actors" else (20, 50)
    protocol = local_frequency(
        users=users, items=4, mechanism=mechanism, epsilon=1.5, population=seating
    )
    held = np.array([1, 1, 1, 2] * (users // 4))
    shares = np.array([0.75, 0.25, 0.0, 0.0])
    estimates = np.array([run(protocol, held, seed).outputs["server"] for seed in range(runs)])
    variance = protocol.mechanism.variance(shares, users)
    z = (estimates.mean(axis=0) - shares) / np.sqrt(variance / runs)
    assert np.abs(z).max() < 5.5
    ratio = np.mean((estimates - shares) ** 2, axis=0) / variance
    assert np.abs(ratio - 1).max() < 5.5 * np.sqrt(
        2.2 / runs
    )  # a little above 2: sums of coins are nearly normal


@pytest.mark.parametrize("mechanism", MECHANISMS)
@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32), st.data())
@cases(10)
def test_the_bill_is_the_same_however_users_are_seated(
    mechanism: str, users: int, items: int, seed: int, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    bills = []
    for seating in SEATINGS:
        protocol = local_frequency(
            users=users, items=items, mechanism=mechanism, population=seating
        )
        done = run(protocol, held, seed)
        other = run(protocol, held, seed, schedule=Shuffled(data.draw(st.integers(0, 9))))
        assert done.trace_hash == other.trace_hash
        assert not done.ledger.unread()
        sides = [
            done.ledger.by(axis, way)
            for axis in ("role", "round", "tag")
            for way in ("sent", "received")
        ]
        bills.append((sides, done.ledger.rounds, completion(done)))
    assert bills[0] == bills[1] == bills[2]
    messages = bills[0][0][0]["user"]
    bits = {"grr": (items - 1).bit_length(), "hadamard": items.bit_length()}
    bits["olh"] = 4 if items <= 3 else 5  # one of 3 * 3 or 9 * 3 reports
    each = bits.get(mechanism, items)
    assert (messages.messages, messages.payload_bytes) == (users, users * -(-each // 8))


def test_a_server_that_watches_sees_the_same_reports_of_a_crowd_as_it_counts() -> None:
    protocol = local_frequency(users=50, items=3, population="crowd")
    done = run(protocol, np.arange(50) % 3 + 1, observe=["server"])
    counted = sum(message.payload.values for message in done.view(["server"]).received)
    np.testing.assert_allclose(
        protocol.mechanism.estimate(np.asarray(counted), 50), done.outputs["server"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_exact_law_of_the_servers_view_has_the_epsilon_that_is_stated(mechanism: str) -> None:
    protocol = local_frequency(users=2, items=2, mechanism=mechanism, epsilon=0.7)
    stated = about(protocol).disclosure(["report"])
    assert stated is not None
    assert stated.epsilon == pytest.approx(0.7, rel=1e-12)
    assert Comparison(protocol, "server").worst([1, 2]).largest_epsilon == pytest.approx(
        0.7, rel=1e-12
    )
    assert Comparison(protocol, "u2").compare([1, 2], [2, 2]).same
    unseen = about(protocol).disclosure(["traffic"])
    assert unseen is not None
    assert unseen.independent
    assert about(protocol).disclosure(["report", "else"]) is None


def binomial(trials: int, chance: float) -> npt.NDArray[np.float64]:
    """The probabilities of 0..trials successes."""
    from scipy.special import gammaln, xlogy

    hits = np.arange(trials + 1)
    ways = gammaln(trials + 1) - gammaln(hits + 1) - gammaln(trials - hits + 1)
    return np.asarray(np.exp(ways + xlogy(hits, chance) + xlogy(trials - hits, 1 - chance)))


def coverage(mechanism: Any, share: float, users: int, confidence: float) -> float:
    """The exact chance that the interval holds the share: a sum over all counts of supporting
    reports.
    """
    p, q = mechanism.support_chances
    holders = round(share * users)
    chances = np.convolve(binomial(holders, p), binomial(users - holders, q))
    estimates: npt.NDArray[np.float64] = (np.arange(users + 1) / users - q) / (p - q)
    low, high = score_interval(mechanism.variance, estimates, users, confidence)
    return float(chances[(low <= holders / users) & (holders / users <= high)].sum())


@for_each("mechanism", MECHANISMS)
@for_each("epsilon", [0.5, 2.0, 6.0])
def test_intervals_cover_at_about_their_rate(mechanism: str, epsilon: float) -> None:
    """Exactly, by convolution; normal intervals, so near the rate and not above it everywhere."""
    made = MECHANISMS[mechanism](epsilon, 8)
    for share in (0.01, 0.1, 0.5, 0.9):
        assert coverage(made, share, 1000, 0.95) == pytest.approx(0.95, abs=0.02)


@given(
    st.sampled_from(sorted(MECHANISMS)),
    st.floats(1e-3, 30),
    st.integers(2, 50),
    st.integers(1, 5000),
    st.data(),
)
def test_intervals_exist_wherever_an_estimate_can_lie(
    mechanism: str, epsilon: float, items: int, users: int, data: st.DataObject
) -> None:
    made: Any = MECHANISMS[mechanism](epsilon, items)
    support = np.array(
        [
            0,
            users,
            *data.draw(st.lists(st.integers(0, users), min_size=items - 2, max_size=items - 2)),
        ]
    )
    estimate = made.estimate(support, users)
    low, high = score_interval(made.variance, estimate, users, 0.95)
    assert (low <= estimate + 1e-9 * (1 + abs(estimate))).all()
    assert (estimate <= high + 1e-9 * (1 + abs(estimate))).all()


@given(
    st.sampled_from(["oue", "grr", "tuples"]),
    st.floats(0.01, 30),
    st.integers(1, 5),
    st.floats(-1e3, 1e3),
    st.floats(0.5, 0.999),
)
def test_an_interval_holds_its_estimate_wherever_that_lies(
    name: str, epsilon: float, users: int, estimate: float, confidence: float
) -> None:
    """Also where the variance, extrapolated, is negative.

    And nothing is NaN, nor any warning given.
    """
    variance: Any = (
        Tuples(epsilon, Attributes(0, (2, 3, 4)), "hm", 1).frequency_variance
        if name == "tuples"
        else MECHANISMS[name](epsilon, 4).variance
    )
    low, high = score_interval(variance, np.array([estimate]), users, confidence)
    assert low[0] <= estimate <= high[0]
    assert np.isfinite([low, high]).all()


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (
            {"mechanism": "rappor"},
            "oue or sue or grr or olh or hadamard or warner or joy-gerla, got 'rappor'",
        ),
        ({"population": "masses"}, "population is actors or crowd or aggregate, got 'masses'"),
        ({"epsilon": -1.0}, "epsilon is positive"),
        ({"users": 0}, "users is at least 1, got 0"),
        ({"items": 1}, "items is at least 2, got 1"),
    ],
)
def test_nonsense_is_refused(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        local_frequency(**{"users": 3, "items": 2, **given})


@pytest.mark.parametrize("seating", SEATINGS)
@pytest.mark.parametrize("stranger", [0, 3])
def test_items_out_of_range_are_refused_in_every_seat(seating: Any, stranger: int) -> None:
    with pytest.raises(Exception, match=rf"whole numbers from 1 to 2, got {stranger}"):
        run(local_frequency(users=2, items=2, population=seating), [1, stranger])
