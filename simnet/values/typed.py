"""Plain values that travel: indices, bits and reals, each with the wire type that says how.

Field elements know their own width; a number does not, so a script says what it sends: `bits(a)`, `index(j, below=N)`,
`reals(x)`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.wire import BIT, REAL, Kind, WireType, check_fits


class Typed:
    """An array of numbers with its wire type. Immutable: made by `index`, `bits` or `reals`, which copy."""

    __slots__ = ("_meter", "_numbers", "wire")

    def __init__(self, wire: WireType, numbers: npt.NDArray[Any], meter: Meter | None = None) -> None:
        """Wrap an array that nobody may write to afterwards."""
        self.wire = wire
        self._numbers = numbers
        self._meter = meter

    @property
    def values(self) -> Metered:
        """The numbers; arithmetic on them is billed to the party that holds them."""
        return Metered.of(self._numbers, self._meter)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; `()` for a single number."""
        return self._numbers.shape

    def __getitem__(self, where: Any) -> "Typed":
        return Typed(self.wire, np.asarray(self._numbers[where]), self._meter)

    def __repr__(self) -> str:
        return f"Typed({self.wire.kind} below {self.wire.below}, {self._numbers.tolist()})"

    def metered(self, meter: Meter | None) -> "Typed":
        """The same numbers in the hands of the party that `meter` counts for."""
        return Typed(self.wire, self._numbers, meter)

    def numbers(self) -> npt.NDArray[Any]:
        """The numbers as the codec takes them, read-only."""
        return self._numbers


def _typed(wire: WireType, values: npt.ArrayLike, dtype: type[np.generic]) -> Typed:
    given = np.asarray(values)
    check_fits(wire, given)
    frozen = given.astype(dtype)  # astype copies: what the caller does to its array later changes nothing here
    frozen.setflags(write=False)
    return Typed(wire, frozen)


def index(values: npt.ArrayLike, below: int, kind: Kind = "nd") -> Typed:
    """Indices in `0..below-1`: `nd` of users, `Nd` of items; any shape. Raises `CodecError` when out of range."""
    return _typed(
        WireType(kind, below), np.asarray(values, dtype=np.int64) if np.size(values) == 0 else values, np.int64
    )


def bits(values: npt.ArrayLike) -> Typed:
    """Bits 0 and 1, or booleans; any shape. Raises `CodecError` for other numbers."""
    return _typed(BIT, values, np.int64)


def reals(values: npt.ArrayLike) -> Typed:
    """Real numbers, sent as IEEE 754 doubles; any shape."""
    return _typed(REAL, values, np.float64)
