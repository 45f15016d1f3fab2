"""Wire types and the packing codec: how many bits a value takes, and which.

Theory of operation. The papers' cost tables count elements, and their messages are as long as the
elements need: an element of F_q takes ceil(log2 q) bits, an index of [n] ceil(log2 n). A `WireType`
says which kind of value and how many there are, hence its width. A payload is a sequence of arrays,
each of one wire type; the list of types and shapes is its `Manifest`. The bit strings of the values
are laid end to end, most significant bit first, and padded with zeros to a whole byte once, at the
end. So the size of a payload follows from its manifest alone: the bill is exact although hardly any
payload of a run is ever encoded, `len(encode(x)) == size(x)` holds by construction, and no size in
memory is ever billed.

Example. Three elements 5, 6, 1 of F_7 take 3 bits each::

    101 110 001  ->  10111000 1|0000000  ->  2 bytes, b8 80
"""

import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, Self, runtime_checkable

import attrs
import numpy as np

from simnet.arrays import Bytes, Numbers, Words
from simnet.errors import CodecError
from simnet.values.meter import Meter

Kind = Literal["qd", "nd", "Nd", "bd", "rd"]
_BATCH = 1 << 16  # values that are packed at a time: each takes 64 bytes meanwhile


@attrs.frozen(cache_hash=True)
class WireType:
    """A kind of value on the wire.

    The kinds are `qd` field element, `nd` index of `[n]`, `Nd` index of `[N]`, `bd` bit, `rd` real.
    `below` is the number of values that the kind can take (0 for reals, which travel as IEEE 754
    doubles); a type with a single value takes no bits at all.
    """

    kind: Kind
    below: int = 0

    def __attrs_post_init__(self) -> None:
        if self.kind == "rd" and self.below:
            raise ValueError("a real has no bound: leave `below` out")
        if self.kind != "rd" and not 1 <= self.below <= 1 << 64:
            raise ValueError(
                f"a wire type takes between 1 and 2**64 values, got below={self.below}"
            )

    @property
    def width(self) -> int:
        """The number of bits that one value takes."""
        return 64 if self.kind == "rd" else (self.below - 1).bit_length()

    def bits(self, values: Numbers) -> Bytes:
        """The bit string of an array, one byte a bit; shape (size * width,)."""
        words = values.astype("<f8").view("<u8") if self.kind == "rd" else values.astype("<u8")
        words, first = words.ravel(), 64 - self.width
        if words.size <= _BATCH:
            return _word_bits(words)[:, first:].ravel()
        parts = [words[at : at + _BATCH] for at in range(0, words.size, _BATCH)]
        return np.concatenate([_word_bits(part)[:, first:].ravel() for part in parts])

    def values(self, bits: Bytes, shape: tuple[int, ...]) -> Numbers:
        """The array whose bit string is given.

        Raises `CodecError` when a value lies outside the type.
        """
        words = np.zeros(math.prod(shape), dtype="<u8")
        rows = bits.reshape(words.size, self.width)
        for start in range(0, words.size if self.width else 0, _BATCH):
            part = rows[start : start + _BATCH]
            padded = np.zeros((len(part), 64), dtype=np.uint8)
            padded[:, 64 - self.width :] = part
            words[start : start + _BATCH] = np.packbits(padded, axis=None).view(">u8")
        if self.kind == "rd":
            return words.view("<f8").reshape(shape)
        if self.below < 1 << 64 and bool((words >= np.uint64(self.below)).any()):
            raise CodecError(
                f"a decoded {self.kind} value is {int(words.max())}, but must be below {self.below}"
            )
        return words.reshape(shape)


def _word_bits(words: Words) -> Bytes:
    return np.unpackbits(words.astype(">u8").view(np.uint8)).reshape(-1, 64)


BIT = WireType("bd", 2)
REAL = WireType("rd")


@runtime_checkable
class Piece(Protocol):
    """An array that knows how it travels; a payload is one, or a tuple of several."""

    @property
    def wire(self) -> WireType:
        """How one value travels."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape as numpy knows it."""
        ...

    def numbers(self) -> Numbers:
        """The values as the codec takes them."""
        ...

    def metered(self, meter: Meter | None) -> Self:
        """The same values in the hands of the party that `meter` counts for."""
        ...


@attrs.frozen(cache_hash=True)
class Manifest:
    """What a payload consists of: wire type and shape of every piece, in order.

    Sizes follow from it alone.
    """

    pieces: tuple[tuple[WireType, tuple[int, ...]], ...]

    @functools.cached_property
    def payload_bytes(self) -> int:
        """Bytes of the encoded payload, without frame."""
        return -(-sum(wire.width * math.prod(shape) for wire, shape in self.pieces) // 8)

    @functools.cached_property
    def elements(self) -> Mapping[Kind, int]:
        """Transmitted elements by kind."""
        count: Counter[Kind] = Counter()
        for wire, shape in self.pieces:
            count[wire.kind] += math.prod(shape)
        return count


@functools.lru_cache(maxsize=4096)
def manifest_of(*pieces: tuple[WireType, tuple[int, ...]]) -> Manifest:
    """The manifest of these pieces, the same object for the same pieces.

    So manifests can be compared by identity.
    """
    return Manifest(pieces)


def size(manifest: Manifest) -> int:
    """Return the number of bytes that `encode` will produce."""
    return manifest.payload_bytes


def encode(manifest: Manifest, arrays: Sequence[Numbers]) -> bytes:
    """Return the packed bytes of a payload's arrays.

    Raises `CodecError` if an array does not fit its wire type or shape.
    """
    parts = []
    for (wire, shape), array in zip(manifest.pieces, arrays, strict=True):
        if array.shape != shape:
            raise CodecError(
                f"a {wire.kind} piece has shape {array.shape}, its manifest says {shape}"
            )
        check_fits(wire, array)
        parts.append(wire.bits(array))
    return np.packbits(np.concatenate(parts)).tobytes() if parts else b""


def check_fits(wire: WireType, values: Numbers) -> None:
    """Raise `CodecError` unless all values are integers in `0..below-1`. Reals may be any
    numbers.
    """
    if wire.kind == "rd" or values.size == 0:
        return
    if values.dtype.kind not in "bui":
        raise CodecError(
            f"a {wire.kind} piece holds {values.dtype} values, expected integers below {wire.below}"
        )
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= wire.below:
        raise CodecError(
            f"a {wire.kind} piece holds values {low}..{high}, expected 0..{wire.below - 1}"
        )


def decode(manifest: Manifest, data: bytes) -> list[Numbers]:
    """Return the arrays of a packed payload.

    Raises `CodecError` for a wrong length, for padding that is not zero, and for a value out of
    range.
    """
    if len(data) != manifest.payload_bytes:
        raise CodecError(
            f"a payload of {len(data)} bytes, expected {manifest.payload_bytes} by its manifest"
        )
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    arrays, start = [], 0
    for wire, shape in manifest.pieces:
        stop = start + wire.width * math.prod(shape)
        arrays.append(wire.values(bits[start:stop], shape))
        start = stop
    if bits[start:].any():
        raise CodecError("the padding after a payload is not zero: the bytes are damaged")
    return arrays
