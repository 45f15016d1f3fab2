"""Wire types and the packing codec: how values become bits on the wire.

Theory of operation. A value takes only the bits that its kind needs: an element of F_q takes
ceil(log2 q) bits, and an index below n takes ceil(log2 n). A `WireType` consists of a kind of value
and the number of different values; they give its width in bits. A payload is a sequence of
arrays, each with one wire type. The list of their types and shapes is the payload's `Manifest`. To
encode a payload, we join the bits of all values, each with its most significant bit first, and add
zeros at the end to fill the last byte. So the manifest alone gives the size of a payload:
`len(encode(manifest, arrays)) == size(manifest)`. The bill counts bytes from manifests alone.

Example. Three elements 5, 6, 1 of F_7 take 3 bits each, and 7 zero bits fill the second byte::

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

Kind = Literal["qd", "nd", "Nd", "bd", "rd", "od"]
_BATCH = 1 << 16  # the number of values packed at a time: each takes 64 bytes of memory meanwhile


@attrs.frozen(cache_hash=True)
class WireType:
    """A kind of value on the wire.

    The kinds are `qd` (field element), `nd` (index, mostly of one of n parties), `Nd` (index,
    mostly of one of N items), `bd` (bit), `rd` (real) and `od` (octet of a public key, signature or
    box). `below` is the number of different values of the type, or 0 for reals, which are sent as
    IEEE 754 doubles. A type with a single value takes no bits. Raises `ValueError` for another
    `below` with reals, and for a `below` outside 1..2**64 with other kinds.
    """

    kind: Kind
    below: int = 0

    def __attrs_post_init__(self) -> None:
        if self.kind == "rd" and self.below:
            raise ValueError(f"a real has no bound: expected no `below`, got below={self.below}")
        if self.kind != "rd" and not 1 <= self.below <= 1 << 64:
            raise ValueError(f"a wire type has between 1 and 2**64 values, got below={self.below}")

    def __str__(self) -> str:
        words = _IN_WORDS[self.kind]
        if self.kind in ("nd", "Nd"):
            words += f" of kind {self.kind}"
        return words if self.kind in ("bd", "rd", "od") else f"{words} below {self.below}"

    @property
    def width(self) -> int:
        """The number of bits that one value takes."""
        return 64 if self.kind == "rd" else (self.below - 1).bit_length()

    @property
    def single(self) -> "WireType":
        """An equal wire type: one object for all wire types that are equal."""
        return _single(self.kind, int(self.below))

    def bits(self, values: Numbers) -> Bytes:
        """Return the bits of an array as bytes 0 and 1, with shape (size * width,)."""
        words = values.astype("<f8").view("<u8") if self.kind == "rd" else values.astype("<u8")
        words, first = words.ravel(), 64 - self.width
        if words.size <= _BATCH:
            return _word_bits(words)[:, first:].ravel()
        parts = [words[at : at + _BATCH] for at in range(0, words.size, _BATCH)]
        return np.concatenate([_word_bits(part)[:, first:].ravel() for part in parts])

    def values(self, bits: Bytes, shape: tuple[int, ...]) -> Numbers:
        """Return the array of this shape that has these bits, the inverse of `bits`.

        Raises `CodecError` if a value is not below `self.below`.
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
                f"{_IN_WORDS[self.kind]} must be below {self.below}, and the bytes contain "
                f"{int(words.max())}"
            )
        return words.reshape(shape)


def _word_bits(words: Words) -> Bytes:
    return np.unpackbits(words.astype(">u8").view(np.uint8)).reshape(-1, 64)


# How error messages call the values of a kind.
_IN_WORDS: Mapping[Kind, str] = {
    "qd": "field elements",
    "nd": "indices",
    "Nd": "indices",
    "bd": "bits",
    "rd": "real numbers",
    "od": "octets",
}
BIT = WireType("bd", 2)
REAL = WireType("rd")
OCTET = WireType("od", 256)


@runtime_checkable
class Piece(Protocol):
    """An array with a wire type. A payload is a piece, or a tuple of pieces."""

    @property
    def wire(self) -> WireType:
        """The wire type of one value."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as in numpy."""
        ...

    def numbers(self) -> Numbers:
        """Return the values as numbers, for the codec."""
        ...

    def metered(self, meter: Meter | None) -> Self:
        """Return the same values, held by the party that `meter` counts for."""
        ...


@attrs.frozen(cache_hash=True)
class Manifest:
    """The wire types and shapes of a payload's pieces, in order; the size follows from them."""

    pieces: tuple[tuple[WireType, tuple[int, ...]], ...]

    @functools.cached_property
    def payload_bytes(self) -> int:
        """The number of bytes of the encoded payload, without a header."""
        return -(-sum(wire.width * math.prod(shape) for wire, shape in self.pieces) // 8)

    @functools.cached_property
    def elements(self) -> Mapping[Kind, int]:
        """The number of elements that are sent, by kind."""
        count: Counter[Kind] = Counter()
        for wire, shape in self.pieces:
            count[wire.kind] += math.prod(shape)
        return count


@functools.cache
def _single(kind: Kind, below: int) -> WireType:
    own = next(each for each in _IN_WORDS if each == kind)  # not an object of a class of its own
    return WireType(own, below)


@functools.lru_cache(maxsize=4096)
def manifest_of(*pieces: tuple[WireType, tuple[int, ...]]) -> Manifest:
    """Return the manifest of pieces with these wire types and shapes."""
    return Manifest(pieces)


def size(manifest: Manifest) -> int:
    """Return the number of bytes that `encode` will produce."""
    return manifest.payload_bytes


def encode(manifest: Manifest, arrays: Sequence[Numbers]) -> bytes:
    """Return the packed bytes of a payload's arrays.

    Raises `CodecError` if an array does not fit its wire type or shape, and `ValueError` for
    another number of arrays than of pieces.
    """
    parts = []
    for (wire, shape), array in zip(manifest.pieces, arrays, strict=True):
        if array.shape != shape:
            raise CodecError(
                f"an array of {_IN_WORDS[wire.kind]} has shape {array.shape}, and its manifest "
                f"says {shape}"
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
            f"{_IN_WORDS[wire.kind]} must be integers in 0..{wire.below - 1}, got {values.dtype} "
            "values"
        )
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= wire.below:
        found = f"{low}" if low == high else f"{low}..{high}"
        raise CodecError(
            f"{_IN_WORDS[wire.kind]} must be integers in 0..{wire.below - 1}, got {found}"
        )


def decode(manifest: Manifest, data: bytes) -> list[Numbers]:
    """Return the arrays of a packed payload.

    Raises `CodecError` for a wrong length, for padding that is not zero, and for a value out of
    range.
    """
    if len(data) != manifest.payload_bytes:
        raise CodecError(
            f"the length of a payload in bytes must be {manifest.payload_bytes}, got {len(data)}"
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
