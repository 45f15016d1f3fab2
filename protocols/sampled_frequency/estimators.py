"""Estimators of frequencies from sampled reports.

Users all report with one probability π, or each with its own. All estimate shares of the users.
`direct` (the paper's c) is biased; `centred` (g) subtracts the expected noise of all users,
`per_report` (ĉ) that of the reports that came, `Ratio` scales to the reports that came.
`per_report` has the smaller variance of the two that the paper compares, for every π < 1: its
Theorem 3.5 says the reverse, because it drops the covariance of an item's count and the number of
reports. Where users have chances of their own, `pooled` (T) weighs all reports alike, and is
unbiased only if the chances do not go with the values, which Theorem 5.1 leaves out;
`horvitz_thompson` weighs a report by 1 / π_j and is unbiased always. With one chance they are g and
ĉ.

Two models of the data have different variances: *fixed*, the users' values being constants of which
a share f is the item, and *drawn* independently with probability f. Source: Biswas, Cormode and
Maple, sections 3 and 5; Horvitz and Thompson, *A Generalization of Sampling Without Replacement
From a Finite Universe*, 1952; exact variances are derived here.

Users with the same chance are a group. In formulas p and q are the chances of GRR, n_k and π_k the
size and the chance of group k, N_ki its reports of item i, S_k all its reports, n the number of
users and B = Σ n_k π_k.
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
    """The estimator (Σ_k w_k (N_ki - b S_k) - c) / (p - q).

    What a report adds is known beforehand, whatever others report. Where shares of holders are
    asked for, they are one share or those of the items, shape (N,), the same in every group, or
    those of every group, shape (K, N); data are fixed unless said otherwise.
    """

    sample: SamplingDesign
    weights: Floats  # w_k, shape (K,)
    centre: float  # b
    offset: float  # c

    def estimate(self, supports: npt.ArrayLike) -> Floats:
        """Estimated shares, shape (N,), from each group's supports.

        Supports have shape (K, N), or (N,) for a single group.
        """
        counts = self.sample.counted(supports)
        centred = counts - self.centre * counts.sum(axis=1, keepdims=True)
        return np.asarray((self.weights @ centred - self.offset) / self.sample.chances[2])

    def mean(self, share: npt.ArrayLike) -> Any:
        """The exact mean of the estimate."""
        _, q, gap = self.sample.chances
        reports = self._expected_reports
        own = np.tensordot(reports * self.weights, self.sample.by_group(share), 1)
        return own + (float(reports @ self.weights) * (q - self.centre) - self.offset) / gap

    def variance(self, share: npt.ArrayLike) -> Any:
        """The exact variance, data fixed.

        Σ_j w_k² π_k (m_j (1 - m_j) + (1 - π_k) (m_j - b)²) / (p - q)², m_j being p or q.
        """
        p, q, _ = self.sample.chances
        shares = self.sample.by_group(share)
        holders, others = (
            np.tensordot(self._spread(m), part, 1) for m, part in ((p, shares), (q, 1 - shares))
        )
        return holders + others

    def drawn_variance(self, share: npt.ArrayLike) -> Any:
        """The exact variance, data drawn.

        Reports are independent, with m = f p + (1 - f) q for every user.
        """
        _, q, gap = self.sample.chances
        m = q + self.sample.by_group(share) * gap
        sizes = (slice(None), *[np.newaxis] * (m.ndim - 1))
        return np.sum(self._spread(m, sizes), axis=0)

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds: Var* of Theorems 3.2 and 5.1 for g and T."""
        return float(self.variance(0.0))

    @property
    def _expected_reports(self) -> Floats:
        """n_k π_k, the reports that are expected of each group."""
        return self.sample.members * self.sample.sampling

    def _spread(self, m: Any, shape: Any = slice(None)) -> Any:
        """What each group's reports, which name the item with chance m, add to the variance.

        Shape (K, ...).
        """
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
    """c, which takes silent users for users who hold nothing; biased.

    (N_i - n q) / (n (p - q)).
    """
    return Linear(sample, np.full(len(sample.members), 1 / sample.users), 0.0, sample.chances[1])


def pooled(sample: SamplingDesign) -> Linear:
    """T: (N_i - q B) / (B (p - q)).

    It estimates the share of the budget B that the holders of an item have.
    """
    return Linear(sample, np.full(len(sample.members), 1 / sample.budget), 0.0, sample.chances[1])


def centred(sample: SamplingDesign) -> Linear:
    """g, T where all have one chance: (N_i - n π q) / (n π (p - q)).

    It is unbiased; its shares add up to 1 on average only. Raises `ValueError` where users have
    different chances.
    """
    _ = sample.common
    return pooled(sample)


def horvitz_thompson(sample: SamplingDesign) -> Linear:
    """Σ_k (N_ki - S_k q) / (n π_k (p - q)); unbiased, whoever has which chance."""
    return Linear(sample, 1 / (sample.users * sample.sampling), sample.chances[1], 0.0)


def per_report(sample: SamplingDesign) -> Linear:
    """ĉ, Horvitz and Thompson's where all have one chance: (N_i - S q) / (n π (p - q)).

    Its shares add up to S / (n π). Raises `ValueError` where users have different chances.
    """
    _ = sample.common
    return horvitz_thompson(sample)


@attrs.frozen(eq=False)
class Ratio:
    """The unsampled estimate from the reports that came: (N_i / S - q) / (p - q).

    Needs no π; not in the paper. Given their number, those who report are a uniform subset of the
    users, and the estimate is unbiased; so means and variances are those of runs in which somebody
    reports. Raises `ValueError` unless all have the same chance.
    """

    sample: SamplingDesign

    def __attrs_post_init__(self) -> None:
        _ = self.sample.common

    def estimate(self, supports: npt.ArrayLike) -> Floats:
        """Unbiased shares, shape (N,), which add up to 1.

        Raises `ValueError` when there is no report.
        """
        _, q, gap = self.sample.chances
        counts = self.sample.counted(supports).sum(axis=0)
        if not counts.sum():
            raise ValueError(
                "the ratio estimator divides by the number of reports, and there is none: "
                "use per-report"
            )
        return np.asarray((counts / counts.sum() - q) / gap)

    def mean(self, share: npt.ArrayLike) -> Any:
        """The mean of the estimate: the share of holders."""
        return self.sample.total(share)

    def variance(self, share: npt.ArrayLike) -> Any:
        """The exact variance, data fixed.

        Of S reports, the noise has (f p (1 - p) + (1 - f) q (1 - q)) / (S (p - q)²), and the choice
        of the reporters f (1 - f) (n - S) / (S (n - 1)); both averaged over S >= 1.
        """
        (p, q, gap), users, f = self.sample.chances, self.sample.users, self.sample.total(share)
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / gap**2
        choice = f * (1 - f) / max(users - 1, 1)
        return (noise + choice * users) * self._inverse - choice

    def drawn_variance(self, share: npt.ArrayLike) -> Any:
        """The exact variance, data drawn.

        Reports are independent, with m = f p + (1 - f) q for every user.
        """
        _, q, gap = self.sample.chances
        mu = q + self.sample.total(share) * gap
        return mu * (1 - mu) / gap**2 * self._inverse

    def asymptotic_variance(self, share: npt.ArrayLike) -> Any:
        """What `variance` comes to where many reports are expected.

        (f p (1 - p) + (1 - f) q (1 - q) + (1 - π) f (1 - f) (p - q)²) / (n π (p - q)²). The
        exact one is larger, by a share of at most about 1 / (n π).
        """
        (p, q, gap), f = self.sample.chances, self.sample.total(share)
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / gap**2
        choice = (1 - self.sample.common) * f * (1 - f)
        return (noise + choice) / (self.sample.users * self.sample.common)

    @property
    def approximate_variance(self) -> float:
        """The variance of an item that nobody holds."""
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
    """The mean of 1 / S for a binomial S that is not 0; relative error below 1e-10.

    Over counts whose deviation is large every 32nd part of it stands for those beside it: a sum
    over equal steps of what is nearly a normal density errs by exp(-2π² 32²), which is nothing.
    """
    if chance == 1:
        return 1 / trials
    # counts further than `reach` from the centre have less than 1e-50
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
