"""The noise of estimated counts, and thresholds that follow from the noise alone.

Consider n users of a pure mechanism with the probabilities p and q (`protocols.mechanisms.pure`).
The estimated count of an item that f users hold is unbiased, and for many users nearly normal. The
variance of this estimate is V₀ + f (1 - p - q) / (p - q), where V₀ = n q (1 - q) / (p - q)². Jia
and Gong, *Calibrate*, Eq. 14, give V₀ alone and say that the variance does not depend on the item;
V₀ is the variance for an item that nobody holds. The significance threshold of Jia and Gong (Eq.
22) tests the hypothesis that nobody holds an item.
"""

import math
from statistics import NormalDist
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.pure import Pure
from simnet.arrays import Floats

BETA = 0.05  # the paper's β of the significance threshold


@attrs.frozen
class Noise:
    """The noise of an estimated count: normal, unbiased, with variance `floor + slope * count`.

    `users` is n >= 1, `floor` is V₀ > 0, and `slope` is above 0 if p + q < 1. Raises `ValueError`
    for fewer than one user, for a V₀ that is not positive and finite, and for a slope that gives an
    item that everybody holds a negative or infinite variance.

    >>> from protocols import OUE
    >>> noise = Noise.of(OUE(epsilon=1.0, items=10), users=1000)
    >>> round(noise.deviation, 1), round(noise.threshold(items=10), 1)
    (60.7, 156.3)
    """

    users: int  # n >= 1
    floor: float  # V₀ > 0
    slope: float = 0.0  # positive if p + q < 1

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        for name, value in (("floor", self.floor), ("slope", self.slope)):
            checks.number(name, value)
        if not 0 < self.floor < math.inf:
            raise ValueError(
                "noise has a positive and finite variance for an item that nobody holds, got "
                f"{self.floor}"
            )
        if not -self.floor * (1 + 1e-9) <= self.slope * self.users < math.inf:
            raise ValueError(
                "the variance of the estimate of an item that everybody holds is finite and not "
                f"negative, got slope={self.slope}"
            )

    @classmethod
    def of(cls, mechanism: Pure, users: int) -> "Noise":
        """Return the noise of counts that are estimated from the reports of this many users.

        Raises `ValueError` for a mechanism with q = 0: no report supports an item that nobody
        holds, so the estimate of this item has no noise.
        """
        return cls(users, *mechanism.count_variance(users))

    @property
    def deviation(self) -> float:
        """The standard deviation for an item that nobody holds, σ = √V₀."""
        return math.sqrt(self.floor)

    @property
    def alike(self) -> "Noise":
        """This noise, but with the variance V₀ for every item, as the paper assumes."""
        return attrs.evolve(self, slope=0.0)

    def variance(self, counts: npt.ArrayLike) -> Any:
        """Return the variance of the estimates of items with these numbers of holders.

        A number gives a number, an array an array.
        """
        return self.floor + self.slope * np.asarray(counts, dtype=np.float64)[()]

    def threshold(self, items: int, beta: float = BETA) -> float:
        """Return the estimated count from which an item is significant: Φ⁻¹(1 - β / N) √V₀, Eq. 22.

        If nobody holds any of the N items and the noise is normal, the probability that at least
        one estimated count exceeds the threshold is at most β. Raises `ValueError` unless N >= 2
        and 0 < β < N / 2.
        """
        checks.whole("items", items, 2)
        checks.number("beta", beta)
        if not 0 < beta < items / 2:
            raise ValueError(
                f"beta lies between 0 and half the number of items, {items / 2:g}, got {beta}"
            )
        return -NormalDist().inv_cdf(beta / items) * self.deviation


def zeroed(counts: npt.ArrayLike, threshold: float) -> Floats:
    """Return the estimated counts, with 0 in place of counts below the threshold.

    Source: OUE-Zero, Wang et al., 2017, section 5.4. Raises `ValueError` if a count or the
    threshold is NaN.
    """
    checks.number("threshold", threshold)
    if math.isnan(threshold):
        raise ValueError("threshold is a number of users, got nan")
    estimates = checks.as_doubles("estimated counts", counts)
    if np.isnan(estimates).any():
        raise ValueError("estimated counts are numbers, got nan")
    return np.where(estimates < threshold, 0.0, estimates)
