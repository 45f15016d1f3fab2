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


class Pure(ABC):
    """What all pure protocols share; each says what `exact_chances` and `items` are."""

    items: int

    continuous = False  # whether reports have a density, so that ε is that of exact reals
    sampling: float | Fraction = 1  # the chance that a user reports

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
        """Unbiased shares of the users who hold each item, shape (N,), not clipped: (supports / n -
        q) / (p - q).

        Raises `ValueError` for supports that so many users cannot give.
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

    @property
    def worst_variance(self) -> float:
        """The largest variance of any share, for one user: divide it by the number of users."""
        return max(self._variances)

    @property
    def _variances(self) -> tuple[float, float]:
        """What one user adds to n² times the variance, when it holds the item and when it does
        not.
        """
        p, q = self.exact_chances
        holder, other = ((chance * (1 - chance) / (p - q) ** 2) for chance in (p, q))
        return real(holder), real(other)
