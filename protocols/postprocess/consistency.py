"""Make raw frequency estimates consistent: shares from 0 to 1 that add up to 1.

Every method maps estimates of shape (N,) to estimates of shape (N,). `raw` returns the estimates
unchanged, and `clip` does not adjust their sum.

Source: Wang et al., *Locally Differentially Private Frequency Estimation with Consistency*, 2020,
section 4; Duchi et al., *Efficient Projections onto the ℓ1-Ball*, 2008, Figure 1.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats


def clip(estimates: Floats) -> Floats:
    """Move each share to the nearest number in [0, 1]; the sum is not adjusted."""
    return np.asarray(np.clip(estimates, 0, 1))


def normalise(estimates: Floats) -> Floats:
    """Set negative shares to 0, and scale the other shares so that the sum is 1.

    The result is uniform if no share is positive.
    """
    positive = np.maximum(estimates, 0)
    if not positive.any():
        return _uniform(estimates.size)
    scaled = positive / positive.max()  # sums of huge or of subnormal numbers would be inexact
    return np.asarray(scaled / scaled.sum())


def norm_sub(estimates: Floats) -> Floats:
    """Set negative shares to 0 and add the same amount to the other shares, until the sum is 1.

    The two steps are repeated. A share that is not positive at first, or that falls below 0 later,
    becomes 0 and stays 0. The result is uniform if no share is positive.
    """
    positive = estimates > 0
    if not positive.any():
        return _uniform(estimates.size)
    result = np.zeros(estimates.size)
    result[positive] = project(estimates[positive])
    return result


def project(estimates: Floats) -> Floats:
    """Return the distribution nearest to the estimates in Euclidean distance.

    The result is max(0, estimate - t), where t makes the sum 1.
    """
    # We compute relative to the largest share: if all shares are huge, their differences keep all
    # digits.
    below = np.sort(estimates)[::-1] - estimates.max()
    thresholds = (np.cumsum(below) - 1) / np.arange(1, below.size + 1)
    last = np.flatnonzero(below > thresholds)[-1]  # the last share that stays positive
    return np.asarray(np.maximum(estimates - estimates.max() - thresholds[last], 0))


def _uniform(items: int) -> Floats:
    return np.full(items, 1 / items)


METHODS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"raw": np.copy, "clip": clip, "normalise": normalise, "norm-sub": norm_sub, "project": project}
)


def apply(name: str, estimates: npt.ArrayLike) -> Floats:
    """Return the estimates, shape (N,), after the method of this name, in a new array.

    Raises `ValueError` for a name that is not in `METHODS`, and for estimates that are not one row
    of finite numbers.
    """
    if name not in METHODS:
        raise ValueError(
            f"unknown method of post-processing {name!r}: use one of {', '.join(METHODS)}"
        )
    raw = checks.as_doubles("estimates", estimates)
    if raw.ndim != 1 or not raw.size:
        raise ValueError(f"estimates are a non-empty array with one axis, got shape {raw.shape}")
    if not np.isfinite(raw).all():
        raise ValueError(f"estimates are finite numbers, got {raw[~np.isfinite(raw)][0]}")
    return METHODS[name](raw)
