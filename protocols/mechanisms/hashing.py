"""OLH, optimised local hashing: randomised response to a random hash of the item.

A user draws a hash function from N items to g values. The user reports the function together with
the item's hash value, perturbed by randomised response over the g values. The hash function is a
public coin: it is drawn independently of the item, and whoever reads the report knows it. A report
supports the items whose hash is the reported value.

The hash functions are the linear ones over F_g, g prime. The item, counted from 0 and written in
base g as m digits x, lowest digit first, has the value a·x mod g for a drawn from F_g^m. Two
different items have the same value under exactly g^(m-1) of the g^m functions. So the probability
of supporting another item is exactly q = 1/g. The variance for an item that nobody holds is least
near g = e^ε + 1; of the two primes around this number, g is the one with the smaller variance. A g
above 2**15 is not used: if e^ε + 1 is larger, g is the largest prime below 2**15.

Example. ε = 1 and N = 4 give g = 3 and m = 2. Item 4 is x = (0, 1); under a = (2, 1) the four items
have the values 0, 2, 1 and 1. The report (a, 1) supports items 3 and 4.

Source: Wang et al., *Locally Differentially Private Protocols for Frequency Estimation*, 2017,
section 4.3; Carter and Wegman, *Universal Classes of Hash Functions*, 1979.
"""

import functools
from fractions import Fraction
from math import isqrt

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.numbered import MOST_ITEMS, Numbered
from protocols.mechanisms.odds import exp
from simnet.arrays import Ints
from simnet.coins.coins import Coins

LARGEST_RANGE = 1 << 15  # the largest g, so that a report fits 63 bits
BLOCK = 1 << 20  # pairs of a report and an item that are compared in one step


@attrs.frozen
class OLH(Numbered):
    """Optimised local hashing over N = `items` items, from 2 to 2**30, counted from 1.

    A report is the number of the hash function, times g, plus the reported value. Raises
    `ValueError` for parameters out of range.

    >>> olh = OLH(epsilon=1.0, items=4)
    >>> olh.hashed_range, olh.functions, olh.outcomes
    (3, 9, 27)
    """

    epsilon: float  # ε > 0
    items: int  # N, from 2 to 2**30

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        checks.whole("items", self.items, 2, MOST_ITEMS)

    @functools.cached_property
    def hashed_range(self) -> int:
        """The number of hash values, g; at most 2**15."""
        best = int(min(exp(self.epsilon) + 1, Fraction(LARGEST_RANGE)))
        lower = next(g for g in range(best, 1, -1) if _is_prime(g))
        higher = next((g for g in range(best + 1, LARGEST_RANGE) if _is_prime(g)), lower)
        return min(lower, higher, key=self._noise)

    def _noise(self, g: int) -> Fraction:
        """Return the variance of the share of an item that nobody holds, estimated from one report.

        The variance is (e^ε - 1 + g)² / ((g - 1) (e^ε - 1)²).
        """
        ratio = exp(self.epsilon)
        return (ratio - 1 + g) ** 2 / ((g - 1) * (ratio - 1) ** 2)

    @functools.cached_property
    def digits(self) -> int:
        """m, the number of digits of an item in base g."""
        digits, reach = 1, self.hashed_range
        while reach < self.items:
            digits, reach = digits + 1, reach * self.hashed_range
        return digits

    @property
    def functions(self) -> int:
        """The number of hash functions, g^m."""
        return int(self.hashed_range**self.digits)

    @property
    def outcomes(self) -> int:
        """The number of different reports: pairs of a hash function and a value."""
        return self.functions * self.hashed_range

    @functools.cached_property
    def response(self) -> GRR:
        """The randomised response that perturbs the hash value of the item."""
        return GRR(self.epsilon, self.hashed_range)

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities p and q = 1/g that a report supports the user's own item, and a given
        other item.
        """
        return self.response.exact_chances[0], Fraction(1, self.hashed_range)

    def support_chance(self, value: int) -> Fraction:
        """Return the probability that a report of a holder of `value` supports item 1."""
        truthful, other = self.response.exact_chances
        alike = Fraction(1) if value == 1 else Fraction(1, self.hashed_range)
        return alike * truthful + (1 - alike) * other

    def chance(self, report: int, value: int) -> Fraction:
        """Return the probability that a holder of `value` in 1..N sends this report."""
        function, answer = divmod(report, self.hashed_range)
        hashed = int(self.hashed(np.int64(function), np.int64(value - 1)))
        return self.response.exact_chances[int(answer != hashed)] / self.functions

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report.

        The laws of two items differ only under functions that give the items different values.
        """
        g = self.hashed_range
        p, q = self.response.exact_chances
        same, apart = Fraction(1, g), 1 - Fraction(1, g)
        rest = (apart * (1 - p - q),) if g > 2 else ()
        return epsilon_of(
            [(same, apart * p, apart * q, *rest), (same, apart * q, apart * p, *rest)]
        )

    def hashed(self, functions: Ints | np.int64, items: Ints | np.int64) -> Ints:
        """Return the hash values, from 0, of items under hash functions.

        Items and functions are given by their numbers, from 0. Shapes are broadcast.
        """
        g, total = self.hashed_range, np.zeros((), dtype=np.int64)
        for _ in range(self.digits):
            functions, factor = np.divmod(functions, g)
            items, digit = np.divmod(items, g)
            total = total + factor * digit
        return np.asarray(total % g)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """Return one report for each user.

        Shape (n,). Raises `ValueError` for a value outside 1..N.
        """
        items = checks.whole_numbers("values", values, 1, self.items) - 1
        functions = coins.integers(self.functions, items.size).plain
        answers = self.response.perturb(self.hashed(functions, items) + 1, coins) - 1
        return np.asarray(functions * self.hashed_range + answers)

    def supports_of(self, reports: Ints, times: Ints) -> Ints:
        """Return how many reports support each item, shape (N,); `reports[i]` occurs `times[i]`
        times.
        """
        supports = np.zeros(self.items, dtype=np.int64)
        items, rows = np.arange(self.items), max(BLOCK // self.items, 1)
        functions, answers = np.divmod(reports, self.hashed_range)
        for start in range(0, reports.size, rows):
            part = slice(start, start + rows)
            hashed = self.hashed(functions[part, np.newaxis], items)
            supports += times[part] @ (hashed == answers[part, np.newaxis])
        return supports


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, isqrt(number) + 1))
