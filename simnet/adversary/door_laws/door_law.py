"""The laws of single doors, each found once for all doors that are alike.

Two doors are alike if only the values of their sealed arguments may differ. Their functions are the
same, as far as simnet can compare functions (see `simnet.doors.captured`), and so are their plain
arguments. Then both have the same law at equal values of their sealed arguments.
"""

import copy
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from simnet.adversary.door_laws.calling import CallBudget, NotEnumerable, law_of_calls
from simnet.coins.coins import Coins
from simnet.coins.law import Law
from simnet.doors.call import Argument, DoorCall, called
from simnet.doors.captured import is_same
from simnet.doors.plain_keys import key_of
from simnet.linear.forms import Forms
from simnet.values.residues import Residues, constant, residues_of
from simnet.values.sealed import Input, Made, Opened

# The most calls for a group of alike doors, with all values of their arguments together.
CALLS_OF_ONE_DOOR = 50_000
CALLS_IN_ALL = 200_000  # the most calls for all doors together


class DoorLaws:
    """The laws of doors, found by calling them and stored by function and arguments."""

    def __init__(
        self, calls_of_one_door: int = CALLS_OF_ONE_DOOR, calls_in_all: int = CALLS_IN_ALL
    ) -> None:
        self._calls_of_one_door = calls_of_one_door
        self._left_in_all = calls_in_all
        self._budgets: dict[Hashable, CallBudget] = {}
        self._laws: dict[Hashable, Law | str] = {}
        # What was found about components, by their signatures and the possible inputs.
        self.components: dict[Hashable, Any] = {}
        # By the identity of a call. We keep the calls alive, so that Python does not give their ids
        # to other objects.
        self._signatures: dict[int, tuple[DoorCall, Hashable]] = {}

    def signature(self, call: DoorCall) -> Hashable:
        """A key of the door that this call opened. Doors with equal keys are alike."""
        found = self._signatures.get(id(call))
        if found is None:
            signature = ("changed", id(call)) if _has_changed(call) else _signature(call)
            found = self._signatures[id(call)] = call, signature
        return found[1]

    def law(self, call: DoorCall, inputs: Sequence[Any], rows: Sequence[tuple[int, ...]]) -> Law:
        """The law of a door's value if its sealed arguments have these values.

        `inputs` has the values of the sealed inputs, and `rows` the numbers of the symbolic arrays
        of field elements, in the order in which the door is given them. The outcomes are tuples of
        residues for a secret, and keys (`key_of`) for a disclosed value. The outcome `REFUSED`
        means that the function raised an error. Raises `NotEnumerable` if the law cannot be found.
        """
        signature = self.signature(call)
        key = signature, tuple(map(key_of, inputs)), tuple(rows)
        law = self._laws.get(key)
        if law is None:
            law = self._laws[key] = self._found(call, inputs, rows, signature)
        if isinstance(law, str):
            raise NotEnumerable(law)
        return law

    def _found(
        self,
        call: DoorCall,
        inputs: Sequence[Any],
        rows: Sequence[tuple[int, ...]],
        signature: Hashable,
    ) -> Law | str:
        if _has_changed(call):
            return "the function, or a plain value that it uses, has changed since the run"
        own = self._budgets.setdefault(signature, CallBudget(self._calls_of_one_door))
        budget = CallBudget(min(own.left, self._left_in_all))
        before = budget.left
        try:
            return law_of_door(call, inputs, rows, budget)
        except NotEnumerable as error:
            return str(error)
        finally:
            own.left -= before - budget.left
            self._left_in_all -= before - budget.left


def _has_changed(call: DoorCall) -> bool:
    """Whether the function or a plain argument of the call has changed since the run. If an
    argument is the output of an earlier call of a door, the same is asked about that call.
    """
    made = [each.call for each in call.arguments if isinstance(each, Made)]
    return call.has_changed or any(map(_has_changed, made))


def always_refuses(call: DoorCall, inputs: Sequence[Any]) -> bool:
    """Whether a door that is given only sealed inputs, with these values, raises an error whatever
    its coins are; False if this was not found out.
    """

    def accept(_: Any) -> Hashable:
        raise _Accepted

    try:
        law_of_door(call, inputs, [], CallBudget(CALLS_OF_ONE_DOOR), accept)
    except (_Accepted, NotEnumerable):
        return False
    return True


class _Accepted(BaseException):
    """Ends the calls of a door: it has returned a value."""


def law_of_door(
    call: DoorCall,
    inputs: Sequence[Any],
    rows: Sequence[tuple[int, ...]],
    budget: CallBudget,
    key: Callable[[Any], Hashable] | None = None,
) -> Law:
    """Return what `DoorLaws.law` returns, for one door and without a store. With `key`, the law is
    that of the keys of the values.

    Raises `NotEnumerable` if the law cannot be found.
    """

    def give(coins: Coins) -> Any:
        values, numbers = iter(inputs), iter(rows)

        def value(argument: Argument) -> Any:
            if isinstance(argument, Input):
                return next(values)
            if isinstance(argument, Opened):
                return _opened(argument, numbers)
            if isinstance(argument, Made):
                return called(
                    argument.call, [value(each) for each in argument.call.arguments], None
                )
            return copy.deepcopy(argument.value)

        return called(call, [value(argument) for argument in call.arguments], coins)

    return law_of_calls(give, budget, key or (residues_key if call.kind == "secret" else key_of))


def _opened(argument: Opened, numbers: Any) -> Any:
    """Return the elements of an array as integers.

    A symbolic array takes its elements from `numbers`, in order; any other array has its own
    numbers.
    """
    array: Any = argument.array
    if isinstance(array, Forms):
        plain = np.array(next(numbers), dtype=np.int64).reshape(array.shape)
        array = constant(array.field, plain)
    return array.metered(None).as_integers(argument.signed)


def residues_key(elements: Residues) -> Hashable:
    """The key of a secret's value: its residues, as a tuple of integers."""
    return tuple(residues_of(elements).reshape(-1).tolist())


def _signature(call: DoorCall) -> Hashable:
    knowledge = call.knowledge if is_same(call.knowledge, call.knowledge) else id(call)
    arguments = tuple(_argument_signature(argument) for argument in call.arguments)
    return call.kind, knowledge, call.takes_coins, call.field, call.shape, arguments


def _argument_signature(argument: Argument) -> Hashable:
    if isinstance(argument, Input):
        return "input"
    if isinstance(argument, Made):
        return "made", _signature(argument.call)
    if isinstance(argument, Opened):
        array = argument.array
        if isinstance(array, Forms):
            return "rows", argument.signed, array.field.modulus, array.shape
        return "public", id(array)
    return "plain"  # the value of a plain argument is part of `call.knowledge`
