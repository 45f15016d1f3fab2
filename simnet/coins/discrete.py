"""The discrete Gaussian law, drawn exactly with integers alone.

Source: Canonne, Kamath, Steinke, *The Discrete Gaussian for Differential Privacy*, 2020, Algorithms
1 to 3. Probabilities are exp of minus a fraction a / b, given as two integers.
"""

from fractions import Fraction
from math import isqrt

from simnet.coins.exact import integer_below
from simnet.coins.streams import Stream


def bernoulli_exp(stream: Stream, a: int, b: int) -> bool:
    """True with probability exp(-a / b), a >= 0, b >= 1; Algorithm 1."""
    while a > b:  # exp(-a/b) is a product of factors exp(-1) and one exp(-rest)
        if not _bernoulli_exp_below_one(stream, 1, 1):
            return False
        a -= b
    return _bernoulli_exp_below_one(stream, a, b)


def _bernoulli_exp_below_one(stream: Stream, a: int, b: int) -> bool:
    """For a <= b: the length of a run of draws with chances γ/1, γ/2, γ/3, ... is even with chance
    exp(-γ).
    """
    k = 1
    while integer_below(stream, b * k) < a:
        k += 1
    return k % 2 == 1


def discrete_laplace(stream: Stream, scale: int) -> int:
    """An integer x with weight exp(-|x| / scale), scale >= 1; Algorithm 2."""
    while True:
        rest = integer_below(stream, scale)
        if not bernoulli_exp(stream, rest, scale):
            continue
        whole = 0
        while bernoulli_exp(stream, 1, 1):
            whole += 1
        size = rest + scale * whole
        negative = integer_below(stream, 2) == 1
        if not (negative and size == 0):  # zero has one sign
            return -size if negative else size


def discrete_gaussian(stream: Stream, variance: Fraction) -> int:
    """An integer x with weight exp(-x² / (2 variance)); Algorithm 3.

    A discrete Laplace draw y of scale t = floor(σ) + 1 is accepted with chance exp(-(|y| - σ²/t)² /
    (2σ²)).
    """
    numerator, denominator = variance.numerator, variance.denominator
    scale = isqrt(numerator // denominator) + 1
    while True:
        drawn = discrete_laplace(stream, scale)
        gap = abs(drawn) * scale * denominator - numerator  # (|y| - σ²/t) t denominator
        if bernoulli_exp(stream, gap * gap, 2 * numerator * denominator * scale * scale):
            return drawn
