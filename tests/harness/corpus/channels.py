"""The ways by which a number escapes from a script, whatever the number is.

Each channel is something that a careless script does with one bit. The script branches on the bit,
uses the bit as an index, or lets the bit decide to whom, how often or in which order it sends, and
so on. The bit comes from one of three sources:

    input         the bit that the teller holds; a keeper gets it masked
    coin          the mask itself, opened; the keeper gets the masked input
    opened value  the total that a server has recovered from shares

Each channel is played with each source in three ways. *As it is*, the script uses the sealed value
directly, and the kernel refuses the script. *Told openly*, the script discloses the value first:
the script runs, and the value is on record. *Mended*, the script discloses a value that is
independent of all inputs: the same messages, orders and silences then tell nothing.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import attrs

from simnet import Field, FieldArray, Party, Seat, Summed, Tag, bits, constant, index
from tests.harness.corpus.example import LEAKS, LEAKS_AS_DISCLOSED, NOTHING, Example
from tests.harness.corpus.truth import Truth

F2, F3 = Field(2), Field(3)
MASKED, MASK, NOTE, YES, NO = Tag("masked"), Tag("mask"), Tag("note"), Tag("yes"), Tag("no")
BLOCK = Summed("block")

Tell = Callable[[Party, Any], Awaitable[None]]
How = Literal["as it is", "disclosed first", "mended"]


def bit_of(item: int) -> int:
    """Return 0 for the first item, and 1 for the second."""
    return item - 1


def behind_a_coin(item: int, coins: Any) -> int:
    """Return the item's bit or the opposite bit: a fair coin decides."""
    return (item + int(coins.integers(2, 1)[0])) % 2


# The following functions do with a bit what a script may do. Each function sends to `listener`.


async def branch(me: Party, value: Any) -> None:
    note = bits([1, 0]) if value else bits([0, 1])
    await me.send(NOTE, "listener", note)


async def comparison(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", bits([value > 0]))


async def codes(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", index([6, 3][value], 8))


async def row(me: Party, value: Any) -> None:
    rows = me.coins.field(F2, (2,))
    await me.send(MASK, "listener", rows)
    await me.send(NOTE, "listener", rows[value])


async def content(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", index(value, 2))


async def weight(me: Party, value: Any) -> None:
    mask = me.coins.field(F2, (1,))
    await me.send(NOTE, "listener", mask.combine([[value]]))


async def factor(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", me.coins.field(F2, ()) * value)


async def element(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", constant(F2, value))


async def tag(me: Party, value: Any) -> None:
    await me.send({0: NO, 1: YES}[value], "listener", bits([1]))


async def recipient(me: Party, value: Any) -> None:
    await me.send(NOTE, ("listener", "other")[value], bits([1]))


async def number(me: Party, value: Any) -> None:
    for _ in range(1 + value):
        await me.send(NOTE, "listener", bits([1]))


async def order(me: Party, value: Any) -> None:
    for chosen in sorted((NO, YES), key=lambda one: one.name, reverse=value):
        await me.send(chosen, "listener", bits([1]))


async def round_of_sending(me: Party, value: Any) -> None:
    """Send the message before or after the listener has answered."""
    await me.send(YES, "listener", bits([1]))
    if value:
        await me.receive(NO, "listener")
    await me.send(NOTE, "listener", bits([1]))
    if not value:
        await me.receive(NO, "listener")


async def size(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", me.coins.field(F2, (1 + value,)))


async def shape_of_a_secret(me: Party, value: Any) -> None:
    shape = (1 + value,)
    zeros = me.secret(lambda length: [0] * length, 1 + value, field=F2, shape=shape)
    await me.send(NOTE, "listener", zeros + me.coins.field(F2, shape))


async def field_of_a_coin(me: Party, value: Any) -> None:
    await me.send(NOTE, "listener", me.coins.field((F2, F3)[value], ()))


async def silence(me: Party, value: Any) -> None:
    if value:
        await me.send(NOTE, "listener", me.coins.field(F2, ()))


async def abort(me: Party, value: Any) -> None:
    if value:
        raise RuntimeError("this cannot go on")
    await me.send(NOTE, "listener", bits([1]))


async def early_return(me: Party, value: Any) -> None:
    await me.send(YES, "listener", bits([1]))
    if value:
        return
    await me.send(NO, "listener", bits([1]))


async def deferred_block(me: Party, value: Any) -> None:
    block = me.coins.deferred(F2, (1,), lambda coins: coins.field(F2, (1,)) * value)
    await me.scatter(BLOCK, to=["listener"], rows=block)


async def scope(me: Party, value: Any) -> None:
    part = me.within(("left.", "right.")[value])
    await part.send(NOTE, "desk", bits([1]))


async def look_up(me: Party, value: Any) -> None:
    match value:
        case 0:
            note = index(5, 8)
        case _:
            note = index(2, 8)
    await me.send(NOTE, "listener", note)


@attrs.frozen
class Channel:
    """A way in which a bit escapes; `listeners` are all parties that may receive a message."""

    name: str
    tell: Tell
    listeners: Sequence[str] = ("listener",)


CHANNELS = (
    Channel("branch", branch),
    Channel("comparison", comparison),
    Channel("index of a list", codes),
    Channel("index of field elements", row),
    Channel("content of a message", content),
    Channel("weight of combine", weight),
    Channel("factor", factor),
    Channel("public field element", element),
    Channel("tag", tag),
    Channel("recipient", recipient, ("listener", "other")),
    Channel("number of messages", number),
    Channel("order", order),
    Channel("round", round_of_sending),
    Channel("size", size),
    Channel("shape", shape_of_a_secret),
    Channel("field", field_of_a_coin),
    Channel("silence", silence),
    Channel("abort", abort),
    Channel("early return", early_return),
    Channel("deferred block", deferred_block),
    Channel("scope", scope, ("left.desk", "right.desk")),
    Channel("match", look_up),
)


@attrs.frozen
class Telling:
    """A script that tells one bit through a channel, in one of the three ways."""

    channel: Channel
    how: How
    items: int = 2

    async def listener(self, me: Party) -> None:
        """Answer when the teller waits for it, and say nothing else."""
        if self.channel.name == "round":
            await me.receive(YES, "teller")
            await me.send(NO, "teller", bits([1]))

    async def idle(self, me: Party) -> None:
        """Read the mail, and say nothing."""

    @property
    def listeners(self) -> Mapping[str, Seat]:
        """Return the parties that may receive a message."""
        names = self.channel.listeners
        return {name: Seat(self.listener, role=name) for name in names}


class TellsInput(Telling):
    """The teller holds a bit, and sends it to a keeper behind a mask."""

    def parties(self) -> Mapping[str, Seat]:
        return {"teller": Seat(self.teller), "keeper": Seat(self.idle), **self.listeners}

    async def teller(self, me: Party, item: Any) -> None:
        mine = me.secret(bit_of, item, field=F2, shape=())
        await me.send(MASKED, "keeper", mine + me.coins.field(F2, ()))
        value = me.output(bit_of, item)
        if self.how == "disclosed first":
            value = me.disclose(bit_of, item)
        elif self.how == "mended":
            value = me.disclose(behind_a_coin, item)
        await self.channel.tell(me, value)


class TellsCoin(Telling):
    """The teller opens the coin that hides its bit from the keeper; in the mended script, a spare
    coin.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"teller": Seat(self.teller), "keeper": Seat(self.idle), **self.listeners}

    async def teller(self, me: Party, item: Any) -> None:
        mine = me.secret(bit_of, item, field=F2, shape=())
        mask, spare = me.coins.field(F2, ()), me.coins.field(F2, ())
        await me.send(MASKED, "keeper", mine + mask)
        value = mask.open()
        if self.how == "disclosed first":
            value = me.disclose(int, mask)
        elif self.how == "mended":
            value = me.disclose(int, spare)
        await self.channel.tell(me, value)


class TellsTotal(Telling):
    """The teller adds up the numbers that two other parties send to it, and opens the total; in the
    mended script, a coin hides the total.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {
            "user": Seat(self.user),
            "helper": Seat(self.helper),
            "teller": Seat(self.teller),
            **self.listeners,
        }

    async def user(self, me: Party, item: Any) -> None:
        mask = me.coins.field(F2, ())
        await me.send(MASK, "helper", mask)
        await me.send(MASKED, "teller", me.secret(bit_of, item, field=F2, shape=()) + mask)

    async def helper(self, me: Party) -> None:
        await me.send(MASK, "teller", await me.receive(MASK, "user"))

    async def teller(self, me: Party) -> Any:
        total = await me.receive(MASKED, "user") - await me.receive(MASK, "helper")
        value = total.open()
        if self.how == "disclosed first":
            value = me.disclose(int, total)
        elif self.how == "mended":
            value = me.disclose(int, total + me.coins.field(F2, ()))
        await self.channel.tell(me, value)
        return total.open()

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the teller is handed the bit."""
        return {"teller": users[0].secret(bit_of, inputs[0], field=F2, shape=())}


SOURCES: Sequence[tuple[str, Any, Sequence[str], Truth]] = (
    ("input", TellsInput, (), LEAKS_AS_DISCLOSED),
    ("coin", TellsCoin, ("keeper",), LEAKS),
    ("opened value", TellsTotal, (), LEAKS_AS_DISCLOSED),
)
"""For each source: its name, its script, the members of the coalition beside the listeners, and
what the coalition learns if the value is disclosed first."""


def examples() -> list[Example]:
    """Return every channel with every source, in all three ways."""
    made = []
    for source, script, others, told in SOURCES:
        for channel in CHANNELS:
            coalition = ", ".join([*others, *channel.listeners])
            for how in ("as it is", "disclosed first", "mended"):
                is_leaking = how != "mended"
                is_abort = channel.name == "abort"
                # The input decides what the bit is, unless the bit is a coin or a coin hides it.
                decides = how != "mended" and source != "coin"
                truth = told if is_leaking else NOTHING
                if how == "as it is" and not (is_abort and decides):
                    truth = LEAKS  # nothing is disclosed
                made.append(
                    Example(
                        name=f"{source} by {channel.name}, {how}",
                        source=source,
                        channel=channel.name,
                        is_leaking=is_leaking,
                        protocols=(script(channel, how),),
                        inputs=[(1,), (2,)],
                        truths={coalition: truth},
                        refused=how == "as it is",
                        ending=[(2,)] if is_abort and decides else (),
                        may_end=is_abort and not decides,
                        seeds=range(6, 12) if is_abort else (0,),
                    )
                )
    return made
