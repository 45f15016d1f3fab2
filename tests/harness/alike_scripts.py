"""Random protocols in which users are alike, or all alike but one, to test lifted verdicts."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet.cli.starter.two_server_sum import TwoServerSum
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed, Tag
from simnet.roster import Seat, seats
from simnet.values.field import Field, FieldArray
from tests.harness.pairwise_masks import PairwiseMasks

STEPS = ("share", "share", "mask", "send", "send", "publish", "twice", "twice", "reply")
ANSWER = Tag("answer")


def house(name: str, n: int) -> Any:
    """A protocol of the house with n users who are alike."""
    items: dict[str, Any] = {"items": 3, "participation": 1.0, "users": n}
    return {
        "dpds": lambda: DPDS(**items),
        "dpdg": lambda: DPDG(users=n, items=2, epsilon=1.0, delta=1e-5),
        "tss": lambda: TSS(**items, reported=2),
        "tss_prime": lambda: TSSPrime(**items, reported=1, bound=2),
        "pairs": lambda: PairwiseMasks(n),
        "two_server": lambda: TwoServerSum(users=n),
    }[name]()


@attrs.frozen
class Step:
    """One thing that every user does.

    `share` splits a value into shares for all users, and sums up what it receives; the share that
    closes the sum stands at place `at`. `mask` sends fresh coins to all users. `send` sends a
    combination to the server, and `publish` to all users. `twice` sends two arrays under one tag: a
    combination with a new coin to the server, and then the coin, to the server too or to all users.
    `reply` sends a combination to the server, which answers everybody with the sum of all
    others' or with that of all.
    `weights` are the coefficients of the
    combination, and with `fresh` a new coin is added to it. `summed` says how it is sent.
    """

    kind: str
    weights: tuple[int, ...]
    at: int
    fresh: bool
    summed: bool


@attrs.frozen
class Alike:
    """n users, each with a secret of two elements, who all take the same steps.

    If `odd` is the number of a user, this user alone does something else at step `odd_step`.
    """

    users: int
    modulus: int
    steps: tuple[Step, ...]
    outputs: bool
    odd: int = 0
    odd_step: int = 0
    odd_way: int = 0

    def parties(self) -> Mapping[str, Seat]:
        """The users, and a server."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    def secret(self, holder: Any, item: Any) -> FieldArray:
        """A user's secret."""
        q = self.modulus
        made: FieldArray = holder.secret(
            lambda value: [value % q, (value * value + 1) % q],
            item,
            field=Field(q),
            shape=(2,),
        )
        return made

    async def user(self, me: Party, item: Any) -> None:
        """Take all steps; `pool` has everything that may go into a combination."""
        field = Field(self.modulus)
        mine = self.secret(me, item)
        pool = [mine[[0]], mine[[1]]]
        for number, step in enumerate(self.steps):
            is_odd = me.index == self.odd and number == self.odd_step
            weights = list(step.weights[: len(pool)])
            if is_odd and self.odd_way == 0:
                weights[0] += 1
            value = pool[0] * 0
            for weight, each in zip(weights, pool, strict=False):
                value = value + each * weight
            summed, tag = Summed(f"{step.kind} {number}"), Tag(f"{step.kind} {number} alone")
            if step.kind == "share":
                masks = me.coins.field(field, (self.users - 1, 1))
                closing = (value - masks.sum())[None]
                place = (step.at + (1 if is_odd else 0)) % self.users
                rows = type(masks).join([masks[:place], closing, masks[place:]])
                pool.append(await self.exchanged(me, (tag, summed)[step.summed], rows))
            elif step.kind == "mask":
                rows = me.coins.field(field, (self.users, 1))
                if is_odd and self.odd_way == 1:
                    rows = type(rows).join([rows[1:], rows[1:2]])
                pool.append(rows.sum())
                pool.append(await self.exchanged(me, (tag, summed)[step.summed], rows))
            elif step.kind == "twice":
                pool += await self.twice(me, value, step, (tag, summed)[step.summed], is_odd)
            else:
                pool += await self.told(me, value, step, (tag, summed), is_odd)

    async def told(
        self, me: Party, value: FieldArray, step: Step, tags: tuple[Tag, Summed], is_odd: bool
    ) -> list[FieldArray]:
        """Send a combination to the server, or publish it. Return what may go into later
        combinations.
        """
        new = []
        if step.fresh and not (is_odd and self.odd_way == 2):
            coin = me.coins.field(Field(self.modulus), (1,))
            value = value + coin
            new.append(coin)
        if step.kind == "publish":
            others = [name for name in me.all("user") if name != me.name]
            await me.publish(tags[0], others, value)
            heard = await me.gather(tags[0], others)
            return [*new, type(value).stack(heard).sum()]
        await me.send(tags[step.summed and step.kind == "send"], "server", value)
        if step.kind == "reply":
            new.append(await me.receive(ANSWER, "server"))
        return new

    async def exchanged(self, me: Party, tag: Tag, rows: FieldArray) -> FieldArray:
        """Send a row to each user. Return the sum of what all users send here."""
        users = me.all("user")
        await me.scatter(tag, to=users, rows=rows)
        if isinstance(tag, Summed):
            return await me.gather_sum(tag, senders=users)
        return type(rows).stack(await me.gather(tag, users)).sum()

    async def twice(
        self, me: Party, value: FieldArray, step: Step, tag: Tag, is_odd: bool
    ) -> list[FieldArray]:
        """Send two arrays under one tag. Return what may go into later combinations."""
        coin = me.coins.field(Field(self.modulus), (1,))
        await me.send(tag, "server", value + coin * (2 if is_odd else 1))
        if step.at % 2:
            await me.send(tag, "server", coin)
            return [coin]
        users = me.all("user")
        await me.scatter(tag, to=users, rows=type(coin).join([coin] * self.users)[:, None])
        if step.summed:
            return [coin, await me.gather_sum(tag, senders=users)]
        await me.gather(tag, users)
        return [coin]

    async def server(self, me: Party) -> None:
        """Receive what users send."""
        users = me.all("user")
        for number, step in enumerate(self.steps):
            if step.kind == "send" and step.summed:
                await me.gather_sum(Summed(f"send {number}"), senders=users)
            elif step.kind == "send":
                await me.gather(Tag(f"send {number} alone"), users)
            elif step.kind == "reply":
                heard = await me.gather(Tag(f"reply {number} alone"), users)
                total = type(heard[0]).stack(heard).sum()
                if step.at % 2:
                    await me.publish(ANSWER, users, total)
                    continue
                for name, number_of_it in zip(users, heard, strict=True):
                    await me.send(ANSWER, name, total - number_of_it)
            elif step.kind == "twice":
                for _ in range(1 + step.at % 2):
                    if step.summed:
                        await me.gather_sum(Summed(f"twice {number}"), senders=users)
                    else:
                        await me.gather(Tag(f"twice {number} alone"), users)

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """The sum of first elements for the server, or nothing."""
        if not self.outputs:
            return {}
        secrets = [self.secret(user, item) for user, item in zip(users, inputs, strict=True)]
        return {"server": type(secrets[0]).stack(secrets).sum()[[0]]}


def random_alike(draw: random.Random, users: int, with_odd: bool) -> Alike:
    """A random protocol of this kind."""
    q = draw.choice([2, 3, 5, 7, 101])
    steps = tuple(
        Step(
            kind=draw.choice(STEPS),
            weights=tuple(draw.choice([0, 0, 1, 1, q - 1, draw.randrange(q)]) for _ in range(12)),
            at=draw.randrange(users),
            fresh=draw.random() < 0.3,
            summed=draw.random() < 0.6,
        )
        for _ in range(draw.randint(1, 4))
    )
    return Alike(
        users=users,
        modulus=q,
        steps=steps,
        outputs=draw.random() < 0.5,
        odd=draw.randint(1, users) if with_odd else 0,
        odd_step=draw.randrange(len(steps)),
        odd_way=draw.randrange(3),
    )


def inputs_of(protocol: Alike) -> Sequence[int]:
    """Some inputs."""
    return list(range(1, protocol.users + 1))
