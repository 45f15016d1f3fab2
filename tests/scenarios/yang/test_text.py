"""Sentences of Yang et al.: their numbers, by formulas of this file."""

from math import e, exp, expm1, log, pi, sqrt

import pytest

from protocols.mechanisms.unary import OUE
from protocols.privacy.theorems import theorem_3_1, theorem_3_2
from scenarios.yang import text
from scenarios.yang.fig1 import crossing
from simnet.studies.here import table_here
from tests.harness.experiments import the, verdicts

PROVED = [one.name for one in text.SENTENCES if one.points.endswith(text.RUNS_JUDGED)]


def test_users_that_unary_encoding_needs() -> None:
    """n (1 - p) / p of DPDS against the variances of 30 bits, p = 1/2 and q = 1 / (e^ε + 1)."""
    for epsilon in (0.1, 1.0):
        q, held = 1 / (exp(epsilon) + 1), 1 / 30
        one = 30 * (held * 0.25 + (1 - held) * q * (1 - q)) / (0.5 - q) ** 2
        error = exp(-epsilon) / (-expm1(-epsilon) * 1000)
        assert text.users_for(OUE, epsilon)(None) == pytest.approx(one / error)


def test_the_gain_over_the_gaussian_mechanism_is_the_printed_one_for_more_items() -> None:
    """That of Gowalla, with fewer items, is the number of another row."""
    assert text.gain(12, None) == pytest.approx(0.8788, abs=1e-4)
    assert text.gain(17, None) < text.gain(30, None)


def test_sentences_have_the_known_numbers() -> None:
    assert text.sensitivity(None) == pytest.approx(sqrt(2))
    assert text.error_of_dpds(1.0) == pytest.approx(1 / ((e - 1) * 1000))
    assert text.two_stages_cost_accuracy(None) == text.adaptive_limits_the_decrease(None) == 1
    assert text.more_bits(text.BITS, None) >= text.BITS


def test_bits_of_a_frequency_are_partly_in_the_field_of_the_counts_already() -> None:
    """7 bits after the point of a count are 2^7 · 1000 steps of a frequency, more than 2^16; half
    as many steps are too few. A field of signed sums below 2^17 and of some noise has 18 or 19 bits
    against 10.
    """
    assert 2**6 * 1000 < 2**text.BITS < 2**text.OF_COUNT * 1000 == 2**7 * 1000
    assert 8 <= text.more_bits(text.OF_COUNT, None) <= 9


def test_theorem_3_2_asks_for_more_holders_and_claims_a_larger_delta() -> None:
    """At n = 1000, N = 10, β = 0.03, ε = z = 0.5: the two inequalities on β, solved for δ."""
    least = 2 * pi * 1000 * 0.03
    x, y = least * (exp(-1) - exp(-2)), least * exp(-1) * (1 - exp(-0.25)) ** 2
    first = max(2 * pi * x**-5.5, x**-5.0)
    second = max(2 * pi * (y * (1 + exp(-0.25)) ** 2) ** -5.5, 4 * pi * y**-5.0)
    assert first < second < 1
    assert theorem_3_1(1000, 10, 0.03, 1.0) == pytest.approx(log(first))
    assert theorem_3_2(1000, 10, 0.03, 0.5, 0.5) == pytest.approx(log(second))
    assert text.stronger_by_3_2(None) == 0
    assert text.stricter_by_3_2(None) == 1


def test_whether_dpdg_needs_more_users_depends_on_the_delta_that_both_must_meet() -> None:
    """At n = 1000, N = 12, β = 0.01, ε = 1: by the classic formula with the δ of (2), and by the
    exact δ of 10 holders, of whom one is removed.
    """
    x = 20 * pi * (exp(-1) - exp(-2))
    delta = max(2 * pi * x**-6.5, x**-6)
    assert 12 * 4 * log(1.25 / delta) / 1000**2 > text.error_of_dpds(1.0)
    assert text.gaussian_needs_more_users("by (2)", None) == 1
    assert text.gaussian_needs_more_users("exact", None) == 0


def test_for_more_items_the_errors_cross_at_a_larger_epsilon() -> None:
    for population, items in (("gowalla", 12), ("census", 17), ("synthetic", 30)):
        place = crossing(population)
        assert text.error_of_gaussian(items, place, 0.5) == pytest.approx(text.error_of_dpds(place))
    assert crossing("gowalla") < crossing("census") < crossing("synthetic") < 0.6


@pytest.mark.long
def test_coalitions_learn_what_the_text_says() -> None:
    experiment = text.EXPERIMENT.with_settings({})
    found = verdicts(experiment, table_here(experiment, "yang_text"))
    assert len(PROVED) == 5
    assert the(found, "up to n - 1 users").expected == 1
    assert the(found, "TSS′", "any φ users").expected == 1
    seen = [one for one in found.values() if one.what.startswith("TSS′ with φ = 1")]
    assert [(one.expected, bool(one.disputed)) for one in seen] == [
        (1, False),
        (0, True),
        (1, False),
    ]


@pytest.mark.slow
def test_a_coalition_that_learns_something_is_told() -> None:
    """The server learns the counts, which is more than nothing; so the rows can fail."""
    assert text.judged("dpds", ["server"], text.NOTHING)(None) == 0
    assert text.same_views("S1", 2.0, None) == 0
