"""Exact views find mistakes in the law of coins, with exact numbers, and do not accuse sound
counterparts.
"""

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from protocols.dpds.script import DPDS
from protocols.mechanisms.reporting import epsilon_of_set
from protocols.sharing.schemes import Additive, Shamir
from simnet import BadInput
from simnet.coins.law import Law, delta
from simnet.exhaustive.compare import Compared, Comparison
from tests.harness.exact_mutants import (
    Dealing,
    DrawnMask,
    FixedMask,
    IntegerMask,
    LowDegree,
    MaskFromRange,
    Masking,
    Noisy,
    NonZero,
    OneMaskForTwoItems,
    OpensAndSends,
    ReducedMask,
    Reporting,
    TellsWhoTakesPart,
    Tossing,
    TwoItems,
)
from tests.harness.many_cases import for_each
from tests.harness.mutants import CopiesLastShare, NoMask, OneMask, OneMaskForAllItems

HALF = Fraction(1, 2)
READINGS = for_each("numbers", [False, True])


def compare(
    protocol: Any, corrupt: str, one: list[int], other: list[int], numbers: bool = False
) -> Compared:
    return Comparison(protocol, corrupt, numbers).compare(one, other)


def assert_accused(compared: Compared, distance: Fraction, epsilon: float) -> None:
    """The exact total variation distance and the exact ε."""
    assert not compared.same
    assert compared.delta() == distance
    assert isinstance(compared.delta(), Fraction)
    assert compared.epsilon == epsilon


def assert_never_accused(
    protocol: Any, corrupt: str, inputs: list[list[int]], numbers: bool = False
) -> None:
    comparison = Comparison(protocol, corrupt, numbers)
    for one, other in combinations(inputs, 2):
        compared = comparison.compare(one, other)
        assert compared.same
        assert (compared.epsilon, compared.delta(), compared.delta(1.0)) == (0, 0, 0)


# Masks.


@READINGS
def test_a_mask_whose_last_residue_is_never_drawn_tells_any_two_inputs_apart_by_a_quarter(
    numbers: bool,
) -> None:
    for one, other in combinations(range(5), 2):
        compared = compare(MaskFromRange(5, 4), "server", [one], [other], numbers)
        assert_accused(compared, Fraction(1, 4), math.inf)
        assert compared.delta(3.0) == 0.25  # two sums happen on one side only, whatever the factor
    assert_never_accused(Masking(5), "server", [[item] for item in range(5)], numbers)
    assert_never_accused(DrawnMask(5, 5), "server", [[item] for item in range(5)], numbers)


@pytest.mark.slow
@pytest.mark.parametrize(("modulus", "below"), [(101, 10), (101, 4), ((1 << 31) - 1, 100), (29, 2)])
def test_a_mask_from_a_small_range_tells_inputs_apart_by_their_distance_over_the_range(
    modulus: int, below: int
) -> None:
    protocol = MaskFromRange(modulus, below)
    comparison = Comparison(protocol, "server")
    for distance in {1, 2, below - 1, below, below + 3}:
        compared = comparison.compare([5], [5 + distance])
        assert_accused(compared, min(Fraction(distance, below), Fraction(1)), math.inf)
        assert compared.tapes == (below, below)
    assert_never_accused(Masking(modulus), "server", [[5], [6], [5 + below]])


@pytest.mark.slow
@READINGS
def test_a_mask_that_is_added_over_the_integers_gives_the_ends_of_the_range_away(
    numbers: bool,
) -> None:
    for modulus, below in ((5, 5), (5, 3), (7, 20)):
        comparison = Comparison(IntegerMask(modulus, below), "server", numbers)
        for one, other in combinations(range(modulus), 2):
            distance = min(Fraction(other - one, below), Fraction(1))
            assert_accused(comparison.compare([one], [other]), distance, math.inf)
    assert_never_accused(ReducedMask(5, 5), "server", [[item] for item in range(5)], numbers)
    assert_never_accused(ReducedMask(5, 8), "server", [[item] for item in range(5)], numbers)


@READINGS
def test_a_fixed_mask_hides_nothing(numbers: bool) -> None:
    assert_accused(compare(FixedMask(), "server", [1], [2], numbers), Fraction(1), math.inf)


@READINGS
def test_one_mask_for_two_items_gives_their_difference_away(numbers: bool) -> None:
    comparison = Comparison(OneMaskForTwoItems(), "server", numbers)
    for one, other in combinations(range(1, 7), 2):
        compared = comparison.compare([one], [other])
        if (one * one - one) % 7 == (other * other - other) % 7:
            assert compared.same
        else:
            assert_accused(compared, Fraction(1), math.inf)
    assert comparison.compare([3], [5]).same  # 9 - 3 = 25 - 5 mod 7
    assert_never_accused(TwoItems(), "server", [[item] for item in range(1, 7)], numbers)


SHARED = [
    (NoMask(), "u3", HALF),
    (OneMask(), "u1, u3", HALF),
    (OneMaskForAllItems(), "u3", HALF),
]


@pytest.mark.parametrize(("sharing", "corrupt", "distance"), SHARED, ids=str)
def test_shares_without_masks_of_their_own_give_a_response_away(
    sharing: Any, corrupt: str, distance: Fraction
) -> None:
    place = [1, 1, 1], [1, 2, 1]
    assert_accused(compare(DPDS(3, 2, 0.5, sharing), corrupt, *place), distance, math.inf)
    assert compare(DPDS(3, 2, 0.5, Additive()), corrupt, *place).same


def test_a_share_that_goes_to_a_neighbour_too_gives_a_response_away() -> None:
    pair = [1, 1, 1], [1, 1, 2]
    assert_accused(compare(CopiesLastShare(3, 2, 0.5), "u1, u2", *pair), Fraction(1, 2), math.inf)
    assert compare(CopiesLastShare(3, 2, 0.5), "u1", *pair).same
    assert compare(DPDS(3, 2, 0.5), "u1, u2", *pair).same


# Shamir's coefficients.


@pytest.mark.slow
@pytest.mark.parametrize("modulus", [5, 7, 11])
@READINGS
def test_coefficients_that_are_never_zero_rule_one_value_out(modulus: int, numbers: bool) -> None:
    """A share of s at x is s + a x with a ≠ 0: any element but s, q - 1 of them equally likely."""
    inputs = [[item] for item in range(1, modulus)]
    for holder in ("h1", "h3"):
        comparison = Comparison(Dealing(3, NonZero(2), modulus), holder, numbers)
        for one, other in combinations(inputs, 2):
            assert_accused(comparison.compare(one, other), Fraction(1, modulus - 1), math.inf)
        assert_never_accused(Dealing(3, Shamir(2), modulus), holder, inputs[:4], numbers)


@pytest.mark.slow
@READINGS
def test_two_coefficients_that_are_never_zero_rule_values_out_too(numbers: bool) -> None:
    """The law of two shares of three is computed apart, from all pairs of coefficients."""

    def law(secret: int) -> Law:
        found: dict[Any, Fraction] = {}
        for a, b in product(range(1, 5), repeat=2):
            shares = (secret + a + b) % 5, (secret + 2 * a + 4 * b) % 5
            found[shares] = found.get(shares, Fraction(0)) + Fraction(1, 16)
        return found

    for one, other in combinations(range(1, 5), 2):
        first, second = law(one), law(other)
        distance = delta(first, second)
        compared = compare(Dealing(3, NonZero(3)), "h1, h2", [one], [other], numbers)
        assert_accused(compared, distance, math.inf)
        assert compare(Dealing(3, Shamir(3)), "h1, h2", [one], [other], numbers).same


@READINGS
def test_a_polynomial_of_too_low_a_degree_gives_the_secret_to_fewer_holders(numbers: bool) -> None:
    pair = [1], [2]
    assert_accused(
        compare(Dealing(3, LowDegree(3)), "h1, h2", *pair, numbers), Fraction(1), math.inf
    )
    assert compare(Dealing(3, LowDegree(3)), "h1", *pair, numbers).same
    assert_never_accused(Dealing(3, Shamir(3)), "h1, h2", [[1], [2], [4]], numbers)
    assert_accused(
        compare(Dealing(3, Shamir(3)), "h1, h2, h3", *pair, numbers), Fraction(1), math.inf
    )


def test_sums_of_shares_with_coefficients_that_are_never_zero_rule_values_out_in_dpds_too() -> None:
    pair = [1, 1], [1, 2]
    sound, broken = (DPDS(2, 2, 0.5, sharing) for sharing in (Shamir(2), NonZero(2)))
    assert compare(sound, "u1", *pair).same
    compared = compare(broken, "u1", *pair)
    assert not compared.same
    first, second = (
        {(1, 0): Fraction(1, 2), (0, 0): Fraction(1, 2)},
        {(0, 1): Fraction(1, 2), (0, 0): Fraction(1, 2)},
    )

    def law(secrets: dict[tuple[int, int], Fraction]) -> Law:
        found: dict[Any, Fraction] = {}
        for (x, y), chance in secrets.items():
            for a, b in product((1, 2), repeat=2):
                share = (x + a) % 3, (y + b) % 3
                found[share] = found.get(share, Fraction(0)) + chance / 4
        return found

    one, other = law(first), law(second)
    assert compared.delta() == delta(one, other) > 0


# What travels in clear.


def test_a_participation_bit_in_clear_tells_whose_item_was_counted() -> None:
    """With one of two taking part (a half), the sum is that one's item: the server alone saw the
    same before.
    """
    pair = [1, 2], [2, 1]
    assert compare(DPDS(2, 2, 0.5), "server", *pair).same
    assert_accused(compare(TellsWhoTakesPart(2, 2, 0.5), "server", *pair), Fraction(1, 2), math.inf)
    for chance in (Fraction(1, 4), Fraction(7, 8)):
        broken = TellsWhoTakesPart(2, 2, float(chance))
        assert compare(broken, "server", *pair).delta() == 2 * chance * (1 - chance)


def test_a_participation_bit_that_nobody_but_the_server_gets_tells_users_nothing() -> None:
    for corrupt in ("u1", "u3", "u1, u3"):
        assert_never_accused(TellsWhoTakesPart(3, 2, 0.5), corrupt, [[1, 1, 1], [1, 2, 1]])


@pytest.mark.parametrize("gamma", [2, 3, Fraction(3, 2)])
def test_a_participation_bit_in_clear_takes_the_cover_of_those_without_part_off_the_sets(
    gamma: Any,
) -> None:
    pair = [1, 1], [1, 2]
    weight = Fraction(gamma)
    covered, bare = (compare(Reporting(2, gamma, tells), "S1", *pair) for tells in (False, True))
    ratio = (weight / (weight + 1) + HALF) / (1 / (weight + 1) + HALF)
    distance = (weight - 1) / (weight + 1) / 2
    assert_accused(covered, distance, math.log(ratio))
    assert_accused(bare, distance, math.log(weight))
    assert covered.epsilon == pytest.approx(epsilon_of_set(1, 2, 0.5, gamma)[0], abs=1e-12)
    assert covered.epsilon < bare.epsilon
    assert bare.delta(covered.epsilon) > 0


def test_uniform_reporting_sets_tell_nothing_with_or_without_the_bit() -> None:
    inputs = [[1, 1], [1, 2], [2, 2]]
    for tells in (False, True):
        assert_never_accused(Reporting(2, None, tells), "S1", inputs)


# What is opened, and what cannot be played out.


@READINGS
def test_a_script_that_opens_and_then_sends_is_played_out(numbers: bool) -> None:
    protocol = OpensAndSends(5)
    comparison = Comparison(protocol, "server", numbers)
    assert comparison.compare([1], [2]).same  # masked
    assert comparison.tapes([1]) == 5
    assert Comparison(protocol, "network", numbers).compare([1], [2]).same


@READINGS
def test_a_server_that_opens_what_is_not_masked_and_answers_tells_who_sees_the_answer(
    numbers: bool,
) -> None:
    sound, broken = (OpensAndSends(5, masks=masks) for masks in (True, False))
    assert compare(sound, "u2", [1], [2], numbers).same
    assert_accused(compare(broken, "u2", [1], [2], numbers), Fraction(1), math.inf)
    assert compare(broken, "u2", [1], [3], numbers).same  # their parity is the same


@for_each(
    "law", ["normal", "uniform", "exponential", "discrete_normal", "discrete_laplace", "skellam"]
)
@READINGS
def test_coins_with_too_many_outcomes_are_refused_by_name(law: str, numbers: bool) -> None:
    with pytest.raises(BadInput, match=rf"^coins\.{law} has too many outcomes"):
        compare(Noisy(law=law), "server", [1], [2], numbers)


@pytest.mark.slow
@READINGS
def test_too_many_worlds_are_refused_with_the_limit_and_an_estimate(numbers: bool) -> None:
    with pytest.raises(BadInput) as refused:
        Comparison(Tossing(coins=8), "server", numbers, limit=1_000).compare([1], [2])
    message = str(refused.value)
    worlds = 10**8 * (5 if numbers else 1)
    assert message.startswith(f"there are more than 1,000 worlds to play out (about {worlds:,})")
    assert "raise the limit" in message
    assert "\n" not in message


@pytest.mark.slow
@pytest.mark.parametrize(("coins", "limit"), [(2, 100), (3, 1_000), (0, 1)])
def test_as_many_worlds_as_the_limit_are_played_out(coins: int, limit: int) -> None:
    assert Comparison(Tossing(coins=coins), "server", limit=limit).tapes([1]) == 10**coins
    if coins:
        with pytest.raises(BadInput, match=f"more than {limit - 1:,} worlds"):
            Comparison(Tossing(coins=coins), "server", limit=limit - 1).tapes([1])
