# ruff: noqa: ARG005  # deeds are given more than they use
"""What a door gives to its function, what it does with the result, and what it refuses."""

import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest

from simnet import (
    Coins,
    Field,
    Party,
    ScriptError,
    Sealed,
    Seat,
    SimnetError,
    Stall,
    bits,
    index,
    reals,
    run,
    tally,
)
from simnet.doors.plain_keys import key_of
from simnet.doors.plain_values import decode, encode
from simnet.kernel.ideal import IdealHolder, ideal_world
from simnet.kernel.run import Run
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.typed import Typed
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, SHARE, F, disclosed, elements, idle, in_a_list, protected

Deed = Callable[[Party, Any], Any]
DOORS = ("secret", "disclose", "output")
VALUE = 3


class Holding:
    """Party `a` has a sealed input, and returns what `deed` makes of it."""

    def __init__(self, deed: Deed, members: int | None = None) -> None:
        self.deed = deed
        self.members = members

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a, members=self.members), "b": Seat(idle)}

    async def a(self, me: Party, value: Sealed) -> Any:
        return self.deed(me, value)


def held(deed: Deed, value: Any = VALUE, in_place: bool | None = None) -> Any:
    """Return the output of `a`."""
    return run(Holding(deed), [value], in_place=in_place).outputs.get("a")


def own_copy(value: Any) -> Any:
    return decode(encode(value))


def refusal(deed: Deed, value: Any = VALUE) -> str:
    with pytest.raises(ScriptError) as caught:
        run(Holding(deed), [value])
    text = str(caught.value)
    assert text.startswith("a in round 1: ")
    assert "(tests/simnet/doors/test_calls.py:" in text
    return text.removeprefix("a in round 1: ")


def through(door: str, me: Party, function: Any, *arguments: Any) -> Any:
    """Call the door with this name; a secret has one element."""
    more: dict[str, Any] = {"field": F, "shape": (1,)} if door == "secret" else {}
    return getattr(me, door)(function, *arguments, **more)


every_door = for_each("door", DOORS)


# What a function is given


@every_door
def test_a_function_is_given_the_values_behind_its_arguments(door: str) -> None:
    seen: list[Any] = []

    def note(*values: Any) -> list[int]:
        seen.extend(values)
        return [1]

    def opens(me: Party, value: Any) -> None:
        plain = [1, "two"]
        opened = elements(100, 2)
        made = me.output(lambda value: value + 0.5, value)
        through(door, me, note, value, opened, opened.open(signed=True), made, plain)

    held(opens)
    item, unsigned, signed, made, plain = seen
    assert (item, made, plain) == (VALUE, VALUE + 0.5, [1, "two"])
    assert (unsigned.tolist(), signed.tolist()) == ([100, 2], [-1, 2])
    assert unsigned.dtype == signed.dtype == np.int64


def test_an_input_may_be_anything() -> None:
    for value in (None, 2.5, "text", (1, 2), {"a": [1]}):
        assert held(lambda me, value: me.output(lambda value: [value], value), value) == [value]


def test_what_is_calculated_with_opened_numbers_is_billed_to_the_party() -> None:
    def scales(me: Party, value: Any) -> Any:
        return me.output(lambda numbers: (numbers + 1) * 0.5, elements(1, 2, 3))

    assert run(Holding(scales), [VALUE]).ledger.operations("party")["a"] == {"nA": 3, "RM": 3}


def test_the_members_of_a_crowd_hold_an_array() -> None:
    def doubles(me: Party, values: Any) -> Any:
        secret = me.secret(lambda values: values * 2, values, field=F, shape=(3,))
        return secret, me.disclose(lambda values: values > 1, values)

    secret, larger = run(Holding(doubles, members=3), [1, 2, 3]).outputs["a"]
    assert secret.numbers().tolist() == [2, 4, 6]
    assert larger.tolist() == [False, True, True]


def test_the_inputs_of_a_crowd_are_not_to_be_changed() -> None:
    def changes(values: Any) -> int:
        values[0] = 9
        return 1

    with pytest.raises(ScriptError, match=r"read-only"):
        run(Holding(lambda me, values: me.disclose(changes, values), members=2), [1, 2])


# Coins


@pytest.mark.slow
@for_each("door", ["secret", "disclose"])
@for_each(
    "function",
    [
        lambda value, coins: [value + coins.integers(10, 1)[0]],
        lambda value, source: [value + source.integers(10, 1)[0]],
        lambda value, coins=None: [value + coins.integers(10, 1)[0]],
        lambda value, coins, more=1: [value + coins.integers(10, 1)[0] + more],
        partial(lambda more, value, coins: [value + coins.integers(10, 1)[0]], 1),
    ],
)
def test_a_function_with_a_place_for_them_is_given_coins(door: str, function: Any) -> None:
    drawn = {
        int(np.asarray(_numbers(run(Holding(deed), [VALUE], seed).outputs["a"])).item())
        for seed in range(30)
        for deed in [lambda me, value: through(door, me, function, value)]
    }
    assert len(drawn) > 5
    assert drawn <= set(range(VALUE, VALUE + 11))


def _numbers(output: Any) -> Any:
    return output.numbers() if hasattr(output, "numbers") else output


@every_door
@for_each(
    "function",
    [
        lambda value: [value],
        lambda value, more=4: [value + 0 * more],
        lambda *values: list(values),
        lambda value, *more: [value, *more],
        partial(lambda more, value: [value], 1),
        list[int],
    ],
)
def test_other_functions_are_given_none(door: str, function: Any) -> None:
    value = (VALUE,) if function == list[int] else VALUE
    assert _numbers(held(lambda me, value: through(door, me, function, value), value)) == [VALUE]


def test_a_method_is_given_coins_like_a_function() -> None:
    @attrs.frozen
    class Noise:
        below: int

        def __call__(self, value: int, coins: Coins) -> int:
            return value + int(coins.integers(self.below, 1)[0])

        def more(self, value: int, coins: Coins) -> int:
            return self(value, coins)

        def none(self, value: int) -> int:
            return value

    noise = Noise(1)
    for function in (noise, noise.more, noise.none):
        assert held(lambda me, value, f=function: me.disclose(f, value)) == VALUE  # type: ignore[misc]


def test_numpy_s_functions_may_be_given() -> None:
    assert held(lambda me, value: me.output(np.mean, elements(1, 2))) == 1.5
    assert held(lambda me, value: me.disclose(np.atleast_1d, value)).tolist() == [VALUE]
    assert held(lambda me, value: me.output(max, value, 7)) == 7


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (
            lambda: 1,
            "the lambda takes 0 arguments, but me.disclose calls it with 1, or 2",
        ),
        (
            lambda a, b, c: 1,
            "the lambda takes 3 arguments, but me.disclose calls it with 1, or 2",
        ),
        (
            lambda a, b, c, d=1: 1,
            "the lambda takes 3 to 4 arguments, but me.disclose calls it with 1, or 2",
        ),
        (in_a_list, ""),
    ],
)
def test_a_function_of_another_number_of_arguments_is_told_how_many_it_gets(
    function: Any, told: str
) -> None:
    if told:
        assert told in refusal(lambda me, value: me.disclose(function, value))
    else:
        told = "in_a_list takes 1 argument, but me.disclose calls it with 3, or 4 to draw coins"
        assert told in refusal(lambda me, value: me.disclose(function, value, 1, 2))


def test_the_function_of_an_output_draws_no_coins() -> None:
    assert "the lambda takes 2 arguments, but me.output calls it with 1 (" in refusal(
        lambda me, value: me.output(lambda value, coins: value, value)
    )


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda value, coins: coins.field(F, (1,)), "may draw only discrete coins"),
        (
            lambda value, coins: coins.deferred(F, (1,), lambda own: own.field(F, (1,))),
            "may not make a deferred block",
        ),
    ],
)
def test_coins_in_doors_are_discrete(draw: Any, told: str) -> None:
    assert f"the function of a door {told}" in refusal(lambda me, value: me.disclose(draw, value))


@for_each(
    "draw",
    [
        lambda coins: coins.bernoulli(0.5),
        lambda coins: coins.integers(5, 1),
        lambda coins: coins.subset(1, 5),
        lambda coins: coins.field(F, (1,)),
        lambda coins: coins.deferred(F, (1,), lambda own: own.field(F, (1,))),
    ],
)
@every_door
def test_the_coins_of_the_script_are_not_drawn_in_a_door(
    door: str, draw: Callable[[Coins], Any]
) -> None:
    """A value that a function has captured is not on record."""

    def captures(me: Party, value: Any) -> Any:
        coins = me.coins
        return through(door, me, lambda value: [draw(coins)], value)

    def draws_after(me: Party, value: Any) -> Any:
        coins = me.coins
        through(door, me, in_a_list, value)
        return draw(coins) is None

    assert held(draws_after) is False
    if door == "output":
        with pytest.raises(ScriptError, match=r"me\.output draws coins: draw them in the script"):
            held(captures)
    else:
        told = refusal(captures)
        assert f"the function of me.{door} draws from the coins of the script" in told
        assert "add a parameter, as in function(value, coins)" in told


def test_discrete_coins_are_one_stream_in_doors_and_outside() -> None:
    def outside(me: Party, value: Any) -> list[int]:
        return [int(me.coins.integers(1000, 1)[0]) for _ in range(4)]

    def inside(me: Party, value: Any) -> list[int]:
        def draw(coins: Coins) -> int:
            return int(coins.integers(1000, 1)[0])

        return [
            int(me.coins.integers(1000, 1)[0]),
            me.disclose(draw),
            int(me.coins.integers(1000, 1)[0]),
            me.disclose(draw),
        ]

    assert held(outside) == held(inside)


def test_drawing_in_a_door_is_billed_and_is_no_toss_of_the_script() -> None:
    def draws(me: Party, value: Any) -> bool:
        me.disclose(lambda coins: coins.bernoulli(0.5))
        return me.coins.tossed

    done = run(Holding(draws), [VALUE])
    assert done.outputs["a"] is False
    assert done.ledger.operations("party")["a"] == {"BS": 1}


# Secrets


@for_each(
    "function, shape, expected",
    [
        (lambda value: value, (), 3),
        (lambda value: [value, -1], (2,), [3, 100]),
        (lambda value: [value] * 2, 2, [3, 3]),
        (lambda value: np.full((2, 1), value + 101), (2, 1), [[3], [3]]),
        (lambda value: np.array(value), (), 3),
        (lambda value: np.uint64(2**64 - 1), (), (2**64 - 1) % 101),
        (lambda value: np.array([value], dtype=np.int8), (1,), [3]),
        (lambda value: value > 2, (), 1),
        (lambda value: np.zeros((2, 0), dtype=int), [2, 0], [[], []]),
        (lambda value: [value], (np.int64(1),), [3]),
    ],
)
def test_a_secret_is_the_numbers_as_field_elements(
    function: Any, shape: Any, expected: Any
) -> None:
    done = run(Holding(lambda me, value: me.secret(function, value, field=F, shape=shape)), [VALUE])
    (secret,) = done.secrets["a"]
    assert secret.field == F
    assert secret.numbers().tolist() == done.outputs["a"].numbers().tolist() == expected


@for_each(
    "function, told",
    [
        (lambda value: value, r"a lambda returns numbers of shape \(\), but the secret was decl"),
        (
            lambda value: [value] * 2,
            r"of shape \(2,\), but the secret was declared with shape=\(1,",
        ),
        (lambda value: value / 2, "a lambda returns float 1.5: the function of me.secret must"),
        (
            lambda value: [1.0],
            r"a lambda returns list of float: .* whole numbers .*, of shape \(1,",
        ),
        (lambda value: np.array([0.5]), "a lambda returns numbers of float64: "),
        (lambda value: None, "a lambda returns None: the function of me.secret must"),
        (lambda value: "3", "a lambda returns str '3': the function of me.secret must"),
        (lambda value: 2**80, r"a lambda returns int \d+: .* whole numbers of at most 64 bits"),
        (lambda value: [[1], [1, 2]], "a lambda returns list of list: "),
        (lambda value: elements(value), "a lambda returns Residues: return whole numbers, which"),
    ],
)
def test_what_is_no_secret_of_the_declared_shape_is_refused(function: Any, told: str) -> None:
    with pytest.raises(ScriptError, match=rf"a in round 1: .*{told}.*test_calls\.py"):
        held(lambda me, value: me.secret(function, value, field=F, shape=(1,)))


@for_each(
    "deed, told",
    [
        (lambda me, value: me.secret(in_a_list, value), "write me.secret(function, value, field=F"),
        (lambda me, value: me.secret(in_a_list, value, field=F), "missing 1 .*: write me.secret("),
        (lambda me, value: me.secret(elements(1)), "write me.secret(function, value, field=F, sh"),
        (
            lambda me, value: me.secret(elements(1), field=F, shape=1),
            "me.secret needs a function: write me.secret(function, value, ...)",
        ),
        (
            lambda me, value: me.secret(value, field=F, shape=1),
            "me.secret needs a function: write me.secret(function, value, ...)",
        ),
        (
            lambda me, value: me.secret(3, field=F, shape=1),
            "me.secret needs a function as its first argument, got int",
        ),
        (
            lambda me, value: me.secret(in_a_list, value, field=101, shape=1),
            "me.secret needs the field and the shape of the secret: write me.secret(",
        ),
        (
            lambda me, value: me.secret(in_a_list, value, field=F, shape=(1.0,)),
            "the shape of a secret consists of whole numbers, such as shape=(N,), or shape=()",
        ),
        (
            lambda me, value: me.secret(in_a_list, value, field=F, shape=None),
            "the shape of a secret consists of whole numbers, such as shape=(N,), or shape=()",
        ),
        (lambda me, value: me.disclose(value), "write me.disclose(function, value, ...)"),
        (lambda me, value: me.output(value), "write me.output(function, value, ...)"),
        (
            lambda me, value: me.output(3, value),
            "me.output needs a function as its first argument, got int",
        ),
    ],
)
def test_what_is_no_call_of_a_door_is_told_what_to_write(deed: Deed, told: str) -> None:
    text = refusal(deed)
    first, _, rest = told.partition(".*")
    assert first in text
    assert rest in text


@every_door
@pytest.mark.parametrize(
    "wrap", [lambda value: [value], lambda value: (1, (value,)), lambda value: {"a": value}]
)
def test_values_are_given_one_by_one(door: str, wrap: Callable[[Any], Any]) -> None:
    for sealed in (
        lambda value: value,
        lambda value: elements(1),
        lambda value: elements(1).open(),
    ):
        told = refusal(
            lambda me, value, of=sealed: through(door, me, in_a_list, wrap(of(value)))  # type: ignore[misc]
        )
        assert "each field array as an argument of its own, not in a " in told


# Disclosed values


@for_each(
    "value",
    [
        None,
        True,
        2,
        2.5,
        "text",
        b"bytes",
        Fraction(1, 3),
        np.int64(3),
        np.arange(3),
        np.array([0.5]),
        (1, [2, {"three": 3}]),
        {1, 2},
        frozenset({1}),
        bits([1, 0]),
        index(3, 5),
        reals([0.5]),
    ],
)
def test_numbers_and_texts_and_what_holds_them_are_disclosed(value: Any) -> None:
    told = held(lambda me, _: me.disclose(lambda: value))
    assert type(told) is type(value)
    assert repr(told) == repr(value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (object(), "object"),
        (lambda: 1, "function"),
        ((number for number in [1]), "generator"),
        ([object()], "list with other things inside"),
        ({"a": object()}, "dict with other things inside"),
        (np.array([object()]), "ndarray with other things inside"),
        (elements(1), "Residues"),
        (elements(1).open(), "Sealed"),
        ([elements(1)], "list with other things inside"),
        (np.array([([],)], dtype=[("list", object)])[0], "void"),
    ],
)
def test_other_things_are_not_disclosed(value: Any, kind: str) -> None:
    told = f"a lambda returns a {kind}: the function of a door may return numbers, texts"
    assert told in refusal(lambda me, _: me.disclose(lambda: value))


def test_what_is_disclosed_is_a_copy() -> None:
    """Changes that the script or the function makes afterwards are not on record."""
    kept: list[Any] = []

    def tells(me: Party, value: Any) -> Any:
        def makes(value: int) -> Any:
            kept[:] = [np.array([value]), [value]]
            return {"array": kept[0], "list": kept[1]}

        told = me.disclose(makes, value)
        told["array"][0] += 1
        told["list"].append(9)
        return told

    told = held(tells)
    assert (told["array"].tolist(), told["list"]) == ([VALUE + 1], [VALUE, 9])
    assert (kept[0].tolist(), kept[1]) == ([VALUE], [VALUE])


class Pair(NamedTuple):
    first: Any
    second: Any


LIKE = bits([[0, 1]])
MAKERS: list[Any] = [
    lambda: 10**30,
    lambda: float("1.5"),
    lambda: complex("1+2j"),
    lambda: "a text".upper(),
    lambda: bytes(9),
    lambda: Fraction(10**9, 7),
    lambda: np.float64(1.5),
    lambda: np.str_("a text"),
    lambda: [1],
    lambda: {1: 2},
    lambda: {(300,)},
    lambda: np.arange(3),
    lambda: index(3, 9),
    lambda: tally([3, 4], 5, LIKE),
]


@pytest.mark.parametrize("packed", [lambda *pair: pair, lambda *pair: list(pair), Pair])
def test_a_script_cannot_ask_whether_two_parts_of_a_disclosed_value_are_one_object(
    packed: Any,
) -> None:
    def asks(me: Party, value: Any) -> Any:
        answers = []
        for make in MAKERS:
            kept = make()
            first, second = me.disclose(lambda _, kept=kept: packed(kept, kept), value)
            third, fourth = me.disclose(lambda _, make=make: packed(make(), make()), value)
            answers.append((first is second) == (third is fourth))
        return answers

    assert all(held(asks, in_place=False))


@pytest.mark.parametrize("value", [0.0, -0.0, float("nan"), -float("inf"), 10**30, -5000, 0, True])
def test_a_copy_of_a_number_has_its_key(value: Any) -> None:
    assert key_of(own_copy(value)) == key_of(value)


def test_nobody_holds_a_disclosed_copy() -> None:
    meter = Meter()
    typed = own_copy(bits([0, 1]).metered(meter))
    assert typed.values.meter is None
    assert own_copy(tally([3, 4], 5, LIKE).metered(meter)).meter is None


def test_a_wire_type_that_is_shared_keeps_no_object_of_the_function() -> None:
    class Text(str):
        __slots__ = ()

    assert type(own_copy(index(1, 97_001, Text("nd"))).wire.kind) is str
    assert type(own_copy(index(1, np.int64(97_002))).wire.below) is int


@pytest.mark.parametrize("kind", [set, frozenset])
@pytest.mark.parametrize("members", [(7, 15), (15, 7), (23, 7, 15), ("a", (7, 15), None, 2.5)])
def test_a_copy_of_a_set_has_one_order(kind: Any, members: Any) -> None:
    copied, other = own_copy(kind(members)), own_copy(kind(members[::-1]))
    assert copied == kind(members)
    assert type(copied) is kind
    assert list(copied) == list(other) == list(own_copy(copied))


class Poses:
    """An object that says it is a number."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return int


def test_an_object_that_poses_as_a_number_is_not_disclosed() -> None:
    told = "a lambda returns a Poses: the function of a door may return numbers, texts"
    assert told in refusal(lambda me, value: me.disclose(lambda _: Poses(), value))


def record(*kinds: Any) -> Any:
    return np.zeros(2, [(f"field {place}", kind) for place, kind in enumerate(kinds)])


@pytest.mark.parametrize(
    ("make", "type_of"),
    [
        (lambda: index(3, 9), lambda part: part.wire),
        (lambda: tally([3, 4], 5, index([3], 9)), lambda part: part.wire),
        (
            lambda: Typed(index(3, 9).wire, np.zeros(2, np.dtype(">i8").newbyteorder())),
            lambda part: part.numbers().dtype,
        ),
        (lambda: np.array(["text"]), lambda part: part.dtype),
        (lambda: np.zeros(2, np.dtype(">i8")), lambda part: part.dtype),
        (lambda: np.zeros(2, "M8[s]"), lambda part: part.dtype),
        (lambda: record("i8", "U2"), lambda part: part.dtype),
        (lambda: record("i8", "U2")[0], lambda part: part.dtype),
        (lambda: record(("U2", 3)), lambda part: part.dtype[0].base),
        (lambda: record("i8"), lambda part: part.dtype.names[0]),
    ],
)
def test_a_script_cannot_ask_whether_the_types_of_two_parts_are_one_object(
    make: Any, type_of: Any
) -> None:
    kept = make()

    def asks(me: Party, value: Any) -> Any:
        pairs = (
            me.disclose(lambda _: (kept, kept), value),
            me.disclose(lambda _: (make(), make()), value),
        )
        return [type_of(first) is type_of(second) for first, second in pairs]

    one, other = held(asks, in_place=False)
    assert one == other


def test_a_script_that_renames_fields_changes_no_other_value() -> None:
    def renames(me: Party, value: Any) -> Any:
        first = me.disclose(lambda _: record("i8"), value)
        first.dtype.names = ("other",)
        return me.disclose(lambda _: record("i8"), value).dtype.names

    assert held(renames) == ("field 0",)


def test_a_script_cannot_ask_whether_two_fields_have_one_type() -> None:
    kind = np.dtype("U2")

    def asks(me: Party, value: Any) -> Any:
        one = me.disclose(lambda _: record(kind, kind), value)
        other = me.disclose(lambda _: record(np.dtype("U2"), np.dtype("U2")), value)
        return [each.dtype[0] is each.dtype[1] for each in (one, other)]

    one, other = held(asks, in_place=False)
    assert one == other


@pytest.mark.parametrize("kind", ["i8", ">i8", "U2", "m8[s]", "V3", [("a", "i1"), ("b", ">i8")]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_copy_has_the_type_and_the_layout_of_the_array(kind: Any, order: Any) -> None:
    values = np.zeros((2, 3), np.dtype(kind), order)
    copied = own_copy(values)
    assert (copied.dtype, copied.dtype.char) == (values.dtype, values.dtype.char)
    assert (copied.strides, copied.base) == (values.strides, None)
    assert copied.tolist() == values.tolist()


@pytest.mark.parametrize(
    "part",
    [
        lambda value: np.array([0, value])[:1],
        lambda value: index([0, value], 9)[:1],
        lambda value: np.array([(0,), (value,)], dtype=[("number", "i8")])[0],
        lambda value: np.array([(0,), (value,)], dtype=[("number", "i8")])[:1][0],
    ],
)
def test_what_is_disclosed_does_not_show_what_it_was_a_part_of(part: Any) -> None:
    def tells(me: Party, value: Any) -> Any:
        told = me.disclose(part, value)
        array = told.numbers() if isinstance(told, Typed) else told
        while getattr(array, "base", None) is not None:
            array = array.base
        return len(bytes(array))

    assert held(tells) == 8


def test_a_disclosed_array_is_plain() -> None:
    def tells(me: Party, value: Any) -> Any:
        assert type(me.disclose(lambda numbers: numbers, elements(1, 2))) is np.ndarray
        opened = me.disclose(lambda numbers: isinstance(numbers, Metered), elements(1, 2))
        return opened, me.disclose(lambda numbers: numbers[0] > 0, elements(1, 2))

    assert held(tells) == (True, True)


# Outputs


def test_an_output_may_be_anything_but_sealed_and_is_plain_after_the_run() -> None:
    thing = object()
    assert held(lambda me, value: me.output(lambda value: (value, thing), value)) == (VALUE, thing)
    for value, kind in ((elements(1).open(), "Sealed"), (elements(1), "Residues")):
        told = refusal_of_output(lambda me, _, of=value: me.output(lambda: of))  # type: ignore[misc]
        assert f"a lambda returns a {kind}: the function of a door" in told


def refusal_of_output(deed: Deed) -> str:
    with pytest.raises(ScriptError, match=r"^a in round 1: ") as caught:
        run(Holding(deed), [VALUE])
    return str(caught.value)


def test_an_output_is_an_argument_of_later_doors() -> None:
    def chain(me: Party, value: Any) -> Any:
        twice = me.output(lambda value: 2 * value, value)
        secret = protected(me, me.output(lambda twice: twice + 1, twice))
        return secret, disclosed(me, twice)

    secret, twice = held(chain)
    assert (secret.numbers().tolist(), twice) == ([2 * VALUE + 1], 2 * VALUE)


class Fails:
    """The function of the output of `a` raises an error, which is raised when all scripts have
    ended.
    """

    def __init__(self) -> None:
        self.heard: list[str] = []

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    def fail(self, value: int) -> int:
        raise ValueError(f"cannot make an output of {value}")

    async def a(self, me: Party, value: Sealed) -> Sealed:
        output = me.output(self.fail, value)
        self.heard.append("a goes on")
        await me.send(NOTE, "b", bits(1))
        me.output(lambda output: self.heard.append("never"), output)
        await me.receive(NOTE, "b")
        return output

    async def b(self, me: Party) -> None:
        await me.receive(NOTE, "a")
        await me.send(NOTE, "a", bits(1))
        self.heard.append("b ends")


def test_an_error_of_an_output_is_told_when_all_scripts_have_ended() -> None:
    protocol = Fails()
    with pytest.raises(ScriptError) as caught:
        run(protocol, [VALUE])
    assert protocol.heard == ["a goes on", "b ends"]
    text = str(caught.value)
    assert text.startswith("a in round ")
    assert "cannot make an output of 3 (tests/simnet/doors/test_calls.py:" in text
    assert isinstance(caught.value.__cause__, ValueError)


def test_an_output_that_failed_fails_the_doors_that_it_is_given_to() -> None:
    def discloses(me: Party, value: Any) -> Any:
        failed = me.output(lambda value: value // 0, value)
        return me.disclose(lambda failed: 1, failed)

    assert "ZeroDivisionError: integer division or modulo by zero" in refusal(discloses)


def test_a_run_that_stalls_is_told_before_a_failed_output() -> None:
    class Waits(Fails):
        async def b(self, me: Party) -> None:
            await me.receive(SHARE, "a")

    with pytest.raises((Stall, ScriptError), match=r"b |summed"):
        run(Waits(), [VALUE])


# What a function does besides


@pytest.mark.parametrize("door", ["secret", "disclose"])
@pytest.mark.parametrize("caught", [False, True])
def test_an_error_in_a_door_ends_the_run_also_when_the_script_catches_it(
    door: str, caught: bool
) -> None:
    """Else whether it was raised would tell of the values."""

    class Catches:
        went_on = False

        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b)}

        async def a(self, me: Party, value: Sealed) -> None:
            try:
                through(door, me, lambda value: [1 // (value - VALUE)], value)
            except ZeroDivisionError:
                if not caught:
                    raise
            await me.send(NOTE, "b", bits(1))

        async def b(self, me: Party) -> None:
            await me.receive(NOTE, "a")
            self.went_on = True

    protocol = Catches()
    told = r"^a in round 1.*: ZeroDivisionError: .* \(tests/simnet/doors/test_calls\.py:\d+\)$"
    with pytest.raises(ScriptError, match=told):
        run(protocol, [VALUE])
    assert not protocol.went_on
    run(protocol, [VALUE + 1])
    assert protocol.went_on


@every_door
@for_each(
    "use",
    [
        lambda me: me.coins,
        lambda me: me.disclose(lambda: 1),
        lambda me: me.secret(lambda: 1, field=F, shape=()),
        lambda me: me.output(lambda: 1),
        lambda me: me.send(NOTE, "b", bits(1)).send(None),
        lambda me: me.receive(NOTE, "b").send(None),
        lambda me: me.within("g.").disclose(lambda: 1),
    ],
)
def test_the_function_of_a_door_does_not_use_the_party(
    door: str, use: Callable[[Party], Any]
) -> None:
    told = f"uses its party in the function of me.{door}: such a function may use no party"

    def uses(me: Party, value: Any) -> Any:
        return through(door, me, lambda value: [use(me)], value)

    assert told in (refusal_of_output if door == "output" else refusal)(uses)


@every_door
def test_no_door_opens_in_a_deferred_block(door: str) -> None:
    class Defers:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b)}

        async def a(self, me: Party, value: Sealed) -> None:
            def rows(coins: Coins) -> Any:
                through(door, me, in_a_list, value)
                return coins.field(F, (1, 1))

            await me.scatter(SHARE, ["b"], me.coins.deferred(F, (1, 1), rows))

        async def b(self, me: Party) -> Any:
            return await me.gather_sum(SHARE, senders="a")

    told = (
        f"a in round .*calls me.{door} in a deferred block: call me.{door} before the block is made"
    )
    for threads in (None, 2):
        with pytest.raises(ScriptError, match=told):
            run(Defers(), [VALUE], threads=threads)


@every_door
def test_no_door_opens_in_another_thread(door: str) -> None:
    def threaded(me: Party, value: Any) -> None:
        errors: list[BaseException] = []

        def work() -> None:
            try:
                through(door, me, in_a_list, value)
            except ScriptError as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        raise errors[0]

    assert "its party is used in another thread" in refusal(threaded)


@every_door
def test_an_async_function_is_refused(door: str) -> None:
    async def later(value: int) -> list[int]:
        return [value]

    def opens(me: Party, value: Any) -> Any:
        return through(door, me, later, value)

    told = (refusal_of_output if door == "output" else refusal)(opens)
    assert "later is async: the function of a door must be a function without `async`" in told


@every_door
def test_what_a_function_has_captured_stays_sealed(door: str) -> None:
    check = refusal_of_output if door == "output" else refusal
    told = check(lambda me, value: through(door, me, lambda: [value + 1]))
    assert "calculates with the input of a, which is sealed" in told

    def captures_elements(me: Party, value: Any) -> Any:
        drawn = me.coins.field(F, (1,))
        return through(door, me, lambda: drawn.numbers())

    assert "reads the numbers of field elements" in check(captures_elements)


# Scopes and the ideal world


class Scoped:
    """A part of a protocol in which `a` holds an input."""

    def parties(self) -> Mapping[str, Seat]:
        return {"g.a": Seat(self.a)}

    async def a(self, me: Party, value: Sealed) -> Any:
        inside = me.within("g.")
        made = inside.output(lambda value: value + 1, value)
        protected(inside, made)
        disclosed(me, value)  # the whole and its part open one party's doors
        return made, inside.disclose(in_a_list, made)


def test_doors_of_a_part_are_the_party_s() -> None:
    done = run(Scoped(), [VALUE])
    assert done.outputs["g.a"] == (VALUE + 1, [VALUE + 1])
    assert [secret.numbers().tolist() for secret in done.secrets["g.a"]] == [[VALUE + 1]]


def test_a_refusal_in_a_part_names_the_party_of_the_run() -> None:
    class Compares(Scoped):
        async def a(self, me: Party, value: Any) -> Any:
            return me.within("g.").output(in_a_list, value) == [1]

    with pytest.raises(ScriptError, match=r"^g\.a in round 1: compares an output, which is sealed"):
        run(Compares(), [VALUE])


class Summing:
    """Users with secrets, and a functionality that uses an input in some way."""

    def __init__(self, ideal: Callable[[list[Any], list[Any]], Any]) -> None:
        self.ideal = ideal

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.user, 1, role="user"), "b": Seat(self.user, 2, role="user")}

    async def user(self, me: Party, value: Sealed) -> None:
        protected(me, value)

    def functionality(self, values: list[Any], users: list[Any]) -> Any:
        return self.ideal(values, users)


def ideal(deed: Callable[[list[Any], list[Any]], Any]) -> Any:
    return ideal_world(Summing(deed), {"a": 1, "b": 2}, 0)


def test_the_ideal_world_is_under_the_same_seal() -> None:
    total = ideal(
        lambda values, users: {"a": protected(users[0], values[0]) + protected(users[1], values[1])}
    )
    assert total["a"].numbers().tolist() == [3]
    for deed, told in (
        (lambda values, users: max(values), "compares the input of"),
        (lambda values, users: users[0].disclose(in_a_list, values[1]), "uses the input of b"),
        (lambda values, users: users[0].secret(elements(1)), "missing 2 required"),
    ):
        with pytest.raises((TypeError, SimnetError), match=told):
            ideal(deed)


def test_a_user_of_the_ideal_world_has_a_name_and_two_doors() -> None:
    public = {name for name in vars(IdealHolder) if not name.startswith("_")}
    assert public == {"disclose", "secret"}
    assert ideal(lambda values, users: {"a": [elements(len(user.name)) for user in users]})


def test_users_of_the_ideal_world_draw_the_coins_of_the_run() -> None:
    class Noisy(Summing):
        def __init__(self) -> None:
            super().__init__(
                lambda values, users: {
                    "a": [self.noisy(u, v) for u, v in zip(users, values, strict=True)]
                }
            )

        async def user(self, me: Party, value: Sealed) -> None:
            self.noisy(me, value)

        def noisy(self, user: Any, value: Any) -> Any:
            user.disclose(lambda coins: coins.integers(10**6, 1))
            return user.secret(
                lambda value, coins: value + coins.integers(10**6, 1),
                value,
                field=Field.above(10**9),
                shape=1,
            )

    done: Run = run(Noisy(), [1, 2], seed=5)
    handed: Any = ideal_world(Noisy(), done.inputs, 5)["a"]
    for array, name in zip(handed, ("a", "b"), strict=True):
        assert array.numbers().tolist() == done.secrets[name][0].numbers().tolist()


# Order


@every_door
def test_a_party_s_calls_of_a_kind_are_counted_from_0(door: str) -> None:
    from simnet.adversary.reading_again import recorded

    def opens(me: Party, value: Any) -> None:
        for _ in range(3):
            through(door, me, in_a_list, value)
            me.disclose(lambda: 0)

    _, record = recorded(run(Holding(opens), [VALUE]), [])
    numbers = [call.number for call in record.calls["a"] if call.kind == door]
    assert numbers == list(range(6 if door == "disclose" else 3))
    assert [call.kind for call in record.calls["a"]] == [door, "disclose"] * 3
