"""TSS: two-stage sampling.

Each user reports on k of the N items, its *reporting set*. The user tells S1 this set. The
*reporters* of an item are the users who report on it; for each item S1 elects as many users as the
item has reporters. Each reporter splits its answer for the item (1 if the reporter takes part and
holds the item, else 0) into shares for the elected users. The elected users add up the shares and
send their sums to S2, which computes the count of each item from them.

S1 learns every user's reporting set. S2 learns the sampled count of each item. A user learns who
reports on the items for which it is elected. If all users elected for an item collude, or enough of
them with Shamir's sharing, they learn every reporter's answer for the item. TSS′ (`prime.py`)
elects at least φ + 1 users for every item, so that with additive sharing no φ users can do so.

Source: Yang et al., *Fair and Differentially Private Distributed Frequency Estimation*, Algorithm
3; (L11) below is line 11 of that box.
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

Gamma = Annotated[
    float | None,
    "γ > 1 for the adaptive law of reporting sets, none for the uniform one",
]


@attrs.frozen
class TSS:
    """The parameters of TSS, which every party knows, and the scripts of its roles.

    `users` is n >= 2, `items` is N >= 1, `participation` is p in (0, 1], and `reported` is k in
    1..N. Without `gamma` the reporting sets are uniform. With γ > 1, for a user who takes part, a
    set that holds the user's item is γ times as likely as a set that does not. `sharing` is
    `Additive()`, `Shamir(t)`, `ShamirPercent(P)` or a name such as `shamir:3`. Items are counted
    from 1 in inputs and from 0 in messages. The output of S2 is the array of the estimated
    frequencies; shape (N,).

    Raises `ValueError` for parameters outside these ranges.

    >>> from simnet import run
    >>> protocol = TSS(users=4, items=2, participation=1.0, reported=2)
    >>> run(protocol, [1, 2, 2, 2], seed=7).outputs["S2"].tolist()
    [0.25, 0.75]
    >>> TSS(users=4, items=2, participation=0.5, reported=1).chance
    Fraction(1, 4)
    """

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: Participation  # p
    reported: Annotated[int, "k = αN, how many items a user reports on, 1 <= k <= N"]
    gamma: Gamma = None
    sharing: SharingByName = attrs.field(default=Additive(), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.positive_chance("participation", self.participation)
        checks.reported_items(self.reported, self.items)
        checks.adaptive_weight(self.gamma)

    @property
    def field(self) -> Field:
        """The field F_q; q is the smallest prime above n, so that no count can wrap."""
        return Field.above(self.users)

    @property
    def chance(self) -> Fraction:
        """The probability q_χ that a user takes part and reports on its own item."""
        return Fraction(self.participation) * inclusion(self.reported, self.items, self.gamma)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`, S1 elects users, and S2 counts."""
        return {**seats("u", self.user, self.users), "S1": Seat(self.S1), "S2": Seat(self.S2)}

    def group_size(self, reporters: int) -> int:
        """Return how many users S1 elects for an item with this many reporters: the same number."""
        return reporters

    def announcement(self, item: int, reporters: int, elected: Ints) -> tuple[Typed, ...]:
        """Return what S1 publishes for an item: the item and the elected users."""
        del reporters  # in TSS this is the number of elected users
        return index(item, self.items, "Nd"), index(elected, self.users)

    def announced(self, message: Sequence[Typed]) -> tuple[int, Ints]:
        """Return, from an announcement, how many users report on the item, and who is elected."""
        elected = message[1].numbers()
        return len(elected), elected

    async def user(self, me: Party, item: Sealed) -> None:
        """Send S1 a reporting set, share the answers, and add up the shares for the items for which
        the user is elected.
        """
        mine, chosen = self.answer(item, me)  # shapes (N,) and (k,)
        await me.send(SET, to="S1", payload=bits(membership(chosen, self.items)))  # (L9)
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        groups = [elected[j] for j in chosen.tolist()]
        sizes = [len(group) for group in groups]
        shares = self.sharing.share_each(mine[chosen], sizes, me.coins)  # (L16)
        await me.scatter(SHARE, to=groups, rows=shares, keys=index(chosen, self.items, "Nd"))
        duties = [j for j in range(self.items) if reporters[j] and me.is_in(elected[j])]
        if duties:
            sums = await me.gather_sums(SHARE, duties, [reporters[j] for j in duties])  # (L20)
            await self.sharing.report_each(me, duties, self.items, sums, to="S2")

    async def S1(self, me: Party) -> tuple[Ints, list[Ints]]:
        """Count the reporters of each item, elect users for each item, and publish who is elected.

        Returns what S1 knows: the reporting sets, and the users whom it elected for each item.
        """
        sets = stack(await me.gather(SET, me.all("user")))  # (L11) shape (n, N)
        everyone = me.group([*me.names("user"), "S2"])
        reporters = sets.values.sum(axis=0).tolist()
        elected = [me.coins.subset(self.group_size(m), self.users).plain for m in reporters]
        messages = [self.announcement(j, reporters[j], elected[j]) for j in range(self.items)]
        await me.publish_each(ELECTED, to=everyone, payloads=messages)
        return sets.numbers(), elected

    async def S2(self, me: Party) -> Sealed:
        """Recover the count of each item from what the elected users report, and normalise; shape
        (N,).
        """
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        reported = [j for j in range(self.items) if reporters[j]]
        sums = await self.sharing.recover_each(me, reported, [elected[j] for j in reported])
        return me.output(self.estimate, reported, sums)  # (L22-L23)

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """Return the ideal world's outputs: S2 alone receives the counts of the items.

        A trusted party counts a user's item if the user takes part and reports on that item.
        """
        reports = [self.report(item, user) for item, user in zip(items, users, strict=True)]
        return {"S2": type(reports[0]).stack(reports).sum()}

    def report(self, item: Sealed, user: Holder) -> FieldArray:
        """Return a user's response on the items that it reports on, and zeros on all others; shape
        (N,).
        """
        answer, chosen = self.answer(item, user)
        return answer * constant(self.field, membership(chosen, self.items))

    def answer(self, item: Sealed, user: Holder) -> tuple[FieldArray, Ints]:
        """Return a user's secret response, shape (N,), and the k items that it reports on, from
        0.
        """
        answer = user.secret(self.response, item, field=self.field, shape=(self.items,))
        if self.gamma is None:
            return answer, user.disclose(self.uniform_set)
        return answer, user.disclose(self.adaptive_set, answer)

    def response(self, item: int, coins: Coins) -> Ints:
        """Return the item as a one-hot vector if the user takes part in this run, else zeros.

        Shape (N,).
        """
        return response(item, self.items, self.participation, coins)

    def uniform_set(self, coins: Coins) -> Ints:
        """Return a reporting set that is independent of the item; shape (k,)."""
        return reporting_set(self.reported, self.items, None, None, coins)

    def adaptive_set(self, answer: Ints, coins: Coins) -> Ints:
        """Return a reporting set; a set with the answered item is γ times as likely as one without.

        If the answer is zeros, all sets are equally likely. Shape (k,).
        """
        item = int(answer.argmax()) if answer.any() else None
        return reporting_set(self.reported, self.items, item, self.gamma, coins)

    def elections(
        self, me: Party, messages: Sequence[Sequence[Typed]]
    ) -> tuple[list[int], list[Group]]:
        """Read S1's announcements: return the number of reporters and the elected group of each
        item.
        """
        users = me.all("user")
        counts, groups = [], []
        for message in messages:
            reporters, elected = self.announced(message)
            counts.append(reporters)
            groups.append(users.pick(elected))
        return counts, groups

    def estimate(self, reported: Sequence[int], sums: Ints) -> Numbers:
        """Return unbiased frequencies, shape (N,); `sums` are the counts of the items `reported`,
        and nobody reports on the other items.
        """
        counts = np.zeros_like(sums, shape=self.items)
        counts[reported] = sums
        return counts / float(self.chance * self.users)

    def enough_shares(self, shares: int) -> int:
        """Return how many of a secret's `shares` shares determine the secret."""
        return self.sharing.needed(shares)
