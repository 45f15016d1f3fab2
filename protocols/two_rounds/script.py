"""Sampling Privacy: the number of owners who hold each value, from two rounds of answers.

By default, owners roll a die once and answer in two rounds: see `mechanism.py`. Each owner shares
each answer among the aggregators. Each aggregator adds up the shares of each round and reports the
sums to the reader, who recovers the counts. With one aggregator the answers reach it in the clear.

The reader learns the counts of each round. If owners keep their roll, no ε is finite for these
counts. Aggregators learn nothing, unless those that collude can open the shares: then they
see every answer. If owners keep their roll, the answers show the value of every sampled owner who
holds a value.

Source: Joy and Gerla, *Differential Privacy By Sampling*, sections 3.1 and 4.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Annotated

import attrs
import numpy as np

from protocols import checks
from protocols.checks import Chance, one_of
from protocols.sharing.encoding import one_hot
from protocols.sharing.schemes import Additive, SharingByName, sharing_named
from protocols.two_rounds import accuracy, estimators
from protocols.two_rounds.estimators import VARIANTS, Variant
from protocols.two_rounds.mechanism import NONE, TwoRounds
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed
from simnet.roster import Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.sealed import Sealed

ROUND_ONE, ROUND_TWO = Summed("round one"), Summed("round two")


@attrs.frozen
class SamplingPrivacy:
    """The parameters of Sampling Privacy, which every party knows, and the scripts of its roles.

    `users` is n >= 1. `items` counts the values and, with `none`, a last item that stands for none
    of them: two items with `none` are yes and no. `sampling` is π_s, and `faces` are the
    probabilities of the background faces, by default uniform over the legal truths. `variant` is
    `kept`, `fresh` or `round-two`, and `aggregators` is m >= 1. `sharing` is `Additive()`,
    `Shamir(t)`, `ShamirPercent(P)` or a name such as `shamir:3`. The output of the reader is the
    array of the estimated shares; shape (items,).

    Raises `ValueError` for parameters out of range.

    >>> from simnet import run
    >>> done = run(SamplingPrivacy(users=6, items=2), [1, 1, 2, 2, 2, 2], seed=7)
    >>> bool(abs(done.outputs["reader"].sum() - 1) < 1e-9)
    True
    """

    users: int  # n >= 1
    items: int  # V, or V + 1 with none; at least 2
    sampling: Annotated[
        Chance, "π_s, the probability of the sampled face of an owner's die, 0 < π_s < 1"
    ] = 0.45
    faces: Annotated[
        str | Sequence[Chance] | None,
        "π_0..π_V, the probabilities of face 0 and of each value's face, with commas between; by "
        "default uniform over the legal truths",
    ] = None
    none: Annotated[bool, "whether the last item stands for none of the other items"] = True
    variant: Annotated[
        Variant,
        "whether owners keep their roll for round two, roll again, or answer in round two alone",
    ] = "kept"
    aggregators: Annotated[
        int, "the number of parties that add up shares, 1 or more; a single one sees clear answers"
    ] = 2
    sharing: SharingByName = attrs.field(default=Additive(), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        checks.whole("items", self.items, 2)
        checks.whole("aggregators", self.aggregators, 1)
        one_of("variant", self.variant, VARIANTS)
        if self.mechanism.values != self.items - self.none:
            raise ValueError(
                f"{self.items} items{', the last of which means none of the others,' * self.none} "
                f"need a die with {self.items - self.none + 1} background faces, face 0 and one "
                f"for each value: the number of faces given is {len(self.mechanism.faces)}"
            )

    @functools.cached_property
    def mechanism(self) -> TwoRounds:
        """The die, and the answers to its faces."""
        if self.faces is None:
            return TwoRounds.even(self.sampling, self.items - self.none, self.none)
        return TwoRounds(self.sampling, self.faces, self.none)

    @property
    def field(self) -> Field:
        """The field F_q, where q is the smallest prime above n and m.

        No count wraps, and Shamir's sharing has a point for every aggregator.
        """
        return Field.above(max(self.users, self.aggregators))

    @property
    def rounds(self) -> tuple[Summed, ...]:
        """The tags of the rounds in which owners answer."""
        return (ROUND_TWO,) if self.variant == "round-two" else (ROUND_ONE, ROUND_TWO)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: owners u1..un play `user`, A1..Am play `aggregator`, and one is
        the reader.
        """
        return {
            **seats("u", self.user, self.users),
            **seats("A", self.aggregator, self.aggregators),
            "reader": Seat(self.reader),
        }

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the answer of each round among the aggregators."""
        aggregators = me.all("aggregator")
        mine = self.answers(item, me)  # shape (rounds, V + 1)
        for place, tag in enumerate(self.rounds):
            shares = self.sharing.share(mine[place], self.aggregators, me.coins)
            await me.scatter(tag, to=aggregators, rows=shares)

    async def aggregator(self, me: Party) -> None:
        """Add up the shares of each round, and send the sums to the reader."""
        users = me.all("user")
        for tag in self.rounds:
            await self.sharing.report(me, await me.gather_sum(tag, senders=users), to="reader")

    async def reader(self, me: Party) -> Sealed:
        """Recover the counts of each round, and estimate the shares of the owners.

        Shape (items,), not clipped.
        """
        sums = [await self.sharing.recover(me, me.all("aggregator")) for _ in self.rounds]
        return me.output(self.estimate, *sums)

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, Sequence[FieldArray]]:
        """Return the ideal world's outputs: a trusted party hands the counts of each round to
        the reader.
        """
        answers = [self.answers(item, user) for item, user in zip(items, users, strict=True)]
        counts = type(answers[0]).stack(answers).sum()
        return {"reader": [counts[place] for place in range(len(self.rounds))]}

    def answers(self, item: Sealed, user: Holder) -> FieldArray:
        """Return an owner's secret: its symbol in each round, one-hot; shape (rounds, V + 1)."""
        shape = (len(self.rounds), self.mechanism.values + 1)
        return user.secret(self.one_hot_symbols, item, field=self.field, shape=shape)

    def one_hot_symbols(self, item: int, coins: Coins) -> Ints:
        """Return what an owner answers in each round, one-hot; shape (rounds, V + 1)."""
        symbols = self.symbols(item, coins)
        return np.stack([one_hot(symbol + 1, self.mechanism.values + 1) for symbol in symbols])

    def symbols(self, item: int, coins: Coins) -> list[int]:
        """Return what an owner answers in each round.

        Raises `ValueError` for an item outside 1..items.
        """
        checks.whole("an item", item, 1, self.items)
        truth = item if item <= self.mechanism.values else NONE
        face = self.mechanism.throw(1, coins)
        first = [] if self.variant == "round-two" else [int(self.mechanism.round_one(face)[0])]
        if self.variant == "fresh":
            face = self.mechanism.throw(1, coins)
        return [*first, int(self.mechanism.round_two(face, [truth])[0])]

    def estimate(self, *counts: Ints) -> Floats:
        """Return unbiased estimates of the shares of owners, shape (items,), from the counts of
        each round.

        Each count array has shape (V + 1,). All entries are NaN if nobody answered at all. Raises
        `ValueError` unless the counts of each round add up to the number of owners, and in the
        variant `kept` if the count of a value falls from round one to round two.
        """
        if not any(of_round.any() for of_round in counts):
            return np.full(self.items, np.nan)
        match self.variant:
            case "kept":
                holders = estimators.kept_estimate(self.mechanism, counts[0], counts[1])
            case "fresh":
                holders = estimators.fresh_estimate(self.mechanism, counts[0], counts[1])
            case _:
                holders = estimators.round_two_estimate(self.mechanism, counts[0], self.users)
        # both rounds may have equal sums although the same owner is missing in both
        estimators.all_answered(counts[0], self.users)
        return accuracy.with_none(self.mechanism, holders, self.users) / self.users
