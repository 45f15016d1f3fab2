"""Subsets of a few columns for many users at once."""

import numpy as np

from simnet.arrays import Bools, Ints
from simnet.coins.coins import Coins


def subsets(sizes: Ints, below: int, coins: Coins) -> Bools:
    """For each user a set of so many of `below` columns, every set equally likely.

    Shape (n, below). Single columns are drawn by number. Else column by column: of those still to
    come, each is as likely as any other to be among those still missing. Proof:
    docs/proofs/subsets.md.
    """
    if (sizes == 1).all():
        return np.asarray(
            coins.integers(below, sizes.size).plain[:, np.newaxis] == np.arange(below)
        )
    # a column at a time, so columns are contiguous here
    chosen = np.empty((below, sizes.size), dtype=np.bool_)
    missing = sizes.astype(np.int64)
    for column in range(below):
        chosen[column] = coins.integers(below - column, sizes.size).plain < missing
        missing -= chosen[column]
    return chosen.T
