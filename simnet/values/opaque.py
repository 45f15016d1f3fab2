"""Public keys, signatures and boxes: octets that a script cannot look into.

Theory of operation. Real protocols send public keys and encrypted messages. A verdict treats both
as *ideal*. A public key tells nothing about its secret key, unless somebody can guess the whole
secret key. A *box* is an encrypted message: whoever sees the box knows its length, and whoever also
knows its key knows its content.

A box is stored as its content and a digest of its key; its octets are a hash of both. In a numeric
run the content is numbers, and in a symbolic reading it is linear forms. A verdict adds these forms
to the view of a coalition if the coalition knows the key of the box (see
`simnet.adversary.deductions`).

Sizes are those of common real schemes. A public key has 32 octets (X25519), and a signature 64
(Ed25519). A box has 28 octets more than its packed content (AES-GCM: a nonce of 12 octets and a tag
of 16).
"""

import hashlib
import math
from collections.abc import Sequence
from typing import Any, Self, TypeVar

import numpy as np

from simnet.arrays import Bytes, Numbers
from simnet.values.field import FieldArray
from simnet.values.meter import Meter
from simnet.values.sealed import SealBroken
from simnet.values.wire import OCTET, WireType

SIGNATURE_BYTES = 64
BOX_OVERHEAD_BYTES = 28


class _Octets:
    """Octets that a script cannot look into: one row of a fixed length, or several rows."""

    __slots__ = ("_holder", "_octets", "meter")

    def __init__(
        self, octets: Bytes, meter: Meter | None = None, holder: Meter | None = None
    ) -> None:
        """Wrap octets of shape (length,) or (k, length), which are made read-only. Without a
        `meter`, `holder` is the meter of the party that held the octets last.
        """
        octets.flags.writeable = False
        self._octets = octets
        self.meter = meter
        self._holder = holder if meter is None else meter

    @property
    def wire(self) -> WireType:
        return OCTET

    @property
    def shape(self) -> tuple[int, ...]:
        return self._octets.shape

    def metered(self, meter: Meter | None) -> Self:
        return type(self)(self._octets, meter, self._holder)

    def _bare(self) -> Self:
        return type(self)(self._octets)

    def numbers(self) -> Numbers:
        """Return the octets, which the codec sends. Raises `SealBroken` in a script."""
        if self._holder is not None and self._holder.in_script:
            raise SealBroken("looks into a public key or a signature, which is closed to scripts")
        return self._octets

    def texts(self) -> list[bytes]:
        """Return each row as bytes, in order. Raises `SealBroken` in a script."""
        return [row.tobytes() for row in self.numbers().reshape(-1, self.shape[-1])]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, where: Any) -> Self:
        return type(self)(self._octets[_places(where, self.shape)], self.meter, self._holder)

    @classmethod
    def stack(cls, rows: Sequence[Self]) -> Self:
        return cls(np.stack([row._octets for row in rows]), rows[0].meter, rows[0]._holder)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        octets = np.concatenate([part._octets for part in parts])
        return cls(octets, parts[0].meter, parts[0]._holder)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape {self.shape})"


class PublicKeys(_Octets):
    """Public keys that `me.public_key` made: one of shape (32,), or several of shape (k, 32)."""

    __slots__ = ()


class Signatures(_Octets):
    """Signatures that `me.sign` made: one of shape (64,), or several of shape (k, 64)."""

    __slots__ = ()


class Boxes:
    """Encrypted field elements, as `me.encrypt` makes them: one box, or several in one array.

    `content` has one row for each box, also if there is a single box. `keys` are the digests of the
    boxes' keys, one for each box. Both raise `SealBroken` in a script.
    """

    __slots__ = ("_content", "_holder", "_keys", "is_single", "meter")

    def __init__(
        self,
        content: FieldArray,
        keys: Sequence[bytes],
        is_single: bool = False,
        meter: Meter | None = None,
        holder: Meter | None = None,
    ) -> None:
        """Without a `meter`, `holder` is the meter of the party that held the boxes last."""
        self._holder = holder if meter is None else meter
        self._content = content
        self._keys = keys
        self.is_single = is_single
        self.meter = meter

    @property
    def content(self) -> FieldArray:
        """The encrypted elements. Raises `SealBroken` in a script."""
        self._refuse_script()
        return self._content

    @property
    def keys(self) -> Sequence[bytes]:
        """The digests of the keys. Raises `SealBroken` in a script."""
        self._refuse_script()
        return self._keys

    @property
    def wire(self) -> WireType:
        """The wire type of one octet."""
        return OCTET

    @property
    def _width(self) -> int:
        elements = math.prod(self._content.shape[1:])
        return BOX_OVERHEAD_BYTES - (-elements * self._content.wire.width // 8)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the octets: `(octets,)` for one box, `(k, octets)` for several."""
        return (self._width,) if self.is_single else (len(self._keys), self._width)

    def metered(self, meter: Meter | None) -> "Boxes":
        """Return the same boxes, held by the party that `meter` counts for."""
        return Boxes(self._content, self._keys, self.is_single, meter, self._holder)

    def _bare(self) -> "Boxes":
        return Boxes(self._content, self._keys, self.is_single)

    def numbers(self) -> Numbers:
        """Return the octets that the codec sends: a hash of key and content, as long as the box.

        Raises `SealBroken` in a script.
        """
        self._refuse_script()
        plain = getattr(self._content, "sampled", self._content).metered(None).numbers()
        elements = math.prod(self._content.shape[1:])  # -1 would not do for no boxes at all
        wide = np.ascontiguousarray(plain.reshape(len(self._keys), elements).astype("<u8"))
        texts = [
            hashlib.shake_128(key + row.tobytes()).digest(self._width)
            for key, row in zip(self._keys, wide, strict=True)
        ]
        octets = np.frombuffer(b"".join(texts), dtype=np.uint8)
        return octets.reshape(self.shape)

    def _refuse_script(self) -> None:
        if self._holder is not None and self._holder.in_script:
            raise SealBroken("looks into a box, which only me.decrypt opens in a script")

    def __len__(self) -> int:
        if self.is_single:
            raise TypeError("len() counts the boxes of an array, and this is a single box")
        return len(self._keys)

    def __getitem__(self, where: Any) -> "Boxes":
        places = _places(where, self.shape)
        if isinstance(places, int):
            row = places % len(self._keys)
            return self._part(self._content[row : row + 1], [self._keys[row]], True)
        chosen = np.arange(len(self._keys))[places]
        keys = [self._keys[place] for place in chosen.tolist()]
        return self._part(self._content[chosen], keys, False)

    def _part(self, content: FieldArray, keys: Sequence[bytes], is_single: bool) -> "Boxes":
        return Boxes(content, keys, is_single, self.meter, self._holder)

    @staticmethod
    def join(parts: Sequence["Boxes"]) -> "Boxes":
        """Return the boxes of several arrays, one after another. Single boxes count as arrays of
        one box.
        """
        keys = [key for part in parts for key in part._keys]
        contents = [part._content.metered(None) for part in parts]
        kind = next((type(one) for one in contents if hasattr(one, "terms")), type(contents[0]))
        return Boxes(kind.join(contents), keys, False, parts[0].meter, parts[0]._holder)

    def __repr__(self) -> str:
        return f"Boxes(shape {self.shape})"


Opaque = PublicKeys | Signatures | Boxes
_Kind = TypeVar("_Kind", PublicKeys, Signatures, Boxes)


def bare(octets: _Kind) -> _Kind:
    """Return the same octets without a holder: the kernel can look into them while scripts run."""
    return octets._bare()


def _places(where: Any, shape: tuple[int, ...]) -> Any:
    """Return an index of the first axis.

    Raises `TypeError` for an index that looks inside a key, a signature or a box, and for places
    that are not integers; raises `IndexError` for a single place outside the array.
    """
    if len(shape) != 2:
        raise TypeError(
            "a single public key, signature or box has no parts: a script cannot look into it"
        )
    if isinstance(where, int | np.integer):
        if not -shape[0] <= where < shape[0]:
            raise IndexError(f"there is no place {where} in an array of length {shape[0]}")
        return int(where)
    if isinstance(where, slice):
        return where
    if isinstance(where, tuple):
        raise TypeError(
            "an array of public keys, signatures or boxes has one axis: index it by one place, a "
            "slice or a list"
        )
    places = np.asarray(where)
    if places.size and places.dtype.kind not in "iu":
        raise TypeError(
            f"an array of public keys, signatures or boxes is indexed by integers, got "
            f"{places.dtype} values"
        )
    return places.astype(np.intp)
