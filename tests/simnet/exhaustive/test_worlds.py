"""Worlds of hand-written scripts: how many there are, how likely, and what is seen of them.

The key property: the reduced view, in which field coins are unknown, tells inputs apart exactly as
the whole view does with every field coin enumerated.
"""

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import Phase, assume, event, given, settings
from hypothesis import strategies as st

from simnet import (
    BadInput,
    Field,
    Party,
    ScriptError,
    Seat,
    Stall,
    Summed,
    Tag,
    bits,
    constant,
    index,
    run,
)
from simnet.exhaustive.compare import Comparison
from simnet.exhaustive.law import Law, delta, epsilon
from simnet.exhaustive.model import Model, World
from simnet.exhaustive.views import Views
from simnet.values.residues import Residues
from tests.harness.scripts import NOTE, SHARE, Crowd, Script, Scripts, idle, play

G = Field(3)
KEYED, BACK = Summed("keyed"), Tag("back")
HALF = Fraction(1, 2)
READINGS = pytest.mark.parametrize(
    "numbers", [False, True], ids=["unknown field coins", "enumerated field coins"]
)


PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a failure is as good unshrunk


def small(*values: int) -> Residues:
    return constant(G, np.array(values, dtype=np.int64))


def joined(*parts: Any) -> Any:
    """Pieces of field elements as one."""
    return type(parts[0]).join(parts)


def worlds(numbers: bool = False, /, **scripts: Script) -> list[World]:
    return Model(Scripts(**scripts), numbers).worlds(())


def law(corrupt: str, numbers: bool = False, **scripts: Script) -> Law:
    return Views(Model(Scripts(**scripts), numbers), corrupt).law(())


def tossing(toss: Callable[[Party], Any]) -> dict[Any, Fraction]:
    """Which outcomes a party's coins have, in how many worlds and how likely."""

    async def a(me: Party) -> None:
        toss(me)

    found: dict[Any, Fraction] = {}
    for world in worlds(a=a):
        outcomes = world.states[0].history.outcomes
        assert outcomes not in found
        found[outcomes] = world.probability
    return found


# Coins.

COINS = [  # a coin, its outcomes with their probabilities
    (lambda me: me.coins.bernoulli(0.25), {(True,): Fraction(1, 4), (False,): Fraction(3, 4)}),
    (
        lambda me: me.coins.bernoulli(Fraction(1, 3)),
        {(True,): Fraction(1, 3), (False,): Fraction(2, 3)},
    ),
    (lambda me: me.coins.bernoulli(0.1), {(True,): Fraction(0.1), (False,): 1 - Fraction(0.1)}),
    (lambda me: me.coins.bernoulli(1), {(): Fraction(1)}),
    (lambda me: me.coins.bernoulli(0.0), {(): Fraction(1)}),
    (
        lambda me: me.coins.bernoullis(Fraction(1, 3), 2),
        {
            (a, b): Fraction(1 + (not a), 3) * Fraction(1 + (not b), 3)
            for a in (True, False)
            for b in (True, False)
        },
    ),
    (lambda me: me.coins.bernoullis(0.5, 0), {(): Fraction(1)}),
    (
        lambda me: me.coins.binomials(np.array([2, 0]), Fraction(1, 3)),
        {(0,): Fraction(4, 9), (1,): Fraction(4, 9), (2,): Fraction(1, 9)},
    ),
    (lambda me: me.coins.integers(3, 1), {(value,): Fraction(1, 3) for value in range(3)}),
    (
        lambda me: me.coins.integers(3, 2),
        {(a, b): Fraction(1, 9) for a in range(3) for b in range(3)},
    ),
    (lambda me: me.coins.integers(1, 4), {(): Fraction(1)}),
    (
        lambda me: me.coins.subset(2, 4),
        {((a, b),): Fraction(1, 6) for a in range(4) for b in range(a + 1, 4)},
    ),
    (lambda me: me.coins.subset(0, 4), {(): Fraction(1)}),
    (lambda me: me.coins.subset(3, 3), {(): Fraction(1)}),
    (lambda me: me.coins.weighted_subset(1, 3), {((a,),): Fraction(1, 3) for a in range(3)}),
    (
        lambda me: me.coins.weighted_subset(2, 3, 0, 2),
        {((0, 1),): Fraction(2, 5), ((0, 2),): Fraction(2, 5), ((1, 2),): Fraction(1, 5)},
    ),
    (
        lambda me: me.coins.weighted_subset(1, 2, 1, 0.5),
        {((0,),): Fraction(2, 3), ((1,),): Fraction(1, 3)},
    ),
    (lambda me: me.coins.categorical([1, 0, 5], 1), {(0,): Fraction(1, 6), (2,): Fraction(5, 6)}),
    (
        lambda me: me.coins.categorical([1, 2], 2),
        {(a, b): Fraction(a + 1, 3) * Fraction(b + 1, 3) for a in range(2) for b in range(2)},
    ),
    (lambda me: me.coins.categorical([0, 7], 3), {(): Fraction(1)}),
]


@pytest.mark.parametrize(("toss", "expected"), COINS)
def test_every_outcome_of_a_coin_is_a_world_with_its_exact_probability(
    toss: Callable[[Party], Any], expected: dict[Any, Fraction]
) -> None:
    assert tossing(toss) == expected
    assert sum(expected.values()) == 1


@settings(max_examples=40)
@given(st.integers(1, 3), st.integers(1, 4), st.data())
def test_weighted_subsets_have_the_weights_they_are_given(
    count: int, below: int, data: st.DataObject
) -> None:
    assume(count < below)
    favoured = data.draw(st.integers(0, below - 1))
    weight = data.draw(st.fractions(Fraction(1, 9), 9))
    found = tossing(lambda me: me.coins.weighted_subset(count, below, favoured, weight))
    assert len(found) == math.comb(below, count)
    total = weight * math.comb(below - 1, count - 1) + math.comb(below - 1, count)
    for (chosen,), chance in found.items():
        assert chance == (weight if favoured in chosen else 1) / total


def test_field_coins_are_modelonly_where_they_are_enumerated() -> None:
    async def a(me: Party) -> None:
        me.coins.field(G, (2,))
        me.coins.bernoulli(0.5)

    assert len(worlds(a=a)) == 2
    played = worlds(True, a=a)
    assert len(played) == 2 * 9
    assert {world.probability for world in played} == {Fraction(1, 18)}


def test_what_is_tossed_next_may_hang_on_what_came_before() -> None:
    async def a(me: Party) -> None:
        if me.coins.bernoulli(Fraction(1, 3)):
            me.coins.integers(4, 1)

    assert Counter(world.probability for world in worlds(a=a)) == {
        Fraction(2, 3): 1,
        Fraction(1, 12): 4,
    }


def test_the_coins_of_several_parties_multiply() -> None:
    async def tosses(me: Party) -> None:
        me.coins.integers(3, 1)

    played = worlds(a=tosses, b=tosses, c=tosses)
    assert len(played) == 27
    assert {world.probability for world in played} == {Fraction(1, 27)}
    assert len({tuple(state.history.mark for state in world.states) for world in played}) == 27


BAD_COINS = [
    lambda me: me.coins.bernoulli(1.5),
    lambda me: me.coins.bernoulli(-0.5),
    lambda me: me.coins.integers(0, 1),
    lambda me: me.coins.subset(3, 2),
    lambda me: me.coins.categorical([-1, 2], 1),
    lambda me: me.coins.categorical([0, 0], 1),
    lambda me: me.coins.weighted_subset(1, 2, 5, 2),
]


@pytest.mark.parametrize("toss", BAD_COINS)
def test_a_coin_that_a_run_refuses_is_refused_where_it_is_played_out(
    toss: Callable[[Party], Any],
) -> None:
    async def a(me: Party) -> None:
        toss(me)

    with pytest.raises((ScriptError, BadInput)):
        play(a=a)
    with pytest.raises((ScriptError, BadInput)):
        worlds(a=a)


# Messages: what arrives is what a run delivers, and what is seen of it is in the law.


def outcome(numbers: bool, sampled: bool = True, **scripts: Script) -> list[int]:
    """The elements that party `z`, who gets one note from `y`, sees in the only world.

    Held against a run.
    """
    ((view, chance),) = law("z", numbers, **scripts).items()
    assert chance == 1
    values: list[int]
    if numbers:
        ((*_, content),) = view[0][1]  # type: ignore[index]
        values = np.frombuffer(content[-1], dtype=G.dtype).tolist()
    else:
        values = list(view[-1])  # type: ignore[index]
    if sampled:
        assert run(Scripts(**scripts)).outputs["z"] == values
    return values


async def z(me: Party) -> list[int]:
    told: list[int] = (await me.receive(NOTE, "y")).open().plain.tolist()
    return told


def says(*values: int, to: str = "y") -> Script:
    async def script(me: Party) -> None:
        for value in values:
            await me.send(NOTE, to, small(value))

    return script


def sums(*values: int, keys: Sequence[int] | None = None) -> Script:
    """Sends a value after the other under a summed tag, with keys or without."""

    async def script(me: Party) -> None:
        for place, value in enumerate(values):
            if keys is None:
                await me.send(SHARE, "y", small(value))
            else:
                rows = small(value)[:, np.newaxis]
                await me.scatter(KEYED, to=[me.group("y")], rows=rows, keys=index([keys[place]], 9))

    return script


@READINGS
def test_receive_takes_one_message_after_the_other_from_the_sender_named(numbers: bool) -> None:
    async def y(me: Party) -> None:
        late, first, second = [await me.receive(NOTE, name) for name in ("b", "a", "a")]
        await me.send(NOTE, "z", joined(late, first, second))

    assert outcome(numbers, a=says(1, 2), b=says(0), y=y, z=z) == [0, 1, 2]


@READINGS
def test_receive_each_takes_several_of_one_sender_in_order(numbers: bool) -> None:
    async def y(me: Party) -> None:
        await me.send(NOTE, "z", joined(*await me.receive_each(NOTE, "a", 3)))

    assert outcome(numbers, a=says(2, 0, 1), y=y, z=z) == [2, 0, 1]


@READINGS
def test_receive_any_takes_every_message_once_and_names_its_sender(numbers: bool) -> None:
    async def y(me: Party) -> None:
        got = dict([await me.receive_any(NOTE) for _ in range(3)])
        await me.send(NOTE, "z", joined(got["a"], got["b"], got["y"]))

    async def own(me: Party) -> None:
        await me.send(NOTE, "y", small(0))
        await y(me)

    assert outcome(numbers, a=says(2), b=says(1), y=own, z=z) == [2, 1, 0]


@READINGS
def test_the_order_of_messages_does_not_tell_who_tossed_a_coin(numbers: bool) -> None:
    class Tosses:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b), "y": Seat(self.y)}

        async def a(self, me: Party, held: int) -> None:
            if held == 2:
                me.coins.bernoulli(0.5)
            await me.send(NOTE, "y", small(0))

        async def b(self, me: Party) -> None:
            await me.send(NOTE, "y", small(0))

        async def y(self, me: Party) -> list[str]:
            return [(await me.receive_any(NOTE))[0] for _ in range(2)]

    assert [run(Tosses(), [held]).outputs["y"] for held in (1, 2)] == [["a", "b"], ["a", "b"]]
    assert Comparison(Tosses(), "y", numbers).compare([1], [2]).same


@READINGS
def test_gather_takes_one_message_of_each_in_the_order_named(numbers: bool) -> None:
    async def y(me: Party) -> None:
        await me.send(
            NOTE,
            "z",
            joined(*await me.gather(NOTE, ["b", "a"]), *await me.gather(NOTE, ["a", "b"])),
        )

    assert outcome(numbers, a=says(1, 0), b=says(2, 1), y=y, z=z) == [2, 1, 0, 1]


@READINGS
def test_gather_sum_by_senders_adds_one_message_of_each_in_every_epoch(numbers: bool) -> None:
    async def y(me: Party) -> None:
        got = [await me.gather_sum(SHARE, senders=["a", "b"]) for _ in range(3)]
        await me.send(NOTE, "z", joined(*got))

    assert outcome(numbers, a=sums(1, 2, 0), b=sums(1, 0, 0), y=y, z=z) == [2, 2, 0]


@READINGS
def test_gather_sum_by_key_adds_the_messages_with_the_key(numbers: bool) -> None:
    async def y(me: Party) -> None:
        late = await me.gather_sum(KEYED, key=7, count=2)
        early = await me.gather_sum(KEYED, key=0, count=1)
        await me.send(NOTE, "z", joined(early, late))

    assert outcome(numbers, a=sums(1, 2, keys=[0, 7]), b=sums(2, keys=[7]), y=y, z=z) == [1, 1]


@READINGS
def test_gather_sums_adds_key_by_key(numbers: bool) -> None:
    async def y(me: Party) -> None:
        got = await me.gather_sums(KEYED, [5, 1], [1, 2])
        await me.send(NOTE, "z", joined(got[0], got[1]))

    assert outcome(numbers, a=sums(1, 2, keys=[1, 5]), b=sums(1, keys=[1]), y=y, z=z) == [2, 2]


@READINGS
def test_publish_gives_everybody_the_same(numbers: bool) -> None:
    async def a(me: Party) -> None:
        await me.publish(NOTE, ["x", "y"], small(2, 1))

    async def x(me: Party) -> None:
        await me.send(BACK, "y", await me.receive(NOTE, "a"))

    async def y(me: Party) -> None:
        await me.send(NOTE, "z", joined(await me.receive(NOTE, "a"), await me.receive(BACK, "x")))

    assert outcome(numbers, a=a, x=x, y=y, z=z) == [2, 1, 2, 1]


@READINGS
def test_scatter_gives_each_its_row_own_row_included(numbers: bool) -> None:
    async def y(me: Party) -> None:
        await me.scatter(NOTE, to=["x", "y", "w"], rows=constant(G, [[1, 1], [2, 0], [0, 2]]))
        back = [
            await me.receive(BACK, "w"),
            await me.receive(BACK, "x"),
            await me.receive(NOTE, "y"),
        ]
        await me.send(NOTE, "z", joined(*back))

    async def returns(me: Party) -> None:
        await me.send(BACK, "y", await me.receive(NOTE, "y"))

    assert outcome(numbers, w=returns, x=returns, y=y, z=z) == [0, 2, 1, 1, 2, 0]


@READINGS
def test_scatter_of_a_summed_tag_gives_each_the_sum_of_its_rows(numbers: bool) -> None:
    async def deals(me: Party) -> None:
        await me.scatter(SHARE, to=["x", "y"], rows=constant(G, [[1], [2]]))

    async def x(me: Party) -> None:
        await me.send(BACK, "y", await me.gather_sum(SHARE, senders=["a", "b", "y"]))

    async def y(me: Party) -> None:
        await deals(me)
        mine = await me.gather_sum(SHARE, senders=["y", "a", "b"])
        await me.send(NOTE, "z", joined(mine, await me.receive(BACK, "x")))

    assert outcome(numbers, a=deals, b=deals, x=x, y=y, z=z) == [0, 0]


@READINGS
def test_scatter_with_keys_gives_each_group_the_rows_of_its_key(numbers: bool) -> None:
    async def a(me: Party) -> None:
        groups = [me.group(["x", "y"]), me.group(["y"])]
        await me.scatter(KEYED, to=groups, rows=constant(G, [[0], [1], [2]]), keys=index([3, 4], 9))

    async def x(me: Party) -> None:
        await me.send(BACK, "y", await me.gather_sum(KEYED, key=3, count=1))

    async def y(me: Party) -> None:
        got = await me.gather_sums(KEYED, [4, 3], [1, 1])
        await me.send(NOTE, "z", joined(got[0], got[1], await me.receive(BACK, "x")))

    assert outcome(numbers, a=a, x=x, y=y, z=z) == [2, 1, 0]


@READINGS
def test_several_epochs_of_one_key_take_each_sender_s_messages_in_turn(numbers: bool) -> None:
    async def y(me: Party) -> None:
        got = [await me.gather_sum(KEYED, key=4, count=2) for _ in range(2)]
        await me.send(NOTE, "z", joined(*got))

    assert outcome(numbers, a=sums(1, 0, keys=[4, 4]), b=sums(1, 1, keys=[4, 4]), y=y, z=z) == [
        2,
        1,
    ]


@READINGS
def test_a_message_to_oneself_is_nobody_else_s(numbers: bool) -> None:
    async def y(me: Party) -> None:
        await me.send(NOTE, "y", small(2))
        await me.send(NOTE, "z", await me.receive(NOTE, "y"))

    assert outcome(numbers, y=y, z=z) == [2]
    ((view, _),) = law("network", numbers, y=y, z=z).items()
    crossing = view[0][1][1]  # type: ignore[index]
    assert [(sender, to) for _, sender, to, _ in crossing] == [(0, 1)]


# Replies: what is sent after something has come.


class Replies:
    """`a` waits for `b`, and then tells it what it holds, in a way of its own."""

    def __init__(self, tell: Callable[[Party, int], Any]) -> None:
        self.tell = tell

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, held: int) -> None:
        drawn = self.tell(me, held)
        await me.receive(NOTE, "b")
        await me.send(BACK, "b", drawn)

    async def b(self, me: Party) -> None:
        await me.send(NOTE, "a", bits([1]))
        await me.receive(BACK, "a")


def masked(me: Party, held: int) -> Any:
    return me.secret(small(held)) + me.coins.field(G, (1,))


TELLS = [  # how, the exact δ(0) and ε between 1 and 2
    ("in clear", lambda _, held: bits([held - 1]), 1, math.inf),
    ("as an undeclared element", lambda _, held: small(held), 1, math.inf),
    (
        "with noise",
        lambda me, held: bits([(held == 1) ^ me.coins.bernoulli(0.25)]),
        HALF,
        math.log(3),
    ),
    ("by a multiple", lambda me, held: me.secret(small(1)) * held, 1, math.inf),
]


@READINGS
@pytest.mark.parametrize(
    ("how", "tell", "distance", "largest"), TELLS, ids=[how for how, *_ in TELLS]
)
def test_a_reply_that_hangs_on_an_input_tells_inputs_apart(
    how: str, tell: Callable[[Party, int], Any], distance: Fraction, largest: float, numbers: bool
) -> None:
    compared = Comparison(Replies(tell), "b", numbers).compare([1], [2])
    assert compared.delta() == distance
    assert compared.epsilon == largest


@READINGS
def test_a_reply_that_is_masked_or_hangs_on_nothing_tells_nothing(numbers: bool) -> None:
    for tell in (masked, lambda _, __: small(1), lambda me, _: bits([me.coins.bernoulli(0.5)])):
        assert Comparison(Replies(tell), "b", numbers).compare([1], [2]).same


@pytest.mark.parametrize("numbers", [False, True])
def test_a_declared_secret_in_a_reply_tells_inputs_apart(numbers: bool) -> None:
    compared = Comparison(Replies(lambda me, held: me.secret(small(held))), "b", numbers).compare(
        [1], [2]
    )
    assert (compared.delta(), compared.epsilon) == (1, math.inf)


@READINGS
def test_a_reply_that_hangs_on_a_coin_has_the_law_of_the_coin(numbers: bool) -> None:
    tell = Replies(lambda me, _: bits([me.coins.bernoulli(Fraction(1, 3))]))
    found = Views(Model(tell, numbers), "b").law([1])
    assert sorted(found.values()) == [Fraction(1, 3), Fraction(2, 3)]


def test_a_reply_masked_by_a_coin_s_leave_has_no_law_unless_field_coins_are_played() -> None:
    def tell(me: Party, held: int) -> Any:
        return masked(me, held) if me.coins.bernoulli(0.5) else me.secret(small(held))

    assert Comparison(Replies(tell), "b", enumerate_field=True).compare([1], [2]).delta() == HALF
    with pytest.raises(BadInput, match="cannot tell which combinations"):
        Comparison(Replies(tell), "b").compare([1], [2])


class Returns:
    """`b` sends `a` an element, which comes back multiplied by what `a` holds."""

    def __init__(self, sends: Callable[[Party], Any]) -> None:
        self.sends = sends

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, held: int) -> None:
        await me.send(BACK, "b", await me.receive(NOTE, "b") * held)

    async def b(self, me: Party) -> None:
        await me.send(NOTE, "a", self.sends(me))
        await me.receive(BACK, "a")


RETURNED = [  # what `b` sends, and what is seen of it: all, unless it is zero
    ("a coin", lambda me: me.coins.field(G, (1,)), Fraction(2, 3)),
    ("a secret", lambda me: me.secret(small(2)), Fraction(1)),
    ("a number", lambda _: small(2), Fraction(1)),
    ("zero", lambda _: small(0), Fraction(0)),
]


@pytest.mark.parametrize(
    ("what", "sends", "distance"), RETURNED, ids=[what for what, *_ in RETURNED]
)
@pytest.mark.parametrize(
    "numbers",
    [False, True],
    ids=["unknown field coins, or no law claimed", "enumerated field coins"],
)
def test_what_comes_back_multiplied_gives_the_factor_away(
    what: str, sends: Callable[[Party], Any], distance: Fraction, numbers: bool
) -> None:
    compared = None
    with contextlib.suppress(BadInput):
        compared = Comparison(Returns(sends), "b", numbers).compare([1], [2])
    if numbers or compared is not None:
        assert compared is not None
        assert compared.delta() == distance


# Rules of the kernel that hold here too.


def test_a_party_that_waits_for_what_nobody_sends_is_named() -> None:
    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    async def c(me: Party) -> None:
        await me.gather_sum(SHARE, senders=["a"])

    for name, script in (("b", b), ("c", c)):
        with pytest.raises(Stall, match=f"{name} waits"):
            Model(Scripts(a=idle, **{name: script})).worlds(())


def test_a_stall_in_one_world_of_several_is_found() -> None:
    async def a(me: Party) -> None:
        if me.coins.bernoulli(Fraction(1, 1000)):
            await me.send(NOTE, "b", small(1))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    with pytest.raises(Stall, match="b waits"):
        worlds(a=a, b=b)


def test_two_parties_that_wait_for_each_other_stall() -> None:
    async def waits(me: Party) -> None:
        await me.receive(NOTE, "b" if me.name == "a" else "a")

    with pytest.raises(Stall):
        worlds(a=waits, b=waits)


def test_an_error_in_a_script_names_its_party() -> None:
    async def b(me: Party) -> None:
        raise ValueError("too late")

    with pytest.raises(ScriptError, match=r"^b .*too late"):
        worlds(a=idle, b=b)


def gathers(*names: str) -> Script:
    async def y(me: Party) -> None:
        await me.gather_sum(SHARE, senders=names)

    return y


async def two_rows(me: Party) -> None:
    await me.send(SHARE, "y", small(1, 2))


async def plain_row(me: Party) -> None:
    await me.send(SHARE, "y", index(1, 5))


async def bare_number(me: Party) -> None:
    payload: Any = 5
    await me.send(NOTE, "y", payload)


BROKEN = [
    ("a stranger's message in a sum", {"a": sums(1), "b": sums(1), "y": gathers("a")}),
    ("rows of two shapes in a sum", {"a": sums(1), "b": two_rows, "y": gathers("a", "b")}),
    ("plain numbers in a sum", {"a": sums(1), "b": plain_row, "y": gathers("a", "b")}),
    ("a payload that cannot travel", {"a": bare_number, "y": idle}),
]


@pytest.mark.parametrize(("what", "scripts"), BROKEN, ids=[what for what, _ in BROKEN])
def test_what_a_run_refuses_is_refused_where_it_is_played_out(
    what: str, scripts: dict[str, Script]
) -> None:
    with pytest.raises(ScriptError):
        run(Scripts(**scripts))
    with pytest.raises(ScriptError):
        Model(Scripts(**scripts)).worlds(())


# What the network sees.


async def busy(me: Party) -> None:
    others = me.group([name for name in me.names("user") if name != me.name])
    await me.scatter(SHARE, to=me.all("user"), rows=me.coins.field(G, (3, 2)))
    await me.publish(NOTE, to=others, payload=(index([1, 2], 77), bits([1]), small(1)))
    await me.send(NOTE, me.name, bits([1, 0]))
    await me.gather(NOTE, others)
    await me.receive(NOTE, me.name)
    total = await me.gather_sum(SHARE, senders=me.all("user"))
    await me.scatter(KEYED, to=[others], rows=constant(G, [[1], [2]]), keys=index([0], 9))
    await me.gather_sum(KEYED, key=0, count=2)
    await me.send(NOTE, "u1", total)
    if me.index == 1:
        for _ in me.names("user"):
            await me.receive_any(NOTE)


def test_the_network_sees_rounds_links_and_sizes_of_a_run() -> None:
    protocol = Crowd(3, busy)
    done = run(protocol, observe=protocol.parties())
    sent = [(m.round, m.sender, m.recipient, m.frame_bytes) for m in done.transcript.messages]
    ((view, _),) = Views(Model(protocol), "network").law(()).items()
    _, crossing = view[0][1]  # type: ignore[index]
    assert sorted(crossing) == sorted(message for message in sent if message[1] != message[2])
    ((again, _),) = Views(Model(protocol), "u1, network").law(()).items()
    assert again[0][1][1] == crossing  # type: ignore[index]


# Structure that is hidden.


def hiding(told: bool) -> type:
    """`a` masks what it holds, or not, by a coin of its own, and says which if it is told to."""

    class Hiding:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b)}

        async def a(self, me: Party, held: int) -> None:
            secret = me.secret(small(held))
            masks = me.coins.bernoulli(0.5)
            await me.send(NOTE, "b", secret + me.coins.field(G, (1,)) if masks else secret)
            if told:
                await me.send(BACK, "b", bits([masks]))

        async def b(self, me: Party) -> None:
            await me.receive(NOTE, "a")
            if told:
                await me.receive(BACK, "a")

    return Hiding


def test_no_law_is_claimed_where_one_discrete_part_goes_with_different_combinations() -> None:
    with pytest.raises(
        BadInput, match=r"\{b\} cannot tell which combinations .* enumerate field coins too"
    ) as refused:
        Comparison(hiding(told=False)(), "b").compare([1], [2])
    assert "\n" not in str(refused.value)


def test_where_no_law_is_claimed_field_coins_can_be_enumerated() -> None:
    compared = Comparison(hiding(told=False)(), "b", enumerate_field=True).compare([1], [2])
    assert compared.delta() == HALF  # 2/3 against 1/6
    assert compared.epsilon == math.log(4)


def test_structure_that_the_set_is_told_is_no_obstacle() -> None:
    for numbers in (False, True):
        compared = Comparison(hiding(told=True)(), "b", numbers).compare([1], [2])
        assert (compared.delta(), compared.epsilon) == (HALF, math.inf)
        assert Comparison(hiding(told=True)(), "network", numbers).compare([1], [2]).same


# Random scripts: the reduced view against brute force.

NAMES = ["a", "b", "c"]
MOST = 250  # worlds with field coins enumerated


@attrs.frozen
class Step:
    """One thing that happens, to all who have a part in it: a message, a sum, a coin, or a plain
    bit that is told.

    `weights` are coefficients of what the sender knows so far; `hides` makes the first of them hang
    on its last coin.
    """

    kind: str
    sender: int
    to: int
    weights: tuple[int, ...]
    hides: bool

    @property
    def senders(self) -> list[int]:
        """Who sends elements."""
        everyone = {"send": [self.sender], "sum": [0, 1, 2], "any": [0, 1, 2]}.get(self.kind, [])
        return [number for number in everyone if self.kind == "sum" or number != self.to]


@attrs.frozen
class Programme:
    """Three parties that each hold an element, draw some more, and go through the same steps."""

    modulus: int
    drawn: tuple[int, int, int]
    steps: tuple[Step, ...]
    tosses: tuple[bool, bool, bool] = (False, False, False)

    def parties(self) -> Mapping[str, Seat]:
        return {name: Seat(self.party, place) for place, name in enumerate(NAMES, start=1)}

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    async def party(self, me: Party, held: int) -> None:
        number = me.index - 1
        known: list[Any] = [me.secret(constant(self.field, [held]))]
        if self.drawn[number]:
            coins = me.coins.field(self.field, (self.drawn[number],))
            known += [coins[place : place + 1] for place in range(self.drawn[number])]
        tossed = [self.tosses[number] and me.coins.bernoulli(Fraction(1, 3))]
        for place, step in enumerate(self.steps):
            tag = SHARE if step.kind == "sum" else Tag(f"{step.kind} {place}")
            if step.kind == "toss" and step.sender == number:
                tossed.append(me.coins.bernoulli(Fraction(1, 3)))
            if step.kind == "tell" and step.sender == number:
                await me.send(
                    tag, NAMES[step.to], bits([tossed[-1] ^ (held % 2 if step.hides else 0)])
                )
            elif number in step.senders:
                await me.send(tag, NAMES[step.to], self.combined(step, known, tossed[-1]))
            if step.to == number:
                await self.hears(me, step, tag, known, tossed)

    async def hears(
        self, me: Party, step: Step, tag: Tag, known: list[Any], tossed: list[bool]
    ) -> None:
        """What comes of a step to the party that it goes to."""
        if step.kind == "tell":
            tossed.append(bool((await me.receive(tag, NAMES[step.sender])).numbers()[0]))
        elif step.kind == "send":
            known.append(await me.receive(tag, NAMES[step.sender]))
        elif step.kind == "sum":
            known.append(await me.gather_sum(tag, senders=NAMES))
        elif step.kind == "any":  # in whatever order they come
            got = dict([await me.receive_any(tag) for _ in step.senders])
            known += [got[name] for name in sorted(got)]

    def combined(self, step: Step, known: Sequence[Any], tossed: bool) -> Any:
        total = (
            constant(self.field, [step.weights[-1]])
            if step.hides and tossed
            else constant(self.field, [0])
        )
        for weight, value in zip(step.weights, known, strict=False):
            total = total + value * (weight + (step.hides and tossed))
        return total


@st.composite
def programmes(draw: st.DrawFn) -> Programme:
    modulus = draw(st.sampled_from([2, 3]))
    drawn = draw(st.tuples(*[st.integers(0, 2)] * 3))
    tosses = draw(st.tuples(*[st.booleans()] * 3))
    kinds = st.sampled_from(["send", "send", "send", "sum", "toss", "tell", "any"])
    weights = st.tuples(*[st.integers(0, modulus - 1)] * 5)
    steps = st.builds(
        lambda kind, sender, by, *more: Step(kind, sender, (sender + by) % 3, *more),
        kinds,
        st.integers(0, 2),
        st.integers(1, 2),
        weights,
        st.booleans(),
    )
    chosen = tuple(draw(st.lists(steps, min_size=2, max_size=6)))
    tossed = sum(tosses) + sum(step.kind == "toss" for step in chosen)
    assume(modulus ** sum(drawn) * 2**tossed <= MOST)
    return Programme(modulus, drawn, chosen, tosses)


SETS = ["a", "b", "c", "a, b", "b, c", "c, a", "network", "a, network", "b, c, network"]


def assert_readings_agree(
    programme: Programme, corrupt: str, pairs: Sequence[tuple[list[int], list[int]]]
) -> None:
    symbolic, brute = (Comparison(programme, corrupt, numbers) for numbers in (False, True))
    for one, other in pairs:
        full = brute.compare(one, other)
        reduced = None
        with contextlib.suppress(BadInput):
            reduced = symbolic.compare(one, other)
        if reduced is None:
            event("refused")
            continue
        event("same" if full.same else "infinite ε" if full.epsilon == math.inf else "finite ε")
        assert reduced.same == full.same
        assert reduced.epsilon == full.epsilon
        assert reduced.delta() == full.delta()
        assert reduced.delta(0.3) == pytest.approx(full.delta(0.3), abs=1e-12)
        assert sum(reduced.one.values()) == sum(full.one.values()) == 1


@settings(max_examples=70, phases=PHASES)
@given(programmes(), st.sampled_from(SETS), st.data())
def test_the_reduced_view_tells_inputs_apart_exactly_as_brute_force_does(
    programme: Programme, corrupt: str, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(0, programme.modulus - 1), min_size=3, max_size=3))
    honest = [place for place, name in enumerate(NAMES) if name not in corrupt.split(", ")]
    others = []
    for values in product(range(programme.modulus), repeat=len(honest)):
        other = list(held)
        for place, value in zip(honest, values, strict=True):
            other[place] = value
        others.append((held, other))
    assert_readings_agree(programme, corrupt, others[:5])


@settings(max_examples=60, phases=PHASES)
@given(programmes(), st.data())
def test_what_a_run_does_is_one_of_the_worlds(programme: Programme, data: st.DataObject) -> None:
    held = data.draw(st.lists(st.integers(0, programme.modulus - 1), min_size=3, max_size=3))
    done = run(programme, held, data.draw(st.integers(0, 99)), observe=NAMES)
    sent = sorted(
        (m.round, m.sender, m.recipient, m.frame_bytes)
        for m in done.transcript.messages
        if m.sender != m.recipient
    )
    model = Model(programme)
    views: list[Any] = list(Views(model, "network").law(held))
    assert sum(Views(model, "network").law(held).values()) == 1
    assert sent in [sorted(discrete[1][1]) for discrete, *_ in views]


def test_laws_are_compared_in_both_directions() -> None:
    one: Law = {"x": HALF, "y": HALF}
    other: Law = {"x": Fraction(3, 4), "y": Fraction(1, 4)}
    assert epsilon(one, other) == epsilon(other, one) == math.log(2)
    assert delta(one, other) == delta(other, one) == Fraction(1, 4)
    assert delta(one, other, math.log(2)) == pytest.approx(0, abs=1e-15)
    assert epsilon(one, {"x": Fraction(1)}) == math.inf
    assert delta(one, {"x": Fraction(1)}, 5.0) == HALF


def test_what_was_played_out_for_one_pair_does_not_change_the_next() -> None:
    programme = Programme(3, (1, 0, 0), (Step("send", 0, 1, (1, 1, 0, 0, 0), False),))
    comparison = Comparison(programme, "b")
    fresh = [Comparison(programme, "b").compare([0, 0, 0], [held, 0, 0]).same for held in range(3)]
    kept = [comparison.compare([0, 0, 0], [held, 0, 0]).same for held in range(3)]
    assert fresh == kept == [True, True, True]


def each_world(found: Sequence[World]) -> Iterator[Fraction]:
    return (world.probability for world in found)


def test_progress_is_told_the_probability_covered() -> None:
    async def a(me: Party) -> None:
        me.coins.categorical([1, 2, 5], 1)

    told: list[float] = []
    played = Model(Scripts(a=a)).worlds((), progress=told.append)
    assert told == [float(chance) for chance in each_world(played)]
    assert sum(told) == 1
