"""Exact numbers for events that are rare or nearly certain, compared with fractions and arithmetic
of many digits.

If a probability is near 0 or 1, a ratio near 1 or a count huge, a formula that is right on paper
may lose its digits in doubles.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, exp, log

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.reporting import epsilon_of_set
from protocols.sampled_frequency.estimators import mean_inverse
from protocols.sampled_frequency.mechanism import counts_epsilon
from protocols.two_rounds.accuracy import assess
from protocols.two_rounds.estimators import VARIANTS
from protocols.two_rounds.mechanism import TwoRounds, binary
from protocols.two_rounds.privacy import delta_round_two, epsilon_round_two
from simnet.stated.privacy import PrivacyStatement, small_in_words, small_number
from tests.harness.fuzz import cases

F = Fraction
rare = st.floats(-300, -1e-3).map(lambda exponent: 10**exponent)
chances = rare | rare.map(lambda chance: 1 - chance).filter(lambda chance: chance < 1)
exact = pytest.approx


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 2500  # of 1e-300 beside 1
    yield
    ctx.prec = before


def log_of(ratio: F) -> float:
    return float((arb(ratio.numerator) / ratio.denominator).log())


@given(st.integers(2, 12), st.data(), chances, st.floats(1e-14, 1e14))
@cases(60)
def test_the_epsilon_of_a_reporting_set_is_that_of_all_sets(items, data, participation, more):
    """By the definition: the chance of a set with the item against that of one without."""
    k, p, gamma = data.draw(st.integers(1, items - 1)), F(participation), F(1 + more)
    total = gamma * comb(items - 1, k - 1) + comb(items - 1, k)
    idle = (1 - p) / comb(items, k)
    ratio = (p * gamma / total + idle) / (p / total + idle)
    found, bound = epsilon_of_set(k, items, participation, 1 + more)
    assert found == exact(log_of(ratio), rel=1e-14, abs=0)
    assert bound == exact(log_of(gamma), rel=1e-14, abs=0)


@given(st.floats(-99, 4).map(lambda exponent: 10**exponent), st.integers(1, 10**18), st.data())
def test_the_epsilon_of_counts_keeps_its_digits(epsilon, users, data):
    reports = data.draw(st.integers(0, users) | st.just(1))
    share = arb(reports) / users
    assert counts_epsilon(epsilon, users, reports) == exact(
        float((1 + share * (arb(epsilon).exp() - 1)).log()), rel=1e-13, abs=0
    )


@given(st.integers(1, 300), chances)
@cases(15)
def test_the_mean_of_an_inverse_count_is_the_sum_over_all_counts(trials, chance):
    p = arb(chance)
    law = {k: comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(1, trials + 1)}
    assert mean_inverse(trials, chance) == exact(
        float(sum(mass / k for k, mass in law.items()) / sum(law.values(), arb(0))), rel=1e-11
    )


@pytest.mark.parametrize(
    ("trials", "chance"), [(10**7, 0.3), (10**9, 0.5), (10**12, 1e-6), (10**12, 0.5), (10**18, 0.9)]
)
def test_the_mean_of_an_inverse_count_is_its_series_for_many_users(trials, chance):
    """The series in 1/n of E[1/S]: its third term is below 1e-17 here."""
    mean, silent = arb(trials) * arb(chance), 1 - arb(chance)
    series = (1 + silent / mean + silent * (1 + silent) / mean**2) / mean
    assert mean_inverse(trials, chance) == exact(float(series), rel=1e-14)


@given(st.integers(1, 3), st.booleans(), st.sampled_from(VARIANTS), chances, st.data())
@cases(40)
def test_variances_of_two_rounds_are_those_of_fractions(values, none, variant, sampling, data):
    """By the definition Σ h p (1 - p), whatever face is rare; who holds none included."""
    weights = [F(data.draw(chances)) for _ in range(values + 1)]
    rest = 1 - F(sampling)
    mechanism = TwoRounds(F(sampling), [rest * w / sum(weights) for w in weights], none)
    numbers = st.lists(st.integers(1, 10**9), min_size=values, max_size=values)
    held = [data.draw(st.integers(0, 10**9)) * none, *data.draw(numbers)]
    s, laws = F(sampling), [mechanism.round_two_law(t) for t in mechanism.truths]
    expected = []
    for value in [*range(1, values + 1), *([0] if none else [])]:
        here = [
            h * law[value] * (1 - law[value]) for h, law in zip(held[1 - none :], laws, strict=True)
        ]
        variance = sum(here) / s**2
        if variant == "fresh":
            first = mechanism.round_one_law[value]
            variance += sum(held) * first * (1 - first) / s**2
        if variant == "kept":
            of_value = sum(held[1:]) if value == 0 else held[value]
            variance = of_value * (1 - s) / s
        expected.append(float(variance / sum(held) ** 2) if variance < 10**300 else np.inf)
    support = np.array([*held[1:], *held[: int(none)]])
    if np.isfinite(expected).all():
        with np.errstate(all="ignore"):  # intervals of such estimates are no numbers
            found = assess(mechanism, variant, support / support.sum(), support, 0.95)
        assert found.variance == exact(expected, rel=1e-12, abs=0)


@given(chances, chances, st.floats(0.9, 1))
@cases(40)
def test_the_delta_of_round_two_is_the_difference_of_fractions(sampling, share, near):
    s = F(sampling)
    mechanism = TwoRounds(s, ((1 - s) * F(share), (1 - s) * (1 - F(share))), none=True)
    rarest = min(mechanism.background)
    epsilon = near * epsilon_round_two(mechanism)  # where δ is about to vanish
    power = arb(epsilon).exp()
    ends = arb(s.numerator) / s.denominator, arb(rarest.numerator) / rarest.denominator
    expected = max(float(ends[0] - (power - 1) * ends[1]), 0.0)
    assert delta_round_two(mechanism, epsilon) == exact(expected, rel=1e-14, abs=0)


@given(chances | st.floats(0, 1), chances)
def test_the_face_one_has_exactly_what_the_others_leave(zero, sampling):
    left = 1 - F(zero) - F(sampling)
    if left < 0:
        return
    face = binary(zero, sampling).background[1]
    assert face == left or (face == 0 and left <= F(1, 2**53))


def test_a_face_that_is_a_rounding_is_none():
    assert [binary(zero, 1 - zero).background[1] for zero in (0.1, 0.7, 0.9, 1 / 3)] == [0] * 4


@given(st.integers(-(10**8), -1) | st.integers(-330, -290), st.integers(10**7 - 60, 10**7 + 60))
def test_a_small_number_is_never_written_with_a_mantissa_of_ten(exponent, mantissa):
    with localcontext(Emin=-(10**9), prec=30):
        log_delta = float((Decimal(mantissa) / 10**7).ln() + exponent * Decimal(10).ln())
    near = abs(log_delta) * 1e-15 + 1e-15
    row = PrivacyStatement(1, log_delta, "replace", "", "", bound=small_number(log_delta)).row()
    closed = row["closed form"].removeprefix("δ ").removesuffix(" ()")
    for text in (small_in_words(log_delta), str(small_number(log_delta)), row["δ"], closed):
        digits, _, power = text.partition("e")
        if power:
            assert 1 <= float(digits) < 10
            back = log(float(digits)) + int(power) * log(10)
            assert back == exact(log_delta, abs=6e-3 + near)


@pytest.mark.parametrize("variant", ["corrected", "as-printed"])
@pytest.mark.parametrize("attributes", [9_999, 10_000])
def test_thousands_of_attributes_take_no_longer_than_a_few(variant, attributes):
    mechanism = DuchiMulti(1.0, attributes, variant)
    tied = variant == "as-printed" and attributes % 2 == 0
    assert mechanism.exact_epsilon == exact(log(1 + exp(1)) if tied else 1.0, rel=1e-14)
    chances = np.exp([atom.log_mass for atom in mechanism.law(1.0).atoms])
    assert chances @ [-mechanism.bound, mechanism.bound] == exact(1, rel=1e-9)  # unbiased
