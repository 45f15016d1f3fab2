"""Checks of arguments: a value of the wrong type raises `TypeError`, and one out of range
`ValueError`.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from protocols import (
    DPDS,
    Committee,
    FinitePrior,
    Noise,
    PowerLaw,
    SecAgg,
    SecAggPlus,
    Shamir,
    ShamirPercent,
    bound,
    checks,
    heavy_hitters,
    posterior_mean,
)
from protocols.mechanisms.value_range import ValueRange
from protocols.postprocess.consistency import apply as postprocess
from protocols.sharing.encoding import one_hot
from tests.harness.many_cases import for_each

Check = Callable[[Any], object]

# A check, a value that it accepts, a value out of range, and a value of the wrong type.
CASES: list[tuple[Check, Any, Any, Any]] = [
    (checks.epsilon, 1.0, 0.0, "1"),
    (checks.epsilon_of_reals, 1.0, 1401.0, True),
    (lambda value: checks.whole("k", value, 1, 5), 5, 6, 2.0),
    (lambda value: checks.chance("p", value), 0.0, float("nan"), None),
    (lambda value: checks.positive_chance("p", value), 1.0, 0.0, "1"),
    (lambda value: checks.users_and_items(value, 1), 2, 1, 2.0),
    (lambda value: checks.number_of_users("colluders", value), 0, -1, True),
    (lambda value: checks.reported_items(value, 3), 3, 4, 1.0),
    (checks.adaptive_weight, 1.5, 1.0, "2"),
    (lambda value: checks.colluder_bound(value, 3), 2, 3, 1.0),
    (lambda value: checks.whole_numbers("items", value, 1, 3), [1, 3], [4], [1.5]),
    (lambda value: one_hot(value, 3), 3, 4, True),
    (Shamir, 1, 0, 1.5),
    (ShamirPercent, 100, 101, 50.0),
    (lambda value: SecAgg(DPDS(4, 2, 1.0), value), 4, 5, 2.5),
    (lambda value: SecAggPlus(DPDS(9, 2, 1.0), 3, degree=value), 4, 5, 4.0),
    (lambda value: Committee(4, 2, 1.0, value), 1, 0, 2.0),
    (lambda value: bound(value, 0.5, "remove"), [3, 4], [3, -1], [1.5]),
]


@for_each("check, good, out_of_range, wrong_type", CASES)
def test_the_type_of_the_error_says_what_is_wrong(
    check: Check, good: Any, out_of_range: Any, wrong_type: Any
) -> None:
    check(good)
    with pytest.raises(ValueError, match="got"):
        check(out_of_range)
    with pytest.raises(TypeError, match="got"):
        check(wrong_type)


@for_each(
    "check",
    [
        lambda value: checks.users_and_items(value, 1),
        lambda value: checks.number_of_users("colluders", value),
        lambda value: checks.reported_items(value, 3),
        lambda value: checks.colluder_bound(value, 3),
    ],
)
def test_an_integer_of_numpy_is_not_called_a_broken_number(check: Check) -> None:
    check(2)
    with pytest.raises(TypeError, match=r"is a whole number of type int, got np\.int64\(2\)"):
        check(np.int64(2))


@pytest.mark.parametrize("huge", [10**400, -(10**400), Fraction(10**400)])
@for_each(
    "check",
    [
        lambda value: checks.doubles("values", [0.5, value]),
        lambda value: checks.shaped("values", [value], (None,)),
        lambda value: checks.sampling([value], 1),
        checks.shares,
        lambda value: checks.reports_of_reals([value], (None,), 1.0),
        checks.within_one,
        lambda value: ValueRange(0, 1).scaled([value]),
        lambda value: postprocess("clip", [value]),
        lambda value: posterior_mean([value], PowerLaw(2.0, 9), Noise(5, 1.0)),
        lambda value: FinitePrior.of([value]),
        lambda value: FinitePrior.empirical([value]),
        lambda value: heavy_hitters([value], [1], 1.0),
    ],
)
def test_a_number_that_no_double_can_hold_is_out_of_range(check: Check, huge: Any) -> None:
    with pytest.raises(ValueError, match="got a number that exceeds the range of doubles"):
        check(huge)


@pytest.mark.parametrize("huge", [2**64, -(2**63) - 1, 10**400])
def test_a_whole_number_of_more_than_64_bits_is_out_of_range(huge: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 3, got one that exceeds 64 bits"):
        checks.whole_numbers("items", [1, huge], 1, 3)
    with pytest.raises(TypeError, match="got object such as None"):
        checks.whole_numbers("items", [1, None], 1, 3)


@pytest.mark.parametrize("other", ["add", 1, None])
def test_every_other_value_than_one_of_the_words_is_out_of_range(other: Any) -> None:
    checks.one_of("relation", "remove", ("remove", "replace"))
    with pytest.raises(ValueError, match="remove or replace"):
        checks.one_of("relation", other, ("remove", "replace"))
    with pytest.raises(ValueError, match="remove or replace"):
        bound([3, 4], 0.5, other)
