"""Keys of plain values: equal for values that no script can tell apart, and for no others."""

import dataclasses
import decimal
import enum
from collections import namedtuple
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

from simnet import bits, index
from simnet.doors.plain_keys import NoKey, key_of
from simnet.values.metered import Metered
from simnet.values.rows import Tally
from simnet.values.typed import Typed
from tests.harness.many_cases import for_each
from tests.harness.same_names import Answer

Pair = namedtuple("Pair", "left right")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@attrs.frozen
class Point:
    x: int


class Switches(enum.IntFlag):
    FIRST = 1


class AlwaysEqual(type):
    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return 1


class Uniform(tuple[int, ...], metaclass=AlwaysEqual):
    __slots__ = ()
    _fields = ()


class Shorter(tuple[int, ...]):
    __slots__ = ()
    _fields = ()

    def __iter__(self) -> Any:
        return iter(self[:-1])


class Tallies(Tally):
    pass


DIFFERENT: list[Any] = [
    None,
    0,
    False,
    0.0,
    -0.0,
    float("nan"),
    0j,
    Fraction(0),
    "",
    b"",
    "0",
    (),
    [],
    {},
    set(),
    frozenset(),
    (0,),
    (False,),
    [0],
    {0: 1},
    {0: True},
    {0: 1, 1: 0},
    {1: 0, 0: 1},
    Pair(0, 1),
    (0, 1),
    np.int64(0),
    np.int32(0),
    np.bool_(False),
    np.float64(0),
    np.array([0, 1]),
    np.array([[0, 1]]),
    np.array([0, 1], dtype=np.int32),
    np.array([0.0, 1.0]),
    np.array([0, 9, 1])[::2],
    np.array([0, 1], dtype=np.longlong),
    np.longlong(0),
    np.array([0, 1], dtype=object),
    Colour.RED,
    Colour.BLUE,
    Answer.YES,
    Answer.NO,
    Shorter((0, 1)),
    Shorter((0, 2)),
    Point(0),
    Point(1),
    index([0, 1], 2),
    index([0, 1], 3),
    bits([0, 1]),
    Switches(8),
    Switches(16),
    range(0, 3, 2),
    range(0, 4, 2),
    np.array([(0,)], dtype=[("left", "i8")]),
    np.array([(0,)], dtype=[("right", "i8")]),
    np.array([(0,)], dtype=[("left", "i8")])[0],
    np.array([(0,)], dtype=[("right", "i8")])[0],
    np.array([(0,)], dtype=[("left", "q")]),
    np.array([(0, 1)], dtype=[("left", "l"), ("right", "l")]),
    np.array([(0, 1)], dtype=[("left", "l"), ("right", "q")]),
]


def test_values_that_differ_have_different_keys() -> None:
    keys: list[Hashable] = [key_of(value) for value in DIFFERENT]
    assert len(set(keys)) == len(keys)


@for_each("value", DIFFERENT)
def test_a_copy_has_the_same_key(value: Any) -> None:
    copied = value.copy() if isinstance(value, np.ndarray) and value.base is None else value
    assert key_of(copied) == key_of(value)


class Odd:
    pass


class Growing(dict[int, int]):
    pass


@dataclasses.dataclass(init=False)
class Number(int):
    pass


class Hidden(Point):
    __slots__ = ("more",)


@dataclasses.dataclass
class Noted:
    __slots__ = ("note", "number")

    number: int


@attrs.define(init=False, order=False)
class Price(decimal.Decimal):
    pass


class Labelled(np.float64):
    pass


class LabelledBits(Typed):
    pass


class LabelledArray(np.ndarray[Any, Any]):
    pass


def labelled_metered() -> Metered:
    array = Metered.of([0], None)
    array.label = 1  # type: ignore[attr-defined]
    return array


@pytest.mark.parametrize(
    "value",
    [
        *(Odd(), Growing(), [Odd()], lambda: 0, object, Number(1), Hidden(1)),
        *(
            Noted(1),
            Price(1),
            Point.__new__(Point),
            Labelled(1),
            LabelledBits(index([0], 2).wire, np.array([0])),
        ),
        *(np.array([0]).view(LabelledArray), labelled_metered(), np.ma.MaskedArray([0], mask=[0])),
        np.array([0], dtype=np.dtype("i8", metadata={"secret": 1})),
        np.array([0], dtype=[("number", np.dtype("i8", metadata={"secret": 1}))]),
        np.array([0], dtype=np.dtype({"names": ["a"], "formats": ["i8"], "titles": ["secret"]})),
        np.array([(0,)], dtype=[("number", object)])[0],
        np.array(["a"], dtype=np.dtypes.StringDType()),
        Fraction(np.int64(3), 2),  # type: ignore[call-overload]
        Uniform((1,)),
        Tallies(np.array([1]), 2, bits([0]).wire, ()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_shows_nothing_of_itself_has_no_key(value: object) -> None:
    with pytest.raises(NoKey):
        key_of(value)
