# ruff: noqa: ARG005, C416, SIM300, T201, UP031  # deeds are what a newcomer might write
"""A sealed value can be passed on, and refuses every other use.

The error says who did what, where, and what to write instead. A user meets these errors who writes
a script as if its input was a number.
"""

import copy
import inspect
import json
import math
import pickle
import threading
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
import pytest

from simnet import (
    Party,
    ScriptError,
    Sealed,
    Seat,
    Tag,
    bits,
    constant,
    index,
    reals,
    run,
    verdict,
)
from simnet.values.sealed import WAYS_OUT, Input, Made, Opened, SealBroken
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, SHARE, F, as_it_is, disclosed, elements, idle, in_a_list

Deed = Callable[[Party, Any], Any]
VALUE = 3


class Holding:
    """Party `a` has an input and does something with it; `b` only receives messages."""

    def __init__(self, deed: Deed) -> None:
        self.deed = deed

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(idle)}

    async def a(self, me: Party, value: Sealed) -> Any:
        result = self.deed(me, value)
        return await result if inspect.iscoroutine(result) else result


def refusal(deed: Deed) -> str:
    """Return the error that ends the run of a script that does this; it names the party, the round
    and the line.
    """
    with pytest.raises(ScriptError) as caught:
        run(Holding(deed), [VALUE])
    text = str(caught.value)
    assert text.startswith("a in round 1")
    return text


def line_of(deed: Deed) -> str:
    lines, first = inspect.getsourcelines(deed)
    assert len(lines) == 1
    return f"(tests/simnet/doors/test_sealed.py:{first})"


def matches(me: Party, value: Any) -> int:
    match value:
        case 1:
            return 1
        case _:
            return 2


def coins(me: Party) -> Any:
    return me.coins.field(F, (2,))


REFUSED: dict[str, list[Deed]] = {
    "compares": [
        lambda me, value: me.coins.field(F, (value,)),
        lambda me, value: value == 1,
        lambda me, value: value != 1,
        lambda me, value: value > 2,
        lambda me, value: 2 <= value,
        lambda me, value: value in [1, 2],
        lambda me, value: max(value, 2),
        lambda me, value: sorted([value, 2]),
        lambda me, value: me.coins.bernoulli(value),
        lambda me, value: me.coins.integers(value, 1),
        lambda me, value: me.coins.subset(value, 5),
    ],
    "branches on": [
        lambda me, value: 1 if value else 2,
        lambda me, value: not value,
        lambda me, value: value and 1,
        lambda me, value: any([value]),
    ],
    "uses as a key": [
        lambda me, value: {1: 2}[value],
        lambda me, value: {value: 1},
        lambda me, value: {value},
        lambda me, value: hash(value),
    ],
    "counts with, or takes for an index,": [
        lambda me, value: range(value),
        lambda me, value: [1, 2, 3, 4][value],
        lambda me, value: "text"[value],
        lambda me, value: me.secret(in_a_list, value, field=F, shape=value),
        lambda me, value: me.secret(in_a_list, value, field=F, shape=(value,)),
    ],
    "takes for a number": [
        lambda me, value: int(value),
        lambda me, value: float(value),
        lambda me, value: math.sqrt(value),
    ],
    "rounds": [lambda me, value: round(value)],
    "calculates with": [
        lambda me, value: abs(value),
        lambda me, value: value + 1,
        lambda me, value: 1 - value,
        lambda me, value: value * 2,
        lambda me, value: value / 2,
        lambda me, value: 7 // value,
        lambda me, value: value % 2,
        lambda me, value: 2**value,
        lambda me, value: -value,
        lambda me, value: sum([value, value]),
        lambda me, value: value * np.arange(5),
        lambda me, value: coins(me) * value,
        lambda me, value: value + coins(me),
    ],
    "asks for the length of": [lambda me, value: len(value)],
    "goes through": [
        lambda me, value: list(value),
        lambda me, value: [one for one in value],
        lambda me, value: print(*value),
    ],
    "searches": [lambda me, value: 1 in value],
    "takes an item of": [lambda me, value: value[0]],
    "formats": [lambda me, value: f"{value:.2f}", lambda me, value: format(value, "d")],
    "hands to numpy": [
        lambda me, value: np.asarray(value),
        lambda me, value: np.array([value]),
        lambda me, value: np.arange(5)[value],
        lambda me, value: np.arange(5) * value,
        lambda me, value: np.sum(value),
        lambda me, value: np.add(value, 1),
        lambda me, value: np.where(value, 1, 2),
        lambda me, value: np.isin(value, [1]),
        lambda me, value: constant(F, value),
        lambda me, value: constant(F, [value]),
        lambda me, value: index(value, 5),
        lambda me, value: bits([value]),
        lambda me, value: reals(value),
        lambda me, value: coins(me)[value],
        lambda me, value: coins(me).combine([[value, 1]]),
    ],
    "compares the text of": [
        lambda me, value: str(value) == "1",
        lambda me, value: f"{value}" != "1",
        lambda me, value: repr(value) in ("1", "2"),
        lambda me, value: {"1": 1}.get(str(value)),
        lambda me, value: sorted(["1", str(value)]),
    ],
    "searches the text of": [
        lambda me, value: "1" in str(value),
        lambda me, value: str(value)[0],
        lambda me, value: list(str(value)),
    ],
    "asks for `.isdigit` of the text of": [lambda me, value: str(value).isdigit()],
    "asks for `.strip` of the text of": [lambda me, value: str(value).strip()],
    "asks for `.tolist` of": [lambda me, value: value.tolist()],
    "asks for `.real` of": [lambda me, value: value.real],
    "takes for field elements": [lambda me, value: coins(me).append(value)],
    "changes": [lambda me, value: setattr(value, "more", 1)],
    "calls": [lambda me, value: value(1)],
    "reads the bytes of": [lambda me, value: bytes(value)],
    "copies": [lambda me, value: copy.copy(value), lambda me, value: pickle.dumps(value)],
}
DEEDS = [(words, deed) for words, deeds in REFUSED.items() for deed in deeds]


@for_each("words, deed", DEEDS)
def test_a_use_of_an_input_is_refused_by_what_it_does_at_the_script_s_line(
    words: str, deed: Deed
) -> None:
    expected = f"a in round 1: {words} the input of a, which is sealed. {WAYS_OUT} {line_of(deed)}"
    assert refusal(deed) == expected


def test_match_compares() -> None:
    """It is a statement, and so has a line of its own."""
    assert refusal(matches).startswith("a in round 1: compares the input of a, which is sealed. ")


@pytest.mark.parametrize(
    "deed",
    [
        lambda me, value: "%d" % value,
        lambda me, value: json.dumps(value),
        lambda me, value: type(coins(me)).stack([coins(me), value]),
    ],
)
def test_what_is_refused_by_its_type_is_told_what_to_write_as_well(deed: Deed) -> None:
    told = refusal(deed)
    assert told.startswith("a in round 1: uses a sealed value as if it were plain (")
    assert told.endswith(f"). {WAYS_OUT} {line_of(deed)}")


def test_a_function_that_uses_coins_without_a_place_for_them_is_told_so() -> None:
    def tosses(me: Party, value: Any) -> Any:
        names: dict[str, Any] = {}
        exec("function = lambda held: held + coins.bernoulli(0.5)", names)
        return me.disclose(names["function"], value)

    told = refusal(tosses)
    assert "name 'coins' is not defined: the function of me.secret or me.disclose gets" in told
    assert "me.disclose(lambda value, coins: ..., value)" in told


@pytest.mark.parametrize(
    "deed",
    [
        lambda me, value: me.send(NOTE, "b", value),
        lambda me, value: me.send(NOTE, "b", (bits(1), value)),
        lambda me, value: me.send(SHARE, "b", value),
        lambda me, value: me.publish(NOTE, ["b"], value),
        lambda me, value: me.publish_each(NOTE, ["b"], [value]),
        lambda me, value: me.scatter(NOTE, ["b"], [value]),
        lambda me, value: me.scatter(NOTE, ["b"], value),
        lambda me, value: me.send(NOTE, "b", coins(me).open()),
    ],
)
def test_a_sealed_value_is_not_sent(deed: Deed) -> None:
    told = refusal(deed)
    of_what = "the numbers of field elements" if "coins(me)" in inspect.getsource(deed) else None
    assert f": sends {of_what or 'the input of a'}, which is sealed. {WAYS_OUT} (" in told
    assert told.startswith('a in round 1 (tag "')


@pytest.mark.parametrize(
    "deed",
    [
        lambda me, value: me.send_rows(NOTE, "b", value),
        lambda me, value: me.scatter(SHARE, ["b"], value),
        lambda me, value: me.scatter(SHARE, [["b"]], elements(1), keys=value),
        lambda me, value: me.send(NOTE, value, bits(1)),
        lambda me, value: me.receive(NOTE, value),
        lambda me, value: me.gather(NOTE, [value]),
    ],
)
def test_nor_does_it_say_where_to_or_under_which_key(deed: Deed) -> None:
    assert WAYS_OUT in refusal(deed)


def test_nor_is_it_a_tag() -> None:
    assert "a tag must be a Tag, got <sealed: the input of a>: declare one" in refusal(
        lambda me, value: me.send(value, "b", bits(1))
    )
    assert "uses as a key the input of a" in refusal(
        lambda me, value: me.send(Tag(value), "b", bits(1))
    )


# What may be done with it


def test_a_sealed_value_is_printed_as_a_constant_text(capsys: pytest.CaptureFixture[str]) -> None:
    def prints(me: Party, value: Any) -> str:
        print(value, [value], f"{value}")
        return f"{value!s} {value!r} {coins(me).open()} {me.output(in_a_list, value)}"

    texts = {run(Holding(prints), [number]).outputs["a"] for number in (3, 4)}
    sealed = "<sealed: the input of a>"
    made = "<sealed: the numbers of field elements> <sealed: an output>"
    assert texts == {f"{sealed} {sealed} {made}"}
    assert capsys.readouterr().out == f"{sealed} [{sealed}] {sealed}\n" * 2


def test_a_sealed_value_may_be_kept_and_returned_in_whatever_holds_it() -> None:
    def returns(me: Party, value: Any) -> Any:
        kept = {"value": [value, (value, copy.deepcopy(value))]}
        return kept, elements(5).open(), me.output(lambda value: {"twice": 2 * value}, value)

    kept, opened, made = run(Holding(returns), [VALUE]).outputs["a"]
    assert kept == {"value": [VALUE, (VALUE, VALUE)]}
    assert opened.tolist() == [5]
    assert made == {"twice": 2 * VALUE}


def test_tools_that_ask_for_names_of_python_are_told_that_there_are_none() -> None:
    def asks(me: Party, value: Any) -> Any:
        return hasattr(value, "__name__"), getattr(value, "__wrapped__", "none")

    assert run(Holding(asks), [VALUE]).outputs["a"] == (False, "none")


def test_what_tells_the_same_of_every_input_is_no_refusal() -> None:
    def asks(me: Party, value: Any) -> Any:
        return value is None, isinstance(value, int), type(value) is Sealed

    assert {run(Holding(asks), [held]).outputs["a"] for held in (1, 2)} == {(False, False, True)}


def test_a_script_that_catches_the_refusal_learns_nothing() -> None:
    def catches(me: Party, value: Any) -> str:
        try:
            value > 2  # noqa: B015
        except TypeError as error:
            return str(error)
        return "told"

    texts = {run(Holding(catches), [held]).outputs["a"] for held in (1, 2, 3, 4)}
    assert texts == {f"compares the input of a, which is sealed. {WAYS_OUT}"}


@pytest.mark.parametrize("held", [None, True, 2, 2.5, "text", (1, 2), np.arange(3)])
def test_the_refusal_is_the_same_whatever_the_input_is(held: object) -> None:
    for words, deed in DEEDS:
        if words in ("compares", "branches on", "hands to numpy", "asks for the length of"):
            with pytest.raises(ScriptError, match=f"{words} the input of a, which is sealed"):
                run(Holding(deed), [held])


# Field elements


@for_each(
    "deed, told",
    [
        (lambda me, value: coins(me).numbers(), "reads the numbers of field elements"),
        (lambda me, value: coins(me).numbers(signed=True), "reads the numbers of field elements"),
        (lambda me, value: coins(me).as_integers(), "reads the numbers of field elements"),
        (lambda me, value: coins(me) == coins(me), "compares field elements"),
        (lambda me, value: coins(me) != 0, "compares field elements"),
        (lambda me, value: coins(me).is_same_as(constant(F, [1])), "compares field elements"),
        (lambda me, value: constant(F, [1]).is_same_as(coins(me)), "compares field elements"),
        (lambda me, value: 1 if coins(me) else 2, "branches on field elements"),
        (lambda me, value: coins(me).open() == 0, "compares the numbers of field elements"),
        (lambda me, value: coins(me).open()[0], "takes an item of the numbers of field elements"),
        (lambda me, value: coins(me).open().plain, "asks for `.plain` of the numbers of field"),
        (lambda me, value: int(coins(me)[0].open()), "takes for a number the numbers of field"),
    ],
)
def test_the_numbers_of_field_elements_are_reached_through_doors_alone(
    deed: Deed, told: str
) -> None:
    text = refusal(deed)
    assert text.startswith(f"a in round 1: {told}")
    assert "me.disclose(function, " in text
    assert text.endswith(line_of(deed))


def test_after_the_run_instruments_read_them() -> None:
    def returns(me: Party, value: Any) -> Any:
        return coins(me), me.secret(in_a_list, value, field=F, shape=1)

    done = run(Holding(returns), [VALUE])
    drawn, secret = done.outputs["a"]
    assert drawn.numbers().shape == (2,)
    assert (drawn == drawn, bool(drawn)) == (True, True)
    assert secret.numbers().tolist() == done.secrets["a"][0].numbers().tolist() == [VALUE]
    assert (-secret).numbers(signed=True).tolist() == [-VALUE]


# Whose it is


class Stealing:
    """Parties `a` and `b` have inputs, and `b` uses a value that `a` left in the protocol
    object.
    """

    def __init__(self, leaves: Callable[[Party, Sealed], Any], deed: Deed) -> None:
        self.leaves = leaves
        self.deed = deed
        self.left: Any = None

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, value: Sealed) -> None:
        self.left = self.leaves(me, value)
        await me.send(NOTE, "b", bits(1))

    async def b(self, me: Party, value: Sealed) -> Any:
        await me.receive(NOTE, "a")
        result = self.deed(me, self.left)
        return await result if inspect.iscoroutine(result) else result


@for_each(
    "leaves, told",
    [
        (lambda me, value: value, "b in round 2.* uses the input of a, which is sealed for a"),
        (lambda me, value: me.output(in_a_list, value), "b in .* uses an output, which is sealed"),
        (lambda me, value: coins(me), "b in .* opens values that another party holds"),
        (lambda me, value: coins(me).open(), "b .* opens values that another party holds"),
    ],
)
@for_each(
    "deed",
    [
        disclosed,
        lambda me, left: me.output(in_a_list, left),
        lambda me, left: me.secret(in_a_list, left, field=F, shape=1),
    ],
)
def test_no_door_takes_what_another_party_holds(
    leaves: Callable[[Party, Sealed], Any], told: str, deed: Deed
) -> None:
    with pytest.raises(ScriptError, match=told):
        run(Stealing(leaves, deed), [1, 2])


@attrs.frozen
class Kept:
    """A record of a script's own."""

    array: Any


def sends_mixed(made: Callable[[Any, Any], Any]) -> Deed:
    """Put a public array in front, so that nobody holds the first."""
    return lambda me, left: me.send(NOTE, "a", made(elements(1, 2), left))


def draws(me: Party, coins: Any) -> Any:
    """Elements of the source's next block."""
    return coins.field(F, (2,))


ANOTHERS_ARRAYS: list[tuple[Callable[[Party, Sealed], Any], list[Deed]]] = [
    (
        lambda me, value: coins(me),
        [
            lambda me, left: me.send(NOTE, "a", left),
            lambda me, left: me.send(NOTE, "a", (bits(1), left[:1])),
            lambda me, left: me.send(SHARE, "a", left * 2),
            lambda me, left: me.send(NOTE, "a", left + left),
            lambda me, left: me.send(NOTE, "a", -left.sum()),
            lambda me, left: me.scatter(NOTE, ["a", "b"], left),
            lambda me, left: me.scatter(NOTE, ["a"], [left]),
            lambda me, left: me.scatter(NOTE, ["a"], ((bits(1), left),)),
            lambda me, left: me.scatter(SHARE, ["a", "b"], left),
            lambda me, left: me.scatter(
                SHARE, ["a", "b"], me.coins.deferred(F, (2,), lambda _: left)
            ),
            lambda me, left: me.scatter(
                NOTE, ["a", "b"], me.coins.deferred(F, (2,), lambda _: left)
            ),
            lambda me, left: me.publish(NOTE, ["a"], left),
            lambda me, left: me.publish_each(NOTE, ["a"], [bits(1), left]),
            sends_mixed(lambda public, left: public + left),
            sends_mixed(lambda public, left: left * public),
            sends_mixed(lambda public, left: public.append(left[0])),
            sends_mixed(lambda public, left: public.close(left, [1, 1])),
            sends_mixed(lambda public, left: public.join([public, left])),
            lambda me, left: left.stack([elements(1, 2), coins(me), left]),
            lambda me, left: left.join([elements(1), coins(me), left]),
            lambda me, left: coins(me).close(left, [1, 1]),
            lambda me, left: left,
            lambda me, left: [(1, {"kept": left})],
            lambda me, left: Kept(left),
            lambda me, left: np.fromiter([left, None], dtype=object),
            lambda me, left: left.open(),
            lambda me, left: me.output(lambda: [1, left]),
        ],
    ),
    (lambda me, value: value, [lambda me, left: left, lambda me, left: {1: [left]}]),
    (lambda me, value: me.output(in_a_list, value), [lambda me, left: left]),
    (
        lambda me, value: me.coins,
        [
            draws,
            lambda me, left: left.bernoulli(0.5),
            lambda me, left: left.deferred(F, (1,), lambda own: own.field(F, (1,))),
            lambda me, left: me.disclose(lambda: left.integers(2, 1)),
            lambda me, left: me.scatter(
                SHARE, ["a", "b"], me.coins.deferred(F, (2,), lambda _: draws(me, left))
            ),
        ],
    ),
    (
        lambda me, value: me.coins.deferred(F, (1,), lambda own: own.field(F, (1,))),
        [
            lambda me, left: me.scatter(SHARE, ["a"], left),
            lambda me, left: me.scatter(NOTE, ["a"], left),
            lambda me, left: me.send(NOTE, "a", left.evaluate()),
        ],
    ),
]
STOLEN = [(leaves, deed) for leaves, deeds in ANOTHERS_ARRAYS for deed in deeds]


@for_each("leaves, deed", STOLEN)
def test_nothing_that_another_party_holds_leaves_a_party_but_in_its_messages(
    leaves: Callable[[Party, Sealed], Any], deed: Deed
) -> None:
    told = "another party|sealed for a|party of a|coins of a|that it gets|with other things"
    with pytest.raises(ScriptError, match=f"^b in round 2.*({told})"):
        run(Stealing(leaves, deed), [1, 2])


@pytest.mark.parametrize(
    "deed",
    [
        lambda me, value: me.scatter(
            SHARE, ["b"], me.coins.deferred(F, (2,), lambda _, own=me.coins: draws(me, own))
        ),
        lambda me, value: me.disclose(lambda coins: KEPT.append(coins)) or KEPT[-1].integers(9, 1),
        lambda me, value: (
            me.disclose(lambda coins: KEPT.append(coins)) or me.disclose(lambda: KEPT[-1].normal(1))
        ),
        lambda me, value: me.coins.for_doors.bernoulli(0.5),
        lambda me, value: me.coins.discrete.bernoulli(0.5),
        lambda me, value: elements(1, 2).close(coins(me), [1, 1]).numbers(),
        lambda me, value: coins(me).residues,
    ],
)
def test_nor_does_a_script_go_round_its_own_doors(deed: Deed) -> None:
    refusal(deed)


KEPT: list[Any] = []


def test_a_run_inside_a_script_unseals_nothing_of_it() -> None:
    def runs(me: Party, value: Any) -> Any:
        inner: list[Any] = []
        passing = Holding(lambda me, inside: [inside, me.output(as_it_is, 1)])
        thread = threading.Thread(target=lambda: inner.append(run(passing, [value]).outputs["a"]))
        thread.start()
        thread.join()
        return f"{inner}"

    sealed = "<sealed: the input of a>"
    assert run(Holding(runs), [VALUE]).outputs["a"] == f"[[{sealed}, 1]]"


def test_every_party_is_given_its_own() -> None:
    done = run(Stealing(lambda me, value: None, lambda me, left: None), [1, 2])
    assert done.inputs == {"a": 1, "b": 2}


def test_a_sealed_value_tells_what_it_stands_for() -> None:
    sources = [Input("u1", 7), Opened(elements(7)), Made(None)]
    texts = ["the input of u1", "the numbers of field elements", "an output"]
    for source, text in zip(sources, texts, strict=True):
        assert f"{Sealed(source)!r}." == f"<sealed: {text}>."
        assert "7" not in f"{source}"
        with pytest.raises(SealBroken, match=f"compares {text}, which is sealed"):
            Sealed(source) == 7  # noqa: B015
    assert "7" not in repr(sources[0])


@attrs.frozen
class Comparing:
    """Party `a` compares its secret with 1, by arrays that nobody holds, and tells `b`."""

    swaps: bool

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, value: Sealed) -> None:
        secret: Any = me.secret(in_a_list, value, field=F, shape=1)
        one, other = secret.metered(None), constant(F, [1])
        if self.swaps:
            one, other = other, one
        await me.send(NOTE, "b", index(int(one.is_same_as(other)), 2))

    async def b(self, me: Party) -> None:
        await me.receive(NOTE, "a")


@pytest.mark.parametrize("swaps", [False, True])
def test_a_verdict_refuses_a_comparison_that_came_out_the_same_when_read_again(
    swaps: bool,
) -> None:
    with pytest.raises(ScriptError, match="compares field elements"):
        verdict(run(Comparing(swaps), [VALUE], seed=1), "b")


@attrs.frozen
class Looking:
    """Party `a` looks into a box that nobody seems to hold."""

    deed: Deed

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a)}

    async def a(self, me: Party, value: Sealed) -> None:
        key = me.coins.field(F, (1, 8))
        secret = me.secret(in_a_list, value, field=F, shape=1)
        self.deed(me, me.encrypt(key, secret[np.newaxis]))


@attrs.frozen
class LookingAtAKey(Looking):
    """The same with a public key."""

    async def a(self, me: Party, value: Sealed) -> None:
        key = me.public_key(me.coins.field(F, (8,)))
        self.deed(me, type(key).stack([key]))


@pytest.mark.parametrize(
    "deed",
    [
        lambda me, octets: octets.metered(None).numbers(),
        lambda me, octets: octets[:1].metered(None)[:1].numbers(),
        lambda me, octets: type(octets).join([octets.metered(None)]).numbers(),
    ],
)
def test_boxes_and_keys_stay_closed_to_scripts(deed: Deed) -> None:
    for protocol in (Looking(deed), LookingAtAKey(deed)):
        with pytest.raises(ScriptError, match="looks into a"):
            run(protocol, [VALUE], seed=1)
