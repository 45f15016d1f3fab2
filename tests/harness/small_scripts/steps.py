"""A small language of scripts, as plain data.

A `Script` is a list of steps, each of which one party takes. Three things read it, and share
nothing but this module: `source` writes it as a protocol that the kernel runs, `worlds` plays every
outcome of it, and `drawing` draws scripts at random.

Every value has a name of its own and is one of three sorts:

    form      an element of a field, which may be a linear form in coins and secrets
    plain     a public whole number `0..size-1`, known to the party that holds it
    sealed    an input, an opened form, or what an output door gave

Example. Party a masks its input, which is 0 or 1, and sends masked input and mask to two parties:

    Script(
        parties=("a", "b", "c"),
        inputs=(("a", 2),),
        steps=(
            Secret("a", ("s",), field=2, args=("x_a",), table=((0,), (1,))),
            Coins("a", ("r",), field=2),
            Mix("a", "m", terms=((1, "s"), (1, "r"))),
            Send("a", ("b",), "first", choices=((("m",),),)),
            Send("a", ("c",), "second", choices=((("r",),),)),
        ),
    )

Functions are tables. The arguments of a door, an array of several forms taken apart, are the digits
of a number whose first digit counts most, and the entry with this number is what the function
gives. A door that draws a coin of its own has the coin as one more argument. An entry None raises.

A script may be several items wide: forms and sealed values are then arrays with that many items,
inputs too, and every step does the same with all items. A disclosed value is the sum of what its
table gives for each item. Only `Turn` moves items to other places.
"""

from collections.abc import Iterator, Mapping
from math import prod
from typing import Literal

import attrs

Sort = Literal["form", "plain", "sealed"]


@attrs.frozen
class Pick:
    """A public number that depends on plain values: an entry of a table, as in a door's table."""

    table: tuple[int, ...]
    by: tuple[str, ...]


Number = int | Pick
Argument = str | tuple[str, ...]  # a tuple is an array of several forms
Terms = tuple[tuple[Number, str], ...]


@attrs.frozen
class Coins:
    """Draw an array of uniform elements; where `when` is 0, nothing is drawn and all are 0."""

    who: str
    makes: tuple[str, ...]
    field: int
    when: Number = 1


@attrs.frozen
class Toss:
    """Draw an outer discrete coin, uniform on `0..size-1`."""

    who: str
    makes: str
    size: int


@attrs.frozen
class Secret:
    """Make a secret with one element for each name; where `when` is 0, no door is called."""

    who: str
    makes: tuple[str, ...]
    field: int
    args: tuple[Argument, ...]
    table: tuple[tuple[int, ...] | None, ...]
    coin: int = 1  # how many outcomes the door's own coin has
    when: Number = 1


@attrs.frozen
class Disclose:
    """Disclose a value in `0..size-1`; where `when` is 0, no door is called, and the value is 0."""

    who: str
    makes: str
    size: int
    args: tuple[Argument, ...]
    table: tuple[int | None, ...]
    coin: int = 1
    when: Number = 1


@attrs.frozen
class Output:
    """Make a sealed output in `0..size-1`. The party returns it, and may hand it to later doors."""

    who: str
    makes: str
    size: int
    args: tuple[Argument, ...]
    table: tuple[int, ...]


@attrs.frozen
class Open:
    """Open a form, which gives a sealed value."""

    who: str
    makes: str
    form: str


@attrs.frozen
class Mix:
    """Make a linear combination of forms of one field, with public factors and a public constant.

    With `combined`, it is made by `combine` rather than by `*` and `+`.
    """

    who: str
    makes: str
    terms: Terms
    constant: Number = 0
    combined: bool = False


@attrs.frozen
class Times:
    """Multiply two forms of one field."""

    who: str
    makes: str
    left: str
    right: str


@attrs.frozen
class Turn:
    """Take the items of a form in another order; an item may be left out, or come twice."""

    who: str
    makes: str
    form: str
    items: tuple[int, ...]


@attrs.frozen
class Send:
    """Send some messages under a tag that no other step uses.

    A choice is the messages that are sent one after another, and a message is the forms in it, of
    one field. `which` says which choice is taken, and `addressee` who of `to` receives it. `tags`
    is how many tags there are, of which `tag_number` takes one. With `plain`, these values travel
    in every message.
    """

    who: str
    to: tuple[str, ...]
    tag: str
    choices: tuple[tuple[tuple[str, ...], ...], ...]
    which: Number = 0
    addressee: Number = 0
    tags: int = 1
    tag_number: Number = 0
    plain: tuple[str, ...] = ()


@attrs.frozen
class Take:
    """Receive the only message of a `Send` that leaves nothing open; otherwise all are 0."""

    who: str
    sender: str
    tag: str
    forms: tuple[str, ...]  # new names for what is in the message, in its order
    plain: tuple[str, ...] = ()
    when: Number = 1


@attrs.frozen
class Share:
    """Scatter one form to each recipient, under a tag whose messages are added up."""

    who: str
    to: tuple[str, ...]
    tag: str
    rows: tuple[str, ...]


@attrs.frozen
class Block:
    """Scatter, as `Share` does, rows that a deferred block makes with field coins of its own."""

    who: str
    to: tuple[str, ...]
    tag: str
    field: int
    coins: tuple[str, ...]
    rows: tuple[Terms, ...]


@attrs.frozen
class Total:
    """Add up one row of each sender."""

    who: str
    senders: tuple[str, ...]
    tag: str
    makes: str


Step = (
    Coins
    | Toss
    | Secret
    | Disclose
    | Output
    | Open
    | Mix
    | Times
    | Turn
    | Send
    | Take
    | Share
    | Block
    | Total
)


@attrs.frozen
class Handed:
    """What the ideal world hands to a party: a sum of secrets, and of products of two."""

    to: str
    terms: tuple[tuple[int, tuple[str, ...]], ...]


@attrs.frozen
class Script:
    """Who takes part, the inputs by their holders with the numbers of their values, the steps.

    `width` is how many items every form and every sealed value has.
    """

    parties: tuple[str, ...]
    inputs: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    ideal: tuple[Handed, ...] = ()
    width: int = 1

    @property
    def domains(self) -> Mapping[str, int]:
        """How many values each holder's input may have, or each item of it."""
        return dict(self.inputs)


@attrs.frozen
class Value:
    """What is known of a value without playing the script."""

    sort: Sort
    size: int  # the modulus of a form
    who: str  # in whose hands it is


def input_name(party: str) -> str:
    """The name of a party's input among the values."""
    return f"x_{party}"


def values_of(script: Script) -> dict[str, Value]:  # noqa: C901  # one case a step
    """Every value of a script, by name."""
    found = {input_name(who): Value("sealed", size, who) for who, size in script.inputs}
    sends = {step.tag: step for step in script.steps if isinstance(step, Send)}
    moduli: dict[str, int] = {}  # of summed tags
    for step in script.steps:
        match step:
            case Coins() | Secret():
                found |= {name: Value("form", step.field, step.who) for name in step.makes}
            case Toss() | Disclose():
                found[step.makes] = Value("plain", step.size, step.who)
            case Output():
                found[step.makes] = Value("sealed", step.size, step.who)
            case Open():
                found[step.makes] = Value("sealed", found[step.form].size, step.who)
            case Mix():
                found[step.makes] = Value("form", found[step.terms[0][1]].size, step.who)
            case Times():
                found[step.makes] = Value("form", found[step.left].size, step.who)
            case Turn():
                found[step.makes] = Value("form", found[step.form].size, step.who)
            case Take():
                [[message]] = sends[step.tag].choices
                for new, old in zip(step.forms, message, strict=True):
                    found[new] = Value("form", found[old].size, step.who)
                for new, old in zip(step.plain, sends[step.tag].plain, strict=True):
                    found[new] = Value("plain", found[old].size, step.who)
            case Share():
                moduli[step.tag] = found[step.rows[0]].size
            case Block():
                moduli[step.tag] = step.field
                found |= {name: Value("form", step.field, "") for name in step.coins}
            case Total():
                found[step.makes] = Value("form", moduli[step.tag], step.who)
            case Send():
                pass
    return found


def names_in(arguments: tuple[Argument, ...]) -> Iterator[str]:
    """The values among a door's arguments, with arrays taken apart."""
    for argument in arguments:
        yield from (argument,) if isinstance(argument, str) else argument


def entries(sizes: list[int]) -> int:
    """How many entries the table of a function of such values has."""
    return prod(sizes)
