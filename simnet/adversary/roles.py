"""What each unknown is to a coalition: an honest coin, a known number, a free secret, a derived
secret or a product of secrets.

Theory of operation. A party knows its own coins and secrets. A coin that no member of the coalition
drew is an honest coin. Doors add two more cases, because a secret can be made from coins::

    u1: t = me.secret(f, x + r)     t depends on the coin r: it is no free secret, but *derived*
    u2: receives r, and makes
        k = me.secret(g, r)         u2 knows k, but k depends on r: k is no constant, but *moving*

Both cases follow from one rule. A secret or product depends on coins if it is made from an honest
coin, or from an unknown that depends on coins. If an honest party made it, it is derived. If a
member of the coalition made it, it is moving.

The rule is applied to whole families.

>>> from simnet.values.field import Field
>>> from simnet.values.residues import constant
>>> unknowns, one = Unknowns(), constant(Field(7), [1])
>>> r = unknowns.family("coin", "r", "", "u1", one)
>>> t = unknowns.family("secret", "t", "", "u1", one)
>>> k = unknowns.family("secret", "k", "", "u2", one)
>>> roles = Roles(unknowns, ["u2"], [Making(t.number, {r.number}), Making(k.number, {r.number})])
>>> roles.derived[[r.number, t.number, k.number]].tolist()
[False, True, False]
>>> roles.moving[[r.number, t.number, k.number]].tolist()
[False, False, True]
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

import attrs
import numpy as np

from simnet.arrays import Bools, Ints
from simnet.linear.unknowns import KINDS, PLACES, Unknowns

COIN, PRODUCT, STREAM = (KINDS.index(kind) for kind in ("coin", "product", "stream"))


@attrs.frozen
class Making:
    """States that the family `made` is made from unknowns of the families `of`."""

    made: int
    of: AbstractSet[int]


class Roles:
    """The roles of all families of unknowns; each role is an array by the number of the family.

    - `coin`: coins of honest parties, and random rows whose seeds the coalition does not know.
    - `known`: unknowns that the coalition knows.
    - `moving`: secrets and products of the coalition that depend on honest coins.
    - `derived`: secrets and products of honest parties that depend on coins.
    - `tied`: unknowns that cannot be varied by themselves: derived unknowns and products.

    All other unknowns are free secrets.
    """

    def __init__(
        self,
        unknowns: Unknowns,
        corrupt: Iterable[str],
        makings: Sequence[Making],
        streams: AbstractSet[int] = frozenset(),
    ) -> None:
        """`streams` are the families of random rows whose seeds the coalition knows."""
        self.known = unknowns.held_by(corrupt, streams)
        kinds = unknowns.kinds()
        is_coin = (kinds == COIN) | (kinds == STREAM)
        self.coin: Bools = is_coin & ~self.known
        depends = self.coin.copy()
        pending, before = list(makings), -1
        while len(pending) != before:
            before, left = len(pending), []
            for making in pending:
                if depends[list(making.of)].any():
                    depends[making.made] = True
                else:
                    left.append(making)
            pending = left
        self.derived: Bools = depends & ~is_coin & ~self.known
        self.moving: Bools = depends & self.known
        self.tied: Bools = self.derived | (kinds == PRODUCT)

    def is_coin(self, unknowns: Ints) -> Bools:
        """Which unknowns have the role `coin`."""
        return np.asarray(self.coin[unknowns // PLACES])

    def is_known(self, unknowns: Ints) -> Bools:
        """Which unknowns the coalition knows."""
        return np.asarray(self.known[unknowns // PLACES])

    def depends_on_coins(self, families: AbstractSet[int]) -> bool:
        """Whether a row with unknowns of these families depends on unknowns of the role `coin`."""
        return any(
            self.coin[number] or self.moving[number] or self.derived[number] for number in families
        )
