"""Sums over many integers from few points: Gauss rules of the counting measure.

Theory of operation. To sum a smooth function f over a million integers, a few values of f are
enough. A Gauss rule of 16 points gives the exact sum of a polynomial of degree at most 31 over a
row of consecutive integers, whatever the length of the row. So we cut the range into rows on which
f is nearly such a polynomial. The first and the last row have at most 16 integers, which are summed
one by one. A row of more than 16 integers has at most half as many integers as lie between the
beginning of the row and the nearer end of the range. So a function that is steep at an end of the
range, such as k^-s near k = 1, is smooth on every row. docs/proofs/long-sums.md bounds the error.

Source: Golub and Welsch, *Calculation of Gauss Quadrature Rules*, 1969, with the recurrence of
Gram's polynomials (Abramowitz and Stegun, 22.17).
"""

import functools
from collections.abc import Callable, Iterator

import numpy as np

from simnet.arrays import Floats

POINTS = 16


@functools.lru_cache(maxsize=4096)
def gauss_rule(length: int) -> tuple[Floats, Floats]:
    """Return points within 0..length-1 and their weights, which add up to `length`.

    If there are at most 16 integers, each of them is a point.
    """
    if length <= POINTS:
        return np.arange(length, dtype=np.float64), np.ones(length)
    k = np.arange(1, POINTS, dtype=np.float64)
    off = k / 2 * np.sqrt((float(length) ** 2 - k**2) / (4 * k**2 - 1))
    places, vectors = np.linalg.eigh(np.diag(off, 1) + np.diag(off, -1))
    return places + (length - 1) / 2, length * vectors[0] ** 2


def points(low: int, high: int, longest: Callable[[int], float]) -> tuple[Floats, Floats]:
    """Return points and weights for sums over the integers low..high; empty if low > high.

    `longest(k)` is the largest length of a row that begins at k and on which the summand is smooth.
    A row has at most this many integers, or 16 if `longest(k)` is smaller.
    """
    if low > high:
        return np.empty(0), np.empty(0)
    rules = [(start, *gauss_rule(length)) for start, length in _rows(low, high, longest)]
    places = np.concatenate([start + within for start, within, _ in rules])
    return places, np.concatenate([weights for _, _, weights in rules])


def _rows(low: int, high: int, longest: Callable[[int], float]) -> Iterator[tuple[int, int]]:
    start = low
    while start <= high:
        room = min(start - low, high - start) // 2
        length = min(max(POINTS, int(min(longest(start), room))), high - start + 1)
        yield start, length
        start += length
