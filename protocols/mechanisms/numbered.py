"""Pure protocols whose reports are numbers; a report can support several items."""

from abc import abstractmethod
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.pure import Pure, few_items, item_names
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, index

MOST_ITEMS = 1 << 30  # the most items for which a report fits 63 bits
MOST_NAMED = 16  # up to this many reports, a description lists every report
MOST_LISTED = 1 << 16  # up to this many reports, `law` lists every report
PORTION = 1 << 20  # users per step when reports are drawn only to count supports


class Numbered(Pure):
    """A pure protocol with reports 0..R-1, where R is `outcomes`."""

    epsilon: float

    @property
    @abstractmethod
    def outcomes(self) -> int:
        """The number of different reports, R."""

    @abstractmethod
    def chance(self, report: int, value: int) -> Fraction:
        """Return the probability that a holder of `value` in 1..N sends this report."""

    @abstractmethod
    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """Return one report for each user.

        Shape (n,). Raises `ValueError` for a value outside 1..N.
        """

    @abstractmethod
    def supports_of(self, reports: Ints, times: Ints) -> Ints:
        """Return how many reports support each item, shape (N,); `reports[i]` occurs `times[i]`
        times.
        """

    @property
    def stated_epsilon(self) -> float:
        """The requested ε."""
        return self.epsilon

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """Return the probability of each report, or if there are more than 16 reports, the
        probability of supporting each item.

        In the second case, if there are more than 40 items, one entry stands for each of items
        3..N (see `Pure.named_chances`).
        """
        checks.whole("value", value, 1, self.items)
        if self.outcomes <= MOST_NAMED:
            return [(str(report), chance) for report, chance in enumerate(self.law(value))]
        few = few_items(self.items)
        names = item_names(self.items, few, "supports {}", "supports j (each j in {})")
        own, other = self.support_chance(1), self.support_chance(2)
        return [(name, own if item == value else other) for item, name in enumerate(names, start=1)]

    def law(self, value: int) -> tuple[Fraction, ...]:
        """Return the probability of each report, shape (R,), for a user who holds `value` in
        1..N.

        Raises `ValueError` for more than 65,536 reports (use `chance` for a single report), and for
        a value outside 1..N.
        """
        checks.whole("value", value, 1, self.items)
        if self.outcomes > MOST_LISTED:
            raise ValueError(
                f"{self.outcomes:,} reports are too many to list: chance(report, value) gives the "
                "probability of a single report"
            )
        return tuple(self.chance(report, value) for report in range(self.outcomes))

    @property
    def report_bits(self) -> int:
        """The number of bits of a report on the wire."""
        return (self.outcomes - 1).bit_length()

    def payload(self, reports: Ints) -> Typed:
        """Return the reports, encoded for sending."""
        return index(reports, self.outcomes, "Nd")

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(np.empty(0, dtype=np.int64))

    def received(self, numbers: Numbers) -> Ints:
        """Return the reports that the received numbers stand for."""
        return numbers

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many reports support each item; shape (N,).

        Raises `ValueError` for a number that is not a report.
        """
        sent = checks.whole_numbers("reports", reports, 0, self.outcomes - 1)
        return self.supports_of(*np.unique(sent, return_counts=True))

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """Draw the supports of a population's reports, without keeping the reports; shapes (N,)."""
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        supports = np.zeros(self.items, dtype=np.int64)
        edges = counts.cumsum()
        for start in range(0, int(edges[-1]), PORTION):
            users = np.arange(start, min(start + PORTION, int(edges[-1])))
            values = np.searchsorted(edges, users, side="right") + 1
            supports += self.supports(self.perturb(values, coins))
        return supports
