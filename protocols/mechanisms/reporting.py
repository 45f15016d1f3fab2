"""Reporting sets: which k of the N items a user of TSS reports on.

The set is to say little or nothing about the user's item. Uniform (χ_U): every set of k items
equally likely. Adaptive (χ_A(γ)): a set that holds the user's item is γ times as likely. Source:
Yang et al., Definition 3.1 and Theorem 3.3.
"""

from fractions import Fraction

import numpy as np

from protocols.mechanisms.odds import log
from simnet.arrays import Ints
from simnet.coins.coins import Coins


def reporting_set(
    k: int, items: int, own_item: int | None, gamma: float | None, coins: Coins
) -> Ints:
    """A reporting set as items counted from 0, sorted; shape (k,).

    `own_item` is the item that the response is about, from 0, or None where the user takes no part;
    `gamma` is None for the uniform law.
    """
    if own_item is None or gamma is None:
        return coins.weighted_subset(k, items).plain
    return coins.weighted_subset(k, items, favoured=own_item, weight=gamma).plain


def membership(chosen: Ints, items: int) -> Ints:
    """The bit vector of a set of items; shape (items,)."""
    indicator = np.zeros(items, dtype=np.int64)
    indicator[chosen] = 1
    return indicator


def inclusion(k: int, items: int, gamma: float | None) -> Fraction:
    """p_χ: the chance that the set of a user who takes part holds its item.

    α for the uniform law, αγ / (αγ + 1 - α) for the adaptive one.
    """
    weight = Fraction(1) if gamma is None else Fraction(gamma)
    return k * weight / (k * weight + items - k)


def epsilon_of_set(
    k: int, items: int, participation: float, gamma: float | None
) -> tuple[float, float]:
    """Exact ε of the map from a user's item to its reporting set, and the bound log γ.

    The bound is Theorem 3.3's. The likeliest set for an item holds it, the least likely does not; a
    user without part draws uniformly.
    """
    if gamma is None or k == items:
        return 0.0, 0.0 if gamma is None else log(gamma)
    p, weight = Fraction(participation), Fraction(gamma)
    # The sets of k - 1 other items weigh γ, those of k others (N - k)/k as many, and all sets are
    # N/k times as many: what is common cancels, and chances stay short at any N.
    active, idle = p / (k * weight + items - k), (1 - p) / items
    return log((active * weight + idle) / (active + idle)), log(weight)
