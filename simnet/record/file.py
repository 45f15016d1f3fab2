"""Transcripts as files: a header in JSON, then every message as a frame.

Version 1: the ASCII line `simnet transcript 1`, length and CRC-32 of the header (8 and 4 bytes,
little endian), the header, the frames one after another. The header says whose transcript it is
and, for every frame, its round, recipient, key and manifest.
"""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from simnet.arrays import Numbers
from simnet.errors import CodecError
from simnet.files import write_whole
from simnet.record.message import Block, Message
from simnet.record.transcript import Transcript
from simnet.values.field import Field
from simnet.values.frames import Frame, decode_frame
from simnet.values.residues import Residues
from simnet.values.rows import Tally
from simnet.values.typed import Typed, stored
from simnet.values.wire import Manifest, WireType, decode, encode

MAGIC = b"simnet transcript 1\n"
_HEAD = struct.Struct("<QI")


def save(transcript: Transcript, path: Path) -> None:
    """Write a transcript.

    Raises `TypeError` when an input is nothing that JSON can hold, and `BadInput` when the file
    cannot be written.
    """
    tags = sorted({message.tag for message in transcript.messages})
    described, frames = [], []
    for message in transcript.messages:
        if isinstance(message.payload, Tally):
            raise TypeError(
                f'messages with tag "{message.tag}" were never made, only what they add up '
                f"to: send rows"
            )
        manifest = Manifest(tuple((piece.wire, piece.shape) for piece in message.pieces))
        payload = encode(manifest, [piece.numbers() for piece in message.pieces])
        frames.append(Frame(tags.index(message.tag), message.sender, payload).encode())
        key = (
            None
            if message.key_wire is None
            else [message.key, message.key_wire.kind, message.key_wire.below]
        )
        described.append(
            [message.round, message.recipient, key, *_described(manifest, message.payload)]
        )
    header = {
        "seed": transcript.seed,
        "names": transcript.names,
        "inputs": {name: _listed(value) for name, value in transcript.inputs.items()},
        "observed": sorted(transcript.observed),
        "tags": tags,
        "messages": described,
    }
    text = json.dumps(header).encode()
    head = _HEAD.pack(len(text), zlib.crc32(text))
    write_whole(path, b"".join((MAGIC, head, text, *frames)))


def load(path: Path) -> Transcript:
    """Read a transcript back.

    Raises `CodecError` for another format or version, and for damaged bytes.
    """
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise CodecError(
            f"{path} is no transcript of version 1: it does not begin with "
            f"{MAGIC.decode().strip()!r}"
        )
    try:
        length, check = _HEAD.unpack_from(data, len(MAGIC))
        start = len(MAGIC) + _HEAD.size
        text = data[start : start + length]
        if len(text) != length or zlib.crc32(text) != check:
            raise CodecError(f"{path} is damaged: the check of its header does not match")
        header = json.loads(text)
        messages = _messages(header, data[start + length :])
        numbers = [
            *header["observed"],
            *(number for m in messages for number in (m.sender, m.recipient)),
        ]
        if not all(0 <= number < len(header["names"]) for number in numbers):
            raise CodecError(f"{path} is damaged: it speaks of a party that it does not name")
        blocks = tuple(Block.of(message) for message in messages)
        return Transcript(
            header["seed"],
            tuple(header["names"]),
            header["inputs"],
            frozenset(header["observed"]),
            blocks,
        )
    except CodecError:
        raise
    except (struct.error, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CodecError(f"{path} is damaged: {error}") from error


def _messages(header: dict[str, Any], data: bytes) -> tuple[Message, ...]:
    messages = []
    for round_, recipient, key, is_tuple, pieces in header["messages"]:
        frame, data = decode_frame(data)
        manifest = Manifest(
            tuple((WireType(kind, below), tuple(shape)) for kind, below, shape in pieces)
        )
        arrays = decode(manifest, frame.payload)
        parts = [
            _piece(wire, array) for (wire, _), array in zip(manifest.pieces, arrays, strict=True)
        ]
        payload = tuple(parts) if is_tuple else parts[0]
        number, wire = (None, None) if key is None else (key[0], WireType(key[1], key[2]))
        messages.append(
            Message(
                round_, frame.sender, recipient, header["tags"][frame.tag], number, payload, wire
            )
        )
    if data:
        raise CodecError(f"{len(data)} bytes follow the last message")
    return tuple(messages)


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _described(manifest: Manifest, payload: Any) -> tuple[bool, list[list[Any]]]:
    return isinstance(payload, tuple), [
        [wire.kind, wire.below, list(shape)] for wire, shape in manifest.pieces
    ]


def _piece(wire: WireType, array: Numbers) -> Residues | Typed:
    if wire.kind == "qd":
        field = Field(wire.below)
        return Residues(field, array.astype(field.dtype))
    return Typed(wire, stored(wire, array))
