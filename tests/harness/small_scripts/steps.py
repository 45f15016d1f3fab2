"""A small language of scripts, as plain data.

A `Script` is a list of steps, and each step is taken by one party. Three modules use scripts, and
share nothing but this module: `source` writes a script as a protocol that the kernel runs, `worlds`
plays every outcome of a script, and `drawing` draws scripts at random.

Every value has a name of its own and is one of three sorts:

    form      an element of a field, which may be a linear form in coins and secrets
    plain     a public whole number `0..size-1`, known to the party that holds it
    sealed    an input, an opened form, or what an output door gave

Example. Party a masks its input, which is 0 or 1. It sends the masked input to party b and the mask
to party c:

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

The function of a door is a table. The door's arguments are the digits of a number, the first digit
being the most significant; an array of several forms gives one digit for each form. The entry with
this number is the value of the function. A door that draws a coin of its own has the coin as its
last digit. If the entry is None, the function raises an error.

A script may be several items wide: forms, sealed values and inputs are then arrays with so many
items, and every step does the same with all items. A disclosed value is the sum of what its table
gives for each item. Only `Turn` moves items to other places.
"""

from collections.abc import Iterator, Mapping
from math import prod
from typing import Literal

import attrs

Sort = Literal["form", "plain", "sealed"]


@attrs.frozen
class Pick:
    """A public number that depends on plain values: the values select an entry of a table, as in a
    door's table.
    """

    table: tuple[int, ...]
    by: tuple[str, ...]


Number = int | Pick
Argument = str | tuple[str, ...]  # a name, or an array of several forms
Terms = tuple[tuple[Number, str], ...]


@attrs.frozen
class Coins:
    """Draw one array of uniform elements for each name; if `when` is 0, nothing is drawn and all
    elements are 0.
    """

    who: str
    makes: tuple[str, ...]
    field: int
    when: Number = 1


@attrs.frozen
class Toss:
    """Toss a discrete coin outside doors, uniform on `0..size-1`."""

    who: str
    makes: str
    size: int


@attrs.frozen
class Secret:
    """Make a secret with one element for each name in `makes`; if `when` is 0, no door is
    called.
    """

    who: str
    makes: tuple[str, ...]
    field: int
    args: tuple[Argument, ...]
    table: tuple[tuple[int, ...] | None, ...]
    coin: int = 1  # the number of outcomes of the door's own coin; 1 if it draws none
    when: Number = 1


@attrs.frozen
class Disclose:
    """Disclose a value in `0..size-1`; if `when` is 0, no door is called, and the value is 0."""

    who: str
    makes: str
    size: int
    args: tuple[Argument, ...]
    table: tuple[int | None, ...]
    coin: int = 1
    when: Number = 1


@attrs.frozen
class Output:
    """Make a sealed output in `0..size-1`. The party returns the output, and may hand it to later
    doors.
    """

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
    """Make a linear combination of forms over one field, with public factors and a public constant.

    With `combined`, the script calls `combine` instead of using `*` and `+`.
    """

    who: str
    makes: str
    terms: Terms
    constant: Number = 0
    combined: bool = False


@attrs.frozen
class Times:
    """Multiply two forms over one field."""

    who: str
    makes: str
    left: str
    right: str


@attrs.frozen
class Turn:
    """Reorder the items of a form; an item may be left out, or come twice."""

    who: str
    makes: str
    form: str
    items: tuple[int, ...]


@attrs.frozen
class Send:
    """Send some messages under a tag that no other step uses.

    A message is a tuple of forms over one field, and a choice is a tuple of messages that are sent
    one after another. The number `which` selects the choice that is sent, and `addressee` selects
    its recipient in `to`. The step has `tags` different tags, and `tag_number` selects one of them.
    The values in `plain` travel in every message.
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
    """Receive the message of a `Send` that always sends one message to one party. If `when` is 0,
    nothing is received, and all values are 0.
    """

    who: str
    sender: str
    tag: str
    forms: tuple[str, ...]  # names for the forms of the message, in their order
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
    """Scatter rows, as `Share` does; a deferred block makes these rows with field coins of its
    own.
    """

    who: str
    to: tuple[str, ...]
    tag: str
    field: int
    coins: tuple[str, ...]
    rows: tuple[Terms, ...]


@attrs.frozen
class Total:
    """Add up one row from each sender."""

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
    """The value that the ideal world hands to a party: a sum of secrets, and of products of two
    secrets.
    """

    to: str
    terms: tuple[tuple[int, tuple[str, ...]], ...]


@attrs.frozen
class Script:
    """A script: its parties, its inputs as pairs of holder and number of values, and its steps.

    `width` is the number of items in every form and every sealed value.
    """

    parties: tuple[str, ...]
    inputs: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    ideal: tuple[Handed, ...] = ()
    width: int = 1

    @property
    def domains(self) -> Mapping[str, int]:
        """The number of values that each holder's input may have, or each item of the input."""
        return dict(self.inputs)


@attrs.frozen
class Value:
    """What is known of a value without playing the script: its sort, its size, and its holder."""

    sort: Sort
    size: int  # the modulus of a form, or the number of values of another value
    who: str  # the party that holds the value


def input_name(party: str) -> str:
    """Return the name of the value that is a party's input."""
    return f"x_{party}"


def values_of(script: Script) -> dict[str, Value]:  # noqa: C901  # one case a step
    """Return every value of a script, by name."""
    found = {input_name(who): Value("sealed", size, who) for who, size in script.inputs}
    sends = {step.tag: step for step in script.steps if isinstance(step, Send)}
    moduli: dict[str, int] = {}  # the modulus of each summed tag
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
    """Return the values among a door's arguments; arrays of forms are taken apart."""
    for argument in arguments:
        yield from (argument,) if isinstance(argument, str) else argument


def entries(sizes: list[int]) -> int:
    """Return how many entries the table of a function of these values has."""
    return prod(sizes)
