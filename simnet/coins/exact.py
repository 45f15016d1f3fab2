"""Exact draws from raw random words: a draw has the stated law without approximation, if the words
are uniform.
"""

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.coins.fair import heads
from simnet.coins.streams import Stream

Array = npt.NDArray[Any]

WORD = 1 << 64
FEW = 32  # a subset of fewer than 1/32 of the integers is drawn one integer after another
MANY = 64  # this many or more draws with one probability take one byte each at first
_CHUNK = 1 << 14  # so many elements are reduced at a time, so that arrays stay in the cache
_PORTION = 1 << 17  # so many random bytes are drawn at a time
_BYTE = np.dtype(np.uint8)
_LANES: list[np.dtype[Any]] = [np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)]


def uniform_below(stream: Stream, bound: int, count: int, spare: int = 0) -> Array:
    """Return `count` independent integers, uniform on `0..bound-1`, where `1 <= bound <= 2**63`.

    A *lane* is here a number of b random bits. A lane is accepted if it is below the largest
    multiple of `bound` that is at most 2**b. An accepted lane is reduced mod `bound`. New lanes
    replace the rejected lanes. The result has the unsigned type of the lanes, and `spare` more
    entries at its end, to which the caller may write.
    """
    lane = _lane(bound)
    span = 1 << (8 * lane.itemsize)
    drawn = stream.lanes(count + spare, lane)
    result = drawn[:count]
    if span % bound == 0:
        _reduce(result, lane.type(bound))
        return drawn
    accepted = lane.type(span - span % bound)
    (holes,) = (result >= accepted).nonzero()
    _reduce(result, lane.type(bound))
    while holes.size:
        # This many new lanes are nearly always enough.
        again = stream.lanes(holes.size + holes.size // 8 + 4, lane)
        again = again[again < accepted][: holes.size]
        result[holes[: again.size]] = again % lane.type(bound)
        holes = holes[again.size :]
    return drawn


def _lane(bound: int) -> np.dtype[Any]:
    """Return the narrowest type of b = 16, 32 or 64 bits with `bound <= 2**(b - 2)`: then
    `uniform_below` accepts at least three quarters of the lanes. Return the type of 64 bits if
    there is no such type.
    """
    return next((lane for lane in _LANES if bound <= 1 << (8 * lane.itemsize - 2)), _LANES[-1])


def _reduce(values: Array, bound: Any) -> None:
    """Replace each value by its remainder mod `bound`, in place."""
    # Numpy divides an array by a constant faster than it computes remainders.
    for start in range(0, values.size, _CHUNK):
        part = values[start : start + _CHUNK]
        quotient = np.floor_divide(part, bound)
        quotient *= bound
        part -= quotient


def integer_below(stream: Stream, bound: int) -> int:
    """Return one integer, uniform on `0..bound-1`, for any `bound >= 1`."""
    words = max(-(-(bound - 1).bit_length() // 64), 1)
    span = 1 << (64 * words)
    accepted = span - span % bound
    while True:
        drawn = 0
        for _ in range(words):
            drawn = drawn << 64 | stream.word()
        if drawn < accepted:
            return drawn % bound


def bernoulli(stream: Stream, chance: float | Fraction) -> bool:
    """Return True with probability `chance`, exactly."""
    while True:
        digit, rest = _first_word(chance)
        drawn = stream.word()
        if drawn != digit:
            return drawn < digit
        if rest == 0:
            return False
        chance = rest


def bernoullis(stream: Stream, chance: float | Fraction, count: int) -> npt.NDArray[np.bool_]:
    """Return `count` independent draws of `bernoulli`."""
    if count >= MANY:
        return _byte_bernoullis(stream, Fraction(chance), count)
    digit, rest = _first_word(chance)
    words = stream.words(count)
    if digit == WORD:
        return np.ones(count, dtype=np.bool_)
    drawn = words < np.uint64(digit)
    for tie in np.flatnonzero(words == np.uint64(digit)):
        drawn[tie] = rest > 0 and bernoulli(stream, rest)
    return drawn


def _byte_bernoullis(stream: Stream, chance: Fraction, count: int) -> npt.NDArray[np.bool_]:
    drawn = np.empty(count, dtype=np.bool_)
    scaled = chance * 256
    digit, rest = int(scaled), scaled - int(scaled)
    if digit == 256:
        return np.ones(count, dtype=np.bool_)
    for start in range(0, count, _PORTION):
        part = drawn[start : start + _PORTION]
        lanes = stream.lanes(part.size, _BYTE)
        np.less(lanes, np.uint8(digit), out=part)
        if rest:
            (ties,) = (lanes == np.uint8(digit)).nonzero()
            part[ties] = bernoullis(stream, rest, ties.size)
    return drawn


def binomials(
    stream: Stream, trials: npt.NDArray[np.int64], chance: float | Fraction
) -> npt.NDArray[np.int64]:
    """Return, independently for every i, how many of `trials[i]` draws of `bernoulli` are True.

    All draws are compared with `chance` together, one binary digit after another.
    """
    rest, whole = Fraction(chance).as_integer_ratio()
    if rest == whole:
        return trials.copy()
    true, open_ = np.zeros_like(trials), trials
    while rest and open_.any():
        rest *= 2
        ones = heads(stream, open_)
        # If this digit of `chance` is 1, draws with a 0 are below `chance`, so they are True.
        if rest >= whole:
            rest -= whole
            true, open_ = true + (open_ - ones), ones
        else:
            open_ = open_ - ones
    return true


@functools.lru_cache(maxsize=256)
def _first_word(chance: float | Fraction) -> tuple[int, Fraction]:
    """Return the first 64 binary digits of a probability as an integer (2**64 for probability 1),
    and the digits after them as a fraction in [0, 1).
    """
    scaled = Fraction(chance) * WORD
    return int(scaled), scaled - int(scaled)


def subset(stream: Stream, count: int, below: int) -> npt.NDArray[np.int64]:
    """Return `count` distinct integers of `0..below-1`, sorted. Every set is equally likely.

    Proof: the page "Subsets" in the documentation.
    """
    draw = sparse_subset if count * FEW < below else dense_subset
    return draw(stream, count, below)


def sparse_subset(stream: Stream, count: int, below: int) -> npt.NDArray[np.int64]:
    """Return a `subset` of a few among many integers, drawn one by one (Floyd's algorithm)."""
    chosen: set[int] = set()
    for last in range(below - count, below):
        drawn = integer_below(stream, last + 1)
        chosen.add(last if drawn in chosen else drawn)
    return np.array(sorted(chosen), dtype=np.int64)


def dense_subset(stream: Stream, count: int, below: int) -> npt.NDArray[np.int64]:
    """Return a `subset` drawn at once: every integer gets a random key, and the integers with the
    smallest keys are chosen.

    If all keys are different, every order is equally likely. So a draw with two equal keys is
    repeated.
    """
    while True:
        keys = stream.words(below)
        order = keys.argsort()
        ordered = keys[order]
        if not (ordered[1:] == ordered[:-1]).any():
            return np.sort(order[:count])


def weighted_subset(
    stream: Stream, count: int, below: int, favoured: int, weight: Fraction
) -> npt.NDArray[np.int64]:
    """Return a sorted set of `count` integers of `0..below-1`; a set with `favoured` is `weight`
    times as likely as a set without it.

    The set contains `favoured` with probability `count weight / (count weight + below - count)`,
    and the remaining elements are uniform.
    """
    inside = bernoulli(stream, count * weight / (count * weight + below - count))
    others = subset(stream, count - inside, below - 1)
    others = others + (others >= favoured)
    return np.sort(np.append(others, favoured)) if inside else others


def categorical(stream: Stream, weights: Sequence[int], count: int) -> npt.NDArray[np.int64]:
    """Return `count` independent indices; index i has probability `weights[i] / sum(weights)`.

    The sum of the weights must be below 2**63.
    """
    edges = np.cumsum(np.asarray(weights, dtype=np.uint64))
    return np.searchsorted(
        edges, uniform_below(stream, int(edges[-1]), count), side="right"
    ).astype(np.int64)
