"""Frames: the header that a message carries besides its payload.

The header has the tag number (2 bytes), the sender number (4), the payload length (4), and the
CRC-32 of tag, sender, length and payload (4), all little endian. So a frame is `HEADER_BYTES`
longer than its payload.
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
    """One message as bytes. `tag` is the place of the tag in a list that the caller keeps, and
    `sender` is the number of a party.
    """

    tag: int
    sender: int
    payload: bytes

    def encode(self) -> bytes:
        """Return header and payload, `HEADER_BYTES + len(payload)` bytes in all."""
        head = _FIELDS.pack(self.tag, self.sender, len(self.payload))
        return head + _CHECK.pack(zlib.crc32(self.payload, zlib.crc32(head))) + self.payload


def decode_frame(data: bytes, start: int = 0) -> tuple[Frame, int]:
    """Return the frame that begins at byte `start` of `data`, and the place where the frame ends.

    Raises `CodecError` if the frame is cut short, or if its checksum does not fit.
    """
    left = len(data) - start
    if left < HEADER_BYTES:
        raise CodecError(
            f"a frame is cut short: its length in bytes is {left}, and that of a header "
            f"is {HEADER_BYTES}"
        )
    tag, sender, length = _FIELDS.unpack_from(data, start)
    if left < HEADER_BYTES + length:
        raise CodecError(
            f"a frame is cut short: the length of its payload in bytes must be {length}, and is "
            f"{left - HEADER_BYTES}"
        )
    end = start + HEADER_BYTES + length
    payload = data[end - length : end]
    (check,) = _CHECK.unpack_from(data, start + _FIELDS.size)
    if check != zlib.crc32(payload, zlib.crc32(data[start : start + _FIELDS.size])):
        raise CodecError("the checksum of a frame does not match its bytes: the frame is damaged")
    return Frame(tag, sender, payload), end
