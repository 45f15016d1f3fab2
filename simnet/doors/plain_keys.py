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

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.values.typed import Typed


class NoKey(Exception):
    """Raised for a value of which not all contents can be compared."""


def key_of(value: object) -> Hashable:
    """Return the key of a plain value. Raises `NoKey` unless all its contents can be compared."""
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes, Fraction, range):
        return kind, value
    if isinstance(value, float | complex):
        if kind not in (float, complex) and not isinstance(value, np.generic):
            raise NoKey(_refusal(kind))
        return kind, np.asarray(value).tobytes()  # 0.0 and -0.0 differ, a NaN equals itself
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if isinstance(value, np.ndarray):
        return kind, value.dtype.str, value.shape, value.strides, _contents(value)
    if isinstance(value, enum.Enum):
        return kind, value.name
    if isinstance(value, Typed):
        return kind, value.wire, key_of(value.numbers())
    return kind, _pieces(value)


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
    if not set(getattr(value, "__dict__", ())) <= set(names):
        raise NoKey(_refusal(kind))
    return tuple(key_of(getattr(value, name)) for name in names)


def _refusal(kind: type) -> str:
    return f"values of type {kind.__name__} cannot be compared"


def _contents(values: Numbers) -> Hashable:
    if values.dtype.hasobject:
        if values.dtype.names is not None:
            raise NoKey("arrays of records with Python objects cannot be compared")
        return tuple(key_of(piece) for piece in values.reshape(-1).tolist())
    return values.tobytes()
