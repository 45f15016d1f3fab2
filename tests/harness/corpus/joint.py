"""Leaks that no message and no door shows alone: counterexamples to rules that look right.

In each of these scripts every message is masked, and every disclosed value looks harmless by
itself: the input comes out when a message and a disclosure, two disclosures, or two secrets made of
the same coins are put together. `docs/proofs/verdicts.md` says which rule each script refutes.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from simnet import FieldArray, Party, Seat
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
    MASKED,
    NOTE,
    PAIRS,
    THREE,
    TWO,
    OneHolder,
    Script,
    TwoReaders,
    hidden,
    itself,
    number_of,
    tell,
    twins,
)
from tests.harness.corpus.truth import Truth

SOURCE = "several together"


def sum_of_bits(*values: int) -> int:
    """Return the sum of the item's bit and the number, modulo 2."""
    return int(sum(values)) % 2


def times_bit(factor: Any, item: int) -> int:
    """Return the number if the item is the second, otherwise 0."""
    return int(factor) * (item - 1)


def behind_a_coin(item: int, coins: Any) -> int:
    """The item's bit or the opposite bit: a fair coin decides."""
    return (item + int(coins.integers(2, 1)[0])) % 2


class KnownMask(OneHolder):
    """The user discloses its input plus a coin, and sends the coin; in the twin, it sends another
    coin.
    """

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        mask, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        await tell(me, me.disclose(sum_of_bits, item, mask))
        await me.send(NOTE, "S", mask if self.mistake else other)


class KnownMaskOfSecret(OneHolder):
    """The user discloses its input plus a coin, and sends the coin. Here the input is a secret, and
    the door gets the input and the coin as field elements.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = hidden(me, item)
        mask, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        await tell(me, me.disclose(sum_of_bits, mine, mask))
        await me.send(NOTE, "S", mask if self.mistake else other)


class MaskFromMessages(OneHolder):
    """The mask of the disclosed value follows from two messages and another disclosed value."""

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        mask, link, end = (me.coins.field(F2, ()) for _ in range(3))
        await me.send(NOTE, "S", mask + link)
        await me.send(NOTE, "S", link + end)
        await tell(me, me.disclose(sum_of_bits, item, mask))
        await tell(me, me.disclose(int, end if self.mistake else me.coins.field(F2, ())))


class CopyOfCoin(OneHolder):
    """A secret is a copy of a coin, and the row that is disclosed contains the coin itself."""

    async def user(self, me: Party, item: Any) -> None:
        mine = hidden(me, item)
        coin, mask, other = (me.coins.field(F2, ()) for _ in range(3))
        copy = me.secret(int, coin, field=F2, shape=())
        await me.send(MASKED, "S", copy + mask + mine)
        await tell(me, me.disclose(int, (mask if self.mistake else other) + coin))


class DisclosedSecret(OneHolder):
    """The user discloses a secret made of its input and a coin, and sends the coin.

    The twin hides the secret behind another coin before it discloses it.
    """

    async def user(self, me: Party, item: Any) -> None:
        coin, spare = me.coins.field(F2, ()), me.coins.field(F2, ())
        mixed = me.secret(sum_of_bits, item, coin, field=F2, shape=())
        await tell(me, me.disclose(int, mixed if self.mistake else mixed + spare))
        await me.send(NOTE, "S", coin)


class NestedSecret(OneHolder):
    """A secret is the product of the input and another secret, which is a copy of a coin."""

    async def user(self, me: Party, item: Any) -> None:
        coin, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        copy = me.secret(int, coin, field=F2, shape=())
        product = me.secret(times_bit, copy, item, field=F2, shape=())
        await me.send(NOTE, "S", (coin if self.mistake else other) + product)


class CrossedSecrets(OneHolder):
    """Two secrets are made of one coin each, and each secret is hidden by the coin that the other
    secret is made of.
    """

    async def user(self, me: Party, item: Any) -> None:
        first, second = me.coins.field(F2, ()), me.coins.field(F2, ())
        others = me.coins.field(F2, (2,))
        mixed = me.secret(sum_of_bits, item, first, field=F2, shape=())
        copy = me.secret(int, second, field=F2, shape=())
        await me.send(NOTE, "S", mixed + (second if self.mistake else others[0]))
        await me.send(NOTE, "S", copy + (first if self.mistake else others[1]))


class SumWithCopy(OneHolder):
    """Over F_3, the user sends a coin, and discloses whether the sum of its input, the coin and a
    copy of the coin is 0.
    """

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item, F3)
        coin, other = me.coins.field(F3, ()), me.coins.field(F3, ())
        copy = me.secret(int, coin, field=F3, shape=())
        await me.send(NOTE, "S", coin)
        row = (coin if self.mistake else other) + copy
        await tell(me, me.disclose(lambda held, sum_: (held + int(sum_)) % 3 == 0, item, row))


class SecretPlusCopy(OneHolder):
    """The user discloses the sum of its input and a copy of a coin: as a linear form, this row
    contains no coin.
    """

    async def user(self, me: Party, item: Any) -> None:
        coin, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        copy = me.secret(int, coin, field=F2, shape=())
        await me.send(NOTE, "S", coin if self.mistake else other)
        await tell(me, me.disclose(int, hidden(me, item) + copy))


class SecretPlusEcho(Script):
    """A member of the coalition receives a coin and makes the copy of it."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "server": Seat(self.server), "S": Seat(self.echo)}

    async def user(self, me: Party, item: Any) -> None:
        await me.send(NOTE, "server", hidden(me, item))
        await me.send(NOTE, "S", me.coins.field(F2, ()))

    async def echo(self, me: Party) -> None:
        received = await me.receive(NOTE, "u")
        copy = me.secret(int, received, field=F2, shape=())
        await me.send(MASKED, "server", copy if self.mistake else copy + me.coins.field(F2, ()))

    async def server(self, me: Party) -> None:
        row = await me.receive(NOTE, "u") + await me.receive(MASKED, "S")
        if not self.mistake:
            row = row + me.coins.field(F2, ())
        await tell(me, me.disclose(int, row))


class OutputMadeOfCoins(Script):
    """The ideal world hands out a secret that is made of a coin, and the coin is sent."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.first), "u2": Seat(self.second), "S": Seat(self.idle)}

    async def first(self, me: Party, item: Any) -> None:
        await me.send(NOTE, "S", hidden(me, item))

    async def second(self, me: Party, item: Any) -> None:
        coin = me.coins.field(F2, ())
        me.secret(sum_of_bits, item, coin, field=F2, shape=())
        await me.send(NOTE, "S", coin)

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, Any]:
        """The first input and, by mistake, the sum of the other one and a coin."""
        plain = hidden(users[0], inputs[0])
        if not self.mistake:
            return {"S": plain}
        return {"S": [plain, users[1].secret(number_of, inputs[1], field=F2, shape=())]}


class TwoDisclosedSecrets(OneHolder):
    """A secret coin, and the input plus this coin: each alone is uniform."""

    async def user(self, me: Party, item: Any) -> None:
        noise = me.secret(lambda coins: int(coins.integers(2, 1)[0]), field=F2, shape=())
        mixed = me.secret(sum_of_bits, item, noise, field=F2, shape=())
        await tell(me, me.disclose(int, mixed))
        if self.mistake:
            await tell(me, me.disclose(int, noise))


class NoiseOfOutput(OneHolder):
    """The ideal world hands out a noisy input, and the user discloses the noise as well."""

    async def user(self, me: Party, item: Any) -> None:
        noise = me.secret(lambda coins: int(coins.integers(2, 1)[0]), field=F2, shape=())
        await me.send(NOTE, "S", me.secret(sum_of_bits, item, noise, field=F2, shape=()))
        if self.mistake:
            await tell(me, me.disclose(int, noise))

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the noisy input."""
        (user,) = users
        noise = user.secret(lambda coins: int(coins.integers(2, 1)[0]), field=F2, shape=())
        return {"S": user.secret(sum_of_bits, inputs[0], noise, field=F2, shape=())}


class TwoDisclosures(OneHolder):
    """The user discloses a coin, and its input plus the coin; it sends no message."""

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        mask, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        await tell(me, me.disclose(int, mask if self.mistake else other))
        await tell(me, me.disclose(sum_of_bits, item, mask))


def refused_when_equal(item: int, mask: Any) -> int:
    """Raises an error if the number of the item equals the coin that hides it."""
    if item - 1 == mask:
        raise ValueError("the mask is the number")
    return item


def refused_outside(item: int, mask: Any) -> int:
    """Raises an error for a number that is not an item."""
    del mask
    if item not in (1, 2, 3):
        raise ValueError("an item is 1, 2 or 3")
    return item


class RefusalTells(OneHolder):
    """A door refuses some coins. So whoever sees a coin that was accepted knows one value that the
    input does not have.
    """

    async def user(self, me: Party, item: Any) -> None:
        mask = me.coins.field(F3, ())
        check = refused_when_equal if self.mistake else refused_outside
        me.secret(check, item, mask, field=F3, shape=())
        await me.send(NOTE, "S", mask)


class HeardThroughAnother(OneHolder):
    """A user sends a disclosed value to nobody, but another door reads it and discloses a value
    that is sent.
    """

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        unheard = me.disclose(number_of if self.mistake else behind_a_coin, item)
        await tell(me, me.disclose(lambda: unheard))


@attrs.frozen
class Multiplied:
    """A user sends a multiple of its input behind a mask; the factor differs from run to run."""

    multiplier: int = 1
    items: int = 3

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.reader)}

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(lambda held: held * self.multiplier, item, field=F3, shape=())
        await me.send(MASKED, "S", mine + me.coins.field(F3, ()))

    async def reader(self, me: Party) -> None:
        """Read the mail, and say nothing."""


@attrs.frozen
class Squared(Multiplied):
    """A user sends the square of its input behind a mask. Modulo 3, the items 1 and 3 are their own
    squares, and 2 is not.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(lambda held: held * held, item, field=F3, shape=())
        await me.send(MASKED, "S", mine + me.coins.field(F3, ()))


def noise_unless_first(item: int, coins: Any) -> int:
    """Return 0 for the first item, and a coin for the second."""
    return int(coins.integers(2, 1)[0]) if item > 1 else 0


@attrs.frozen
class NoisyUnlessFirst:
    """A user sends the value of a door, which tosses a coin for some inputs only.

    In the twin the door tosses a coin for no input. If `is_handed_out`, the ideal world hands out
    the door's value too.
    """

    is_noisy: bool
    is_handed_out: bool
    items: int = 2

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.reader)}

    def answer(self, item: Any, user: Any) -> FieldArray:
        """Return 0 for the first item, and a coin or 1 for the second."""
        function = noise_unless_first if self.is_noisy else number_of
        answer: FieldArray = user.secret(function, item, field=F2, shape=())
        return answer

    async def user(self, me: Party, item: Any) -> None:
        await me.send(NOTE, "S", self.answer(item, me))

    async def reader(self, me: Party) -> None:
        """Read the mail, and say nothing."""

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's outputs: the answer for the reader if `is_handed_out`, otherwise
        nothing.
        """
        answer = self.answer(inputs[0], users[0])
        return {"S": answer} if self.is_handed_out else {}


class OutputUsedAgain(OneHolder):
    """A sealed output is the value of a coin, and a secret is made of this output and the input."""

    async def user(self, me: Party, item: Any) -> None:
        coin, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        noted = me.output(int, coin)
        product = me.secret(times_bit, noted, item, field=F2, shape=())
        await me.send(NOTE, "S", product + (coin if self.mistake else other))


class OutputDisclosed(OneHolder):
    """A sealed output of the input is disclosed. This leaks as much as disclosing the input
    directly.
    """

    async def user(self, me: Party, item: Any) -> Any:
        await me.send(MASKED, "S", hidden(me, item) + me.coins.field(F2, ()))
        kept = me.output(itself, item)
        await tell(me, me.disclose(number_of if self.mistake else behind_a_coin, kept))
        return kept


class SecretOfTwoCoins(TwoReaders):
    """A secret is the product of two coins, so whoever gets both coins can compute it."""

    async def user(self, me: Party, item: Any) -> None:
        left, right, mask = (me.coins.field(F2, ()) for _ in range(3))
        product = me.secret(
            lambda one, other: int(one) * int(other), left, right, field=F2, shape=()
        )
        await me.send(NOTE, "A", left)
        await me.send(NOTE, "A", right)
        hiding = product if self.mistake else product + mask
        await me.send(MASKED, "B", hidden(me, item) + hiding)


class ProductOfCoins(TwoReaders):
    """A product of two coins, computed as a product of field arrays, hides an input badly, even
    from B alone.
    """

    async def user(self, me: Party, item: Any) -> None:
        left, right, mask = (me.coins.field(F2, ()) for _ in range(3))
        hiding = left * right if self.mistake else left * right + mask
        await me.send(MASKED, "B", hidden(me, item) + hiding)
        await me.send(NOTE, "A", left)


def examples() -> list[Example]:
    """Return each counterexample, and the same script without the mistake."""

    def one(name: str, channel: str, script: Any, **options: Any) -> list[Example]:
        settings = {"inputs": TWO, "leaks": {"S": LEAKS}, "holds": {"S": NOTHING}, **options}
        return pair(name, SOURCE, channel, *twins(script, settings["inputs"]), **settings)

    disclosed = {"leaks": {"S": LEAKS_AS_DISCLOSED}}
    both = {"A, B": LEAKS}
    return [
        *one("an input plus a known coin", "sum of input and coin", KnownMask),
        *one("a secret plus a known coin", "sum of secret and coin", KnownMaskOfSecret),
        *one("a mask that follows from messages", "sum of input and coin", MaskFromMessages),
        *one("a copy of a coin", "derived secret", CopyOfCoin),
        *one("a disclosed secret made of a coin", "derived secret", DisclosedSecret),
        *one("a nested secret", "nested secret", NestedSecret),
        *one("crossed secrets", "derived secret", CrossedSecrets),
        *one("a coin and its copy", "derived secret", SumWithCopy, inputs=THREE),
        *one("a secret plus the copy of a known coin", "derived secret", SecretPlusCopy),
        *one("a secret plus an echo", "derived secret", SecretPlusEcho),
        *one(
            "an output made of coins",
            "ideal output",
            OutputMadeOfCoins,
            inputs=PAIRS,
            holds={"S": ONLY_OUTPUT},
        ),
        *one("two disclosed secrets", "composition", TwoDisclosedSecrets, **disclosed),
        *one(
            "the noise of the output",
            "composition",
            NoiseOfOutput,
            leaks={"S": Truth(view="leaks", shares="output-only")},
        ),
        *one("two disclosures", "composition", TwoDisclosures, **disclosed),
        *one(
            "a refusal that tells",
            "refusal",
            RefusalTells,
            inputs=THREE,
            may_end=True,
            seeds=range(4),
        ),
        *one(
            "a disclosed value reaches another party", "who hears", HeardThroughAnother, **disclosed
        ),
        *pair(
            "two multiples behind one mask",
            SOURCE,
            "several runs",
            (Multiplied(1), Multiplied(2)),
            (Multiplied(1), Multiplied(1)),
            [(one, one) for one in THREE],
            {"S": LEAKS},
            {"S": NOTHING},
            one_seed=True,
            same_inputs=True,
        ),
        *pair(
            "a value and its square behind one mask",
            SOURCE,
            "several runs",
            (Multiplied(), Squared()),
            (Squared(), Squared()),
            [(one, one) for one in THREE],
            {"S": LEAKS},
            {"S": NOTHING},
            one_seed=True,
            same_inputs=True,
        ),
        *pair(
            "noise on some inputs only",
            SOURCE,
            "several runs",
            (NoisyUnlessFirst(True, True), NoisyUnlessFirst(True, False)),
            (NoisyUnlessFirst(False, True), NoisyUnlessFirst(False, False)),
            [(one, one) for one in TWO],
            {"S": LEAKS},
            {"S": ONLY_OUTPUT},
            same_inputs=True,
        ),
        *one("an output used again", "output used again", OutputUsedAgain),
        *one("an output disclosed", "output used again", OutputDisclosed, **disclosed),
        *one(
            "a secret made of two coins",
            "derived secret",
            SecretOfTwoCoins,
            leaks={**both, "B": LEAKS},
            holds={"A": NOTHING, "B": NOTHING, "A, B": NOTHING},
        ),
        *one(
            "a product of two coins",
            "product",
            ProductOfCoins,
            leaks={**both, "B": LEAKS},
            holds={"B": NOTHING, "A, B": NOTHING},
        ),
    ]
