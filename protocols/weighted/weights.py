"""The weights of groups in an average, and the error that it has with them.

`variances[j]` is V_j, the squared error that one user of group j stands for; `sizes[j]` is n_j.
Source: Yang et al., section 3.2; VWA is equation (4).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from protocols import checks
from simnet.arrays import Floats

Method = Literal["vwa", "owa", "uwa", "cpa"]

METHODS = ("vwa", "owa", "uwa", "cpa")
PRECISION = 1e-13  # relative, to which weights are made best


def weights(method: Method, sizes: Sequence[int], variances: Sequence[float]) -> Floats:
    """The weight of a user of each group, adding up to 1; shape (groups,).

    `variances[j]` is V_j, the squared error that one user of group j stands for. VWA weighs by 1 /
    V_j (equation 4), OWA minimises the error numerically and comes to the same, UWA and CPA weigh
    all users alike.
    """
    checks.one_of("method", method, METHODS)
    exact = np.asarray(variances) == 0
    # Groups that do not err leave nothing to the others
    if method in ("vwa", "owa") and exact.any():
        return np.asarray(exact / exact.sum())
    if method == "owa":
        return _optimal(sizes, variances)
    raw = 1 / np.asarray(variances, dtype=float) if method == "vwa" else np.ones(len(sizes))
    return np.asarray(raw / raw.sum())


def error(weights: Floats, sizes: Sequence[int], variances: Sequence[float]) -> float:
    """The expected squared L2 error of the noise in the weighted estimate.

    It is Δ(w) = Σ w_j² n_j V_j / (Σ n_j w_j)².
    """
    n, V = np.asarray(sizes, dtype=float), np.asarray(variances, dtype=float)  # noqa: N806  # the paper's letter
    return float(np.sum(weights**2 * n * V) / np.sum(n * weights) ** 2)


def _optimal(sizes: Sequence[int], variances: Sequence[float]) -> Floats:
    """The weights with the least error, found numerically: one after the other is made best.

    Of Δ(w) = Σ w_j² n_j V_j / (Σ n_j w_j)² as a function of w_j alone, the least value is where
    w_j V_j = Σ w_i² n_i V_i / Σ n_i w_i, both sums over the others.
    """
    n, V = np.asarray(sizes, dtype=float), np.asarray(variances, dtype=float)  # noqa: N806  # the paper's letter
    w, before = 1 / len(n) * np.ones(len(n)), np.zeros(len(n))
    while not np.allclose(w, before, rtol=PRECISION, atol=0) and len(n) > 1:
        before = w.copy()
        for j in range(len(n)):
            others = np.arange(len(n)) != j
            mass = (n * w)[others]
            w[j] = mass @ (w * V)[others] / mass.sum() / V[j]
    return np.asarray(w / w.sum())
