"""How a user's item enters a sum: one-hot, or not at all when the user takes no part this time.

Source: Yang et al., Algorithm 2, lines 2 to 7.
"""

from fractions import Fraction
from typing import Annotated

import numpy as np

from simnet.arrays import Ints
from simnet.coins.coins import Coins

Participation = Annotated[float, "p, the chance that a user takes part, 0 < p <= 1"]


def one_hot(item: int, items: int) -> Ints:
    """`e_item`, shape (items,); items are counted from 1.

    Raises `ValueError` for anything but `1..items`.
    """
    if not isinstance(item, int | np.integer) or not 1 <= item <= items:
        raise ValueError(f"an item is a whole number in 1..{items}, got {item!r}")
    values = np.zeros(items, dtype=np.int64)
    values[item - 1] = 1
    return values


def response(item: int, items: int, participation: float | Fraction, coins: Coins) -> Ints:
    """`e_item` with probability `participation`, else the zero vector; shape (items,)."""
    # Also of a user who takes no part: an item outside the domain is always refused
    vector = one_hot(item, items)
    active = coins.bernoulli(participation)  # (L2)
    return vector if active else np.zeros_like(vector)  # (L3-L7)
