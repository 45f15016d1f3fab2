"""Decide whether a door returns all the numbers that it received.

If a door discloses the number of a row of field elements exactly, everybody has one more equation,
and we can solve it for one of the coins in the row. This is not possible if the door adds noise, or
if its function maps two numbers to one value. So we must be certain that the disclosed value
determines the number. There are two ways to be certain:

- *Trying everything.* We call the function with all numbers that the elements can have. The value
  determines the numbers if no two calls return the same value. This works for few elements of a
  small field.
- *Reading the function.* Larger arrays cannot be tried: a function of 30 elements may return all
  numbers correctly except in one case of a billion. So there is a list of functions that certainly
  return all numbers: `int`, `np.asarray` and similar ones. A function of one line may count, too,
  if its code is the same as that of a function on a second list, such as `lambda d, e: (int(d),
  int(e))`.
"""

import builtins
import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from simnet.adversary.door_laws.calling import REFUSED, CallBudget, NotEnumerable
from simnet.adversary.door_laws.door_law import law_of_door
from simnet.doors.call import DoorCall
from simnet.linear.forms import Forms
from simnet.values.sealed import Opened

MOST_NUMBERS = 20_000  # the largest number of lists of numbers on which a function is tried

_OF_ANY_ARRAY: tuple[object, ...] = (
    np.asarray,
    np.array,
    np.copy,
    np.atleast_1d,
    np.ravel,
    list,
    tuple,
)
_OF_ONE_NUMBER: tuple[object, ...] = (int,)

# A function that is written like a function of this list returns all numbers of arrays of any
# shape.
_LIKE_ANY_ARRAY: tuple[Callable[..., Any], ...] = (
    lambda a: a,
    lambda a: a.tolist(),
    lambda a: a.copy(),
    lambda a: list(a),
    lambda a: tuple(a),
    lambda a: tuple(a.tolist()),
    lambda a, b: (a, b),
    lambda a, b: (a.tolist(), b.tolist()),
    lambda a, b, c: (a, b, c),
)
# A function that is written like a function of this list returns all numbers of arrays with one
# number each.
_LIKE_ONE_NUMBER: tuple[Callable[..., Any], ...] = (
    lambda a: int(a),
    lambda a: int(a[0]),
    lambda a: a[0],
    lambda a: a.item(),
    lambda a, b: (int(a), int(b)),
    lambda a, b: (int(a[0]), int(b[0])),
    lambda a, b: (a[0], b[0]),
    lambda a, b: (a.item(), b.item()),
    lambda a, b, c: (int(a), int(b), int(c)),
    lambda a, b, c: (int(a[0]), int(b[0]), int(c[0])),
)


def is_in_full(call: DoorCall) -> bool:
    """Whether the door disclosed a value that determines every number that the door was given.

    The answer is also False if this is not certain, or if the door was given an input or opened
    field elements that are public numbers.
    """
    arrays = [each.array for each in call.sources if isinstance(each, Opened)]
    forms = [array for array in arrays if isinstance(array, Forms)]
    if call.kind != "disclose" or not forms or call.has_input or len(forms) != len(arrays):
        return False
    if all(isinstance(each, Opened) for each in call.arguments) and _is_certain(
        call.function, [math.prod(array.shape) for array in forms]
    ):
        return True
    return _merges_nothing(call, forms)


def _is_certain(function: object, sizes: Sequence[int]) -> bool:
    of_one_number = all(size == 1 for size in sizes)
    if any(function is known for known in _OF_ANY_ARRAY):
        return len(sizes) == 1
    if any(function is known for known in _OF_ONE_NUMBER):
        return len(sizes) == 1 and of_one_number
    if not isinstance(function, FunctionType):
        return False
    likenesses = [*_LIKE_ANY_ARRAY, *(_LIKE_ONE_NUMBER if of_one_number else ())]
    return any(_is_written_like(function, known, len(sizes)) for known in likenesses)


def _is_written_like(function: FunctionType, known: Callable[..., Any], arguments: int) -> bool:
    """Whether two functions have the same code; the first may have an unused parameter for
    coins.
    """
    assert isinstance(known, FunctionType)
    first, second = function.__code__, known.__code__
    names = first.co_names
    return (
        second.co_argcount == arguments
        and first.co_argcount in (arguments, arguments + 1)
        and first.co_code == second.co_code
        and names == second.co_names
        and _constants(first.co_consts) == _constants(second.co_consts)
        and not (first.co_freevars or first.co_kwonlyargcount or function.__defaults__)
        # The function's module must not use the name of a built-in function for something else.
        and not any(name in function.__globals__ for name in names if hasattr(builtins, name))
    )


def _constants(constants: Sequence[object]) -> list[tuple[type, object]]:
    return [(type(each), each) for each in constants]


def _merges_nothing(call: DoorCall, forms: Sequence[Forms]) -> bool:
    """Whether the function returns different values for any two different values of its arguments
    that it does not refuse. The answer is False, too, if the value also depends on coins, or if the
    arguments have too many values to try all of them.
    """
    sizes = [math.prod(array.shape) for array in forms]
    ranges = [
        range(array.field.modulus)
        for array, size in zip(forms, sizes, strict=True)
        for _ in range(size)
    ]
    if math.prod(map(len, ranges)) > MOST_NUMBERS:
        return False
    budget = CallBudget(4 * MOST_NUMBERS)
    ends = np.cumsum(sizes).tolist()
    seen: set[Hashable] = set()
    for numbers in itertools.product(*ranges):
        rows = [numbers[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        try:
            law = law_of_door(call, [], rows, budget)
        except NotEnumerable:
            return False
        # In this run the door returned a value, so outcomes in which the door refuses do not count.
        values = set(law) - {REFUSED}
        if len(law) > 1 or values & seen:
            return False
        seen |= values
    return True
