"""Duchi et al.'s mechanism for several values: the whole channel is enumerated from the text of the
algorithm.

Statistical tests have a false-alarm rate of 1e-6 each; seeds are fixed.
"""

from itertools import product
from math import comb, exp, log, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.subsets import subsets
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from tests.harness.many_cases import for_each

FALSE_ALARM = 1e-6
EPSILONS = [0.1, 0.5, 1.0, 4.0]
dimensions = for_each("d", [1, 2, 3, 4, 5, 6])
budgets = for_each("epsilon", EPSILONS)


def corners(d: int) -> Floats:
    """All of {-1, 1}^d, one a row."""
    return np.array(list(product([-1.0, 1.0], repeat=d)))


def rows_by_the_words(epsilon: float, d: int, variant: DuchiVariant) -> Floats:
    """The law of the report, as signs, for each v.

    Shape (2^d, 2^d); by listing T+ and T- and tossing the coin.
    """
    products = corners(d) @ corners(d).T
    upper, lower = (
        (products > 0, products <= 0) if variant == "corrected" else (products >= 0, products <= 0)
    )
    share = upper[0].mean() if variant == "corrected" else 0.5
    coin = share / (share + (1 - share) * exp(-epsilon))
    return np.asarray(coin * upper / upper[0].sum() + (1 - coin) * lower / lower[0].sum())


def law(mechanism: DuchiMulti, values: Floats) -> Floats:
    """The chance of every corner for these values, from the mechanism's own chances.

    Shape (2^d,).
    """
    signs = corners(mechanism.attributes)
    weights = np.prod((1 + signs * values) / 2, axis=1)  # of every v
    agreeing = (signs[:, None, :] == signs[None, :, :]).sum(axis=2)
    return np.asarray(weights @ np.exp(mechanism.log_chances)[agreeing])


@dimensions
@budgets
@for_each("variant", ["corrected", "as-printed"])
def test_the_channel_is_the_algorithm_s(epsilon: float, d: int, variant: DuchiVariant) -> None:
    mechanism = DuchiMulti(epsilon, d, variant)
    found = np.array([law(mechanism, corner) for corner in corners(d)])
    np.testing.assert_allclose(found, rows_by_the_words(epsilon, d, variant), rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert mechanism.exact_epsilon == pytest.approx(epsilon_of(found.tolist()), rel=1e-12)


@for_each("d", [1, 2, 3, 4, 5, 6, 8])
@budgets
def test_ties_in_both_sets_cost_privacy_and_ties_in_one_do_not(epsilon: float, d: int) -> None:
    """Algorithm 3 is said to be ε-LDP; with d even it is ln(1 + e^ε)-LDP and no better."""
    printed, corrected = (
        epsilon_of(rows_by_the_words(epsilon, d, variant).tolist()) for variant in VARIANTS
    )
    assert corrected == pytest.approx(epsilon, rel=1e-12)
    assert printed == pytest.approx(epsilon if d % 2 else log(1 + exp(epsilon)), rel=1e-12)


VARIANTS: list[DuchiVariant] = ["as-printed", "corrected"]


def test_the_true_epsilons_of_the_printed_mechanism() -> None:
    found = [DuchiMulti(epsilon, 6, "as-printed").exact_epsilon for epsilon in EPSILONS]
    assert [round(epsilon, 4) for epsilon in found] == [0.7444, 0.9741, 1.3133, 4.0181]
    assert DuchiMulti(1e-6, 90, "as-printed").exact_epsilon > log(2)


@dimensions
@budgets
@for_each("variant", ["corrected", "as-printed"])
def test_reports_are_unbiased_with_the_stated_variance(
    epsilon: float, d: int, variant: DuchiVariant
) -> None:
    mechanism = DuchiMulti(epsilon, d, variant)
    reports = mechanism.bound * corners(d)
    for values in (*corners(d), np.linspace(-0.8, 0.9, d)):
        chances = law(mechanism, values)
        np.testing.assert_allclose(chances @ reports, values, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(
            chances @ reports**2 - values**2, mechanism.variance(values), rtol=1e-10
        )


BOUNDS = {  # the specification's at ε = 1: corrected, printed
    2: (3.32791, 6.49186),
    3: (4.32791, 4.32791),
    5: (5.77054, 5.77054),
    6: (5.92465, 9.08860),
    10: (7.79321, 10.95716),
    16: (10.01918, 13.18313),
    20: (11.28144, 14.44539),
    40: (16.26044, 19.42439),
    90: (24.80094, 27.96489),
    94: (25.36494, 28.52889),
}


def test_bounds_are_those_of_the_table() -> None:
    found = {
        d: tuple(round(DuchiMulti(1.0, d, variant).bound, 5) for variant in reversed(VARIANTS))
        for d in BOUNDS
    }
    assert found == BOUNDS
    assert (BOUNDS[16][1] / BOUNDS[16][0]) ** 2 == pytest.approx(1.73, abs=5e-3)


def printed_bound(epsilon: float, d: int) -> float:
    """B and C_d of Algorithm 3 as printed."""
    if d % 2:
        c = 2 ** (d - 1) / comb(d - 1, (d - 1) // 2)
    else:
        c = (2 ** (d - 1) + comb(d, d // 2) / 2) / comb(d - 1, d // 2)
    return c * (exp(epsilon) + 1) / (exp(epsilon) - 1)


@given(st.floats(0.01, 20), st.integers(1, 60))
def test_the_printed_variant_has_the_printed_bound(epsilon: float, d: int) -> None:
    assert DuchiMulti(epsilon, d, "as-printed").bound == pytest.approx(
        printed_bound(epsilon, d), rel=1e-9
    )
    assert DuchiMulti(epsilon, d).bound <= printed_bound(epsilon, d) * (1 + 1e-9)


@given(st.floats(1e-6, 1400), st.integers(1, 400))
def test_hundreds_of_attributes_and_any_epsilon_are_exact(epsilon: float, d: int) -> None:
    mechanism = DuchiMulti(epsilon, d)
    assert mechanism.exact_epsilon == pytest.approx(epsilon, rel=1e-12, abs=0)
    masses = [log(comb(d, a)) + chance for a, chance in enumerate(mechanism.log_chances)]
    assert np.logaddexp.reduce(masses) == pytest.approx(0, abs=1e-11)
    agreement = sum((2 * a - d) * exp(mass) for a, mass in enumerate(masses)) / d  # E[y_j v_j] / B
    assert agreement * mechanism.bound == pytest.approx(1, rel=1e-8, abs=1e-14 * mechanism.bound)


def test_one_attribute_is_the_mechanism_for_one_value() -> None:
    assert DuchiMulti(0.7, 1).bound == Duchi(0.7).bound
    assert law(DuchiMulti(0.7, 1), np.array([0.3]))[1] == pytest.approx(0.5 + 0.15 * tanh(0.35))


@pytest.mark.parametrize(("d", "expected"), [(2, -0.776), (4, -0.108), (6, 0.142), (8, 0.280)])
def test_a_wrong_repair_in_circulation_is_biased(d: int, expected: float) -> None:
    """|T+| = 2^(d-1) - binom(d, d/2) lacks a factor 1/2: reports then have a fraction of the value
    as mean.
    """
    epsilon, products = 1.0, corners(d) @ np.ones(d)
    wrong = 2 ** (d - 1) - comb(d, d // 2)
    bound = (2**d + wrong * (exp(epsilon) - 1)) / (comb(d - 1, d // 2) * (exp(epsilon) - 1))
    coin = wrong * exp(epsilon) / (2**d + wrong * (exp(epsilon) - 1))
    mean = coin * products[products > 0].mean() + (1 - coin) * products[products <= 0].mean()
    assert bound * mean / d == pytest.approx(expected, abs=5e-4)


# samplers


@pytest.mark.parametrize("variant", ["corrected", "as-printed"])
@pytest.mark.parametrize(("d", "epsilon"), [(1, 1.0), (2, 0.5), (3, 1.0), (4, 2.0)])
def test_reports_follow_the_law(d: int, epsilon: float, variant: DuchiVariant) -> None:
    mechanism, values, users = DuchiMulti(epsilon, d, variant), np.linspace(-0.5, 0.7, d), 40_000
    reports = mechanism.perturb(np.tile(values, (users, 1)), SampledCoins(4, "u1"))
    assert set(np.abs(reports).ravel()) == {mechanism.bound}
    counts = np.bincount((reports > 0) @ (1 << np.arange(d)[::-1]), minlength=2**d)
    assert chisquare(counts, users * law(mechanism, values)).pvalue > FALSE_ALARM
    other = DuchiMulti(2 * epsilon, d, variant)
    assert chisquare(counts, users * law(other, values)).pvalue < FALSE_ALARM


@pytest.mark.parametrize("variant", ["corrected", "as-printed"])
@pytest.mark.parametrize("d", [6, 21])
def test_agreements_come_as_often_as_the_law_says(d: int, variant: DuchiVariant) -> None:
    mechanism, users = DuchiMulti(1.0, d, variant), 40_000
    agreeing = (mechanism.perturb(np.ones((users, d)), SampledCoins(7, "u1")) > 0).sum(
        axis=1
    )  # v is all ones
    chances = [comb(d, a) * exp(chance) for a, chance in enumerate(mechanism.log_chances)]
    likely = np.array(chances) * users > 20
    counts = np.bincount(agreeing, minlength=d + 1)
    found, expected = (
        np.append(x[likely], x[~likely].sum()) for x in (counts, users * np.array(chances))
    )
    assert chisquare(found[expected > 0], expected[expected > 0]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("d", [16, 301])
def test_every_coordinate_of_many_has_its_own_mean(d: int) -> None:
    mechanism, values, users = DuchiMulti(3.0, d), np.linspace(-1, 1, d), 480_000 // d
    estimate = mechanism.estimate(
        mechanism.perturb(np.tile(values, (users, 1)), SampledCoins(6, "u1"))
    )
    assert (
        np.abs(estimate - values) < 5.9 * np.sqrt(mechanism.variance(values) / users)
    ).all()  # 301 × 4e-9


def test_all_subsets_of_a_size_are_equally_likely() -> None:
    sizes = np.repeat([0, 1, 2, 5], 10_000)
    chosen = subsets(sizes, 5, SampledCoins(3, "u1"))
    np.testing.assert_array_equal(chosen.sum(axis=1), sizes)
    for size in (1, 2):
        codes = chosen[sizes == size] @ (1 << np.arange(5))
        assert chisquare(np.unique(codes, return_counts=True)[1]).pvalue > FALSE_ALARM
        assert np.unique(codes).size == comb(5, size)


def test_single_columns_are_equally_likely() -> None:
    chosen = subsets(np.ones(20_000, dtype=np.int64), 5, SampledCoins(3, "u1"))
    np.testing.assert_array_equal(chosen.sum(axis=1), 1)
    assert chisquare(chosen.sum(axis=0)).pvalue > FALSE_ALARM


def test_reports_travel_as_bits() -> None:
    mechanism = DuchiMulti(1.0, 3)
    reports = mechanism.perturb(np.zeros((4, 3)), SampledCoins(1, "u1"))
    np.testing.assert_array_equal(mechanism.received(mechanism.payload(reports).values), reports)


@pytest.mark.parametrize(
    "reports", [np.zeros((0, 2)), [], [[np.nan, 0.0]], [[0.0, 1e9]], [[0.0, 0.0, 0.0]]]
)
def test_reports_that_no_user_makes_are_refused(reports: Any) -> None:
    with pytest.raises(
        ValueError, match=r"at least one report|a report is between|reports have shape \(n, 2\)"
    ):
        DuchiMulti(1.0, 2).estimate(reports)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="attributes is at least 1, got 0"):
        DuchiMulti(1.0, 0)
    with pytest.raises(TypeError, match="attributes is a whole number"):
        DuchiMulti(1.0, 2.0)
    with pytest.raises(ValueError, match="epsilon is positive"):
        DuchiMulti(float("nan"), 2)
    with pytest.raises(ValueError, match="variant is corrected or as-printed, got 'printed'"):
        DuchiMulti(1.0, 2, "printed")
    with pytest.raises(ValueError, match=r"values have shape \(n, 2\), got \(3,\)"):
        DuchiMulti(1.0, 2).perturb([0.0, 0.1, 0.2], SampledCoins(1, "u1"))
    with pytest.raises(ValueError, match=r"a value lies in \[-1, 1\], got 1.5"):
        DuchiMulti(1.0, 2).perturb([[0.0, 1.5]], SampledCoins(1, "u1"))
