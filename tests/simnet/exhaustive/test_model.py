"""Worlds of hand-written scripts: the exhaustive reading refuses what a run refuses, and finds
scripts that wait for ever.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simnet import BadInput, Field, Party, ScriptError, Stall, index, run
from simnet.exhaustive.model import PILOT, Model, World
from tests.harness.marks import long_but
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


MANY = (1 << 22) + 1


UNNUMBERED: list[Callable[[Party], object]] = [
    lambda me: me.coins.field(G, (MANY,)),
    lambda me: [me.coins.field(G, (1 << 21,)) for _ in range(3)],
    lambda me: me.secret(lambda: np.zeros(MANY, dtype=np.int64), field=G, shape=(MANY,)),
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


# How much there is to play out, before it is.


def tossing(coins: int, sides: int) -> Script:
    async def a(me: Party) -> None:
        me.coins.integers(sides, coins)

    return a


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "about"),
    [(tossing(8, 10), "100,000,000"), (tossing(30, 10), "10^30"), (tossing(60, 2), "10^18")],
)
def test_far_too_many_worlds_are_refused_before_they_are_played_out(
    script: Script, about: str
) -> None:
    told: list[float] = []
    with pytest.raises(BadInput) as refused:
        Model(Scripts(a=script)).worlds((), progress=told.append)
    assert len(told) < PILOT
    assert str(refused.value) == (
        f"there are more than 1,000,000 worlds to play out (about {about}): use fewer users, items "
        "or coins, a smaller field, or raise the limit"
    )


@pytest.mark.slow
@pytest.mark.parametrize("chance", long_but([Fraction(1, 2), Fraction(1, 1000)], Fraction(1, 1000)))
def test_a_long_row_of_worlds_is_not_taken_for_a_wide_tree(chance: Fraction) -> None:
    """A random way through it may promise 2^50 worlds, and there are 2,050."""

    async def a(me: Party) -> None:
        for _ in range(49):
            if me.coins.bernoulli(chance):
                return
        me.coins.integers(2001, 1)

    assert len(Model(Scripts(a=a)).worlds((), limit=2050)) == 2050
    with pytest.raises(BadInput, match=r"more than 2,049 worlds"):
        Model(Scripts(a=a)).worlds((), limit=2049)


@pytest.mark.slow
@pytest.mark.parametrize("enumerated", long_but([False, True], True))
def test_a_script_that_draws_until_it_likes_the_outcome_is_refused(enumerated: bool) -> None:
    async def rejects(me: Party) -> None:
        while me.disclose(lambda elements: elements[0] == 0, me.coins.field(G, (1,))):
            pass

    async def tosses(me: Party) -> None:
        while me.coins.bernoulli(0.5):
            pass

    async def answers(me: Party) -> None:
        other = "b" if me.name == "a" else "a"
        while me.coins.bernoulli(0.5):
            await me.send(NOTE, other, index(0, 2))

    for scripts in ({"a": rejects}, {"a": tosses}, {"a": answers, "b": idle}):
        with pytest.raises(BadInput, match=r"opened field elements 200 times, and a does so again"):
            worlds(enumerated, **scripts)


def test_as_many_tries_as_are_counted_are_played_out() -> None:
    async def a(me: Party) -> None:
        for _ in range(5):
            if me.disclose(lambda elements: elements[0] != 0, me.coins.field(G, (1,))):
                return

    for enumerated in (False, True):
        found = worlds(enumerated, a=a)
        assert len(found) == 2 * 5 + 1
        assert sum(world.probability for world in found) == 1


@pytest.mark.parametrize(
    ("draw", "coin"),
    [
        (lambda me: me.coins.integers(1 << 40, 1), "an integer below 1,099,511,627,776"),
        (lambda me: me.coins.subset(20, 40), "a subset of 20 of 40"),
        (
            lambda me: me.coins.field(Field((1 << 31) - 1), (1,)),
            "a field element mod 2,147,483,647",
        ),
    ],
)
def test_a_coin_of_too_many_outcomes_is_refused_before_they_are_listed(
    draw: Callable[[Party], object], coin: str
) -> None:
    async def a(me: Party) -> None:
        draw(me)

    with pytest.raises(BadInput, match=rf"^{coin} has [\d,]+ outcomes, and more than 1,000,000"):
        worlds(True, a=a)


def test_a_script_that_does_something_else_when_it_is_played_again_is_refused(
    tmp_path: Path,
) -> None:
    asked = tmp_path / "asked"
    asked.touch()

    async def a(me: Party) -> None:
        asked.write_text(asked.read_text() + "1")
        await me.receive(NOTE, "b" if len(asked.read_text()) < 5 else "c")
        me.coins.bernoulli(0.5)

    async def sends(me: Party) -> None:
        await me.send(NOTE, "a", index(0, 2))

    with pytest.raises(ScriptError, match=r"^a .*when its script is played again"):
        worlds(a=a, b=sends, c=sends)


@pytest.mark.slow
def test_an_instance_a_little_above_the_limit_is_refused_before_it_is_played_out() -> None:
    told: list[float] = []
    with pytest.raises(BadInput, match=r"more than 8,191 worlds to play out \(about 8,192\)"):
        Model(Scripts(a=tossing(13, 2))).worlds((), limit=8191, progress=told.append)
    assert len(told) < PILOT
    assert len(Model(Scripts(a=tossing(11, 2))).worlds((), limit=2048)) == 2048
