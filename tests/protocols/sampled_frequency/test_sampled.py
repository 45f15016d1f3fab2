"""Sampled collections: means and variances by enumeration of all reports, exact ε, and the paper's
claims.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare, norm

from protocols.mechanisms.channel import delta_of, epsilon_of
from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import (
    Ratio,
    centred,
    direct,
    horvitz_thompson,
    mean_inverse,
    per_report,
    pooled,
)
from protocols.sampled_frequency.mechanism import (
    SampledGRR,
    channel_epsilon,
    counts_epsilon,
    excess_reports,
    sampled_reports,
)
from protocols.sampled_frequency.sampling_design import SamplingDesign
from simnet.coins.sampled import SampledCoins
from tests.harness.fuzz import cases
from tests.harness.laws import report_vectors
from tests.harness.many_cases import for_each

FALSE_ALARM = 1e-6  # of every statistical test here, on fresh seeds
COMMON: list[Callable[[SamplingDesign], Any]] = [direct, centred, per_report, Ratio]
PERSONAL: list[Callable[[SamplingDesign], Any]] = [pooled, horvitz_thompson]

common = pytest.mark.parametrize("make", COMMON, ids=["c", "g", "s", "ratio"])
personal = pytest.mark.parametrize("make", PERSONAL, ids=["T", "HT"])


def moments(
    estimate: Callable[[Any], Any],
    played: list[tuple[float, tuple[int, ...]]],
    needs_report: bool = False,
) -> tuple[Any, Any]:
    """Mean and variance of an estimate, item by item, over runs with a report or over all."""
    kept = [
        (chance, estimate(list(reports)))
        for chance, reports in played
        if any(reports) or not needs_report
    ]
    total = sum(chance for chance, _ in kept)
    mean = sum(chance * one for chance, one in kept) / total
    return mean, sum(chance * (one - mean) ** 2 for chance, one in kept) / total


def from_reports(estimator: Any) -> Callable[[Any], Any]:
    """An estimate from all reports, 0 being none, as those of one common chance are made from
    counts.
    """
    mechanism = SampledGRR(estimator.sample.response.epsilon, estimator.sample.response.items, 1.0)
    return lambda reports: estimator.estimate(mechanism.supports(reports))


def from_own_reports(estimator: Any) -> Callable[[Any], Any]:
    """An estimate from all reports, 0 being none, of users who each have a chance of their own."""
    return lambda reports: estimator.estimate(estimator.sample.supports(reports))


# Means and variances


@pytest.mark.slow
@common
@pytest.mark.parametrize("values", [[1], [2, 1], [1, 1, 2, 3], [1, 2, 1, 3, 1]])
@pytest.mark.parametrize(("epsilon", "sampling"), [(1.0, 0.4), (0.3, 0.9), (2.0, 1.0)])
def test_means_and_variances_are_those_of_all_reports(
    make: Callable[[SamplingDesign], Any], values: list[int], epsilon: float, sampling: float
) -> None:
    response, users = GRR(epsilon, 3), len(values)
    estimator = make(SamplingDesign(response, users, sampling))
    played = report_vectors(response, values, [sampling] * users)
    mean, variance = moments(from_reports(estimator), played, needs_report=make is Ratio)
    held = np.bincount(values, minlength=4)[1:] / users
    np.testing.assert_allclose(estimator.mean(held), mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimator.variance(held), variance, rtol=1e-9)
    assert estimator.approximate_variance == pytest.approx(float(estimator.variance(0.0)))


@pytest.mark.slow
@common
@pytest.mark.parametrize("law", [(0.3, 0.7, 0.0), (0.2, 0.5, 0.3)])
@pytest.mark.parametrize("users", [1, 2, 3])
def test_variances_of_drawn_data_are_those_of_all_data(
    make: Callable[[SamplingDesign], Any], law: tuple[float, ...], users: int
) -> None:
    response, sampling = GRR(1.0, 3), 0.4
    estimator = make(SamplingDesign(response, users, sampling))
    played = [
        (math.prod(law[value - 1] for value in values) * chance, reports)
        for values in itertools.product((1, 2, 3), repeat=users)
        for chance, reports in report_vectors(response, list(values), [sampling] * users)
    ]
    mean, variance = moments(from_reports(estimator), played, needs_report=make is Ratio)
    np.testing.assert_allclose(estimator.mean(law), mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimator.drawn_variance(law), variance, rtol=1e-9)


@personal
@pytest.mark.parametrize("values", [[1, 1, 2, 3], [2, 1], [1, 3, 1, 1, 2]])
def test_personal_means_and_variances_are_those_of_all_reports(
    make: Callable[[SamplingDesign], Any], values: list[int]
) -> None:
    sampling = [0.9, 0.8, 0.2, 0.1, 1.0][: len(values)]
    response = GRR(1.0, 3)
    estimator = make(SamplingDesign.of_each(response, sampling))
    mean, variance = moments(
        from_own_reports(estimator), report_vectors(response, values, sampling)
    )
    held = estimator.sample.holder_shares(values)
    np.testing.assert_allclose(estimator.mean(held), mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimator.variance(held), variance, rtol=1e-9)


@personal
def test_personal_variances_of_drawn_data_are_those_of_all_data(
    make: Callable[[SamplingDesign], Any],
) -> None:
    response, law, sampling = GRR(0.8, 3), (0.3, 0.6, 0.1), [0.9, 0.5, 0.1]
    estimator = make(SamplingDesign.of_each(response, sampling))
    played = [
        (math.prod(law[value - 1] for value in values) * chance, reports)
        for values in itertools.product((1, 2, 3), repeat=3)
        for chance, reports in report_vectors(response, list(values), sampling)
    ]
    mean, variance = moments(from_own_reports(estimator), played)
    np.testing.assert_allclose(mean, law, rtol=1e-9)
    np.testing.assert_allclose(estimator.drawn_variance(law), variance, rtol=1e-9)
    assert estimator.approximate_variance == pytest.approx(float(estimator.drawn_variance(0.0)))


samples = st.builds(
    lambda epsilon, items, users, sampling: SamplingDesign(GRR(epsilon, items), users, sampling),
    st.floats(0.01, 10),
    st.integers(2, 200),
    st.integers(1, 10**6),
    st.floats(0.001, 0.999),
)


@given(samples, st.floats(0, 1))
def test_subtracting_the_noise_of_those_who_came_is_better(
    sample: SamplingDesign, held: float
) -> None:
    """Theorem 3.5 says the reverse.

    In counts they differ by n (1 - π) (f q (2p - q) + (1 - f) q²) / (π (p - q)²).
    """
    p, q, gap = sample.chances
    better = centred(sample).variance(held) - per_report(sample).variance(held)
    stated = (1 - sample.common) * (held * q * (2 * p - q) + (1 - held) * q**2)
    assert better > 0
    assert better == pytest.approx(stated / (sample.users * sample.common * gap**2), rel=1e-4)
    assert centred(sample).drawn_variance(held) > per_report(sample).drawn_variance(held)


@given(samples, st.lists(st.integers(1, 5), min_size=1, max_size=9))
def test_what_the_estimates_add_up_to(sample: SamplingDesign, reports: list[int]) -> None:
    response = GRR(sample.response.exact_epsilon, 5)
    counts = response.supports(reports)
    sample = SamplingDesign(response, 10, sample.common)
    assert per_report(sample).estimate(counts).sum() == pytest.approx(
        len(reports) / (10 * sample.common), rel=1e-6
    )
    assert Ratio(sample).estimate(counts).sum() == pytest.approx(1, abs=1e-6)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=9), st.floats(0.1, 5))
def test_when_everybody_reports_all_estimates_are_one(reports: list[int], epsilon: float) -> None:
    response, users = GRR(epsilon, 4), len(reports)
    sample, everybody = (
        SamplingDesign(response, users, 1.0),
        SamplingDesign.of_each(response, [1.0] * users),
    )
    expected = response.estimate(response.supports(reports), users)
    for make in COMMON:
        np.testing.assert_allclose(
            make(sample).estimate(response.supports(reports)), expected, atol=1e-9
        )
        np.testing.assert_allclose(
            make(sample).variance(0.3), response.variance(0.3, users), rtol=1e-6
        )
    for personally in PERSONAL:
        np.testing.assert_allclose(
            personally(everybody).estimate(everybody.supports(reports)), expected, atol=1e-9
        )


@pytest.mark.parametrize(
    ("trials", "chance"), [(1, 0.3), (7, 0.4), (40, 1.0), (1000, 0.02), (60_000, 0.7)]
)
def test_the_mean_of_an_inverse_binomial_is_that_of_scipy(trials: int, chance: float) -> None:
    counts = np.arange(1, trials + 1)
    law = binom.pmf(counts, trials, chance)
    assert mean_inverse(trials, chance) == pytest.approx(
        float(np.sum(law / counts) / law.sum()), rel=1e-9
    )


# Privacy


@given(st.floats(0.01, 20), st.integers(2, 6), st.floats(0.01, 1))
@cases(30)
def test_sampling_leaves_the_epsilon_of_a_report(
    epsilon: float, items: int, sampling: float
) -> None:
    mechanism = SampledGRR(epsilon, items, sampling)
    rows = [mechanism.law(value) for value in range(1, items + 1)]
    assert all(sum(row) == 1 for row in rows)
    assert mechanism.exact_epsilon == epsilon_of(rows) == channel_epsilon(epsilon, items, sampling)
    assert mechanism.exact_epsilon == pytest.approx(epsilon, rel=1e-13)


def test_a_chance_that_depends_on_the_value_costs_privacy() -> None:
    """Open questions i of the paper, sampling by the frequency of the own value, would do this."""
    assert channel_epsilon(1.0, 3, (0.9, 0.1, 0.5)) == pytest.approx(1 + math.log(9))
    assert channel_epsilon(0.5, 2, (1, 0.2)) == math.inf
    assert channel_epsilon(1.0, 3, (0.5, 0.5, 0.5)) == pytest.approx(1)


def counts_law(response: GRR, values: list[int], sampling: float) -> dict[tuple[int, ...], float]:
    """The law of the counts of all items."""
    law: dict[tuple[int, ...], float] = {}
    for chance, reports in report_vectors(response, values, [sampling] * len(values)):
        counts = tuple(np.bincount(reports, minlength=response.items + 1)[1:].tolist())
        law[counts] = law.get(counts, 0.0) + chance
    return law


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_counts_alone_are_as_private_as_reports_and_more_so_when_few_came(epsilon: float) -> None:
    response, sampling, users = GRR(epsilon, 3), 0.3, 4
    neighbours = [
        (counts_law(response, [a, *rest], sampling), counts_law(response, [b, *rest], sampling))
        for a, b in itertools.permutations((1, 2, 3), 2)
        for rest in ([1, 2, 3], [1, 1, 1], [2, 2, 3])
    ]
    worst = max(
        epsilon_of([list(one.values()), [other[key] for key in one]]) for one, other in neighbours
    )
    assert worst == pytest.approx(
        epsilon, rel=1e-9
    )  # not ln(1 + π (e^ε - 1)): all may have reported
    for reports in range(1, users + 1):
        for one, other in neighbours:
            keys = [key for key in one if sum(key) == reports]
            given_ = [np.array([law[key] for key in keys]) for law in (one, other)]
            bound = counts_epsilon(epsilon, users, reports)
            assert epsilon_of([row / row.sum() for row in given_]) <= bound + 1e-9
            delta = delta_of(list(one.values()), [other[key] for key in one], bound)
            assert delta <= excess_reports(users, sampling, reports) + 1e-12
    assert counts_epsilon(epsilon, users, users) == pytest.approx(epsilon)
    assert counts_epsilon(epsilon, users, 0) == 0
    assert counts_epsilon(1e3, 10, 5) == pytest.approx(1000 - math.log(2))


# What is drawn


@pytest.mark.parametrize("own", [False, True])
def test_reports_follow_their_law(own: bool) -> None:
    """By chi-square over the four outputs of each of three values."""
    response, chances = GRR(1.0, 3), (0.2, 0.7, 1.0)
    values = np.repeat([1, 2, 3], 20_000)
    sampling: Any = [chances[value - 1] for value in values] if own else 0.6
    reports = sampled_reports(response, values, sampling, SampledCoins(4, "u1"))
    for value in (1, 2, 3):
        law = SampledGRR(1.0, 3, chances[value - 1] if own else 0.6).law(value)
        seen = np.bincount(reports[values == value], minlength=4)
        expected = np.array([float(x) for x in law]) * 20_000
        assert (seen[expected == 0] == 0).all()
        kept = expected > 0
        assert chisquare(seen[kept], expected[kept]).pvalue > FALSE_ALARM


@pytest.mark.slow
def test_supports_drawn_at_once_follow_the_law_of_counted_ones() -> None:
    """Mean and variance of each item's support, each within what its sampling error allows."""
    mechanism, holders, rounds = SampledGRR(1.0, 3, 0.4), np.array([30, 10, 0]), 400
    coins = SampledCoins(5, "u1")
    drawn = np.array([mechanism.draw_supports(holders, coins) for _ in range(rounds)])
    p, q = mechanism.response.support_chances
    mean = 0.4 * (holders * p + (40 - holders) * q)
    variance = holders * 0.4 * p * (1 - 0.4 * p) + (40 - holders) * 0.4 * q * (1 - 0.4 * q)
    quantile = norm.isf(FALSE_ALARM / 12)
    assert (np.abs(drawn.mean(axis=0) - mean) < quantile * np.sqrt(variance / rounds)).all()
    assert (np.abs(drawn.var(axis=0) / variance - 1) < quantile * math.sqrt(2 / rounds)).all()
    counted = mechanism.perturb(np.repeat([1, 2], [30, 10]), coins)
    assert mechanism.supports(counted).sum() == np.count_nonzero(counted)


# The paper's numbers and claims


def test_the_example_in_which_theorem_3_5_is_reversed() -> None:
    sample = SamplingDesign(GRR(1.0, 3), 4, 0.4)
    g, c_hat = (16 * make(sample).variance(0.5) for make in (centred, per_report))
    _, q, gap = sample.chances
    printed = g + 4 * 0.4 * 0.6 * q**2 / (0.4 * gap) ** 2  # Var(S) added, its covariance forgotten
    assert (g, c_hat, printed) == pytest.approx((24.0276, 18.5036, 26.0598), abs=5e-5)
    assert printed - g == pytest.approx(2.0322, abs=5e-5)
    assert c_hat < g < printed


def printed_actual_variance(sample: SamplingDesign, held: float) -> float:
    """The "actual variance" in the proof of Theorem 3.2, of counts: μ² stands where f p² + (1 - f)
    q² belongs.
    """
    (p, q, gap), pi = sample.chances, sample.common
    second = pi * (held * p + (1 - held) * q) ** 2 + held * (1 - held) * gap**2
    return sample.users * (held * p + (1 - held) * q - second) / (pi * gap**2)


def test_the_printed_variance_of_theorem_3_2_fits_no_model_of_the_data() -> None:
    fixed, drawn = SamplingDesign(GRR(1.0, 3), 4, 0.4), SamplingDesign(GRR(1.0, 3), 3, 0.4)
    assert printed_actual_variance(fixed, 0.5) == pytest.approx(22.5276, abs=5e-5)
    assert 16 * centred(fixed).variance(0.5) == pytest.approx(24.0276, abs=5e-5)
    assert printed_actual_variance(drawn, 0.3) == pytest.approx(14.2552, abs=5e-5)
    assert 9 * centred(drawn).drawn_variance(0.3) == pytest.approx(15.8302, abs=5e-5)
    for f in (0.0, 1.0):
        exact = 16 * centred(fixed).variance(f)
        assert printed_actual_variance(fixed, f) == pytest.approx(exact)


def test_the_normalised_variance_falls_like_one_over_the_reports() -> None:
    """Theorem 3.3's 1/π³ comes from dividing twice.

    Dividing by the mean as Definition 3.1 says diverges as f -> 0.
    """
    variances = [
        centred(SamplingDesign(GRR(1.0, 100), 1000, pi)).approximate_variance * pi
        for pi in (0.001, 0.01, 0.1)
    ]
    assert variances == pytest.approx([variances[0]] * 3, rel=2e-3)
    by_mean = [
        centred(SamplingDesign(GRR(1.0, 100), 1000, 0.1)).approximate_variance / f
        for f in (1e-3, 1e-6)
    ]
    assert by_mean[1] == pytest.approx(1000 * by_mean[0])


def test_the_normalisation_as_printed_is_not_one_over_the_cubed_chance_of_a_share() -> None:
    """Theorem 3.3: Var* / (n π)² as in its proof grows by 1/π³ only because g, which estimates n f,
    is divided by π.
    """
    made = {pi: centred(SamplingDesign(GRR(1.0, 100), 1000, pi)) for pi in (0.001, 0.1)}
    printed = [1000**2 * one.approximate_variance / (1000 * pi) ** 2 for pi, one in made.items()]
    correct = [one.approximate_variance for one in made.values()]
    assert printed[0] / printed[1] == pytest.approx(100**3, rel=2e-3)
    assert correct[0] / correct[1] == pytest.approx(100, rel=2e-3)


def test_chances_that_are_a_distribution_sample_one_user() -> None:
    """Theorem 5.1's open question wants (π_j) to be a probability distribution: an expected sample
    of one node.
    """
    chances = np.arange(1.0, 21.0)
    alone = SamplingDesign.of_each(GRR(1.0, 3), chances / chances.sum())
    assert alone.budget == pytest.approx(1)
    assert SamplingDesign.of_each(GRR(1.0, 3), np.full(20, 0.4)).budget == pytest.approx(
        8
    )  # which is none, and is legal


def test_the_biased_estimator_tends_to_minus_the_noise() -> None:
    """The text writes n q / (p - q) as π -> 0; and Theorem 3.6's mean can be negative."""
    sample = SamplingDesign(GRR(1.0, 100), 1000, 1e-12)
    _, q, gap = sample.chances
    assert direct(sample).mean(0.3) == pytest.approx(-q / gap, rel=1e-9)
    assert 1000 * direct(SamplingDesign(GRR(1.0, 100), 1000, 0.1)).mean(0.01) == pytest.approx(
        -522.8, abs=0.05
    )
    assert 1000 * centred(SamplingDesign(GRR(1.0, 100), 1000, 0.1)).mean(0.01) == pytest.approx(10)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_estimates_can_leave_the_range_of_shares_either_way(epsilon: float) -> None:
    sample = SamplingDesign(GRR(epsilon, 3), 4, 0.4)
    for make in (centred, per_report):
        assert make(sample).estimate([0, 4, 0]).max() > 1
        assert make(sample).estimate([0, 4, 0]).min() < 0


def test_pooling_is_unbiased_only_where_chances_do_not_go_with_values() -> None:
    skewed = SamplingDesign.of_each(GRR(1.0, 3), [0.9, 0.8, 0.2, 0.1])
    held = skewed.holder_shares([1, 1, 2, 3])
    assert 4 * pooled(skewed).mean(held)[0] == pytest.approx(3.4)
    assert 4 * horvitz_thompson(skewed).mean(held)[0] == pytest.approx(2)
    assert 16 * pooled(skewed).variance(held)[0] == pytest.approx(16.874, abs=5e-4)
    assert 16 * horvitz_thompson(skewed).variance(held)[0] == pytest.approx(23.599, abs=5e-4)
    equal = SamplingDesign.of_each(GRR(1.0, 3), [0.4] * 4)
    assert pooled(equal).mean(held)[0] == pytest.approx(0.5)
    assert pooled(equal).variance(held)[0] == pytest.approx(
        centred(SamplingDesign(GRR(1.0, 3), 4, 0.4)).variance(0.5)
    )


def printed_variance_of_t(sample: SamplingDesign, held: float) -> float:
    """The "actual variance" in the proof of Theorem 5.1, of counts, its bracket mended and π_j in
    place of its π.
    """
    (p, q, gap), pi = sample.chances, sample.sampling
    noise, mean = held * p * (1 - p) + (1 - held) * q * (1 - q), held * p + (1 - held) * q
    terms = pi * (1 - pi) * (noise + mean**2) + pi**2 * noise
    return float(sample.users**2 * terms.sum() / (sample.budget * gap) ** 2)


def test_the_printed_variance_of_theorem_5_1_fits_no_model_of_the_data_either() -> None:
    """It inherits the mistake of Theorem 3.2.

    Of an item that nobody holds it is right, and so is Var*.
    """
    sample = SamplingDesign.of_each(GRR(1.0, 3), [0.9, 0.8, 0.2, 0.1])
    fixed, drawn = (
        pooled(sample).variance(sample.holder_shares([1, 1, 2, 3]))[0],
        pooled(sample).drawn_variance(0.5),
    )
    assert 16 * fixed == pytest.approx(16.874, abs=5e-4)
    for exact in (fixed, drawn, pooled(sample).variance(0.5)):
        assert abs(printed_variance_of_t(sample, 0.5) / (16 * exact) - 1) > 0.02
    assert printed_variance_of_t(sample, 0.0) == pytest.approx(
        16 * pooled(sample).approximate_variance
    )
    alike = SamplingDesign.of_each(GRR(1.0, 3), [0.4] * 4)
    assert printed_variance_of_t(alike, 0.5) == pytest.approx(
        22.5276, abs=5e-5
    )  # that of Theorem 3.2


@pytest.mark.parametrize(
    ("users", "budget", "items", "epsilon", "equal", "concentrated"),
    [(10, 4, 5, 1.0, 53.50, 48.42), (1000, 100, 100, 2.0, 26038, 25818)],
)
def test_equal_chances_are_the_worst_by_the_papers_measure_and_the_best_without_bias(
    users: int, budget: int, items: int, epsilon: float, equal: float, concentrated: float
) -> None:
    """Open question iii: Var*(T) prefers to ask the same few always, which only bias forbids."""
    response = GRR(epsilon, items)
    alike = SamplingDesign.of_each(response, [budget / users] * users)
    few = SamplingDesign.of_each(response, [1.0] * budget + [1e-12] * (users - budget))
    assert users**2 * pooled(alike).approximate_variance == pytest.approx(equal, rel=2e-4)
    assert users**2 * pooled(few).approximate_variance == pytest.approx(concentrated, rel=2e-4)
    uneven = SamplingDesign.of_each(response, np.linspace(0.5, 1.5, users) * budget / users)
    assert (
        horvitz_thompson(alike).approximate_variance < horvitz_thompson(uneven).approximate_variance
    )
    assert pooled(alike).approximate_variance > pooled(uneven).approximate_variance


@pytest.mark.parametrize(
    ("sampling", "g", "c_hat", "c"),
    [(0.1, 1.976078e7, 1.956646e7, -25_789), (0.9, 2.172895e6, 2.170496e6, 690)],
)
def test_one_item_of_the_experiments(sampling: float, g: float, c_hat: float, c: float) -> None:
    sample, scale = SamplingDesign(GRR(1.0, 101), 50_000, sampling), 50_000**2
    assert scale * centred(sample).variance(0.08) == pytest.approx(g, rel=3e-7)
    assert scale * per_report(sample).variance(0.08) == pytest.approx(c_hat, rel=3e-7)
    assert 50_000 * direct(sample).mean(0.08) == pytest.approx(c, abs=0.5)
    assert Ratio(sample).variance(0.08) == pytest.approx(
        per_report(sample).variance(0.08), rel=1e-3
    )


@given(
    st.integers(2, 10**7),
    st.floats(1e-3, 1),
    st.floats(0, 1),
    st.floats(0.1, 5),
    st.integers(2, 99),
)
def test_the_exact_variance_of_the_ratio_tends_to_the_asymptotic_one(
    users: int, sampling: float, share: float, epsilon: float, items: int
) -> None:
    reports = users * sampling
    assume(reports >= 100)
    ratio = Ratio(SamplingDesign(GRR(epsilon, items), users, sampling))
    excess = ratio.variance(share) / ratio.asymptotic_variance(share) - 1
    assert -1e-7 < excess < 1.2 / reports + 1e-7


# What is refused


@for_each(
    "made, wrong",
    [
        (lambda: SampledGRR(0.0, 3, 0.5), "epsilon is positive"),
        (lambda: SampledGRR(math.inf, 3, 0.5), "epsilon is positive"),
        (lambda: SampledGRR(1.0, 1, 0.5), "items is at least 2"),
        (lambda: SampledGRR(1.0, 3, 0.0), "sampling is a probability above 0"),
        (lambda: SampledGRR(1.0, 3, 1.1), "sampling is a probability above 0"),
        (lambda: SamplingDesign(GRR(1.0, 3), 4, 0.0), "above 0 and at most 1, got 0"),
        (lambda: SamplingDesign(GRR(1.0, 3), 0, 0.5), "users are whole numbers from 1"),
        (lambda: SamplingDesign.of_each(GRR(1.0, 3), [0.5, 0.0]), "above 0 and at most 1, got 0"),
        (
            lambda: SamplingDesign.of_each(GRR(1.0, 3), [0.5, math.nan]),
            "above 0 and at most 1, got nan",
        ),
        (lambda: SamplingDesign.of_each(GRR(1.0, 3), []), "users is at least 1"),
        (lambda: channel_epsilon(1.0, 3, (0.5, 0.5)), "one for each of 3 items, got 2"),
        (lambda: channel_epsilon(1.0, 2, (0.5, 1.5)), "sampling is a probability above 0"),
        (
            lambda: sampled_reports(GRR(1.0, 3), [4], 0.5, SampledCoins(0, "u1")),
            "from 1 to 3, got 4",
        ),
        (
            lambda: sampled_reports(GRR(1.0, 3), [1, 2], [0.5], SampledCoins(0, "u1")),
            r"shape \(2,\)",
        ),
        (lambda: SampledGRR(1.0, 3, 0.5).supports([4]), "from 0 to 3, got 4"),
        (
            lambda: per_report(SamplingDesign(GRR(1.0, 3), 4, 0.5)).estimate([3, 2, 0]),
            "at most one report for each user, 4 in all, got 5",
        ),
        (
            lambda: per_report(SamplingDesign(GRR(1.0, 3), 4, 0.5)).estimate([3, 0]),
            r"shape \(1, 3\)",
        ),
        (lambda: per_report(SamplingDesign(GRR(1.0, 3), 4, 0.5)).variance(1.5), "between 0 and 1"),
        (
            lambda: Ratio(SamplingDesign(GRR(1.0, 3), 4, 0.5)).estimate([0, 0, 0]),
            "which is 0: use per-report",
        ),
        (lambda: SamplingDesign.of_each(GRR(1.0, 3), [0.5]).supports([1, 2]), "one row of 1"),
        (
            lambda: SamplingDesign.of_each(GRR(1.0, 3), [0.5]).holder_shares([4]),
            "from 1 to 3, got 4",
        ),
    ],
)
def test_nonsense_is_refused(made: Callable[[], Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        made()


@pytest.mark.parametrize(
    "made",
    [
        lambda: SampledGRR(1.0, 3, True),
        lambda: SamplingDesign(GRR(1.0, 3), 4, True),
        lambda: SamplingDesign(GRR(1.0, 3), [4, 2], np.array([True, True])),
        lambda: SamplingDesign.of_each(GRR(1.0, 3), [True, 0.5]),
        lambda: sampled_reports(GRR(1.0, 3), [1, 2], [0.5, True], SampledCoins(0, "u1")),
    ],
)
def test_a_chance_is_a_number_and_no_truth_value(made: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"sampling( chance)? is a number, got (np\.)?True"):
        made()


def test_the_support_of_definition_2_3_is_everything() -> None:
    """All outputs with a chance above 0, as printed, are all items.

    The set that is meant is the item itself.
    """
    law = GRR(1.0, 5).law(2)
    assert [report for report, chance in enumerate(law, start=1) if chance > 0] == [1, 2, 3, 4, 5]
    assert GRR(1.0, 5).supports([2]).tolist() == [0, 1, 0, 0, 0]


def test_the_third_line_of_equation_4_takes_the_noise_of_all_users_from_each() -> None:
    """E(S) E(1{X = i} - n q) as printed is not the mean of N_i - n q; E(S) E(1{X = i}) - n q is."""
    sample, held = SamplingDesign(GRR(1.0, 3), 5, 0.4), 0.4
    _, q, gap = sample.chances
    reports, mu = sample.users * sample.sampling, q + held * gap
    mean = direct(sample).mean(held) * sample.users * gap
    assert mean == pytest.approx(reports * mu - sample.users * q)
    assert mean != pytest.approx(reports * (mu - sample.users * q), rel=0.1)


def test_shares_of_the_reports_are_not_shares_of_the_users() -> None:
    """f_i is defined as the one and used as the other.

    They agree where nobody perturbs, on average.
    """
    sample = SamplingDesign(GRR(1.0, 3), 1000, 0.4)
    _, q, gap = sample.chances
    held = np.array([0.7, 0.2, 0.1])
    reported = q + held * gap
    assert np.abs(reported - held).max() > 0.1
    np.testing.assert_allclose(Ratio(sample).mean(held), (reported - q) / gap)
