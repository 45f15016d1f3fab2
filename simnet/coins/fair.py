"""How many of n fair coins show heads, exactly, for many n at once.

We split the n coins into groups of 2**k coins, k <= 24, by the binary digits of n. The coins of the
low digits are tossed one by one, as random bits. For a larger group, let F be the distribution
function of its number of heads, and let U be uniform on [0, 1). Then the number of all j with F(j)
<= U has the distribution of the number of heads. U is drawn word by word, until all of these
comparisons are decided. Proof: docs/proofs/fair-coins.md.
"""

import bisect
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.coins.streams import Stream, Words

Counts = npt.NDArray[np.int64]

_TOSSED = 10  # the number of low binary digits of n whose coins are tossed one by one
_LARGEST = 24  # the highest digit with a table: the table for 2**24 coins has 53,000 entries
_PORTION = 1 << 17  # the number of words or sums that are drawn at a time


def heads(stream: Stream, tosses: Counts) -> Counts:
    """Return, for every i, how many of `tosses[i]` fair coins show heads, independently."""
    count = tossed(stream, tosses & ((1 << _TOSSED) - 1))
    for digit in range(_TOSSED, _LARGEST):
        (there,) = (tosses >> digit & 1).nonzero()
        if there.size:  # make a digit's table only if some number of tosses needs it
            count[there] += heads_of_power(stream, digit, there.size)
    return count + sums(tosses >> _LARGEST, lambda draws: heads_of_power(stream, _LARGEST, draws))


def tossed(stream: Stream, tosses: Counts) -> Counts:
    """Return the numbers of heads, one for each entry of `tosses`, by tossing every coin: the
    number of ones among random bits.
    """
    whole = sums(tosses // 64, lambda words: np.bitwise_count(stream.words(words)))
    rest = (np.uint64(1) << (tosses % 64).astype(np.uint64)) - np.uint64(1)
    return whole + np.bitwise_count(stream.words(tosses.size) & rest)


def sums(terms: Counts, draw: Callable[[int], npt.NDArray[np.integer[Any]]]) -> Counts:
    """Return, for every i, the sum of `terms[i]` draws."""
    edges = np.concatenate([[0], np.cumsum(terms)])
    sums = np.zeros_like(terms)
    for start in range(0, int(edges[-1]), _PORTION):
        drawn = draw(min(_PORTION, int(edges[-1]) - start))
        upto = np.concatenate([[0], np.cumsum(drawn, dtype=np.int64)])
        sums += np.diff(upto[np.clip(edges - start, 0, drawn.size)])
    return sums


def heads_of_power(stream: Stream, digit: int, count: int) -> Counts:
    """Return `count` independent numbers: each is the number of heads among `2**digit` fair
    coins.
    """
    least, steps = _first_steps(digit)
    words = stream.words(count)
    at = np.searchsorted(steps, words, side="right")
    drawn = least + at
    open_ = (words == 0) | (words == np.uint64(2**64 - 1)) | (steps[at - 1] == words)
    for place in open_.nonzero()[0]:
        drawn[place] = _decided(stream, digit, int(words[place]))
    return drawn


def _decided(stream: Stream, digit: int, uniform: int) -> int:
    """Return a number of heads that `uniform`, the first word of U, does not decide alone."""
    words = 1
    while True:
        words += 1
        uniform = uniform << 64 | stream.word()
        least, steps = distribution(digit, words)
        at = bisect.bisect_right(steps, uniform)
        if uniform not in (0, 2 ** (64 * words) - 1, steps[at - 1]):
            return least + at


@functools.cache
def _first_steps(digit: int) -> tuple[int, Words]:
    least, steps = distribution(digit, 1)
    return least, np.array(steps, dtype=np.uint64)


@functools.lru_cache(maxsize=4)
def distribution(digit: int, words: int) -> tuple[int, list[int]]:
    """Return a number of heads j0, and the values F(j0), F(j0 + 1), ... for `2**digit` fair coins.

    F(j) is the probability of at most j heads, in units of `2**-(64 words)`, rounded down. For j <
    j0 the rounded value is 0. For each j after the listed values, the rounded value is one unit
    below 1, except that F is 1 for j = 2**digit.
    """
    scale = precision = 64 * words
    if scale >= 1 << digit:  # no rounding
        coins = 1 << digit
        upto = itertools.accumulate(math.comb(coins, j) for j in range(coins))
        return 0, [ways << scale - coins for ways in upto]
    while True:
        precision += 64
        rounded = _rounded(digit, scale, precision)
        if rounded is not None:
            return rounded


def _rounded(digit: int, scale: int, precision: int) -> tuple[int, list[int]] | None:
    """Return the result of `distribution`, or None if this precision leaves a rounding open.

    Let 2h be the number of coins. Weight i is the probability of h + i heads, divided by the
    probability of h heads, in units of `2**-precision`. Each weight is computed from the one before
    and rounded down, so weight i is less than i units too low, for i > 0. All weights that are
    rounded to 0 add up to less than 2h units: see the page "Fair coins" in the documentation.
    """
    half = 1 << digit - 1
    weights = [1 << precision]
    while weights[-1] and len(weights) <= half:
        i = len(weights) - 1
        weights.append(weights[-1] * (half - i) // (half + i + 1))
    error = len(weights) ** 2 + 2 * half
    both = weights[:0:-1] + weights
    total = sum(both)
    top = (1 << scale) - 1
    upto, steps = 0, []
    for weight in both[:-1]:
        upto += weight
        low = (upto << scale) // (total + error)
        if low != top and low != (upto + error << scale) // total:
            return None
        steps.append(low)
    return half - len(weights) + 1, steps
