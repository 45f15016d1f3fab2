"""Coins that are played out: how many worlds each coin makes, and how probable these worlds are."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simnet import BadInput, Party, ScriptError
from simnet.coins.tape import MOST_OUTCOMES, Tape, tape_coins
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.scripts import play
from tests.harness.tiny import G, worlds


def tossing(toss: Callable[[Party], Any]) -> dict[Any, Fraction]:
    """Which outcomes a party's coins have, in how many worlds and how likely."""

    async def a(me: Party) -> None:
        toss(me)

    found: dict[Any, Fraction] = {}
    for world in worlds(a=a):
        outcomes = world.states[0].history.outcomes
        assert outcomes not in found
        found[outcomes] = world.probability
    return found


COINS = [  # a coin, its outcomes with their probabilities
    (lambda me: me.coins.bernoulli(0.25), {(True,): Fraction(1, 4), (False,): Fraction(3, 4)}),
    (
        lambda me: me.coins.bernoulli(Fraction(1, 3)),
        {(True,): Fraction(1, 3), (False,): Fraction(2, 3)},
    ),
    (lambda me: me.coins.bernoulli(0.1), {(True,): Fraction(0.1), (False,): 1 - Fraction(0.1)}),
    (lambda me: me.coins.bernoulli(1), {(): Fraction(1)}),
    (lambda me: me.coins.bernoulli(0.0), {(): Fraction(1)}),
    (
        lambda me: me.coins.bernoullis(Fraction(1, 3), 2),
        {
            (a, b): Fraction(1 + (not a), 3) * Fraction(1 + (not b), 3)
            for a in (True, False)
            for b in (True, False)
        },
    ),
    (lambda me: me.coins.bernoullis(0.5, 0), {(): Fraction(1)}),
    (
        lambda me: me.coins.binomials(np.array([2, 0]), Fraction(1, 3)),
        {(0,): Fraction(4, 9), (1,): Fraction(4, 9), (2,): Fraction(1, 9)},
    ),
    (lambda me: me.coins.integers(3, 1), {(value,): Fraction(1, 3) for value in range(3)}),
    (
        lambda me: me.coins.integers(3, 2),
        {(a, b): Fraction(1, 9) for a in range(3) for b in range(3)},
    ),
    (lambda me: me.coins.integers(1, 4), {(): Fraction(1)}),
    (
        lambda me: me.coins.subset(2, 4),
        {((a, b),): Fraction(1, 6) for a in range(4) for b in range(a + 1, 4)},
    ),
    (lambda me: me.coins.subset(0, 4), {(): Fraction(1)}),
    (lambda me: me.coins.subset(3, 3), {(): Fraction(1)}),
    (lambda me: me.coins.weighted_subset(1, 3), {((a,),): Fraction(1, 3) for a in range(3)}),
    (
        lambda me: me.coins.weighted_subset(2, 3, 0, 2),
        {((0, 1),): Fraction(2, 5), ((0, 2),): Fraction(2, 5), ((1, 2),): Fraction(1, 5)},
    ),
    (
        lambda me: me.coins.weighted_subset(1, 2, 1, 0.5),
        {((0,),): Fraction(2, 3), ((1,),): Fraction(1, 3)},
    ),
    (lambda me: me.coins.categorical([1, 0, 5], 1), {(0,): Fraction(1, 6), (2,): Fraction(5, 6)}),
    (
        lambda me: me.coins.categorical([1, 2], 2),
        {(a, b): Fraction(a + 1, 3) * Fraction(b + 1, 3) for a in range(2) for b in range(2)},
    ),
    (lambda me: me.coins.categorical([0, 7], 3), {(): Fraction(1)}),
]


@for_each("toss, expected", COINS)
def test_every_outcome_of_a_coin_is_a_world_with_its_exact_probability(
    toss: Callable[[Party], Any], expected: dict[Any, Fraction]
) -> None:
    assert tossing(toss) == expected
    assert sum(expected.values()) == 1


@cases(40)
@given(st.integers(1, 3), st.integers(1, 4), st.data())
def test_weighted_subsets_have_the_weights_they_are_given(
    count: int, below: int, data: st.DataObject
) -> None:
    assume(count < below)
    favoured = data.draw(st.integers(0, below - 1))
    weight = data.draw(st.fractions(Fraction(1, 9), 9))
    found = tossing(lambda me: me.coins.weighted_subset(count, below, favoured, weight))
    assert len(found) == math.comb(below, count)
    total = weight * math.comb(below - 1, count - 1) + math.comb(below - 1, count)
    for (chosen,), chance in found.items():
        assert chance == (weight if favoured in chosen else 1) / total


def test_field_coins_are_worlds_only_where_they_are_enumerated() -> None:
    async def a(me: Party) -> None:
        me.coins.field(G, (2,))
        me.coins.bernoulli(0.5)

    assert len(worlds(a=a)) == 2
    played = worlds(True, a=a)
    assert len(played) == 2 * 9
    assert {world.probability for world in played} == {Fraction(1, 18)}


def test_what_is_tossed_next_may_hang_on_what_came_before() -> None:
    async def a(me: Party) -> None:
        if me.coins.bernoulli(Fraction(1, 3)):
            me.coins.integers(4, 1)

    assert Counter(world.probability for world in worlds(a=a)) == {
        Fraction(2, 3): 1,
        Fraction(1, 12): 4,
    }


def test_the_coins_of_several_parties_multiply() -> None:
    async def tosses(me: Party) -> None:
        me.coins.integers(3, 1)

    played = worlds(a=tosses, b=tosses, c=tosses)
    assert len(played) == 27
    assert {world.probability for world in played} == {Fraction(1, 27)}
    assert len({tuple(state.history.mark for state in world.states) for world in played}) == 27


BAD_COINS = [
    lambda me: me.coins.bernoulli(1.5),
    lambda me: me.coins.bernoulli(-0.5),
    lambda me: me.coins.integers(0, 1),
    lambda me: me.coins.subset(3, 2),
    lambda me: me.coins.categorical([-1, 2], 1),
    lambda me: me.coins.categorical([0, 0], 1),
    lambda me: me.coins.weighted_subset(1, 2, 5, 2),
]


@pytest.mark.parametrize("toss", BAD_COINS)
def test_a_coin_that_a_run_refuses_is_refused_where_it_is_played_out(
    toss: Callable[[Party], Any],
) -> None:
    async def a(me: Party) -> None:
        toss(me)

    with pytest.raises((ScriptError, BadInput)):
        play(a=a)
    with pytest.raises((ScriptError, BadInput)):
        worlds(a=a)


MANY_OUTCOMES = [
    lambda coins: coins.integers(MOST_OUTCOMES + 1, 1),
    lambda coins: coins.binomials(np.array([0, MOST_OUTCOMES]), 0.5),
    lambda coins: coins.categorical([1] * (MOST_OUTCOMES + 1), 1),
]


@pytest.mark.parametrize("toss", MANY_OUTCOMES)
def test_a_coin_with_too_many_outcomes_is_refused(toss: Callable[[Any], Any]) -> None:
    with pytest.raises(BadInput, match="has 1,000,001 outcomes, and more than 1,000,000"):
        toss(tape_coins(Tape([])))
