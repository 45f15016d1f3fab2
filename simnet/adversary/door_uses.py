"""What scripts opened, and what they made of it: the doors of a run as its verdicts see them.

A door is one call of `me.secret`, `me.disclose` or `me.output`. Of its arguments a verdict needs to
know which *rows* they are: the linear forms whose numbers the door's function was given. Inputs
have no rows, because they are no field elements. A value that came out of another door stands for
that door's arguments: whoever opens a total, computes an output of it and discloses a part of the
output has disclosed something about the total.
"""

from typing import Literal

import attrs

from simnet.linear.forms import Forms
from simnet.linear.unknowns import Family

DoorKind = Literal["secret", "disclose", "output"]


@attrs.frozen(eq=False, kw_only=True)
class DoorUse:
    """One call of a door in a run that is read symbolically."""

    kind: DoorKind
    party: str
    number: int  # among the party's calls of this kind, from 0
    run: int  # which of the runs that are judged together, from 0
    function: str  # its name, for people
    rows: tuple[Forms, ...]  # what it was given of field elements
    has_input: bool  # whether it was given an input too
    in_full: bool = False  # whether it is checked to return exactly the numbers of its rows
    made: Family | None = None  # the unknowns of a secret


@attrs.frozen(eq=False, kw_only=True)
class Product:
    """Two arrays of forms multiplied item by item, and the unknowns that stand for the products."""

    party: str
    run: int
    left: Forms
    right: Forms
    made: Family
