"""Subsets of a few columns for many users at once."""

import numpy as np
import numpy.typing as npt

from simnet.coins.coins import Coins

Bools = npt.NDArray[np.bool_]

AT_ONCE = 1 << 16  # coins, or those of one column: few users need few calls, and many users little memory


def subsets(sizes: npt.NDArray[np.int64], below: int, coins: Coins) -> Bools:
    """For each user a set of so many of `below` columns, every set equally likely; shape (n, below).

    Column by column: of those still to come, each is as likely as any other to be among those still missing.
    """
    chosen = np.empty((below, sizes.size), dtype=np.bool_)  # a column at a time, so columns are contiguous here
    missing = sizes.astype(np.int64)
    together = max(1, AT_ONCE // max(1, sizes.size))
    for first in range(0, below, together):
        last = min(first + together, below)
        drawn = coins.uniform((last - first) * sizes.size).plain.reshape(last - first, sizes.size)
        for column, uniform in enumerate(drawn, start=first):
            np.less(uniform * (below - column), missing, out=chosen[column])
            missing -= chosen[column]
    return chosen.T
