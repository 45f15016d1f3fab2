"""Heads of many fair coins: tossed coins are counted bits, and groups of a power of two invert
their exact distribution function.

The chi-square test has a fixed seed; on a fresh one it would raise a false alarm with probability
1e-6.
"""

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simnet.coins import fair
from simnet.coins.streams import Stream
from tests.harness.fuzz import cases
from tests.harness.words import WordTape, fits

WORD = 2**64


@functools.cache
def exact_distribution(digit: int) -> list[int]:
    """2**n F(j) of n = 2**digit fair coins, for j = 0..n-1."""
    coins = 1 << digit
    return list(itertools.accumulate(math.comb(coins, j) for j in range(coins)))


@given(st.lists(st.integers(0, 300), max_size=6))
def test_tossed_heads_are_ones_among_random_bits(tosses: list[int]) -> None:
    words = np.random.default_rng(sum(tosses)).integers(WORD, size=40, dtype=np.uint64)
    expected, at = [toss // 64 for toss in tosses], 0
    heads = []
    for whole in expected:
        heads.append(sum(int(word).bit_count() for word in words[at : at + whole]))
        at += whole
    for place, toss in enumerate(tosses):
        heads[place] += (int(words[at + place]) & ((1 << toss % 64) - 1)).bit_count()
    assert fair.tossed(WordTape(words), np.array(tosses, dtype=np.int64)).tolist() == heads


@given(st.lists(st.integers(0, 2**27), max_size=6))
def test_every_coin_is_taken_once(tosses: list[int]) -> None:
    """With coins that all show heads, there are as many heads as coins."""

    def powers(_: Any, digit: int, count: int) -> Any:
        return np.full(count, 1 << digit)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fair, "tossed", lambda _, tosses: tosses.copy())
        patch.setattr(fair, "heads_of_power", powers)
        given = np.array(tosses, dtype=np.int64)
        assert fair.heads(Stream(0, "u1", ""), given).tolist() == tosses


@pytest.mark.slow
@pytest.mark.parametrize("words", [1, 2, 5, 16, 17])
@pytest.mark.parametrize("digit", [1, 2, 5, 6, 7, 10, 12])
def test_the_distribution_function_is_rounded_down(digit: int, words: int) -> None:
    """All words of it, those before and after the listed ones included."""
    unit, coins = 1 << 64 * words, 1 << digit
    whole = [(upto * unit) >> coins for upto in exact_distribution(digit)]
    least, steps = fair.distribution(digit, words)
    assert whole[least : least + len(steps)] == steps
    assert set(whole[:least]) <= {0}
    assert set(whole[least + len(steps) :]) <= {unit - 1}


@pytest.mark.parametrize("digit", [16, 20, 23, 24])
def test_large_distribution_functions_are_those_of_scipy(digit: int) -> None:
    least, steps = fair.distribution(digit, 1)
    law = stats.binom(1 << digit, 0.5)
    assert np.array(steps, dtype=float) / WORD == pytest.approx(
        law.cdf(least + np.arange(len(steps))), abs=1e-9
    )
    assert law.cdf(least - 1) < 1 / WORD
    assert law.sf(least + len(steps)) < 1 / WORD


@pytest.mark.slow
@cases(300)
@given(st.sampled_from([1, 2, 5, 7, 10, 12]), st.data())
def test_heads_of_a_power_invert_the_distribution_function(digit: int, data: st.DataObject) -> None:
    """The number of j with F(j) <= U, also for a U that begins as F(j) does, or with zeros or ones
    alone.
    """
    coins = 1 << digit
    near = [step + by for step in fair.distribution(digit, 1)[1] for by in (-1, 0, 1)]
    first = data.draw(st.sampled_from([0, WORD - 1, *(word for word in near if 0 <= word < WORD)]))
    further = data.draw(st.sampled_from([0, WORD - 1]) | st.integers(0, WORD - 1))
    words = [first, further, *range(2**63, 2**63 + 20)]
    uniform = functools.reduce(lambda high, low: high << 64 | low, words)
    below = [upto << 64 * len(words) <= uniform << coins for upto in exact_distribution(digit)]
    assert fair.heads_of_power(WordTape(words), digit, 1).tolist() == [sum(below)]


@pytest.mark.parametrize("coins", [2**10, 2**14 - 1, 2**17, 2**24 + 12345, 5 * 2**24])
def test_heads_follow_their_law(coins: int) -> None:
    law = stats.binom(coins, 0.5)
    drawn = fair.heads(Stream(15, "u1", ""), np.full(4000, coins))
    edges = law.ppf(np.arange(1, 10) / 10).astype(np.int64)
    cells = np.diff(np.concatenate([[0], law.cdf(edges), [1]]))
    assert fits(np.bincount(np.searchsorted(edges, drawn), minlength=10), cells * 4000)
