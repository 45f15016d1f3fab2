"""Which party of a run gets which input."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.errors import BadInput
from simnet.roster import Roster, Seat

Inputs = Mapping[str, Any] | Sequence[Any] | npt.NDArray[Any]


def inputs_by_name(inputs: Inputs, roster: Roster) -> dict[str, Any]:
    """Return the input of each party whose script takes one, by name; a crowd gets an array with
    one input for each member.

    Raises `BadInput` if the inputs do not fit the parties.
    """
    wanting = {
        name: seat
        for name, seat in zip(roster.names, roster.seats, strict=True)
        if seat.role in roster.with_input
    }
    if isinstance(inputs, Mapping):
        return {
            name: _input_of(name, seat, inputs[name])
            for name, seat in _named(wanting, inputs, roster).items()
        }
    size = sum(seat.size for seat in wanting.values())
    try:
        count = len(inputs)
    except TypeError:
        raise BadInput(
            "the inputs of a run are a list or an array with one input for each party that takes "
            f"one, or a dictionary by the parties' names, got {type(inputs).__name__}"
        ) from None
    if count != size:
        given = "1 input was" if count == 1 else f"{count} inputs were"
        takers = "1 party that takes" if size == 1 else f"{size} parties that take"
        raise BadInput(f"{given} given for {takers} an input; parties: {roster.describe()}")
    by_name, start = {}, 0
    for name, seat in wanting.items():
        own = inputs[start : start + seat.size]
        by_name[name] = _plain(own[0]) if seat.members is None else _input_of(name, seat, own)
        start += seat.size
    return by_name


def _named(
    wanting: Mapping[str, Seat], inputs: Mapping[str, Any], roster: Roster
) -> Mapping[str, Seat]:
    strangers = sorted(set(inputs) - set(wanting))
    if strangers:
        roster.find(strangers[0])
        raise BadInput(
            f"an input was given for {strangers[0]}, but the script of {strangers[0]} takes no "
            f"input: {roster.describe()}"
        )
    lacking = next((name for name in wanting if name not in inputs), None)
    if lacking is not None:
        raise BadInput(
            f"{lacking} needs an input and has no input: give an input for every party whose "
            f"script takes one ({len(wanting)} in this run, and {len(inputs)} given)"
        )
    return wanting


def _input_of(name: str, seat: Seat, value: Any) -> Any:
    if seat.members is None:
        return value
    try:
        array = np.array(value)
    except ValueError as error:
        raise BadInput(f"the inputs of the crowd {name} do not make an array: {error}") from error
    if array.shape[:1] != (seat.members,):
        raise BadInput(
            f"{name} is a crowd of {seat.members:,} and needs an input for each member, got shape "
            f"{array.shape}"
        )
    array.flags.writeable = False
    return array


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
