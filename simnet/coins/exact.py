"""Exact draws from raw words: every law here is the stated one, with no modulo bias and no rounding."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.coins.streams import Stream

Array = npt.NDArray[Any]

WORD = 1 << 64
_CHUNK = 1 << 14  # elements worked on at a time: temporary arrays stay in cache and off the page allocator
_LANES = [np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)]


def uniform_below(stream: Stream, bound: int, count: int) -> Array:
    """`count` independent integers, uniform on `0..bound-1`, `1 <= bound <= 2**63`; unsigned, as narrow as they come.

    A lane of b random bits is accepted below the largest multiple of `bound`, and then reduced; the few that are not
    are replaced by the lanes that follow.
    """
    lane = next(lane for lane in _LANES if bound <= 1 << (8 * lane.itemsize - 3) or lane is _LANES[-1])
    span = 1 << (8 * lane.itemsize)
    accepted = span - span % bound
    drawn = stream.lanes(count, lane)
    holes = np.flatnonzero(drawn >= lane.type(accepted)) if accepted < span else np.empty(0, np.intp)
    _reduce(drawn, lane.type(bound))
    while holes.size:
        again = stream.lanes(holes.size, lane)
        good = again < lane.type(accepted)
        drawn[holes[good]] = again[good] % lane.type(bound)
        holes = holes[~good]
    return drawn


def _reduce(values: Array, bound: Any) -> None:
    """`values %= bound` in place; numpy divides by a constant in vector instructions, but takes remainders one by one."""
    for start in range(0, values.size, _CHUNK):
        part = values[start : start + _CHUNK]
        quotient = np.floor_divide(part, bound)
        quotient *= bound
        part -= quotient


def integer_below(stream: Stream, bound: int) -> int:
    """One integer, uniform on `0..bound-1`, for any `bound >= 1`."""
    words = max(-(-(bound - 1).bit_length() // 64), 1)
    span = 1 << (64 * words)
    accepted = span - span % bound
    while True:
        drawn = 0
        for _ in range(words):
            drawn = drawn << 64 | stream.word()
        if drawn < accepted:
            return drawn % bound


def bernoulli(stream: Stream, chance: Fraction) -> bool:
    """True with probability `chance`, exactly: the binary digits of a uniform number are compared with those of chance."""
    remaining = chance
    while True:
        remaining *= WORD
        digit = int(remaining)
        drawn = stream.word()
        if drawn != digit:
            return drawn < digit
        remaining -= digit
        if remaining == 0:
            return False


def bernoullis(stream: Stream, chance: Fraction, count: int) -> npt.NDArray[np.bool_]:
    """`count` independent draws of `bernoulli`."""
    if chance >= 1:
        stream.words(count)
        return np.ones(count, dtype=np.bool_)
    scaled = chance * WORD
    digit = int(scaled)
    words = stream.words(count)
    drawn = words < np.uint64(digit)
    rest = scaled - digit
    for tie in np.flatnonzero(words == np.uint64(digit)):
        drawn[tie] = rest > 0 and bernoulli(stream, rest)
    return drawn


def subset(stream: Stream, count: int, below: int) -> npt.NDArray[np.int64]:
    """`count` distinct integers of `0..below-1`, every set equally likely; sorted (Floyd's algorithm)."""
    chosen: set[int] = set()
    for last in range(below - count, below):
        drawn = integer_below(stream, last + 1)
        chosen.add(last if drawn in chosen else drawn)
    return np.array(sorted(chosen), dtype=np.int64)


def categorical(stream: Stream, weights: Sequence[int], count: int) -> npt.NDArray[np.int64]:
    """`count` independent indices, index i with probability `weights[i] / sum(weights)`; their sum is below 2**63."""
    edges = np.cumsum(np.asarray(weights, dtype=np.uint64))
    return np.searchsorted(edges, uniform_below(stream, int(edges[-1]), count), side="right").astype(np.int64)
