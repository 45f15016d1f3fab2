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

The object `me` in these scripts is a `simnet.kernel.party.Party`, whose docstring has the rules for
scripts.

Only `parties()` is required. The third column of the table names *facets*. A facet is a class that
lists members (methods or attributes) of a protocol which some part of simnet uses. A protocol has a
facet if it has the members that the class lists; it need not inherit from the class.

===============  ========  ===========  ==================================================
member           needed    facet        who uses the member, and what for
===============  ========  ===========  ==================================================
`parties`        always    `Protocol`   every run: who takes part
`functionality`  optional  `Ideal`      verdicts, exact views: what the ideal world gives
`items`          optional  `OverItems`  verdicts, exact views, made-up inputs: the items
===============  ========  ===========  ==================================================

The class `Simulator` describes another object than the protocol: the simulator of a security proof,
which stands in a file of its own.

`isinstance(protocol, Ideal)` says at run time whether a protocol has the members of the facet
`Ideal`. It does not look at their arguments and results. If you add a line such as `FACET:
type[Ideal] = MyProtocol` to the module of your protocol, the type checker mypy compares these, too.

The description of a parameter stands beside its type, as in `users: Annotated[int, "n, how many
take part"]`. The command `simnet list FILE.py` then shows the description.

What is *said about* a protocol (its name, and formulas for its bill, accuracy and privacy) does not
belong to the class of the protocol. It stands in a record of its own, a
`simnet.stated.about.About`.
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

    Every `Party` is also a `Holder`. So the script and the functionality can both call a method
    that makes a secret or a disclosed value through a `Holder`.
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
        reduce: bool = False,
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
        """Return the seat of every party by the party's name. The order is that of the parties.

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

        `users` are the parties whose script takes an input, in the order of `parties()`, and
        `inputs[i]` is the sealed input of `users[i]`. For each user, this method must call `secret`
        and `disclose` as often as the script of the user does, and in the same order. The k-th
        secret of a user must be the same function of the same arguments here as in the script. The
        safest way is one method that makes the secret, and that both the script and this method
        call.

        If this method has a third parameter, it is also told what happened in the run, as a
        `simnet.Happened`: for example, who dropped out and who was heard.

        The method must return an array, or a list of arrays, for each party that gets something;
        parties that get nothing may be left out.
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
