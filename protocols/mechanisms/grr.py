"""GRR, generalised randomised response: report the own item, or else any other.

It is also called k-RR and direct encoding. Learns: whoever reads a report, the item up to ε; the
report is the item with probability p = e^ε / (e^ε + N - 1) and each other item with q = 1 / (e^ε +
N - 1). Source: Kairouz et al., *Discrete Distribution Estimation under Local Privacy*, 2016, Eq. 7;
Wang et al., 2017, section 4.1.
"""

import functools
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.odds import exp
from protocols.mechanisms.pure import Pure, few_items, item_names
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, index

PORTION = 1 << 16  # users worked on at a time: temporary arrays stay in cache


@attrs.frozen
class GRR(Pure):
    """Randomised response over N items, counted from 1."""

    epsilon: float  # ε > 0
    items: int  # N >= 2

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        checks.whole("items", self.items, 2)

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The chances of the own item and of any other; they add up to 1 over the items."""
        ratio = exp(self.epsilon)
        return ratio / (ratio + self.items - 1), 1 / (ratio + self.items - 1)

    @property
    def stated_epsilon(self) -> float:
        """The ε that it was made with."""
        return self.epsilon

    def support_chance(self, value: int) -> Fraction:
        """The chance that a report of a holder of `value` names item 1."""
        return self.law_of_few(value, 1)[0]

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """The chance of reporting each item, or each of a few."""
        few = few_items(self.items)
        names = item_names(self.items, few, "{}", "each of {}")
        return list(zip(names, self.law_of_few(value, few)[:few], strict=True))

    def law(self, value: int) -> tuple[Fraction, ...]:
        """The chance of each report, shape (N,), of a user who holds `value` in 1..N."""
        (own_item,) = checks.whole_numbers("values", [value], 1, self.items)
        p, q = self.exact_chances
        return tuple(p if item == own_item else q for item in range(1, self.items + 1))

    def law_of_few(self, value: int, few: int) -> tuple[Fraction, ...]:
        """The chances of reporting each of the first `few` items, and any other.

        Shape (few + 1,).
        """
        (own_item,) = checks.whole_numbers("values", [value], 1, self.items)
        p, q = self.exact_chances
        first = tuple(p if item == own_item else q for item in range(1, few + 1))
        return (*first, 1 - sum(first, Fraction(0)))

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report; any two items differ as the first two do."""
        return epsilon_of([self.law_of_few(1, 2), self.law_of_few(2, 2)])

    @property
    def report_bits(self) -> int:
        """Bits of a report on the wire."""
        return (self.items - 1).bit_length()

    def payload(self, reports: Ints) -> Typed:
        """Reports as they travel: indices from 0."""
        return index(reports - 1, self.items, "Nd")

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        return self.payload(np.empty(0, dtype=np.int64))

    def received(self, numbers: Numbers) -> Ints:
        """Reports from the numbers that arrived."""
        return numbers + 1

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """One report a user, shape (n,), in 1..N. Raises `ValueError` for a value outside 1..N."""
        reports = checks.whole_numbers("values", values, 1, self.items).copy()
        for start in range(0, reports.size, PORTION):
            self._move(reports[start : start + PORTION], coins)
        return reports

    def _move(self, reports: Ints, coins: Coins) -> None:
        """Put another item in the place of some, in the same array."""
        (moved,) = np.nonzero(~coins.bernoullis(self.exact_chances[0], reports.size))
        # Of the N - 1 others, counted from 0
        others: Any = coins.integers(self.items - 1, moved.size).plain
        others += 1
        others += others >= reports[moved]
        reports[moved] = others

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """How many reports name each item; shape (N,).

        Raises `ValueError` for a report outside 1..N.
        """
        items = checks.whole_numbers("reports", reports, 1, self.items)
        return np.bincount(items, minlength=self.items + 1)[1:]

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """The supports that a population's reports have, drawn without the reports; shapes (N,).

        `holders` are how many hold each item. A report is the own item with chance p - q, and else
        any item at all.
        """
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        p, q = self.exact_chances
        own = coins.binomials(counts, p - q).plain
        return np.asarray(own + spread(int(counts.sum() - own.sum()), self.items, coins))


def spread(balls: int, cells: int, coins: Coins) -> Ints:
    """How many of the balls, each thrown into any cell alike, fall into each; shape (cells,).

    The cells are halved until they are single: a ball goes left in proportion to the cells there.
    """
    sizes, counts = np.array([cells]), np.array([balls])
    while sizes.max() > 1:
        left = (sizes + 1) // 2
        going = np.zeros_like(counts)
        for size in np.unique(sizes):  # two sizes at most
            same = sizes == size
            going[same] = coins.binomials(
                counts[same], Fraction(int(left[same][0]), int(size))
            ).plain
        sizes, counts = (
            np.stack(pair, axis=1).ravel()
            for pair in ((left, sizes - left), (going, counts - going))
        )
        sizes, counts = sizes[sizes > 0], counts[sizes > 0]
    return counts
