"""Plain values in messages: indices, bits and reals, each with the wire type that gives its width.

Field elements know their own width, but a plain number does not. So a script says what it sends:
`bits(a)`, `index(j, below=N)` or `reals(x)`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.arrays import Numbers
from simnet.checks import integer, real
from simnet.errors import CodecError
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.wire import BIT, REAL, Kind, WireType, check_fits


class Typed:
    """An immutable array of plain numbers with its wire type.

    The functions `index`, `bits` and `reals` make such arrays, and copy their arguments.
    """

    __slots__ = ("_meter", "_numbers", "wire")

    def __init__(self, wire: WireType, numbers: Numbers, meter: Meter | None = None) -> None:
        """Wrap an array. After this call no code may write to the array."""
        self.wire = wire
        self._numbers = numbers
        self._meter = meter

    @property
    def values(self) -> Metered:
        """The numbers, as a `Metered` array that bills the party that holds them."""
        if self._numbers.dtype != np.uint8:
            return Metered.of(self._numbers, self._meter)
        wide = self._numbers.astype(np.int64)  # sums of bits do not wrap in this type
        wide.flags.writeable = False
        return Metered.of(wide, self._meter)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array; `()` for a single number."""
        return self._numbers.shape

    def __getitem__(self, where: Any) -> "Typed":
        return Typed(self.wire, _frozen(np.asarray(self._numbers[where])), self._meter)

    def __repr__(self) -> str:
        return f"Typed({self.wire.kind} below {self.wire.below}, {self._numbers.tolist()})"

    def metered(self, meter: Meter | None) -> "Typed":
        """Return the same numbers, held by the party that `meter` counts for."""
        return Typed(self.wire, self._numbers, meter)

    def copied(self) -> "Typed":
        """Return the same numbers in memory of their own, held by nobody."""
        return Typed(self.wire.single, _owned(_stored(self.wire, self._numbers)))

    def numbers(self) -> Numbers:
        """Return the numbers in the form that the codec takes, read-only."""
        return self._numbers


def _stored(wire: WireType, values: Numbers) -> Numbers:
    """Return numbers of a wire type in the type in which memory holds them."""
    return values.astype({"rd": np.float64, "bd": np.uint8}.get(wire.kind, np.int64))


def _typed(wire: WireType, values: npt.ArrayLike) -> Typed:
    numbers = np.asarray(values)
    check_fits(wire, numbers)
    return Typed(wire, _frozen(_stored(wire, numbers)))


def _frozen(values: Numbers) -> Numbers:
    """Return the same numbers as a read-only array that does not own its memory."""
    if not values.flags.writeable and not values.flags.owndata:
        return values
    return _owned(values)


def _owned(values: Numbers) -> Numbers:
    return np.frombuffer(values.tobytes(), values.dtype).reshape(values.shape)


def index(values: npt.ArrayLike, below: int, kind: Kind = "nd") -> Typed:
    """Return indices in `0..below-1`, of any shape, ready to be sent.

    `kind` is `nd` for indices of parties, or `Nd` for indices of items: the bill counts the two
    kinds apart. Booleans count as 0 and 1.

    Raises `CodecError` for values that are not integers in this range, `TypeError` for a bound that
    is not a whole number, and `ValueError` for a bound outside 1..2**63 and for another kind.

    >>> report = index([3, 0], below=5)
    >>> report.wire.width, report.values.tolist()
    (3, [3, 0])
    """
    below = integer("the bound of an index", below)
    if not 1 <= below <= 1 << 63:
        raise ValueError(f"an index needs a bound from 1 to 2**63, got below={below}")
    if kind not in ("nd", "Nd"):
        raise ValueError(f"the kind of an index is nd or Nd, got {kind!r}")
    return _typed(
        WireType(kind, below),
        np.asarray(values, dtype=np.int64) if np.size(values) == 0 else values,
    )


def bits(values: npt.ArrayLike) -> Typed:
    """Return bits, ready to be sent. `values` are 0 and 1, or booleans, in an array of any shape.
    Raises `CodecError` for other numbers.

    >>> bits([True, False]).values.tolist()
    [1, 0]
    """
    return _typed(BIT, values)


def reals(values: npt.ArrayLike) -> Typed:
    """Return real numbers, of any shape, ready to be sent as IEEE 754 doubles. Booleans count as 0
    and 1, and a double may also be infinite or NaN. Raises `CodecError` for complex numbers, texts
    and other values that are no real numbers, and for a number beyond the range of doubles.

    >>> reals([0.5, 2]).values.tolist()
    [0.5, 2.0]
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "biuf":
        numbers = _as_doubles(numbers)
    return _typed(REAL, numbers)


def _as_doubles(numbers: Numbers) -> Numbers:
    if numbers.dtype.kind != "O":  # complex numbers, texts or dates
        raise CodecError(f"real numbers are expected, got {numbers.dtype} values")
    try:
        doubles = [
            float(each if isinstance(each, bool) else real("each value", each))
            for each in numbers.flat
        ]
    except (TypeError, OverflowError) as error:
        raise CodecError(f"real numbers that fit a double are expected: {error}") from None
    return np.array(doubles, dtype=np.float64).reshape(numbers.shape)


def stack(payloads: Sequence[Typed]) -> Typed:
    """Return payloads of one wire type and shape as the rows of one array.

    The result belongs to the party that holds the first payload.
    """
    return Typed(
        payloads[0].wire,
        _frozen(np.stack([payload._numbers for payload in payloads])),
        payloads[0]._meter,
    )


def joined(blocks: Sequence[Typed]) -> Typed:
    """Return the rows of several blocks, one after another, as one array.

    The result belongs to the party that holds the first block. Raises `TypeError` for a block that
    does not hold plain values, and `ValueError` if rows differ in wire type or shape.
    """
    other = next((block for block in blocks if not isinstance(block, Typed)), None)
    if other is not None:
        kind = "field elements" if hasattr(other, "field") else type(other).__name__
        raise TypeError(f"only plain values can be joined as rows, got {kind}: use gather")
    forms = {(block.wire, block.shape[1:]) for block in blocks}
    if len(forms) != 1:
        kinds = "; ".join(f"{wire} of shape {shape}" for wire, shape in sorted(forms, key=str))
        raise ValueError(f"only rows of one wire type and shape can be joined, got {kinds}")
    if len(blocks) == 1:
        return blocks[0]
    return Typed(
        blocks[0].wire,
        _frozen(np.concatenate([block._numbers for block in blocks])),
        blocks[0]._meter,
    )
