"""Item frequencies from a secret-shared random sample, by a committee, with drop-outs allowed.

In DPDS every user sends a share to every other user and a sum to the server, so n users send n²
messages. The run fails if a user drops out before it has sent its sum. Here each user splits its
response among the k members of a committee. Before the members add up, those that are left agree on
the users whose shares all of them have:

1. Every user sends one share to each member.
2. Every member tells the server from which users it has a share. The server answers with the users
   on all lists.
3. Every member adds up the shares of these users, and sends the sum to the server. With Shamir's
   sharing, t such sums are enough.

Users may drop out at any point, also between two of their shares: a user is counted only if its
name is on the list of every member that answered the server. Members may drop out too, as long as
enough of them are left.

The server tells the members who is on all lists, and we assume that it does so honestly. A server
that names only one user learns the answer of this user.

Source: DPDS is Algorithm 2 of Yang et al.; (L8) below is line 8 of that box. A committee of
servers, and agreement on contributors, are standard; no paper's algorithm box is reproduced here.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import attrs

from protocols import checks
from protocols.sharing.encoding import Participation, response
from protocols.sharing.schemes import Polynomials, Shamir, SharingByName, sharing_named
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.errors import Abort
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed, Tag
from simnet.record.fate import Happened
from simnet.roster import Group, Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.sealed import Sealed
from simnet.values.typed import bits

SHARE = Summed("share")
HEARD, AGREED, PARTIAL = Tag("heard"), Tag("agreed"), Tag("partial")


@attrs.frozen
class Committee:
    """The parameters of the protocol, which every party knows, and the scripts of its roles.

    `users` is n >= 2, `items` is N >= 1, `participation` is p in (0, 1], and `members` is k >= 1.
    `sharing` is `Additive()`, `Shamir(t)`, `ShamirPercent(P)` or a name such as `shamir:3`. A
    user's input is an item from 1 to N. The server returns the estimated frequencies among the
    users who were counted, shape (N,).

    Raises `ValueError` for parameters outside these ranges.

    >>> from simnet import Fate, run
    >>> protocol = Committee(users=4, items=3, participation=1.0, members=3, sharing="shamir:2")
    >>> # u4 drops out after its share to c1, and c2 before it sends its sum
    >>> fates = {"u4": Fate("share", reached=1), "c2": Fate("partial")}
    >>> done = run(protocol, [1, 3, 3, 2], seed=7, fates=fates)
    >>> done.outcome, protocol.counted(done.happened)
    ('result', ('u1', 'u2', 'u3'))
    >>> done.outputs["server"].round(2).tolist()
    [0.33, 0.0, 0.67]
    """

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: Participation  # p
    members: Annotated[int, "k, how many servers the committee has"] = 3
    sharing: SharingByName = attrs.field(default=Shamir(2), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.positive_chance("participation", self.participation)
        checks.integer("members", self.members)
        if self.holders < 1:
            raise ValueError(f"a committee has at least 1 member, got members={self.members}")

    @property
    def field(self) -> Field:
        """The field F_q; q is the smallest prime above n and k, so that no count can wrap and
        every member has a point of its own.
        """
        return Field.above(max(self.users, self.holders))

    @property
    def holders(self) -> int:
        """The number of parties that hold shares, k."""
        return self.members

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`, c1 to ck `member`, and one party `server`."""
        return {
            **seats("u", self.user, self.users),
            **seats("c", self.member, self.members),
            "server": Seat(self.server),
        }

    def committee(self, me: Party) -> Group:
        """Return the parties that hold shares."""
        return me.all("member")

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the response among the committee."""
        mine = self.answer(item, me)  # (L2-L7) shape (N,)
        shares = self.sharing.share(mine, self.holders, me.coins)  # (L8)
        await me.scatter(SHARE, to=self.committee(me), rows=shares)  # (L9)

    async def member(self, me: Party) -> None:
        """Add up the shares of the users whom all members that answered have heard."""
        users = me.all("user")
        heard = set(await me.heard(SHARE, senders=users))
        await me.send(HEARD, to="server", payload=bits([name in heard for name in users]))
        agreed = _named(await me.receive(AGREED, sender="server"), users)
        partial = await me.gather_sum(SHARE, senders=agreed)  # (L10) shape (N,)
        await me.send(PARTIAL, to="server", payload=partial)  # (L11)

    async def server(self, me: Party) -> Sealed:
        """Find the users whom all members that answered have heard, and the frequencies among these
        users; shape (N,).

        Raises `Abort` if too few members answer or send their sums, or if those that answer have
        heard no user in common.
        """
        members = self.committee(me)
        needed = self.sharing.needed(self.holders)
        lists = await me.gather_some(HEARD, senders=members, at_least=needed)
        common = [
            all(column) for column in zip(*(one.numbers() for one in lists.values()), strict=True)
        ]
        if not any(common):
            raise Abort(
                "no user's shares came to all parties that told the server whose shares they have"
            )
        await me.publish(AGREED, to=list(lists), payload=bits(common))
        partials = await me.gather_some(PARTIAL, senders=list(lists), at_least=needed)
        points = [place for place, name in enumerate(members, start=1) if name in partials]
        counts = self.opened(list(partials.values()), points)  # (L12)
        return me.output(self.estimate, counts, sum(common))  # (L13)

    def opened(self, partials: Sequence[FieldArray], points: Sequence[int]) -> FieldArray:
        """Return the sum of the secrets from enough partial sums at these points; shape (N,)."""
        if isinstance(self.sharing, Polynomials):
            return self.sharing.opened(partials, points, self.holders)
        return type(partials[0]).stack(partials).sum()

    def functionality(
        self,
        items: Sequence[Sealed],
        users: Sequence[Holder],
        happened: Happened | None = None,
    ) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the counts over the users who were counted, for the
        server alone; nothing if nobody is counted. Without `happened`, all users are counted.

        The server gets the counts even if the run is aborted, because the server may collude with
        members that dropped out.
        """
        names = [user.name for user in users]
        counted = names if happened is None else self.counted(happened)
        if not counted:
            return {}
        answers = [
            self.answer(item, user)
            for item, user in zip(items, users, strict=True)
            if user.name in counted
        ]
        return {"server": type(answers[0]).stack(answers).sum()}

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the users whose shares came to every member from which the server got a list.

        If the server got no list, nobody is counted.
        """
        lists = [
            happened.heard(member, SHARE.name) for member in happened.heard("server", HEARD.name)
        ]
        if not lists:
            return ()
        common = set(lists[0]).intersection(*lists[1:])
        return tuple(name for name in lists[0] if name in common)

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """Return a user's secret: its response as field elements; shape (N,)."""
        return user.secret(self.response, item, field=self.field, shape=(self.items,))

    def response(self, item: int, coins: Coins) -> Ints:
        """Return the item as a one-hot vector if the user takes part in this run, else zeros.

        Shape (N,).
        """
        return response(item, self.items, self.participation, coins)  # (L2-L7)

    def estimate(self, counts: Numbers, users: int) -> Numbers:
        """Return unbiased frequencies among `users` users, from their counts; shape (N,)."""
        return counts / (self.participation * users)


class RobustDPDS(Committee):
    """DPDS that survives drop-outs: all users are the committee.

    `members` is not used. Each user plays the script of a user, and then that of a member.

    >>> from simnet import Fate, run
    >>> protocol = RobustDPDS(users=5, items=3, participation=1.0, sharing="shamir:3")
    >>> done = run(protocol, [1, 3, 3, 2, 1], seed=7, fates={"u4": Fate("share", reached=2)})
    >>> protocol.counted(done.happened), done.outputs["server"].tolist()
    (('u1', 'u2', 'u3', 'u5'), [0.5, 0.0, 0.5])
    """

    @property
    def holders(self) -> int:
        """The number of parties that hold shares: all users."""
        return self.users

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`, and one party plays `server`."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    def committee(self, me: Party) -> Group:
        """Return all users."""
        return me.all("user")

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the response among all users, and then do what a member does."""
        await super().user(me, item)
        await self.member(me)


def _named(marks: FieldArray, users: Group) -> list[str]:
    return [name for name, is_marked in zip(users, marks.numbers(), strict=True) if is_marked]
