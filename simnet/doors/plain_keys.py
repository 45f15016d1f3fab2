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
import functools
import struct
from collections.abc import Hashable, Iterator
from fractions import Fraction
from types import MemberDescriptorType
from typing import Any, TypeGuard

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.values.metered import Metered
from simnet.values.rows import Tally
from simnet.values.typed import Typed

_SCALARS = frozenset(np.sctypeDict.values())  # numpy's own classes of single values


class NoKey(Exception):
    """Raised for a value of which not all contents can be compared."""


@attrs.frozen(eq=False)
class Itself:
    """An object that is known only by its identity. The object is kept alive, so that no other
    object gets its id.
    """

    thing: Any

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def key_of(value: object) -> Hashable:
    """Return the key of a plain value. Raises `NoKey` unless all its contents can be compared."""
    kind = type(value)
    _refuse_class(kind)
    if value is None or kind in (bool, int, str, bytes):
        return kind, value
    if isinstance(value, range):  # equal ranges may differ in their ends
        return kind, value.start, value.stop, value.step
    if kind in (float, complex):
        return kind, np.asarray(value).tobytes()  # 0.0 and -0.0 differ, a NaN equals itself
    if isinstance(value, np.generic) and kind in _SCALARS and not value.dtype.hasobject:
        return kind, type_key(value.dtype), value.tobytes()
    if is_bare_array(value):
        return kind, type_key(value.dtype), value.shape, value.strides, _contents(value)
    if issubclass(kind, enum.Enum):  # a class may give two members one `name`
        return Itself(value)
    if isinstance(value, Typed) and kind is Typed:
        return kind, value.wire, key_of(value.numbers())
    return kind, _fraction(value) if isinstance(value, Fraction) else _pieces(value)


def is_bare_array(value: object) -> TypeGuard[Numbers]:
    """Return whether a value is of numpy's own class of arrays, or a `Metered` array without
    attributes of its own.
    """
    return type(value) is np.ndarray or (type(value) is Metered and vars(value).keys() == {"meter"})


def type_key(dtype: np.dtype[Any]) -> Hashable:
    """Return a key that tells types of numpy arrays apart, also by the types of their fields.

    Raises `NoKey` for a type with metadata or titles of fields, which may be anything, for a type
    of no bytes, and for a type whose letter is not in `numpy.typecodes["All"]`, such as
    `StringDType`.
    """
    is_marked = dtype.metadata is not None or len(dtype.fields or ()) != len(dtype.names or ())
    if is_marked or not dtype.itemsize or dtype.char not in np.typecodes["All"]:
        raise NoKey(f"arrays of type {dtype} cannot be compared")
    _refuse_class(dtype.type)
    inner = [dtype[name] for name in dtype.names or ()]
    inner += [dtype.subdtype[0]] if dtype.subdtype is not None else []
    # Two types of one width, such as C's long and long long, have one text and two letters.
    letters = dtype.char, dtype.str, str(dtype), dtype.isalignedstruct
    return dtype.type, letters, tuple(map(type_key, inner))


def slots_of(value: object) -> Iterator[tuple[str, object]]:
    """Yield the name and the contents of each slot in which an object keeps an attribute. Empty
    slots are left out.
    """
    for each in type(value).__mro__:
        for slot in _own_slots(each):
            try:
                yield slot.__name__, slot.__get__(value)
            except AttributeError:  # the slot is empty
                continue


def hides_contents(kind: type, base: type = object) -> bool:
    """Return whether objects of a class are larger than those of `base` and their attributes need.
    A class that is written in C may keep data in the rest.
    """
    slots = sum(len(_own_slots(each)) for each in kind.__mro__)
    pointers = slots + sum(
        getattr(kind, offset) > 0 >= getattr(base, offset)
        for offset in ("__dictoffset__", "__weakrefoffset__")
    )
    visible = base.__basicsize__ + pointers * struct.calcsize("P")
    return kind.__itemsize__ > base.__itemsize__ or kind.__basicsize__ > visible


@functools.lru_cache(maxsize=1024)
def _own_slots(kind: type) -> list[MemberDescriptorType]:
    return [each for each in vars(kind).values() if isinstance(each, MemberDescriptorType)]


def _fraction(value: Fraction) -> Hashable:
    parts = value.numerator, value.denominator
    if type(value) is not Fraction or not all(type(part) is int for part in parts):
        raise NoKey(_refusal(type(value)))  # the parts may be numpy's integers
    return parts


def _pieces(value: object) -> Hashable:
    kind = type(value)
    if issubclass(kind, tuple) and hasattr(kind, "_fields") and not hasattr(value, "__dict__"):
        assert isinstance(value, tuple)
        return tuple(map(key_of, tuple.__iter__(value)))  # the class may have an `__iter__`
    if kind in (tuple, list, set, frozenset):
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
    # A class of attrs has slots for its fields and for properties that are computed from these.
    slots = [
        slot.__name__
        for each in kind.__mro__
        if "__attrs_attrs__" not in vars(each)
        for slot in _own_slots(each)
    ]
    if hides_contents(kind) or not {*getattr(value, "__dict__", ()), *slots} <= {*names}:
        raise NoKey(_refusal(kind))
    if not all(hasattr(value, name) for name in names):
        raise NoKey(f"values of type {kind.__name__} without all their attributes have no key")
    return tuple(key_of(getattr(value, name)) for name in names)


def _refuse_class(kind: type) -> None:
    """Raise `NoKey` for a class whose metaclass has an `__eq__` of its own, so that another class
    can be equal to it, and for a class derived from `Tally`.
    """
    has_own = type(kind) is not type and type(kind).__eq__ is not type.__eq__
    if has_own or (issubclass(kind, Tally) and kind is not Tally):
        raise NoKey(_refusal(kind))


def _refusal(kind: type) -> str:
    return f"values of type {kind.__name__} cannot be compared"


def _contents(values: Numbers) -> Hashable:
    if values.dtype.hasobject:
        if values.dtype.names is not None:
            raise NoKey("arrays of records with Python objects cannot be compared")
        return tuple(key_of(piece) for piece in values.reshape(-1).tolist())
    return values.tobytes()
