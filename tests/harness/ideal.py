"""The ideal world of a protocol: the values that it hands out, and the parties with their
inputs.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from simnet import Sealed
from simnet.kernel.ideal import IdealHolder, holders, ideal_world
from simnet.values.sealed import Input


def input_names(protocol: Any) -> list[str]:
    """Return the names of the parties that have an input, in order."""
    return [name for name, seat in protocol.parties().items() if seat.takes_input]


def handed(protocol: Any, held: Iterable[Any], seed: int) -> Mapping[str, Any]:
    """Return the values that the functionality hands to each party, for the given inputs in
    order.
    """
    inputs = dict(zip(input_names(protocol), held, strict=True))
    return ideal_world(protocol, inputs, seed)


def users_with_inputs(
    protocol: Any, held: Iterable[Any], seed: int
) -> list[tuple[IdealHolder, Sealed]]:
    """Return every party that has an input, with this input."""
    names = input_names(protocol)
    sealed = [Sealed(Input(name, value)) for name, value in zip(names, held, strict=True)]
    return list(zip(holders(names, seed), sealed, strict=True))
