"""How good frequencies from sampled reports are, with the data fixed.

There are intervals, and the law of the squared error. What is stated of means, variances and
squared errors is exact. Intervals are for a holder of the estimates, who does not know what each
group holds: they take the share of holders to be the same in every group.
"""

from math import nan, sqrt

import attrs
import numpy as np

from protocols.reports.accuracy import score_interval
from protocols.sampled_frequency.estimators import Linear, Ratio
from simnet.arrays import Floats
from simnet.stated.assessment import Assessment


def assess_sampled(
    estimator: Linear | Ratio, estimate: Floats, shares: Floats, confidence: float
) -> Assessment:
    """Hold estimates, shape (N,), against what users hold.

    `shares` are those of each group that hold each item, shape (K, N). The deviation of the
    squared error of the ratio is not known: NaN. Where an estimate is biased even with equal
    groups, as c is, its interval is that of the estimate freed of this bias.
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
    )


@attrs.frozen(eq=False)
class SquaredError:
    """The law of the squared L2 error of a linear estimator.

    The shares of each group that hold each item are given. The error is its mean, the bias b, and
    one independent centred vector Y_j a user. With C_j the covariance of Y_j and C their sum, the
    square has mean |b|² + tr C and variance Σ Var |Y_j|² + 2 (tr C² - Σ tr C_j²) + 4 bᵀ C b + 4 Σ
    E[|Y_j|² b·Y_j].
    """

    estimator: Linear
    shares: Floats  # of each group that hold each item, shape (K, N)

    @property
    def bias(self) -> Floats:
        """b, shape (N,)."""
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
        groups = [
            _Group(*sample.chances, float(a), self.estimator.centre, float(pi), holders)
            for a, pi, holders in zip(
                scale, sample.sampling, self.shares * sample.members[:, np.newaxis], strict=True
            )
        ]
        diagonal, cross = (
            np.sum(parts, axis=0)
            for parts in zip(*(group.covariance for group in groups), strict=True)
        )
        total = sum(group.own for group in groups) + 2 * _squared_trace(diagonal, cross)
        total += 4 * (diagonal @ bias**2 + 2 * bias.sum() * (cross @ bias))
        total += 4 * sum(group.along(bias) for group in groups)
        return sqrt(max(float(total), 0.0))


@attrs.frozen(eq=False)
class _Group:
    """Users with the same chance π.

    X = a (e_r - b 1) for a report r, 0 for none, and Y is X less its mean.
    """

    p: float
    q: float
    gap: float
    a: float
    b: float
    sampling: float
    holders: Floats  # of each item, shape (N,)

    @property
    def covariance(self) -> tuple[Floats, Floats]:
        """The covariance of the sum is diag d + u 1ᵀ + 1 uᵀ: d and u, shapes (N,)."""
        q, b, pi, h = self.q, self.b, self.sampling, self.holders
        reports = self.holders.sum() * q + self.gap * h  # of each item, if all reported
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
        """Σ (Var |Y_j|² - 2 tr C_j²): the same of every user, whatever the item."""
        first = (np.arange(len(self.holders)) == 0).astype(np.float64)
        trace = _squared_trace(*attrs.evolve(self, holders=first).covariance)
        chances, lengths = self._lengths
        return float(
            self.holders.sum() * (chances @ (lengths - chances @ lengths) ** 2 - 2 * trace)
        )

    @property
    def _lengths(self) -> tuple[Floats, Floats]:
        """|Y|² up to what all outcomes share, and its chances.

        Outcomes are the own item reported, another one, nothing.
        """
        p, q, b, pi, items = self.p, self.q, self.b, self.sampling, len(self.holders)
        report = self.a**2 * (1 - 2 * b + items * b**2)
        own, other = (report - 2 * self.a**2 * pi * (s - 2 * b + items * b**2) for s in (p, q))
        return np.array([pi * p, pi * (1 - p), 1 - pi]), np.array([own, other, 0.0])

    def along(self, bias: Floats) -> float:
        """Σ E[|Y_j|² bias·Y_j]; what all lengths share has no part in it, as Y_j is centred."""
        (own, other, _), items, total = self._lengths[1], len(self.holders), bias.sum()
        # bias·E[X], by own item
        mean = self.a * self.sampling * (self.q * total + self.gap * bias - self.b * total)
        own_part = self.p * own * (self.a * (bias - self.b * total) - mean)
        other_part = self.a * (total - bias - (items - 1) * self.b * total) - (items - 1) * mean
        return float(self.holders @ (self.sampling * (own_part + self.q * other * other_part)))


def _squared_trace(d: Floats, u: Floats) -> float:
    """The trace of C² for C = diag d + u 1ᵀ + 1 uᵀ."""
    return float(
        np.sum(d * d) + 4 * np.sum(d * u) + 2 * len(d) * np.sum(u * u) + 2 * np.sum(u) ** 2
    )
