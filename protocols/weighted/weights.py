"""The weights of groups in an average, and the error of the average.

`sizes[j]` is n_j, the number of users of group j. `variances[j]` is V_j, which is n_j times the
expected squared error of the group's estimate.

Source: Yang et al., section 3.2; VWA is equation (4).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from protocols import checks
from simnet.arrays import Floats

Method = Literal["vwa", "owa", "uwa", "cpa"]

METHODS = ("vwa", "owa", "uwa", "cpa")
PRECISION = 1e-13  # the relative precision of the numerical search for the best weights
LARGEST_RATIO = 1e140  # of two variances: with a larger one, numbers of the search could overflow


def weights(method: Method, sizes: Sequence[int], variances: Sequence[float]) -> Floats:
    """Return the weight of a user of each group, adding up to 1; shape (groups,).

    VWA weighs by 1 / V_j (equation 4). OWA minimises the error numerically, which gives the same
    weights up to rounding. UWA and CPA weigh all users equally. With VWA and OWA, if some groups
    have V_j = 0, the users of these groups have equal weights, and all other users have weight 0.
    Raises `ValueError` for another method, for a size below 1, for a V_j that is negative or not
    finite, and with OWA and no V_j = 0 if one V_j is more than 1e140 times another.
    """
    checks.one_of("method", method, METHODS)
    for size in sizes:
        checks.whole("the size of a group", size, 1)
    V = checks.shaped("the variances", variances, (len(sizes),))  # noqa: N806  # the paper's letter
    if not (np.isfinite(V) & (V >= 0)).all():
        raise ValueError(f"the variances are finite and at least 0, got {V.tolist()}")
    exact = V == 0
    # groups without error get the whole weight
    if method in ("vwa", "owa") and exact.any():
        return np.asarray(exact / exact.sum())
    if method == "owa":
        if V.max() / LARGEST_RATIO > V.min():
            raise ValueError(
                f"with OWA a variance is at most {LARGEST_RATIO:g} times another, got {V.tolist()}"
            )
        return _optimal(sizes, V)
    raw = V.min() / V if method == "vwa" else np.ones(len(sizes))  # 1 / V could overflow
    return np.asarray(raw / raw.sum())


def error(weights: Floats, sizes: Sequence[int], variances: Sequence[float]) -> float:
    """Return the expected squared L2 error of the noise in the weighted estimate.

    The error is Δ(w) = Σ w_j² n_j V_j / (Σ n_j w_j)².
    """
    n, V = np.asarray(sizes, dtype=float), np.asarray(variances, dtype=float)  # noqa: N806  # the paper's letter
    return float(np.sum(weights**2 * n * V) / np.sum(n * weights) ** 2)


def _optimal(sizes: Sequence[int], variances: Floats) -> Floats:
    """Return the weights with the least error, by optimising one weight after the other.

    As a function of w_j alone, Δ(w) = Σ w_j² n_j V_j / (Σ n_j w_j)² is least where w_j V_j = Σ w_i²
    n_i V_i / Σ n_i w_i. Both sums on the right side are over the other groups i.
    """
    n = np.asarray(sizes, dtype=float)
    V = variances / variances.min()  # noqa: N806  # the paper's letter; so that nothing overflows
    w, before = 1 / len(n) * np.ones(len(n)), np.zeros(len(n))
    while not np.allclose(w, before, rtol=PRECISION, atol=0) and len(n) > 1:
        before = w.copy()
        for j in range(len(n)):
            others = np.arange(len(n)) != j
            mass = (n * w)[others]
            w[j] = mass @ (w * V)[others] / mass.sum() / V[j]
    return np.asarray(w / w.sum())
