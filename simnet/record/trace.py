"""The trace hash: a short digest of what a run did, equal for equal runs.

Theory of operation. Two runs are the same when their bills, their outputs and the messages of the
observed parties are. To say so in 32 letters, every value is written as bytes in one *canonical
form*, and the bytes are hashed. Three rules make the form canonical:

- Different values have different forms. Each part is written with its length before it, and a
  value with its kind: the integer 1, the boolean True and the real 1.0 are three values, and so
  are the bit 1 and the index 1, which travel in different widths.
- Equal values have one form. How numpy happens to store a number (16 or 64 bits) leaves no trace,
  nor does the order in which a script filled a dictionary: dictionaries with the same entries are
  equal in Python, and the order of entries may follow the order in which messages came, which the
  schedule decides.
- What has no such form is refused by name. A set has no order, and most objects show nothing but
  their address in memory: `repr` of either changes from one process to the next.

Example. `canonical((1, True))` is `b"tuple(5:int 1,9:bool True,)"`.
"""

import dataclasses
import enum
import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.errors import SimnetError
from simnet.record.ledger import Ledger
from simnet.record.message import Message
from simnet.values.rows import Tally
from simnet.values.wire import Piece, WireType


class NoCanonicalForm(SimnetError):
    """A value that cannot be hashed; the text says which type it has and what to use instead."""


@attrs.frozen
class Trace:
    """The hash of a run. Where `lacking` gives a reason, it covers bill and messages alone."""

    hash: str
    lacking: str | None = None


def trace_hash(ledger: Ledger, outputs: Mapping[str, object], messages: Sequence[Message]) -> str:
    """The digest of a run: its bill, every party's output, and the observed messages in order.

    Raises `NoCanonicalForm`, naming the party, for an output that has none.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in ledger.digest():
        digest.update(_framed(part))
    for name, output in sorted(outputs.items()):
        digest.update(_framed(name.encode()))
        try:
            digest.update(_framed(canonical(output)))
        except NoCanonicalForm as error:
            raise NoCanonicalForm(f"this run has no trace hash: {name} returns {error}") from None
    for message in messages:
        digest.update(_framed(repr(message.place).encode()))
        digest.update(_framed(canonical(message.payload)))
    return digest.hexdigest()


def canonical(value: object) -> bytes:
    """The bytes that stand for a value: equal for equal values of one kind, and for no others.

    Values are numbers, texts, arrays, field elements and typed values, and tuples, lists,
    dictionaries, records (attrs classes, dataclasses) and
    enumerations of these. Raises `NoCanonicalForm` for anything else.
    """
    scalar = _scalar(value)
    if scalar is not None:
        return scalar
    match value:
        case np.ndarray():
            return _array(value)
        case np.generic() if not isinstance(number := value.item(), np.generic):
            return canonical(number)
        case Tally():
            head = f"tally {value.messages} {_wire(value.wire)} {value.shape}".encode()
            return _listed(head, [canonical(value.counts)])
        case Piece():
            return _listed(f"wire {_wire(value.wire)}".encode(), [_array(value.numbers())])
        case tuple() | list():
            return _listed(type(value).__name__.encode(), map(canonical, value))
        case Mapping():
            entries = [_listed(b"entry", map(canonical, entry)) for entry in value.items()]
            return _listed(b"mapping", sorted(entries))
    return _record(value)


def _scalar(value: object) -> bytes | None:
    match value:
        case enum.Enum():
            return f"{_name(type(value))}.{value.name}".encode()
        case None | bool() | Fraction():
            return f"{type(value).__name__} {value}".encode()
        case int():  # after bool: True is an int as well
            return f"int {int(value)}".encode()
        case float():
            return b"real " + struct.pack("<d", value)
        case complex():
            return b"complex " + struct.pack("<dd", value.real, value.imag)
        case str():
            return b"text " + value.encode("utf-8", "surrogatepass")
        case bytes():
            return b"bytes " + value
    return None


def _record(value: object) -> bytes:
    kind = type(value)
    if attrs.has(kind):
        names = [field.name for field in attrs.fields(kind)]
    elif dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    else:
        advice = " (a sorted tuple has one)" if isinstance(value, set | frozenset) else ""
        article = "an" if kind.__name__[0] in "aeiouAEIOU" else "a"
        raise NoCanonicalForm(f"{article} {kind.__name__}, which has no canonical form{advice}")
    return _listed(_name(kind).encode(), [canonical(getattr(value, name)) for name in names])


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _wire(wire: WireType) -> str:
    return f"{wire.kind} below {wire.below}"


def _array(values: Numbers) -> bytes:
    """An array by kind, shape and content; its width in memory leaves no trace."""
    values = np.asarray(values)
    match values.dtype.kind:
        case "b":
            kind, stored = "bool", values.astype("<u1")
        case "i":
            kind, stored = "int", values.astype("<i8")
        case "u":  # the same bytes as the signed number, wherever there is one
            is_beyond = values.size > 0 and int(values.max()) >= 1 << 63
            kind, stored = "int above 2**63" if is_beyond else "int", values.astype("<u8")
        case "f" if values.dtype.itemsize <= 8:
            kind, stored = "real", values.astype("<f8")
        case "c" if values.dtype.itemsize <= 16:
            kind, stored = "complex", values.astype("<c16")
        case "U" | "S":
            texts = [canonical(text) for text in values.ravel().tolist()]
            return _listed(f"array of texts {values.shape}".encode(), texts)
        case "M" | "m":
            kind, stored = values.dtype.name, values.astype("<i8")
        case _:
            contents = "Python objects" if values.dtype.hasobject else values.dtype.name
            raise NoCanonicalForm(f"an array of {contents}, which has no canonical form")
    return f"array of {kind} {values.shape} ".encode() + stored.tobytes()


def _listed(head: bytes, parts: Iterable[bytes]) -> bytes:
    return head + b"(" + b"".join([_framed(part) + b"," for part in parts]) + b")"


def _framed(part: bytes) -> bytes:
    """A part with its length before it, so that no two sequences of parts read alike."""
    return b"%d:" % len(part) + part
