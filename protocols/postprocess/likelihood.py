"""Maximum likelihood: the frequencies under which the received reports are likeliest.

Users who hold item x send report y with probability P(y | x), so a report is y with probability m_y
= Σ_x f_x P(y | x), where f are the frequencies. A distribution f is likeliest if it maximises
Σ_y s_y ln m_y, where s_y is the share of report y. The iterative Bayesian update starts from the
uniform distribution and approaches a likeliest f: each f_x becomes the mean posterior probability
of x over the reports, ::

    f_x <- f_x Σ_y s_y P(y | x) / m_y.

Suppose that a report is a single item: the user's own item with probability p, and each other item
with a smaller probability q. Then the limit has a closed form: m_y = max(q, c s_y), where c makes
all m_y add up to 1.

Source: Agrawal and Aggarwal, *On the Design and Quantification of Privacy Preserving Data Mining
Algorithms*, 2001, section 4; ElSalamouny and Palamidessi, *Generalized Iterative Bayesian Update
and Applications to Mechanisms for Privacy Protection*, 2020; the closed form follows from the
Kuhn-Tucker conditions.
"""

import numpy as np
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats

NAME = "maximum-likelihood"
TOLERANCE = 1e-9  # the largest error in the mean log-likelihood of a report
MOST_STEPS = 100_000


def iterative_bayes(
    rows: npt.ArrayLike,
    counts: npt.ArrayLike,
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
) -> Floats:
    """Return the likeliest frequencies, shape (N,), from the counts of R different reports, shape
    (R,).

    `rows` are the laws of a report, one for each item; shape (N, R). The search ends when the mean
    log-likelihood of a report is within `tolerance` of the largest possible one, or after
    `most_steps` steps. Raises `ValueError` for rows that are not laws, for counts of another shape
    or that are negative, infinite or all 0, and for a report that arrived although no item can lead
    to it.
    """
    laws, came = checks.as_doubles("rows", rows), checks.as_doubles("counts", counts)
    if laws.ndim != 2 or not laws.size:
        raise ValueError(f"laws of reports are rows of probabilities, got shape {laws.shape}")
    if not (laws >= 0).all() or not np.allclose(laws.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError("a law of reports is a row of probabilities that add up to 1")
    if came.shape != laws.shape[1:] or not (came >= 0).all() or not 0 < came.sum() < np.inf:
        raise ValueError(
            f"counts has one finite number for each of {laws.shape[1]} possible reports, from 0 on "
            f"and not all 0, got {counts!r}"
        )
    possible = laws.max(axis=0) > 0
    if came[~possible].any():
        raise ValueError(
            "no item can lead to one of the reports: check that the rows are the laws of the "
            "mechanism that made the reports"
        )
    laws, shares = laws[:, possible], came[possible] / came.sum()
    frequencies = np.full(len(laws), 1 / len(laws))
    for _ in range(most_steps):
        gains = laws @ (shares / (frequencies @ laws))
        # The mean log-likelihood is concave. So no distribution can gain more than the item with
        # the largest derivative.
        if gains.max() <= 1 + tolerance:
            break
        frequencies = frequencies * gains
        frequencies /= frequencies.sum()
    return frequencies


def likeliest_shares(estimates: Floats, p: float, q: float) -> Floats:
    """Return the likeliest frequencies, shape (N,), from the unbiased ones, if a report is one
    item.

    p is the probability that a user reports its own item, and q the probability that it reports a
    given other item.
    """
    reported = np.maximum(q + (p - q) * estimates, 0)  # rounding may make a share negative
    falling = np.sort(reported)[::-1]
    larger = np.arange(1, falling.size + 1)  # candidates for the number of positive shares
    scales = (1 - (falling.size - larger) * q) / np.cumsum(falling)
    last = np.flatnonzero(scales * falling > q)[-1]
    shares = np.maximum(scales[last] * reported - q, 0)
    return np.asarray(shares / shares.sum())
