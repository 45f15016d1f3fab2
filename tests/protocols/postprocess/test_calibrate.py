"""Calibration: sums and posterior means are compared with full sums; fits, thresholds, and the
paper's claims on real counts.
"""

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import binom, norm, poisson

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE, SUE, Unary
from protocols.postprocess import consistency
from protocols.postprocess.calibrate import METHODS, Calibrate, apply, known_mean
from protocols.postprocess.counting import gauss_rule, points
from protocols.postprocess.fits import (
    CountMoments,
    gaussian_of,
    laplace_of,
    likeliest_power_law,
    power_law_of_mean,
    surprise,
)
from protocols.postprocess.heavy_hitters import Detection, heavy_hitters
from protocols.postprocess.noise import Noise, zeroed
from protocols.postprocess.posterior import bayes_risk, posterior, posterior_mean
from protocols.postprocess.power_law import exponent_of_mean, log_power_sum, power_law_mean
from protocols.postprocess.priors import (
    FinitePrior,
    GaussianPrior,
    LaplacePrior,
    PoissonPrior,
    PowerLaw,
    Prior,
)
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

KOSARAK, RETAIL = (8_019_015, 41_270), (908_576, 16_470)  # users, items
MANY = 10**7


def noise(deviation: float, slope: float = 0.0) -> Noise:
    return Noise(MANY, deviation**2, slope)


# Sums over many integers


@given(st.integers(1, 10**7), st.integers(0, 31))
@cases(60)
def test_a_rule_sums_polynomials_exactly(length: int, degree: int) -> None:
    """Sums of binomial coefficients are binomial coefficients: C(0, d) + .. + C(n - 1, d) = C(n, d
    + 1).
    """
    places, weights = gauss_rule(length)
    values = np.ones(places.size)
    for step in range(degree):
        values *= (places - step) / max(
            length - step, 1
        )  # scaled by falling factorials, so that all are small
    expected = float(math.comb(length, degree + 1) * math.factorial(degree))
    for step in range(degree):
        expected /= max(length - step, 1)
    assert float(weights @ values) == pytest.approx(float(expected), rel=1e-8, abs=1e-12)
    assert places.min() >= 0
    assert places.max() <= length - 1


@given(st.integers(-50, 50), st.integers(-60, 20_000), st.floats(1, 1e6))
@cases(40)
def test_points_stand_for_all_integers_of_a_range(low: int, high: int, longest: float) -> None:
    places, weights = points(low, high, lambda _: longest)
    assert weights.sum() == pytest.approx(max(high - low + 1, 0))
    assert (np.diff(places) > 0).all()


@pytest.mark.slow
@for_each("support", [2, 10, 33, 1000, 908_576])
@for_each("exponent", [-2.0, -0.3, 0.0, 0.761236, 1.0, 1 + 1e-9, 1.7, 2.5, 39.0])
def test_power_sums_are_the_plain_ones(support: int, exponent: float) -> None:
    plain = math.fsum((np.arange(1, support + 1.0) ** -exponent).tolist())
    assert math.exp(log_power_sum(exponent, support)) == pytest.approx(plain, rel=1e-12)


@given(st.floats(-50, 8), st.integers(2, 10**7))
@example(-40.0, 2)
def test_the_mean_tells_the_exponent(exponent: float, support: int) -> None:
    mean = power_law_mean(exponent, support)
    assume(mean < support)  # a mean that rounds to the largest count has no exponent
    assert power_law_mean(exponent + 0.01, support) <= mean * (1 + 1e-12)
    if (
        support - mean > 1e-9 * support
    ):  # nearer to the largest count, rounding hides that it decreases strictly
        assert power_law_mean(exponent + 0.01, support) < mean
    assert power_law_mean(exponent_of_mean(mean, support), support) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "finite", "infinite"), [(KOSARAK, 1.698015, 2.003140), (RETAIL, 1.761236, 2.011161)]
)
def test_the_support_that_the_paper_does_not_give_makes_a_difference(
    sizes: tuple[int, int], finite: float, infinite: float
) -> None:
    users, items = sizes
    assert exponent_of_mean(users / items, users) == pytest.approx(finite, abs=6e-7)
    assert exponent_of_mean(users / items, math.inf) == pytest.approx(infinite, abs=6e-7)
    assert power_law_mean(0, users) == pytest.approx((users + 1) / 2)


# Posterior means


def full_sum(
    estimate: float, counts: Floats, log_masses: Floats, given_: Noise
) -> tuple[float, float]:
    """The oracle: mean and variance over every count there is."""
    variances = given_.variance(counts)
    logs = log_masses - (estimate - counts) ** 2 / (2 * variances) - np.log(variances) / 2
    weights = np.exp(logs - logs.max())
    mean = float(weights @ counts / weights.sum())
    return mean, float(weights @ (counts - mean) ** 2 / weights.sum())


@st.composite
def problems(draw: Any) -> tuple[float, float, int, float, float]:
    """An exponent, a deviation, a support and an estimate that may lie anywhere, and a slope."""
    support = int(10 ** draw(st.floats(0.4, 5)))
    deviation = 10 ** draw(st.floats(-1, 3.7))
    near = draw(
        st.sampled_from(
            [(-40 * deviation, 40 * deviation), (0, 1.5 * support), (0, 20 * deviation)]
        )
    )
    return (
        draw(st.floats(-3, 6)),
        deviation,
        support,
        draw(st.floats(*near)),
        draw(st.sampled_from([0.0, 1.0, 3.0])),
    )


@given(problems(), st.sampled_from([0.0, 0.3]))
@cases(60)
def test_the_posterior_under_a_power_law_is_the_full_sum(
    problem: tuple[float, float, int, float, float], at_zero: float
) -> None:
    exponent, deviation, support, estimate, slope = problem
    counts = np.arange(0 if at_zero else 1, support + 1.0)
    logs = (
        math.log(1 - at_zero)
        - log_power_sum(exponent, support)
        - exponent * np.log(np.maximum(counts, 1))
    )
    if at_zero:
        logs[0] = math.log(at_zero)
    mean, variance = full_sum(estimate, counts, logs, noise(deviation, slope))
    found = posterior([estimate], PowerLaw(exponent, support, at_zero), noise(deviation, slope))
    assert found.mean[0] == pytest.approx(mean, rel=1e-8, abs=1e-12)
    assert found.variance[0] == pytest.approx(variance, rel=1e-5, abs=1e-8 * max(mean, 1) ** 2)


@pytest.mark.parametrize(
    ("exponent", "support", "floor", "slope", "estimate"),
    [(2600.0, 3500, 1.7, 0.64, 4290.0), (2680.0, 34, 0.08, 0.0074, 49.0)],
)
def test_a_law_that_ends_far_below_the_estimate_keeps_all_its_counts(
    exponent: float, support: int, floor: float, slope: float, estimate: float
) -> None:
    """A steep law draws the count far below its last one, the nearest to the estimate."""
    made, counts = Noise(MANY, floor, slope), np.arange(1, support + 1.0)
    mean, variance = full_sum(estimate, counts, -exponent * np.log(counts), made)
    found = posterior([estimate], PowerLaw(exponent, support), made)
    assert found.mean[0] == pytest.approx(mean, rel=1e-9)
    assert found.variance[0] == pytest.approx(variance, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("estimate", "exponent", "deviation", "support", "expected"),
    [
        (500, 1.7, 100, 5000, 460.120707),
        (-1e4, 1.7, 100, 5000, 1.154602),
        (7000, 1.7, 1828, 908576, 3242.872986),
        (300000, 1.7, 1828, 908576, 299981.062459),
        (0, 2, 1, 5, 1.056678),
    ],
)
def test_reference_values(
    estimate: float, exponent: float, deviation: float, support: int, expected: float
) -> None:
    assert posterior_mean([estimate], PowerLaw(exponent, support), noise(deviation))[
        0
    ] == pytest.approx(expected, rel=3e-9, abs=6e-7)


@pytest.mark.slow
@given(
    st.floats(0.1, 3000), st.floats(0.3, 300), st.floats(-2000, 20000), st.sampled_from([0.0, 1.0])
)
@cases(60)
def test_the_posterior_under_a_poisson_law_is_the_full_sum(
    mean: float, deviation: float, estimate: float, slope: float
) -> None:
    counts = np.arange(0, 30_000.0)
    expected = full_sum(estimate, counts, poisson.logpmf(counts, mean), noise(deviation, slope))[0]
    assert posterior_mean([estimate], PoissonPrior(mean), noise(deviation, slope))[
        0
    ] == pytest.approx(expected, rel=1e-7, abs=1e-9)


@given(st.floats(0, 7), st.floats(-150, 12), st.floats(-3, 3))
@cases(25)
def test_a_poisson_law_takes_few_points_beside_any_noise(
    log_mean: float, log_deviation: float, far: float
) -> None:
    """From noise that is nothing to noise beside which the law is a point."""
    mean, deviation = 10**log_mean, 10**log_deviation
    estimate = max(mean + far * np.hypot(mean**0.5, deviation), 0.0)
    places, _ = PoissonPrior(mean).points(estimate, estimate, noise(deviation))
    assert len(places) < 20_000
    found = posterior_mean([estimate], PoissonPrior(mean), noise(deviation))[0]
    weight = mean / (mean + deviation**2)  # about where the mode is, if the law were normal
    middle, width = mean + weight * (estimate - mean), 15 * mean**0.5 * (1 - weight) ** 0.5 + 60
    counts = np.arange(max(middle - width, 0) // 1, middle + width)
    if mean > 50:
        expected = full_sum(estimate, counts, poisson.logpmf(counts, mean), noise(deviation))[0]
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-6)


@pytest.mark.slow
@given(st.floats(-500, 500), st.floats(0.01, 500), st.floats(0.3, 300), st.floats(-5000, 5000))
@cases(60)
def test_the_posterior_under_a_laplace_law_is_the_full_sum(
    mean: float, scale: float, deviation: float, estimate: float
) -> None:
    counts = np.arange(-9_000.0, 9_001.0)
    logs = -np.abs(counts - mean) / scale
    expected, variance = full_sum(estimate, counts, logs, noise(deviation))
    found = posterior([estimate], LaplacePrior(mean, scale), noise(deviation))
    assert found.mean[0] == pytest.approx(expected, rel=1e-7, abs=1e-6)
    total = np.logaddexp.reduce(logs)
    marginal = np.logaddexp.reduce(logs - total + norm.logpdf(estimate, counts, deviation))
    assert found.log_marginal[0] == pytest.approx(float(marginal), rel=1e-8, abs=1e-8)
    assert found.variance[0] == pytest.approx(variance, rel=1e-5, abs=1e-6)


@given(st.floats(-500, 500), st.floats(0, 1e4), st.floats(0.3, 300))
def test_a_gaussian_prior_makes_a_line(mean: float, variance: float, deviation: float) -> None:
    estimates = np.array([-1000.0, 0.0, 500.0, 2000.0])
    found = posterior(estimates, GaussianPrior(mean, variance), noise(deviation))
    weight = variance / (variance + deviation**2)
    np.testing.assert_allclose(found.mean, mean + weight * (estimates - mean), atol=1e-9)
    expected = norm.logpdf(estimates, mean, math.sqrt(variance + deviation**2))
    np.testing.assert_allclose(found.log_marginal, expected, rtol=1e-9)
    if variance > 100 and deviation > 3:  # a fine law on whole numbers is nearly the normal one
        counts = np.arange(-3000.0, 3001.0)
        oracle = full_sum(
            500.0, counts, norm.logpdf(counts, mean, math.sqrt(variance)), noise(deviation)
        )
        assert (found.mean[2], found.variance[2]) == pytest.approx(oracle, rel=1e-6, abs=1e-6)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=9), st.floats(0.1, 10), st.floats(-30, 30))
def test_any_finite_law_is_summed_as_it_is(
    masses: list[float], deviation: float, estimate: float
) -> None:
    pmf = np.array([0.0, *masses]) / sum(masses)
    expected = full_sum(estimate, np.arange(1.0, pmf.size), np.log(pmf[1:]), noise(deviation, 1.0))[
        0
    ]
    assert posterior_mean([estimate], FinitePrior.of(pmf), noise(deviation, 1.0))[
        0
    ] == pytest.approx(expected, rel=1e-9)


PRIORS: list[Prior] = [
    PowerLaw(1.7, 5000),
    PowerLaw(1.7, 5000, 0.4),
    PowerLaw(2.1, math.inf),
    PowerLaw(-1.0, 5000),
    PoissonPrior(194.0),
    LaplacePrior(50.5, 30.0),
    GaussianPrior(50.0, 900.0),
    FinitePrior.empirical([1, 1, 1, 5, 7, 300]),
]
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=str)


@every_prior
def test_the_slope_of_the_posterior_mean_is_its_variance_over_that_of_the_noise(
    prior: Prior,
) -> None:
    """Which makes it rise, so that calibration leaves the order of items; Stein's identity, by
    differences.
    """
    estimates, step = np.linspace(-600, 6500, 500), 1e-3
    found = posterior(estimates, prior, noise(100.0))
    ahead, behind = (
        posterior_mean(estimates + sign * step, prior, noise(100.0)) for sign in (1, -1)
    )
    np.testing.assert_allclose(
        (ahead - behind) / (2 * step), found.variance / 1e4, rtol=1e-4, atol=1e-6
    )
    assert (np.diff(found.mean) >= 0).all()


@every_prior
def test_estimates_far_out_are_finite_and_shuffling_changes_nothing(prior: Prior) -> None:
    far = np.array([1e9, -1e9, 3.0, 1e5, -1e5])
    found = posterior_mean(far, prior, noise(100.0))
    assert np.isfinite(found).all()
    assert (np.diff(found[[1, 4, 2, 3, 0]]) >= 0).all()
    np.testing.assert_allclose(
        [posterior_mean([one], prior, noise(100.0))[0] for one in far], found, rtol=1e-9
    )


@given(st.floats(1.01, 4), st.floats(1, 5000), st.floats(-1e6, 1e6))
def test_a_calibrated_count_is_one_that_there_can_be(
    exponent: float, deviation: float, estimate: float
) -> None:
    (mean,) = posterior_mean([estimate], PowerLaw(exponent, 5000), noise(deviation))
    assert 1 - 1e-12 <= mean <= 5000 * (1 + 1e-12)


def test_the_limits_of_the_posterior_mean() -> None:
    prior = PowerLaw(1.7, 5000)
    assert posterior_mean([1e9, 5000 + 1e6], prior, noise(100)) == pytest.approx(
        [5000, 5000], rel=1e-9
    )
    assert posterior_mean([-1e9], prior, noise(100))[0] == pytest.approx(1)
    assert posterior_mean([17.4, 17.6, 0.2], prior, noise(0.05)) == pytest.approx(
        [17, 18, 1]
    )  # the nearest count
    assert posterior_mean([17.0], prior, noise(1e9))[0] == pytest.approx(prior.mean)


@pytest.mark.parametrize(
    ("exponent", "deviation", "support", "expected"),
    [(2.0, 10.0, 500, 13.7634), (1.5, 20.0, 500, 106.758), (2.5, 5.0, 200, 2.49469)],
)
def test_with_the_right_prior_the_risk_is_below_that_of_the_estimates(
    exponent: float, deviation: float, support: int, expected: float
) -> None:
    """Theorem 2; and with a wrong prior there is no such promise."""
    risk = bayes_risk(PowerLaw(exponent, support), noise(deviation), support)
    assert risk == pytest.approx(expected, rel=5e-6)
    assert risk < deviation**2
    counts = np.arange(1.0, support + 1)
    masses = np.exp(-exponent * np.log(counts) - log_power_sum(exponent, support))
    z = np.linspace(-9, 9, 91)
    estimates = counts[:, np.newaxis] + deviation * z
    for prior, better in (
        (PowerLaw(exponent, support), True),
        (GaussianPrior(support, 1.0), False),
    ):
        calibrated = posterior_mean(estimates.ravel(), prior, noise(deviation)).reshape(
            estimates.shape
        )
        squared = (calibrated - counts[:, np.newaxis]) ** 2 @ (norm.pdf(z) * 0.2)
        assert (masses @ squared < deviation**2) == better
        if better:
            assert masses @ squared == pytest.approx(risk, rel=1e-3)


# Noise, thresholds


@for_each("mechanism", [OUE(1.0, 3), SUE(1.0, 3), GRR(1.0, 3), OUE(3.0, 5), Unary(0.9, 0.4, 2)])
@for_each("held", [0, 4, 12])
def test_mean_and_variance_are_those_of_two_binomials(mechanism: Any, held: int) -> None:
    users = 12
    p, q = mechanism.support_chances
    law = np.convolve(
        binom.pmf(range(held + 1), held, p), binom.pmf(range(users - held + 1), users - held, q)
    )
    estimates = users * np.array([(count / users - q) / (p - q) for count in range(users + 1)])
    mean = law @ estimates
    assert mean == pytest.approx(held, abs=1e-9)
    assert Noise.of(mechanism, users).variance(held) == pytest.approx(law @ (estimates - mean) ** 2)


@given(st.floats(0.01, 20), st.integers(2, 1000), st.integers(2, 10**7))
def test_the_noise_of_the_mechanisms(epsilon: float, items: int, users: int) -> None:
    oue = Noise.of(OUE(epsilon, items), users)
    assert oue.slope == 1
    assert oue.floor == pytest.approx(users / math.sinh(epsilon / 2) ** 2, rel=1e-9)
    assert Noise.of(SUE(epsilon, items), users).slope == 0
    for mechanism in (OUE(epsilon, items), SUE(epsilon, items), GRR(epsilon, items)):
        made = Noise.of(mechanism, users)
        held = users // 3
        exact = mechanism.variance(held / users, users) * users**2
        assert made.variance(held) == pytest.approx(exact, rel=1e-6)
        assert made.alike.variance(held) == made.floor
    raw = mechanism.estimate(
        mechanism.draw_supports([1, *[0] * (items - 1)], SampledCoins(1, "u1")), 1
    )
    assert raw.sum() == pytest.approx(1, abs=1e-6 / epsilon)  # of GRR, which names one item


@pytest.mark.parametrize(
    ("sizes", "epsilon", "floor", "deviation", "quantile", "threshold"),
    [
        (KOSARAK, 1, 29_531_581.4, 5434.297, 4.714499, 25_619.98),
        (KOSARAK, 4, 609_620.2, 780.782, 4.714499, 3_680.99),
        (KOSARAK, 5, 219_069.0, 468.048, 4.714499, 2_206.61),
        (RETAIL, 1, 3_346_007.7, 1829.210, 4.523879, 8_275.12),
        (RETAIL, 4, 69_071.6, 262.815, 4.523879, 1_188.94),
        (RETAIL, 5, 24_821.1, 157.547, 4.523879, 712.72),
    ],
)
def test_the_table_of_thresholds(
    sizes: tuple[int, int],
    epsilon: float,
    floor: float,
    deviation: float,
    quantile: float,
    threshold: float,
) -> None:
    users, items = sizes
    made = Noise.of(OUE(float(epsilon), items), users)
    assert made.floor == pytest.approx(floor, abs=0.06)
    assert made.deviation == pytest.approx(deviation, abs=6e-4)
    assert made.threshold(items) == pytest.approx(threshold, abs=0.006)
    assert made.threshold(items) / made.deviation == pytest.approx(quantile, abs=6e-7)


def test_the_papers_variance_of_5434_is_a_standard_deviation() -> None:
    users, items = KOSARAK
    made = Noise.of(OUE(1.0, items), users)
    assert made.deviation == pytest.approx(5434, abs=0.5)
    assert made.floor > 5000 * 5434
    assert Noise.of(OUE(8.68, items), users).floor == pytest.approx(
        5434, rel=0.01
    )  # what it would take
    standard_error = 5434 / math.sqrt(items)
    assert 3.2 / standard_error == pytest.approx(0.12, abs=0.005)
    assert 3.2 / (math.sqrt(5434) / math.sqrt(items)) == pytest.approx(8.8, abs=0.05)


def test_the_noise_depends_on_the_item() -> None:
    """Eq. 14 leaves the second term out; of Kosarak's top item it is most of the variance."""
    made = Noise.of(OUE(5.0, KOSARAK[1]), KOSARAK[0])
    assert made.variance(601_374) == pytest.approx(820_443, abs=1)
    assert made.variance(601_374) / made.floor == pytest.approx(3.7, abs=0.05)


def test_purity_is_no_privacy() -> None:
    """Definition 1 is met by publishing the item, p = 1 and q = 0, whose ε is infinite."""
    published = Unary(1, 0, 3)
    assert published.exact_epsilon == math.inf
    with pytest.raises(ValueError, match="positive and finite variance"):
        Noise.of(published, 10)


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=9), st.floats(0, 1e4))
def test_zeroing_twice_is_zeroing_once(counts: list[float], threshold: float) -> None:
    once = zeroed(counts, threshold)
    assert (zeroed(once, threshold) == once).all()
    assert (
        once[np.array(counts) >= threshold] == np.array(counts)[np.array(counts) >= threshold]
    ).all()
    assert (once[np.array(counts) < threshold] == 0).all()


def test_no_number_is_no_threshold() -> None:
    with pytest.raises(ValueError, match="threshold is a number of users, got nan"):
        zeroed([1.0], math.nan)


# Fits


def test_moments_are_those_of_the_counts_behind_the_estimates() -> None:
    estimates = np.array([1.0, 5.0, -3.0, 97.0])
    moments = CountMoments.of(estimates, Noise(60, 100.0))
    assert moments == CountMoments(25.0, float(np.var(estimates)) - 100)
    assert CountMoments.of(estimates, Noise(60, 100.0), "known_total").mean == 15
    assert CountMoments.of(estimates, Noise(60, 1e9)).variance == 0
    assert laplace_of(CountMoments(3.0, 8.0)) == LaplacePrior(3.0, 2.0)
    assert posterior_mean([7.0], laplace_of(CountMoments(3.5, 0.0)), noise(2.0))[0] == 3.5
    assert posterior_mean([7.0], gaussian_of(CountMoments(3.5, 0.0)), noise(2.0))[0] == 3.5
    assert power_law_of_mean(CountMoments(3.0, 0.0), 100, at_zero=0.4).mean == pytest.approx(3)


@pytest.mark.parametrize(("exponent", "deviation"), [(1.4, 0.0135), (2.2, 0.092)])
def test_the_likeliest_exponent_is_found(exponent: float, deviation: float) -> None:
    """2,000 counts from the law, with noise.

    Within five deviations of 40 repeated fits: a false alarm in 1e-6.
    """
    support, items = 5000, 2000
    logs = -exponent * np.log(np.arange(1.0, support + 1))
    cumulated = np.cumsum(np.exp(logs - np.logaddexp.reduce(logs)))
    coins = SampledCoins(3, "u1")
    counts = 1 + np.searchsorted(cumulated, coins.uniform(items).plain)
    estimates = counts + 20 * coins.normal(items).plain
    found = likeliest_power_law(estimates, noise(20.0), support)
    assert found.exponent == pytest.approx(exponent, abs=5 * deviation)
    around = [
        posterior(
            estimates, PowerLaw(found.exponent + step, support), noise(20.0)
        ).log_marginal.sum()
        for step in (-0.02, 0.0, 0.02)
    ]
    assert max(around) == around[1]


@pytest.mark.parametrize(
    ("family", "drawn"),
    [
        ("gaussian", lambda coins: 30 + 40 * coins.normal(400).plain),
        ("poisson", lambda coins: poisson(37.0).ppf(coins.uniform(400).plain)),
        ("laplace", lambda coins: 50.0 + 30 * np.log(coins.uniform(400).plain)),
    ],
)
def test_the_likeliest_prior_of_a_family_is_likelier_than_others(
    family: str, drawn: Callable[[SampledCoins], Floats]
) -> None:
    """No step of one parameter makes it likelier, nor does the mean-variance method (Eq. 16)."""
    coins = SampledCoins(5, "u1")
    estimates = drawn(coins) + 20 * coins.normal(400).plain
    found, fitted = (
        Calibrate(family, fit=fit).prior(estimates, noise(20.0)) for fit in ("likelihood", "mean")
    )
    least = surprise(estimates, found, noise(20.0))
    assert least <= surprise(estimates, fitted, noise(20.0))
    for name, value in attrs.asdict(found).items():
        for factor in (0.98, 1.02):
            changed = attrs.evolve(found, **{name: value * factor})
            assert surprise(estimates, changed, noise(20.0)) > least


def test_counts_of_noise_alone_have_no_likeliest_poisson_law() -> None:
    raw = -3 + SampledCoins(5, "u1").normal(200).plain
    with pytest.raises(ValueError, match="the likeliest mean count is below"):
        Calibrate("poisson", fit="likelihood").prior(raw, noise(1.0))


@pytest.mark.parametrize("family", ["power-law", "gaussian", "laplace", "poisson"])
@pytest.mark.parametrize("own_noise", [False, True])
def test_calibration_leaves_the_order_of_items(family: str, own_noise: bool) -> None:
    raw = np.array([900.0, 20.0, -35.0, 60.0, 55.0, 0.0])
    how = Calibrate(family, own_noise=own_noise)
    if own_noise and family in ("gaussian", "laplace"):
        with pytest.raises(ValueError, match=r"use noise\.alike"):
            how.counts(raw, Noise(1000, 400.0, 1.0))
        return
    calibrated = how.counts(raw, Noise(1000, 400.0, 1.0))
    assert (np.argsort(calibrated, kind="stable") == np.argsort(raw, kind="stable")).all()


def test_the_variance_of_each_count_moves_the_large_ones() -> None:
    users, items = KOSARAK
    made, prior = Noise.of(OUE(5.0, items), users), PowerLaw(1.698, users)
    alike, own = (
        posterior_mean([601_374.0, 500.0], prior, given_) for given_ in (made.alike, made)
    )
    assert abs(own - alike)[0] > 0.5
    assert own[0] < alike[0]


def test_the_support_may_end_at_the_largest_estimate() -> None:
    counts, noise = np.array([900.2, 40.0, 11.0, 3.0, 1.0, 0.5]), Noise(10_000, 4.0)
    prior = Calibrate(support="largest").prior(counts, noise)
    assert isinstance(prior, PowerLaw)
    assert prior.support == 901
    assert Calibrate(support="largest").counts(counts, noise).max() <= 901


def test_noise_that_drowns_the_mean_is_refused_and_the_known_mean_serves() -> None:
    raw = np.array([-400.0, 300.0, -20.0, 50.0])
    small = Noise(400, 1e5)
    with pytest.raises(
        ValueError, match=r"mean between these two numbers, got -17\.5: .* take calibrate-total, "
    ):
        Calibrate().counts(raw, small)
    assert (Calibrate(mean_source="known_total").counts(raw, small) >= 1).all()
    users, items = KOSARAK
    assert Noise.of(OUE(0.1, items), users).deviation / math.sqrt(items) == pytest.approx(
        279, abs=1
    )
    assert users / items == pytest.approx(194.3062, abs=5e-5)


# The step after a collection


@for_each("name", METHODS)
@for_each("mechanism", [OUE(2.0, 50), SUE(2.0, 50), GRR(4.0, 50)])
def test_every_method_follows_any_pure_collection(name: str, mechanism: Any) -> None:
    holders = (4000 / np.arange(1, 51) ** 1.5).astype(np.int64)  # a power law, as the priors say
    users = int(holders.sum())
    raw = mechanism.estimate(mechanism.draw_supports(holders, SampledCoins(2, "u1")), users)
    before = raw.copy()
    result = apply(name, raw, Noise.of(mechanism, users))
    assert result.shape == raw.shape
    assert result is not raw
    assert (raw == before).all()
    assert (np.diff(result[np.argsort(raw)]) >= -1e-12).all()
    if name in consistency.METHODS:
        assert (result == consistency.apply(name, raw)).all()
    if name in (
        "calibrate-gaussian",
        "calibrate-laplace",
    ):  # fitted to mean and variance, and no worse than that
        assert ((result - holders / users) ** 2).sum() < 2 * ((raw - holders / users) ** 2).sum()
    elif name == "calibrate-poisson":  # a law far too narrow: all come near the mean
        assert (abs(result - raw.mean()) <= abs(raw - raw.mean()) + 1e-12).all()
    elif name.startswith("calibrate"):
        assert (result >= 1 / users - 1e-12).all()
        assert ((result - holders / users) ** 2).sum() < 2 * ((raw - holders / users) ** 2).sum()


# Heavy hitters


def test_heavy_hitters_are_strictly_above_the_cut() -> None:
    found = heavy_hitters([10, 9, 5, 5, 1], [6.0, 5.0, 5.1, 4.0, 0.0], 5)
    assert found == Detection(right=1, wrong=1, missed=1)
    assert (found.precision, found.recall, found.f_score) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("truth", "estimates", "rates"),
    [
        ([1, 2], [0, 0], (0, 0, 0)),
        ([9, 9], [0, 0], (0, 0, 0)),
        ([0, 0], [9, 0], (0, 0, 0)),
        ([9, 0], [9, 0], (1, 1, 1)),
    ],
)
def test_rates_of_nothing_are_zero(truth: Any, estimates: Any, rates: Any) -> None:
    found = heavy_hitters(truth, estimates, 5)
    assert (found.precision, found.recall, found.f_score) == rates


# What is refused


@for_each(
    "made, wrong",
    [
        (lambda: Noise(0, 1.0), "users is at least 1"),
        (lambda: Noise(5, 0.0), "positive and finite variance"),
        (lambda: Noise(5, math.nan), "positive and finite variance"),
        (lambda: Noise(5, 1.0, -1.0), "is finite and not negative, got slope"),
        (
            lambda: posterior_mean(
                [0.0], FinitePrior(np.array([-1.0, 2.0]), np.array([0.5, 0.5])), Noise(5, 1.0, 1.0)
            ),
            "counts below 0 needs noise with one variance",
        ),
        (lambda: noise(1.0).threshold(10, 0.0), "beta lies between 0 and half"),
        (lambda: noise(1.0).threshold(10, 5.0), "beta lies between 0 and half"),
        (lambda: noise(1.0).threshold(1), "items is at least 2"),
        (lambda: zeroed([1.0, math.nan], 1.0), "got nan"),
        (lambda: PowerLaw(1.5, 1), "support is at least 2"),
        (lambda: PowerLaw(math.inf, 5), "exponent is finite"),
        (lambda: PowerLaw(1.0, math.inf), "exponent above 1"),
        (lambda: PowerLaw(1.5, 5, 1.0), "at_zero below 1"),
        (lambda: PoissonPrior(0.0), "positive and finite mean"),
        (lambda: LaplacePrior(0.0, -1.0), "scale is not negative"),
        (lambda: GaussianPrior(0.0, -1.0), "variance is not negative"),
        (lambda: GaussianPrior(math.nan, 1.0), "mean is finite"),
        (lambda: FinitePrior.of([0.5, 0.4]), "add up to 1"),
        (lambda: FinitePrior(np.arange(2), np.ones(3) / 3), "counts and masses are two lists"),
        (lambda: log_power_sum(1.0, math.inf), "finite only for s > 1"),
        (lambda: PowerLaw(2.0, math.inf).mean, "finite only for an exponent above 2, got 2"),
        (lambda: exponent_of_mean(1.0, 10), "mean between these two numbers"),
        (lambda: exponent_of_mean(10.0, 10), "between these two numbers, .* smaller at_zero"),
        (lambda: exponent_of_mean(math.nan, 10), "mean between these two numbers"),
        (
            lambda: posterior_mean([1.0, math.nan], PowerLaw(1.5, 5), noise(1.0)),
            "finite numbers, got nan",
        ),
        (lambda: posterior_mean([[1.0]], PowerLaw(1.5, 5), noise(1.0)), "one axis"),
        (lambda: posterior_mean([1.0], PowerLaw(1.5, 5), Noise(5, 9.0, -1.0)), r"use noise\.alike"),
        (lambda: CountMoments.of([1.0], noise(1.0)), "at least 2 items"),
        (
            lambda: CountMoments.of([1.0, 2.0], noise(1.0), "known"),
            "mean_source is estimates or known_total",
        ),
        (lambda: Calibrate("zipf"), "family is power-law or"),
        (lambda: Calibrate("poisson", at_zero=0.5), "those of the power law, not of poisson"),
        (lambda: Calibrate(at_zero=1.0), "at_zero is a probability below 1"),
        (lambda: Calibrate("laplace", known=GaussianPrior(1.0, 1.0)), "known is not fitted"),
        (lambda: Calibrate().step(noise(1.0), 5), "depends on the estimates of all items"),
        (lambda: known_mean(Noise(5, 1.0), 1), "items is at least 2, got 1"),
        (
            lambda: Calibrate(fit="likelihood", support="largest").prior([1, math.inf], noise(1.0)),
            "finite numbers, got inf",
        ),
        (lambda: likeliest_power_law(np.full(50, 1e6), noise(1.0), 10**7), "outside"),
        (
            lambda: apply("calibrated", [0.5], noise(1.0)),
            "unknown method of post-processing 'calibrated'",
        ),
        (lambda: heavy_hitters([1], [1, 2], 1), "two rows of the same length"),
        (lambda: heavy_hitters([1], [math.nan], 1), "got nan"),
    ],
)
def test_nonsense_is_refused(made: Callable[[], Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        made()
