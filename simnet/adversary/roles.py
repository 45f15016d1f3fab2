"""What unknowns are to a coalition: honest coins, known numbers, free secrets, derived ones.

Theory of operation. What a party holds it knows, and a coin that no member of the coalition holds
is uniform to it. With doors there is more to tell, because a secret can be made of coins:

    u1: t = me.secret(f, x + r)     t depends on the coin r: it is no free secret, but *derived*
    u2: receives r, and makes
        k = me.secret(g, r)         u2 knows k; but k moves with r, it is no constant: *moving*

Both follow from one rule: a secret or product that is made of an honest coin, or of an unknown that
was made of one, depends on coins. If an honest party holds it, it is derived, and if the coalition
holds it, it is moving.

The rule is applied to whole families, as all unknowns of a family are made by one door.

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

COIN, PRODUCT = KINDS.index("coin"), KINDS.index("product")


@attrs.frozen
class Making:
    """That the family `made` is made of unknowns of the families `of`."""

    made: int
    of: AbstractSet[int]


class Roles:
    """The roles of all families of unknowns, each an array by the number of the family.

    `coin`: coins of honest parties. `known`: what the coalition holds. `moving`: what it holds and
    has made of honest coins. `derived`: secrets and products of honest parties that are made of
    coins. All others are free secrets. `tied`: those that cannot be varied by themselves, which are
    derived ones and products.
    """

    def __init__(
        self, unknowns: Unknowns, corrupt: Iterable[str], makings: Sequence[Making]
    ) -> None:
        self.known = unknowns.held_by(corrupt)
        kinds = unknowns.kinds()
        is_coin = kinds == COIN
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
        """Which unknowns are coins of honest parties."""
        return np.asarray(self.coin[unknowns // PLACES])

    def is_known(self, unknowns: Ints) -> Bools:
        """Which unknowns the coalition holds."""
        return np.asarray(self.known[unknowns // PLACES])

    def depends_on_coins(self, families: AbstractSet[int]) -> bool:
        """Whether a row with unknowns of these families depends on coins of honest parties."""
        return any(
            self.coin[number] or self.moving[number] or self.derived[number] for number in families
        )
