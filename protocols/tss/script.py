"""TSS: two-stage sampling.

Users report on a few items each, and a few elected users add up the shares of each item.

Learns: S1, every user's reporting set; S2, the sampled count of each item; a user, who reports on
the items that it is elected for; and, if all the users elected for an item collude, each reporter's
answer for it. TSS′ (`prime.py`) bounds how many users can. Source: Yang et al., *Fair and
Differentially Private Distributed Frequency Estimation*, Algorithm 3; (1) to (5) are the steps of
its flow. What is said about TSS stands in `about.py`,
the simulator of its proof in `simulator.py`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated

import attrs
import numpy as np

from protocols import checks
from protocols.mechanisms.reporting import inclusion, membership, reporting_set
from protocols.sharing.encoding import Participation, response
from protocols.sharing.schemes import Additive, SharingByName, sharing_named
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed, Tag
from simnet.roster import Group, Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.residues import constant
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed, bits, index, stack

SET, ELECTED, SHARE = Tag("reporting set"), Tag("elected"), Summed("share")


@attrs.frozen
class TSS:
    """What every party knows. Items are counted from 1 in inputs and from 0 in messages."""

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: Participation  # p
    reported: Annotated[int, "k = αN, how many items a user reports on, 1 <= k <= N"]
    gamma: Annotated[
        float | None,
        "γ > 1 for the adaptive law of reporting sets, none for the uniform one",
    ] = None
    sharing: SharingByName = attrs.field(default=Additive(), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.positive_chance("participation", self.participation)
        checks.reported_items(self.reported, self.items)
        checks.adaptive_weight(self.gamma)

    @property
    def field(self) -> Field:
        """F_q with q the smallest prime above n, so that a count of at most n never wraps."""
        return Field.above(self.users)

    @property
    def chance(self) -> Fraction:
        """q_χ = p p_χ, the chance that a user's item is counted."""
        return Fraction(self.participation) * inclusion(self.reported, self.items, self.gamma)

    def parties(self) -> Mapping[str, Seat]:
        """u1..un play `user`; S1 elects, S2 counts."""
        return {**seats("u", self.user, self.users), "S1": Seat(self.S1), "S2": Seat(self.S2)}

    def group_size(self, reporters: int) -> int:
        """How many users are elected for an item on which so many report: as many."""
        return reporters

    def announcement(self, item: int, reporters: int, elected: Ints) -> tuple[Typed, ...]:
        """What S1 publishes for an item: the item and the elected users."""
        del reporters  # as many as are elected
        return index(item, self.items, "Nd"), index(elected, self.users)

    def announced(self, message: Sequence[Typed]) -> tuple[int, Ints]:
        """How many report on an item, and who is elected, from an announcement."""
        elected = message[1].numbers()
        return len(elected), elected

    async def user(self, me: Party, item: Sealed) -> None:
        """Report a set, share the answers for it, add up the shares of others where elected."""
        mine, chosen = self.answer(item, me)  # shapes (N,) and (k,)
        await me.send(SET, to="S1", payload=bits(membership(chosen, self.items)))  # (1)
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        groups = [elected[j] for j in chosen.tolist()]
        sizes = [len(group) for group in groups]
        shares = self.sharing.share_each(mine[chosen], sizes, me.coins)  # (3)
        await me.scatter(SHARE, to=groups, rows=shares, keys=index(chosen, self.items, "Nd"))
        duties = [j for j in range(self.items) if reporters[j] and me.is_in(elected[j])]
        if duties:
            sums = await me.gather_sums(SHARE, duties, [reporters[j] for j in duties])  # (4)
            await self.sharing.report_each(me, duties, self.items, sums, to="S2")

    async def S1(self, me: Party) -> tuple[Ints, list[Ints]]:
        """Count the reporters of each item, elect users for it, publish them.

        Returns what S1 knows: the reporting sets, and whom it elected for each item.
        """
        sets = stack(await me.gather(SET, me.all("user")))  # (2) shape (n, N)
        everyone = me.group([*me.names("user"), "S2"])
        reporters = sets.values.sum(axis=0).tolist()
        elected = [me.coins.subset(self.group_size(m), self.users).plain for m in reporters]
        messages = [self.announcement(j, reporters[j], elected[j]) for j in range(self.items)]
        await me.publish_each(ELECTED, to=everyone, payloads=messages)
        return sets.numbers(), elected

    async def S2(self, me: Party) -> Sealed:
        """Add up what the elected users report for each item, and normalise; shape (N,)."""
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        reported = [j for j in range(self.items) if reporters[j]]
        sums = await self.sharing.recover_each(me, reported, [elected[j] for j in reported])  # (5)
        return me.output(self.estimate, reported, sums)

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """A trusted party counts, for S2, each sampled item that its holder reports on."""
        reported = []
        for item, user in zip(items, users, strict=True):
            answer, chosen = self.answer(item, user)
            reported.append(answer * constant(self.field, membership(chosen, self.items)))
        return {"S2": type(reported[0]).stack(reported).sum()}

    def answer(self, item: Sealed, user: Holder) -> tuple[FieldArray, Ints]:
        """A user's secret response of shape (N,), and the k items, from 0, on which it reports."""
        answer = user.secret(self.response, item, field=self.field, shape=(self.items,))
        if self.gamma is None:
            return answer, user.disclose(self.uniform_set)
        return answer, user.disclose(self.adaptive_set, answer)

    def response(self, item: int, coins: Coins) -> Ints:
        """The item one-hot if the user takes part this time, else zeros; shape (N,)."""
        return response(item, self.items, self.participation, coins)

    def uniform_set(self, coins: Coins) -> Ints:
        """A reporting set that says nothing about the item; shape (k,)."""
        return reporting_set(self.reported, self.items, None, None, coins)

    def adaptive_set(self, answer: Ints, coins: Coins) -> Ints:
        """A reporting set that is γ times as likely if it holds the item answered for."""
        item = int(answer.argmax()) if answer.any() else None
        return reporting_set(self.reported, self.items, item, self.gamma, coins)

    def elections(
        self, me: Party, messages: Sequence[Sequence[Typed]]
    ) -> tuple[list[int], list[Group]]:
        """From S1's announcements: how many report on each item, and the group elected for it."""
        users = me.all("user")
        counts, groups = [], []
        for message in messages:
            reporters, elected = self.announced(message)
            counts.append(reporters)
            groups.append(users.pick(elected))
        return counts, groups

    def estimate(self, reported: Sequence[int], sums: Ints) -> Numbers:
        """Unbiased frequencies from the counts of the items reported on; shape (N,)."""
        counts = np.zeros_like(sums, shape=self.items)
        counts[reported] = sums
        return counts / float(self.chance * self.users)

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret."""
        return self.sharing.needed(shares)

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Whether elements of a response tell the item: the 1 does, and zeros if all take part."""
        return 1 in values.values() or (self.participation == 1 and len(values) == self.items - 1)
