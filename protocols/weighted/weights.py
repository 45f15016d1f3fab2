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
    """The weights with the least error, found numerically over log-weights (they are positive)."""
    from scipy.optimize import minimize  # here, not above: it takes a while to load

    n, V = np.asarray(sizes, dtype=float), np.asarray(variances, dtype=float)  # noqa: N806  # the paper's letter

    def objective(logs: Floats) -> tuple[float, Floats]:
        w = np.exp(logs - logs.max())
        noise, mass = w**2 * n * V, n * w
        gradient = 2 * noise / noise.sum() - 2 * mass / mass.sum()
        return float(np.log(noise.sum()) - 2 * np.log(mass.sum())), gradient

    minimum = minimize(
        objective, np.zeros(len(sizes)), jac=True, method="BFGS", options={"gtol": 1e-12}
    )
    best = np.exp(minimum.x - minimum.x.max())
    return np.asarray(best / best.sum())
