"""Protocols with one mistake in the law of their coins or in their plain messages, and the same
protocols without the mistake.

A verdict on one run cannot find a mistake in a law: only the exact law of a view shows the mistake.
The scripts are as small as possible, so that every coin can be played out.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from protocols.dpds.script import DPDS, SHARE
from protocols.mechanisms.reporting import membership, reporting_set
from protocols.mechanisms.unary import OUE
from protocols.sharing.schemes import Shamir
from protocols.tss.script import SET
from simnet import Field, Party, Seat, Tag, bits, constant, index, seats
from simnet.arrays import Bools
from simnet.coins.coins import Coins, Deferred
from simnet.values.field import FieldArray
from simnet.values.residues import Residues
from simnet.values.sealed import Sealed

MASKED, PART, BACK = Tag("masked"), Tag("takes part"), Tag("back")


@attrs.frozen
class Masking:
    """A user masks its input and sends it to a server. The mask is uniform on F_q, as
    it should be.
    """

    modulus: int = 5

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    @property
    def items(self) -> int:
        return self.modulus - 1

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    def held(self, me: Party, item: Sealed) -> FieldArray:
        return me.secret(lambda held: [held], item, field=self.field, shape=(1,))

    def mask(self, me: Party) -> FieldArray:
        return me.coins.field(self.field, (1,))

    async def user(self, me: Party, item: Sealed) -> None:
        await me.send(MASKED, "server", self.held(me, item) + self.mask(me))

    async def server(self, me: Party) -> None:
        await me.receive(MASKED, "u1")


@attrs.frozen
class MaskFromRange(Masking):
    """Masks are uniform below `below` instead of below q."""

    below: int = 4

    def mask(self, me: Party) -> Residues:
        return constant(self.field, me.coins.integers(self.below, 1).plain)


@attrs.frozen
class DrawnMask(MaskFromRange):
    """A correct protocol that also draws its mask as a plain number."""

    def __attrs_post_init__(self) -> None:
        assert self.below == self.modulus


@attrs.frozen
class IntegerMask(MaskFromRange):
    """The mask is added over the integers, and the sum is not reduced modulo q."""

    async def user(self, me: Party, item: Sealed) -> None:
        total = me.disclose(self.masked, item)
        await me.send(MASKED, "server", index(total, self.modulus + self.below))

    def masked(self, item: int, coins: Coins) -> int:
        return item + int(coins.integers(self.below, 1)[0])


@attrs.frozen
class ReducedMask(MaskFromRange):
    """A correct protocol: the mask is added over the integers, and the sum is reduced modulo the
    number of masks.
    """

    async def user(self, me: Party, item: Sealed) -> None:
        await me.send(MASKED, "server", index(me.disclose(self.masked, item), self.below))

    def masked(self, item: int, coins: Coins) -> int:
        return (item + int(coins.integers(self.below, 1)[0])) % self.below


@attrs.frozen
class TwoItems(Masking):
    """A user hides two elements, its input and the square of its input, each behind a mask of its
    own.
    """

    modulus: int = 7

    def held(self, me: Party, item: Sealed) -> FieldArray:
        return me.secret(lambda held: [held, held * held], item, field=self.field, shape=(2,))

    def mask(self, me: Party) -> FieldArray:
        return me.coins.field(self.field, (2,))


@attrs.frozen
class OneMaskForTwoItems(TwoItems):
    """A user hides two elements behind the same mask."""

    def mask(self, me: Party) -> FieldArray:
        return me.coins.field(self.field, (1,)) * constant(self.field, [1, 1])


@attrs.frozen
class FixedMask(Masking):
    """The mask is a constant, as if somebody had left a fixed seed in the code."""

    def mask(self, me: Party) -> Residues:
        return constant(self.field, [3])


@attrs.frozen
class NonZero(Shamir):
    """Shamir's sharing whose coefficients are drawn among the elements that are not zero."""

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        powers = self._powers(parties, secret.field)

        shape = (powers.shape[1] - 1, *secret.shape)
        drawn = (
            coins.integers(secret.field.modulus - 1, int(np.prod(shape))).plain.reshape(shape) + 1
        )

        def rows(coins: Coins) -> FieldArray:
            del coins
            shares: FieldArray = constant(secret.field, drawn).append(secret).combine(powers)
            return shares

        return coins.deferred(secret.field, (parties, *secret.shape), rows)


@attrs.frozen
class LowDegree(Shamir):
    """Shamir's sharing with a polynomial of one degree less than it should have."""

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        return Shamir(self.threshold - 1).share(secret, parties, coins)


@attrs.frozen
class Dealing:
    """One user shares its input among holders, who receive nothing but the shares."""

    holders: int
    sharing: Any
    modulus: int = 5

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    @property
    def items(self) -> int:
        return self.modulus - 1

    def parties(self) -> Mapping[str, Seat]:
        return {"dealer": Seat(self.dealer), **seats("h", self.holder, self.holders)}

    async def dealer(self, me: Party, item: Sealed) -> None:
        secret = me.secret(lambda held: [held], item, field=self.field, shape=(1,))
        await me.scatter(
            MASKED, to=me.all("holder"), rows=self.sharing.share(secret, self.holders, me.coins)
        )

    async def holder(self, me: Party) -> None:
        await me.receive(MASKED, "dealer")


class TellsWhoTakesPart(DPDS):
    """Every user tells the server whether it takes part."""

    async def user(self, me: Party, item: Sealed) -> None:
        users = me.all("user")
        mine = self.answer(item, me)
        await me.send(PART, to="server", payload=bits([me.disclose(np.any, mine)]))
        await me.scatter(SHARE, to=users, rows=self.sharing.share(mine, self.users, me.coins))
        await self.sharing.report(me, await me.gather_sum(SHARE, senders=users), to="server")

    async def server(self, me: Party) -> Any:
        await me.gather(PART, me.all("user"))
        return await super().server(me)


@attrs.frozen
class Reporting:
    """The first stage of TSS with two items: each user sends S1 a reporting set of one item, which
    is the user's own item with a weight of `gamma`.
    """

    users: int
    gamma: float | None
    # Whether a user also tells that it takes part, and thus that its set favours its item
    tells: bool = False
    participation: float = 0.5
    items = 2

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, self.users), "S1": Seat(self.S1)}

    async def user(self, me: Party, item: Sealed) -> None:
        active = me.coins.bernoulli(self.participation)
        chosen = me.disclose(self.reporting_set, item if active else None)
        await me.send(SET, to="S1", payload=bits(membership(chosen, self.items)))
        if self.tells:
            await me.send(PART, to="S1", payload=bits([active]))

    def reporting_set(self, item: int | None, coins: Coins) -> Any:
        place = None if item is None else item - 1
        return reporting_set(1, self.items, place, self.gamma, coins)

    async def S1(self, me: Party) -> None:
        await me.gather(SET, me.all("user"))
        if self.tells:
            await me.gather(PART, me.all("user"))


@attrs.frozen
class OpensAndSends(Masking):
    """The server opens the number that it receives, and sends the number's parity to
    another user.
    """

    masks: bool = True

    def parties(self) -> Mapping[str, Seat]:
        return {**super().parties(), "u2": Seat(self.listener)}

    def mask(self, me: Party) -> FieldArray:
        return super().mask(me) * int(self.masks)

    async def server(self, me: Party) -> None:
        received = await me.receive(MASKED, "u1")
        await me.send(BACK, "u2", bits(me.disclose(lambda opened: opened % 2, received)))

    async def listener(self, me: Party) -> None:
        await me.receive(BACK, "server")


@attrs.frozen
class Noisy(Masking):
    """A user adds noise with infinitely many outcomes, of the law with the given name."""

    law: str = "normal"

    async def user(self, me: Party, item: Sealed) -> None:
        has_parameter = self.law in ("discrete_normal", "discrete_laplace", "skellam")
        arguments = (Fraction(2), 1) if has_parameter else (1,)
        getattr(me.coins, self.law)(*arguments)
        await super().user(me, item)


@attrs.frozen
class Tossing(Masking):
    """A user draws the given number of coins with ten outcomes each, before it does
    anything else.
    """

    coins: int = 8

    async def user(self, me: Party, item: Sealed) -> None:
        me.coins.integers(10, self.coins)
        await super().user(me, item)


@attrs.frozen
class LastBitAsIs(OUE):
    """Optimised unary encoding that adds no noise to the last bit."""

    def perturb(self, values: Any, coins: Coins) -> Bools:
        reports = super().perturb(values, coins)
        reports[:, -1] = np.asarray(values) == self.items
        return reports
