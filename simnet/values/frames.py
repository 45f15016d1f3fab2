"""Frames: the header that a message carries besides its payload.

Tag number (2 bytes), sender number (4), payload length (4), CRC-32 of tag, sender, length and
payload (4), all little endian. A frame costs `HEADER_BYTES` whatever it carries.
"""

import struct
import zlib

import attrs

from simnet.errors import CodecError

_FIELDS = struct.Struct("<HII")
_CHECK = struct.Struct("<I")
HEADER_BYTES = _FIELDS.size + _CHECK.size


@attrs.frozen
class Frame:
    """One message as bytes: `tag` and `sender` are the numbers that the run gave them."""

    tag: int
    sender: int
    payload: bytes

    def encode(self) -> bytes:
        """Header and payload; `len` is `HEADER_BYTES + len(payload)`."""
        head = _FIELDS.pack(self.tag, self.sender, len(self.payload))
        return head + _CHECK.pack(zlib.crc32(self.payload, zlib.crc32(head))) + self.payload


def decode_frame(data: bytes) -> tuple[Frame, bytes]:
    """The first frame of `data` and what follows it.

    Raises `CodecError` when cut short or damaged.
    """
    if len(data) < HEADER_BYTES:
        raise CodecError(
            f"a frame of {len(data)} bytes is cut short: the header alone takes {HEADER_BYTES}"
        )
    tag, sender, length = _FIELDS.unpack_from(data)
    end = HEADER_BYTES + length
    if len(data) < end:
        raise CodecError(
            f"a frame announces {length} payload bytes, but only {len(data) - HEADER_BYTES} follow"
        )
    payload = data[HEADER_BYTES:end]
    (check,) = _CHECK.unpack_from(data, _FIELDS.size)
    if check != zlib.crc32(payload, zlib.crc32(data[: _FIELDS.size])):
        raise CodecError("the check of a frame does not match its bytes: the frame is damaged")
    return Frame(tag, sender, payload), data[end:]
