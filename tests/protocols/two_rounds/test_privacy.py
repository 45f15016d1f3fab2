"""Exact privacy of every view of the two-round mechanism.

The paper's numbers, and every statement of it that fails.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.mechanisms.channel import delta_of, epsilon_of
from protocols.mechanisms.response import JoyGerla
from protocols.sampled_frequency.mechanism import SampledGRR
from protocols.two_rounds.estimators import kept_estimate
from protocols.two_rounds.mechanism import TwoRounds, binary
from protocols.two_rounds.privacy import (
    aggregate_delta,
    aggregate_law,
    best_epsilon_round_two,
    delta_joint,
    delta_round_two,
    difference_delta,
    epsilon_joint,
    epsilon_round_one,
    epsilon_round_two,
    posterior_yes,
)
from protocols.two_rounds.script import SamplingPrivacy
from scenarios.joy import printed
from tests.harness.many_cases import for_each
from tests.harness.two_rounds import counts_law, mechanisms

F = Fraction
MECHANISM = binary(F(3, 10), F(9, 20))


@given(mechanisms())
def test_each_view_s_epsilon_is_that_of_its_enumerated_channel(mechanism: TwoRounds) -> None:
    """(1)."""
    rows = [mechanism.round_two_law(truth) for truth in mechanism.truths]
    assert epsilon_round_two(mechanism) == pytest.approx(epsilon_of(rows), rel=1e-12)
    assert epsilon_round_one(mechanism) == epsilon_of(
        [mechanism.round_one_law for _ in mechanism.truths]
    )
    if len(mechanism.truths) > 1:
        assert (
            epsilon_round_two(mechanism)
            >= best_epsilon_round_two(mechanism.sampling, mechanism.values, mechanism.none) - 1e-12
        )


@given(mechanisms().filter(lambda mechanism: len(mechanism.truths) > 1))
def test_both_rounds_have_no_finite_epsilon_and_delta_is_the_sampling(mechanism: TwoRounds) -> None:
    """(2) and errata 1."""
    first, *others = [mechanism.joint_law(truth) for truth in mechanism.truths]
    assert epsilon_joint(mechanism) == epsilon_of([first, *others]) == math.inf
    for epsilon in (0, 0.5, 1, 5, 100):
        for other in others:
            assert float(delta_of(first, other, epsilon)) == pytest.approx(
                delta_joint(mechanism, epsilon), abs=1e-15
            )


@given(mechanisms(), st.floats(0, 3))
def test_the_delta_of_round_two_is_that_of_its_rows(mechanism: TwoRounds, epsilon: float) -> None:
    first, *others = [mechanism.round_two_law(truth) for truth in mechanism.truths]
    pairs = itertools.combinations([first, *others], 2)
    worst = max((float(delta_of(*pair, epsilon)) for pair in pairs), default=0.0)
    assert delta_round_two(mechanism, epsilon) == pytest.approx(worst, abs=1e-12)


def test_a_face_without_a_chance_has_a_delta_at_every_epsilon() -> None:
    """Who sees the answer 0 knows of a sampled owner who holds no value, for no face is answered
    so.
    """
    mechanism = TwoRounds(F(9, 20), (0, F(1, 5), F(1, 5), F(3, 20)), none=True)
    assert float(delta_of(mechanism.round_two_law(0), mechanism.round_two_law(1), 50)) == 0.45
    assert [delta_round_two(mechanism, epsilon) for epsilon in (0, 1, 50, 1000)] == [0.45] * 4
    assert (
        delta_round_two(TwoRounds(F(9, 20), mechanism.faces), 1000) == 0
    )  # where owners all hold a value


@given(st.fractions(F(1, 50), F(9, 10), max_denominator=50), st.integers(1, 12), st.booleans())
def test_an_even_background_is_the_best_one(s: F, values: int, none: bool) -> None:
    mechanism = TwoRounds.even(s, values, none)
    assert epsilon_round_two(mechanism) == pytest.approx(
        best_epsilon_round_two(s, values, none), rel=1e-12
    )


@pytest.mark.parametrize(
    ("values", "epsilon"),
    [(1, 0.9694), (2, 1.2397), (4, 1.6275), (9, 2.2172), (12, 2.4541), (2**32, 21.98)],
)
def test_the_best_epsilons_are_the_specified_ones(values: int, epsilon: float) -> None:
    assert best_epsilon_round_two(0.45, values, none=True) == pytest.approx(
        epsilon, abs=5e-3 if values > 99 else 5e-5
    )


@pytest.mark.parametrize(("s", "epsilon"), [(0.45, 0.969401), (0.25, 0.510826)])
def test_the_binary_optimum(s: float, epsilon: float) -> None:
    assert epsilon_round_two(binary((1 - s) / 2, s)) == pytest.approx(epsilon, abs=5e-7)
    assert math.log((1 + s) / (1 - s)) == pytest.approx(epsilon, abs=5e-7)


@pytest.mark.parametrize(
    ("yes", "no", "epsilon", "delta"),
    [
        (1, 10, 2, 0.45),
        (2, 10, 1, 0.2025),
        (5, 20, 0.5, 0.063987),
        (5, 200, 0.5, 0.063612),
        (10, 20, 1, 0.0035041),
        (20, 30, 1, 1.2917e-4),
        (5, 0, 0.5, 0.0833),
    ],
)
def test_delta_of_the_published_sums(yes: int, no: int, epsilon: float, delta: float) -> None:
    """Erratum 3: the sums alone, from aggregators that do not collude, have a δ.

    And no ε without one.
    """
    found = aggregate_delta(binary(0.3, 0.45), epsilon, yes, no)
    assert found == pytest.approx(delta, rel=5e-5 if delta != 0.0833 else 1e-3)
    assert difference_delta(MECHANISM, epsilon, yes) <= found + 1e-12
    assert aggregate_delta(binary(0.3, 0.45), 50, yes, no) >= 0.45**yes * (1 - 1e-9)


@for_each("yes, no", [(1, 0), (2, 1), (3, 2), (1, 4)])
@for_each("mechanism", [MECHANISM, binary(0, F(1, 4)), binary(F(3, 4), F(1, 4))])
def test_the_law_of_the_sums_is_that_of_all_throws(mechanism: TwoRounds, yes: int, no: int) -> None:
    laws = [counts_law(mechanism, held) for held in ([no, yes], [no + 1, yes - 1])]
    found = aggregate_law(mechanism, yes, no)
    for ((_, a), (_, b)), chance in laws[0].items():
        assert found[a, b - a] == pytest.approx(float(chance), abs=1e-14)
    outcomes = sorted({*laws[0], *laws[1]})
    rows = [[law.get(one, F(0)) for one in outcomes] for law in laws]
    assert epsilon_of(rows) == math.inf
    for epsilon in (0, 0.5, 2):
        exact = float(delta_of(rows[0], rows[1], epsilon))
        assert aggregate_delta(mechanism, epsilon, yes, no) == pytest.approx(exact, abs=1e-12)


@given(
    st.floats(0.05, 0.5),
    st.floats(0, 0.5),
    st.integers(1, 12),
    st.integers(0, 40),
    st.floats(0, 900),
)
def test_delta_of_the_sums_is_that_of_their_law(
    s: float, zero: float, yes: int, no: int, epsilon: float
) -> None:
    mechanism = binary(zero, s)
    here, other = aggregate_law(mechanism, yes, no), aggregate_law(mechanism, yes - 1, no + 1)
    exact = delta_of(here.ravel(), np.pad(other, ((0, 0), (0, 1))).ravel(), min(epsilon, 700))
    assert aggregate_delta(mechanism, epsilon, yes, no) == pytest.approx(float(exact), abs=1e-12)


def test_populations_of_a_city_have_a_delta() -> None:
    """More owners who hold no never raise it, and it never falls below that of the difference."""
    found = [aggregate_delta(MECHANISM, 0.5, 50, no) for no in (2000, 20_000, 10**6)]
    assert found == sorted(found, reverse=True)
    assert found[-1] >= difference_delta(MECHANISM, 0.5, 50) * (1 - 1e-9)
    assert found[0] == pytest.approx(6.2776e-5, rel=1e-4)


@for_each("yes", [1, 2, 7])
@for_each("epsilon", [0, 0.5, 1, 3])
def test_the_difference_is_a_binomial_that_loses_a_trial(yes: int, epsilon: float) -> None:
    s = F(9, 20)
    rows = [
        [math.comb(n, k) * s**k * (1 - s) ** (n - k) if k <= n else F(0) for k in range(yes + 1)]
        for n in (yes, yes - 1)
    ]
    assert difference_delta(MECHANISM, epsilon, yes) == pytest.approx(
        float(delta_of(*rows, epsilon)), rel=1e-9
    )


@given(
    st.floats(0.001, 0.999),
    st.fractions(0, F(1, 2), max_denominator=99),
    st.fractions(F(1, 50), F(1, 2)),
)
def test_posteriors_follow_from_the_rows(prior: float, zero: F, s: F) -> None:
    """Erratum 2: π_s below one half keeps nobody's advantage below one half."""
    found = posterior_yes(binary(zero, s), prior)
    assert found.both_rounds_0_then_1 == 1
    assert found.both_rounds_0_0 == found.round_two_zero
    assert found.round_two_one >= prior >= found.round_two_zero
    if 1 - zero - s > 0:
        assert found.both_rounds_1_1 == pytest.approx(prior)
        yes, no = prior * float(1 - zero), (1 - prior) * float(1 - zero - s)
        assert found.round_two_one == pytest.approx(yes / (yes + no))


REFUSED: list[tuple[Any, str]] = [
    (lambda: aggregate_delta(MECHANISM, 1, 0, 3), "yes is at least 1"),
    (lambda: difference_delta(MECHANISM, 1, 0), "yes is at least 1"),
    (
        lambda: aggregate_delta(MECHANISM, 1, 20_000, 10**6),
        r"10,000,000,000 multiplications: take bounds: .* and a smaller number of no",
    ),
    (lambda: aggregate_law(MECHANISM, 20_000, 10**6), "more than 10,000,000 entries"),
    (lambda: aggregate_delta(MECHANISM, -1, 1, 3), "a finite epsilon of at least 0"),
    (lambda: delta_joint(MECHANISM, math.nan), "a finite epsilon of at least 0"),
    (lambda: delta_joint(MECHANISM, math.inf), "a finite epsilon"),
    (lambda: delta_round_two(MECHANISM, math.inf), "a finite epsilon"),
    (lambda: aggregate_delta(MECHANISM, math.inf, 1, 3), "a finite epsilon"),
    (lambda: difference_delta(MECHANISM, math.inf, 1), "a finite epsilon"),
    (lambda: aggregate_delta(TwoRounds.even(0.4, 2), 1, 1, 3), "about yes and no"),
    (lambda: posterior_yes(MECHANISM, 1), "strictly between 0 and 1"),
    (lambda: printed.equation_29(0.4, 0), "no ε is finite"),
]


@for_each("make, what", REFUSED)
def test_nonsense_is_refused(make: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        make()


@pytest.mark.parametrize(
    "of", [delta_joint, delta_round_two, lambda m, e: aggregate_delta(m, e, 1, 3)]
)
def test_a_delta_belongs_to_an_epsilon_that_is_a_number(of: Any) -> None:
    with pytest.raises(TypeError, match="epsilon is a number, got True"):
        of(MECHANISM, True)


# Errata: the printed statement fails, the corrected one holds


def test_equations_19_and_20_are_exchanged() -> None:
    """Erratum 4, first part."""
    yes, no = MECHANISM.round_two_law(1)[0], MECHANISM.round_two_law(0)[0]
    first, second = printed.equations_19_and_20(MECHANISM)
    assert (first, second) == (no / yes, yes / no)
    assert first != yes / no


@given(
    st.fractions(F(1, 50), F(1, 2), max_denominator=50),
    st.fractions(F(1, 50), F(12, 25), max_denominator=50),
)
def test_the_epsilon_is_the_larger_of_equations_21_and_25(zero: F, s: F) -> None:
    mechanism = binary(zero, s)
    both = printed.equation_21(mechanism), printed.equation_25(mechanism)
    assert epsilon_round_two(mechanism) == pytest.approx(max(both), rel=1e-12)


@pytest.mark.parametrize("swapped", [False, True])
def test_neither_equation_alone_is_the_epsilon(swapped: bool) -> None:
    """Erratum 4, second part."""
    mechanism = binary(0.65 if swapped else 0.1, 0.25)
    found = [printed.equation_21(mechanism), printed.equation_25(mechanism)]
    assert sorted(found) == pytest.approx([0.3254, 1.2528], abs=5e-5)
    assert found[swapped] == epsilon_round_two(mechanism) > found[1 - swapped]


def test_equation_29_holds_for_one_value_and_the_guarantee_is_the_worst() -> None:
    """Erratum 5: four times less leakage than randomised response needs a face that two values
    cannot both have.
    """
    mechanism = TwoRounds(0.45, (0.05, 0.1, 0.4))
    of_values = [printed.equation_29(0.45, chance) for chance in (0.1, 0.4)]
    assert epsilon_round_two(mechanism) == pytest.approx(max(of_values))
    assert epsilon_round_two(mechanism) > min(of_values) + 0.5
    response = JoyGerla(0.8, 0.2).exact_epsilon
    assert response == pytest.approx(math.log(21))
    needed = 0.45 / math.expm1(response / 4)
    assert needed == pytest.approx(0.3945, abs=5e-5)
    assert 2 * needed > 1 - 0.45
    for values, without, with_none in ((9, 2.124, 2.217), (12, 2.381, 2.454)):
        best = [best_epsilon_round_two(0.45, values, none) for none in (False, True)]
        assert best == pytest.approx([without, with_none], abs=5e-4)
        assert all(1.2 < response / one < 1.45 for one in best)


def test_raising_the_background_lowers_the_leakage() -> None:
    """Erratum 6: the text says that it rises."""
    curve = [printed.equation_29(0.45, x) for x in (0.1, 0.2, 0.3, 0.5)]
    assert curve == sorted(curve, reverse=True)
    assert (curve[0], curve[-1]) == pytest.approx((1.7047, 0.6419), abs=5e-5)


def test_equation_30_leaves_out_the_answer_no() -> None:
    """Erratum 7: right up to one half, too low beyond."""
    assert printed.equation_30(0.8, 0.9) == pytest.approx(1.6946, abs=5e-5)
    assert JoyGerla(0.8, 0.9).exact_epsilon == pytest.approx(3.7136, abs=5e-5)
    points = [x / 20 for x in range(1, 20)]
    exact = [JoyGerla(0.8, x).exact_epsilon for x in points]
    assert points[int(np.argmin(exact))] == 0.5
    for x, one in zip(points, exact, strict=True):
        assert (printed.equation_30(0.8, x) == pytest.approx(one, rel=1e-12)) == (x <= 0.5)


def test_there_are_one_more_symbols_and_two_more_faces_than_values() -> None:
    """Erratum 8: nine locations have ten outputs."""
    mechanism = TwoRounds.even(0.45, 9)
    assert len(mechanism.round_one_law) == 10
    assert len({*range(len(mechanism.faces)), mechanism.sampled}) == 11


def test_the_last_face_has_what_the_others_leave() -> None:
    """Erratum 9: as printed nothing is left."""
    mechanism = TwoRounds(F(9, 20), (F(1, 10), F(1, 5), F(1, 4)))
    faces = [*mechanism.background, F(9, 20)]
    assert printed.equation_12_last(faces) == 0
    assert printed.equation_12_last([*faces[:2], faces[3]]) == mechanism.background[2] == F(1, 4)


def test_expected_counts_when_some_hold_no_value() -> None:
    """Erratum 10: Eq. 14 is right where everybody holds a value, Eq. 15 where one value alone is
    held.
    """
    mechanism = TwoRounds.even(0.4, 3, none=True)
    for none in (0, 7):
        one, _ = mechanism.expected_counts([5, 2, 1], none)
        assert (printed.equation_14_zero(mechanism, [5, 2, 1], none) == pytest.approx(one[0])) == (
            none == 0
        )
    for yes in ([5, 0, 0], [5, 2, 1]):
        _, two = mechanism.expected_counts(yes, 0)
        assert (printed.equation_15(mechanism, yes, 0, 1)[1:] == pytest.approx(two[1:])) == (
            yes[1] == 0
        )


def test_the_epsilon_of_round_two_does_not_know_the_population_and_sums_protect_by_yes() -> None:
    """Erratum 12: more owners who hold no value hardly change δ, more who hold it do."""
    found = [aggregate_delta(MECHANISM, 0.5, 5, no) for no in (0, 20, 200)]
    assert found == sorted(found, reverse=True)
    assert found[-1] > 0.76 * found[0]
    assert found[-1] >= difference_delta(MECHANISM, 0.5, 5) * (1 - 1e-9)
    assert aggregate_delta(MECHANISM, 0.5, 10, 0) < found[-1]


def test_a_larger_population_does_not_strengthen_the_privacy_of_round_two() -> None:
    """Erratum 12: it "should", as printed.

    But ε is that of one owner's rows, whatever the number of owners.
    """
    stated = []
    for users in (10, 1000, 10**6):
        protocol = SamplingPrivacy(users, 2, variant="round-two")
        stated.append(
            about(protocol).privacy(None, np.array([5, users - 5]), None, None)[1].epsilon
        )
    assert not stated[0] > stated[1] > stated[2]
    assert stated == [epsilon_round_two(protocol.mechanism)] * 3


def test_the_population_that_is_called_private_is_needed_by_randomised_response() -> None:
    """Erratum 13, second half: its estimate moves with n, that of two rounds does not know n."""
    response = JoyGerla(0.85, 0.3)
    supports = [9700, 300]
    found = [response.estimate(supports, 10_000), response.estimate([19_700, 300], 20_000)]
    assert abs(found[0][1] * 10_000 - found[1][1] * 20_000) > 100
    mechanism = binary(0.3, 0.45)
    counts = [kept_estimate(mechanism, [zeros, 300], [zeros - 45, 345]) for zeros in (9700, 19_700)]
    assert counts[0] == counts[1] == pytest.approx(100)


@pytest.mark.parametrize(
    ("owners", "count", "true"), [(10_000, 20.73, 24.53), (10**6, 207.30, 243.90)]
)
def test_the_introduction_s_deviations(owners: int, count: float, true: float) -> None:
    """Erratum 13."""
    p = 0.15 * 0.3
    assert math.sqrt(owners * p * (1 - p)) == pytest.approx(count, abs=0.005)
    found = math.sqrt(JoyGerla(0.85, 0.3).variance(100 / owners, owners)) * owners
    assert found == pytest.approx(true, abs=0.005)


def test_printed_formulas_are_infinite_where_a_background_face_has_no_chance() -> None:
    no_zero, no_one = (
        TwoRounds(0.45, (0, 0.55), none=True),
        TwoRounds(Fraction(9, 20), (Fraction(11, 20), 0), none=True),
    )
    assert printed.equations_19_and_20(no_zero) == (math.inf, 0)
    assert printed.equation_21(no_zero) == printed.equation_25(no_one) == math.inf
    assert printed.equation_30(0.5, 0) == math.inf
    assert epsilon_round_two(no_zero) == math.inf


def test_one_chance_is_no_die() -> None:
    with pytest.raises(TypeError, match=r"faces are the probabilities of face 0 .* got 0\.3"):
        TwoRounds(0.7, 0.3)
    with pytest.raises(TypeError, match="sampling is a number, got True"):
        SampledGRR(1.0, 3, True)
