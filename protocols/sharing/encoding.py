"""How a user's item enters a sum: one-hot, or not at all when the user takes no part this time.

Source: Yang et al., Algorithm 2, lines 2 to 7.
"""

from fractions import Fraction

import numpy as np

from simnet.coins.coins import Coins
from simnet.values.field import Field
from simnet.values.residues import Residues


def one_hot(item: int, items: int, field: Field) -> Residues:
    """`e_item` in `F_q^N`; items are counted from 1.

    Raises `ValueError` for anything but `1..items`.
    """
    if not isinstance(item, int | np.integer) or not 1 <= item <= items:
        raise ValueError(f"an item is a whole number in 1..{items}, got {item!r}")
    values = np.zeros(items, dtype=field.dtype)
    values[item - 1] = 1
    return Residues(field, values)


def zero_vector(items: int, field: Field) -> Residues:
    """The zero vector of `F_q^N`."""
    return Residues(field, np.zeros(items, dtype=field.dtype))


def response(
    item: int, items: int, participation: float | Fraction, field: Field, coins: Coins
) -> Residues:
    """`e_item` with probability `participation`, else the zero vector; shape (items,)."""
    # Also of a user who takes no part: an item outside the domain is always refused
    vector = one_hot(item, items, field)
    active = coins.bernoulli(participation)  # (L2)
    return vector if active else zero_vector(items, field)  # (L3-L7)
