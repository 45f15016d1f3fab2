"""Estimators of frequencies from sampled reports, when every user j reports with a probability π_j of its own.

`Pooled` (the paper's T) weighs all reports alike. It is unbiased only where the chances do not go with the values, or
the values are drawn independently after the chances were fixed: the paper's Theorem 5.1 leaves that out.
`HorvitzThompson` weighs a report by 1 / π_j and is unbiased always. Both estimate shares of the users. Source: Biswas,
Cormode and Maple, section 5; Horvitz and Thompson, *A Generalization of Sampling Without Replacement From a Finite
Universe*, 1952.

In formulas p and q are the chances of GRR, m_j is p for holders of the item and q for others, n the number of users and
B = Σ π_j.
"""

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local import checks
from protocols.local.grr import GRR
from protocols.local.sampled import NONE, own_chances, report_bytes
from protocols.local.sampled_estimators import Sample

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def _doubles(given: npt.ArrayLike) -> Floats:
    return np.array(given, dtype=np.float64)


@attrs.frozen(eq=False)
class PersonalSample:
    """What all who estimate know: the response of those who report, and how often each user does."""

    response: GRR
    sampling: Floats = attrs.field(converter=_doubles)  # π_j, shape (n,)

    def __attrs_post_init__(self) -> None:
        own_chances(self.sampling, self.sampling.size)
        checks.whole("users", self.users, 1)

    @property
    def users(self) -> int:
        """How many users there are."""
        return self.sampling.size

    @property
    def budget(self) -> float:
        """B, the expected number of reports."""
        return float(self.sampling.sum())

    @property
    def expected_bytes(self) -> float:
        """What the users send on average, without frames: B reports, each of them whole bytes."""
        return self.budget * report_bytes(self.response)

    @property
    def chances(self) -> tuple[float, float, float]:
        """The response's p, q and p - q."""
        return Sample(self.response, self.users, 1.0).chances

    def reported(self, reports: npt.ArrayLike) -> Ints:
        """The reports, shape (n,), 0 of a user who sent none. Raises `ValueError` for one outside 0..N."""
        return checks.whole_numbers("reports", reports, NONE, self.response.items, self.users)

    def holders(self, values: npt.ArrayLike, item: int) -> npt.NDArray[np.bool_]:
        """Which users hold an item, given what they all hold; shapes (n,)."""
        checks.whole("item", item, 1, self.response.items)
        return np.asarray(checks.whole_numbers("values", values, 1, self.response.items, self.users) == item)


@attrs.frozen
class Pooled:
    """T: (N_i - q B) / (B (p - q))."""

    sample: PersonalSample

    def estimate(self, reports: npt.ArrayLike) -> Floats:
        """Estimated shares, shape (N,), from the reports, shape (n,), 0 of a user who sent none."""
        given = self.sample.reported(reports)
        counts = self.sample.response.supports(given[given != NONE])
        _, q, gap = self.sample.chances
        return np.asarray((counts / self.sample.budget - q) / gap)

    def mean(self, values: npt.ArrayLike, item: int) -> float:
        """What is estimated on average, data fixed: the share of the budget that holders of the item have."""
        return float(self.sample.sampling[self.sample.holders(values, item)].sum() / self.sample.budget)

    def variance(self, values: npt.ArrayLike, item: int) -> float:
        """The exact variance, data fixed: Σ π_j m_j (1 - π_j m_j) / (B (p - q))²."""
        p, q, _ = self.sample.chances
        return float(self._spread(np.where(self.sample.holders(values, item), p, q)))

    def drawn_variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance of items that each user holds with such a probability, data drawn; array in, array out."""
        _, q, gap = self.sample.chances
        return self._spread((q + np.asarray(checks.shares(held)) * gap)[..., np.newaxis])

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds: (q B - q² Σ π_j²) / (B (p - q))²."""
        return float(self.drawn_variance(0.0))

    def _spread(self, chances: Any) -> Any:
        sent = self.sample.sampling * chances
        _, _, gap = self.sample.chances
        return np.sum(sent * (1 - sent), axis=-1) / (self.sample.budget * gap) ** 2


@attrs.frozen
class HorvitzThompson:
    """The sum over the reports of ([report = i] - q) / (n π_j (p - q))."""

    sample: PersonalSample

    def estimate(self, reports: npt.ArrayLike) -> Floats:
        """Unbiased shares, shape (N,), from the reports, shape (n,), 0 of a user who sent none."""
        given = self.sample.reported(reports)
        weights = np.where(given != NONE, 1 / self.sample.sampling, 0.0)
        counts = np.bincount(given, weights=weights, minlength=self.sample.response.items + 1)[1:]
        _, q, gap = self.sample.chances
        return np.asarray((counts - q * weights.sum()) / (self.sample.users * gap))

    def mean(self, values: npt.ArrayLike, item: int) -> float:
        """What is estimated on average: the share of the users who hold the item."""
        return float(self.sample.holders(values, item).mean())

    def variance(self, values: npt.ArrayLike, item: int) -> float:
        """The exact variance, data fixed: Σ ((m_j (1 - m_j) + (m_j - q)²) / π_j - (m_j - q)²) / (n (p - q))²."""
        p, q, gap = self.sample.chances
        m = np.where(self.sample.holders(values, item), p, q)
        signal = (m - q) ** 2
        return float(np.sum((m * (1 - m) + signal) / self.sample.sampling - signal) / (self.sample.users * gap) ** 2)

    def drawn_variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance of items that each user holds with such a probability, data drawn; array in, array out.

        Reports are then independent with m = μ for every user.
        """
        _, q, gap = self.sample.chances
        mu = (q + np.asarray(checks.shares(held)) * gap)[..., np.newaxis]
        terms = (mu * (1 - mu) + (mu - q) ** 2) / self.sample.sampling - (mu - q) ** 2
        return np.sum(terms, axis=-1) / (self.sample.users * gap) ** 2

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds: q (1 - q) Σ 1 / π_j / (n (p - q))²."""
        return float(self.drawn_variance(0.0))
