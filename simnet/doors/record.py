"""The record of a run's doors, with which the run can be played again without any input.

A run whose doors are on record can be read *without inputs*. Then no function of a door is called,
and every door gives the result that it gave before. If the scripts still do the same, then inputs
influenced them only through doors.
"""

from collections import Counter
from typing import Any, NamedTuple

import attrs

from simnet.coins.coins import Coins, discrete_of
from simnet.coins.sampled import SampledDiscrete
from simnet.doors.call import Argument, DoorCall, DoorKind, Plain, handed_out, open_door
from simnet.doors.captured import is_same
from simnet.errors import ScriptError
from simnet.values.meter import Meter, Operation
from simnet.values.sealed import Input, Made, Opened


@attrs.frozen(eq=False)
class RecordedCall:
    """A door's call with its cost: the billed operations, and the number of 64-bit words that it
    drew from the discrete stream.
    """

    call: DoorCall
    operations: Counter[Operation]
    words: int


class Toss(NamedTuple):
    """A call of a door with coins. `position` is the number of 64-bit words that the party had
    drawn from its discrete stream before.
    """

    kind: DoorKind
    number: int
    code: object
    position: int

    @classmethod
    def of(cls, call: DoorCall, coins: Coins) -> "Toss":
        """Return the record of a call that is about to be made."""
        return cls(call.kind, call.number, code_of(call), position_of(coins))


class DoorRecord:
    """The calls of all doors of a run, in the order of each party's script."""

    def __init__(self) -> None:
        self.calls: dict[str, list[DoorCall]] = {}  # by party, in the order of the script
        self._recorded: dict[tuple[str, str, int], RecordedCall] = {}

    def note(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Open a door, record the call, and return the result of the door."""
        before, position = Counter(meter.counts), position_of(coins)
        try:
            open_door(call, coins, meter)
            return handed_out(call)
        finally:
            operations = Counter(meter.counts)
            operations.subtract(before)
            words = position_of(coins) - position
            place = call.party, call.kind, call.number
            self._recorded[place] = RecordedCall(call, operations, words)
            self.calls.setdefault(call.party, []).append(call)

    def check_again(self) -> None:
        """See `Caller.check_again`."""
        for calls in self.calls.values():
            for vault in {call.vault for call in calls if call.vault is not None}:
                vault.check_again()

    def played(self, call: DoorCall, coins: Coins | None, meter: Meter) -> DoorCall:
        """Return the recorded call that this call repeats. Bill the cost of the recorded call, and
        skip the coins that it drew.

        Raises `ScriptError` if the script opens another door than before.
        """
        recorded = self._recorded.get((call.party, call.kind, call.number))
        if recorded is None or not _is_same_place(recorded.call, call):
            raise ScriptError(
                f"{call.party} calls another door (me.{call.kind} of {call.name}) when its "
                "script is read without inputs: a script must call the same doors each time, and "
                "the function of a door may only return a value"
            )
        for operation, times in recorded.operations.items():
            meter.bill(operation, times)
        source = None if coins is None else discrete_of(coins)
        if isinstance(source, SampledDiscrete):
            source.skip(recorded.words)
        return recorded.call


def _is_same_place(first: DoorCall, second: DoorCall) -> bool:
    """Return whether two calls have the same kind, field, shape and code, and arguments of the same
    kinds.
    """
    return (first.kind, first.field, first.shape, first.takes_coins, code_of(first)) == (
        second.kind,
        second.field,
        second.shape,
        second.takes_coins,
        code_of(second),
    ) and [type(each) for each in first.arguments] == [type(each) for each in second.arguments]


def code_of(call: DoorCall) -> object:
    """Return what two calls of the same function have in common: its code."""
    return getattr(call.function, "__code__", type(call.function))


def is_same_call(first: DoorCall, second: DoorCall) -> bool:
    """Return whether two calls have the same function and the same arguments. Both calls must have
    been fixed by `DoorCall.fix`.

    Returns False if this cannot be decided.
    """
    return (
        (first.kind, first.field, first.shape, first.takes_coins)
        == (second.kind, second.field, second.shape, second.takes_coins)
        and len(first.arguments) == len(second.arguments)
        and is_same(first.knowledge, second.knowledge)
        and all(map(_is_same_argument, first.arguments, second.arguments))
    )


def _is_same_argument(first: Argument, second: Argument) -> bool:
    if isinstance(first, Input) and isinstance(second, Input):
        return first.party == second.party
    if isinstance(first, Made) and isinstance(second, Made):
        return is_same_call(first.call, second.call)
    if isinstance(first, Opened) and isinstance(second, Opened):
        array: Any = first.array  # not `is_same_as`, which is refused while scripts run
        return first.signed == second.signed and bool(array._is_same(second.array))
    # Here we need not compare plain arguments: `is_same_call` compares them with the knowledge of
    # the functions.
    return isinstance(first, Plain) and isinstance(second, Plain)


def position_of(coins: Coins | None) -> int:
    """Return how many words were drawn from a party's stream of discrete coins."""
    source = None if coins is None else discrete_of(coins)
    return source.position if isinstance(source, SampledDiscrete) else 0
