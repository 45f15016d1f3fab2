"""Reporting sets: the k of the N items on which a user of TSS reports.

Uniform law (χ_U): every set of k items is equally likely. Adaptive law (χ_A(γ)): a set that holds
the user's item is γ times as likely as a set that does not.

Source: Yang et al., Definition 3.1 and Theorem 3.3.
"""

from fractions import Fraction

import numpy as np

from protocols.mechanisms.odds import log
from simnet.arrays import Ints
from simnet.coins.coins import Coins


def reporting_set(
    k: int, items: int, own_item: int | None, gamma: float | None, coins: Coins
) -> Ints:
    """Draw a reporting set: items counted from 0, sorted; shape (k,).

    `own_item` is the user's item, from 0, or None for a user who takes no part. The set is uniform
    if `own_item` or `gamma` is None.
    """
    if own_item is None or gamma is None:
        return coins.weighted_subset(k, items).plain
    return coins.weighted_subset(k, items, favoured=own_item, weight=gamma).plain


def membership(chosen: Ints, items: int) -> Ints:
    """Return the bit vector of a set of items; shape (items,)."""
    indicator = np.zeros(items, dtype=np.int64)
    indicator[chosen] = 1
    return indicator


def inclusion(k: int, items: int, gamma: float | None) -> Fraction:
    """Return p_χ, the probability that the set of a user who takes part holds the user's item.

    With α = k / N, p_χ is α for the uniform law and αγ / (αγ + 1 - α) for the adaptive law.
    """
    weight = Fraction(1) if gamma is None else Fraction(gamma)
    return k * weight / (k * weight + items - k)


def epsilon_of_set(
    k: int, items: int, participation: float, gamma: float | None
) -> tuple[float, float]:
    """Return the exact ε of the map from a user's item to its reporting set, and the bound
    log γ.

    Both are 0 for the uniform law. The bound is that of Theorem 3.3. A user takes part with
    probability `participation`; a user who takes no part draws a uniform set.
    """
    if gamma is None or k == items:
        return 0.0, 0.0 if gamma is None else log(gamma)
    p, weight = Fraction(participation), Fraction(gamma)
    # Let m = C(N-1, k-1) be the number of sets that hold the item; each has weight γ. There are
    # m (N-k)/k sets without the item, and m N/k sets in all. The factor m cancels, so that the
    # fractions stay short for any N.
    active, idle = p / (k * weight + items - k), (1 - p) / items
    return log((active * weight + idle) / (active + idle)), log(weight)
