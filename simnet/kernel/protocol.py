"""The contract between a protocol and the kernel."""

from collections.abc import Mapping
from typing import Any
from typing import Protocol as Interface

from simnet.roster import Seat


class Protocol(Interface):
    """A frozen record of what every party knows, with one async method a role.

    A role method is called `role(self, me)` or, when its parties hold an input, `role(self, me, input)`. A protocol
    that realises a functionality also has `functionality(inputs, coins)`, which returns for each party that receives
    something the field arrays that the ideal world hands it, and `expected_bill(run)`, the exact counts to hold the
    ledger against.
    """

    def parties(self) -> Mapping[str, Seat]:
        """Every party's name and seat, in order."""
        ...


def takes_input(protocol: Any, role: str) -> bool:
    """Whether the script of a role asks for an input."""
    code = getattr(getattr(protocol, role), "__code__", None)
    return code is not None and code.co_argcount + code.co_kwonlyargcount > 2
