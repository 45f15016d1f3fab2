"""DPDS: item frequencies from a secret-shared random sample of the users.

Learns: the server, the counts of the sampled users; users, nothing, unless all the others collude.
Source: Yang et al., *Fair and Differentially Private Distributed Frequency Estimation*, Algorithm
2; (L8) below is line 8 of that box. Its ideal world is Algorithm 1, DPCS. What is said about DPDS
stands in `about.py`, the simulator of its proof in `simulator.py`.
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
    """What every party knows."""

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: Participation  # p
    sharing: SharingByName = attrs.field(default=Additive(), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.positive_chance("participation", self.participation)

    @property
    def field(self) -> Field:
        """F_q with q the smallest prime above n, so that a count of at most n never wraps."""
        return Field.above(self.users)

    def parties(self) -> Mapping[str, Seat]:
        """u1..un play `user`, the server plays `server`."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the response, add up the shares received, report the sum to the server."""
        users = me.all("user")
        mine = self.answer(item, me)  # (L2-L7) shape (N,)
        shares = self.sharing.share(mine, self.users, me.coins)  # (L8)
        await me.scatter(SHARE, to=users, rows=shares)  # (L9)
        partial = await me.gather_sum(SHARE, senders=users)  # (L10) shape (N,)
        await self.sharing.report(me, partial, to="server")  # (L11)

    async def server(self, me: Party) -> Sealed:
        """Add up the partial sums and normalise; shape (N,), estimates in [0, 1/p]."""
        counts = await self.sharing.recover(me, me.all("user"))  # (L12)
        return me.output(self.estimate, counts)  # (L13)

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """DPCS: a trusted party samples the users and hands the counts to the server."""
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()}

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """A user's secret: its response, as field elements; shape (N,)."""
        return user.secret(self.response, item, field=self.field, shape=(self.items,))

    def response(self, item: int, coins: Coins) -> Ints:
        """The item one-hot if the user takes part this time, else zeros; shape (N,)."""
        return response(item, self.items, self.participation, coins)  # (L2-L7)

    def estimate(self, counts: Numbers) -> Numbers:
        """Unbiased frequencies from the counts of the sampled users; shape (N,)."""
        return counts / (self.participation * self.users)

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret."""
        return self.sharing.needed(shares)

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Whether elements of a response tell the item: the 1 does, and zeros if all take part."""
        return 1 in values.values() or (self.participation == 1 and len(values) == self.items - 1)
