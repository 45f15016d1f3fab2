"""Random subsets of the numbers from 0 to a limit, for many users at once."""

import numpy as np

from simnet.arrays import Bools, Ints
from simnet.coins.coins import Coins


def subsets(sizes: Ints, below: int, coins: Coins) -> Bools:
    """Draw a set of `sizes[user]` of the numbers 0..below-1 for each user, every set equally
    likely.

    In the result, shape (n, below), entry [user, j] says whether j is in the user's set. If every
    set has one number, this number is drawn directly. Otherwise the function decides number by
    number: if m numbers are still to be decided, and the set still lacks r of them, the next
    number is in the set with probability r / m. Proof: the page "Subsets" in the documentation.
    """
    if (sizes == 1).all():
        return np.asarray(
            coins.integers(below, sizes.size).plain[:, np.newaxis] == np.arange(below)
        )
    # columns are contiguous in memory, because we decide number by number
    chosen = np.empty((below, sizes.size), dtype=np.bool_)
    missing = sizes.astype(np.int64)
    for column in range(below):
        chosen[column] = coins.integers(below - column, sizes.size).plain < missing
        missing -= chosen[column]
    return chosen.T
