"""Keys of plain values. Values that a script can distinguish by their types or contents have
different keys.

A script may look at more than the number of a disclosed value: `True` and `1` are equal in Python,
and so are `1` and `1.0`, but `type(value)` distinguishes them. So two values have one key only if
they agree in type, in the width and the layout of arrays, and in the order of a dictionary's
entries.

>>> key_of(True) == key_of(1), key_of((1, 2)) == key_of([1, 2]), key_of((1, 2)) == key_of((1, 2))
(False, False, True)
"""

import dataclasses
import enum
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.values.typed import Typed


class NoKey(Exception):
    """Raised for a value of which not all contents can be compared."""


def key_of(value: object) -> Hashable:
    """Return the key of a plain value. Raises `NoKey` unless all its contents can be compared."""
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes, Fraction):
        return kind, value
    if isinstance(value, range):  # equal ranges may differ in their ends
        return kind, value.start, value.stop, value.step
    if isinstance(value, float | complex):
        if kind not in (float, complex) and not isinstance(value, np.generic):
            raise NoKey(_refusal(kind))
        return kind, np.asarray(value).tobytes()  # 0.0 and -0.0 differ, a NaN equals itself
    if isinstance(value, np.generic):
        return kind, type_key(value.dtype), value.tobytes()
    if isinstance(value, np.ma.MaskedArray):
        return kind, key_of(value.data), key_of(np.ma.getmaskarray(value))
    if isinstance(value, np.ndarray):
        return kind, type_key(value.dtype), value.shape, value.strides, _contents(value)
    if isinstance(value, enum.Enum):  # bits of a flag that no member has may lack a name
        return kind, value.name, value.value if isinstance(value, enum.Flag) else None
    if isinstance(value, Typed):
        return kind, value.wire, key_of(value.numbers())
    return kind, _pieces(value)


def type_key(dtype: np.dtype[Any]) -> str:
    """Return a text that tells types of numpy arrays apart, also by the names of their fields.

    Raises `NoKey` for a type with metadata, which may be anything.
    """
    if dtype.metadata is not None:
        raise NoKey("arrays whose type has metadata cannot be compared")
    # Two types of one width, such as C's long and long long, have one `str` and two letters.
    return f"{dtype.char}{dtype.str}" if dtype.names is None else str(dtype)


def slots_of(kind: type) -> list[str]:
    """Return the names of the slots in which objects of a class keep attributes."""
    return [name for each in kind.__mro__ for name in _own_slots(each)]


def _own_slots(kind: type) -> list[str]:
    declared = vars(kind).get("__slots__", ())
    names = (declared,) if isinstance(declared, str) else declared
    prefix = f"_{kind.__name__.lstrip('_')}"  # Python puts it before a private name
    return [
        f"{prefix}{name}" if name.startswith("__") and not name.endswith("__") else name
        for name in names
        if name not in ("__dict__", "__weakref__")
    ]


def _pieces(value: object) -> Hashable:
    kind = type(value)
    is_named_tuple = isinstance(value, tuple) and hasattr(kind, "_fields")
    if kind in (tuple, list, set, frozenset) or (is_named_tuple and not hasattr(value, "__dict__")):
        assert isinstance(value, tuple | list | set | frozenset)
        # The members of a set stand in the order in which a script would go through them.
        return tuple(key_of(piece) for piece in value)
    if kind is dict:
        assert isinstance(value, dict)
        return tuple((key_of(key), key_of(piece)) for key, piece in value.items())
    if attrs.has(kind):
        names = [field.name for field in attrs.fields(kind)]
    elif dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    else:
        raise NoKey(_refusal(kind))
    others = [name for each in kind.__mro__ if not _is_record(each) for name in _own_slots(each)]
    if isinstance(value, _WITH_CONTENTS) or not {*getattr(value, "__dict__", ()), *others} <= {
        *names
    }:
        raise NoKey(_refusal(kind))
    return tuple(key_of(getattr(value, name)) for name in names)


# An object of a class derived from one of these has contents besides its attributes.
_WITH_CONTENTS = (int, str, bytes, bytearray, tuple, list, set, frozenset, dict)


def _is_record(kind: type) -> bool:
    """Return whether a class itself, and not only a class above it, declares fields."""
    return not {"__attrs_attrs__", "__dataclass_fields__"}.isdisjoint(vars(kind))


def _refusal(kind: type) -> str:
    return f"values of type {kind.__name__} cannot be compared"


def _contents(values: Numbers) -> Hashable:
    if values.dtype.hasobject:
        if values.dtype.names is not None:
            raise NoKey("arrays of records with Python objects cannot be compared")
        return tuple(key_of(piece) for piece in values.reshape(-1).tolist())
    return values.tobytes()
