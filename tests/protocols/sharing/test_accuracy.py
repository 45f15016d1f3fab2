"""Exact intervals and the law of the squared error, compared with enumeration."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from protocols.sharing.accuracy import LARGEST_TABLE, squared_l2_law, support_interval, tails
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

CHANCES = (0.05, 0.3, 0.5, 0.9, 1.0)
CONFIDENCES = (0.5, 0.9, 0.95, 0.99)

chances = for_each("chance", CHANCES)
confidences = for_each("confidence", CONFIDENCES)


@functools.cache
def law(support: int, chance: float) -> list[Fraction]:
    """P[Binomial(support, chance) = k] for k in 0..support, of the chance that the float is."""
    p = Fraction(chance)
    return [math.comb(support, k) * p**k * (1 - p) ** (support - k) for k in range(support + 1)]


def intervals(chance: float, users: int, confidence: float) -> tuple[list[int], list[int]]:
    """The intervals of all counts that there can be."""
    low, high = support_interval(np.arange(users + 1), chance, users, confidence)
    return low.tolist(), high.tolist()


def not_rejected(count: int, chance: float, users: int, confidence: float) -> list[int]:
    """The oracle: the supports under which a count so large, and one so small, is likely enough."""
    tail = Fraction(1 - confidence) / 2
    return [
        support
        for support in range(count, users + 1)
        if sum(law(support, chance)[count:]) > tail
        and sum(law(support, chance)[: count + 1]) > tail
    ]


@chances
@confidences
@for_each("users", [1, 2, 3, 7, 12, 21])
def test_intervals_are_those_of_the_exact_tails(
    chance: float, users: int, confidence: float
) -> None:
    low, high = intervals(chance, users, confidence)
    for count in range(users + 1):
        expected = not_rejected(count, chance, users, confidence)
        if expected:
            assert expected == list(range(low[count], high[count] + 1)), count


@pytest.mark.slow
@cases(10)
@given(st.integers(1, LARGEST_TABLE), st.floats(1e-6, 1.0))
def test_tabulated_tails_are_those_of_scipy(users: int, chance: float) -> None:
    supports, counts = np.arange(users + 1)[:, np.newaxis], np.arange(users + 1)
    at_most, at_least = tails(chance, users)
    expected = [binom.cdf(counts, supports, chance), binom.sf(counts - 1, supports, chance)]
    assert at_most(counts, supports) == pytest.approx(expected[0], rel=1e-10, abs=1e-250)
    assert at_least(counts, supports) == pytest.approx(expected[1], rel=1e-10, abs=1e-250)


def test_an_interval_lies_within_what_there_can_be() -> None:
    for chance, users, confidence in itertools.product(CHANCES, (1, 2, 7, 60), CONFIDENCES):
        low, high = intervals(chance, users, confidence)
        for count in range(users + 1):  # also a count so unlikely that every support is rejected
            case = f"{count} of {users} users, chance {chance}, confidence {confidence}"
            assert count <= low[count] <= high[count] <= users, case


@chances
@confidences
@for_each("users", [3, 60])
def test_intervals_cover_every_support_as_often_as_they_say(
    chance: float, users: int, confidence: float
) -> None:
    low, high = intervals(chance, users, confidence)
    for support in range(users + 1):
        covered = [low[count] <= support <= high[count] for count in range(support + 1)]
        assert sum(itertools.compress(law(support, chance), covered)) >= Fraction(
            str(confidence)
        ), support


@chances
@confidences
def test_intervals_grow_with_the_count(chance: float, confidence: float) -> None:
    low, high = intervals(chance, 300, confidence)
    assert low == sorted(low)
    assert high == sorted(high)


def test_a_larger_confidence_gives_a_wider_interval() -> None:
    bounds = [intervals(0.3, 100, confidence) for confidence in CONFIDENCES]
    for (low, high), (wider_low, wider_high) in itertools.pairwise(bounds):
        assert all(a >= b for a, b in zip(low, wider_low, strict=True))
        assert all(a <= b for a, b in zip(high, wider_high, strict=True))


def test_when_everyone_takes_part_the_count_is_the_support() -> None:
    assert intervals(1.0, 50, 0.95) == (list(range(51)), list(range(51)))


@given(
    st.integers(100, 10_000_000),
    st.floats(0.01, 0.99),
    st.floats(0, 1),
    st.sampled_from(CONFIDENCES),
)
def test_large_intervals_end_where_scipy_rejects(
    users: int, chance: float, share: float, confidence: float
) -> None:
    count = int(share * chance * users)  # counts that a run can well have
    low, high = (
        int(bound[0]) for bound in support_interval(np.array([count]), chance, users, confidence)
    )
    tail = (1 - confidence) / 2
    assert binom.sf(count - 1, low, chance) > tail * (1 - 1e-9)
    assert low == count or binom.sf(count - 1, low - 1, chance) <= tail * (1 + 1e-9)
    assert binom.cdf(count, high, chance) > tail * (1 - 1e-9)
    assert high == users or binom.cdf(count, high + 1, chance) <= tail * (1 + 1e-9)


def enumerated(support: list[int], chance: float, users: int) -> tuple[float, float]:
    """The oracle: mean and standard deviation of the squared error over all counts that there can
    be.
    """
    scale = Fraction(chance) * users
    mean = square = Fraction(0)
    for counts in itertools.product(*(range(held + 1) for held in support)):
        weight = math.prod(
            law(held, chance)[count] for held, count in zip(support, counts, strict=True)
        )
        error = sum(
            (count / scale - Fraction(held, users)) ** 2
            for held, count in zip(support, counts, strict=True)
        )
        mean += weight * error
        square += weight * error**2
    return float(mean), math.sqrt(square - mean**2)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=3),
    st.sampled_from([*CHANCES, 0.001, 0.99]),
    st.integers(0, 3),
)
def test_the_law_of_the_squared_error_is_the_enumerated_one(
    support: list[int], chance: float, idle: int
) -> None:
    users = sum(support) + idle or 1  # some users may hold no item of the domain
    assert squared_l2_law(np.array(support), chance, users) == pytest.approx(
        enumerated(support, chance, users)
    )


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=9).filter(any), st.floats(1e-6, 1))
def test_the_mean_squared_error_does_not_depend_on_the_supports(
    support: list[int], chance: float
) -> None:
    users = sum(support)
    mean, deviation = squared_l2_law(np.array(support), chance, users)
    assert mean == pytest.approx((1 - chance) / (chance * users))  # Lemma 3.1
    assert deviation >= 0


def test_nothing_is_left_to_chance_when_everyone_takes_part() -> None:
    assert squared_l2_law(np.array([3, 0, 4]), 1.0, 7) == (0.0, 0.0)
