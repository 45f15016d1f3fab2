"""DPDS: item frequencies from a secret-shared random sample of the users.

Learns: the server, the counts of the sampled users; users, nothing, unless all the others collude.
Source: Yang et al., *Fair and Differentially Private Distributed Frequency Estimation*, Algorithm
2; (L8) below is line 8 of that box. Its ideal world is Algorithm 1, DPCS.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.privacy.count_statements import sampled_run
from protocols.sharing import table1
from protocols.sharing.accuracy import assess_sampled
from protocols.sharing.disclosure import field_elements_only
from protocols.sharing.encoding import response
from protocols.sharing.schemes import Additive, Sharing, sharing_named
from protocols.sharing.simulators import first_holds_all, output_of_server
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.kernel.tags import Summed
from simnet.roster import Seat, seats
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement
from simnet.values.field import Field, FieldArray

Ints = npt.NDArray[np.int64]

SHARE = Summed("share")


@attrs.frozen
class DPDS:
    """What every party knows."""

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: float  # p, the chance that a user takes part, 0 < p <= 1
    sharing: Sharing = attrs.field(default=Additive(), converter=sharing_named)

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

    async def user(self, me: Party, item: int) -> None:
        """Share the response, add up the shares received, report the sum to the server."""
        users = me.all("user")
        mine = self.answer(item, me)  # (L2-L7) shape (N,)
        await me.scatter(
            SHARE, to=users, rows=self.sharing.share(mine, self.users, me.coins)
        )  # (L8-L9)
        partial = await me.gather_sum(SHARE, senders=users)  # (L10) shape (N,)
        await self.sharing.report(me, partial, to="server")  # (L11)

    async def server(self, me: Party) -> npt.NDArray[Any]:
        """Add up the partial sums and normalise; shape (N,), estimates in [0, 1/p]."""
        counts = await self.sharing.recover(me, me.all("user"))  # (L12)
        return self.estimate(counts.open())  # (L13)

    def functionality(
        self, items: Sequence[int], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """DPCS (Algorithm 1), the ideal world: a trusted party samples the users and hands the
        counts to the server.
        """
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()}

    def answer(self, item: int, user: Holder) -> FieldArray:
        """A user's secret: its item one-hot if it takes part this time, else zeros; shape (N,)."""
        return user.secret(response(item, self.items, self.participation, self.field, user.coins))

    def leaked(
        self, items: Sequence[int], users: Sequence[Holder], corrupt: Collection[str]
    ) -> tuple[int, ...]:
        """What a simulator is given: of the server, its output; of users, nothing."""
        return output_of_server(self, items, users, corrupt)

    def simulated(self, corrupt: Collection[str], leaked: tuple[int, ...]) -> Any:
        """The proof's simulator: honest users share zeros, but for the first, who shares what the
        server is to get.
        """
        return first_holds_all(self, corrupt, leaked)

    def estimate(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Unbiased frequencies from the counts of the sampled users; shape (N,)."""
        return counts / (self.participation * self.users)

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Whether some elements of a user's response tell its item: the 1 does.

        Zeros do so only where it surely takes part.
        """
        return 1 in values.values() or (self.participation == 1 and len(values) == self.items - 1)

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret."""
        return self.sharing.needed(shares)

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """What the discrete part of a view tells: nothing."""
        return field_elements_only(tags, (SHARE.name, self.sharing.partial.name))

    name = "dpds"
    estimator = "server"  # who ends up with the estimate

    @property
    def expected_squared_l2(self) -> float:
        """(1 - p) / (p n), whatever the supports (Lemma 3.1)."""
        return (1 - self.participation) / (self.participation * self.users)

    def assess(self, run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """Hold the server's estimate against the true support; exact intervals."""
        return assess_sampled(
            run.outputs["server"], support, self.participation, self.users, confidence
        )

    def privacy(
        self, run: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> list[PrivacyStatement]:
        """Exact (ε, δ) of the server's view, for users who hold the items as `support` says."""
        del run
        return sampled_run(support.tolist(), self.participation, epsilon, delta)

    def workload(self) -> tuple[int, int]:
        """Messages and field elements of a run, wire count: n² messages of N elements."""
        messages = self.users**2
        return messages, messages * self.items

    def expected_bill(self, run: Run) -> list[Expectation]:
        """Table I, DPDS columns."""
        del run  # no count depends on the coins
        return table1.dpds(self.users, self.items, self.sharing)
