"""How a user's item enters a sum: as a one-hot vector, or as zeros if the user takes no part.

Source: Yang et al., Algorithm 2, lines 2 to 7.
"""

from fractions import Fraction
from typing import Annotated

import numpy as np

from simnet.arrays import Ints
from simnet.coins.coins import Coins

Participation = Annotated[float, "p, the probability that a user takes part, 0 < p <= 1"]


def one_hot(item: int, items: int) -> Ints:
    """Return the one-hot vector `e_item`; shape (items,). Items are counted from 1.

    Raises `ValueError` for an item outside 1..`items`, and `TypeError` for one that is no integer.
    """
    if isinstance(item, bool) or not isinstance(item, int | np.integer):
        raise TypeError(f"an item is a whole number in 1..{items}, got {item!r}")
    if not 1 <= item <= items:
        raise ValueError(f"an item is a whole number in 1..{items}, got {item}")
    values = np.zeros(items, dtype=np.int64)
    values[item - 1] = 1
    return values


def response(item: int, items: int, participation: float | Fraction, coins: Coins) -> Ints:
    """Return `e_item` with probability `participation`, else the zero vector; shape (items,)."""
    # We make the vector also for a user that takes no part, so that a wrong item is always refused.
    vector = one_hot(item, items)
    active = coins.bernoulli(participation)  # (L2)
    return vector if active else np.zeros_like(vector)  # (L3-L7)
