"""What a protocol must offer, and what it may offer.

A protocol is an object with parameters that every party knows. Its method `parties()` says who
takes part. One async method for each role, the role's *script*, says what the parties of that role
do. In this protocol `a` sends a number and `b` returns it:

>>> import attrs
>>> from simnet import Field, Seat, Tag, run
>>> F, NOTE = Field(101), Tag("note")
>>> @attrs.frozen
... class Echo:
...     def parties(self):
...         return {"a": Seat(self.asker), "b": Seat(self.listener)}
...     async def asker(self, me, number):  # takes an input
...         await me.send(NOTE, "b", me.secret(lambda n: [n], number, field=F, shape=(1,)))
...     async def listener(self, me):  # takes no input
...         return me.output(lambda note: int(note[0]), await me.receive(NOTE, "a"))
>>> run(Echo(), [7]).outputs
{'b': 7}

The rules for scripts stand at `simnet.kernel.party.Party`, the object `me` above.

Only `parties()` is required. The classes in the table are *facets*: sets of members that some
instrument uses. A protocol has a facet if it has the facet's members; it need not inherit from the
class.

==================  ========  ================  ====================================================
member              needed    facet             who uses the member, and what for
==================  ========  ================  ====================================================
`parties`           always    `Protocol`        every run: who takes part
`functionality`     optional  `Ideal`           verdicts, exact views: what the ideal world gives
`enough_shares`     optional  `Thresholds`      breaking sets: how many shares are enough
`identifies_input`  optional  `Identification`  breaking sets: what determines an input
`items`             optional  `OverItems`       verdicts, exact views, made-up inputs: the items
==================  ========  ================  ====================================================

The class `Simulator` describes another object than the protocol: the simulator of a security proof,
which stands in a file of its own.

`isinstance(protocol, Ideal)` tells at run time whether a protocol has the facet `Ideal`. The
type checker mypy also compares arguments and results when the module has a line such as `FACET:
type[Ideal] = MyProtocol`.

The description of a parameter stands beside its type, as in `users: Annotated[int, "n, how many
take part"]`. The command `simnet run FILE.py --help` then shows the description.

What is *said about* a protocol (its name, bill, accuracy and privacy) does not belong to the
protocol. These statements stand in a record beside the script, `simnet.stated.about.About`.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, runtime_checkable
from typing import Protocol as Interface

from simnet.roster import Seat
from simnet.values.field import Field, FieldArray

# By the name of the party that gets the arrays.
IdealOutputs = Mapping[str, FieldArray | Sequence[FieldArray]]


class Holder(Interface):
    """A party that brings an input, in the ideal world.

    Every `Party` is also a `Holder`. So a method that opens doors through a `Holder` can serve both
    the script and the functionality.
    """

    @property
    def name(self) -> str:
        """The name of the party."""
        ...

    def secret(
        self,
        function: Callable[..., Any],
        *arguments: object,
        field: Field,
        shape: tuple[int, ...] | int,
    ) -> FieldArray:
        """Declare a secret, and return its field elements. See `Party.secret`."""
        ...

    def disclose(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Disclose a plain value, and return it. See `Party.disclose`."""
        ...


@runtime_checkable
class Runnable(Interface):
    """What the kernel needs of a protocol."""

    def parties(self) -> Mapping[str, Seat]:
        """Return the name and the seat of every party, in order.

        The script is an async method `role(self, me)` or, for parties that bring an input,
        `role(self, me, input)`. The script of a crowd gets a sealed array with the inputs of its
        members, if they bring inputs. The value that a script returns is the output of its party.

        The method must return the same seats at every call.
        """
        ...


# The class has another name, `Runnable`, because `isinstance` ignores the methods of a runtime
# class called `Protocol`: every object would then count as a protocol.
Protocol = Runnable


@runtime_checkable
class Ideal(Protocol, Interface):
    """The ideal world: what a trusted party would give to each party.

    For a protocol without this facet a verdict assumes that the ideal world gives nothing to
    anybody.
    """

    def functionality(self, inputs: Any, users: Sequence[Holder]) -> IdealOutputs:
        """Return the field arrays that the ideal world gives to each party, by the name of the
        party.

        `inputs[i]` is the sealed input of `users[i]`; `users` are the parties whose script takes an
        input, in order. A user must call `secret` and `disclose` here as in its script, in the same
        order.
        Its k-th secret must be the same function of the same arguments in both. The safest way is
        one method that makes the secret for the script and for the functionality.

        With a third parameter, the functionality is also told what happened in the run, as a
        `simnet.Happened`: who dropped out, and who was heard.

        The method must return an array, or a list of arrays, for each party that gets something;
        parties that get nothing may be left out.
        """
        ...


@runtime_checkable
class Thresholds(Protocol, Interface):
    """How many shares are enough to read a secret.

    For a protocol without this facet the search for breaking sets may try sets of users one by one.
    """

    def enough_shares(self, shares: int) -> int:
        """Return how many of `shares` shares, whichever they are, are enough to read a secret."""
        ...


@runtime_checkable
class Identification(Protocol, Interface):
    """What the elements of a party's secrets say about the party's input.

    For a protocol without this facet a set of users identifies the input of another user only if
    it reads all elements of all secrets of this user.
    """

    def identifies_input(self, values: Mapping[int, int]) -> bool:
        """Return whether these elements of a party's secrets determine the input of the party.

        `values` maps the number of an element to the element. The elements of all secrets of the
        party are numbered from 1, in the order in which it declares them; with one secret that has
        an element for each item, the number of an element is the item.

        The method must return False when in doubt.
        """
        ...


@runtime_checkable
class OverItems(Protocol, Interface):
    """A protocol whose inputs are items in 1..N.

    For a protocol without this facet an exact view compares only inputs that are given to it.
    """

    @property
    def items(self) -> int:
        """The number of items, N."""
        ...


@runtime_checkable
class Simulator(Interface):
    """The simulator of a security proof."""

    @property
    def protocol(self) -> Protocol:
        """The protocol that the proof is about."""
        ...

    def leaked(self, inputs: Any, users: Sequence[Holder], corrupt: Collection[str]) -> Hashable:
        """Return what the simulator gets to know about the honest parties' inputs when the parties
        in `corrupt` collude.

        Inputs and users are as for `Ideal.functionality`. Raises `ValueError` for a coalition about
        which nothing is proved.
        """
        ...

    def simulated(self, corrupt: Collection[str], leaked: Any) -> Protocol:
        """Return the protocol that the simulator plays with the coalition `corrupt`.

        `leaked` is a value that the method `leaked` returned. The returned protocol must have the
        same parties, and its honest parties must not use their inputs.
        """
        ...
