"""DPDS: item frequencies from a secret-shared random sample of the users.

Each user takes part with probability p. The *response* of a user is its item as a one-hot vector,
or zeros if it takes no part. A user splits its response into one share for every user. Every user
adds up the shares that it receives and sends the sum to the server, which computes the counts from
these partial sums.

The server learns the counts of the sampled users. With additive sharing users learn nothing, even
if all users but one pool their views. With Shamir's sharing and the threshold t, any t users who
pool their views learn the responses of all other users.

Source: Yang et al., *Fair and Differentially Private Distributed Frequency Estimation*, Algorithm
2; (L8) below is line 8 of that box. The ideal world of DPDS is Algorithm 1, DPCS.
"""

from collections.abc import Mapping, Sequence

import attrs

from protocols import checks
from protocols.sharing.encoding import Participation, response
from protocols.sharing.schemes import Additive, SharingByName, sharing_named
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed
from simnet.roster import Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.sealed import Sealed

SHARE = Summed("share")


@attrs.frozen
class DPDS:
    """The parameters of DPDS, which every party knows, and the scripts of its roles.

    `users` is n >= 2, `items` is N >= 1, `participation` is p in (0, 1], and `sharing` is
    `Additive()`, `Shamir(t)`, `ShamirPercent(P)` or a name such as `shamir:3`. A user's input is an
    item from 1 to N. The output of the server is the array of the estimated frequencies; shape
    (N,).

    Raises `ValueError` for parameters outside these ranges.

    >>> from simnet import run
    >>> done = run(DPDS(users=4, items=3, participation=1.0), [1, 3, 3, 2], seed=7)
    >>> done.outputs["server"].tolist()
    [0.25, 0.25, 0.5]
    """

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: Participation  # p
    sharing: SharingByName = attrs.field(default=Additive(), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.positive_chance("participation", self.participation)

    @property
    def field(self) -> Field:
        """The field F_q; q is the smallest prime above n, so that no count can wrap."""
        return Field.above(self.users)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`, and one party plays `server`."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the response, add up the shares received, and send their sum to the server."""
        users = me.all("user")
        mine = self.answer(item, me)  # (L2-L7) shape (N,)
        shares = self.sharing.share(mine, self.users, me.coins)  # (L8)
        await me.scatter(SHARE, to=users, rows=shares)  # (L9)
        partial = await me.gather_sum(SHARE, senders=users)  # (L10) shape (N,)
        await self.sharing.report(me, partial, to="server")  # (L11)

    async def server(self, me: Party) -> Sealed:
        """Recover the counts from the partial sums, and normalise them; shape (N,), each estimate
        in [0, 1/p].
        """
        counts = await self.sharing.recover(me, me.all("user"))  # (L12)
        return me.output(self.estimate, counts)  # (L13)

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """Return the outputs of the ideal world, which is DPCS: a trusted party samples the users
        and hands the counts to the server alone.
        """
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()}

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """Return a user's secret: its response as field elements; shape (N,)."""
        return user.secret(self.response, item, field=self.field, shape=(self.items,))

    def response(self, item: int, coins: Coins) -> Ints:
        """Return the item as a one-hot vector if the user takes part in this run, else zeros.

        Shape (N,).
        """
        return response(item, self.items, self.participation, coins)  # (L2-L7)

    def estimate(self, counts: Numbers) -> Numbers:
        """Return unbiased frequencies, given the counts of the sampled users; shape (N,)."""
        return counts / (self.participation * self.users)
