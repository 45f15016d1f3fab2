"""Sums over many integers from few points: Gauss rules of the counting measure.

A rule of 16 points sums every polynomial of degree 31 over a row of consecutive integers exactly,
however long the row. A range is cut into rows so short that the summand is nearly such a polynomial
on each; next to the ends of the range they begin with 16 integers and double, so that what is steep
there is summed term by term. Source: Golub and Welsch, *Calculation of Gauss Quadrature Rules*,
1969, with the recurrence of Gram's polynomials (Abramowitz and Stegun, 22.17).
"""

import functools
from collections.abc import Callable, Iterator

import numpy as np

from simnet.arrays import Floats

POINTS = 16


@functools.lru_cache(maxsize=4096)
def gauss_rule(length: int) -> tuple[Floats, Floats]:
    """Points within 0..length-1 and their weights, which add up to `length`.

    All integers when these are few.
    """
    if length <= POINTS:
        return np.arange(length, dtype=np.float64), np.ones(length)
    k = np.arange(1, POINTS, dtype=np.float64)
    off = k / 2 * np.sqrt((float(length) ** 2 - k**2) / (4 * k**2 - 1))
    places, vectors = np.linalg.eigh(np.diag(off, 1) + np.diag(off, -1))
    return places + (length - 1) / 2, length * vectors[0] ** 2


def points(low: int, high: int, longest: Callable[[int], float]) -> tuple[Floats, Floats]:
    """Points and weights for sums over the integers low..high, empty when low > high.

    No row that begins at k is longer than `longest(k)`, the length on which the summand is smooth,
    or 16 integers.
    """
    if low > high:
        return np.empty(0), np.empty(0)
    rules = [(start, *gauss_rule(length)) for start, length in _rows(low, high, longest)]
    places = np.concatenate([start + within for start, within, _ in rules])
    return places, np.concatenate([weights for _, _, weights in rules])


def _rows(low: int, high: int, longest: Callable[[int], float]) -> Iterator[tuple[int, int]]:
    """Where rows begin and how many integers they have."""
    start = low
    while start <= high:
        room = min(start - low, high - start) // 2
        length = min(max(POINTS, int(min(longest(start), room))), high - start + 1)
        yield start, length
        start += length
