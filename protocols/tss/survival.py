"""How likely it is that random colluding users break a run of TSS or TSS′.

c of n users collude; who they are does not depend on who reports or is elected. Item j has m_j
reporters, and S1 elects g(m_j) users at random, who hold the shares of its answers. The colluders
*break* the item if enough elected users are among them to open the shares, and if at least one
reporter is honest. Write h = n - c for the number of honest users.

1. *One item.* Given m, the elected users and the colluders are independent uniform sets, and
   neither depends on the reporters. So the item is broken with probability E[H(m) (1 - x(m))],
   where H(m) is the probability that enough of the g(m) elected users collude, and x(m) = C(c, m) /
   C(n, m) is the probability that all m reporters collude. For TSS with additive sharing and
   uniform reporting sets, E[H(m)] = (1 - k/N)^h, whatever n is: C(n, m) H(m) = C(c, m), and the
   binomial theorem gives the sum.
2. *Some item, at most*: the sum over the items.
3. *Some item, at least*: with the uniform law of reporting sets the numbers of reporters are
   negatively associated (Joag-Dev and Proschan 1983), since every user reports on a random k-set.
   If H rises with m everywhere, or falls with m everywhere, then the numbers 1 - H(m_j) are
   negatively associated too, and the probability that no item is broken is at most
   (1 - e)^N + N r, with e = E[H(m)] and r = E[H(m) x(m)]. With additive sharing H falls with m.
   For Shamir's sharing and for the adaptive law the lower bound is only the largest probability of
   one item.

The formulas depend on the inputs only through the numbers of users who hold each item.

Source: Yang et al., section 3.1.3, notes that all users elected for an item may collude. The paper
gives no probability; the formulas are derived here.
"""

from collections.abc import Sequence
from math import ceil, expm1, floor, log1p, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.privacy.binomial import log_pmf
from protocols.sharing.schemes import Additive
from protocols.sharing.table1 import chances_to_report
from protocols.tss.script import TSS
from simnet.arrays import Floats, Ints
from simnet.drawing import COLOURS, SMALL, dress, panels
from simnet.kernel.limits import ELEMENTS_A_STEP, refuse_above
from simnet.printable import rounded
from simnet.scenario.figure import write_figure

EPSILON = np.finfo(np.float64).eps
LEAST_REACH = 100  # the figure reaches at least so many honest users, if there are so many users


@attrs.frozen
class Survival:
    """Bounds on the probability that random colluders break a run.

    `lowest` and `highest` bound the probability that some item is broken; `items` is the exact
    probability for each item, shape (N,).
    """

    colluders: int
    lowest: float
    highest: float
    items: Floats = attrs.field(eq=False)


def broken(protocol: TSS, colluders: int, support: Sequence[int] | None = None) -> Survival:
    """Return how likely it is that `colluders` random users break a run of TSS or TSS′.

    `support` has the number of users who hold each item; without it, the numbers of users who hold
    two items differ by at most 1. The support matters only for the adaptive law of reporting sets.
    Raises `ValueError` unless 0 <= `colluders` < n, and for a support that does not have N numbers
    with the sum n.

    >>> found = broken(TSS(users=1000, items=1, participation=0.5, reported=1), colluders=990)
    >>> found.highest
    0.0
    >>> protocol = TSS(users=1000, items=10, participation=0.5, reported=4)
    >>> round(broken(protocol, colluders=990).highest, 4)
    0.0601
    """
    n, N = protocol.users, protocol.items  # noqa: N806  # the papers' letters
    if not 0 <= colluders < n:
        raise ValueError(
            f"the number of colluders must be from 0 to n - 1 = {n - 1}, got {colluders}"
        )
    refuse_above(f"chances of {rounded(N)} items", elements=ELEMENTS_A_STEP * N, memory=120 * N)
    held = [n // N + (place < n % N) for place in range(N)] if support is None else list(support)
    if len(held) != N or sum(held) != n:
        raise ValueError(f"the support must be {N} numbers of users with the sum {n}, got {held}")
    chances: dict[int, tuple[float, float]] = {}
    for count in set(held):
        reporters, law = _reporters(protocol, count)
        opened = _opened(protocol, reporters, colluders)
        all_collude = _all_among(n, reporters, colluders)
        chances[count] = float(law @ opened), float(law @ (opened * (1 - all_collude)))
    alone = np.array([chances[count][1] for count in held])
    highest = min(1.0, float(alone.sum()))
    lowest = float(alone.max())
    is_associated = protocol.gamma is None and isinstance(protocol.sharing, Additive)
    if is_associated:
        e, broken_alone = chances[held[0]]
        if e < 1:
            # 1 - (1 - e)^N - N r with r = e - `broken_alone`, less the rounding error of two
            # numbers that may be nearly equal
            lost = expm1(N * log1p(-e)) + N * e + 4 * EPSILON * N * e
            lowest = max(lowest, N * broken_alone - lost)
    return Survival(colluders, min(lowest, highest), highest, alone)


def _reporters(protocol: TSS, support: int) -> tuple[Ints, Floats]:
    """Return numbers of reporters of an item that `support` users hold, and their probabilities.

    The numbers left out have probabilities below 1e-300 together. Small numbers count, however
    unlikely they are, because few elected users are easily all among the colluders.
    """
    holder, other = map(float, chances_to_report(protocol))
    if holder == other:  # as with uniform reporting sets
        first, law = _binomial(protocol.users, holder)
    else:
        (first, holders), (more, others) = (
            _binomial(support, holder),
            _binomial(protocol.users - support, other),
        )
        first, law = first + more, np.convolve(holders, others)
    return np.arange(first, first + len(law)), law


def _binomial(n: int, p: float) -> tuple[int, Floats]:
    if n == 0 or p in (0, 1):
        return (n if p == 1 else 0), np.ones(1)
    # By Bernstein's inequality, the rest is less likely than 2 exp(-t² / (2 n p (1-p) + 2 t / 3)).
    reach = 40 * sqrt(n * p * (1 - p)) + 1000
    first, last = max(floor(n * p - reach), 0), min(ceil(n * p + reach), n)
    width = last - first + 1
    law = f"the law of the reporters among {rounded(n)} users"
    refuse_above(law, elements=10 * ELEMENTS_A_STEP * width, memory=120 * width)
    return first, np.exp(log_pmf(np.arange(first, last + 1), n, p))


def _opened(protocol: TSS, reporters: Ints, colluders: int) -> Floats:
    from scipy.stats import hypergeom  # imported only here: scipy loads slowly

    n = protocol.users
    elected = np.array([min(protocol.group_size(m), n) for m in reporters.tolist()])
    needed = protocol.sharing.needed(np.maximum(elected, 1))
    if isinstance(protocol.sharing, Additive):
        return _all_among(n, elected, colluders)
    return np.asarray(hypergeom.sf(needed - 1, n, colluders, elected))


def _all_among(users: int, sizes: Ints, colluders: int) -> Floats:
    from scipy.special import gammaln  # imported only here: scipy loads slowly

    fits = np.minimum(sizes, colluders)
    logs = (
        gammaln(colluders + 1)
        - gammaln(colluders - fits + 1)
        - gammaln(users + 1)
        + gammaln(users - fits + 1)
    )
    return np.where(sizes <= colluders, np.exp(logs), 0.0)


def survival_figure(protocol: TSS, honest: int) -> Any:
    """Return a matplotlib figure of the probability that random colluders break a run, against the
    number of honest users that are left; with a mark at `honest`.

    Raises `BadInput` if matplotlib is not installed, and `ValueError` unless 1 <= `honest` <= n.
    """
    figure, (axes,) = panels(1)
    most = min(max(LEAST_REACH, 2 * honest), protocol.users)
    left = np.unique(np.linspace(1, most, 100).astype(int))
    found = [broken(protocol, protocol.users - int(h)) for h in left]
    lowest, highest = zip(*((one.lowest, one.highest) for one in found), strict=True)
    axes.fill_between(left, lowest, highest, color=COLOURS[0], alpha=0.35, label="bounds")
    axes.plot(left, highest, color=COLOURS[0], linewidth=1.0, label="at most")
    at = broken(protocol, protocol.users - honest)
    axes.plot([honest], [at.highest], "o", color=COLOURS[1], label=f"{honest} honest users")
    axes.set_yscale("log")
    title = f"{protocol.users:,} users, {protocol.items} items"
    dress(axes, title, "honest users that are left", "probability that a run is broken")
    axes.legend(frameon=False, fontsize=SMALL)
    return figure


def draw_survival(protocol: TSS, honest: int, path: Path) -> None:
    """Write the figure of `survival_figure` to a file, in the format that its ending names.

    Raises `BadInput` if that is impossible, and `ValueError` unless 1 <= `honest` <= n.
    """
    write_figure(survival_figure(protocol, honest), path)
