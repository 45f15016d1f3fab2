"""Estimators of frequencies from sampled reports.

All users report with one probability π, or each user with its own. All estimators estimate shares
of the users:

- `direct` (the paper's c) is biased if users may stay silent.
- `centred` (g) subtracts the expected noise of all users.
- `per_report` (ĉ) subtracts the expected noise of the reports that arrived.
- `Ratio` scales to the number of reports that arrived.
- `pooled` (T) is for users with different probabilities and weighs all reports equally.
- `horvitz_thompson` is for users with different probabilities and weighs a report by 1 / π_j.

Of g and ĉ, which the paper compares, ĉ has the smaller variance if π < 1 and q > 0. The paper's
Theorem 3.5 says the reverse, because it drops the covariance of an item's count and the number of
reports. T is unbiased only if the probabilities are not related to the values, a condition that
Theorem 5.1 leaves out; `horvitz_thompson` needs no such condition. With one probability for all
users, T is g, and `horvitz_thompson` is ĉ.

Two models of the data have different variances. *Fixed*: the users' values are constants, and a
share f of the users hold the item. *Drawn*: each user holds the item independently with probability
f.

Source: Biswas, Cormode and Maple, sections 3 and 5; Horvitz and Thompson, *A Generalization of
Sampling Without Replacement From a Finite Universe*, 1952; exact variances are derived here.

All users of a group have the same probability. In formulas p and q are the probabilities that a
report supports the user's own item, and a given other item, n_k and π_k the size and the
probability of group k, N_ki the number of its reports that support item i, S_k the number of all
its reports, n the number of users and B = Σ n_k π_k. Means and variances of one item's estimate
depend on the response, GRR or a unary encoding, through p and q alone.
"""

from collections.abc import Callable
from math import ceil, floor
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.privacy.binomial import log_pmf
from protocols.sampled_frequency.sampling_design import SamplingDesign
from simnet.arrays import Floats


@attrs.frozen(eq=False)
class Linear:
    """The estimator (Σ_k w_k (N_ki - b S_k) - a) / (p - q).

    Shares of holders that are equal in every group are one number or an array of shape (N,). Shares
    of each group are an array of shape (K, N). Data are fixed unless a method says otherwise.
    """

    sample: SamplingDesign
    weights: Floats  # w_k, shape (K,)
    centre: float  # b
    offset: float  # a

    def estimate(self, supports: npt.ArrayLike, reports: npt.ArrayLike | None = None) -> Floats:
        """Return the estimated shares, shape (N,), from each group's supports.

        Supports have shape (K, N), or (N,) for a single group. For a unary encoding the numbers of
        reports, shape (K,), are needed too.
        """
        counts, came = self.sample.counted(supports, reports)
        centred = counts - self.centre * came[:, np.newaxis]
        return np.asarray((self.weights @ centred - self.offset) / self.sample.chances[2])

    def mean(self, share: npt.ArrayLike) -> Any:
        """Return the exact mean of the estimate."""
        _, q, gap = self.sample.chances
        reports = self._expected_reports
        own = np.tensordot(reports * self.weights, self.sample.by_group(share), 1)
        return own + (float(reports @ self.weights) * (q - self.centre) - self.offset) / gap

    def variance(self, share: npt.ArrayLike) -> Any:
        """Return the exact variance for fixed data.

        The variance is the sum of w_k² π_k (m_j (1 - m_j) + (1 - π_k) (m_j - b)²) / (p - q)² over
        the users j, where m_j is p for a holder of the item and q for another user.
        """
        p, q, _ = self.sample.chances
        shares = self.sample.by_group(share)
        holders, others = (
            np.tensordot(self._spread(m), part, 1) for m, part in ((p, shares), (q, 1 - shares))
        )
        return holders + others

    def drawn_variance(self, share: npt.ArrayLike) -> Any:
        """Return the exact variance for drawn data.

        Reports are independent, and a report supports the item with probability f p + (1 - f) q.
        """
        _, q, gap = self.sample.chances
        m = q + self.sample.by_group(share) * gap
        sizes = (slice(None), *[np.newaxis] * (m.ndim - 1))
        return np.sum(self._spread(m, sizes), axis=0)

    @property
    def approximate_variance(self) -> float:
        """The variance for an item that nobody holds: Var* of Theorems 3.2 and 5.1 for g and T."""
        return float(self.variance(0.0))

    @property
    def _expected_reports(self) -> Floats:
        return self.sample.members * self.sample.sampling

    def _spread(self, m: Any, shape: Any = slice(None)) -> Any:
        weights, sent, sampling = (
            part[shape] for part in (self.weights, self._expected_reports, self.sample.sampling)
        )
        return (
            weights**2
            * sent
            * (m * (1 - m) + (1 - sampling) * (m - self.centre) ** 2)
            / self.sample.chances[2] ** 2
        )


def direct(sample: SamplingDesign) -> Linear:
    """Return the paper's estimator c, which takes n for the number of reports. It is biased if
    users may stay silent.

    c = (N_i - n q) / (n (p - q)).
    """
    return Linear(sample, np.full(len(sample.members), 1 / sample.users), 0.0, sample.chances[1])


def pooled(sample: SamplingDesign) -> Linear:
    """Return T = (N_i - q B) / (B (p - q)).

    T estimates the share of B, the expected number of reports, that comes from holders.
    """
    return Linear(sample, np.full(len(sample.members), 1 / sample.budget), 0.0, sample.chances[1])


def centred(sample: SamplingDesign) -> Linear:
    """Return g = (N_i - n π q) / (n π (p - q)), which is T for one common probability.

    g is unbiased; its shares need not add up to 1. Raises `ValueError` if users have
    different probabilities.
    """
    _ = sample.common
    return pooled(sample)


def horvitz_thompson(sample: SamplingDesign) -> Linear:
    """Return Σ_k (N_ki - S_k q) / (n π_k (p - q)), which is unbiased for any probabilities."""
    return Linear(sample, 1 / (sample.users * sample.sampling), sample.chances[1], 0.0)


def per_report(sample: SamplingDesign) -> Linear:
    """Return ĉ = (N_i - S q) / (n π (p - q)), which is `horvitz_thompson` for one common
    probability.

    With randomised response, the estimated shares add up to S / (n π). Raises `ValueError` if users
    have different probabilities.
    """
    _ = sample.common
    return horvitz_thompson(sample)


@attrs.frozen(eq=False)
class Ratio:
    """The estimator for users who all report, applied to the reports that arrived: (N_i / S - q) /
    (p - q).

    The estimator needs no π, and is not in the paper. Given the number of reports, the reporters
    are a uniform subset of the users, and the estimate is unbiased. Means and variances are those
    of runs in which at least one user reports. Raises `ValueError` unless all users have the same
    probability.
    """

    sample: SamplingDesign

    def __attrs_post_init__(self) -> None:
        _ = self.sample.common

    def estimate(self, supports: npt.ArrayLike, reports: npt.ArrayLike | None = None) -> Floats:
        """Return unbiased shares, shape (N,); with randomised response these shares add up to 1.

        Raises `ValueError` if there is no report, and as `SamplingDesign.counted` does.
        """
        _, q, gap = self.sample.chances
        counts, came = (part.sum(axis=0) for part in self.sample.counted(supports, reports))
        if not came:
            raise ValueError(
                "the ratio estimator divides by the number of reports, which is 0: use per-report"
            )
        return np.asarray((counts / came - q) / gap)

    def mean(self, share: npt.ArrayLike) -> Any:
        """Return the mean of the estimate, which is the share of holders."""
        return self.sample.total(share)

    def variance(self, share: npt.ArrayLike) -> Any:
        """Return the exact variance for fixed data.

        For S reports the noise has variance (f p (1 - p) + (1 - f) q (1 - q)) / (S (p - q)²), and
        the choice of the reporters f (1 - f) (n - S) / (S (n - 1)). Both variances are averaged
        over S >= 1.
        """
        (p, q, gap), users, f = self.sample.chances, self.sample.users, self.sample.total(share)
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / gap**2
        choice = f * (1 - f) / max(users - 1, 1)
        return (noise + choice * users) * self._inverse - choice

    def drawn_variance(self, share: npt.ArrayLike) -> Any:
        """Return the exact variance for drawn data.

        Reports are independent, and a report supports the item with probability f p + (1 - f) q.
        """
        _, q, gap = self.sample.chances
        mu = q + self.sample.total(share) * gap
        return mu * (1 - mu) / gap**2 * self._inverse

    def asymptotic_variance(self, share: npt.ArrayLike) -> Any:
        """Return an approximation of `variance` for many expected reports.

        (f p (1 - p) + (1 - f) q (1 - q) + (1 - π) f (1 - f) (p - q)²) / (n π (p - q)²).
        """
        (p, q, gap), f = self.sample.chances, self.sample.total(share)
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / gap**2
        choice = (1 - self.sample.common) * f * (1 - f)
        return (noise + choice) / (self.sample.users * self.sample.common)

    @property
    def approximate_variance(self) -> float:
        """The variance for an item that nobody holds."""
        return float(self.variance(0.0))

    @property
    def _inverse(self) -> float:
        return mean_inverse(self.sample.users, self.sample.common)


Estimator = Callable[[SamplingDesign], Linear | Ratio]

ESTIMATORS: dict[str, Estimator] = {
    "per-report": per_report,
    "centred": centred,
    "ratio": Ratio,
    "direct": direct,
    "horvitz-thompson": horvitz_thompson,
    "pooled": pooled,
}


def mean_inverse(trials: int, chance: float) -> float:
    """Return the mean of 1 / S for a binomial S, given S > 0; the relative error is below 1e-10."""
    if chance == 1:
        return 1 / trials
    # counts further than `reach` from the centre have a probability below 1e-50
    centre, deviation = trials * chance, (trials * chance * (1 - chance)) ** 0.5
    reach = 40 * deviation + 40
    counts = np.arange(
        max(1, floor(centre - reach)),
        min(trials, ceil(centre + reach)) + 1,
        max(floor(deviation / 32), 1),
    )
    logs = log_pmf(counts, trials, chance)
    weights = np.exp(logs - logs.max())
    return float(np.sum(weights / counts) / np.sum(weights))
