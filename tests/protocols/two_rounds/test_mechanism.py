"""The two-round mechanism: exact laws of the answers, counts and estimates by exact convolution,
and errors for wrong values.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.estimators import (
    VARIANTS,
    covariance,
    fresh_estimate,
    kept_estimate,
    round_two_estimate,
    variance,
)
from protocols.two_rounds.mechanism import TwoRounds, binary
from simnet.coins.sampled import SampledCoins
from tests.harness.fuzz import cases
from tests.harness.laws import law_of
from tests.harness.many_cases import for_each
from tests.harness.two_rounds import counts_law, mechanisms

F = Fraction
SMALL = [
    binary(F(3, 10), F(9, 20)),
    binary(0, F(1, 4)),
    binary(F(3, 4), F(1, 4)),
    TwoRounds.even(F(1, 3), 2),
    TwoRounds(F(1, 4), (F(1, 8), F(1, 2), F(1, 8)), none=True),
    TwoRounds.even(F(9, 20), 3, none=True),
]

small = for_each("mechanism", SMALL)


def holders_of(mechanism: TwoRounds) -> list[int]:
    return [1 if mechanism.none else 0, 2, *[1] * (mechanism.values - 1)]


@small
def test_what_is_answered_has_the_stated_law(mechanism: TwoRounds) -> None:
    """Every tape of every coin: round one, round two, and both together at every coordinate."""
    outcomes = [(v, v) for v in range(mechanism.values + 1)] + [
        (0, v) for v in range(1, mechanism.values + 1)
    ]
    for truth in mechanism.truths:

        def answers(coins: Any, truth: int = truth) -> tuple[int, int]:
            face = mechanism.throw(1, coins)
            return int(mechanism.round_one(face)[0]), int(mechanism.round_two(face, [truth])[0])

        drawn = law_of(answers)
        assert tuple(drawn.get(one, F(0)) for one in outcomes) == mechanism.joint_law(truth)
        one, two = ([F(0)] * (mechanism.values + 1) for _ in range(2))
        for (first, second), chance in drawn.items():
            one[first] += chance
            two[second] += chance
        assert tuple(one) == mechanism.round_one_law  # (3) the same for every truth
        assert tuple(two) == mechanism.round_two_law(truth)


@given(mechanisms())
def test_rows_add_up_to_one(mechanism: TwoRounds) -> None:
    for truth in mechanism.truths:
        for law in (
            mechanism.round_one_law,
            mechanism.round_two_law(truth),
            mechanism.joint_law(truth),
        ):
            assert sum(law) == 1
            assert min(law) >= 0


def test_faces_may_be_as_fine_as_they_come() -> None:
    mechanism = TwoRounds(0.4, (0.6 - 1e-300, 1e-300))
    assert 0 < mechanism.background[1] < F(1, 10**299)
    assert set(mechanism.throw(100, SampledCoins(0, "u1")).tolist()) == {0, 2}


def test_many_throws_have_the_law_of_the_die() -> None:
    """Chi-square over 40,000 throws of five faces; false alarm 1e-6, seed fixed."""
    mechanism = TwoRounds(0.45, (0.05, 0.3, 0.15, 0.05), none=True)
    faces = np.bincount(mechanism.throw(40_000, SampledCoins(3, "u1")), minlength=5)
    law = np.array([*map(float, mechanism.background), 0.45])
    assert stats.chisquare(faces, 40_000 * law).pvalue > 1e-6


@small
def test_expected_counts_are_those_of_the_exact_law(mechanism: TwoRounds) -> None:
    """(4)."""
    held = holders_of(mechanism)
    law = counts_law(mechanism, held)
    mean = sum(np.array(counts, dtype=object) * chance for counts, chance in law.items())
    assert np.allclose(np.array(mean, dtype=float), mechanism.expected_counts(held[1:], held[0]))


@pytest.mark.slow
@small
@for_each("variant", VARIANTS)
def test_estimates_are_unbiased_and_have_the_stated_covariances(
    mechanism: TwoRounds, variant: Any
) -> None:
    """(5), exactly, for the mechanism and for both variants."""
    held = holders_of(mechanism)
    law = counts_law(mechanism, held, variant == "fresh")
    made = {
        "kept": lambda one, two: kept_estimate(mechanism, one, two),
        "fresh": lambda one, two: fresh_estimate(mechanism, one, two),
        "round-two": lambda _, two: round_two_estimate(mechanism, two, sum(held)),
    }[variant]
    estimates = np.array([made(*counts) for counts in law])
    chances = np.array([float(chance) for chance in law.values()])
    assert np.allclose(chances @ estimates, held[1:])
    errors = estimates - np.array(held[1:])
    found = (errors * chances[:, np.newaxis]).T @ errors
    assert np.allclose(found, covariance(mechanism, held[1:], held[0], variant))
    assert np.allclose(np.diag(found), variance(mechanism, held[1:], held[0], variant))
    if variant == "kept":
        assert np.all(estimates >= 0)
        assert np.all(estimates <= np.array(held[1:]) / float(mechanism.sampling) + 1e-9)


@given(st.floats(0.01, 0.6), st.floats(0.05, 0.35), st.integers(0, 100), st.integers(0, 10**6))
def test_the_binary_variances_are_the_closed_forms(
    zero: float, s: float, yes: int, no: int
) -> None:
    mechanism, one, total = binary(zero, s), 1 - zero - s, yes + no
    alone = yes * zero * (1 - zero) + no * one * (1 - one)
    assert variance(mechanism, yes, no)[0] == pytest.approx(yes * (1 - s) / s)
    assert variance(mechanism, yes, no, "round-two")[0] == pytest.approx(alone / s**2)
    assert variance(mechanism, yes, no, "fresh")[0] == pytest.approx(
        (total * one * (1 - one) + alone) / s**2
    )


def test_errors_grow_with_those_who_hold_nothing_only_without_kept_faces() -> None:
    """(7) and erratum 11: constant in `no`, like √yes in yes, and linear in N with fresh throws."""
    mechanism = binary(0.3, 0.45)
    for variant, grows in (("kept", False), ("fresh", True), ("round-two", True)):
        few, many = (variance(mechanism, 85, no, variant)[0] for no in (200, 20_000))
        assert (many > 50 * few) == grows
        assert grows or many == few
    assert variance(mechanism, 400)[0] == pytest.approx(4 * variance(mechanism, 100)[0])


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(0, 30), st.integers(1, 30))
def test_more_owners_without_a_value_change_no_estimate(
    seed: int, yes: int, no: int, more: int
) -> None:
    """(6) and (10): the same faces for the others."""
    mechanism = binary(0.3, 0.45)
    faces = mechanism.throw(yes + no + more, SampledCoins(seed, "u1"))
    truths = np.array([1] * yes + [0] * (no + more))
    estimates = []
    for owners in (yes + no, yes + no + more):
        one = mechanism.counts(mechanism.round_one(faces[:owners]))
        two = mechanism.counts(mechanism.round_two(faces[:owners], truths[:owners]))
        assert one[0] - two[0] == (two - one)[1:].sum()
        assert 0 <= two[1] - one[1] <= yes
        estimates.append(kept_estimate(mechanism, one, two)[0])
    assert estimates[0] == estimates[1]


@given(
    st.fractions(0, F(1, 2), max_denominator=50),
    st.fractions(F(1, 50), F(1, 2), max_denominator=50),
)
@cases(40)
def test_one_value_with_none_is_the_binary_mechanism(zero: F, s: F) -> None:
    """(8)."""
    mechanism, same = binary(zero, s), TwoRounds(s, (zero, 1 - zero - s), none=True)
    assert mechanism == same
    one = 1 - zero - s
    assert mechanism.round_two_law(1) == (zero, s + one)
    assert mechanism.round_two_law(0) == (zero + s, one)
    assert mechanism.joint_law(1) == (zero, one, s)
    assert mechanism.joint_law(0) == (zero + s, one, 0)


@given(st.fractions(F(1, 50), F(49, 50), max_denominator=50))
def test_round_two_at_its_best_is_randomised_response(s: F) -> None:
    """(9): flip1 = π_s, flip2 = 1/2, and the variances agree too."""
    mechanism, response = TwoRounds.even(s, 1, none=True), JoyGerla(s, F(1, 2))
    for truth, item in ((1, 1), (0, 2)):
        nobody, yes, no = response.law(item)
        assert nobody == 0
        assert mechanism.round_two_law(truth) == (no, yes)
    ours = variance(mechanism, 30, 70, "round-two")[0]
    assert ours == pytest.approx(response.variance(0.3, 100) * 100**2)
    assert response.exact_epsilon == pytest.approx(
        epsilon_of([mechanism.round_two_law(t) for t in (0, 1)])
    )


# The toy constructions


@given(st.fractions(F(1, 50), 1, max_denominator=50))
def test_noise_alone_tells_nothing_and_response_does(s: F) -> None:
    """In the paper's first construction, Eq. 1, the sampled owners say yes whatever they hold."""
    no_answer_yes_or_no = (1 - s, s, F(0))
    assert epsilon_of([no_answer_yes_or_no, no_answer_yes_or_no]) == 0
    assert JoyGerla(F(1, 2), F(1, 2), s).exact_epsilon == pytest.approx(
        math.log(3)
    )  # whatever the sampling


@given(
    st.floats(0.05, 1), st.floats(0, 1), st.floats(0.05, 1), st.integers(0, 40), st.integers(1, 40)
)
def test_sampled_response_is_estimated_by_equation_5(
    p1: float, p2: float, s: float, said: int, rest: int
) -> None:
    users = said + rest
    printed = (said - s * (1 - p1) * p2 * users) / (s * p1)
    assert JoyGerla(p1, p2, s).estimate([said, 0], users)[0] * users == pytest.approx(
        printed, rel=1e-6, abs=1e-6
    )
    a, b = s * (p1 + (1 - p1) * p2), s * (1 - p1) * p2
    expected = (said * a * (1 - a) + rest * b * (1 - b)) / (s * p1) ** 2
    assert JoyGerla(p1, p2, s).variance(said / users, users) * users**2 == pytest.approx(
        expected, abs=1e-9
    )


# Refusals

REFUSED: list[tuple[Any, str]] = [
    (lambda: binary(0.3, 0), "strictly between 0 and 1, got 0"),
    (lambda: binary(0.3, 1), "strictly between 0 and 1, got 1"),
    (lambda: binary(0.3, math.nan), "probability from 0 to 1, got nan"),
    (lambda: binary(0.3, math.inf), "probability from 0 to 1, got inf"),
    (lambda: binary(True, 0.2), "zero is a number, got True"),
    (lambda: binary(-0.1, 0.2), "probability from 0 to 1, got -0.1"),
    (lambda: binary(0.7, 0.4), "add up to at most 1"),
    (
        lambda: TwoRounds(0.4, (0.3, 0.2)),
        r"sampling=0.4 plus .* is 1, got 0.9: .* need the sum 0.6$",
    ),
    (lambda: TwoRounds(0.4, (0.3, 0.3 + 1e-11)), "background faces need the sum 0.6"),
    (lambda: TwoRounds(0.4, (0.6,)), "at least one value"),
    (lambda: TwoRounds(0.4, (0.7, -0.1)), "face 1 is a probability"),
    (lambda: TwoRounds(0.4, (0.3, True)), "face 1 is a number"),
    (lambda: TwoRounds(0.4, "0.3;0.3"), "commas between them"),
    (lambda: TwoRounds(0.4, (0.3, 0.3), none=1), "True or False, got 1"),
    (lambda: TwoRounds.even(0.4, 0), "values is at least 1"),
    (
        lambda: TwoRounds.even(0.4, 2).round_two([1, 3], [0, 1]),
        "truths are whole numbers from 1 to 2, got 0",
    ),
    (
        lambda: TwoRounds.even(0.4, 2).round_two([1, 3], [3, 1]),
        "truths are whole numbers from 1 to 2, got 3",
    ),
    (lambda: TwoRounds.even(0.4, 2).round_one([4]), "faces are whole numbers from 0 to 3, got 4"),
    (lambda: TwoRounds.even(0.4, 2).joint_law(0), "truth is at least 1, got 0"),
    (lambda: TwoRounds.even(0.4, 2).expected_counts([1, 2, 3]), "one row of 2"),
    (lambda: binary(0.3, 0.4).expected_counts(-1), "got -1"),
    (
        lambda: kept_estimate(binary(0.3, 0.4), [3, 2], [3, 3]),
        "5 owners answered in round one and 6 owners in round two",
    ),
    (
        lambda: fresh_estimate(binary(0.3, 0.4), [3, 2], [3, 3]),
        "5 owners answered in round one and 6 owners in round two",
    ),
    (
        lambda: kept_estimate(binary(0.3, 0.4), [3, 3], [4, 2]),
        "count of value 1 falls from 3 in round one to 2 in round two",
    ),
    (lambda: kept_estimate(binary(0.3, 0.4), [3, -3], [4, 2]), "counts are whole numbers"),
    (lambda: kept_estimate(binary(0.3, 0.4), [3.0, 3], [4, 2]), "whole numbers, got float64"),
    (lambda: kept_estimate(binary(0.3, 0.4), [3, 3, 0], [4, 2, 0]), "one row of 2"),
    (lambda: round_two_estimate(binary(0.3, 0.4), [5, 5], 9), "10 answers came from 9 owners"),
    (lambda: round_two_estimate(binary(0.3, 0.4), [5, 5], 11), "10 answers came from 11 owners"),
    (lambda: JoyGerla(0, 0.5), "truthful is above 0"),
]


@for_each("make, what", REFUSED)
def test_nonsense_is_refused(make: Any, what: str) -> None:
    with pytest.raises((ValueError, TypeError), match=what):
        make()


@cases(30)
@given(st.floats(0.001, 0.999))
def test_a_rounding_is_no_nonsense(s: float) -> None:
    mechanism = binary(1 - s, s)
    assert mechanism.background[1] == 0
    assert sum(mechanism.background) + F(mechanism.sampling) == 1
    assert mechanism.meets_half_rule == (s < 0.5)
    assert (
        fresh_estimate(mechanism, [3, 3], [4, 2])[0] < 0
    )  # what kept faces cannot give, fresh throws can
