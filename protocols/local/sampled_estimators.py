"""Estimators of frequencies from sampled reports, when all users report with the same probability π.

All estimate shares of the users. `Direct` (the paper's c) is biased; `Centred` (g) subtracts the expected noise of all
users, `PerReport` (ĉ) that of the reports that came, `Ratio` scales to the reports that came. `PerReport` has the
smaller variance of the two that the paper compares, for every π < 1: its Theorem 3.5 says the reverse, because it drops
the covariance of an item's count and the number of reports. Two models of the data have different variances: *fixed*,
the users' values being constants of which a share f is the item, and *drawn* independently with probability f.
Source: Biswas, Cormode and Maple, section 3; exact variances are derived here.

In formulas p and q are the chances of GRR, μ = f p + (1 - f) q, and n the number of users.
"""

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local import checks
from protocols.local.grr import GRR
from protocols.local.odds import real
from protocols.secure.checks import probability

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@attrs.frozen
class Sample:
    """What all who estimate know: the response of those who report, how many users there are and how often one does."""

    response: GRR
    users: int  # n >= 1
    sampling: float  # π, 0 < π <= 1

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        probability("sampling", self.sampling)

    def counted(self, supports: npt.ArrayLike) -> Ints:
        """How many reports name each item, shape (N,). Raises `ValueError` for more reports than users."""
        counts = checks.whole_numbers("supports", supports, 0, self.users, self.response.items)
        if counts.sum() > self.users:
            raise ValueError(f"{self.users} users send at most as many reports, got {counts.sum()}")
        return counts

    @property
    def chances(self) -> tuple[float, float, float]:
        """The response's p, q and p - q."""
        p, q = self.response.exact_chances
        return float(p), float(q), real(p - q)


@attrs.frozen
class Direct:
    """c, which takes the users who are silent for users who hold nothing: (N_i - n q) / (n (p - q))."""

    sample: Sample

    def estimate(self, supports: npt.ArrayLike) -> Floats:
        """Estimated shares, shape (N,), biased unless π = 1."""
        _, q, gap = self.sample.chances
        return np.asarray((self.sample.counted(supports) / self.sample.users - q) / gap)

    def mean(self, held: npt.ArrayLike) -> Any:
        """What is estimated on average of an item that a share of the users holds: f π - q (1 - π) / (p - q)."""
        _, q, gap = self.sample.chances
        return checks.shares(held) * self.sample.sampling - q * (1 - self.sample.sampling) / gap

    def variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data fixed."""
        return Centred(self.sample).variance(held) * self.sample.sampling**2

    def drawn_variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data drawn."""
        return Centred(self.sample).drawn_variance(held) * self.sample.sampling**2

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds."""
        return float(self.variance(0.0))


@attrs.frozen
class Centred:
    """g, which subtracts the noise expected of all users: (N_i - n π q) / (n π (p - q))."""

    sample: Sample

    def estimate(self, supports: npt.ArrayLike) -> Floats:
        """Unbiased shares, shape (N,), which add up to 1 on average only."""
        _, q, gap = self.sample.chances
        counts, sampling = self.sample.counted(supports), self.sample.sampling
        return np.asarray((counts / (self.sample.users * sampling) - q) / gap)

    def mean(self, held: npt.ArrayLike) -> Any:
        """What is estimated on average: the share held."""
        return checks.shares(held)

    def variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data fixed: (f p (1 - π p) + (1 - f) q (1 - π q)) / (n π (p - q)²)."""
        (p, q, gap), sampling, f = self.sample.chances, self.sample.sampling, checks.shares(held)
        spread = f * p * (1 - sampling * p) + (1 - f) * q * (1 - sampling * q)
        return spread / (self.sample.users * sampling * gap**2)

    def drawn_variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data drawn: μ (1 - π μ) / (n π (p - q)²)."""
        (_, q, gap), sampling = self.sample.chances, self.sample.sampling
        mu = q + checks.shares(held) * gap
        return mu * (1 - sampling * mu) / (self.sample.users * sampling * gap**2)

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds, Var* of Theorem 3.2: (q - q² π) / (n π (p - q)²)."""
        return float(self.variance(0.0))


@attrs.frozen
class PerReport:
    """ĉ, which subtracts the noise of the reports that came: (N_i - S q) / (n π (p - q))."""

    sample: Sample

    def estimate(self, supports: npt.ArrayLike) -> Floats:
        """Unbiased shares, shape (N,), which add up to S / (n π)."""
        _, q, gap = self.sample.chances
        counts = self.sample.counted(supports)
        return np.asarray((counts - counts.sum() * q) / (self.sample.users * self.sample.sampling * gap))

    def mean(self, held: npt.ArrayLike) -> Any:
        """What is estimated on average: the share held."""
        return checks.shares(held)

    def variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data fixed.

        (f (p (1 - p) + (1 - π) (p - q)²) + (1 - f) q (1 - q)) / (n π (p - q)²).
        """
        (p, q, gap), sampling, f = self.sample.chances, self.sample.sampling, checks.shares(held)
        spread = f * (p * (1 - p) + (1 - sampling) * gap**2) + (1 - f) * q * (1 - q)
        return spread / (self.sample.users * sampling * gap**2)

    def drawn_variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data drawn: (μ (1 - μ) + (1 - π) (μ - q)²) / (n π (p - q)²)."""
        (_, q, gap), sampling = self.sample.chances, self.sample.sampling
        mu = q + checks.shares(held) * gap
        spread = mu * (1 - mu) + (1 - sampling) * (mu - q) ** 2
        return spread / (self.sample.users * sampling * gap**2)

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds: q (1 - q) / (n π (p - q)²)."""
        return float(self.variance(0.0))


@attrs.frozen
class Ratio:
    """The unsampled estimate from the reports that came: (N_i / S - q) / (p - q). Needs no π; not in the paper.

    Given their number, those who report are a uniform subset of the users, and the estimate is unbiased; so means and
    variances are those of runs in which somebody reports.
    """

    sample: Sample

    def estimate(self, supports: npt.ArrayLike) -> Floats:
        """Unbiased shares, shape (N,), which add up to 1. Raises `ValueError` when there is no report."""
        _, q, gap = self.sample.chances
        counts = self.sample.counted(supports)
        if not counts.sum():
            raise ValueError("the ratio estimator divides by the number of reports, and there is none: use PerReport")
        return np.asarray((counts / counts.sum() - q) / gap)

    def mean(self, held: npt.ArrayLike) -> Any:
        """What is estimated on average: the share held."""
        return checks.shares(held)

    def variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data fixed.

        Of S reports, the noise has (f p (1 - p) + (1 - f) q (1 - q)) / (S (p - q)²), and the choice of the reporters
        f (1 - f) (n - S) / (S (n - 1)); both averaged over S >= 1.
        """
        (p, q, gap), users, f = self.sample.chances, self.sample.users, checks.shares(held)
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / gap**2
        choice = f * (1 - f) / max(users - 1, 1)
        return (noise + choice * users) * self._inverse - choice

    def drawn_variance(self, held: npt.ArrayLike) -> Any:
        """The exact variance, data drawn: μ (1 - μ) / (S (p - q)²), averaged over S >= 1."""
        _, q, gap = self.sample.chances
        mu = q + checks.shares(held) * gap
        return mu * (1 - mu) / gap**2 * self._inverse

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds."""
        return float(self.variance(0.0))

    @property
    def _inverse(self) -> float:
        return mean_inverse(self.sample.users, float(self.sample.sampling))


def mean_inverse(trials: int, chance: float) -> float:
    """The mean of 1 / S for a binomial S that is not 0; relative error below 1e-10."""
    from scipy.special import gammaln, xlog1py, xlogy  # here, not above: it takes a while to load

    centre, reach = trials * chance, 40 * (trials * chance * (1 - chance)) ** 0.5 + 40  # beyond is less than 1e-50
    counts = np.arange(max(1, int(centre - reach)), min(trials, int(centre + reach)) + 1, dtype=np.float64)
    rest = trials - counts
    logs = xlogy(counts, chance) + xlog1py(rest, -chance) - gammaln(counts + 1) - gammaln(rest + 1)
    weights = np.exp(logs - logs.max())
    return float(np.sum(weights / counts) / np.sum(weights))
