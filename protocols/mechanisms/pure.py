"""Pure protocols: estimating frequencies from how many reports support each item.

A report supports its user's item with probability p and every other item with probability q < p.
Supports are sums of independent coins, so the estimate's mean and variance follow from p and q
alone. Source: Wang et al., *Locally Differentially Private Protocols for Frequency Estimation*,
2017, section 3; Jia and Gong, *Calibrate*, Eq. 14 with its exact second term. Purity is about
estimates and says nothing of privacy, which is computed from a report's law.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.odds import real
from simnet.arrays import Floats

MOST_ITEMS = 40  # of which each is named


class Pure(ABC):
    """What all pure protocols share.

    Each says what its items and exact chances are, and lists the law of a report in words.
    """

    items: int

    continuous = False  # whether reports have a density, so that ε is that of exact reals
    sampling: float | Fraction = 1  # the chance that a user reports
    # whether the expected squared L2 error of all estimates depends on what the users hold: not
    # where each item is estimated by itself, its variance being linear in the share of holders
    expected_error_depends_on_truth = False

    # Whether a report answers one question about two items: then the estimates add up to 1, and
    # the second has the variance of the first.
    answers_one_question = False

    @property
    @abstractmethod
    def stated_epsilon(self) -> float | None:
        """The ε that it was made with; None where it was made with chances."""

    @abstractmethod
    def support_chance(self, value: int) -> Fraction:
        """The chance that a report of a holder of `value` supports item 1, by the report's law."""

    @abstractmethod
    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """The law of a report of a holder of item 1 or 2: what may happen, and its chance.

        Of many items, those two are listed and any one of the others, which are all alike.
        """

    @property
    @abstractmethod
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The chances p and q, from which coins are drawn."""

    @property
    def support_chances(self) -> tuple[float, float]:
        """The chances (p, q): a report supports the own item with p, any other with q."""
        p, q = self.exact_chances
        return float(p), float(q)

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Unbiased shares of the users who hold each item, shape (N,), not clipped.

        (supports / n - q) / (p - q). Raises `ValueError` for supports that so many users cannot
        give.
        """
        checks.whole("users", users, 1)
        counts = checks.whole_numbers("supports", supports, 0, users, self.items)
        return self.debiased(counts / users)

    def debiased(self, shares: npt.ArrayLike) -> Floats:
        """Unbiased shares of holders from shares of supporting reports; shape as given."""
        p, q = self.exact_chances
        return np.asarray((np.asarray(shares, dtype=np.float64) - float(q)) / real(p - q))

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """The exact variance of the estimated share of an item that `share` of the users hold.

        Array in, array out. (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)²), for users whose
        values are fixed.
        """
        checks.whole("users", users, 1)
        shares = checks.shares(share)
        holder, other = self._variances
        return (shares * holder + (1 - shares) * other) / users

    def count_variance(self, users: int) -> tuple[float, float]:
        """The variance of an estimated count, V₀ + slope · count, as (V₀, slope).

        V₀ = n q (1 - q) / (p - q)², and slope = (1 - p - q) / (p - q).
        """
        p, q = self.exact_chances
        checks.whole("users", users, 1)
        return real(users * q * (1 - q) / (p - q) ** 2), real((1 - p - q) / (p - q))

    @property
    def worst_variance(self) -> float:
        """The largest variance of any share, for one user: divide it by the number of users."""
        return max(self._variances)

    @property
    def _variances(self) -> tuple[float, float]:
        """What one user adds to n² times the variance: a holder of the item, and another."""
        p, q = self.exact_chances
        holder, other = ((chance * (1 - chance) / (p - q) ** 2) for chance in (p, q))
        return real(holder), real(other)


def few_items(items: int) -> int:
    """How many items are named one by one: all of them, or three where there are many."""
    return min(items, 3 if items > MOST_ITEMS else MOST_ITEMS)


def item_names(items: int, few: int, single: str, others: str) -> list[str]:
    """Names for the first items; the last, unless it is the last of all, stands for the others."""
    names = [single.format(item) for item in range(1, few + 1)]
    return names if few == items else [*names[:-1], others.format(f"{few}..{items}")]
