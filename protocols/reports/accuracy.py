"""The accuracy of frequencies from local reports: intervals, and the mean and deviation of the
squared error.

A report *supports* items: with GRR the one that it names, with a unary encoding all whose bits are
1, perhaps none. The number of reports that support an item is a sum of independent coins. A report
supports the item with probability p if its user holds the item, and with probability q otherwise.
For fixed inputs of users who are all counted, the means and variances stated here are exact.

If users drop out, m of the n users are counted. The truth is still the share among all users, and
the users who are counted are treated as a random sample of all users. For a given sample, the
estimate is unbiased for the share among the sample, and the variance of the estimate is linear in
this share. The mean of this share over all samples is the share f among all users. So the variance
is the sum of two parts: the variance for m users of whom the share f holds the item, and the
variance of the share among the sample, f (1 - f) (n - m) / (m (n - 1)).
"""

from collections.abc import Callable
from math import nan, sqrt
from typing import Any
from typing import Protocol as Interface

import numpy as np
import numpy.typing as npt

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import UnaryReports
from simnet.arrays import Floats, Ints
from simnet.stated.assessment import Assessment


class FrequencyLaw(Interface):
    """What the accuracy formulas need of a mechanism over items."""

    @property
    def answers_one_question(self) -> bool:
        """Whether the mechanism has two items and computes the second estimate as 1 minus the first
        one.
        """
        ...

    @property
    def support_chances(self) -> tuple[float, float]:
        """The probabilities (p, q) that a report supports the user's own item, and a given other
        item.
        """
        ...

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """Return the variance of the estimated share of an item that `share` of the users hold."""
        ...


def lost_by_sampling(counted: int, users: int) -> float:
    """Return (n - m) / (m (n - 1)), where m of the n users were counted.

    If m values are drawn without replacement from the values of all users, the variance of their
    mean is this factor times the variance of one value.
    """
    return (users - counted) / (counted * max(users - 1, 1))


def assess_frequencies(
    mechanism: FrequencyLaw, estimate: Floats, support: Ints, counted: int, confidence: float
) -> Assessment:
    """Compare frequencies, shape (N,), estimated from the reports of `counted` users, with the true
    frequencies among all users.

    If users are missing, the deviation of the squared error is approximate.
    """
    if mechanism.answers_one_question:
        return _assess_answers(mechanism, estimate, support, counted, confidence)
    users = int(support.sum())
    shares, lost = support / users, lost_by_sampling(counted, users)
    variance = np.asarray(mechanism.variance(shares, counted) + shares * (1 - shares) * lost)
    # an estimate outside [0, 1] is replaced by the nearest possible share
    nearest = np.minimum(np.maximum(estimate, 0), 1)
    low, high = score_interval(mechanism.variance, estimate, counted, confidence, lost)
    return Assessment(
        estimate=estimate,
        truth=shares,
        low=low,
        high=high,
        confidence=confidence,
        expected_squared_l2=float(variance.sum()),
        deviation_squared_l2=(
            squared_l2_deviation(mechanism, support)
            if counted == users
            else sqrt(2 * float(np.sum(variance**2)))
        ),
        variance=variance,
        estimated_variance=np.asarray(
            mechanism.variance(nearest, counted) + nearest * (1 - nearest) * lost
        ),
    )


def _assess_answers(
    mechanism: FrequencyLaw, estimate: Floats, support: Ints, counted: int, confidence: float
) -> Assessment:
    """Compare the estimates for yes and no with the true shares. The second estimate is 1 minus the
    first one, so both have the same variance, and the second interval is the mirrored first one.
    """
    users = int(support.sum())
    lost, share, nearest = lost_by_sampling(counted, users), support[0] / users, estimate[0]
    nearest = min(max(nearest, 0), 1)
    variance = float(mechanism.variance(share, counted) + share * (1 - share) * lost)
    estimated = float(mechanism.variance(nearest, counted) + nearest * (1 - nearest) * lost)
    (low,), (high,) = score_interval(mechanism.variance, estimate[:1], counted, confidence, lost)
    return Assessment(
        estimate=estimate,
        truth=support / users,
        low=np.array([low, 1 - high]),
        high=np.array([high, 1 - low]),
        confidence=confidence,
        expected_squared_l2=2 * variance,
        deviation_squared_l2=(
            squared_l2_deviation(mechanism, support)
            if counted == users
            else sqrt(2) * 2 * variance  # both answers have one and the same error
        ),
        variance=np.full(2, variance),
        estimated_variance=np.full(2, estimated),
    )


def score_interval(
    variance: Callable[[float, int], Any],
    estimate: Floats,
    users: int,
    confidence: float,
    lost: float = 0.0,
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of shares within z standard deviations of the estimate;
    shapes (N,).

    The standard deviation at a share f is the exact one for f. The function `variance`, of a share
    and a number of users, must be linear in the share, a + b f; `lost`, c, is the result of
    `lost_by_sampling`. The ends then solve (f - estimate)² = z² (a + b f + c f (1 - f)). Coverage
    is approximate, by the normal law, which also gives z. The interval is not cut at 0 and 1. If
    a + b f + c f (1 - f) is negative at the estimate, the interval is extended so that it holds the
    estimate.
    """
    from scipy.special import ndtri  # imported only here: scipy loads slowly

    z = float(ndtri((1 + confidence) / 2))
    a, curve = variance(0.0, users), z * z * lost
    half = z * z * (variance(1.0, users) - a + lost) / 2
    # (1 + curve) f² - 2 (estimate + half) f + estimate² - z² a = 0
    square = half * half + z * z * a * (1 + curve) + 2 * half * estimate - curve * estimate**2
    # a negative discriminant means that no share is near enough: the interval ends at `middle`
    reach = np.sqrt(np.maximum(square, 0)) / (1 + curve)
    middle = (estimate + half) / (1 + curve)
    return np.minimum(middle - reach, estimate), np.maximum(middle + reach, estimate)


def squared_l2_deviation(mechanism: FrequencyLaw, support: Ints) -> float:
    """Return the exact standard deviation of the squared L2 error, for fixed inputs.

    The error is a sum of independent centred vectors Y_i, one for each user, divided by n (p - q).
    So the variance of its square is Σ Var |Y_i|² + 2 (tr C² - Σ tr C_i²), divided by (n (p - q))⁴;
    C_i is the covariance of Y_i, and C is the sum of all C_i. NaN for a mechanism whose reports are
    neither single items nor independent bits.
    """
    p, q = mechanism.support_chances
    if mechanism.answers_one_question:  # the errors of yes and no have the same size
        total = 4 * _of_bits(p, q, support[:1], int(support.sum()))
        return _deviation_of_shares(total, support, p - q)
    match mechanism:
        case GRR():
            total = _of_single_items(p, q, support)
        case UnaryReports():
            total = _of_bits(p, q, support, int(support.sum()))
        case _:
            return nan
    return _deviation_of_shares(total, support, p - q)


def _deviation_of_shares(variance: float, support: Ints, gap: float) -> float:
    return sqrt(max(variance, 0.0)) / float(support.sum() * gap) ** 2


def _of_bits(p: float, q: float, support: Ints, users: int) -> float:
    """Return the variance of the squared error for reports of independent bits.

    Each item adds the fourth cumulant of the number of users whose bit for the item is 1, and twice
    the square of the variance of this number.
    """
    holder, other = p * (1 - p), q * (1 - q)
    variances = support * holder + (users - support) * other
    fourth = support * holder * (1 - 6 * holder) + (users - support) * other * (1 - 6 * other)
    return float(np.sum(fourth + 2 * variances**2))


def _of_single_items(p: float, q: float, support: Ints) -> float:
    """Return the variance of the squared error for reports of one item.

    The probabilities π of a report are p for the user's own item and q for every other item.
    """
    users, items = int(support.sum()), len(support)
    squares, cubes = (p**k + (items - 1) * q**k for k in (2, 3))
    own = squares - 2 * cubes + squares**2  # tr C_i², for C_i = diag π - π πᵀ
    lengths = 4 * (cubes - squares**2)  # Var |Y_i|², for |Y_i|² = 1 - 2 π_r + |π|²
    # off the diagonal C is -(u_j + u_k), as Σ π_i π_iᵀ is there n q² + q (p - q) (h_j + h_k)
    u = users * q * q / 2 + q * (p - q) * support
    off_diagonal = 2 * items * np.sum(u * u) + 2 * np.sum(u) ** 2 - np.sum(4 * u * u)
    diagonal = support * p * (1 - p) + (users - support) * q * (1 - q)
    return float(users * lengths + 2 * (np.sum(diagonal**2) + off_diagonal - users * own))


def squared_trace(d: Floats, u: Floats) -> float:
    """Return the trace of C² for C = diag d + u 1ᵀ + 1 uᵀ."""
    return float(
        np.sum(d * d) + 4 * np.sum(d * u) + 2 * len(d) * np.sum(u * u) + 2 * np.sum(u) ** 2
    )
