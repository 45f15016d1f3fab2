"""TSS: two-stage sampling.

Users report on a few items each, and a few elected users add up the shares of each item.

Learns: S1, every user's reporting set; S2, the sampled count of each item; a user, who reports on
the items that it is elected for; and, if all the users elected for an item collude, each reporter's
answer for it. TSS′ (`tss_prime`) bounds how many users can. Source: Yang et al., *Fair and
Differentially Private Distributed Frequency Estimation*, Algorithm 3; (1) to (5) are the steps of
its flow.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.reporting import inclusion, membership, reporting_set
from protocols.sharing import disclosure, table1
from protocols.sharing.accuracy import assess_sampled
from protocols.sharing.encoding import response
from protocols.sharing.schemes import Additive, Sharing, sharing_named
from protocols.sharing.simulators import held, is_alone, with_answers
from protocols.tss.privacy import tss_run
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.kernel.tags import Summed, Tag
from simnet.roster import Group, Seat, seats
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement
from simnet.values.field import Field, FieldArray
from simnet.values.residues import constant
from simnet.values.typed import bits, index, stack

Ints = npt.NDArray[np.int64]
Ints2 = tuple[tuple[int, ...], ...]

SET, ELECTED, SHARE = Tag("reporting set"), Tag("elected"), Summed("share")


@attrs.frozen
class TSS:
    """What every party knows. Items are counted from 1 in inputs and from 0 in messages."""

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    participation: float  # p, the chance that a user takes part, 0 < p <= 1
    reported: int  # k = αN, how many items a user reports on, 1 <= k <= N
    # γ > 1 for the adaptive law of reporting sets, None for the uniform one
    gamma: float | None = None
    sharing: Sharing = attrs.field(default=Additive(), converter=sharing_named)

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

    def announcement(self, item: int, reporters: int, elected: Ints) -> tuple[Any, ...]:
        """What S1 publishes for an item: the item and the elected users, who are as many as the
        reporters.
        """
        del reporters
        return index(item, self.items, "Nd"), index(elected, self.users)

    def announced(self, message: Sequence[Any]) -> tuple[int, Ints]:
        """How many report on an item, and who is elected, from an announcement."""
        elected = message[1].numbers()
        return len(elected), elected

    async def user(self, me: Party, item: int) -> None:
        """Report a set, share the answers for it, add up the shares for the items one is elected
        for.
        """
        mine, chosen = self.answer(item, me)  # shapes (N,) and (k,)
        await me.send(SET, to="S1", payload=bits(membership(chosen, self.items)))  # (1)
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        groups = [elected[j] for j in chosen.tolist()]
        rows = self.sharing.share_each(
            mine[chosen], [len(group) for group in groups], me.coins
        )  # (3)
        await me.scatter(SHARE, to=groups, rows=rows, keys=index(chosen, self.items, "Nd"))
        duties = [j for j in range(self.items) if reporters[j] and me.is_in(elected[j])]
        if duties:
            sums = await me.gather_sums(SHARE, duties, [reporters[j] for j in duties])  # (4)
            await self.sharing.report_each(me, duties, self.items, sums, to="S2")

    async def S1(self, me: Party) -> tuple[Ints, list[Ints]]:
        """Step 2: count the reporters of each item, elect users for it, publish them.

        Returns what S1 knows.
        """
        sets = stack(await me.gather(SET, me.all("user")))  # shape (n, N)
        everyone = me.group([*me.names("user"), "S2"])
        reporters = sets.values.sum(axis=0).tolist()
        elected = [me.coins.subset(self.group_size(m), self.users).plain for m in reporters]
        messages = [self.announcement(j, reporters[j], elected[j]) for j in range(self.items)]
        await me.publish_each(ELECTED, to=everyone, payloads=messages)
        return sets.numbers(), elected

    async def S2(self, me: Party) -> npt.NDArray[Any]:
        """Step 5: add up what the elected users report for each item, and normalise; shape (N,)."""
        reporters, elected = self.elections(me, await me.receive_each(ELECTED, "S1", self.items))
        reported = [j for j in range(self.items) if reporters[j]]
        sums = await self.sharing.recover_each(me, reported, [elected[j] for j in reported])
        opened = sums.open()
        counts = np.zeros_like(opened, shape=self.items)
        counts[reported] = opened
        return self.estimate(counts)

    def functionality(
        self, items: Sequence[int], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """The ideal world: a trusted party counts each sampled item that its holder reports on, for
        S2.
        """
        reported = []
        for item, user in zip(items, users, strict=True):
            answer, chosen = self.answer(item, user)
            reported.append(answer * constant(self.field, membership(chosen, self.items)))
        return {"S2": type(reported[0]).stack(reported).sum()}

    def answer(self, item: int, user: Holder) -> tuple[FieldArray, Ints]:
        """A user's secret response of shape (N,), and the k items, from 0, on which it reports."""
        answer = response(item, self.items, self.participation, self.field, user.coins)
        secret = user.secret(answer)
        held = item - 1 if answer.numbers().any() else None
        return secret, reporting_set(self.reported, self.items, held, self.gamma, user.coins)

    def leaked(
        self, items: Sequence[int], users: Sequence[Holder], corrupt: Collection[str]
    ) -> tuple[Ints2, Ints2]:
        """What a simulator is given: of S2, its output and the public reporting sets.

        Of users and S1, nothing.
        """
        if not is_alone("S2", corrupt):
            return (), ()
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        counts = np.zeros(self.items, dtype=np.int64)
        for answer, chosen in answers:
            counts[chosen] += answer[chosen].open().plain
        return (tuple(counts.tolist()),), tuple(tuple(chosen.tolist()) for _, chosen in answers)

    def simulated(self, corrupt: Collection[str], leaked: tuple[Ints2, Ints2]) -> Any:
        """The proof's simulator for users, S1 or S2, with uniform reporting sets.

        It does not know the adaptive ones. Honest users hold zeros and report on any set; for S2
        they report on the public ones, and of each item the first to do so holds the count.
        """
        counts, sets = leaked
        users = list(self.parties())

        def answer(user: Holder) -> tuple[FieldArray, Ints]:
            if not sets:
                return held(self.field, [0] * self.items, user), reporting_set(
                    self.reported, self.items, None, None, user.coins
                )
            place = users.index(user.name)
            mine = [
                count
                if j in sets[place] and all(j not in earlier for earlier in sets[:place])
                else 0
                for j, count in enumerate(counts[0])
            ]
            return held(self.field, mine, user), np.array(sets[place], dtype=np.int64)

        return with_answers(self, corrupt, answer)

    def elections(self, me: Party, messages: Sequence[Any]) -> tuple[list[int], list[Group]]:
        """From S1's announcements: how many report on each item, and the group elected for it."""
        users = me.all("user")
        counts, groups = [], []
        for message in messages:
            reporters, elected = self.announced(message)
            counts.append(reporters)
            groups.append(users.pick(elected))
        return counts, groups

    def estimate(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Unbiased frequencies from the counts; shape (N,)."""
        return counts / float(self.chance * self.users)

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Whether some elements of a user's response tell its item: the 1 does.

        Zeros do so only where it surely takes part.
        """
        return 1 in values.values() or (self.participation == 1 and len(values) == self.items - 1)

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret."""
        return self.sharing.needed(shares)

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """What the discrete part of a view tells: at most what the reporting sets do, whoever
        looks.
        """
        if not set(tags) <= {
            SET.name,
            ELECTED.name,
            SHARE.name,
            self.sharing.partial.name,
            TRAFFIC,
        }:
            return None
        return disclosure.reporting_sets(self.reported, self.items, self.participation, self.gamma)

    def public(self, run: Run) -> dict[str, dict[str, list[str]]]:
        """What travelled in clear: each user's reporting set, and the users elected for each item,
        from 1.
        """
        sets, elected = run.outputs["S1"]
        users = list(run.inputs)
        return {
            "reporting_sets": {
                name: [str(item + 1) for item in np.flatnonzero(row)]
                for name, row in zip(users, sets, strict=True)
            },
            "elected": {
                str(item + 1): [users[user] for user in group] for item, group in enumerate(elected)
            },
        }

    name = "tss"
    estimator = "S2"  # who ends up with the estimate

    @property
    def expected_squared_l2(self) -> float:
        """(1 - q_χ) / (q_χ n), whatever the supports (Theorem 3.5)."""
        return float((1 - self.chance) / (self.chance * self.users))

    def assess(self, run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """Hold S2's estimate against the true support; exact intervals."""
        return assess_sampled(
            run.outputs["S2"], support, float(self.chance), self.users, confidence
        )

    def privacy(
        self, run: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> list[PrivacyStatement]:
        """Exact (ε, δ) that bounds S2's view, those of its output alone, and the exact ε of
        S1's.
        """
        del run
        counts = support.tolist()
        return tss_run(counts, self.participation, self.reported, self.gamma, epsilon, delta)

    def workload(self) -> tuple[int, int]:
        """Messages and field elements of a run, about: every item has kn/N reporters and as many
        elected users.
        """
        reporters = self.reported * self.users // self.items + 1
        shares = self.items * self.group_size(reporters) * (reporters + 1)
        return shares + self.items * (self.users + 1) + self.users, shares

    def expected_bill(self, run: Run) -> list[Expectation]:
        """Table I, TSS columns, for the reporting sets and elections of this run."""
        support = np.bincount(np.array(list(run.inputs.values())) - 1, minlength=self.items)
        published = len(self.announcement(0, 0, np.zeros(0, dtype=np.int64)))
        return table1.tss(
            self, table1.tally(*run.outputs["S1"]), support, publishes_reporters=published == 3
        )


def tss(
    *, items: int, reported: int | None = None, bound: int | None = None, **parameters: Any
) -> TSS:
    """TSS, or with a `bound` TSS′, for a number of items that is not known beforehand.

    Without `reported`, users report on two fifths of the items, rounded, and on one at least.
    """
    from protocols.tss.prime import TSSPrime  # it builds on this module

    k = max(round(0.4 * items), 1) if reported is None else reported
    if bound is None:
        return TSS(items=items, reported=k, **parameters)
    return TSSPrime(items=items, reported=k, bound=bound, **parameters)
