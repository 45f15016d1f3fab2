"""Sampled collections on the kernel: silence costs nothing and tells nothing, and the law does not
depend on how users are seated.
"""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE, SUE, Unary
from protocols.reports.accuracy import score_interval
from protocols.sampled_frequency.accuracy import SquaredError
from protocols.sampled_frequency.estimators import ESTIMATORS
from protocols.sampled_frequency.mechanism import SampledGRR, SampledUnary
from protocols.sampled_frequency.sampling_design import SamplingDesign
from protocols.sampled_frequency.script import SampledCollection, sampled_frequency
from simnet import Shuffled, run
from simnet.errors import ScriptError
from simnet.exhaustive.compare import Comparison
from simnet.record.ledger import Traffic
from simnet.stated.bill import measured
from tests.harness.fuzz import cases
from tests.harness.laws import HELD, SEATINGS, output_law, report_vectors
from tests.harness.marks import long_but


def collected(users: int, items: int, seating: str = "actors", **parameters: Any) -> Any:
    return sampled_frequency(users=users, items=items, population=seating, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize(("items", "sampling"), [(2, 0.25), (3, 0.5), (2, 1.0)])
def test_the_estimate_has_exactly_the_same_law_however_users_are_seated(
    items: int, sampling: float
) -> None:
    laws = [
        output_law(collected(3, items, seating, sampling=sampling), HELD) for seating in SEATINGS
    ]
    assert sum(laws[0].values()) == 1
    assert laws[0] == laws[1] == laws[2]
    assert laws[0] != output_law(collected(3, items, sampling=sampling * 0.999), HELD)


@pytest.mark.slow
@pytest.mark.parametrize("sampling", long_but(["0.25,0.5", "0.25,0.5,1"], "0.25,0.5,1"))
@pytest.mark.parametrize("formula", ["horvitz-thompson", "pooled"])
def test_so_it_has_where_groups_have_chances_of_their_own(sampling: str, formula: str) -> None:
    laws = [
        output_law(collected(3, 2, seating, sampling=sampling, formula=formula), HELD)
        for seating in SEATINGS
    ]
    assert sum(laws[0].values()) == 1
    assert laws[0] == laws[1] == laws[2]
    assert laws[0] != output_law(
        collected(3, 2, sampling=sampling, formula=formula), [1, 1, 2]
    )  # who holds what tells


CASES = [(formula, "0.5") for formula in ESTIMATORS if formula != "ratio"] + [
    (formula, sampling)
    for formula in ("horvitz-thompson", "pooled", "direct")
    for sampling in ("1", "0.25,0.75", "0.5,1,0.25")
]


@pytest.mark.slow
@pytest.mark.parametrize("items", long_but([2, 3], 2))
@pytest.mark.parametrize(("formula", "sampling"), CASES)
def test_mean_and_spread_of_the_error_are_those_of_the_exact_law(
    formula: str, sampling: str, items: int
) -> None:
    protocol = collected(3, items, "crowd", sampling=sampling, formula=formula)
    truth = np.bincount(HELD, minlength=items + 1)[1:] / 3
    law: Any = output_law(protocol, HELD)
    chances = np.array([float(chance) for chance in law.values()])
    estimates = np.array(list(law))
    assessed = about(protocol).assess(run(protocol, HELD, 1), truth * 3)
    errors = np.sum((estimates - truth) ** 2, axis=1)
    mean = chances @ estimates
    np.testing.assert_allclose(
        mean, protocol.estimates.mean(protocol.estimates.sample.holder_shares(HELD)), atol=1e-10
    )
    np.testing.assert_allclose(chances @ (estimates - mean) ** 2, assessed.variance, rtol=1e-9)
    assert chances @ errors == pytest.approx(assessed.expected_squared_l2, rel=1e-9)
    spread = math.sqrt(max(chances @ errors**2 - (chances @ errors) ** 2, 0))
    assert assessed.deviation_squared_l2 == pytest.approx(spread, rel=1e-7)
    unbiased = (
        formula not in ("direct", "pooled")
        or sampling == "1"
        or (formula == "pooled" and sampling == "0.5")
    )
    assert np.allclose(mean, truth, atol=1e-10) == unbiased


def test_a_biased_estimator_of_unary_encodings_without_noise_has_no_variance_of_counts() -> None:
    """The bits of other items are 0, so `direct` is biased only for items that users hold."""
    mechanism = SampledUnary(Unary(p=0.5, q=0.0, items=3), sampling=0.5)
    assert SampledCollection((4,), (mechanism,), "direct").count_variance is None
    assert SampledCollection((4,), (mechanism,)).count_variance is not None


@given(
    st.integers(2, 5),
    st.floats(0.05, 5),
    st.lists(st.floats(0.01, 1), min_size=1, max_size=4),
    st.data(),
)
def test_the_law_of_the_squared_error_is_that_of_all_reports(
    items: int, epsilon: float, sampling: list[float], data: st.DataObject
) -> None:
    """Of at most four users, each with a chance of its own, or two groups of two."""
    response = GRR(epsilon, items)
    values = data.draw(
        st.lists(st.integers(1, items), min_size=len(sampling), max_size=len(sampling))
    )
    sample = SamplingDesign.of_each(response, sampling)
    estimator = ESTIMATORS[data.draw(st.sampled_from(["horvitz-thompson", "pooled", "direct"]))](
        sample
    )
    played = report_vectors(response, values, sampling)
    truth = np.bincount(values, minlength=items + 1)[1:] / len(values)
    errors = np.array(
        [
            np.sum((estimator.estimate(sample.supports(reports)) - truth) ** 2)
            for _, reports in played
        ]
    )
    chances = np.array([chance for chance, _ in played])
    stated = SquaredError(estimator, sample.holder_shares(values))
    mean = chances @ errors
    assert stated.mean == pytest.approx(mean, rel=1e-7)
    spread = math.sqrt(chances @ (errors - mean) ** 2)
    assert stated.deviation == pytest.approx(spread, rel=1e-5, abs=1e-6 * mean)
    alike = SamplingDesign(response, [1] * len(sampling), sampling)
    assert (alike.supports(values) == sample.supports(values)).all()


@given(
    st.sampled_from([OUE, SUE]),
    st.integers(2, 3),
    st.floats(0.05, 3),
    st.lists(st.floats(0.01, 1), min_size=1, max_size=2),
    st.data(),
)
@cases(20)
def test_estimates_from_unary_encodings_have_the_moments_of_all_reports(
    encoding: Any, items: int, epsilon: float, sampling: list[float], data: st.DataObject
) -> None:
    """Mean, variance, and mean and deviation of the squared error, of one or two users who report
    with a probability of their own.
    """
    response: Any = encoding(epsilon, items)
    users = len(sampling)
    values = data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    sample = SamplingDesign.of_each(response, sampling)
    formulas = ["horvitz-thompson", "pooled", "direct"] + ["per-report", "centred"] * (users == 1)
    estimator = ESTIMATORS[data.draw(st.sampled_from(formulas))](sample)
    rows = [[0] * items, *itertools.product((0, 1), repeat=items)]  # no report comes first
    laws = [
        SampledUnary(response, chance).law(value)
        for value, chance in zip(values, sampling, strict=True)
    ]
    played = list(itertools.product(range(len(rows)), repeat=users))
    chances = np.array(
        [math.prod(float(laws[j][k]) for j, k in enumerate(kinds)) for kinds in played]
    )
    estimates = np.array(
        [
            estimator.estimate([rows[k] for k in kinds], [int(k > 0) for k in kinds])
            for kinds in played
        ]
    )
    shares = sample.holder_shares(values)
    mean = chances @ estimates
    np.testing.assert_allclose(estimator.mean(shares), mean, rtol=1e-9, atol=1e-10)
    variance = chances @ (estimates - mean) ** 2
    np.testing.assert_allclose(estimator.variance(shares), variance, rtol=1e-7)
    errors = np.sum((estimates - sample.total(shares)) ** 2, axis=1)
    stated = SquaredError(estimator, shares)
    assert stated.mean == pytest.approx(chances @ errors, rel=1e-7)
    spread = math.sqrt(chances @ (errors - chances @ errors) ** 2)
    assert stated.deviation == pytest.approx(spread, rel=1e-5, abs=1e-6 * stated.mean)


@pytest.mark.slow
@pytest.mark.parametrize("formula", long_but(["horvitz-thompson", "centred", "ratio"], "ratio"))
def test_unary_encodings_have_one_law_however_users_are_seated(formula: str) -> None:
    """Of estimates from sampled users, and the ε of the server's view is that of a report."""
    chance = 1.0 if formula == "ratio" else 0.25
    made = {"mechanism": "oue", "sampling": chance, "formula": formula}
    laws = [output_law(collected(2, 2, seating, **made), [1, 2]) for seating in SEATINGS]
    assert sum(laws[0].values()) == 1
    assert laws[0] == laws[1] == laws[2]
    worst = Comparison(collected(2, 2, **made), "server").worst([1, 2]).largest_epsilon
    assert worst == pytest.approx(1, rel=1e-12)


@pytest.mark.slow
def test_unary_encodings_send_their_bits_and_have_the_variance_that_is_stated() -> None:
    """At 12 items in 60 runs: each statistic lies within 5.5 standard deviations."""
    protocol = collected(2000, 12, "aggregate", mechanism="oue", sampling="0.1,0.5", epsilon=2.0)
    held = np.arange(2000) % 3 + 1
    runs = [run(protocol, held, seed) for seed in range(60)]
    estimates = np.array([one.outputs["server"] for one in runs])
    shares = protocol.estimates.sample.holder_shares(held)
    truth, variance = protocol.estimates.sample.total(shares), protocol.estimates.variance(shares)
    assert np.abs((estimates.mean(axis=0) - truth) / np.sqrt(variance / 60)).max() < 5.5
    ratio = np.mean((estimates - truth) ** 2 / variance)
    assert abs(ratio - 1) < 5.5 * math.sqrt(2 / (60 * 12))
    (sent, *_) = about(protocol).expected_bill(runs[0])
    assert (sent.quantity, sent.expected) == ("bd", pytest.approx(12 * 0.3))
    assert all(
        measured(
            "sampled_frequency", entry, runs[0].ledger, 2000 if entry.role == "user" else 1
        ).holds
        for entry in about(protocol).expected_bill(runs[0])
    )
    with pytest.raises(ValueError, match="give the number of reports too"):
        protocol.estimates.estimate(np.zeros((2, 12), dtype=int))
    with pytest.raises(ValueError, match="cannot have more supports in a group than the group has"):
        protocol.estimates.estimate(np.full((2, 12), 3), [2, 3])


def test_groups_are_the_users_of_which_they_consist() -> None:
    response, values, reports = GRR(1.0, 3), [1, 3, 2, 2, 1], [1, 0, 2, 3, 0]
    grouped, each = (
        SamplingDesign(response, [2, 3], [0.2, 0.9]),
        SamplingDesign.of_each(response, [0.2, 0.2, 0.9, 0.9, 0.9]),
    )
    assert grouped.budget == pytest.approx(each.budget)
    for formula in ("horvitz-thompson", "pooled", "direct"):
        one, other = ESTIMATORS[formula](grouped), ESTIMATORS[formula](each)
        np.testing.assert_allclose(
            one.estimate(grouped.supports(reports)), other.estimate(each.supports(reports))
        )
        for moment in ("mean", "variance"):
            np.testing.assert_allclose(
                getattr(one, moment)(grouped.holder_shares(values)),
                getattr(other, moment)(each.holder_shares(values)),
            )
        np.testing.assert_allclose(one.drawn_variance([0.2, 0.7]), other.drawn_variance([0.2, 0.7]))


@pytest.mark.slow
@pytest.mark.parametrize("seating", long_but(SEATINGS, "crowd", "aggregate"))
def test_what_holders_report_more_often_is_pooled_too_high(seating: str) -> None:
    """Means of 30 runs within 5.5 standard deviations: at most one false alarm in 20 million for
    each.
    """
    held, sampling = [1] * 40 + [2] * 40, "0.9,0.3"
    for formula, mean in (("pooled", 0.75), ("horvitz-thompson", 0.5)):
        protocol = collected(80, 2, seating, sampling=sampling, formula=formula, epsilon=2.0)
        estimates = np.array([run(protocol, held, seed).outputs["server"][0] for seed in range(30)])
        shares = protocol.estimates.sample.holder_shares(held)
        assert protocol.estimates.mean(shares)[0] == pytest.approx(mean)
        variance = protocol.estimates.variance(shares)[0]
        assert abs(estimates.mean() - mean) < 5.5 * math.sqrt(variance / 30)
    assert about(protocol).expected_bill(run(protocol, held, 0))[0].expected == pytest.approx(0.6)


@pytest.mark.slow
def test_the_interval_of_a_biased_estimate_is_freed_of_its_bias() -> None:
    """At 30 items in 100 runs, 95 % of 3,000 hold the truth.

    Below 93 % is an alarm, false once in a million.
    """
    protocol = collected(2000, 30, "aggregate", sampling=0.2, formula="direct", epsilon=3.0)
    held = np.arange(2000) % 30 + 1
    kept = []
    for seed in range(100):
        assessed = about(protocol).assess(run(protocol, held, seed), None)
        kept.append((assessed.low <= assessed.truth) & (assessed.truth <= assessed.high))
        assert (assessed.estimate < assessed.low).all()
    assert 0.93 < np.mean(kept) < 0.97


@pytest.mark.parametrize(("members", "count"), [((), 0), ((3,), 0), ((), 1), ((3,), 2)])
def test_groups_without_a_mechanism_of_their_own_are_refused(
    members: tuple[int, ...], count: int
) -> None:
    with pytest.raises(ValueError, match="at least one group, and one mechanism for each"):
        SampledCollection(members, (SampledGRR(1.0, 2, 0.5),) * count)


def test_the_ratio_has_no_estimate_of_nobody() -> None:
    protocol = collected(3, 2, sampling=0.001, formula="ratio")
    with pytest.raises(ScriptError, match="which is 0: use per-report"):
        run(protocol, HELD, 1)
    fine = collected(300, 2, sampling=0.5, formula="ratio")
    assessed = about(fine).assess(run(fine, [1] * 300, 1), None)
    assert assessed.estimate.sum() == pytest.approx(1)
    assert assessed.expected_squared_l2 > 0
    assert math.isnan(assessed.deviation_squared_l2)


@pytest.mark.parametrize("seating", SEATINGS)
@given(st.integers(1, 6), st.integers(2, 5), st.floats(0.05, 1), st.integers(0, 2**32), st.data())
@cases(15)
def test_a_message_for_each_report_and_none_for_silence(
    seating: str, users: int, items: int, sampling: float, seed: int, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    protocol = collected(users, items, seating, sampling=sampling)
    done = run(protocol, held, seed)
    assert (
        done.trace_hash
        == run(protocol, held, seed, schedule=Shuffled(data.draw(st.integers(0, 9)))).trace_hash
    )
    sent = done.ledger.by("role", "sent").get("user", Traffic())
    reports = done.outputs["server"].sum() * users * sampling
    assert sent.messages == pytest.approx(reports, abs=1e-6)
    assert sent.payload_bytes == sent.messages  # an index of up to 8 items takes a byte
    assert done.ledger.by("role", "received").get("server", Traffic()) == sent
    assert not done.ledger.unread()
    assert done.ledger.rounds == (sent.messages > 0)  # a round is one in which somebody speaks
    assert all(
        measured(
            about(protocol).name, entry, done.ledger, users if entry.role == "user" else 1
        ).holds
        for entry in about(protocol).expected_bill(done)
    )


def test_an_observer_sees_the_reports_that_were_sent() -> None:
    for seating in ("actors", "crowd"):
        protocol = collected(40, 3, seating, sampling=0.3, epsilon=2.0)
        done = run(protocol, np.arange(40) % 3 + 1, 5, observe=["server"])
        seen = [
            int(np.asarray(message.payload.values).ravel()[0]) + 1
            for message in done.view(["server"]).received
        ]
        assert len(seen) == done.ledger.total("sent").messages
        supports = protocol.mechanism.supports(seen)
        np.testing.assert_allclose(
            protocol.mechanism.estimate(supports, 40), done.outputs["server"]
        )


@pytest.mark.slow
@pytest.mark.parametrize("sampling", [0.25, 1.0])
def test_the_exact_law_of_the_servers_view_has_the_epsilon_of_a_report(sampling: float) -> None:
    """Neither more nor less: silence is in the view, and sampling does not amplify what the server
    sees.
    """
    protocol = collected(2, 3, sampling=sampling, epsilon=0.7)
    stated = about(protocol).disclosure(["report"])
    assert stated.epsilon == pytest.approx(0.7, rel=1e-12)
    assert Comparison(protocol, "server").worst([1, 2]).largest_epsilon == pytest.approx(
        0.7, rel=1e-12
    )
    assert Comparison(protocol, "u2").compare([1, 2], [2, 2]).same
    assert (
        Comparison(protocol, "network").compare([1, 2], [3, 2]).same
    )  # who is silent depends on no value


@pytest.mark.slow
@pytest.mark.parametrize("seating", SEATINGS)
def test_many_runs_have_the_mean_and_the_variance_that_are_stated(seating: str) -> None:
    """Each of 8 statistics lies within 5.5 standard deviations: at most one false alarm in 3
    million for each.
    """
    users, runs = (400, 120) if seating != "actors" else (40, 60)
    protocol = collected(users, 4, seating, sampling=0.4, epsilon=1.5)
    held = np.array([1, 1, 1, 2] * (users // 4))
    shares = np.array([0.75, 0.25, 0.0, 0.0])
    estimates = np.array([run(protocol, held, seed).outputs["server"] for seed in range(runs)])
    variance = protocol.mechanism.variance(shares, users)
    assert np.abs((estimates.mean(axis=0) - shares) / np.sqrt(variance / runs)).max() < 5.5
    ratio = np.mean((estimates - shares) ** 2, axis=0) / variance
    assert np.abs(ratio - 1).max() < 5.5 * math.sqrt(2.4 / runs)


@given(
    st.integers(1, 2000), st.floats(0.001, 1), st.floats(0.01, 10), st.integers(2, 50), st.data()
)
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
        ({"sampling": "0.5,1.5"}, "sampling is a probability above 0"),
        ({"sampling": "0.5,often"}, "several separated by commas, got '0.5,often'"),
        ({"sampling": ()}, "at least one, got 0 for users=3"),
        (
            {"sampling": [0.5] * 4},
            "as many probabilities as users, and at least one, got 4 for users=3",
        ),
        (
            {"sampling": "0.5,0.4", "formula": "per-report"},
            "2 different probabilities of reporting, not one",
        ),
        (
            {"sampling": "0.5,0.4", "formula": "centred"},
            "2 different probabilities of reporting, not one",
        ),
        ({"sampling": "0.5,0.4", "formula": "ratio"}, "use the formula horvitz-thompson or pooled"),
        ({"mechanism": "olh"}, "mechanism is grr or oue or sue"),
        ({"formula": "best"}, "formula is per-report or centred or ratio"),
        ({"population": "masses"}, "population is actors or crowd or aggregate, got 'masses'"),
    ],
)
def test_nonsense_is_refused(given_: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        sampled_frequency(**{"users": 3, "items": 3, **given_})


@pytest.mark.parametrize(
    "other", [SampledGRR(2.0, 3, 0.1), SampledGRR(1.0, 4, 0.1), SampledUnary(OUE(1.0, 3), 0.1)]
)
def test_groups_differ_only_in_how_often_they_report(other: Any) -> None:
    with pytest.raises(ValueError, match="differ only in the probability to report"):
        SampledCollection((2, 2), (SampledGRR(1.0, 3, 0.5), other))
