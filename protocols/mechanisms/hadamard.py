"""Hadamard response: a report is one of K numbers, and the number says which items it supports.

K is the smallest power of two above N, and item x in 1..N stands for row x of the Hadamard matrix
of size K. There H[x, y] = 1 if x and y, in binary, have an even number of ones in common, else -1.
A user who holds x draws a number y with H[x, y] = 1 with probability p = e^ε / (e^ε + 1), else a
number with H[x, y] = -1; in both cases all such y are equally likely. A report y supports the items
x with H[x, y] = 1. So it supports the user's item with probability p, and any other item with
probability q = 1/2, because two different rows agree in half of their places.

Source: Acharya, Sun and Zhang, *Hadamard Response*, 2019, section 4.

Example. N = 3 gives K = 4, and the rows 1 to 3 are ::

    x = 1    1 -1  1 -1
    x = 2    1  1 -1 -1
    x = 3    1 -1 -1  1

The holder of item 2 reports 0 or 1 with probability p / 2 each, and 2 or 3 with probability (1 - p)
/ 2 each.
"""

import functools
from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.numbered import MOST_ITEMS, Numbered
from protocols.mechanisms.odds import exp
from simnet.arrays import Ints
from simnet.coins.coins import Coins


@attrs.frozen
class Hadamard(Numbered):
    """Hadamard response over N = `items` items, from 2 to 2**30, counted from 1.

    Raises `ValueError` for parameters out of range.

    >>> hadamard = Hadamard(epsilon=1.0, items=3)
    >>> hadamard.outcomes, hadamard.report_bits, round(hadamard.exact_epsilon, 9)
    (4, 2, 1.0)
    """

    epsilon: float  # ε > 0
    items: int  # N, from 2 to 2**30

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        checks.whole("items", self.items, 2, MOST_ITEMS)

    @property
    def outcomes(self) -> int:
        """The number of different reports, K."""
        return 1 << int(self.items).bit_length()

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities p and q that a report supports the user's own item, and a given other
        item.
        """
        ratio = exp(self.epsilon)
        return ratio / (1 + ratio), Fraction(1, 2)

    def support_chance(self, value: int) -> Fraction:
        """Return the probability that a report of a holder of `value` supports item 1."""
        p, _ = self.exact_chances
        return p if value == 1 else p / 2 + (1 - p) / 2

    def chance(self, report: int, value: int) -> Fraction:
        """Return the probability that a holder of `value` in 1..N sends this report."""
        p, _ = self.exact_chances
        agrees = (report & value).bit_count() % 2 == 0
        return (p if agrees else 1 - p) * 2 / self.outcomes

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report.

        A report has a sign H[x, y] for each item x. For the holder of one of two items, all reports
        with the same signs for these two items are equally likely, and each of the four pairs of
        signs occurs for a quarter of the reports.
        """
        p, _ = self.exact_chances
        true, false = p / 2, (1 - p) / 2
        return epsilon_of([(true, true, false, false), (true, false, true, false)])

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """Return one report for each user.

        Shape (n,). Raises `ValueError` for a value outside 1..N.
        """
        items = checks.whole_numbers("values", values, 1, self.items)
        agrees = coins.bernoullis(self.exact_chances[0], items.size)
        bits = coins.integers(self.outcomes // 2, items.size).plain
        # All bits of a report but one are drawn freely. The bit at the place of the item's lowest
        # 1 is then chosen so that the number of common ones is even or odd, as drawn.
        place = items & -items
        reports = (bits & -place) << 1 | bits & (place - 1)
        odd = np.bitwise_count(reports & items) % 2 == 1
        return np.asarray(reports + place * (odd == agrees))

    def supports_of(self, reports: Ints, times: Ints) -> Ints:
        """Return how many reports support each item, shape (N,); `reports[i]` occurs `times[i]`
        times.
        """
        counts = np.zeros(self.outcomes, dtype=np.int64)
        counts[reports] = times
        # for each item, the reports that support it minus those that do not
        lead = transformed(counts)[1 : self.items + 1]
        return np.asarray((times.sum() + lead) // 2)


def transformed(counts: Ints) -> Ints:
    """Return the product of the Hadamard matrix and the vector of counts; its length is a power of
    two.
    """
    half = 1
    while half < counts.size:
        pairs = counts.reshape(-1, 2, half)
        counts = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        half *= 2
    return counts
