"""Pure protocols: they estimate frequencies from the number of reports that support each item.

A report supports its user's item with probability p, and every other item with probability q < p
(for `JoyGerla`, p and q are those of item 1). The number of reports that support an item is a sum
of independent coins. So the estimate's mean and variance follow from p, q, the number of users and
the share of holders.
Purity concerns the estimates only; privacy is computed from a report's law.

Source: Wang et al., *Locally Differentially Private Protocols for Frequency Estimation*, 2017,
section 3; Jia and Gong, *Calibrate*, Eq. 14, to which `count_variance` adds a term proportional to
the number of holders.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.odds import real
from simnet.arrays import Floats

MOST_ITEMS = 40  # up to this many items, a description names every item


class Pure(ABC):
    """A pure protocol: the common part of this package's mechanisms over items.

    A subclass defines its items and exact probabilities, and names the outcomes of a report, with
    their probabilities.
    """

    items: int

    continuous = False  # whether reports have a continuous part; then ε is that of exact reals
    sampling: float | Fraction = 1  # the probability that a user reports
    # Whether the expected squared L2 error of all estimates depends on the users' items. It does
    # not if each item is estimated by itself: then the variance is linear in the share of holders.
    expected_error_depends_on_truth = False

    # Whether a report answers one question about two items. If so, the two estimates add up to 1
    # and have the same variance.
    answers_one_question = False

    @property
    @abstractmethod
    def stated_epsilon(self) -> float | None:
        """The requested ε; None for a mechanism that takes probabilities instead."""

    @abstractmethod
    def support_chance(self, value: int) -> Fraction:
        """Return the probability that a report of a holder of `value` supports item 1."""

    @abstractmethod
    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """Return outcomes of a report of a holder of item 1 or 2, as names with probabilities.

        If each outcome is about a single item and there are more than 40 items, only items 1 and 2
        have entries of their own. One more entry stands for each of the other items; its
        probability is that of a single one of them.
        """

    @property
    @abstractmethod
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The exact probabilities p and q, from which coins are drawn."""

    @property
    def support_chances(self) -> tuple[float, float]:
        """The probabilities p and q as floats."""
        p, q = self.exact_chances
        return float(p), float(q)

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Return unbiased estimates of the shares of users who hold each item.

        Shape (N,); estimates below 0 or above 1 are not clipped.

        The estimate is (supports / n - q) / (p - q). Raises `ValueError` for supports below 0 or
        above the number of users, for another shape, and for fewer than one user.
        """
        checks.whole("users", users, 1)
        counts = checks.whole_numbers("supports", supports, 0, users, self.items)
        return self.debiased(counts / users)

    def debiased(self, shares: npt.ArrayLike) -> Floats:
        """Return unbiased estimates of the shares of holders, from shares of supporting reports.

        Shape as given.
        """
        p, q = self.exact_chances
        return np.asarray((np.asarray(shares, dtype=np.float64) - float(q)) / real(p - q))

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """Return the exact variance of the estimated share of an item that `share` of the users
        hold.

        A number gives a number, an array an array. With f = `share` and n = `users`, the variance
        is (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)²): the users' items are fixed.
        """
        checks.whole("users", users, 1)
        shares = checks.shares(share)
        holder, other = self._variances
        return (shares * holder + (1 - shares) * other) / users

    def count_variance(self, users: int) -> tuple[float, float]:
        """Return (V₀, slope): the estimated number of holders of an item has the variance
        V₀ + slope · (true number of holders).

        V₀ = n q (1 - q) / (p - q)² for n = `users`, and slope = (1 - p - q) / (p - q).
        """
        p, q = self.exact_chances
        checks.whole("users", users, 1)
        return real(users * q * (1 - q) / (p - q) ** 2), real((1 - p - q) / (p - q))

    @property
    def worst_variance(self) -> float:
        """The largest variance of an estimated share if there is one user; with n users it is n
        times smaller.
        """
        return max(self._variances)

    @property
    def _variances(self) -> tuple[float, float]:
        """n² times the contribution of one user to the variance: for a holder, and for any other
        user.
        """
        p, q = self.exact_chances
        holder, other = ((chance * (1 - chance) / (p - q) ** 2) for chance in (p, q))
        return real(holder), real(other)


def few_items(items: int) -> int:
    """Return the number of names: one for each item, or three if there are more than 40 items."""
    return min(items, 3 if items > MOST_ITEMS else MOST_ITEMS)


def item_names(items: int, few: int, single: str, others: str) -> list[str]:
    """Return names for the first `few` of the items; if `few` is smaller than `items`, the last
    name stands for all items from `few` on.
    """
    names = [single.format(item) for item in range(1, few + 1)]
    return names if few == items else [*names[:-1], others.format(f"{few}..{items}")]
