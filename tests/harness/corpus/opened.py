"""Leaks of opened values and of coins: thresholds, rejections, masks, multiplications."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from simnet import FieldArray, Party, Seat, Summed, Tag, bits, index
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
    F5,
    MASK,
    MASKED,
    NOTE,
    PAIRS,
    THREE,
    TWO,
    VALUE,
    OneHolder,
    Script,
    TwoReaders,
    hidden,
    twins,
)

TRIPLE, SHARE, DIFFERENCE, PRODUCT = (
    Tag(name) for name in ("triple", "share", "difference", "product")
)
SHARES = Summed("shares")


class Threshold(Script):
    """A server adds up two bits and publishes the sum if it is at least 1. The press reads what is
    published.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {
            "u1": Seat(self.user, 1),
            "u2": Seat(self.user, 2),
            "server": Seat(self.server),
            "press": Seat(self.idle),
        }

    async def user(self, me: Party, item: Any) -> None:
        mine = hidden(me, item, F3)
        if me.index == 1:
            mask = me.coins.field(F3, ())
            await me.send(MASK, "u2", mask)
            await me.send(SHARES, "server", mine + mask)
        else:
            await me.send(SHARES, "server", mine - await me.receive(MASK, "u1"))

    async def server(self, me: Party) -> Any:
        total = await me.gather_sum(SHARES, me.all("user"))
        if await self.is_published(me, total):
            await me.send(VALUE, "press", total)
        return total.open()

    async def is_published(self, me: Party, total: FieldArray) -> bool:
        """Return whether the sum is published; in the script with the mistake, only if it is not
        0.
        """
        del me
        return bool(total.open() > 0) if self.mistake else True

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's outputs: the sum for the server, and also for the press if the
        sum is always published.
        """
        first, second = (hidden(user, item, F3) for user, item in zip(users, inputs, strict=True))
        total = first + second
        return {"server": total} if self.mistake else {"server": total, "press": total}


class ThresholdDisclosed(Threshold):
    """The server discloses whether there is something to publish.

    In the twin the press may know the sum anyway, so it may also know whether the sum is 0.
    """

    async def is_published(self, me: Party, total: FieldArray) -> bool:
        return bool(me.disclose(lambda count: count > 0, total))


class MaskedOpening(Script):
    """A server opens the sum of a user's input and a mask. By mistake S receives the mask."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "server": Seat(self.server), "S": Seat(self.idle)}

    async def user(self, me: Party, item: Any) -> None:
        mask, other = me.coins.field(F3, ()), me.coins.field(F3, ())
        await me.send(MASKED, "server", hidden(me, item, F3) + mask)
        await me.send(MASK, "S", mask if self.mistake else other)

    async def server(self, me: Party) -> None:
        opened = me.disclose(int, await me.receive(MASKED, "u"))
        await me.send(VALUE, "S", index(opened, 3))


class TwoTimePad(Script):
    """Two numbers are opened behind the same mask."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "server": Seat(self.server), "S": Seat(self.idle)}

    async def user(self, me: Party, item: Any) -> None:
        masks = me.coins.field(F3, (2,))
        mine = me.secret(lambda held: [held, 1], item, field=F3, shape=(2,))
        await me.send(MASKED, "server", mine[0] + masks[0])
        await me.send(MASKED, "server", mine[1] + masks[0 if self.mistake else 1])

    async def server(self, me: Party) -> None:
        for _ in range(2):
            opened = me.disclose(int, await me.receive(MASKED, "u"))
            await me.send(VALUE, "S", index(opened, 3))


class Beaver(Script):
    """X and Y multiply their inputs with the help of a random product from a dealer.

    By mistake the dealer takes one coin for both factors. A reader `R` gets the product.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {
            "X": Seat(self.left),
            "Y": Seat(self.right),
            "dealer": Seat(self.dealer),
            "R": Seat(self.reader),
        }

    async def dealer(self, me: Party) -> None:
        a = me.coins.field(F2, ())
        b = a if self.mistake else me.coins.field(F2, ())
        shares = me.coins.field(F2, (3,))
        rest = type(shares).stack([a, b, a * b]) - shares
        await me.send(TRIPLE, "X", shares)
        await me.send(TRIPLE, "Y", rest)

    async def left(self, me: Party, item: Any) -> None:
        kept = me.coins.field(F2, ())
        await me.send(SHARE, "Y", hidden(me, item) - kept)
        other = await me.receive(SHARE, "Y")
        await self.multiply(me, "Y", kept, other, is_first=True)

    async def right(self, me: Party, item: Any) -> None:
        kept = me.coins.field(F2, ())
        await me.send(SHARE, "X", hidden(me, item) - kept)
        other = await me.receive(SHARE, "X")
        await self.multiply(me, "X", other, kept, is_first=False)

    async def multiply(
        self, me: Party, peer: str, x: FieldArray, y: FieldArray, is_first: bool
    ) -> None:
        """Open x - a and y - b, and send the party's share of the product to the reader."""
        a, b, c = await me.receive(TRIPLE, "dealer")
        mine = type(x).stack([x - a, y - b])
        await me.send(DIFFERENCE, peer, mine)
        opened = mine + await me.receive(DIFFERENCE, peer)
        d, e = me.disclose(list, opened)
        product = c + b * d + a * e
        if is_first:
            ones = opened[0] - opened[0]
            product = product + opened[0] * e + ones
        await me.send(PRODUCT, "R", product)

    async def reader(self, me: Party) -> Any:
        product = await me.receive(PRODUCT, "X") + await me.receive(PRODUCT, "Y")
        return product.open()

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the product, for the reader."""
        first, second = (hidden(user, item) for user, item in zip(users, inputs, strict=True))
        return {"R": first * second}


def bit_and_square(item: int) -> list[int]:
    """Return the item's number and its square."""
    return [item - 1, (item - 1) ** 2]


class ValidityCheck(TwoReaders):
    """Two servers check that an input is a bit: they open x² - x, which is always 0.

    By mistake they open x² alone.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "A": Seat(self.check), "B": Seat(self.check, 2)}

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(bit_and_square, item, field=F3, shape=(2,))
        shares = me.coins.field(F3, (2,))
        await me.send(SHARE, "A", shares)
        await me.send(SHARE, "B", mine - shares)

    async def check(self, me: Party) -> None:
        peer = "B" if me.name == "A" else "A"
        share = await me.receive(SHARE, "u")
        part = share[1] if self.mistake else share[1] - share[0]
        await me.send(DIFFERENCE, peer, part)
        checked = part + await me.receive(DIFFERENCE, peer)
        await me.send(VALUE, peer, bits([me.disclose(lambda number: number == 0, checked)]))


class RejectedZero(OneHolder):
    """A user draws a mask until it is not 0, so that a message is never the input.

    The twin draws a factor in the same way, which everybody may know.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine, mask = hidden(me, item, F3), me.coins.field(F3, ())
        if self.mistake:
            while me.disclose(lambda drawn: drawn == 0, mask):
                mask = me.coins.field(F3, ())
            await me.send(MASKED, "S", mine + mask)
        else:
            factor = me.disclose(int, me.coins.field(F3, ()))
            while factor == 0:
                factor = me.disclose(int, me.coins.field(F3, ()))
            await me.send(MASKED, "S", (mine + mask) * factor)


class RejectedZeroUndisclosed(RejectedZero):
    """Like `RejectedZero`, but the loop looks at the opened coin without disclosing anything."""

    async def user(self, me: Party, item: Any) -> None:
        mine, mask = hidden(me, item, F3), me.coins.field(F3, ())
        if self.mistake:
            while mask.open() == 0:
                mask = me.coins.field(F3, ())
        await me.send(MASKED, "S", mine + mask)


class RejectedValue(OneHolder):
    """A user draws a mask until it differs from the input, and sends this mask. The twin draws
    once, and sends an independent coin.
    """

    async def user(self, me: Party, item: Any) -> None:
        mask, other = me.coins.field(F3, ()), me.coins.field(F3, ())
        await me.send(MASKED, "S", hidden(me, item, F3) + other)
        while me.disclose(lambda held, drawn: held - 1 == drawn, item, mask) and self.mistake:
            mask = me.coins.field(F3, ())
        await me.send(MASK, "S", mask if self.mistake else me.coins.field(F3, ()))


class Parity(OneHolder):
    """A user sends its masked input and, as protocols for truncation do, the parity of the mask.

    The twin hides the parity behind another coin.
    """

    async def user(self, me: Party, item: Any) -> None:
        mask, cover = me.coins.field(F5, ()), me.coins.field(F2, ())
        parity = me.secret(lambda drawn: int(drawn) % 2, mask, field=F2, shape=())
        await me.send(MASKED, "S", hidden(me, item, F5) + mask)
        await me.send(NOTE, "S", parity if self.mistake else parity + cover)


class PartOfOutput(Script):
    """A server publishes the parity of a sum that the ideal world hands only to the server."""

    def parties(self) -> Mapping[str, Seat]:
        return {
            "u1": Seat(self.user, 1),
            "u2": Seat(self.user, 2),
            "server": Seat(self.server),
            "press": Seat(self.idle),
        }

    async def user(self, me: Party, item: Any) -> None:
        await me.send(NOTE, "server", hidden(me, item, F3))

    async def server(self, me: Party) -> None:
        first, second = await me.gather(NOTE, me.all("user"))
        total = first + second
        told = total if self.mistake else total + me.coins.field(F3, ())
        parity = me.disclose(lambda count: int(count) % 2, told)
        await me.send(VALUE, "press", bits([parity]))

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the two numbers, for the server."""
        first, second = (hidden(user, item, F3) for user, item in zip(users, inputs, strict=True))
        return {"server": type(first).stack([first, second])}


def unit(item: int) -> list[int]:
    """Return three elements: a 1 in the place of the item, and zeros elsewhere."""
    return [int(item == place) for place in (1, 2, 3)]


class Median(OneHolder):
    """A user discloses which of three numbers is the largest: by mistake of its plain one-hot
    vector, in the twin of a masked vector.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(unit, item, field=F2, shape=(3,))
        await me.send(MASKED, "S", mine + me.coins.field(F2, (3,)))
        row = mine if self.mistake else mine + me.coins.field(F2, (3,))
        place = me.disclose(lambda numbers: int(np.argmax(numbers)), row)
        await me.send(VALUE, "S", index(place, 3))


# The coins of the following scripts are not field elements.


class MaskedSometimes(OneHolder):
    """A coin decides whether the input is masked."""

    async def user(self, me: Party, item: Any) -> None:
        is_masked = me.coins.bernoulli(0.5) or not self.mistake
        mine, mask = hidden(me, item), me.coins.field(F2, ())
        await me.send(MASKED, "S", mine + mask if is_masked else mine)


class FactorByDie(OneHolder):
    """A die gives the factor of the mask, which may be 0; the twin's die has no 0."""

    async def user(self, me: Party, item: Any) -> None:
        die = int(me.coins.integers(2, 1)[0])
        factor = die if self.mistake else die + 1
        mask = me.coins.field(F3, ())
        await me.send(MASKED, "S", hidden(me, item, F3) + mask * factor)


class HelperByDie(TwoReaders):
    """A coin decides whether A is sent the mask or another coin; in the twin, A is always sent the
    other coin.
    """

    async def user(self, me: Party, item: Any) -> None:
        mask, other = me.coins.field(F2, ()), me.coins.field(F2, ())
        await me.send(MASKED, "B", hidden(me, item) + mask)
        chosen = (mask, other)[int(me.coins.bernoulli(0.5))]
        await me.send(MASK, "A", chosen if self.mistake else other)


class NumberByDie(OneHolder):
    """A die decides how many notes a user sends. By mistake a note is a plain copy of the input; in
    the twin it is a masked copy.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = hidden(me, item)
        for _ in range(int(me.coins.integers(3, 1)[0])):
            await me.send(NOTE, "S", mine if self.mistake else mine + me.coins.field(F2, ()))


class PadOutside(TwoReaders):
    """A one-time pad that is drawn outside the door and told to A; the twin draws it inside."""

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        pad = int(me.coins.integers(2, 1)[0])

        def padded_outside(held: int) -> int:
            return (held + pad) % 2

        def padded_inside(held: int, coins: Any) -> int:
            return (held + int(coins.integers(2, 1)[0])) % 2

        padded = me.disclose(padded_outside if self.mistake else padded_inside, item)
        await me.send(VALUE, "B", bits([padded]))
        await me.send(NOTE, "A", bits([pad]))


class Participation(OneHolder):
    """A coin in a user's door decides whether the user takes part, and the user tells this.

    By mistake it tells the first element of its answer, which also depends on its item.
    """

    async def user(self, me: Party, item: Any) -> None:
        def answer(held: int, coins: Any) -> list[int]:
            takes_part = coins.bernoulli(0.5)
            return [int(takes_part and held == place) for place in (1, 2)]

        mine = me.secret(answer, item, field=F3, shape=(2,))
        await me.send(MASKED, "S", mine + me.coins.field(F3, (2,)))
        told = me.disclose(lambda row: row[0] == 1 if self.mistake else row.any(), mine)
        await me.send(VALUE, "S", bits([told]))


def examples() -> list[Example]:
    """Return the leaks of opened values and of coins."""

    def two(name: str, source: str, channel: str, script: Any, **options: Any) -> list[Example]:
        settings = {"inputs": TWO, "leaks": {"S": LEAKS}, "holds": {"S": NOTHING}, **options}
        return pair(name, source, channel, *twins(script, settings["inputs"]), **settings)

    opened, coin = "opened value", "coin"
    told: Mapping[str, Any] = {"leaks": {"S": LEAKS_AS_DISCLOSED}}
    press: Mapping[str, Any] = {"inputs": PAIRS, "leaks": {"press": LEAKS}}
    both: Mapping[str, Any] = {"holds": {"A, B": NOTHING}}
    by_die: Mapping[str, Any] = {"seeds": range(6)}
    return [
        *two(
            "a sum published from 1 on",
            opened,
            "silence",
            Threshold,
            **press,
            holds={"server": ONLY_OUTPUT, "press": ONLY_OUTPUT},
            refused=True,
        ),
        *two(
            "a sum published from a disclosed 1 on",
            opened,
            "silence",
            ThresholdDisclosed,
            **press,
            holds={"server": ONLY_OUTPUT, "press": ONLY_OUTPUT},
        ),
        *two("a masked opening and its mask", opened, "content", MaskedOpening, inputs=THREE),
        *two("two openings behind one mask", opened, "content", TwoTimePad, **told, inputs=THREE),
        *two(
            "a multiplication with one coin for two",
            opened,
            "factor",
            Beaver,
            inputs=PAIRS,
            # x - y is the difference of the disclosed numbers.
            leaks={"X": LEAKS_AS_DISCLOSED, "Y": LEAKS_AS_DISCLOSED},
            holds={
                "X": NOTHING,
                "Y": NOTHING,
                "R": ONLY_OUTPUT,
                "X, R": ONLY_OUTPUT,
                "dealer": NOTHING,
            },
        ),
        *two(
            "a check that opens too much",
            opened,
            "content",
            ValidityCheck,
            leaks={"A": LEAKS_AS_DISCLOSED, "B": LEAKS_AS_DISCLOSED},
            holds={"A": NOTHING, "B": NOTHING},
        ),
        *two("a mask that is not 0", coin, "rejection", RejectedZero, inputs=THREE),
        *two(
            "a mask whose opened number is not 0",
            coin,
            "rejection",
            RejectedZeroUndisclosed,
            inputs=THREE,
            refused=True,
        ),
        *two("a mask that is not the input", coin, "rejection", RejectedValue, inputs=THREE),
        *two("the parity of a mask", coin, "derived secret", Parity, inputs=THREE),
        *two(
            "the parity of an output",
            opened,
            "content",
            PartOfOutput,
            inputs=PAIRS,
            leaks={"press": LEAKS_AS_DISCLOSED},
            holds={"press": NOTHING},
        ),
        *two("the place of the largest", opened, "content", Median, **told, inputs=THREE),
        *two("a mask that a coin may leave out", coin, "branch", MaskedSometimes, **by_die),
        *two("a factor chosen by a coin", coin, "factor", FactorByDie, **by_die, inputs=THREE),
        *two(
            "a coin chooses who gets the mask",
            coin,
            "index",
            HelperByDie,
            **by_die,
            **both,
            leaks={"A, B": LEAKS},
        ),
        *two("a coin chooses the number of plain copies", coin, "number", NumberByDie, **by_die),
        *two(
            "a pad drawn outside the door that uses it",
            coin,
            "content",
            PadOutside,
            **both,
            leaks={"A, B": LEAKS_AS_DISCLOSED},
        ),
        *two(
            "an answer of which a part is disclosed",
            coin,
            "content",
            Participation,
            **told,
        ),
    ]
