"""The accuracy of frequencies from sampled reports, for fixed inputs.

The module computes intervals, and the mean and the standard deviation of the squared error, for
randomised response and for unary encodings. Means and variances are exact. A reader of the
estimates does not know the items of each group, so the intervals assume the same share of holders
in every group.
"""

from math import nan, sqrt

import attrs
import numpy as np

from protocols.checks import ROUNDING
from protocols.reports.accuracy import score_interval, squared_trace
from protocols.sampled_frequency.estimators import Linear, Ratio
from simnet.arrays import Floats
from simnet.stated.assessment import Assessment


def assess_sampled(
    estimator: Linear | Ratio, estimate: Floats, shares: Floats, confidence: float
) -> Assessment:
    """Compare estimates, shape (N,), with the true shares.

    `shares` are the shares of each group that hold each item; shape (K, N). The deviation of the
    ratio estimator's squared error is not known and is NaN. The estimator `direct` may
    be biased even if all groups have the same shares; its intervals are those of the estimate
    without this bias.
    """
    sample = estimator.sample
    truth, variance = sample.total(shares), estimator.variance(shares)
    none, slope = float(estimator.mean(0.0)), float(estimator.mean(1.0) - estimator.mean(0.0))
    unbiased = (estimate - none) / slope
    low, high = score_interval(
        lambda share, _: estimator.variance(share) / slope**2, unbiased, sample.users, confidence
    )
    if isinstance(estimator, Linear):
        error = SquaredError(estimator, shares)
        expected, deviation = error.mean, error.deviation
    else:
        expected, deviation = float(variance.sum()), nan
    estimated = estimator.variance(np.minimum(np.maximum(unbiased, 0), 1))
    return Assessment(
        estimate=estimate,
        truth=truth,
        low=low,
        high=high,
        confidence=confidence,
        expected_squared_l2=expected,
        deviation_squared_l2=deviation,
        variance=variance,
        estimated_variance=estimated,
        bias_removed=abs(none) > ROUNDING or abs(slope - 1) > ROUNDING,
    )


@attrs.frozen(eq=False)
class SquaredError:
    """Mean and deviation of the squared L2 error of a linear estimator, for given shares of
    holders.

    The error is the sum of its mean, the bias b, and one independent centred vector Y_j for each
    user. Let C_j be the covariance of Y_j and C the sum of all C_j. The squared error has mean |b|²
    + tr C and variance Σ Var |Y_j|² + 2 (tr C² - Σ tr C_j²) + 4 bᵀ C b + 4 Σ E[|Y_j|² b·Y_j].
    """

    estimator: Linear
    shares: Floats  # the share of each group that holds each item; shape (K, N)

    @property
    def bias(self) -> Floats:
        """The bias b; shape (N,)."""
        return np.asarray(
            self.estimator.mean(self.shares) - self.estimator.sample.total(self.shares)
        )

    @property
    def mean(self) -> float:
        """The expected squared error."""
        return float(self.bias @ self.bias + self.estimator.variance(self.shares).sum())

    @property
    def deviation(self) -> float:
        """The standard deviation of the squared error."""
        sample, bias = self.estimator.sample, self.bias
        scale = self.estimator.weights / sample.chances[2]
        group_of = _Group if sample.has_single_items else _UnaryGroup
        groups = [
            group_of(*sample.chances, float(a), self.estimator.centre, float(pi), holders)
            for a, pi, holders in zip(
                scale, sample.sampling, self.shares * sample.members[:, np.newaxis], strict=True
            )
        ]
        diagonal, cross = (
            np.sum(parts, axis=0)
            for parts in zip(*(group.covariance for group in groups), strict=True)
        )
        total = sum(group.own for group in groups) + 2 * squared_trace(diagonal, cross)
        total += 4 * (diagonal @ bias**2 + 2 * bias.sum() * (cross @ bias))
        total += 4 * sum(group.along(bias) for group in groups)
        return sqrt(max(float(total), 0.0))


@attrs.frozen(eq=False)
class _Group:
    """Users with the same probability π of a report by randomised response.

    X = a (e_r - b 1) for a report r, X = 0 for no report, and Y is X minus its mean. Here b is the
    centre of `Linear`, a is the group's weight divided by p - q, and `gap` is p - q.
    """

    p: float
    q: float
    gap: float
    a: float
    b: float
    sampling: float
    holders: Floats  # the number of holders of each item; shape (N,)

    @property
    def covariance(self) -> tuple[Floats, Floats]:
        """The vectors d and u, shapes (N,), where Σ Y_j has the covariance diag d + u 1ᵀ + 1 uᵀ."""
        q, b, pi, h = self.q, self.b, self.sampling, self.holders
        reports = (
            self.holders.sum() * q + self.gap * h
        )  # per item: the expected number of supporting reports if every user reported
        d = reports - pi * self.gap**2 * h
        u = (
            h.sum() * ((1 - pi) * b**2 - pi * q**2) / 2
            - (1 - pi) * b * reports
            - pi * q * self.gap * h
        )
        scale = self.a**2 * pi
        return scale * d, scale * u

    @property
    def own(self) -> float:
        """The sum Σ (Var |Y_j|² - 2 tr C_j²); its terms are equal for all users, whatever their
        items.
        """
        first = (np.arange(len(self.holders)) == 0).astype(np.float64)
        trace = squared_trace(*attrs.evolve(self, holders=first).covariance)
        chances, lengths = self._lengths
        return float(
            self.holders.sum() * (chances @ (lengths - chances @ lengths) ** 2 - 2 * trace)
        )

    @property
    def _lengths(self) -> tuple[Floats, Floats]:
        """The probabilities of the outcomes, and |Y|² for each of them, up to a common constant.

        The outcomes are a report of the user's own item, a report of another item, and no report.
        """
        p, q, b, pi, items = self.p, self.q, self.b, self.sampling, len(self.holders)
        report = self.a**2 * (1 - 2 * b + items * b**2)
        own, other = (report - 2 * self.a**2 * pi * (s - 2 * b + items * b**2) for s in (p, q))
        return np.array([pi * p, pi * (1 - p), 1 - pi]), np.array([own, other, 0.0])

    def along(self, bias: Floats) -> float:
        """Return Σ E[|Y_j|² bias·Y_j].

        We may leave out a constant in |Y_j|², because the mean of Y_j is 0.
        """
        (own, other, _), items, total = self._lengths[1], len(self.holders), bias.sum()
        # bias·E[X], by own item
        mean = self.a * self.sampling * (self.q * total + self.gap * bias - self.b * total)
        own_part = self.p * own * (self.a * (bias - self.b * total) - mean)
        other_part = self.a * (total - bias - (items - 1) * self.b * total) - (items - 1) * mean
        return float(self.holders @ (self.sampling * (own_part + self.q * other * other_part)))


@attrs.frozen(eq=False)
class _UnaryGroup:
    """Users with the same probability π of a report by a unary encoding.

    X = a (r - b 1) for a report with the bits r, X = 0 for no report, and Y is X minus its mean; a,
    b and `gap` are as in `_Group`. The bits of a report are independent. The means of the bits,
    minus b, are the vector μ = (q - b) 1 + (p - q) e_i for a holder of item i.
    """

    p: float
    q: float
    gap: float
    a: float
    b: float
    sampling: float
    holders: Floats  # the number of holders of each item; shape (N,)

    @property
    def covariance(self) -> tuple[Floats, Floats]:
        """The vectors d and u, shapes (N,), where Σ Y_j has the covariance diag d + u 1ᵀ + 1 uᵀ.

        One user has the covariance a² π (diag m (1 - m) + (1 - π) μ μᵀ), where m are the means of
        its bits.
        """
        h, silent = self.holders, 1 - self.sampling
        below = self.q - self.b
        own, other = self._bit_variances
        d = h.sum() * other + h * (own - other + silent * self.gap**2)
        u = silent * (h.sum() * below**2 / 2 + below * self.gap * h)
        scale = self.a**2 * self.sampling
        return scale * d, scale * u

    @property
    def own(self) -> float:
        """The sum Σ (Var |Y_j|² - 2 tr C_j²); its terms are equal for all users, whatever their
        items.
        """
        first = (np.arange(len(self.holders)) == 0).astype(np.float64)
        trace = squared_trace(*attrs.evolve(self, holders=first).covariance)
        own, other = self._bit_variances
        (by_own, by_other), others = self._steps, len(self.holders) - 1
        sent = by_own**2 * own + others * by_other**2 * other  # Var |Y|², given a report
        pi = self.sampling
        spread = pi * sent + pi * (1 - pi) * self._excess**2
        return float(self.holders.sum() * (spread - 2 * trace))

    def along(self, bias: Floats) -> float:
        """Return Σ E[|Y_j|² bias·Y_j]."""
        own, other = self._bit_variances
        (by_own, by_other), pi, total = self._steps, self.sampling, bias.sum()
        given_report = by_own * own * bias + by_other * other * (total - bias)
        mean = (self.q - self.b) * total + self.gap * bias  # bias·μ, by own item
        return float(self.holders @ (pi * self.a * (given_report + (1 - pi) * self._excess * mean)))

    @property
    def _bit_variances(self) -> tuple[float, float]:
        """The variances of two bits of a report: that of the user's own item, and another one."""
        return self.p * (1 - self.p), self.q * (1 - self.q)

    @property
    def _steps(self) -> tuple[float, float]:
        """By how much |Y|² grows if the bit of the user's own item is 1 and not 0, and the same for
        another bit.
        """
        own, other = (self.b + self.sampling * (m - self.b) for m in (self.p, self.q))
        return self.a**2 * (1 - 2 * own), self.a**2 * (1 - 2 * other)

    @property
    def _excess(self) -> float:
        """The mean of |Y|² given a report, minus |Y|² without a report."""
        total, count = 0.0, len(self.holders) - 1
        for m, bits in ((self.p, 1), (self.q, count)):
            away = m - self.b
            sent = m * (1 - m) + ((1 - self.sampling) * away) ** 2
            total += bits * (sent - (self.sampling * away) ** 2)
        return self.a**2 * total
