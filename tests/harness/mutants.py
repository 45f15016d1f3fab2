"""Broken variants of DPDS and TSS, each with one mistake of a kind that real code has made."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np

from protocols.dpds.script import DPDS, SHARE
from protocols.sharing.schemes import Additive, Shamir
from protocols.tss.prime import TSSPrime
from protocols.tss.script import ELECTED, SET, TSS
from simnet import Party, Sealed, Tag, bits, constant, index
from simnet.coins.coins import Coins, Deferred
from simnet.coins.sampled import SeededSource
from simnet.values.field import FieldArray

COPY, UNSUMMED, PUBLISHED = Tag("copy"), Tag("unsummed share"), Tag("published")


class OneMask(Additive):
    """Draws a mask for the first share only. The shares between it and the last are zeros, so sums
    come out right.
    """

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        def rows(coins: Coins) -> FieldArray:
            drawn = coins.field(secret.field, (1, *secret.shape))
            block = drawn
            for _ in range(parties - 2):
                block = block.append(drawn[0] - drawn[0])
            return block.append(secret - drawn[0])

        return coins.deferred(secret.field, (parties, *secret.shape), rows)


class NoMask(Additive):
    """Sends the secret itself to the last party. The masks cancel, so sums come out right."""

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        def rows(coins: Coins) -> FieldArray:
            masks = coins.field(secret.field, (parties - 2, *secret.shape))
            return masks.append((masks - masks).sum() - masks.sum()).append(secret)

        return coins.deferred(secret.field, (parties, *secret.shape), rows)


class OneMaskForAllItems(Additive):
    """Masks every element of a secret with the same coins."""

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        def rows(coins: Coins) -> FieldArray:
            drawn = coins.field(secret.field, (parties - 1, 1))
            masks = drawn * constant(
                secret.field, np.ones((parties - 1, *secret.shape), dtype=np.int64)
            )
            return masks.append(secret - masks.sum())

        return coins.deferred(secret.field, (parties, *secret.shape), rows)


class CopiesLastShare(DPDS):
    """Every user sends its last share to the first user as well."""

    async def user(self, me: Party, item: Sealed) -> None:
        users = me.all("user")
        rows = self.sharing.share(self.answer(item, me), self.users, me.coins).evaluate()
        await me.scatter(SHARE, to=users, rows=rows)
        await me.send(COPY, to="u1", payload=rows[self.users - 1])
        if me.index == 1:
            await me.gather(COPY, users)
        await self.sharing.report(me, await me.gather_sum(SHARE, senders=users), to="server")


class LeavesOneOut(DPDS):
    """Sends shares to all users but the last, so there is one share too few."""

    async def user(self, me: Party, item: Sealed) -> None:
        sharers = me.group(me.names("user")[:-1])
        await me.scatter(
            SHARE,
            to=sharers,
            rows=self.sharing.share(self.answer(item, me), self.users - 1, me.coins),
        )
        if me.is_in(sharers):
            await self.sharing.report(
                me, await me.gather_sum(SHARE, senders=me.all("user")), to="server"
            )

    async def server(self, me: Party) -> Sealed:
        counts = await self.sharing.recover(me, me.group(me.names("user")[:-1]))
        return me.output(self.estimate, counts)


class PublishesPartialSums(DPDS):
    """The server sends all partial sums to every user. This mutant is for Shamir's sharing, where
    the server tells the reports apart.
    """

    async def user(self, me: Party, item: Sealed) -> None:
        await super().user(me, item)
        await me.receive(PUBLISHED, "server", shape=(self.users, self.items))

    async def server(self, me: Party) -> Sealed:
        users = me.all("user")
        reports = await me.gather(self.sharing.partial, users)
        await me.publish(PUBLISHED, to=users, payload=type(reports[0]).stack(reports))
        assert isinstance(self.sharing, Shamir)
        counts = self.sharing.interpolate(reports, range(1, self.users + 1))
        return me.output(self.estimate, counts)


class PublishesCounts(DPDS):
    """The server sends every user the sum, as field elements, before it opens it."""

    async def user(self, me: Party, item: Sealed) -> None:
        await super().user(me, item)
        await me.receive(PUBLISHED, "server", shape=(self.items,))

    async def server(self, me: Party) -> Sealed:
        counts = await self.sharing.recover(me, me.all("user"))
        await me.publish(PUBLISHED, to=me.all("user"), payload=counts)
        return me.output(self.estimate, counts)


class ForwardsUnsummed(TSS):
    """Elected users forward every share that they get to S2, one by one, and S2 adds up the shares
    itself.
    """

    async def user(self, me: Party, item: Sealed) -> None:
        mine, chosen = self.answer(item, me)
        await me.send(SET, to="S1", payload=bits(np.isin(np.arange(self.items), chosen)))
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        groups = [elected[j] for j in chosen.tolist()]
        shares = self.sharing.share_each(
            mine[chosen], [len(group) for group in groups], me.coins
        ).evaluate()
        place = 0
        for j, group in zip(chosen.tolist(), groups, strict=True):
            for name in group:
                await me.send(
                    UNSUMMED, to=name, payload=(index(j, self.items, "Nd"), shares[place])
                )
                place += 1
        for _ in range(sum(reporters[j] for j in range(self.items) if me.is_in(elected[j]))):
            await me.send(UNSUMMED, to="S2", payload=(await me.receive_any(UNSUMMED))[1])

    async def S2(self, me: Party) -> Sealed:
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        sums: dict[int, FieldArray] = {}
        for _ in range(sum(m * len(group) for m, group in zip(reporters, elected, strict=True))):
            of, share = (await me.receive_any(UNSUMMED))[1]
            j = int(of.numbers())
            sums[j] = sums[j] + share if j in sums else share
        reported = sorted(sums)
        counts = type(sums[reported[0]]).stack([sums[j] for j in reported])
        return me.output(self.estimate, reported, counts)


class ElectsOneTooFew(TSSPrime):
    """Elects only as many users as may collude, instead of one more."""

    def group_size(self, reporters: int) -> int:
        return max(self.bound, reporters)


@contextmanager
def one_coin_stream(first: str, second: str) -> Iterator[None]:
    """In the `with` block, the second party plays with the coins of the first party."""
    made = SeededSource.__init__

    def init(self: SeededSource, seed: int, party: str, purpose: str = "") -> None:
        made(self, seed, first if party == second else party, purpose)

    with mock.patch.object(SeededSource, "__init__", init):
        yield
