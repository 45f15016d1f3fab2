"""Several attributes: sampling k of d attributes is compared with splitting the budget; exact and
sampled variances; the choice of k.

Statistical tests have a false-alarm rate of 1e-6 or less each; seeds are fixed.
"""

from itertools import combinations
from math import cosh, exp, floor, sinh, sqrt, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import chisquare, kstest

from protocols.mechanisms.attributes import Attributes, Reports
from protocols.mechanisms.hybrid import EPS_STAR, HM
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.split import JOINT, SINGLE, Split, SplitMethod
from protocols.mechanisms.tuples import INNER, Inner, Tuples, optimal_k, printed_k
from simnet.coins.sampled import SampledCoins

FALSE_ALARM = 1e-6
MIXED = Attributes(2, (3, 2))
METHODS = [*JOINT, *SINGLE]
inners = pytest.mark.parametrize("inner", ["pm", "hm"])


def population(users: int) -> tuple[np.ndarray, np.ndarray]:
    """The same tuple for every user: numbers 0.5 and -0.3, categories 3 of 3 and 1 of 2."""
    return np.tile([0.5, -0.3], (users, 1)), np.tile([3, 1], (users, 1))


@pytest.mark.parametrize("epsilon", [1e-7, 2000.0])
def test_an_epsilon_that_only_numbers_refuse_serves_categories(epsilon: float) -> None:
    coins = SampledCoins(7, "u1")
    reports = Tuples(epsilon, Attributes(0, (3, 2)), chosen=1).perturb(
        np.empty((2, 0)), [[1, 2], [3, 1]], coins
    )
    assert reports.reported.sum(axis=1).tolist() == [1, 1]


# privacy


@given(
    st.floats(1e-3, 200),
    st.integers(0, 4),
    st.lists(st.integers(2, 5), max_size=3),
    st.sampled_from(["pm", "hm"]),
)
def test_k_reports_compose_to_epsilon(
    epsilon: float, numeric: int, domains: list[int], inner: Inner
) -> None:
    if numeric or domains:
        attributes = Attributes(numeric, tuple(domains))
        for k in range(1, attributes.count + 1):
            assert Tuples(epsilon, attributes, inner, k).exact_epsilon == pytest.approx(
                epsilon, rel=1e-10
            )


@given(
    st.floats(1e-3, 200),
    st.integers(1, 6),
    st.lists(st.integers(2, 5), max_size=3),
    st.sampled_from(METHODS),
)
def test_the_split_budget_adds_up_unless_ties_are_as_printed(
    epsilon: float, numeric: int, domains: list[int], method: SplitMethod
) -> None:
    split = Split(epsilon, Attributes(numeric, tuple(domains)), method)
    if method == "duchi-as-printed" and numeric % 2 == 0:
        own = epsilon * numeric / split.attributes.count
        log_odds = float(np.logaddexp(0, own))
        assert split.exact_epsilon == pytest.approx(epsilon - own + log_odds, rel=1e-10)
    else:
        assert split.exact_epsilon == pytest.approx(epsilon, rel=1e-10)


def test_six_numeric_attributes_with_ten_others_spend_half_as_much_again_as_printed() -> None:
    attributes = Attributes(6, (2,) * 10)
    assert Split(1.0, attributes, "duchi-as-printed").exact_epsilon == pytest.approx(
        1.5231, abs=5e-5
    )
    assert Split(1.0, attributes, "duchi").exact_epsilon == pytest.approx(1)


# reports


@inners
@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_set_of_k_attributes_is_reported_on_equally_often(inner: Inner, k: int) -> None:
    """Step 1 of Section IV-C leaves out "without replacement": every user reports on k different
    attributes.
    """
    users, attributes = 6_000, Attributes(4)
    reports = Tuples(6.0, attributes, inner, k).perturb(
        np.full((users, 4), 0.25), None, SampledCoins(3, "u1")
    )
    reported = reports.numbers != 0
    assert (reported.sum(axis=1) == k).all()
    counts = np.unique(reported @ (1 << np.arange(4)), return_counts=True)[1]
    assert counts.size == len(list(combinations(range(4), k)))
    assert chisquare(counts).pvalue > FALSE_ALARM


def test_each_attribute_reported_on_follows_the_law_of_its_own_mechanism() -> None:
    protocol, users = Tuples(6.0, MIXED, "pm", 2), 30_000
    numbers, categories = population(users)
    reports = protocol.perturb(numbers, categories, SampledCoins(8, "u1"))
    for j in range(2):
        column = reports.numbers[:, j]
        law = PM(3.0).law(numbers[0, j])
        assert kstest(column[column != 0] / 2, law.cdf).pvalue > FALSE_ALARM
        assert (
            kstest(column[column != 0] / 2, PM(3.0).law(numbers[0, 1 - j]).cdf).pvalue < FALSE_ALARM
        )
    for j, bits in enumerate(reports.encodings):
        chances = np.full(bits.shape[1], 1 / (exp(3) + 1))
        chances[categories[0, j] - 1] = 0.5
        spread = np.sqrt(chances * (1 - chances) / len(bits))
        assert (
            np.abs(bits.mean(axis=0) - chances) < 5.2 * spread
        ).all()  # 2e-7 at every coordinate
        assert abs(len(bits) - users / 2) < 5 * sqrt(users / 4)


def test_reports_stay_within_d_over_k_times_the_bound_at_epsilon_over_k() -> None:
    """The paper states [-C d, C d], which is k times too wide."""
    protocol = Tuples(10.0, Attributes(8), "pm")
    reports = protocol.perturb(np.ones((20_000, 8)), None, SampledCoins(8, "u1")).numbers
    assert protocol.k == 4
    assert protocol.bound == pytest.approx(2 / tanh(10 / 16))
    assert protocol.bound * (1 - 1e-4) < reports.max() <= protocol.bound * (1 + 1e-15)
    assert protocol.bound * 4 == pytest.approx(8 * PM(2.5).bound)  # as stated


@inners
def test_estimates_are_unbiased(inner: Inner) -> None:
    check_estimates(Tuples(6.0, MIXED, inner))


@pytest.mark.parametrize("method", METHODS)
def test_estimates_of_the_baseline_are_unbiased(method: SplitMethod) -> None:
    check_estimates(Split(6.0, MIXED, method))


def check_estimates(protocol: Tuples | Split) -> None:
    """Every mean, every frequency and every variance, within five standard deviations each
    (6e-7).
    """
    users = 60_000
    numbers, categories = population(users)
    reports = protocol.perturb(numbers, categories, SampledCoins(8, "u1"))
    found = protocol.estimate(reports)
    variance = protocol.variance(numbers[0])
    assert (np.abs(found.means - numbers[0]) < 5 * np.sqrt(variance / users)).all()
    for j, frequencies in enumerate(found.frequencies):
        truth = np.eye(MIXED.domains[j])[categories[0, j] - 1]
        assert (
            np.abs(frequencies - truth) < 5 * np.sqrt(protocol.frequency_variance(truth, users))
        ).all()
    squares = (reports.numbers - numbers) ** 2
    assert (np.abs(squares.mean(axis=0) - variance) < 5 * squares.std(axis=0) / sqrt(users)).all()


@pytest.mark.parametrize(
    "protocol", [Tuples(1.0, MIXED), Split(1.0, MIXED), Split(1.0, MIXED, "laplace")], ids=str
)
def test_reports_that_no_user_makes_are_refused(protocol: Tuples | Split) -> None:
    made = protocol.perturb(*population(20), SampledCoins(8, "u1"))
    for wrong in (np.nan, np.inf, 1e9):
        numbers = made.numbers.copy()
        numbers[3, 1] = wrong
        if wrong == 1e9 and protocol.mechanism.bound == np.inf:
            continue  # noise may be of any size
        with pytest.raises(ValueError, match="no user's mechanism makes such a report"):
            protocol.estimate(Reports(numbers, made.encodings, made.reported))


def test_a_share_of_the_budget_too_small_for_numbers_is_refused() -> None:
    """For categories it is not: their chances are fractions."""
    for make in (lambda a: Tuples(1.2e-6, a, "hm", 4), lambda a: Split(1.2e-6, a)):
        with pytest.raises(
            ValueError,
            match=r"(epsilon / 4|3/4 of epsilon) is positive, from 1e-06 to 1400 for a mechanism",
        ):
            make(Attributes(3, (2,)))
        assert make(Attributes(0, (2, 3, 2, 2))).exact_epsilon == pytest.approx(1.2e-6, rel=1e-12)


def test_frequencies_are_the_debiased_sum_over_all_who_reported() -> None:
    protocol, users = Tuples(2.0, MIXED), 500
    reports = protocol.perturb(*population(users), SampledCoins(8, "u1"))
    p, q = 0.5, 1 / (exp(2) + 1)
    for bits, found in zip(reports.encodings, protocol.estimate(reports).frequencies, strict=True):
        assert len(bits) < users
        np.testing.assert_allclose(
            found, 4 / users * ((bits - q) / (p - q)).sum(axis=0), rtol=1e-12
        )


def test_an_attribute_nobody_reported_on_has_zero_frequencies() -> None:
    found = Tuples(1.0, MIXED).estimate(
        Reports(
            np.zeros((1, 2)),
            (np.zeros((0, 3), bool), np.ones((1, 2), bool)),
            np.array([[False, False, False, True]]),
        )
    )
    assert found.frequencies[0].tolist() == [0, 0, 0]
    assert (found.frequencies[1] > 0).all()


# variances


@inners
@given(epsilon=st.floats(0.05, 60), d=st.integers(1, 20), value=st.floats(-1, 1))
def test_the_variance_of_a_number_is_that_of_its_law(
    inner: Inner, epsilon: float, d: int, value: float
) -> None:
    """A report is 0, or with chance k/d it is d/k times a report whose moments the law knows."""
    protocol = Tuples(epsilon, Attributes(d), inner)
    law, rate = protocol.mechanism.law(value), d / protocol.k
    assert law.mean == pytest.approx(value, abs=1e-10)
    assert protocol.variance(value) == pytest.approx(
        rate * law.second_moment - value**2, rel=1e-9, abs=1e-12
    )


@given(st.floats(0.05, 60), st.integers(1, 20), st.floats(0, 1))
def test_the_printed_variances_hold_but_for_hm_up_to_eps_star(
    epsilon: float, d: int, t: float
) -> None:
    """The paper's closed forms (for HM Lemma 6)."""
    pm, hm = Tuples(epsilon, Attributes(d), "pm"), Tuples(epsilon, Attributes(d), "hm")
    k, e = pm.k, epsilon / pm.k
    s = exp(e / 2)
    assert pm.variance(t) == pytest.approx(
        d * (s + 3) / (3 * k * (s - 1) ** 2) + (d * s / (k * (s - 1)) - 1) * t**2,
        rel=1e-9,
        abs=1e-12,
    )
    if e > EPS_STAR:
        assert hm.variance(t) == pytest.approx(
            d / k * HM(e).variance(0) + (d / k - 1) * t**2, rel=1e-9, abs=1e-12
        )
    else:
        assert hm.variance(t) == pytest.approx(d / k / tanh(e / 2) ** 2 - t**2, rel=1e-9)


def test_lemma_6_is_wrong_up_to_eps_star_by_d_over_k_times_t_squared() -> None:
    protocol = Tuples(0.5, Attributes(16), "hm")
    printed = 16 / tanh(0.25) ** 2 + 15
    assert (printed, protocol.variance(1.0)) == (
        pytest.approx(281.73, abs=5e-3),
        pytest.approx(265.73, abs=5e-3),
    )
    assert protocol.worst_variance == protocol.variance(0.0)
    reports = protocol.perturb(np.ones((40_000, 16)), None, SampledCoins(5, "u1")).numbers
    assert reports.var() == pytest.approx(265.73, abs=5)  # far from 281.73: 640,000 reports


@given(
    st.floats(0.05, 60), st.integers(1, 6), st.integers(1, 6), st.floats(0, 1), st.integers(1, 1000)
)
def test_the_variance_of_a_frequency_is_that_of_all_outcomes(
    epsilon: float, d: int, k: int, share: float, users: int
) -> None:
    if k <= d:
        protocol, e = Tuples(epsilon, Attributes(d), "pm", k), epsilon / k
        p, q = 0.5, 1 / (exp(e) + 1)
        enumerated = 0.0
        for weight, one in ((share, p), (1 - share, q)):
            outcomes = [
                (1 - k / d, 0.0),
                (k / d * one, (1 - q) / (p - q)),
                (k / d * (1 - one), -q / (p - q)),
            ]
            mean = sum(chance * d / k * x for chance, x in outcomes)
            enumerated += weight * (
                sum(chance * (d / k * x) ** 2 for chance, x in outcomes) - mean**2
            )
        printed = (
            share * (d / k * ((cosh(e / 2) / sinh(e / 2)) ** 2 + 1) - 1)
            + (1 - share) * d / k / sinh(e / 2) ** 2
        )
        found = protocol.frequency_variance(share, users)
        assert found == pytest.approx(enumerated / users, rel=1e-7, abs=1e-12)
        assert found == pytest.approx(printed / users, rel=1e-9, abs=1e-12)


def test_counting_without_debiasing_is_biased() -> None:
    """Section IV-C estimates a frequency by d / (k n) times the count, which tends to f / 2 + (1 -
    f) q.
    """
    protocol, users = Tuples(1.0, Attributes(0, (2,))), 200_000
    reports = protocol.perturb(
        np.zeros((users, 0)), np.ones((users, 1), dtype=int), SampledCoins(5, "u1")
    )
    naive = protocol.rate * reports.encodings[0].sum(axis=0) / users
    assert naive[1] == pytest.approx(0.269, abs=0.005)
    assert abs(protocol.estimate(reports).frequencies[0][1]) < 5 * sqrt(
        protocol.frequency_variance(0.0, users)
    )


# the choice of k


def test_the_printed_rule() -> None:
    found = [printed_k(epsilon, 3) for epsilon in (0.1, 2.5, 4.99, 5.0, 7.5, 100.0)]
    assert found == [1, 1, 1, 2, 3, 3]
    assert all(
        Tuples(e, Attributes(3)).k == max(1, min(3, floor(e / 2.5))) for e in (0.1, 5.0, 8.0)
    )


@inners
@given(epsilon=st.floats(0.1, 40), d=st.integers(1, 12))
def test_the_optimal_k_is_the_best_of_all(inner: Inner, epsilon: float, d: int) -> None:
    worst = [Tuples(epsilon, Attributes(d), inner, k).worst_variance for k in range(1, d + 1)]
    assert worst[optimal_k(epsilon, d, inner) - 1] == min(worst)


@pytest.mark.parametrize(
    ("inner", "optimum", "second", "third"),
    [("pm", 2.4195, 3.4162, 5.9233), ("hm", 2.1562, 3.0446, 5.2787)],
)
def test_the_printed_rule_is_not_the_best(
    inner: Inner, optimum: float, second: float, third: float
) -> None:
    """Eq. 12 is said to minimise the worst variance."""
    best = minimize_scalar(
        lambda e: e * (INNER[inner](e).variance(1.0) + 1), bounds=(1, 4), method="bounded"
    )
    assert best.x == pytest.approx(optimum, abs=5e-5)
    for k, switch in ((2, second), (3, third)):
        for d in (3, 20):

            def gain(epsilon: float, k: int = k, d: int = d) -> float:
                fewer, more = (
                    Tuples(epsilon, Attributes(d), inner, chosen).worst_variance
                    for chosen in (k - 1, k)
                )
                return fewer - more

            assert brentq(gain, switch - 0.5, switch + 0.5) == pytest.approx(switch, abs=5e-5)
            assert [optimal_k(switch + nudge, d, inner) for nudge in (-0.001, 0.001)] == [k - 1, k]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inner", "large", "at_20", "at_2"), [("pm", 0.291, 0.309, 0.679), ("hm", 0.362, 0.385, 0.921)]
)
def test_what_the_printed_rule_costs(inner: Inner, large: float, at_20: float, at_2: float) -> None:
    def loss(epsilon: float, d: int) -> float:
        best = Tuples(epsilon, Attributes(d), inner, optimal_k(epsilon, d, inner)).worst_variance
        return Tuples(epsilon, Attributes(d), inner).worst_variance / best - 1

    just_below = float(np.nextafter(5, 0))
    assert [loss(just_below, d) for d in (10_000, 20, 2)] == pytest.approx(
        [large, at_20, at_2], abs=5e-4
    )


# refusals


@pytest.mark.parametrize(
    ("attributes", "numbers", "categories", "what"),
    [
        (MIXED, [[0.0, 1.1]], [[1, 1]], r"a value lies in \[-1, 1\], got 1.1"),
        (MIXED, [[0.0, float("nan")]], [[1, 1]], r"a value lies in \[-1, 1\], got nan"),
        (MIXED, [[0.0, 0.0]], [[4, 1]], "categories are whole numbers from 1 to 3, got 4"),
        (MIXED, [[0.0, 0.0]], [[1, 0]], "categories are whole numbers from 1 to 2, got 0"),
        (MIXED, [[0.0]], [[1, 1]], r"numbers have shape \(n, 2\), got \(1, 1\)"),
        (MIXED, [[0.0, 0.0]], None, r"categories have shape \(1, 2\), got \(1, 0\)"),
    ],
)
def test_bad_tuples_are_refused(
    attributes: Attributes, numbers: object, categories: object, what: str
) -> None:
    for protocol in (Tuples(1.0, attributes), Split(1.0, attributes)):
        with pytest.raises(ValueError, match=what):
            protocol.perturb(numbers, categories, SampledCoins(1, "u1"))


def test_a_law_refuses_categories_of_attributes_that_do_not_exist() -> None:
    for protocol in (Tuples(1.0, Attributes(1)), Split(1.0, Attributes(1))):
        assert protocol.law([0.5], []).k == 1
        with pytest.raises(ValueError, match=r"categories have shape \(1, 0\), got \(1, 1\)"):
            protocol.law([0.5], [7])


def test_bad_parameters_are_refused() -> None:
    for k in (0, 5):
        with pytest.raises(ValueError, match=r"chosen is at (least 1|most 4), got"):
            Tuples(1.0, MIXED, "pm", k)
    with pytest.raises(ValueError, match="inner is pm or hm, got 'duchi'"):
        Tuples(1.0, MIXED, "duchi")
    with pytest.raises(ValueError, match="method is duchi or"):
        Split(1.0, MIXED, "pm")
    with pytest.raises(ValueError, match="these attributes are all categorical"):
        Split(1.0, Attributes(0, (3,))).variance([0.0])
    for make in (Tuples, Split):
        with pytest.raises(ValueError, match="epsilon is positive"):
            make(0.0, MIXED)
    with pytest.raises(ValueError, match="at least one attribute"):
        Attributes(0)
    with pytest.raises(ValueError, match="a domain's size is at least 2, got 1"):
        Attributes(1, (1,))
    with pytest.raises(TypeError, match="a domain's size is a whole number, got 'red'"):
        Attributes(1, ("red",))
    with pytest.raises(TypeError, match=r"categories are whole numbers, got float64 such as 1\.5$"):
        Tuples(1.0, MIXED).perturb([[0.0, 0.0]], [[1.5, 1.0]], SampledCoins(1, "u1"))
    for protocol in (Tuples(1.0, Attributes(1)), Split(1.0, Attributes(1))):
        with pytest.raises(ValueError, match="at least one user"):
            protocol.estimate(Reports(np.zeros((0, 1)), (), np.zeros((0, 1), bool)))
