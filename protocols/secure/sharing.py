"""Additive secret sharing over a prime field.

A secret is split into m shares that add up to it: m - 1 uniform field elements, and what is left. Any m - 1 of them are
uniform and independent of the secret; shares of two secrets add up to shares of their sum.
Source: Yang et al., section 2 (secret sharing) and Algorithm 2, line 8.
"""

from simnet.coins.coins import Coins, Deferred
from simnet.values.field import FieldArray


def share(secret: FieldArray, parties: int, coins: Coins) -> Deferred:
    """Shares of a secret of shape (N,); shape (parties, N), row j for party j. Costs (parties - 1) N draws."""

    def rows(coins: Coins) -> FieldArray:
        masks = coins.field(secret.field, (parties - 1, *secret.shape))
        return masks.append(secret - masks.sum() if parties > 1 else secret)

    return coins.deferred(secret.field, (parties, *secret.shape), rows)
