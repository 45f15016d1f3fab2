"""The trace hash: a short digest of a run. Equal runs have equal trace hashes.

Theory of operation. We call two runs equal if they have equal bills, equal outputs, equal messages
of the observed parties, and the same records of parties that dropped out, aborted or waited in
vain. To compare runs by 32 hexadecimal digits, we write every value as bytes in its *canonical
form*, and hash the bytes. Three rules make the form canonical:

- Different values have different forms. A form contains the kind of the value, and the length of
  each part stands before that part. The integer 1, the boolean True and the real 1.0 are three
  values.
- The form does not depend on the type in which numpy stores a number (16 or 64 bits), and not on
  the order of a dictionary's entries: a script may fill a dictionary in the order in which messages
  arrive, which depends on the schedule.
- A value without a canonical form raises an error that names its type. For example, the order of a
  set may change between processes.

Example. `canonical((1, True))` is `b"tuple(5:int 1,9:bool True,)"`.
"""

import dataclasses
import enum
import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.errors import SimnetError
from simnet.foreign import MOST_NESTED
from simnet.record.ledger import Ledger
from simnet.record.message import Message
from simnet.values.rows import Tally
from simnet.values.wire import Piece, WireType


class NoCanonicalForm(SimnetError):
    """Raised for a value that has no canonical form and so cannot be hashed. The error's text names
    the value's type.
    """


@attrs.frozen
class Trace:
    """The trace hash of a run.

    If an output has no canonical form, `lacking` contains the reason, and the hash leaves out the
    outputs.
    """

    hash: str
    lacking: str | None = None


def trace_hash(
    ledger: Ledger,
    outputs: Mapping[str, object],
    messages: Sequence[Message],
    endings: Sequence[object] = (),
) -> str:
    """Return the digest of a run: of its bill, its outputs, its observed messages and `endings`.
    `endings` are the records of parties that dropped out, aborted or waited in vain.

    Raises `NoCanonicalForm`, which names the party, if an output has no canonical form.
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
    for ending in endings:
        digest.update(_framed(canonical(ending)))
    return digest.hexdigest()


def canonical(value: object, levels: int = MOST_NESTED) -> bytes:
    """Return the canonical form of a value. Two values have the same form if they are equal and of
    the same kind. For reals, equal means here that they have the same 64 bits: 0.0 and -0.0 have
    different forms. A numpy scalar counts as the Python value that it equals.

    `value` may be None, an int, a float, a complex, a `Fraction`, a text, bytes, most numpy arrays
    (none with Python objects), an array that a message can carry (such as field elements or bits),
    a `Tally`, or a member of an enumeration. It may also be a tuple, list, dictionary or record
    (attrs class or dataclass) of these, up to a depth of `levels`. Raises `NoCanonicalForm` for any
    other value.
    """
    if not levels:
        raise NoCanonicalForm(
            "a value that is nested too deeply or contains itself, which has no canonical form"
        )
    inner = partial(canonical, levels=levels - 1)
    scalar = _scalar(value)
    if scalar is not None:
        return scalar
    match value:
        case np.ndarray():
            return _array(value)
        case np.generic() if not isinstance(number := value.item(), np.generic):
            return inner(number)
        case Tally():
            head = f"tally {value.messages} {_wire(value.wire)} {value.shape}".encode()
            return _listed(head, [inner(value.counts)])
        case Piece():
            return _listed(f"wire {_wire(value.wire)}".encode(), [_array(value.numbers())])
        case tuple() | list():
            return _listed(type(value).__name__.encode(), map(inner, value))
        case Mapping():
            entries = [_listed(b"entry", map(inner, entry)) for entry in value.items()]
            return _listed(b"mapping", sorted(entries))
    return _record(value, inner)


def _scalar(value: object) -> bytes | None:
    match value:
        case enum.Enum():
            return f"{_name(type(value))}.{value.name}".encode()
        case None | bool() | Fraction():
            return f"{type(value).__name__} {value}".encode()
        case int():  # this case must follow the case of bool, because True is an int as well
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


def _record(value: object, inner: Callable[[object], bytes]) -> bytes:
    kind = type(value)
    if attrs.has(kind):
        names = [field.name for field in attrs.fields(kind)]
    elif dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    else:
        advice = " (a sorted tuple has one)" if isinstance(value, set | frozenset) else ""
        article = "an" if kind.__name__[0] in "aeiouAEIOU" else "a"
        raise NoCanonicalForm(f"{article} {kind.__name__}, which has no canonical form{advice}")
    return _listed(_name(kind).encode(), [inner(getattr(value, name)) for name in names])


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _wire(wire: WireType) -> str:
    return f"{wire.kind} below {wire.below}"


def _array(values: Numbers) -> bytes:
    """Return the form of an array: its kind, shape and contents, but not its width in memory."""
    values = np.asarray(values)
    match values.dtype.kind:
        case "b":
            kind, stored = "bool", values.astype("<u1")
        case "i":
            kind, stored = "int", values.astype("<i8")
        # An unsigned array has the form of a signed array with the same numbers, if these fit.
        case "u":
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
    """Return a part with its length before it, so that different sequences of parts give different
    bytes.
    """
    return b"%d:" % len(part) + part
