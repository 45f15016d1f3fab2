"""Logarithms of binomial probabilities and of expected shortfalls E[max(0, s - X)], accurate even
for values far below 1e-300.

Source: C. Loader, *Fast and Accurate Computation of Binomial Probabilities*, 2000, for the
saddle-point form.
"""

from decimal import Decimal, localcontext
from functools import lru_cache
from math import ceil, factorial, floor, inf, log, log1p, pi, sqrt

import attrs
import numpy as np

from simnet.arrays import Floats, Ints

# digits of a threshold, so that its distance to the next integer is exact to the last bit of a
# float
DIGITS = 60
BLOCK = 4096  # terms per step of a sum
WIDE = (
    1_000_000  # the largest table; thresholds that would need a larger one are handled one by one
)
NEGLIGIBLE = 1e-18  # a sum ends when the remaining terms are less than this share of the sum


def log_pmf(k: Ints, n: int, p: float) -> Floats:
    """Return the log of P[Bin(n, p) = k] for n >= 1, k in 0..n and 0 < p < 1; the shape of k.

    At n = 10^7 the error is about 1e-12 near the mean, and 1e-11 where the result is -700.
    """
    return _log_pmf(np.asarray(k), n, p, 1 - p)


def _log_pmf(k: Ints, n: int, p: float, q: float) -> Floats:
    inner = np.clip(k, 1, max(n - 1, 1))  # the ends have closed forms
    rest = np.maximum(n - inner, 1)
    saddle = _stirling_error(np.asarray(n)) - _stirling_error(inner) - _stirling_error(rest)
    saddle -= _deviance(inner, n * p) + _deviance(rest, n * q)
    values = saddle - 0.5 * np.log(2 * pi * inner * (rest / n))
    values = np.where(k == 0, n * _log_of(q, p), values)
    return np.where(k == n, n * _log_of(p, q), values)


def _log_of(p: float, q: float) -> float:
    """Return the log of p, where q = 1 - p is the more precise of the two if p is near 1."""
    return log1p(-q) if q < 0.5 else log(p)


def _deviance(k: Ints, mean: float) -> Floats:
    """Return the deviance k ln(k / mean) + mean - k."""
    off = (k - mean) / mean
    return np.asarray(mean * ((1 + off) * np.log1p(off) - off))


def _stirling_error(k: Ints) -> Floats:
    """Return ln k! minus the logarithm of Stirling's formula for k!, for k >= 1."""
    square = 1.0 / np.square(np.maximum(k, 16.0))
    series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - square / 1188) * square) * square) * square
    return np.where(k < 16, _SMALL[np.minimum(k, 15)], series / np.maximum(k, 16))


_SMALL = np.array(
    [0.0] + [log(factorial(k)) - 0.5 * log(2 * pi * k) - k * log(k) + k for k in range(1, 16)]
)


def law(n: int, p: float) -> tuple[int, Floats]:
    """Return a first count, and the probabilities under Bin(n, p) of this count and of those that
    follow it. The probabilities left out on both sides add up to less than 1e-30. Valid for n >= 0
    and 0 <= p <= 1.
    """
    if n == 0 or p in (0, 1):
        return (n if p == 1 else 0), np.ones(1)
    reach = 13 * sqrt(n * p * (1 - p)) + 100
    first, last = max(floor(n * p - reach), 0), min(ceil(n * p + reach), n)
    return first, np.exp(log_pmf(np.arange(first, last + 1), n, p))


@attrs.frozen
class Binomial:
    """The law Bin(n, p) of a count X; q = 1 - p is stored too, so that the mirrored law loses no
    digits.
    """

    n: int
    p: float
    q: float

    @classmethod
    def of(cls, n: int, p: float) -> "Binomial":
        """Return Bin(n, p) for n >= 1 and 0 < p < 1."""
        return cls(n, p, 1 - p)

    @property
    def mirrored(self) -> "Binomial":
        """The law of n - X."""
        return Binomial(self.n, self.q, self.p)

    @property
    def mean(self) -> float:
        """The mean of the law, n p."""
        return self.n * self.p

    def log_pmf(self, k: Ints) -> Floats:
        """Return the log of P[X = k]; the shape of k."""
        return _log_pmf(k, self.n, self.p, self.q)

    def log_shortfall(self, s: Decimal) -> float:
        """Return the log of E[max(0, s - X)] for s > 0."""
        if float(s) <= self.mean:
            return self._log_lower(s)
        with localcontext(prec=DIGITS):
            # the smaller of p and q is exact; the other may be a rounded difference from 1
            chance = Decimal(self.p) if self.p <= self.q else 1 - Decimal(self.q)
            surplus = float(s - self.n * chance)  # E[s - X]; the rest is E[max(0, X - s)]
            beyond = self.mirrored._log_lower(self.n - s)
        return float(np.logaddexp(log(surplus) if surplus > 0 else -inf, beyond))

    def _log_lower(self, s: Decimal) -> float:
        """Return the log of E[max(0, s - X)] for s at most the mean. There the probabilities of
        smaller and smaller counts fall.
        """
        if s <= 0:
            return -inf
        first = ceil(s) - 1
        if first == 0:
            return float(self.log_pmf(np.array([0]))[0]) + float(s.ln())
        with localcontext(prec=DIGITS):
            gap = float(s - first)
        total, weight = 0.0, 1.0
        for start in range(first, -1, -BLOCK):
            k = np.arange(start, max(start - BLOCK, -1), -1)
            ratios = k / (self.n - k + 1) * (self.q / self.p)  # P[k - 1] / P[k]
            weights = weight * np.concatenate(([1.0], np.cumprod(ratios)))
            terms = weights[:-1] * (gap + (first - k))
            total, weight = total + float(terms.sum()), float(weights[-1])
            if weight * (gap + BLOCK) / max(1 - float(ratios[-1]), 1e-9) < NEGLIGIBLE * total:
                break
        return float(self.log_pmf(np.array([first]))[0]) + log(total)

    def log_pmfs(self, low: int, high: int) -> Floats:
        """Return the log of P[X = k] for all k in low..high; shape (high - low + 1,)."""
        start, end = self._block(low, high)
        return _pmf_table(self, start, end)[low - start : high - start + 1]

    def log_at_most(self, k: float, below: bool = False) -> float:
        """Return Chernoff's bound on the log of P[X = k], or of P[X <= k] if `below`; concave in
        k.
        """
        if k >= self.n or (below and k >= self.mean):
            return 0.0 if below else -self.n * log(1 / self.p)
        return -_divergence(k, self.mean) - _divergence(self.n - k, self.n * self.q)

    def _block(self, low: int, high: int) -> tuple[int, int]:
        """Return the ends of a range that contains low..high, rounded outwards so that nearby
        ranges share one table.
        """
        step = max(int((self.n * self.p * self.q) ** 0.5), 1)
        return low // step * step, min((high // step + 1) * step, self.n)

    def log_shortfalls(self, whole: Ints, part: Floats) -> Floats:
        """Return the log of E[max(0, s - X)] for many s = whole + part > 0 in falling order.

        Shapes (m,).

        The parts lie in (0, 1].
        """
        low, high = self._start_of_tail(int(whole[-1])), min(int(whole[0]), self.n)
        if high - low > WIDE or len(whole) == 1:
            with localcontext(prec=DIGITS):
                each = zip(whole.tolist(), part.tolist(), strict=True)
                return np.array([self.log_shortfall(k + Decimal(rest)) for k, rest in each])
        low, high = self._block(low, high)
        tail, surplus = _tail_table(self, low, high)
        place = np.minimum(whole, high)
        return np.asarray(tail[place - low] + np.log(surplus[place - low] + (whole - place) + part))

    def _start_of_tail(self, k: int) -> int:
        """Return a count j: in a sum that ends at k, the probabilities of counts below j are
        negligible.
        """
        end = min(k, int(self.mean))
        return max(0, end - int(12 * (self.n * self.p * self.q) ** 0.5) - 60)


def _divergence(k: float, mean: float) -> float:
    if k == 0:
        return mean
    off = (k - mean) / mean
    return mean * ((1 + off) * log1p(off) - off)


# The search for an ε needs similar ranges again and again
@lru_cache(maxsize=8)
def _pmf_table(law: Binomial, low: int, high: int) -> Floats:
    return law.log_pmf(np.arange(low, high + 1))


@lru_cache(maxsize=8)
def _tail_table(law: Binomial, low: int, high: int) -> tuple[Floats, Floats]:
    """Return the log of P[X <= k], and the mean of k - X given that X is at most k, for k in
    low..high.

    Counts below `low` are left out.
    """
    tail = np.logaddexp.accumulate(law.log_pmf(np.arange(low, high + 1)))
    under = np.full_like(tail, -inf)  # ln Σ P[X = j] (k - j) over j <= k: Σ P[X <= j] over j < k
    under[1:] = np.logaddexp.accumulate(tail[:-1])
    return tail, np.exp(under - tail)
