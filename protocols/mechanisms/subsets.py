"""Random subsets of a few columns, for many users at once."""

import numpy as np

from simnet.arrays import Bools, Ints
from simnet.coins.coins import Coins


def subsets(sizes: Ints, below: int, coins: Coins) -> Bools:
    """Draw a set of `sizes[user]` of the `below` columns for each user, every set equally
    likely.

    Shape (n, below). If all sets have one column, the column is drawn directly. Otherwise the
    function decides column by column: with m columns to come and r still missing, the next column
    is in the set with probability r / m. Proof: the page "Subsets" in the
    documentation.
    """
    if (sizes == 1).all():
        return np.asarray(
            coins.integers(below, sizes.size).plain[:, np.newaxis] == np.arange(below)
        )
    # columns are contiguous in memory, because we decide column by column
    chosen = np.empty((below, sizes.size), dtype=np.bool_)
    missing = sizes.astype(np.int64)
    for column in range(below):
        chosen[column] = coins.integers(below - column, sizes.size).plain < missing
        missing -= chosen[column]
    return chosen.T
