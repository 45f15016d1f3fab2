"""Plain values that travel: indices, bits and reals, each with the wire type that says how.

Field elements know their own width; a number does not, so a script says what it sends: `bits(a)`, `index(j, below=N)`,
`reals(x)`.
"""

from typing import Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.wire import BIT, REAL, Kind, WireType, check_fits


@attrs.frozen(eq=False, slots=True)
class Typed:
    """An array of numbers with its wire type. Immutable: made by `index`, `bits` or `reals`, which copy."""

    wire: WireType
    values: Metered

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; `()` for a single number."""
        return tuple(self.values.shape)

    def __getitem__(self, where: Any) -> "Typed":
        return Typed(self.wire, Metered.of(self.values.plain[where], self.values.meter))

    def metered(self, meter: Meter | None) -> Self:
        """The same numbers in the hands of the party that `meter` counts for."""
        return attrs.evolve(self, values=Metered.of(self.values.plain, meter))

    def numbers(self) -> npt.NDArray[Any]:
        """The numbers as the codec takes them."""
        return self.values.plain


def _typed(wire: WireType, values: npt.ArrayLike, dtype: type[np.generic]) -> Typed:
    given = np.asarray(values)
    check_fits(wire, given)
    frozen = given.astype(dtype)  # astype copies: what the caller does to its array later changes nothing here
    frozen.setflags(write=False)
    return Typed(wire, Metered.of(frozen, None))


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
