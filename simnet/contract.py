"""What a protocol must offer: the little that the kernel needs, and one facet for each instrument.

A protocol is a frozen record of what every party knows. It says who takes part, and one async
method a role says what those parties do:

    @attrs.frozen
    class Echo:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.asker), "b": Seat(self.echo)}

        async def asker(self, me: Party, question: int) -> int: ...   # holds an input
        async def echo(self, me: Party) -> None: ...                  # holds none

That is all that `run` needs. Everything else is optional. Each instrument asks for one *facet*, a
class below: a protocol has a facet when it has its methods, and nothing has to be inherited. An
instrument without its facet says in one line what it cannot show, and which method would show it.

| facet            | asked for by                       | says                                    |
| ---------------- | ---------------------------------- | --------------------------------------- |
| `Protocol`       | every run and reading              | who takes part, and what they do        |
| `Ideal`          | verdicts                           | what a trusted party would hand to whom |
| `Thresholds`     | the search for breaking sets       | how many shares open a secret           |
| `Identification` | the search for breaking sets       | when opened elements tell an input      |
| `OverItems`      | exact views against all neighbours | which inputs there are                  |
| `Simulator`      | exact views, real and simulated    | what a proof's simulator is told, plays |

`isinstance(protocol, Ideal)` tells at run time whether the methods are there; whether they take and
return the right things is what mypy tells, once a line such as `FACET: type[Ideal] = MyProtocol`
says which facet is meant. Built-in protocols are listed by facet in that way.

A parameter's words stand beside its type, as `users: Annotated[int, "n, how many take part"]`: then
`simnet run FILE.py --help` shows them.

What is *said about* a protocol (its name, bill, accuracy, privacy) is no part of it: it stands in a
record beside the script, `simnet.stated.about.About`.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, runtime_checkable
from typing import Protocol as Interface

from simnet.roster import Seat
from simnet.values.field import Field, FieldArray

IdealOutputs = Mapping[str, FieldArray | Sequence[FieldArray]]  # by the name of who is handed it


class Holder(Interface):
    """A party that holds an input, as the ideal world sees it; every script's `Party` is one."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def secret(
        self,
        function: Callable[..., Any],
        *arguments: object,
        field: Field,
        shape: tuple[int, ...] | int,
    ) -> FieldArray:
        """Declare what messages must protect; what is returned stands for it."""
        ...

    def disclose(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Make a plain value that is on record as disclosed."""
        ...


@runtime_checkable
class Runnable(Interface):
    """What the kernel needs: all that a protocol must have."""

    def parties(self) -> Mapping[str, Seat]:
        """Every party's name and seat, in order; a seat holds the role's script.

        Called by: every run and every reading of a script, before the first party starts, and by
        whoever counts the inputs. Must return: the same seats every time.

        A script is an async method `role(self, me)` or, where its parties hold an input,
        `role(self, me, input)`; a crowd is given an array of its members' inputs. What a role
        returns is that party's output.
        """
        ...


# Under a name of its own: Python passes over the methods of any class called `Protocol` when it
# tells whether an object has them, and takes everything for one.
Protocol = Runnable


@runtime_checkable
class Ideal(Protocol, Interface):
    """The ideal world: what a trusted party would hand to whom.

    Without it a verdict takes it that nobody is handed anything: every function of honest secrets
    that a coalition determines counts as a leak.
    """

    def functionality(self, inputs: Any, users: Sequence[Holder]) -> IdealOutputs:
        """The field arrays that the ideal world hands out, by the name of the party.

        Called by: verdicts, once a run, and tests that hold a real output against the ideal one.
        With: `inputs[i]` is what `users[i]` holds, sealed; `users` are those whose script takes an
        input, in order. A user's doors are those of its script in the same order: its k-th secret
        here must be the same function of the same arguments as its k-th secret there, so both are
        best made by one method. Must return: an array, or several, for each party that is handed
        something; others may be left out.
        """
        ...


@runtime_checkable
class Thresholds(Protocol, Interface):
    """How many shares open a secret.

    Without it the search for breaking sets tries sets of users one by one, up to a size.
    """

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret, whichever they are.

        Called by: the search, with the number of recipients of one sharing. What is returned is
        not taken on trust: so many recipients must read the secret, and one fewer must not.
        """
        ...


@runtime_checkable
class Identification(Protocol, Interface):
    """What elements of a secret tell about the input behind it.

    Without it a set of users counts as identifying an input only when it reads all elements of the
    secret.
    """

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Whether these elements of a secret, by item from 1, tell the input behind it.

        Called by: the search for breaking sets, with what a set reads. Must return False when in
        doubt.
        """
        ...


@runtime_checkable
class OverItems(Protocol, Interface):
    """Inputs are items in 1..N.

    Without it nobody knows which inputs are neighbours of a given one: an exact view is then held
    against other inputs only where these are given.
    """

    @property
    def items(self) -> int:
        """N, the number of items.

        Called by: exact views, to try all neighbours, and weighted aggregation, whose groups must
        have the same items.
        """
        ...


@runtime_checkable
class Simulator(Interface):
    """The simulator of a security proof; it stands beside the script, in `simulator.py`.

    Without it real views are compared with each other, and never with simulated ones.
    """

    @property
    def protocol(self) -> Protocol:
        """The protocol that is proved secure."""
        ...

    def leaked(self, inputs: Any, users: Sequence[Holder], corrupt: Collection[str]) -> Hashable:
        """What the simulator is given of the honest parties' inputs when `corrupt` collude.

        Called by: `simnet.exhaustive.simulation`, under every outcome of the users' coins. With:
        inputs and users as for `Ideal.functionality`. Raises `ValueError` for a coalition of which
        nothing is proved.
        """
        ...

    def simulated(self, corrupt: Collection[str], leaked: Any) -> Protocol:
        """The protocol that the simulator plays with the corrupt parties.

        Called by: `simnet.exhaustive.simulation`, once for every value that `leaked` can have. Must
        return: a protocol with the same parties, whose honest ones make no use of their inputs.
        """
        ...
