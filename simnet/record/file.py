"""Transcripts as files: a header in JSON, then every message as a frame.

Version 1: the ASCII line `simnet transcript 1`, the length and the CRC-32 of the header (8 and 4
bytes, little endian), the header, then the frames one after another. The header has the seed, the
names of the parties, their inputs, the observed parties, the tags and, for every frame, its round,
recipient, key, manifest, and whether its payload is a tuple. If the run had fates of parties, or an
observed party waited in vain, the header also has these fates and the silences of observed parties.
If parties waited with deadlines, the header says how each of these waits ended. If the run had
fates of messages, the header has them.

A file may come from anybody. So `load` checks the types, the numbers of parties, the shapes and the
bounds in the header. Only the inputs may be any JSON values with at most `MOST_NESTED` levels of
lists and dictionaries. A file may hold at most `MOST_WITHOUT_BITS` values that take no bits
(such as `index(0, below=1)`).
"""

import json
import math
import struct
import zlib
from pathlib import Path
from typing import Any, get_args

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.errors import BadInput, CodecError
from simnet.files import write_whole
from simnet.foreign import is_shallow, parsed
from simnet.record.fate import Deadline, Fate, MessageFate, Silence
from simnet.record.message import Block, Message
from simnet.record.transcript import Transcript
from simnet.values.field import Field
from simnet.values.frames import Frame, decode_frame
from simnet.values.residues import Residues
from simnet.values.rows import Tally
from simnet.values.typed import Typed
from simnet.values.wire import Kind, Manifest, WireType, decode, encode, manifest_of

MAGIC = b"simnet transcript 1\n"
MOST_WITHOUT_BITS = 1 << 20
# The most levels of lists and dictionaries in an input; no numpy array has more dimensions.
MOST_NESTED = 64
_HEAD = struct.Struct("<QI")
_PARTS = ("seed", "names", "inputs", "observed", "tags", "messages")
_PARTS_OF_FATES = ("fates", "silences")  # in the header of a run with fates or silences
_DEADLINES = "deadlines"  # in the header of a run with deadlines
_ASTRAY = "message_fates"  # in the header of a run with fates of messages


def save(transcript: Transcript, path: Path | str) -> None:
    """Write a transcript to a file.

    Raises `TypeError` for what is no transcript, if JSON cannot represent an input, and for a
    transcript with a `Tally`.
    Raises `BadInput` if the file cannot be written, or if `load` would refuse it: for too many
    values without bits, and for an input nested too deeply.

    >>> import pathlib, tempfile
    >>> from simnet import Seat, load, run
    >>> class Silent:
    ...     def parties(self):
    ...         return {"server": Seat(self.server)}
    ...     async def server(self, me): ...
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "run.transcript"
    ...     save(run(Silent(), seed=5).transcript, path)
    ...     load(path).seed
    5
    """
    _refuse_others(transcript)
    path = Path(path)
    inputs = {name: _listed(value) for name, value in transcript.inputs.items()}
    for name, value in inputs.items():
        if not is_shallow(value, MOST_NESTED):
            raise BadInput(
                f"the input of {name} cannot be saved: it has more than {MOST_NESTED} levels of "
                "lists and dictionaries"
            )
        if _has_other_keys(value):
            raise TypeError(
                f"the input of {name} cannot be saved: it has a dictionary with keys that are not "
                "texts, and JSON would turn them into texts"
            )
    tags = sorted({message.tag for message in transcript.messages})
    described, frames, without_bits = [], [], 0
    for message in transcript.messages:
        if isinstance(message.payload, Tally):
            raise TypeError(
                f'the messages with tag "{message.tag}" cannot be saved: the sender has sent a '
                "tally (counts) and no rows; let it send rows"
            )
        manifest = manifest_of(*((piece.wire, piece.shape) for piece in message.pieces))
        without_bits += _without_bits(manifest)
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
    if without_bits > MOST_WITHOUT_BITS:
        raise BadInput(
            f"a transcript file holds at most {MOST_WITHOUT_BITS:,} values that take no bits, such "
            f"as index(0, below=1), but this transcript has {without_bits:,}"
        )
    header = {
        "seed": transcript.seed,
        "names": transcript.names,
        "inputs": inputs,
        "observed": sorted(transcript.observed),
        "tags": tags,
        "messages": described,
    }
    if transcript.fates or transcript.silences:
        header["fates"] = {
            name: [fate.tag, fate.place, fate.reached] for name, fate in transcript.fates.items()
        }
        header["silences"] = [
            [silence.round, silence.recipient, silence.tag, list(silence.senders)]
            for silence in transcript.silences
        ]
    if transcript.deadlines:
        header[_DEADLINES] = [
            [one.step, one.round, one.recipient, one.tag, one.at, list(one.silent)]
            for one in transcript.deadlines
        ]
    if transcript.message_fates:
        header[_ASTRAY] = [list(attrs.astuple(fate)) for fate in transcript.message_fates]
    text = json.dumps(header).encode()
    head = _HEAD.pack(len(text), zlib.crc32(text))
    write_whole(path, b"".join((MAGIC, head, text, *frames)), private=True)


def _refuse_others(value: object) -> None:
    if not isinstance(value, Transcript):
        remedy = ": give its `transcript`" if hasattr(value, "transcript") else ""
        if isinstance(value, str | Path):
            remedy = ": write save(transcript, path)"
        raise TypeError(
            f"only a transcript can be saved, not a value of type {type(value).__name__}{remedy}"
        )


def load(path: Path | str) -> Transcript:
    """Read a transcript from a file.

    Raises `CodecError` for a file that cannot be read, for another format or version, for damaged
    bytes, and for a header with parts of a wrong type or with an unknown party.

    >>> import pathlib
    >>> load(pathlib.Path("no such file"))
    Traceback (most recent call last):
        ...
    simnet.errors.CodecError: no such file cannot be read: No such file or directory
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise CodecError(
                    f"{path} is not a transcript of version 1: it does not begin with "
                    f"{MAGIC.decode().strip()!r}"
                )
            data = file.read()
    except OSError as error:
        raise CodecError(f"{path} cannot be read: {error.strerror}") from error
    try:
        length, check = _HEAD.unpack_from(data)
        start = _HEAD.size + length
        text = data[_HEAD.size : start]
        _expect(len(text) == length and zlib.crc32(text) == check, "its header fails its check")
        return _transcript(parsed(text, "JSON"), data, start)
    except MemoryError as error:
        raise CodecError(f"{path} takes more memory than there is") from error
    except (struct.error, ValueError, LookupError, OverflowError) as error:
        raise CodecError(f"{path} is damaged: {error}") from error


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise CodecError(what)


def _transcript(header: Any, data: bytes, start: int) -> Transcript:
    _expect(
        type(header) is dict
        and {*header} - {_DEADLINES, _ASTRAY} in ({*_PARTS}, {*_PARTS, *_PARTS_OF_FATES}),
        f"the parts of its header are not {', '.join(_PARTS)}, with or without "
        f"{' and '.join(_PARTS_OF_FATES)}, {_DEADLINES} and {_ASTRAY}",
    )
    seed, names, inputs, observed, tags, messages = (header[part] for part in _PARTS)
    _expect(type(seed) is int, "its seed is not a whole number")
    _expect(
        _are_different(names, str) and names,
        "its parties are not a list of different names, or there are none",
    )
    _expect(_are_different(tags, str), "its tags are not a list of different names")
    _expect(
        _are_different(observed, int), "its observed parties are not a list of different numbers"
    )
    _expect(
        type(inputs) is dict and {*inputs} <= {*names}, "its inputs do not belong to its parties"
    )
    _expect(
        all(is_shallow(value, MOST_NESTED) for value in inputs.values()),
        f"an input has more than {MOST_NESTED} levels of lists and dictionaries",
    )
    _expect(type(messages) is list, "its messages are not a list")
    reader = _FrameReader(data, start, tags)
    blocks = tuple(Block.of(reader.message(described)) for described in messages)
    _expect(reader.place == len(data), "bytes follow the last message")
    fates, silences = _fates(header.get("fates", {})), _silences(header.get("silences", []))
    reached = {
        name for fate in fates.values() if isinstance(fate.reached, tuple) for name in fate.reached
    }
    _expect({*fates, *reached} <= {*names}, "its fates do not belong to its parties")
    silent = (number for silence in silences for number in (silence.recipient, *silence.senders))
    deadlines = _deadlines(header.get(_DEADLINES, []))
    astray = _message_fates(header.get(_ASTRAY, []))
    _expect(
        {name for fate in astray for name in (fate.sender, fate.recipient)} <= {*names},
        "its fates of messages do not belong to its parties",
    )
    waited = (number for one in deadlines for number in (one.recipient, *one.silent))
    parties = {
        *observed,
        *silent,
        *waited,
        *(number for block in blocks for number in _parties(block)),
    }
    _expect(
        all(0 <= number < len(names) for number in parties),
        "it contains the number of a party that it does not name",
    )
    return Transcript(
        seed, tuple(names), inputs, frozenset(observed), blocks, fates, silences, deadlines, astray
    )


def _fates(described: Any) -> dict[str, Fate]:
    _expect(type(described) is dict, "its fates are not listed by party")
    fates = {}
    for name, parts in described.items():
        _expect(type(parts) is list and len(parts) == 3, "a fate does not have three parts")
        tag, place, reached = parts
        _expect(type(tag) is str and type(place) is int, "a fate has no tag or no place")
        _expect(
            reached is None or type(reached) is int or _are_different(reached, str),
            "the recipients of a last send are not a number, a list of different names, or null",
        )
        fates[name] = Fate(tag, place, tuple(reached) if type(reached) is list else reached)
    return fates


def _silences(described: Any) -> tuple[Silence, ...]:
    _expect(type(described) is list, "its silences are not a list")
    silences = []
    for parts in described:
        _expect(type(parts) is list and len(parts) == 4, "a silence does not have four parts")
        round_, recipient, tag, senders = parts
        _expect(
            type(round_) is int and type(recipient) is int and type(tag) is str,
            "a silence does not consist of a round, a recipient, a tag and senders",
        )
        _expect(
            _are_different(senders, int), "its silent senders are not a list of different numbers"
        )
        silences.append(Silence(round_, recipient, tag, tuple(senders)))
    return tuple(silences)


def _deadlines(described: Any) -> tuple[Deadline, ...]:
    _expect(type(described) is list, "its deadlines are not a list")
    deadlines: list[Deadline] = []
    for parts in described:
        _expect(type(parts) is list and len(parts) == 6, "a deadline does not have six parts")
        step, round_, recipient, tag, at, silent = parts
        _expect(
            all(type(number) is int for number in (step, round_, recipient))
            and type(tag) is str
            and type(at) is float,
            "a deadline does not have a step, a round, a recipient, a tag, a time and senders",
        )
        before = deadlines[-1].step if deadlines else -1
        _expect(step in (before, before + 1) and step >= 0, "its deadlines are not in order")
        _expect(
            _are_different(silent, int), "its silent senders are not a list of different numbers"
        )
        deadlines.append(Deadline(step, round_, recipient, tag, at, tuple(silent)))
    return tuple(deadlines)


def _message_fates(described: Any) -> tuple[MessageFate, ...]:
    _expect(type(described) is list, "its fates of messages are not a list")
    fates = []
    for parts in described:
        _expect(type(parts) is list and len(parts) == 6, "a message's fate does not have six parts")
        sender, recipient, tag, place, what, seconds = parts
        _expect(
            all(type(text) is str for text in (sender, recipient, tag, what))
            and type(place) is int
            and type(seconds) is float,
            "a message's fate does not have a sender, a recipient, a tag, a place, a kind and "
            "seconds",
        )
        told: Any = what  # `MessageFate` checks it
        try:
            fates.append(MessageFate(sender, recipient, tag, place, told, seconds))
        except BadInput as error:
            raise CodecError(str(error)) from error
    return tuple(fates)


def _are_different(values: Any, kind: type) -> bool:
    """Return whether a JSON value is a list of different values of exactly this type."""
    return (
        type(values) is list
        and all(type(value) is kind for value in values)
        and len({*values}) == len(values)
    )


def _has_other_keys(value: object) -> bool:
    if isinstance(value, dict):
        is_other = any(not isinstance(key, str) for key in value)
        return is_other or any(map(_has_other_keys, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_other_keys, value))


def _parties(block: Block) -> tuple[int, ...]:
    return block.sender, *block.recipients


@attrs.define(eq=False)
class _FrameReader:
    """Reads frame by frame; `place` is where the next frame begins."""

    data: bytes
    place: int
    tags: list[str]
    without_bits: int = 0

    def message(self, described: Any) -> Message:
        _expect(
            type(described) is list and len(described) == 5,
            "the description of a message does not have five parts",
        )
        round_, recipient, key, is_tuple, pieces = described
        _expect(
            type(round_) is int and 0 <= round_ < 1 << 63,
            "a round is not a whole number in 0..2**63-1",
        )
        _expect(type(recipient) is int, "a recipient is not the number of a party")
        _expect(
            type(is_tuple) is bool and type(pieces) is list,
            "the description of a payload is incomplete",
        )
        _expect(
            is_tuple or len(pieces) == 1,
            "a payload that is not a tuple does not have exactly one piece",
        )
        manifest = manifest_of(*map(_described_piece, pieces))
        self.without_bits += _without_bits(manifest)
        _expect(
            self.without_bits <= MOST_WITHOUT_BITS,
            f"it claims more than {MOST_WITHOUT_BITS:,} values that take no bits",
        )
        number, wire = (None, None) if key is None else _described_key(key)
        frame, self.place = decode_frame(self.data, self.place)
        arrays = decode(manifest, frame.payload)
        parts = [
            _piece(wire, array) for (wire, _), array in zip(manifest.pieces, arrays, strict=True)
        ]
        payload = tuple(parts) if is_tuple else parts[0]
        tag = self.tags[frame.tag]
        return Message(round_, frame.sender, recipient, tag, number, payload, wire)


def _described_piece(described: Any) -> tuple[WireType, tuple[int, ...]]:
    _expect(
        type(described) is list and len(described) == 3,
        "the description of a piece does not have three parts",
    )
    kind, below, shape = described
    is_shape = type(shape) is list and all(type(n) is int and n >= 0 for n in shape)
    _expect(is_shape, "a shape is not a list of whole numbers")
    return _wire_type(kind, below), tuple(shape)


def _described_key(described: Any) -> tuple[int, WireType]:
    _expect(
        type(described) is list and len(described) == 3,
        "the description of a key does not have three parts",
    )
    key, kind, below = described
    wire = _wire_type(kind, below)
    _expect(type(key) is int and 0 <= key < wire.below, f"a key is not in 0..{below - 1}")
    return key, wire


def _wire_type(kind: Any, below: Any) -> WireType:
    """Return a wire type whose values fit the memory that holds them."""
    _expect(kind in get_args(Kind), f"a kind of value is not one of {', '.join(get_args(Kind))}")
    _expect(type(below) is int, f"the number of values of the type {kind} is not whole")
    most = {"bd": 2}.get(kind, 1 << 63)
    _expect(below <= most, f"the type {kind} has {below} values, expected at most {most}")
    return WireType(kind, below)


def _without_bits(manifest: Manifest) -> int:
    return sum(math.prod(shape) for wire, shape in manifest.pieces if not wire.width)


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
    return Typed(wire, array).copied()
