"""Pure protocols whose reports are numbers, each of which supports many items."""

from abc import abstractmethod
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.pure import Pure, few_items, item_names
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, index

MOST_ITEMS = 1 << 30  # so that a report fits 63 bits
MOST_NAMED = 16  # reports that a person is shown one by one
MOST_LISTED = 1 << 16  # reports of which the law lists each
PORTION = 1 << 20  # users whose reports are drawn at a time where only the supports are wanted


class Numbered(Pure):
    """Reports 0..R-1, R being the number of `outcomes`."""

    epsilon: float

    @property
    @abstractmethod
    def outcomes(self) -> int:
        """R, the number of reports that there are."""

    @abstractmethod
    def chance(self, report: int, value: int) -> Fraction:
        """The chance that a holder of `value` in 1..N sends this report."""

    @abstractmethod
    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """One report a user, shape (n,). Raises `ValueError` for a value outside 1..N."""

    @abstractmethod
    def supports_of(self, reports: Ints, times: Ints) -> Ints:
        """How many reports support each item, shape (N,), if each of these comes so many times."""

    @property
    def stated_epsilon(self) -> float:
        """The ε that it was made with."""
        return self.epsilon

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """The chance of each report or, of more than 16, that it supports each item.

        Of many items, the first few are listed.
        """
        checks.whole("value", value, 1, self.items)
        if self.outcomes <= MOST_NAMED:
            return [(str(report), chance) for report, chance in enumerate(self.law(value))]
        few = few_items(self.items)
        names = item_names(self.items, few, "supports {}", "supports each of {}")
        own, other = self.support_chance(1), self.support_chance(2)
        return [(name, own if item == value else other) for item, name in enumerate(names, start=1)]

    def law(self, value: int) -> tuple[Fraction, ...]:
        """The chance of each report, shape (R,), of a user who holds `value` in 1..N.

        Raises `ValueError` for more than 65,536 reports: `chance` gives that of a single one.
        """
        checks.whole("value", value, 1, self.items)
        if self.outcomes > MOST_LISTED:
            raise ValueError(
                f"{self.outcomes:,} reports are too many to list: chance(report, value) gives the "
                "chance of one"
            )
        return tuple(self.chance(report, value) for report in range(self.outcomes))

    @property
    def report_bits(self) -> int:
        """Bits of a report on the wire."""
        return (self.outcomes - 1).bit_length()

    def payload(self, reports: Ints) -> Typed:
        """Reports as they travel."""
        return index(reports, self.outcomes, "Nd")

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        return self.payload(np.empty(0, dtype=np.int64))

    def received(self, numbers: Numbers) -> Ints:
        """Reports from the numbers that arrived."""
        return numbers

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """How many reports support each item; shape (N,).

        Raises `ValueError` for a number that is no report.
        """
        sent = checks.whole_numbers("reports", reports, 0, self.outcomes - 1)
        return self.supports_of(*np.unique(sent, return_counts=True))

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """The supports of a population's reports, which are counted as they are drawn; shapes (N,).

        `holders` are how many hold each item.
        """
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        supports = np.zeros(self.items, dtype=np.int64)
        edges = counts.cumsum()
        for start in range(0, int(edges[-1]), PORTION):
            users = np.arange(start, min(start + PORTION, int(edges[-1])))
            values = np.searchsorted(edges, users, side="right") + 1
            supports += self.supports(self.perturb(values, coins))
        return supports
