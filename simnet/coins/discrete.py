"""The laws of integer noise, drawn exactly and without floating-point numbers.

The discrete Laplace law and the discrete Gaussian law are drawn by Algorithms 1 to 3 of Canonne,
Kamath, Steinke, *The Discrete Gaussian for Differential Privacy*, 2020. These algorithms need coins
with probability exp(-a / b), where a and b are integers.

The Skellam law is the law of the difference of two independent Poisson draws. A Poisson draw with a
mean below 1/2 follows von Neumann's schema in Flajolet, Pelletier, Soria, *On Buffon Machines and
Numbers*, 2011, section 2. A number N is drawn with probability (1 - mean) mean^N and kept with
probability 1 / N!. So a kept number has a probability in proportion to mean^N / N!. A Poisson draw
with a larger mean is the sum of several such draws, because a sum of independent Poisson draws is a
Poisson draw.
"""

from fractions import Fraction
from math import floor, isqrt

import numpy as np
import numpy.typing as npt

from simnet.coins.exact import bernoullis, integer_below, uniform_below
from simnet.coins.fair import sums
from simnet.coins.streams import Stream

Integers = npt.NDArray[np.int64]


def bernoulli_exp(stream: Stream, a: int, b: int) -> bool:
    """Return True with probability exp(-a / b), a >= 0, b >= 1; Algorithm 1."""
    while a > b:  # exp(-a/b) is a product of factors exp(-1) and one exp(-rest)
        if not _bernoulli_exp_below_one(stream, 1, 1):
            return False
        a -= b
    return _bernoulli_exp_below_one(stream, a, b)


def _bernoulli_exp_below_one(stream: Stream, a: int, b: int) -> bool:
    """Return True with probability exp(-γ), γ = a / b <= 1. We draw with probabilities γ/1, γ/2,
    γ/3, ... until a draw fails; the number of successes is even with probability exp(-γ).
    """
    k = 1
    while integer_below(stream, b * k) < a:
        k += 1
    return k % 2 == 1


def discrete_laplace(stream: Stream, scale: Fraction) -> int:
    """Draw an integer x with probability in proportion to exp(-|x| / scale), scale > 0.

    Algorithm 2: let scale = t / s. An integer u >= 0 is drawn with probability in proportion to
    exp(-u / t). Then |x| is u divided by s, rounded down, and x gets a random sign. If x is 0 and
    the sign is negative, everything is drawn again.
    """
    t, s = scale.numerator, scale.denominator
    while True:
        rest = integer_below(stream, t)
        if not bernoulli_exp(stream, rest, t):
            continue
        whole = 0
        while bernoulli_exp(stream, 1, 1):
            whole += 1
        size = (rest + t * whole) // s
        negative = integer_below(stream, 2) == 1
        if not (negative and size == 0):  # zero has one sign
            return -size if negative else size


def discrete_gaussian(stream: Stream, variance: Fraction) -> int:
    """Return an integer x, drawn with probability proportional to exp(-x² / (2 variance));
    Algorithm 3.

    A discrete Laplace draw y of scale t = floor(σ) + 1 is accepted with probability
    exp(-(|y| - σ²/t)² / (2σ²)).
    """
    numerator, denominator = variance.numerator, variance.denominator
    scale = isqrt(numerator // denominator) + 1
    while True:
        drawn = discrete_laplace(stream, Fraction(scale))
        gap = abs(drawn) * scale * denominator - numerator  # (|y| - σ²/t) t denominator
        if bernoulli_exp(stream, gap * gap, 2 * numerator * denominator * scale * scale):
            return drawn


def skellams(stream: Stream, variance: Fraction, count: int) -> Integers:
    """Return `count` differences of two Poisson draws, each of mean variance / 2."""
    return poissons(stream, variance / 2, count) - poissons(stream, variance / 2, count)


def poissons(stream: Stream, mean: Fraction, count: int) -> Integers:
    """Return `count` integers; each is k with probability e^-mean mean^k / k!.

    The mean is cut into equal parts below 1/2, because larger parts would reject more draws.
    """
    parts = floor(2 * mean) + 1
    terms = np.full(count, parts, dtype=np.int64)
    return sums(terms, lambda draws: _poissons_below_one(stream, mean / parts, draws))


def _poissons_below_one(stream: Stream, mean: Fraction, count: int) -> Integers:
    """Return `count` draws of `poissons` for a mean below 1, all at once.

    Every draw grows by 1 with probability `mean`, again and again. After its k-th growth a draw
    survives with probability 1 / k; otherwise the draw starts again from 0.
    """
    drawn = np.zeros(count, dtype=np.int64)
    starting = np.arange(count)
    while starting.size:
        growing, failed, size = starting, [], 0
        while growing.size:
            growing = growing[bernoullis(stream, mean, growing.size)]
            size += 1
            stays = uniform_below(stream, size, growing.size) == 0
            failed.append(growing[~stays])
            growing = growing[stays]
            drawn[growing] = size
        starting = np.concatenate(failed)
        drawn[starting] = 0
    return drawn
