"""Worlds of hand-written scripts: what a run refuses is refused, and stalls are found."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from simnet import BadInput, Party, ScriptError, Stall, constant, index, run
from simnet.exhaustive.model import Model, World
from tests.harness.scripts import NOTE, SHARE, Script, Scripts, idle
from tests.harness.tiny import G, small, sums, worlds


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


def each_world(found: Sequence[World]) -> Iterator[Fraction]:
    return (world.probability for world in found)


def test_progress_is_told_the_probability_covered() -> None:
    async def a(me: Party) -> None:
        me.coins.categorical([1, 2, 5], 1)

    told: list[float] = []
    played = Model(Scripts(a=a)).worlds((), progress=told.append)
    assert told == [float(chance) for chance in each_world(played)]
    assert sum(told) == 1


UNNUMBERED: list[Callable[[Party], object]] = [
    lambda me: me.coins.field(G, ((1 << 22) + 1,)),
    lambda me: [me.coins.field(G, (1 << 21,)) for _ in range(3)],
    lambda me: me.secret(constant(G, np.zeros((1 << 22) + 1, dtype=np.int64))),
    lambda me: [
        me.coins.deferred(G, (1, 1), lambda coins: coins.field(G, (1, 1))) for _ in range(1000)
    ],
]


@pytest.mark.parametrize("draws", UNNUMBERED)
def test_more_unknowns_than_have_numbers_of_their_own_are_refused(
    draws: Callable[[Party], object],
) -> None:
    async def a(me: Party) -> None:
        draws(me)

    with pytest.raises(BadInput, match="played out"):
        worlds(a=a)
