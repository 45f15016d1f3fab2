"""How good frequencies from local reports are: intervals, and the law of the squared error.

The count of reports that support an item is a sum of independent coins: of chance p for the users
who hold it, of chance q for the others. With holders fixed, all that is stated here of means and
variances is exact.
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
    """What accuracy asks of a mechanism over items."""

    @property
    def answers_one_question(self) -> bool:
        """Whether the estimates of two items add up to 1, and have the same variance."""
        ...

    @property
    def support_chances(self) -> tuple[float, float]:
        """The chances (p, q): a report supports the own item with p, any other with q."""
        ...

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """The variance of the estimated share of an item that `share` of the users hold."""
        ...


def assess_frequencies(
    mechanism: FrequencyLaw, estimate: Floats, support: Ints, confidence: float
) -> Assessment:
    """Hold estimated frequencies, shape (N,), against the support of users who were all asked."""
    if mechanism.answers_one_question:
        return _assess_answers(mechanism, estimate, support, confidence)
    users = int(support.sum())
    variance = np.asarray(mechanism.variance(support / users, users))
    # an estimate out of range is best explained by the share at that end of the range
    nearest = np.minimum(np.maximum(estimate, 0), 1)
    low, high = score_interval(mechanism.variance, estimate, users, confidence)
    return Assessment(
        estimate=estimate,
        truth=support / users,
        low=low,
        high=high,
        confidence=confidence,
        expected_squared_l2=float(variance.sum()),
        deviation_squared_l2=squared_l2_deviation(mechanism, support),
        variance=variance,
        estimated_variance=np.asarray(mechanism.variance(nearest, users)),
    )


def _assess_answers(
    mechanism: FrequencyLaw, estimate: Floats, support: Ints, confidence: float
) -> Assessment:
    """Assess the estimated shares of yes and no.

    The share of no is what the share of yes leaves: it has the same variance, and the interval
    turned around.
    """
    users = int(support.sum())
    variance = float(mechanism.variance(support[0] / users, users))
    estimated = float(mechanism.variance(min(max(estimate[0], 0), 1), users))
    (low,), (high,) = score_interval(mechanism.variance, estimate[:1], users, confidence)
    return Assessment(
        estimate=estimate,
        truth=support / users,
        low=np.array([low, 1 - high]),
        high=np.array([high, 1 - low]),
        confidence=confidence,
        expected_squared_l2=2 * variance,
        deviation_squared_l2=squared_l2_deviation(mechanism, support),
        variance=np.full(2, variance),
        estimated_variance=np.full(2, estimated),
    )


def score_interval(
    variance: Callable[[float, int], Any], estimate: Floats, users: int, confidence: float
) -> tuple[Floats, Floats]:
    """The shares that lie within z standard deviations of the estimate; shapes (N,).

    The standard deviation at a share f is the exact one for that f.

    `variance` of a share and a number of users is a + b f, so the ends solve (f - estimate)² = z²
    (a + b f). Coverage is that of the normal law. What lies outside [0, 1] is not cut off. So far
    outside that no share is so near, or that a + b f is negative, the interval is stretched to the
    estimate, which it holds always.
    """
    from scipy.special import ndtri  # here, not above: it takes a while to load

    z = float(ndtri((1 + confidence) / 2))
    a = variance(0.0, users)
    half = z * z * (variance(1.0, users) - a) / 2
    # 0: the nearest share is left
    reach = np.sqrt(np.maximum(half * half + z * z * a + 2 * half * estimate, 0))
    return np.minimum(estimate + half - reach, estimate), np.maximum(
        estimate + half + reach, estimate
    )


def squared_l2_deviation(mechanism: FrequencyLaw, support: Ints) -> float:
    """The exact standard deviation of the squared L2 error of the estimate, given the users' items.

    The error is the sum of one independent centred vector Y_i a user, over n (p - q), so the
    variance of its square is Σ Var |Y_i|² + 2 (tr C² - Σ tr C_i²) over (n (p - q))⁴, with C_i the
    covariance of Y_i and C their sum. NaN for a mechanism whose reports are neither single items
    nor independent bits: it is not worked out.
    """
    p, q = mechanism.support_chances
    if mechanism.answers_one_question:  # both errors are alike
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
    """From the variance of the squared error of supports, the deviation of that of shares."""
    return sqrt(max(variance, 0.0)) / float(support.sum() * gap) ** 2


def _of_bits(p: float, q: float, support: Ints, users: int) -> float:
    """Independent bits: for each, its fourth cumulant and twice the square of its variance."""
    holder, other = p * (1 - p), q * (1 - q)
    variances = support * holder + (users - support) * other
    fourth = support * holder * (1 - 6 * holder) + (users - support) * other * (1 - 6 * other)
    return float(np.sum(fourth + 2 * variances**2))


def _of_single_items(p: float, q: float, support: Ints) -> float:
    """One item a report, with chances π: q everywhere, but p at the own item."""
    users, items = int(support.sum()), len(support)
    squares, cubes = (p**k + (items - 1) * q**k for k in (2, 3))
    own = squares - 2 * cubes + squares**2  # tr C_i², for C_i = diag π - π πᵀ
    lengths = 4 * (cubes - squares**2)  # Var |Y_i|², for |Y_i|² = 1 - 2 π_r + |π|²
    # off the diagonal C is -(u_j + u_k), as Σ π_i π_iᵀ is there n q² + q (p - q) (h_j + h_k)
    u = users * q * q / 2 + q * (p - q) * support
    off_diagonal = 2 * items * np.sum(u * u) + 2 * np.sum(u) ** 2 - np.sum(4 * u * u)
    diagonal = support * p * (1 - p) + (users - support) * q * (1 - q)
    return float(users * lengths + 2 * (np.sum(diagonal**2) + off_diagonal - users * own))
