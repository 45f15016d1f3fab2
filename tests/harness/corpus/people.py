"""Leaks of an input in everyday scripts: votes, uploads, crowds, groups, noise."""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from simnet import FieldArray, Party, Seat, Tag, Voluntary, bits, index
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
    OneHolder,
    Script,
    TwoReaders,
    hidden,
    itself,
    number_of,
    twins,
)
from tests.harness.corpus.truth import Truth

COORDINATE, REPORT = Tag("coordinate"), Voluntary("report")
CODES = [4, 1, 6]


def unit(item: int) -> list[int]:
    """Return three elements: a 1 in the place of the item, and zeros elsewhere."""
    return [int(item == place) for place in (1, 2, 3)]


class CodeVote(Script):
    """A voter sends the code of its choice; the twin's voter sends its choice behind a mask."""

    def parties(self) -> Mapping[str, Seat]:
        return {"voter": Seat(self.voter), "dealer": Seat(self.dealer), "box": Seat(self.idle)}

    async def dealer(self, me: Party) -> None:
        await me.send(MASK, "voter", me.coins.field(F3, ()))

    async def voter(self, me: Party, choice: Any) -> None:
        mask = await me.receive(MASK, "dealer")
        vote = hidden(me, choice, F3)
        if self.mistake:
            await me.send(NOTE, "box", index(CODES[choice - 1], 8))
        await me.send(MASKED, "box", vote + mask)


class CodeVoteByTable(CodeVote):
    """A voter sends the code of its choice, which it looks up in a table."""

    async def voter(self, me: Party, choice: Any) -> None:
        mask = await me.receive(MASK, "dealer")
        vote = hidden(me, choice, F3)
        if self.mistake:
            await me.send(NOTE, "box", index({1: 4, 2: 1, 3: 6}[choice], 8))
        await me.send(MASKED, "box", vote + mask)


class CodeVoteDisclosed(CodeVote):
    """The voter discloses its choice and then sends the code, so the leak is on record as a
    disclosed value.
    """

    async def voter(self, me: Party, choice: Any) -> None:
        mask = await me.receive(MASK, "dealer")
        vote = hidden(me, choice, F3)
        if self.mistake:
            await me.send(NOTE, "box", index(CODES[me.disclose(itself, choice) - 1], 8))
        await me.send(MASKED, "box", vote + mask)


class SparseUpload(OneHolder):
    """A user uploads, behind a mask, only the coordinate of its item; the twin uploads all three
    coordinates.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(unit, item, field=F2, shape=(3,))
        masked = mine + me.coins.field(F2, (3,))
        for place in (1, 2, 3):
            if not self.mistake or place == item:
                await me.send(COORDINATE, "S", (index(place - 1, 3), masked[place - 1]))


class SparseUploadDisclosed(SparseUpload):
    """The user discloses which coordinate it uploads."""

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(unit, item, field=F2, shape=(3,))
        masked = mine + me.coins.field(F2, (3,))
        places = [me.disclose(itself, item)] if self.mistake else [1, 2, 3]
        for place in places:
            await me.send(COORDINATE, "S", (index(place - 1, 3), masked[place - 1]))


class SilentZero(OneHolder):
    """A user whose number is 0 sends nothing, since it would add nothing."""

    async def user(self, me: Party, item: Any) -> None:
        masked = hidden(me, item) + me.coins.field(F2, ())
        if self.mistake and item == 1:
            return
        await me.send(MASKED, "S", masked)


class SilentZeroDisclosed(SilentZero):
    """The user discloses whether its number is 0, so its mask does not protect this."""

    async def user(self, me: Party, item: Any) -> None:
        masked = hidden(me, item) + me.coins.field(F2, ())
        if self.mistake and me.disclose(lambda held: held == 1, item):
            return
        await me.send(MASKED, "S", masked)


class SplitProduct(TwoReaders):
    """A user sends a mask to one party, and the product of mask and input to another: together they
    can divide.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = hidden(me, item, F3)
        mask = me.coins.field(F3, (1,))
        await me.send(MASK, "A", mask)
        masked = mask.combine([[item]]) if self.mistake else mask + mine
        await me.send(MASKED, "B", masked)


class SplitProductOfSecret(TwoReaders):
    """A user sends a mask to one party, and to another party the product of the mask and its
    secret. No sealed value is used outside a door, so the kernel does not refuse the script.

    The twin hides the product behind a second mask, which it sends to nobody.
    """

    async def user(self, me: Party, item: Any) -> None:
        mine = hidden(me, item, F3)
        mask, cover = me.coins.field(F3, ()), me.coins.field(F3, ())
        await me.send(MASK, "A", mask)
        await me.send(MASKED, "B", mine * mask if self.mistake else mine * mask + cover)


class CaughtRefusal(OneHolder):
    """A script catches the error of a door, and sends a message about it."""

    async def user(self, me: Party, item: Any) -> None:
        def inverse(held: int) -> int:
            return 1 // (held - 1)

        try:
            mine = me.secret(inverse if self.mistake else number_of, item, field=F2, shape=())
        except ArithmeticError:
            await me.send(NOTE, "S", bits([1]))
            return
        await me.send(MASKED, "S", mine + me.coins.field(F2, ()))


class MisshapenSecret(OneHolder):
    """The input decides how many numbers a door returns, although one number was declared."""

    async def user(self, me: Party, item: Any) -> None:
        def ones(held: int) -> list[int]:
            return [1] * (held - 1 if self.mistake else 1)

        mine = me.secret(ones, item, field=F2, shape=(1,))
        await me.send(MASKED, "S", mine + me.coins.field(F2, (1,)))


@attrs.frozen
class CrowdReport(Script):
    """Each member of a crowd reports a bit: sealed, disclosed, or hidden by coins."""

    how: str

    def parties(self) -> Mapping[str, Seat]:
        return {
            "crowd": Seat(self.member, members=2),
            "u": Seat(self.user),
            "S": Seat(self.idle),
        }

    async def user(self, me: Party, item: Any) -> None:
        await me.send(MASKED, "S", hidden(me, item) + me.coins.field(F2, ()))

    async def member(self, me: Party, held: Any) -> None:
        if self.how == "as it is":
            rows = held == 2
        elif self.how == "disclosed":
            rows = me.disclose(lambda items: items == 2, held)
        else:
            rows = me.disclose(lambda items, coins: (items + coins.integers(2, 2)) % 2, held)
        await me.send_rows(NOTE, "S", bits(rows))


class CrowdSilence(CrowdReport):
    """The members with the first item stay silent; in the twin, a coin decides which members stay
    silent.
    """

    async def member(self, me: Party, held: Any) -> None:
        if self.how == "as it is":
            rows = [1] * int(np.sum(held == 2))
        elif self.how == "disclosed":
            rows = [1] * me.disclose(lambda items: int(np.sum(items == 2)), held)
        else:
            rows = [1] * me.disclose(lambda coins: int(coins.bernoulli(0.5)))
        await me.send_rows(REPORT, "S", bits(rows))


@attrs.frozen
class Groups(Script):
    """Two groups, each with one user and one server. The servers tell a reader the numbers that
    they opened.

    Within a group, scripts use names as if the other group did not exist.
    """

    how: str

    def parties(self) -> Mapping[str, Seat]:
        seats = {"S": Seat(self.idle)}
        for scope in ("g1.", "g2."):
            seats[f"{scope}user"] = Seat(self.user, role=f"{scope}user")
            seats[f"{scope}server"] = Seat(self.server, role=f"{scope}server")
        return seats

    async def user(self, me: Party, item: Any) -> None:
        part = me.within("g1." if me.name.startswith("g1.") else "g2.")
        mask = me.coins.field(F2, ())
        await part.send(MASKED, "server", hidden(part, item) + mask)
        await part.send(MASK, "server", mask)

    async def server(self, me: Party) -> None:
        part = me.within("g1." if me.name.startswith("g1.") else "g2.")
        total = await part.receive(MASKED, "user") - await part.receive(MASK, "user")
        if self.how == "as it is":
            await me.send(VALUE, "S", index(total.open(), 2))
        elif self.how == "disclosed":
            await me.send(VALUE, "S", index(part.disclose(int, total), 2))
        else:
            hiding = total + me.coins.field(F2, ())
            await me.send(VALUE, "S", index(part.disclose(int, hiding), 2))


class RandomisedResponse(OneHolder):
    """A user discloses a bit that is right with probability 3/4; in the twin, with probability
    1/2.
    """

    async def user(self, me: Party, item: Any) -> None:
        chance = 0.25 if self.mistake else 0.5
        hidden(me, item)
        report = me.disclose(lambda held, coins: (held + coins.bernoulli(chance)) % 2, item)
        await me.send(VALUE, "S", bits([report]))


class MaskFromRange(OneHolder):
    """Masks are drawn from two of the three residues, so some sums give the input away."""

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item, F3)
        below = 2 if self.mistake else 3

        def masked(held: int, coins: Any) -> int:
            return (held + int(coins.integers(below, 1)[0])) % 3

        await me.send(VALUE, "S", index(me.disclose(masked, item), 3))


class UnsentSecret(OneHolder):
    """A user declares its input as a secret, and sends a value that a second door makes from the
    input.
    """

    async def user(self, me: Party, item: Any) -> None:
        hidden(me, item)
        again = me.secret(number_of, item, field=F2, shape=())
        await me.send(NOTE, "S", again if self.mistake else again + me.coins.field(F2, ()))


@attrs.frozen
class LeftInProtocol(Script):
    """A user stores its mask in the protocol object, where another user finds the mask and sends it
    on.
    """

    left: dict[str, Any] = attrs.field(factory=dict, kw_only=True, eq=False, repr=False)

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "v": Seat(self.finder), "S": Seat(self.idle)}

    async def user(self, me: Party, item: Any) -> None:
        mask = me.coins.field(F2, ())
        if self.mistake:
            self.left["mask"] = mask
        await me.send(MASKED, "S", hidden(me, item) + mask)
        await me.send(NOTE, "v", bits([1]))

    async def finder(self, me: Party) -> None:
        await me.receive(NOTE, "u")
        await me.send(MASK, "S", self.left["mask"] if self.mistake else me.coins.field(F2, ()))


class ReusedMask(OneHolder):
    """A user hides two elements behind the same mask."""

    async def user(self, me: Party, item: Any) -> None:
        mine = me.secret(lambda held: [held, 1], item, field=F2, shape=(2,))
        masks = me.coins.field(F2, (2,))
        await me.send(MASKED, "S", mine[0] + masks[0])
        await me.send(MASKED, "S", mine[1] + masks[0 if self.mistake else 1])


class VanishingFactor(OneHolder):
    """A public factor is 0 modulo 3, so it removes the mask; the twin's factor does not."""

    async def user(self, me: Party, item: Any) -> None:
        mask = me.coins.field(F3, ())
        await me.send(MASKED, "S", hidden(me, item, F3) * 2 + mask * (3 if self.mistake else 2))


@attrs.frozen
class Related(Script):
    """The ideal world hands one value to the server. The server receives another value, which may
    follow from the first one.

    `sent` and `handed` each make a secret out of the input, over a field of its own.
    """

    sent: Any
    handed: Any

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.idle)}

    async def user(self, me: Party, item: Any) -> None:
        (first, first_field), (second, second_field) = self.handed, self.sent
        me.secret(first, item, field=first_field, shape=())
        await me.send(NOTE, "S", me.secret(second, item, field=second_field, shape=()))

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output, which differs from the value that is sent."""
        first, field = self.handed
        return {"S": users[0].secret(first, inputs[0], field=field, shape=())}


def square(item: int) -> int:
    """Return the square of the number; modulo 3, the second and the third item have the same
    square.
    """
    return number_of(item) ** 2 % 3


def one_whatever(item: int) -> int:
    """Return a number that is the same for every item."""
    del item
    return 1


class Shuffle(Script):
    """A mixer sends two bits on in an order that a hidden coin decides, or as they came."""

    def parties(self) -> Mapping[str, Seat]:
        return {
            "u1": Seat(self.user, 1),
            "u2": Seat(self.user, 2),
            "mixer": Seat(self.mixer),
            "S": Seat(self.idle),
        }

    async def user(self, me: Party, item: Any) -> None:
        await me.send(NOTE, "mixer", hidden(me, item, F3))

    async def mixer(self, me: Party) -> None:
        received = await me.gather(NOTE, me.all("user"))
        first = 0 if self.mistake else int(me.coins.bernoulli(0.5))
        await me.send(NOTE, "S", received[first])
        await me.send(NOTE, "S", received[1 - first])

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: how many of the two bits are 1. This is the two bits
        without their order.
        """
        first, second = (hidden(user, value, F3) for user, value in zip(users, inputs, strict=True))
        return {"S": first + second}


def examples() -> list[Example]:
    """Return the leaks of an input."""

    def one(name: str, channel: str, leaking: Any, sound: Any, **options: Any) -> list[Example]:
        settings = {"inputs": TWO, "leaks": {"S": LEAKS}, "holds": {"S": NOTHING}, **options}
        return pair(name, "input", channel, leaking, sound, **settings)

    def two(name: str, channel: str, script: Any, **options: Any) -> list[Example]:
        return one(name, channel, *twins(script, options.get("inputs", TWO)), **options)

    refused: Mapping[str, Any] = {"refused": True}
    told: Mapping[str, Any] = {"leaks": {"S": LEAKS_AS_DISCLOSED}}
    box = {"leaks": {"box": LEAKS}, "holds": {"box": NOTHING}, "inputs": THREE}
    number_and_square = (number_of, F3), (square, F3)
    triples = [(*pair_of_items, item) for pair_of_items in PAIRS for item in (1, 2)]
    crowd = {"inputs": triples, "holds": {"S": NOTHING}}
    return [
        *two("the code of a choice", "index", CodeVote, **refused, **box),
        *two("the code of a choice in a table", "index", CodeVoteByTable, **refused, **box),
        *two(
            "the code of a disclosed choice",
            "index",
            CodeVoteDisclosed,
            **{**box, "leaks": {"box": LEAKS_AS_DISCLOSED}},
        ),
        *two(
            "only the coordinate of the input is sent",
            "number",
            SparseUpload,
            **refused,
            inputs=THREE,
        ),
        *two(
            "only the coordinate of a disclosed input is sent",
            "number",
            SparseUploadDisclosed,
            **told,
            inputs=THREE,
        ),
        *two("a user with 0 stays silent", "silence", SilentZero, **refused),
        *two("a user with a disclosed 0 stays silent", "silence", SilentZeroDisclosed, **told),
        *two(
            "a mask and its multiple",
            "factor",
            SplitProduct,
            **refused,
            inputs=THREE,
            leaks={"A, B": LEAKS},
            holds={"A": NOTHING, "B": NOTHING},
        ),
        *two(
            "a mask and its product with a secret",
            "factor",
            SplitProductOfSecret,
            inputs=THREE,
            leaks={"A, B": LEAKS, "B": LEAKS},
            holds={"A": NOTHING, "B": NOTHING, "A, B": NOTHING},
        ),
        *two("a refusal that is caught", "abort", CaughtRefusal, **told, ending=[(1,)]),
        *two("a secret of another shape", "shape", MisshapenSecret, **told, ending=[(1,)]),
        *one(
            "a crowd's bits",
            "crowd",
            CrowdReport(True, "as it is"),
            CrowdReport(False, "behind coins"),
            **crowd,
            **refused,
        ),
        *one(
            "a crowd's disclosed bits",
            "crowd",
            CrowdReport(True, "disclosed"),
            CrowdReport(False, "behind coins"),
            **crowd,
            **told,
        ),
        *one(
            "a crowd's silence",
            "crowd",
            CrowdSilence(True, "as it is"),
            CrowdSilence(False, "behind coins"),
            **crowd,
            **refused,
        ),
        *one(
            "a crowd's disclosed silence",
            "crowd",
            CrowdSilence(True, "disclosed"),
            CrowdSilence(False, "behind coins"),
            **crowd,
            **told,
        ),
        *one(
            "what the servers of groups opened",
            "scope",
            Groups(True, "as it is"),
            Groups(False, "behind coins"),
            inputs=PAIRS,
            **refused,
        ),
        *one(
            "what the servers of groups disclosed",
            "scope",
            Groups(True, "disclosed"),
            Groups(False, "behind coins"),
            inputs=PAIRS,
            **told,
        ),
        *two("a randomised response", "noise", RandomisedResponse, **told),
        *two("masks from a small range", "noise", MaskFromRange, **told, inputs=THREE),
        *two("the same input declared again", "content", UnsentSecret),
        *two("a mask left in the protocol", "shared state", LeftInProtocol, **refused),
        *two("one mask for two elements", "content", ReusedMask),
        *two("a factor that removes the mask", "factor", VanishingFactor, inputs=THREE),
        *one(
            "a value is sent where the output is its square",
            "related secrets",
            Related(True, *number_and_square, items=3),
            Related(False, *number_and_square[::-1], items=3),
            inputs=THREE,
            holds={"S": ONLY_OUTPUT},
        ),
        *one(
            "one bit as an element of two fields",
            "related secrets",
            Related(True, (number_of, F3), (one_whatever, F2)),
            Related(False, (number_of, F3), (number_of, F2)),
            holds={"S": ONLY_OUTPUT},
        ),
        *two(
            "bits in the order of their users",
            "order",
            Shuffle,
            inputs=PAIRS,
            # Whoever knows the order, which only the mixer does, also knows the bits.
            holds={"S": Truth(view="output-only", shares="leaks")},
            seeds=(0, 1),
        ),
    ]
