"""R1 to R4 are compared with the definition of δ, in fractions, and have the properties of every
profile.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import comb, exp, inf, log

import pytest

from protocols.privacy.bounds import R1, R2, R3, R4
from protocols.privacy.profile import Profile, delta_at, epsilon_at
from tests.harness.many_cases import for_each

CHANCES = [
    Fraction(*pair) for pair in ((1, 10**20), (1, 1000), (1, 4), (1, 2), (9, 10), (999, 1000))
]


def mass(holders: int, p: Fraction, active: int) -> Fraction:
    return comb(holders, active) * p**active * (1 - p) ** (holders - active)


def log_delta(pairs: list[tuple[Fraction, Fraction]], factor: Fraction) -> float:
    """Log of the larger of both directions' δ, for a rational e^ε."""
    there = sum(max(one - factor * other, Fraction(0)) for one, other in pairs)
    back = sum(max(other - factor * one, Fraction(0)) for one, other in pairs)
    larger = Fraction(max(there, back))
    return log(larger.numerator) - log(larger.denominator) if larger else -inf


def factors(p: Fraction, ties: list[Fraction]) -> list[Fraction]:
    """Every e^ε of interest: small, huge, where ratios tie, and beside the ends of conditions."""
    edge = 1 / (1 - p)
    near = [edge, edge * (1 - Fraction(1, 10**9)), edge * (1 + Fraction(1, 10**9))]
    some = [Fraction(10**12 + 1, 10**12), Fraction(3, 2), Fraction(20), Fraction(10**40)]
    return [factor for factor in (*near, *some, *ties) if factor > 1 + Fraction(1, 10**13)]


def removals() -> Iterator[tuple[int, Fraction, Fraction, float]]:
    for p in CHANCES:
        for count in (1, 2, 5):
            ties = [count * (1 - p) / idle for idle in range(1, count)]
            pairs = [(mass(count, p, x), mass(count - 1, p, x)) for x in range(count + 1)]
            for factor in factors(p, ties):
                yield count, p, factor, log_delta(pairs, factor)


def replacements() -> Iterator[tuple[int, int, Fraction, Fraction, float]]:
    for p in CHANCES:
        for a, b in ((1, 0), (1, 3), (3, 0), (2, 2)):
            ties = [Fraction(a * j, i * (b + 1)) for i in range(1, a + 1) for j in range(1, b + 2)]
            pairs = [
                (mass(a, p, x) * mass(b, p, y), mass(a - 1, p, x) * mass(b + 1, p, y))
                for x in range(a + 1)
                for y in range(b + 2)
            ]
            for factor in factors(p, ties):
                yield a, b, p, factor, log_delta(pairs, factor)


def slack(exact: float) -> float:
    return 1e-12 * (1 + abs(exact)) if exact > -inf else 0.0


def test_removals_of_few_holders_stay_below_r1_and_r3() -> None:
    for count, p, factor, exact in removals():
        epsilon = log(factor.numerator) - log(factor.denominator)
        for bound in (R1(count, float(p)), R3(count, float(p))):
            assert bound.log_delta(epsilon) >= exact - slack(exact), (bound, epsilon)


def test_replacements_among_few_holders_stay_below_r2_and_r4() -> None:
    for a, b, p, factor, exact in replacements():
        epsilon = log(factor.numerator) - log(factor.denominator)
        for bound in (R2(a, b, float(p)), R4(a, b, float(p))):
            assert bound.log_delta(epsilon) >= exact - slack(exact), (bound, epsilon)


@pytest.mark.slow
@for_each("origin", [1, 2, 30])
@for_each("target", [0, 1, 30])
@for_each("p", [1e-6, 0.3, 0.7, 0.99])
@for_each("epsilon", [0.01, 0.5, 2.0, 50.0, 200.0])
def test_r4_is_never_above_r2(origin: int, target: int, p: float, epsilon: float) -> None:
    """The closed form of R4 alone can be above R2: for one holder, p = 0.7 and ε = 2 it is 1."""
    assert R4(origin, target, p).log_delta(epsilon) <= R2(origin, target, p).log_delta(epsilon)
    assert R4(origin, target, p).log_limit <= R2(origin, target, p).log_limit


@pytest.mark.slow
@for_each("p", [1e-290, 1e-16, 0.3, 0.99, 1 - 2**-53])
@for_each("epsilon", [5e-324, 1e-16, 1.0, 750.0, 1e6, 1e300])
def test_bounds_are_numbers_at_the_ends_of_every_range(p: float, epsilon: float) -> None:
    for bound in (R1(100, p), R2(100, 3, p), R3(100, p), R4(100, 3, p)):
        assert 0 <= exp(bound.log_delta(epsilon)) <= 1
        assert bound.log_limit <= bound.log_delta(epsilon) + 1e-9


@pytest.mark.parametrize(
    "bound", [R1(100, 0.99), R2(30, 40, 0.3), R3(100, 0.99), R3(5, 0.5), R4(30, 40, 0.3)], ids=str
)
def test_bounds_fall_as_profiles_do(bound: Profile) -> None:
    """The closed form of R3 alone rises again: for 100 holders and p = 0.99 from ε = 1.5 on."""
    logs = [bound.log_delta(step / 20) for step in range(200)]
    assert all(after <= before + 1e-9 for before, after in pairwise(logs))


def test_an_epsilon_is_found_for_every_bound() -> None:
    for bound in (R1(30, 0.39), R2(30, 40, 0.39), R3(30, 0.39), R4(30, 40, 0.39)):
        epsilon = epsilon_at(bound, 0.01)
        assert delta_at(bound, epsilon) == pytest.approx(0.01)
