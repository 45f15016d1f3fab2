"""Plain values: what the function of a door may return, and how it travels between processes.

A plain value is a number, a text, an array or a missing value, or a tuple, list, set or dictionary
of plain values. (Members of an enumeration and named tuples are plain, too.) Code of the run's own
classes takes no part in the encoding, and equal values of one type have one encoding, whatever the
order in which a set was filled, and whether two parts are one object.

>>> decode(encode({"votes": (1, 2.5), "yes": np.array([True, False])}))
{'votes': (1, 2.5), 'yes': array([ True, False])}
"""

import enum
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from simnet.arrays import Numbers
from simnet.values.metered import Metered
from simnet.values.rows import Tally
from simnet.values.typed import Typed
from simnet.values.wire import WireType

LARGEST = 1 << 29  # the most bytes of an array that travels

_ATOMS = (type(None), bool, int, float, complex, str, bytes)


def encode(value: Any) -> Any:
    """Return a plain value as nested pairs of a name and parts, for `marshal`.

    Raises `TypeError` for a value of any other kind, and `ValueError` for an array that is too
    large.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind in _PARTS:
        return kind.__name__, _PARTS[kind](value)
    if issubclass(kind, np.generic) and not value.dtype.hasobject:
        return "scalar", [_described(value.dtype), value.tobytes()]
    if issubclass(kind, enum.Enum):
        return "member", [kind.__module__, kind.__qualname__, value.name]
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return "named", [kind.__module__, kind.__qualname__, *map(encode, tuple.__iter__(value))]
    raise TypeError(f"{kind.__name__} is no plain value")


def _each(value: Any) -> list[Any]:
    return list(map(encode, value))


def _entries(value: dict[Any, Any]) -> list[Any]:
    return [encode(piece) for pair in value.items() for piece in pair]


def _array(value: Numbers) -> list[Any]:
    if value.dtype.hasobject:
        raise TypeError("an array of objects is no plain value")
    if value.nbytes > LARGEST:
        raise ValueError(f"returns an array of {value.nbytes:,} bytes, which is too large")
    order: Literal["C", "F"] = "F" if value.flags.fnc else "C"
    return [_described(value.dtype), value.shape, order, value.tobytes(order)]


def _typed(value: Typed) -> list[Any]:
    return [value.wire.kind, value.wire.below, encode(value.numbers())]


def _tally(value: Tally) -> list[Any]:
    wire = value.wire
    return [encode(value.counts), value.messages, wire.kind, wire.below, value.shape]


def _described(dtype: np.dtype[Any]) -> Any:
    return np.lib.format.dtype_to_descr(dtype)


_PARTS: dict[type, Callable[[Any], list[Any]]] = {
    **dict.fromkeys((tuple, list), _each),
    **dict.fromkeys((set, frozenset), lambda value: sorted(_each(value), key=repr)),
    dict: _entries,
    np.ndarray: _array,
    Metered: _array,
    Fraction: lambda value: [value.numerator, value.denominator],
    Typed: _typed,
    Tally: _tally,
}


def decode(data: Any) -> Any:
    """Return the value that was encoded. No code of the run's own classes is executed.

    Raises `ValueError` or another error for data that no value has.
    """
    if type(data) in _ATOMS:
        return data
    name, parts = data
    return _WHOLES[name](parts)


def _from_array(parts: Sequence[Any]) -> Numbers:
    described, shape, order, contents = parts
    dtype = np.lib.format.descr_to_dtype(described)
    if dtype.hasobject:  # numpy would take the bytes for addresses
        raise TypeError("an array of objects is no plain value")
    return np.ndarray(shape, dtype, bytearray(contents), order=order).copy("K")


def _from_tally(parts: Sequence[Any]) -> Tally:
    counts, messages, kind, below, shape = parts
    return Tally(decode(counts), messages, WireType(kind, below), shape)


_WHOLES: dict[str, Callable[[Sequence[Any]], Any]] = {
    "tuple": lambda parts: tuple(map(decode, parts)),
    "list": lambda parts: list(map(decode, parts)),
    "set": lambda parts: set(map(decode, parts)),
    "frozenset": lambda parts: frozenset(map(decode, parts)),
    "dict": lambda parts: dict(zip(map(decode, parts[::2]), map(decode, parts[1::2]), strict=True)),
    "ndarray": _from_array,
    "Metered": lambda parts: Metered.of(_from_array(parts), None),
    "scalar": lambda parts: np.frombuffer(parts[1], np.lib.format.descr_to_dtype(parts[0]))[0],
    "Fraction": lambda parts: Fraction(*parts),
    "Typed": lambda parts: Typed(WireType(*parts[:2]), decode(parts[2])).copied(),
    "Tally": _from_tally,
    "member": lambda parts: vars(_class(parts[0], parts[1], enum.Enum))["_member_map_"][parts[2]],
    "named": lambda parts: tuple.__new__(_class(parts[0], parts[1], tuple), map(decode, parts[2:])),
}


def _class(module: str, path: str, base: type) -> Any:
    """Return a class of the run by its name, without calling code of the module."""
    found: Any = sys.modules[module]
    for name in path.split("."):
        found = vars(found)[name]
    if not (isinstance(found, type) and issubclass(found, base)):
        raise TypeError(f"{module}.{path} is no class of {base.__name__}")
    return found
