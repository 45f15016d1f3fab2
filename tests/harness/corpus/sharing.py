"""Secure sums and secret sharing with one wrong line each, and repeated runs."""

from collections.abc import Mapping
from typing import Any

import attrs

from simnet import FieldArray, Party, Seat, Summed, Tag, bits, seats
from tests.harness.corpus.example import (
    LEAKS,
    LEAKS_AS_DISCLOSED,
    NOTHING,
    ONLY_OUTPUT,
    Example,
    pair,
)
from tests.harness.corpus.frames import (
    F2,
    F3,
    MASK,
    MASKED,
    NOTE,
    PAIRS,
    THREE,
    TWO,
    VALUE,
    Script,
    TwoReaders,
    hidden,
    twins,
)

TRIPLES = [(*two, item) for two in PAIRS for item in (1, 2)]
SHARE, SHARES, RUNNING, TOTAL = Summed("share"), Summed("shares"), Tag("running"), Tag("total")


class Net(Script):
    """Each two of three users share a coin, which hides their bits, and a server adds up.

    By mistake the last user shares no coin with anybody.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 3), "server": Seat(self.server)}

    async def user(self, me: Party, item: Any) -> None:
        masked = hidden(me, item)
        for peer in (1, 2, 3):
            if me.index == peer or (self.mistake and 3 in (me.index, peer)):
                continue
            if me.index < peer:
                coin = me.coins.field(F2, ())
                await me.send(MASK, f"u{peer}", coin)
            else:
                coin = await me.receive(MASK, f"u{peer}")
            masked = masked + coin
        await me.send(MASKED, "server", masked)

    async def server(self, me: Party) -> Any:
        received = await me.gather(MASKED, me.all("user"))
        return type(received[0]).stack(received).sum().open()

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the sum, for the server."""
        secrets = [hidden(user, item) for user, item in zip(users, inputs, strict=True)]
        return {"server": type(secrets[0]).stack(secrets).sum()}


class Ring(Script):
    """Three users add up their bits on a ring; by mistake the first user does not mask its bit."""

    def parties(self) -> Mapping[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party, item: Any) -> Any:
        mine = hidden(me, item)
        if me.index > 1:
            before, after = f"u{me.index - 1}", f"u{me.index % 3 + 1}"
            await me.send(RUNNING, after, await me.receive(RUNNING, before) + mine)
            return (await me.receive(TOTAL, "u1")).open()
        mask = me.coins.field(F2, ())
        await me.send(RUNNING, "u2", mine if self.mistake else mine + mask)
        total = await me.receive(RUNNING, "u3")
        total = total if self.mistake else total - mask
        await me.publish(TOTAL, ["u2", "u3"], total)
        return total.open()

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's outputs: the sum, for every party."""
        secrets = [hidden(user, item) for user, item in zip(users, inputs, strict=True)]
        total = type(secrets[0]).stack(secrets).sum()
        return dict.fromkeys(("u1", "u2", "u3"), total)


class Additive(Script):
    """A user shares two elements among A and B, in a deferred block; by mistake it uses the same
    coin for both elements.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "A": Seat(self.holder), "B": Seat(self.holder, 2)}

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(lambda held: [held, 1], item, field=F2, shape=(2,))

        def rows(coins: Any) -> FieldArray:
            drawn = coins.field(F2, (2,))
            masks = type(drawn).stack([drawn[0], drawn[0 if self.mistake else 1]])
            shares: FieldArray = type(drawn).stack([masks, mine - masks])
            return shares

        await me.scatter(SHARE, ["A", "B"], me.coins.deferred(F2, (2, 2), rows))

    async def holder(self, me: Party) -> None:
        await me.gather_sum(SHARE, ["u"])


class SealedInBlock(TwoReaders):
    """A deferred block that uses the sealed input itself; the twin's block uses the secret."""

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(lambda held: [held], item, field=F2, shape=(1,))

        def rows(coins: Any) -> FieldArray:
            drawn = coins.field(F2, (1,))
            block: FieldArray = type(drawn).stack([drawn, drawn + mine])
            if self.mistake:
                block = type(drawn).stack([drawn, drawn * item])
            return block

        await me.scatter(SHARE, ["A", "B"], me.coins.deferred(F2, (2, 1), rows))


class Polynomial(TwoReaders):
    """Shamir's sharing over F_3 with a random line; by mistake every share is the secret itself,
    because the slope's factor is 3, which is 0.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine, slope = hidden(me, item, F3), me.coins.field(F3, ())
        degree = 0 if self.mistake else 1
        for point, name in ((1, "A"), (2, "B")):
            await me.send(NOTE, name, mine + slope * (point**degree if degree else 3))


class Replicated(TwoReaders):
    """Each party gets two of three parts; by mistake B gets all three."""

    async def user(self, me: Party, item: Any) -> None:
        first, second = me.coins.field(F2, ()), me.coins.field(F2, ())
        third = hidden(me, item) - first - second
        await me.send(NOTE, "A", first)
        await me.send(NOTE, "A", second)
        await me.send(NOTE, "B", second)
        await me.send(NOTE, "B", third)
        if self.mistake:
            await me.send(NOTE, "B", first)


class DropOut(Script):
    """A user's message comes late, after a helper has already told the mask of this user, as if the
    user had dropped out.

    The twin's user has a second mask, which is never told.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "helper": Seat(self.helper), "server": Seat(self.idle)}

    async def user(self, me: Party, item: Any) -> None:
        shared, own = me.coins.field(F2, ()), me.coins.field(F2, ())
        await me.send(MASK, "helper", shared)
        masked = hidden(me, item) + shared
        await me.receive(NOTE, "helper")
        await me.send(MASKED, "server", masked if self.mistake else masked + own)

    async def helper(self, me: Party) -> None:
        shared = await me.receive(MASK, "u")
        await me.send(MASK, "server", shared)
        await me.send(NOTE, "u", bits([1]))


class TwoServers(Script):
    """Two users share their bits among two servers; one server forwards the parts unsummed."""

    def parties(self) -> Mapping[str, Seat]:
        return {
            **seats("u", self.user, 2),
            "helper": Seat(self.helper),
            "server": Seat(self.server),
        }

    async def user(self, me: Party, item: Any) -> None:
        mask = me.coins.field(F3, ())
        await me.send(SHARES, "server", hidden(me, item, F3) - mask)
        await me.send(MASK, "helper", mask)

    async def helper(self, me: Party) -> None:
        masks = await me.gather(MASK, me.all("user"))
        if not self.mistake:
            masks = [masks[0] + masks[1]]
        for mask in masks:
            await me.send(TOTAL, "server", mask)

    async def server(self, me: Party) -> Any:
        rest = await me.gather_sum(SHARES, me.all("user"))
        for _ in range(2 if self.mistake else 1):
            rest = rest + await me.receive(TOTAL, "helper")
        return rest.open()

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the sum, for the server."""
        first, second = (hidden(user, item, F3) for user, item in zip(users, inputs, strict=True))
        return {"server": first + second}


@attrs.frozen
class Masked:
    """A user sends its input behind a mask."""

    items: int = 2

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.reader)}

    async def user(self, me: Party, item: Any) -> None:
        await me.send(MASKED, "S", hidden(me, item, F3) + me.coins.field(F3, ()))

    async def reader(self, me: Party) -> None:
        """Read the mail, and say nothing."""


@attrs.frozen
class Noisy:
    """A user discloses a bit that is right with probability 3/4; in the twin, the bit is a fair
    coin.
    """

    chance: float
    items: int = 2

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.reader)}

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        report = me.disclose(lambda held, coins: (held + coins.bernoulli(self.chance)) % 2, item)
        await me.send(VALUE, "S", bits([report]))

    async def reader(self, me: Party) -> None:
        """Read the mail, and say nothing."""


@attrs.frozen
class SilentOnce(Masked):
    """A user with the first item is silent in this collection."""

    async def user(self, me: Party, item: Any) -> None:
        masked = hidden(me, item, F3) + me.coins.field(F3, ())
        if me.disclose(lambda held: held > 1, item):
            await me.send(MASKED, "S", masked)


def examples() -> list[Example]:
    """Return the sums, sharings and repeated runs."""

    def two(name: str, channel: str, script: Any, **options: Any) -> list[Example]:
        settings = {"inputs": TWO, "leaks": {"S": LEAKS}, "holds": {"S": NOTHING}, **options}
        return pair(name, "input", channel, *twins(script, settings["inputs"]), **settings)

    def runs(name: str, leaking: Any, sound: Any, **options: Any) -> list[Example]:
        settings = {
            "inputs": [(one, one) for one in TWO],
            "leaks": {"S": LEAKS},
            "holds": {"S": NOTHING},
            "same_inputs": True,
            **options,
        }
        return pair(name, "input", "several runs", leaking, sound, **settings)

    server = {"inputs": TRIPLES, "leaks": {"server": LEAKS}}
    return [
        *two(
            "a user without a common coin",
            "content",
            Net,
            **server,
            holds={"server": ONLY_OUTPUT, "u1": NOTHING, "u1, server": ONLY_OUTPUT},
        ),
        *two(
            "a ring without a mask",
            "content",
            Ring,
            inputs=TRIPLES,
            leaks={"u2": LEAKS},
            holds={"u2": ONLY_OUTPUT, "u3": ONLY_OUTPUT},
        ),
        *two(
            "one mask for two elements in a deferred block",
            "deferred block",
            Additive,
            leaks={"B": LEAKS},
            holds={"A": NOTHING, "B": NOTHING},
        ),
        *two(
            "an input in a deferred block",
            "deferred block",
            SealedInBlock,
            refused=True,
            leaks={"B": LEAKS},
            holds={"A": NOTHING, "B": NOTHING},
        ),
        *two(
            "a polynomial of too low degree",
            "content",
            Polynomial,
            inputs=THREE,
            leaks={"A": LEAKS},
            holds={"A": NOTHING, "B": NOTHING},
        ),
        *two(
            "all parts to one party",
            "recipient",
            Replicated,
            leaks={"B": LEAKS},
            holds={"A": NOTHING, "B": NOTHING},
        ),
        *two(
            "a late message",
            "round",
            DropOut,
            leaks={"server": LEAKS},
            holds={"server": NOTHING, "helper": NOTHING, "helper, server": NOTHING},
        ),
        *two(
            "parts that are forwarded unsummed",
            "content",
            TwoServers,
            inputs=PAIRS,
            leaks={"server": LEAKS},
            holds={"server": ONLY_OUTPUT, "helper": NOTHING},
        ),
        *runs(
            "one seed for two inputs",
            (Masked(), Masked()),
            (Masked(), Masked()),
            inputs=[(one, other) for one in TWO for other in TWO],
            one_seed=True,
            same_inputs=False,
            sound_options={"one_seed": False},
        ),
        *runs(
            "noise that is drawn again",
            (Noisy(0.25), Noisy(0.25)),
            (Noisy(0.5), Noisy(0.5)),
            leaks={"S": LEAKS_AS_DISCLOSED},
        ),
        *runs(
            "silence in the second run",
            (Masked(), SilentOnce()),
            (Masked(), Masked()),
            leaks={"S": LEAKS_AS_DISCLOSED},
        ),
    ]
