"""Decide whether a door returns all the numbers that it received.

If a door discloses the number of a row of field elements exactly, everybody has one more equation,
and we can solve it for one of the coins in the row. This is not possible if the door adds noise, or
if its function maps two numbers to one value. So we must be certain that the disclosed value
determines the number. There are two ways to be certain:

- *Trying everything.* We call the function with all numbers that the elements can have. The value
  determines the numbers if no two calls return the same value. This works for few elements of a
  small field.
- *Knowing the function.* `int`, `np.asarray` and some other functions certainly return all numbers
  of one array. Another function of a larger array cannot be tried: it may return all numbers
  correctly except in one case of a billion.
"""

import itertools
import math
from collections.abc import Hashable, Sequence

import numpy as np

from simnet.adversary.door_laws.calling import REFUSED, CallBudget, NotEnumerable
from simnet.adversary.door_laws.door_law import law_of_door
from simnet.doors.call import DoorCall
from simnet.linear.forms import Forms
from simnet.values.sealed import Opened

MOST_NUMBERS = 20_000  # the largest number of lists of numbers on which a function is tried

_OF_ANY_ARRAY = (np.asarray, np.array, np.copy, np.atleast_1d, np.ravel, list, tuple)


def is_in_full(call: DoorCall) -> bool:
    """Whether the door disclosed a value that determines every number that the door was given.

    The answer is also False if this is not certain, or if the door was given an input or opened
    field elements that are public numbers.
    """
    arrays = [each.array for each in call.sources if isinstance(each, Opened)]
    forms = [array for array in arrays if isinstance(array, Forms)]
    if call.kind != "disclose" or not forms or call.has_input or len(forms) != len(arrays):
        return False
    if len(call.arguments) == 1:
        known = (*_OF_ANY_ARRAY, *([int] if math.prod(forms[0].shape) == 1 else []))
        if any(call.function is function for function in known):
            return True
    return _merges_nothing(call, forms)


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
