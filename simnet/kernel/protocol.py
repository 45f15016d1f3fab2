"""The contract between a protocol and the kernel."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from typing import Protocol as Interface

from simnet.coins.coins import Coins
from simnet.errors import BadInput
from simnet.roster import Seat
from simnet.values.field import FieldArray


class Holder(Interface):
    """What the ideal world keeps of a party, and every script's `Party` has: a name, coins, and secrets to declare."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def coins(self) -> Coins:
        """Its coins."""
        ...

    def secret(self, value: FieldArray) -> FieldArray:
        """Declare a value that messages must protect; what is returned stands for it."""
        ...


class Protocol(Interface):
    """A frozen record of what every party knows, with one async method a role.

    A role method is called `role(self, me)` or, when its parties hold an input, `role(self, me, input)`; that of a
    crowd is given an array of its members' inputs. A protocol that realises a functionality also has
    `functionality(inputs, holders)`, which returns by party's name the field array that the ideal world hands it, from
    the inputs, coins and secrets of those who hold one, and `expected_bill(run)`, the exact counts to hold the ledger
    against. A protocol whose roles are not known before it is made has `script(role)` instead of methods.
    """

    def parties(self) -> Mapping[str, Seat]:
        """Every party's name and seat, in order."""
        ...


Script = Callable[..., Awaitable[Any]]


def script_of(protocol: Any, role: str) -> Script:
    """What those who play a role perform: the protocol's method of that name, or what its `script(role)` returns."""
    if hasattr(protocol, "script"):
        made: Script = protocol.script(role)
        return made
    method: Script | None = getattr(protocol, role, None)
    if method is None:
        raise BadInput(f"{type(protocol).__name__} seats parties that play {role!r}, but has no method of that name")
    return method


def takes_input(script: Script) -> bool:
    """Whether a script asks for an input besides its party."""
    return len(inspect.signature(script).parameters) > 1
