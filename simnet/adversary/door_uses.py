"""The doors of a run as verdicts see them: the field elements that doors were given, and the
secrets that doors made.

In this module a *door* is one call of `me.secret`, `me.disclose` or `me.output`. A verdict needs to
know the *rows* among its arguments: the linear forms whose numbers the door's function was given.
Inputs have no rows, because they are not field elements. If an argument is an output, which another
door gave, the rows of that door's arguments count. For example, a party opens a total, computes an
output from it, and discloses a part of the output. Then the party has disclosed something about the
total.
"""

from typing import Literal

import attrs
import numpy as np

from simnet.doors.call import DoorCall
from simnet.linear.forms import Forms
from simnet.linear.unknowns import Family
from simnet.values.sealed import Opened

DoorKind = Literal["secret", "disclose", "output"]
# Functions that return all numbers of any array for which they raise no error.
RETURNING = (int, np.asarray, np.array, np.copy, np.atleast_1d, np.ravel, list, tuple)


@attrs.frozen(eq=False, kw_only=True)
class DoorUse:
    """One call of a door in a run that is read symbolically."""

    kind: DoorKind
    party: str
    number: int  # the place of the call among the party's calls of this kind, from 0
    run: int  # the place of the run among those judged together, from 0
    function: str  # the name of the function, for people
    rows: tuple[Forms, ...]  # the field elements that the function was given
    has_input: bool  # whether the function was also given an input
    # whether some rows contain coins, and the value certainly determines the numbers of all rows
    in_full: bool = False
    made: Family | None = None  # the unknowns of the secret that the door made


@attrs.frozen(eq=False, kw_only=True)
class Product:
    """Two arrays of forms that were multiplied element by element, and the unknowns for the
    products.
    """

    party: str
    run: int
    left: Forms
    right: Forms
    made: Family


def is_in_full(call: DoorCall) -> bool:
    """Whether a door certainly disclosed every number of the one array that it was given, which has
    field elements that are not public.

    Then everybody has one more equation for each number. Only functions count that are known to
    return all numbers. A function of a script may return all numbers except in one case of a
    billion.
    """
    (source, *others) = call.sources or (None,)
    if call.kind != "disclose" or others or len(call.arguments) != 1:
        return False
    if not isinstance(source, Opened) or not isinstance(source.array, Forms):
        return False
    return any(call.function is function for function in RETURNING)
