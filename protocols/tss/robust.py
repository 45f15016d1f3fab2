"""RobustTSS: two-stage sampling with an agreement on who is counted, so that users may drop out.

In TSS the elected users of an item must hear all its reporters, and S2 must hear all elected users.
Here any user may drop out at any point, also between two of its shares:

1. Users send S1 their reporting sets. S1 goes on with the users whom it has heard, n' of them. For
   an item with m reporters it elects m of these n' users.
2. S1 tells these users and S2 who is elected, and tells the elected users of an item who reports on
   it.
3. Reporters share their answers among the elected users, by default with Shamir's sharing. With the
   threshold `shamir:60%`, any t = ⌈0.6 m⌉ of an item's m shares open it. With additive sharing, all
   m shares are needed, so an item may have no estimate if one of its elected users drops out.
4. Every elected user tells S1 whose shares have come. S1 counts a user if every elected user who
   has answered has all shares that the counted user owes it. All other users are left out of *all*
   items, so that the same users are counted for every item.
5. For each item that can still have an estimate and on which a counted user reports, the elected
   users add up the shares of the users who are counted, and send the sums to S2. With t sums of an
   item, S2 has the item's count.

An item *has no estimate* if some user who is counted reports on it, and fewer than t of its elected
users are left. S2 then returns NaN for this item. The run is aborted if every item on which a
counted user reports has no estimate.

S1 learns the reporting sets, and nothing from shares. S2 learns the counts of the users who are
counted, how many users these are, and who is elected; S1 does not tell S2 who reports on an item. A
user learns who reports on the items for which it is elected. Any t elected users of an item learn
the answers for this item, and t - 1 learn nothing from shares.

S1 says who is counted, and we assume that it does so honestly. If S1 colludes with S2 and names a
single user, S2 learns the answers of this user.

Source: TSS is Algorithm 3 of Yang et al.; (L11) below is line 11 of that box. An agreement on
contributors is standard; no paper's algorithm box is reproduced here.
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from protocols.mechanisms.reporting import membership
from protocols.sharing.schemes import Polynomials, ShamirPercent, SharingByName, sharing_named
from protocols.tss.script import ELECTED, SET, SHARE, TSS
from simnet.arrays import Ints, Numbers
from simnet.contract import Holder
from simnet.errors import Abort
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.record.fate import Happened
from simnet.values.field import FieldArray
from simnet.values.sealed import Sealed
from simnet.values.typed import bits, index, stack

REPORTERS, HEARD, AGREED = Tag("reporters"), Tag("heard"), Tag("agreed")
COUNTED, PARTIAL = Tag("counted"), Tag("partial")

NO_ITEM_LEFT = "every item that counted users report on has too few elected users left"


@attrs.frozen
class RobustTSS(TSS):
    """TSS that survives drop-outs. The parameters are those of TSS, but `sharing` is by default
    `shamir:60%`.

    The output of S2 has the estimated frequencies among the users who are counted, shape (N,). It
    has NaN for items that have no estimate.

    >>> from simnet import Fate, run
    >>> protocol = RobustTSS(users=6, items=2, participation=1.0, reported=2)
    >>> # u1 drops out after three of its shares, and u5 before it tells S1 whose shares have come
    >>> fates = {"u1": Fate("share", reached=3), "u5": Fate("heard")}
    >>> done = run(protocol, [1, 2, 2, 2, 1, 1], seed=7, fates=fates)
    >>> protocol.counted(done.happened), done.outputs["S2"].tolist()
    (('u2', 'u3', 'u4', 'u5', 'u6'), [0.4, 0.6])
    """

    sharing: SharingByName = attrs.field(default=ShamirPercent(60), converter=sharing_named)

    async def user(self, me: Party, item: Sealed) -> None:
        """Send S1 a reporting set, share the answers, and add up shares for the items for which the
        user is elected.
        """
        mine, chosen = self.answer(item, me)  # shapes (N,) and (k,)
        await me.send(SET, to="S1", payload=bits(membership(chosen, self.items)))  # (L9)
        _, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))

        groups = [elected[j] for j in chosen.tolist()]
        sizes = [len(group) for group in groups]
        shares = self.sharing.share_each(mine[chosen], sizes, me.coins)  # (L16)
        await me.scatter(SHARE, to=groups, rows=shares, keys=index(chosen, self.items, "Nd"))

        duties = [j for j in range(self.items) if me.is_in(elected[j])]
        if duties:
            await self.add_up(me, duties)

    async def add_up(self, me: Party, duties: Sequence[int]) -> None:
        """Tell S1 whose shares have come, and add up the shares of the users who are counted."""
        users = me.names("user")
        reporters = (await me.receive(REPORTERS, sender="S1")).numbers()  # shape (duties, n)
        came = [
            await me.heard(SHARE, senders=_named(row, users), at_least=0, key=j)
            for j, row in zip(duties, reporters, strict=True)
        ]
        lists = [[name in names for name in users] for names in came]
        await me.send(HEARD, to="S1", payload=bits(lists))
        agreed = (await me.receive(AGREED, sender="S1")).numbers()  # shape (duties, n)
        for j, row in zip(duties, agreed, strict=True):
            counted = _named(row, users)
            if counted:
                total = await me.gather_sum(SHARE, senders=counted, key=j)  # (L20)
                await me.send(PARTIAL, to="S2", payload=(index(j, self.items, "Nd"), total))

    async def S1(self, me: Party) -> tuple[Ints, list[Ints]]:
        """Elect users for each item, and find the users who are counted.

        Returns what S1 knows: the reporting sets of all users, zeros for those whom it did not
        hear; and the users whom it elected for each item. Raises `Abort` if nobody sends a
        reporting set, if nobody is counted, or if every item that a counted user reports on
        has too few elected users left.
        """
        users = me.names("user")
        came = await me.gather_some(SET, users)  # (L11)
        alive = np.array([place for place, name in enumerate(users) if name in came])
        received = stack(list(came.values()))  # shape (n', N)
        sets = np.zeros((self.users, self.items), dtype=np.int64)
        sets[alive] = received.numbers()

        sizes = [self.group_size(m) for m in received.values.sum(axis=0).tolist()]
        elected = [alive[me.coins.subset(size, len(alive)).plain] for size in sizes]
        messages = [self.announcement(j, sizes[j], elected[j]) for j in range(self.items)]
        await me.publish_each(ELECTED, to=me.group([*came, "S2"]), payloads=messages)
        duties = {
            users[place]: [j for j in range(self.items) if place in elected[j]]
            for place in np.unique(np.concatenate(elected)).tolist()
        }
        for name, own in duties.items():
            await me.send(REPORTERS, to=name, payload=bits(sets.T[own]))

        lists = await me.gather_some(HEARD, senders=list(duties), at_least=0)
        counted = np.isin(np.arange(self.users), alive)
        for name, marks in lists.items():
            # a user is left out if one of its shares has not come to somebody who has answered
            counted &= ~np.any((sets.T[duties[name]] == 1) & (marks.numbers() == 0), axis=0)
        if not counted.any():
            raise Abort("no user's shares came to all elected users who are left")

        agreed = (sets * counted[:, np.newaxis]).T  # shape (N, n): who is added up
        answers = np.array([name in lists for name in users])
        is_left = [answers[group] for group in elected]
        enough = [left.sum() >= self.enough_shares(len(left)) for left in is_left]
        is_lost = agreed.any(axis=1) & ~np.array(enough, dtype=bool)
        agreed[is_lost] = 0
        is_open = np.asarray(agreed.any(axis=1))
        if not is_open.any():
            raise Abort(NO_ITEM_LEFT)
        adding = np.concatenate([left & is_open[j] for j, left in enumerate(is_left)])
        # S2 must know what to wait for before anybody adds up.
        number = index(int(counted.sum()), self.users + 1)
        await me.send(COUNTED, to="S2", payload=(number, bits(is_lost), bits(adding)))
        for name in lists:
            await me.send(AGREED, to=name, payload=bits(agreed[duties[name]]))
        return sets, elected

    async def S2(self, me: Party) -> Sealed:
        """Find the counts from the elected users' sums, and normalise; shape (N,).

        Raises `Abort` if every item that a counted user reports on has too few elected users left.
        """
        users = me.names("user")
        announced = [
            self.announced(message)[1].tolist()
            for message in await me.receive_each(ELECTED, "S1", self.items)
        ]
        number, is_lost, adding = await me.receive(COUNTED, sender="S1")
        lost = np.flatnonzero(is_lost.numbers()).tolist()
        marks = np.split(adding.numbers(), np.cumsum([len(group) for group in announced])[:-1])

        found, sums = [], []
        for j, group in enumerate(announced):  # one wait for each item, also if nobody adds up
            elected = [users[place] for place in group]
            senders = _named(marks[j], elected)
            came = await me.gather_some(PARTIAL, senders, at_least=0)
            if not senders:
                continue
            if len(came) < self.enough_shares(len(elected)):
                lost.append(j)
                continue
            assert all(int(of.numbers()) == j for of, _ in came.values())
            points = [point for point, name in enumerate(elected, start=1) if name in came]
            sums.append(self.opened([one for _, one in came.values()], points, len(elected)))
            found.append(j)
        if not found:
            raise Abort(NO_ITEM_LEFT)
        counts = type(sums[0]).stack(sums)  # (L22)
        return me.output(self.estimate_counted, found, lost, int(number.numbers()), counts)

    def opened(self, sums: Sequence[FieldArray], points: Sequence[int], holders: int) -> FieldArray:
        """Return an item's count from enough sums of shares at these points."""
        if isinstance(self.sharing, Polynomials):
            return self.sharing.opened(sums, points, holders)
        return type(sums[0]).stack(sums).sum()

    def functionality(
        self,
        items: Sequence[Sealed],
        users: Sequence[Holder],
        happened: Happened | None = None,
    ) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: S2 alone receives the counts, over the users who are
        counted, of the items whose shares elected users add up. Without `happened`, these are all
        users and all items.

        S2 gets the count of an item even if too few sums came, because S2 may collude with elected
        users that dropped out.
        """
        if happened is None:
            return super().functionality(items, users)
        names, asked = self.counted(happened), self.items_added_up(happened)
        reports = [
            self.report(item, user)
            for item, user in zip(items, users, strict=True)
            if user.name in names
        ]
        if not reports or not asked:
            return {}
        return {"S2": type(reports[0]).stack(reports).sum()[np.array(asked)]}

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the users who are counted.

        S1 has the reporting set of such a user, and every elected user who answered S1 has the
        shares that this user owed it.
        """
        missed = {
            name
            for elected in happened.heard("S1", HEARD.name)
            for names in happened.missed.get((elected, SHARE.name), ())
            for name in names
        }
        return tuple(name for name in happened.heard("S1", SET.name) if name not in missed)

    def items_added_up(self, happened: Happened) -> list[int]:
        """Return the items, from 0, for which S2 waits for sums of elected users."""
        place = "S2", PARTIAL.name
        waits = zip(happened.came.get(place, ()), happened.missed.get(place, ()), strict=True)
        return [j for j, (came, missed) in enumerate(waits) if came or missed]

    def estimate_counted(
        self, found: Sequence[int], lost: Sequence[int], users: int, counts: Ints
    ) -> Numbers:
        """Return unbiased frequencies among `users` users; shape (N,).

        `counts` are the counts of the items `found`. The items `lost` have no estimate, which is
        shown as NaN. All other items have the estimate 0, because no user who is counted reports on
        them.
        """
        all_counts = np.zeros_like(counts, shape=self.items)
        all_counts[list(found)] = counts
        estimate = all_counts / float(self.chance * users)
        estimate[list(lost)] = np.nan
        return estimate


def _named(marks: Ints, names: Sequence[str]) -> list[str]:
    return [name for name, is_marked in zip(names, marks.tolist(), strict=True) if is_marked]
