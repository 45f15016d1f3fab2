"""How a user's item enters a sum: one-hot, or not at all when the user takes no part this time.

Source: Yang et al., Algorithm 2, lines 2 to 7.
"""

from fractions import Fraction

import numpy as np

from simnet.coins.coins import Coins
from simnet.values.field import Field
from simnet.values.residues import Residues


def one_hot(item: int, items: int, field: Field) -> Residues:
    """`e_item` in `F_q^N`; items are counted from 1. Raises `ValueError` for an item outside `1..items`."""
    if not 1 <= item <= items:
        raise ValueError(f"an item lies in 1..{items}, got {item}")
    values = np.zeros(items, dtype=field.dtype)
    values[item - 1] = 1
    return Residues(field, values)


def nothing(items: int, field: Field) -> Residues:
    """The zero vector of `F_q^N`."""
    return Residues(field, np.zeros(items, dtype=field.dtype))


def response(item: int, items: int, participation: float | Fraction, field: Field, coins: Coins) -> Residues:
    """`e_item` with probability `participation`, else the zero vector; shape (items,)."""
    active = coins.bernoulli(participation)  # (L2)
    return one_hot(item, items, field) if active else nothing(items, field)  # (L3-L7)
