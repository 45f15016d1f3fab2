"""The trace hash: equal for equal runs, different for different runs, and refused for values that
it could not tell apart.
"""

import enum
import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import (
    Field,
    Party,
    ScriptError,
    Seat,
    SimnetError,
    bits,
    constant,
    index,
    reals,
    run,
    tally,
)
from simnet.record.trace import NoCanonicalForm, canonical


class Calling:
    """One party, which returns what a function gives."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def parties(self) -> Mapping[str, Seat]:
        return {"server": Seat(self.server)}

    async def server(self, me: Party) -> Any:
        return self.make()


class Returning:
    """One party, which returns what it is told to."""

    def __init__(self, output: Any) -> None:
        self.output = output

    def parties(self) -> Mapping[str, Seat]:
        return {"server": Seat(self.server)}

    async def server(self, me: Party) -> Any:
        return self.output


@attrs.frozen
class Estimate:
    value: object


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


DIFFERENT: list[Any] = [
    None,
    0,
    1,
    2**70,
    True,
    1.0,
    -0.0,
    1j,
    "1",
    b"1",
    Fraction(1),
    Fraction(1, 2),
    (),
    (1,),
    [1],
    (1, (2,)),
    ((1, 2),),
    ((1,), 2),
    ("a", "bc"),
    ("ab", "c"),
    {},
    {1: 2},
    {2: 1},
    {"1": 2},
    np.array(1),
    np.array([1]),
    np.array([[1]]),
    np.array([True]),
    np.array([1.0]),
    np.array([1j]),
    np.array(["1"]),
    np.array([2**63], dtype=np.uint64),
    np.array([-(2**63)]),
    bits(1),
    index(1, below=2),
    index(1, below=2, kind="Nd"),
    index(1, below=3),
    reals(1.0),
    constant(Field(2), [1]),
    constant(Field(3), [1]),
    tally([1], 1, like=bits([[1]])),
    tally([1], 2, like=bits([[1]])),
    Estimate(1),
    Estimate(True),
    Colour.RED,
    Colour.BLUE,
]

EQUAL: list[tuple[Any, Any]] = [
    (1, np.int16(1)),
    (True, np.True_),
    (0.5, np.float32(0.5)),
    (np.array([1], dtype=np.uint8), np.array([1], dtype=np.int64)),
    (np.array([0.5], dtype=np.float32), np.array([0.5])),
    ({1: 2, 3: 4}, {3: 4, 1: 2}),
    (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3))),
]


def nested(around: Callable[[Any], Any], levels: int = 200) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = around(value)
    return value


TOO_DEEP = "a value that is nested too deeply or contains itself, which has no canonical form"
REFUSED: list[tuple[Any, str]] = [
    ({1, 2}, "a set, which has no canonical form (a sorted tuple has one)"),
    (frozenset(), "a frozenset, which has no canonical form (a sorted tuple has one)"),
    (object(), "an object, which has no canonical form"),
    (np.array([object()]), "an array of Python objects, which has no canonical form"),
    (lambda: None, "a function, which has no canonical form"),
    ((1, [{2}]), "a set, which has no canonical form (a sorted tuple has one)"),
    ({"a": {2}}, "a set, which has no canonical form (a sorted tuple has one)"),
    (Estimate(object()), "an object, which has no canonical form"),
    (np.longdouble(1), "a longdouble, which has no canonical form"),
    (nested(lambda inner: [inner]), TOO_DEEP),
    (nested(lambda inner: {"a": inner}), TOO_DEEP),
]


def test_different_values_and_kinds_have_different_forms() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert canonical(one) != canonical(other), (one, other)


@pytest.mark.parametrize(("one", "other"), EQUAL, ids=repr)
def test_memory_and_insertion_order_leave_no_trace(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(other)
    assert run(Returning(one)).trace_hash == run(Returning(other)).trace_hash


@pytest.mark.parametrize(
    ("value", "why"), REFUSED, ids=[f"{place}: {why}" for place, (_, why) in enumerate(REFUSED)]
)
def test_what_has_no_canonical_form_is_refused_by_party_and_type(value: Any, why: str) -> None:
    done = run(Returning(value))  # which is no error as long as nobody asks for the hash
    told = f"this run has no trace hash: server returns {why}"
    with pytest.raises(NoCanonicalForm) as caught:
        _ = done.trace_hash
    assert str(caught.value) == told
    assert isinstance(caught.value, SimnetError)
    assert done.trace.lacking == told
    assert done.trace.hash == run(Returning(None)).trace.hash  # of messages and bill alone


def test_a_result_that_no_program_can_go_through_is_an_error_of_its_script() -> None:
    def endless() -> Any:
        value: list[Any] = []
        value.append(value)
        return value

    for make in (lambda: nested(lambda inner: [inner], 5000), endless):
        with pytest.raises(ScriptError, match=r"server .* nested too deeply, or"):
            run(Calling(make))
        with pytest.raises(NoCanonicalForm, match="nested too deeply or contains itself"):
            canonical(make())


def test_a_trace_that_lacks_nothing_is_the_trace_hash() -> None:
    done = run(Returning(1))
    assert (done.trace.hash, done.trace.lacking) == (done.trace_hash, None)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.tuples(inner, inner) | st.lists(inner) | st.dictionaries(scalars, inner),
)


def shape_of(value: Any) -> Any:
    """A value with its kinds, comparable by `==`."""
    if isinstance(value, tuple | list):
        return type(value), [shape_of(part) for part in value]
    if isinstance(value, dict):
        return dict, sorted((repr(key), repr(shape_of(part))) for key, part in value.items())
    return type(value), repr(value)


@given(values, values)
def test_forms_are_equal_where_values_and_kinds_are(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) == (shape_of(one) == shape_of(other))
