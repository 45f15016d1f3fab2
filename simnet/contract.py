"""What a protocol must offer: the little that the kernel needs, and one facet for each instrument.

A protocol is a frozen record of what every party knows. It says who takes part, and one async
method a role says what those parties do:

    @attrs.frozen
    class Echo:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.asker), "b": Seat(self.echo)}

        async def asker(self, me: Party, question: int) -> int: ...   # holds an input
        async def echo(self, me: Party) -> None: ...                  # holds none

That is all that `run` needs. Everything else is optional: an instrument asks for a *facet*, a
class below, and says in one line what it cannot show without it. A protocol has a facet when it has
its methods; nothing has to be inherited. Built-in protocols state which facets they have where
mypy can check it, so that a missing or misspelt method is a type error.

What is *said about* a protocol (its name, its bill, its accuracy, its privacy) is no part of it:
see `simnet.stated.about`.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, runtime_checkable
from typing import Protocol as Interface

from simnet.coins.coins import Coins
from simnet.roster import Seat
from simnet.values.field import FieldArray

IdealOutputs = Mapping[str, FieldArray | Sequence[FieldArray]]  # by the name of who is handed it


class Holder(Interface):
    """A party that holds an input, as the ideal world sees it; every script's `Party` is one."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def coins(self) -> Coins:
        """Its coins: the same as in the run of the same seed."""
        ...

    def secret(self, value: FieldArray) -> FieldArray:
        """Declare a value that messages must protect; what is returned stands for it."""
        ...


@runtime_checkable
class Protocol(Interface):
    """What the kernel needs.

    Called by: every run and every reading of a script, once, before the first party starts.
    """

    def parties(self) -> Mapping[str, Seat]:
        """Every party's name and seat, in order; a seat holds the role's script.

        A role is an async method `role(self, me)` or, where its parties hold an input,
        `role(self, me, input)`; a crowd is given an array of its members' inputs.
        """
        ...


@runtime_checkable
class Ideal(Protocol, Interface):
    """The ideal world: what a trusted party would hand to whom.

    Called by: verdicts, to tell what the output itself reveals from what leaks beyond it. Without
    it every function of honest secrets that a coalition determines counts as a leak.
    """

    def functionality(self, inputs: Any, users: Sequence[Holder]) -> IdealOutputs:
        """The field arrays that the ideal world hands out, by the name of the party.

        `inputs[i]` is what `users[i]` holds; `users` are those whose script takes an input, in
        order, with the coins and the secrets that they have in the run of the same seed.
        """
        ...


@runtime_checkable
class Simulated(Protocol, Interface):
    """The simulator of a security proof.

    Called by: `simnet.exhaustive.simulation`, which compares the exact law of the real view with
    that of the simulated one. Without it no such comparison can be made.
    """

    def leaked(self, inputs: Any, users: Sequence[Holder], corrupt: Collection[str]) -> Hashable:
        """What the simulator is given of the honest parties' inputs when `corrupt` collude."""
        ...

    def simulated(self, corrupt: Collection[str], leaked: Any) -> Protocol:
        """The protocol that the simulator plays with the corrupt parties; honest ones use no input.

        Raises `ValueError` for a coalition of which nothing is proved.
        """
        ...


@runtime_checkable
class Thresholds(Protocol, Interface):
    """How many shares open a secret.

    Called by: the search for breaking sets, with the number of recipients of one sharing. Without
    it sets of users are tried one by one, up to a size.
    """

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret."""
        ...


@runtime_checkable
class Identification(Protocol, Interface):
    """What elements of a secret tell about the input behind it.

    Called by: the search for breaking sets, with the elements that a set reads. Without it a set
    counts as identifying an input only when it reads all elements of the secret.
    """

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Whether these elements of a secret, by item from 1, tell the input behind it."""
        ...
