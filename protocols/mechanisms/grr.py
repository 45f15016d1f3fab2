"""GRR, generalised randomised response: a user reports its own item, or another one at random.

GRR is also called k-RR and direct encoding. The report is the user's item with probability p = e^ε
/ (e^ε + N - 1), and each other item with probability q = 1 / (e^ε + N - 1).

Source: Kairouz et al., *Discrete Distribution Estimation under Local Privacy*, 2016, Eq. 7; Wang et
al., 2017, section 4.1.
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

PORTION = 1 << 16  # users per step, so that temporary arrays fit into the cache


@attrs.frozen
class GRR(Pure):
    """Generalised randomised response over N = `items` >= 2 items, counted from 1.

    Raises `ValueError` for parameters out of range.

    >>> from simnet.coins.sampled import SampledCoins
    >>> grr = GRR(epsilon=10.0, items=3)
    >>> reports = grr.perturb([1, 2, 2, 3], SampledCoins(7, "u1"))
    >>> grr.supports(reports).tolist()
    [1, 2, 1]
    >>> round(grr.exact_epsilon, 9)
    10.0
    """

    epsilon: float  # ε > 0
    items: int  # N >= 2

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        checks.whole("items", self.items, 2, 1 << 62)  # a report is an index of 64 bits

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities p and q that a report is the user's own item, and a given other item;
        p + (N - 1) q = 1.
        """
        ratio = exp(self.epsilon)
        return ratio / (ratio + self.items - 1), 1 / (ratio + self.items - 1)

    @property
    def stated_epsilon(self) -> float:
        """The requested ε."""
        return self.epsilon

    def support_chance(self, value: int) -> Fraction:
        """Return the probability that a report of a holder of `value` names item 1."""
        return self.law_of_few(value, 1)[0]

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """Return the probability of each reported item for a holder of item 1 or 2.

        With more than 40 items, one entry stands for each of items 3..N.
        """
        few = few_items(self.items)
        names = item_names(self.items, few, "{}", "each of {}")
        return list(zip(names, self.law_of_few(value, few)[:few], strict=True))

    def law(self, value: int) -> tuple[Fraction, ...]:
        """Return the probability of each report, shape (N,), for a user who holds `value` in
        1..N.
        """
        (own_item,) = checks.whole_numbers("values", [value], 1, self.items)
        p, q = self.exact_chances
        return tuple(p if item == own_item else q for item in range(1, self.items + 1))

    def law_of_few(self, value: int, few: int) -> tuple[Fraction, ...]:
        """Return the probability of reporting each of the first `few` items, and last the
        probability of reporting any of the other items.

        Shape (few + 1,).
        """
        (own_item,) = checks.whole_numbers("values", [value], 1, self.items)
        p, q = self.exact_chances
        first = tuple(p if item == own_item else q for item in range(1, few + 1))
        return (*first, 1 - sum(first, Fraction(0)))

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report; any two items differ in the same way as items 1 and 2."""
        return epsilon_of([self.law_of_few(1, 2), self.law_of_few(2, 2)])

    @property
    def report_bits(self) -> int:
        """The number of bits of a report on the wire."""
        return (self.items - 1).bit_length()

    def payload(self, reports: Ints) -> Typed:
        """Return the reports, encoded for sending: indices from 0."""
        return index(reports - 1, self.items, "Nd")

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(np.empty(0, dtype=np.int64))

    def received(self, numbers: Numbers) -> Ints:
        """Return the reports that the received indices stand for."""
        return numbers + 1

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """Return one report in 1..N for each user; shape (n,).

        Raises `ValueError` for a value outside 1..N.
        """
        reports = checks.whole_numbers("values", values, 1, self.items).copy()
        for start in range(0, reports.size, PORTION):
            self._move(reports[start : start + PORTION], coins)
        return reports

    def _move(self, reports: Ints, coins: Coins) -> None:
        (moved,) = np.nonzero(~coins.bernoullis(self.exact_chances[0], reports.size))
        # the place, from 0, among the N - 1 other items
        others: Any = coins.integers(self.items - 1, moved.size).plain
        others += 1
        others += others >= reports[moved]
        reports[moved] = others

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many reports name each item; shape (N,).

        Raises `ValueError` for a report outside 1..N.
        """
        items = checks.whole_numbers("reports", reports, 1, self.items)
        return np.bincount(items, minlength=self.items + 1)[1:]

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """Draw the supports of a population's reports without drawing the reports; shape (N,).

        A report is the user's own item with probability p - q, and else a uniform item.
        """
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        p, q = self.exact_chances
        own = coins.binomials(counts, p - q).plain
        return np.asarray(own + spread(int(counts.sum() - own.sum()), self.items, coins))


def spread(balls: int, cells: int, coins: Coins) -> Ints:
    """Throw balls into cells uniformly: return the number of balls in each cell; shape (cells,)."""
    sizes, counts = np.array([cells]), np.array([balls])
    while sizes.max() > 1:
        left = (sizes + 1) // 2
        going = np.zeros_like(counts)
        for size in np.unique(sizes):  # the cells have at most two different sizes
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
