"""Making raw frequency estimates consistent: shares from 0 to 1 that add up to 1.

Every method maps estimates of shape (N,) to estimates of shape (N,); `raw` leaves them as they are,
unbiased. Source: Wang et al., *Locally Differentially Private Frequency Estimation with
Consistency*, 2020, section 4; Duchi et al., *Efficient Projections onto the ℓ1-Ball*, 2008, Figure
1.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from simnet.arrays import Floats


def clip(estimates: Floats) -> Floats:
    """Each share moved to the nearest in [0, 1]; their sum is anything."""
    return np.asarray(np.clip(estimates, 0, 1))


def normalise(estimates: Floats) -> Floats:
    """Negative shares set to 0, and the others scaled so that the sum is 1.

    The result is uniform when no share is positive.
    """
    positive = np.maximum(estimates, 0)
    if not positive.any():
        return _uniform(estimates.size)
    scaled = positive / positive.max()  # sums of huge or of subnormal numbers go wrong
    return np.asarray(scaled / scaled.sum())


def norm_sub(estimates: Floats) -> Floats:
    """Negative shares set to 0 and the same amount added to the others, until the sum is 1.

    This is done over and over again. What was not positive stays 0, and a positive share that falls
    below 0 becomes 0 and stays so; uniform when no share is positive. The fixed point is computed
    at once: the positive shares projected on their simplex.
    """
    positive = estimates > 0
    if not positive.any():
        return _uniform(estimates.size)
    result = np.zeros(estimates.size)
    result[positive] = project(estimates[positive])
    return result


def project(estimates: Floats) -> Floats:
    """The distribution nearest to the estimates in Euclidean distance.

    max(0, estimate - t) with the t of sum 1.
    """
    # From 0 down: shares keep their digits beside a huge shift
    below = np.sort(estimates)[::-1] - estimates.max()
    thresholds = (np.cumsum(below) - 1) / np.arange(1, below.size + 1)
    last = np.flatnonzero(below > thresholds)[-1]  # of the shares that stay positive
    return np.asarray(np.maximum(estimates - estimates.max() - thresholds[last], 0))


def _uniform(items: int) -> Floats:
    return np.full(items, 1 / items)


METHODS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"raw": np.copy, "clip": clip, "normalise": normalise, "norm-sub": norm_sub, "project": project}
)


def apply(name: str, estimates: npt.ArrayLike) -> Floats:
    """The estimates, shape (N,), after the method of that name, in a new array.

    Raises `ValueError` for a name that is none of `METHODS`, and for estimates that are no row of
    finite numbers.
    """
    if name not in METHODS:
        raise ValueError(
            f"estimates are made consistent by {', '.join(METHODS)}; there is no {name!r}"
        )
    raw = np.asarray(estimates, dtype=np.float64)
    if raw.ndim != 1 or not raw.size:
        raise ValueError(f"estimates come as one row of at least one number, got shape {raw.shape}")
    if not np.isfinite(raw).all():
        raise ValueError(f"estimates are finite numbers, got {raw[~np.isfinite(raw)][0]}")
    return METHODS[name](raw)
