"""DPCS: item frequencies from a random sample of the users, which a trusted party counts.

Every user hands its item to a party whom all trust. This party counts the items of a random sample
of the users, and tells a server the counts. DPCS is the ideal world of DPDS: the servers of both
learn the same, and DPDS needs no trusted party.

In DPCS* the trusted party splits the counts into n additive shares, and the server, which gets all
of them, adds them up. The server learns the counts, and no more than in DPCS.

A sample is drawn user by user. Here each user draws the bit that says whether the user is counted,
and sends this bit to the trusted party. The trusted party could as well draw all bits itself: the
law of the bits is the same. Because users draw the bits, the ideal world, which knows the users'
coins, counts the same users.

Source: Yang et al., *Fair and Differentially Private Distributed Frequency Estimation*, Algorithm
1; (L1) below is line 1 of that box. The variant with shares is in section 3.1.2.
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from protocols import checks
from protocols.sharing.encoding import Participation, one_hot
from protocols.sharing.schemes import Additive
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.roster import Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.residues import constant
from simnet.values.sealed import Sealed
from simnet.values.typed import bits, stack

ITEM, COUNTED, COUNTS = Tag("item"), Tag("counted"), Tag("counts")
SHARING = Additive()


@attrs.frozen
class DPCS:
    """The parameters of DPCS, which every party knows, and the scripts of its roles.

    `users` is n >= 2, `items` is N >= 1, and `participation` is p in (0, 1]. A user's input is an
    item from 1 to N. The output of the server is the array of the estimated frequencies, shape
    (N,); that of the trusted party says which users are counted, shape (n,).

    Raises `ValueError` for parameters outside these ranges.

    >>> from simnet import run
    >>> done = run(DPCS(users=4, items=3, participation=1.0), [1, 3, 3, 2], seed=7)
    >>> done.outputs["server"].tolist()
    [0.25, 0.25, 0.5]
    """

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: Participation  # p

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.positive_chance("participation", self.participation)

    @property
    def field(self) -> Field:
        """The field F_q; q is the smallest prime above n, so that no count can wrap."""
        return Field.above(self.users)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`; `trusted` counts, and `server` estimates."""
        return {
            **seats("u", self.user, self.users),
            "trusted": Seat(self.trusted),
            "server": Seat(self.server),
        }

    async def user(self, me: Party, item: Sealed) -> None:
        """Send the trusted party the item, and the bit that says whether the item is counted."""
        mine, counted = self.answer(item, me)
        await me.send(ITEM, to="trusted", payload=mine)
        await me.send(COUNTED, to="trusted", payload=bits(counted))

    async def trusted(self, me: Party) -> Ints:
        """Count the items of the users in the sample, and tell the server the counts.

        Returns which users are in the sample; shape (n,).
        """
        users = me.all("user")
        answers = await me.gather(ITEM, users)
        counted = stack(await me.gather(COUNTED, users)).numbers()[:, 0]  # (L1)
        sample = np.flatnonzero(counted)
        nobody = constant(self.field, np.zeros(self.items, dtype=np.int64))
        counts = type(answers[0]).stack(answers)[sample].sum() if sample.size else nobody
        await self.release(me, counts)  # (L2)
        return counted

    async def release(self, me: Party, counts: FieldArray) -> None:
        """Send the counts to the server."""
        await me.send(COUNTS, to="server", payload=counts)

    async def server(self, me: Party) -> Sealed:
        """Normalise the counts; shape (N,), each estimate in [0, 1/p]."""
        return me.output(self.estimate, await self.received(me))  # (L3)

    async def received(self, me: Party) -> FieldArray:
        """Return the counts; shape (N,)."""
        counts: FieldArray = await me.receive(COUNTS, "trusted")
        return counts

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray | Sequence[FieldArray]]:
        """Return the ideal world's outputs: all items for the trusted party, and the counts of the
        sampled users for the server.
        """
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        picked = [mine * constant(self.field, bit) for mine, bit in answers]
        counts = type(picked[0]).stack(picked).sum()
        return {"trusted": [mine for mine, _ in answers], "server": counts}

    def answer(self, item: Sealed, user: Holder) -> tuple[FieldArray, Ints]:
        """Return a user's secret one-hot vector, shape (N,), and its bit, shape (1,)."""
        mine = user.secret(one_hot, item, self.items, field=self.field, shape=(self.items,))
        return mine, user.disclose(self.counted)

    def counted(self, coins: Coins) -> Ints:
        """Return 1 if the user is in the sample, else 0; shape (1,)."""
        return coins.bernoullis(self.participation, 1).astype(np.int64)

    def estimate(self, counts: Numbers) -> Numbers:
        """Return unbiased frequencies, given the counts of the sampled users; shape (N,)."""
        return counts / (self.participation * self.users)


class DPCSStar(DPCS):
    """DPCS*: the trusted party splits the counts into n shares, and the server adds them up.

    >>> from simnet import run
    >>> done = run(DPCSStar(users=4, items=3, participation=1.0), [1, 3, 3, 2], seed=7)
    >>> done.outputs["server"].tolist()
    [0.25, 0.25, 0.5]
    """

    async def release(self, me: Party, counts: FieldArray) -> None:
        """Split the counts into n shares, and send all of them to the server."""
        shares = SHARING.share(counts, self.users, me.coins).evaluate()
        await me.send(COUNTS, to="server", payload=shares)

    async def received(self, me: Party) -> FieldArray:
        """Add up the n shares; shape (N,)."""
        shares: FieldArray = await me.receive(COUNTS, "trusted")
        return shares.sum()
