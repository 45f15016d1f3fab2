"""The accuracy of the estimated shares, compared with the owners' values.

With kept faces the difference of a value's two counts has the law Bin(h, π_s), where h owners hold
the value. So intervals are exact, and so are the mean and the standard deviation of the squared
error. For the other variants, the intervals and the deviation treat the estimates as normal.
"""

import numpy as np

from protocols.sharing.accuracy import support_interval
from protocols.two_rounds.estimators import Variant, covariance_with_none
from protocols.two_rounds.mechanism import TwoRounds
from simnet.arrays import Floats, Ints
from simnet.stated.assessment import Assessment


def with_none(mechanism: TwoRounds, holders: Floats, owners: int) -> Floats:
    """Return the number of owners who hold each value. If an owner may hold no value, the last
    entry is the number of such owners.

    Shape (items,).
    """
    return np.append(holders, owners - holders.sum()) if mechanism.none else holders


def assess(
    mechanism: TwoRounds, variant: Variant, estimate: Floats, support: Ints, confidence: float
) -> Assessment:
    """Compare the estimated shares with the true shares; shapes (items,).

    The values come first. If an owner may hold no listed value, the last entry is the share of such
    owners.
    """
    owners = int(support.sum())
    spread = _covariance(mechanism, variant, support) / owners**2
    variances = np.diag(spread).copy()
    low, high = _interval(mechanism, variant, estimate, variances, owners, confidence)
    deviation = _deviation(mechanism, variant, spread, support)
    return Assessment(
        estimate=estimate,
        truth=support / owners,
        low=low,
        high=high,
        confidence=confidence,
        expected_squared_l2=float(variances.sum()),
        deviation_squared_l2=deviation,
        variance=variances,
        estimated_variance=_estimated_variance(mechanism, variant, estimate, owners),
    )


def _covariance(mechanism: TwoRounds, variant: Variant, support: Ints) -> Floats:
    none = int(support[mechanism.values :].sum())
    spread = covariance_with_none(mechanism, support[: mechanism.values], none, variant)
    return np.roll(spread, -1, (0, 1)) if mechanism.none else spread[1:, 1:]


def _deviation(mechanism: TwoRounds, variant: Variant, spread: Floats, support: Ints) -> float:
    """Return the standard deviation of the squared error: √(2 tr C²), with the covariance matrix C
    of the estimates.

    With kept faces the fourth cumulants are added to 2 tr C². If an owner may hold no value, each
    value's error also appears in the error of the number of such owners, so its cumulant counts
    fourfold.
    """
    square = 2 * float(np.sum(spread**2))
    if variant == "kept":
        s, owners = float(mechanism.sampling), support.sum()
        variances = np.diag(spread)[: mechanism.values]
        twice = 1 + mechanism.none
        square += float(np.sum(twice**2 * variances * (1 - 6 * s * (1 - s)) / (s * owners) ** 2))
    return float(np.sqrt(max(square, 0.0)))


def _interval(
    mechanism: TwoRounds,
    variant: Variant,
    estimate: Floats,
    variances: Floats,
    owners: int,
    confidence: float,
) -> tuple[Floats, Floats]:
    if variant != "kept":
        from scipy.special import ndtri  # imported only here: scipy loads slowly

        margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(variances)
        return estimate - margin, estimate + margin
    s = float(mechanism.sampling)
    counts = np.rint(estimate[: mechanism.values] * (s * owners)).astype(np.int64)
    low, high = support_interval(counts, s, owners, confidence)
    if mechanism.none:
        fewest, most = support_interval(counts.sum(keepdims=True), s, owners, confidence)
        low, high = np.append(low, owners - most), np.append(high, owners - fewest)
    return low / owners, high / owners


def _estimated_variance(
    mechanism: TwoRounds, variant: Variant, estimate: Floats, owners: int
) -> Floats:
    """Return the variances for owners of whom as many hold each value as was estimated, rounded and
    at least 1.
    """
    holders = np.maximum(np.rint(estimate * owners).astype(np.int64), 1)
    return np.diag(_covariance(mechanism, variant, holders)) / owners**2
