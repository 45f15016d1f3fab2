"""The parties of the small scripts. Each script adds what its parties do."""

from collections.abc import Mapping
from typing import Any

import attrs

from simnet import Field, FieldArray, Party, Seat, Tag, bits

F2, F3, F5 = Field(2), Field(3), Field(5)
MASKED, MASK, NOTE, VALUE = Tag("masked"), Tag("mask"), Tag("note"), Tag("value")
TWO = [(1,), (2,)]  # items are numbered from 1
THREE = [(1,), (2,), (3,)]
PAIRS = [(1, 1), (1, 2), (2, 1), (2, 2)]


def itself(value: Any) -> Any:
    """Return the value itself: the function of a door that passes a value on."""
    return value


def number_of(item: int) -> int:
    """Return an item's number, counted from 0: the first item is 0, the second 1, the third 2."""
    return item - 1


def hidden(me: Any, item: Any, field: Field = F2) -> FieldArray:
    """Return an item's number as one field element that messages must protect."""
    secret: FieldArray = me.secret(number_of, item, field=field, shape=())
    return secret


async def tell(me: Party, bit: int, to: str = "S") -> None:
    """Send a disclosed bit to a party."""
    await me.send(VALUE, to, bits([bit]))


def twins(script: Any, inputs: Any) -> tuple[Any, Any]:
    """Return the leaking script and the sound one, with as many items as occur in the inputs."""
    items = max(item for held in inputs for item in held)
    return script(True, items=items), script(False, items=items)


@attrs.frozen
class Script:
    """A script that makes a mistake, or its twin that does not; inputs are items in 1..items."""

    mistake: bool
    items: int = attrs.field(default=2, kw_only=True)

    async def idle(self, me: Party) -> None:
        """Read the mail, and say nothing."""


class OneHolder(Script):
    """The party `u` holds an input, and the party `S` reads what `u` sends to it."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.idle)}

    async def user(self, me: Party, item: Any) -> None:
        """The script of `u`."""
        raise NotImplementedError


class TwoReaders(OneHolder):
    """The party `u` holds an input; the parties `A` and `B` read what `u` sends to them."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "A": Seat(self.idle), "B": Seat(self.idle, 2)}
