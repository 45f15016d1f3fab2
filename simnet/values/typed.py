"""Plain values that travel: indices, bits and reals, each with the wire type that says how.

Field elements know their own width; a number does not, so a script says what it sends: `bits(a)`,
`index(j, below=N)`, `reals(x)`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.arrays import Numbers
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.wire import BIT, REAL, Kind, WireType, check_fits


class Typed:
    """An array of numbers with its wire type, immutable.

    Made by `index`, `bits` or `reals`, which copy.
    """

    __slots__ = ("_meter", "_numbers", "wire")

    def __init__(self, wire: WireType, numbers: Numbers, meter: Meter | None = None) -> None:
        """Wrap an array that nobody may write to afterwards."""
        self.wire = wire
        self._numbers = numbers
        self._meter = meter

    @property
    def values(self) -> Metered:
        """The numbers; arithmetic on them is billed to the party that holds them."""
        if self._numbers.dtype != np.uint8:
            return Metered.of(self._numbers, self._meter)
        wide = self._numbers.astype(np.int64)  # in which sums of bits do not wrap
        wide.flags.writeable = False
        return Metered.of(wide, self._meter)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; `()` for a single number."""
        return self._numbers.shape

    def __getitem__(self, where: Any) -> "Typed":
        return Typed(self.wire, _frozen(np.asarray(self._numbers[where])), self._meter)

    def __repr__(self) -> str:
        return f"Typed({self.wire.kind} below {self.wire.below}, {self._numbers.tolist()})"

    def metered(self, meter: Meter | None) -> "Typed":
        """The same numbers in the hands of the party that `meter` counts for."""
        return Typed(self.wire, self._numbers, meter)

    def numbers(self) -> Numbers:
        """The numbers as the codec takes them, read-only."""
        return self._numbers


def stored(wire: WireType, values: Numbers) -> Numbers:
    """Numbers of a wire type as they are stored in memory."""
    return values.astype({"rd": np.float64, "bd": np.uint8}.get(wire.kind, np.int64))


def _typed(wire: WireType, values: npt.ArrayLike) -> Typed:
    numbers = np.asarray(values)
    check_fits(wire, numbers)
    return Typed(wire, _frozen(stored(wire, numbers)))


def _frozen(values: Numbers) -> Numbers:
    """The same numbers over bytes, which nobody can make writable.

    A part of such an array stays as it is.
    """
    if not values.flags.writeable and not values.flags.owndata:
        return values
    return np.frombuffer(values.tobytes(), values.dtype).reshape(values.shape)


def index(values: npt.ArrayLike, below: int, kind: Kind = "nd") -> Typed:
    """Indices in `0..below-1`: `nd` of users, `Nd` of items; any shape.

    Raises `CodecError` when out of range, `ValueError` for a bound above 2**63.
    """
    if below > 1 << 63:
        raise ValueError(f"indices are held in 64 bits with a sign: below={below} is above 2**63")
    return _typed(
        WireType(kind, below),
        np.asarray(values, dtype=np.int64) if np.size(values) == 0 else values,
    )


def bits(values: npt.ArrayLike) -> Typed:
    """Bits 0 and 1, or booleans; any shape. Raises `CodecError` for other numbers."""
    return _typed(BIT, values)


def reals(values: npt.ArrayLike) -> Typed:
    """Real numbers, sent as IEEE 754 doubles; any shape."""
    return _typed(REAL, values)


def stack(payloads: Sequence[Typed]) -> Typed:
    """Payloads of one wire type and shape as rows of one array.

    It is in the hands of the party that holds the first.
    """
    return Typed(
        payloads[0].wire,
        _frozen(np.stack([payload._numbers for payload in payloads])),
        payloads[0]._meter,
    )


def joined(blocks: Sequence[Typed]) -> Typed:
    """The rows of blocks, one after another, in the hands of the party that holds the first.

    Raises `TypeError` for blocks of anything but plain values, `ValueError` for blocks whose rows
    are not alike.
    """
    other = next((block for block in blocks if not isinstance(block, Typed)), None)
    if other is not None:
        raise TypeError(
            f"rows of plain values are put together, got {type(other).__name__}: use gather"
        )
    forms = {(block.wire, block.shape[1:]) for block in blocks}
    if len(forms) != 1:
        kinds = "; ".join(f"{wire.kind} below {wire.below}, shape {shape}" for wire, shape in forms)
        raise ValueError(f"rows that are put together are alike, got {kinds}")
    if len(blocks) == 1:
        return blocks[0]
    return Typed(
        blocks[0].wire,
        _frozen(np.concatenate([block._numbers for block in blocks])),
        blocks[0]._meter,
    )
