"""Whether a door discloses all numbers that it was given."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simnet import Field, Party, Sealed
from simnet.adversary.door_uses import is_in_full
from tests.harness.door_laws import play_with, read
from tests.harness.many_cases import for_each
from tests.harness.scripts import idle

F = Field(5)


def in_full(function: Callable[..., Any], *shapes: tuple[int, ...]) -> bool:
    async def a(me: Party) -> None:
        me.disclose(function, *(me.coins.field(F, shape) for shape in shapes))

    (door,) = read(play_with([], a=a, b=idle), {"b"}, 2).disclosing
    return is_in_full(door.call)


@for_each(
    "function, shapes",
    [
        (int, [()]),
        (np.asarray, [(3,)]),
        (list, [(3,)]),
    ],
)
def test_functions_that_hand_numbers_on_are_in_full(
    function: Callable[..., Any], shapes: list[tuple[int, ...]]
) -> None:
    assert in_full(function, *shapes)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda v: v[0], [(2,)]),
        (lambda v: v % 2, [(1,)]),
        (lambda v: v + 0, [(3,)]),  # is in full, but not known to be so
        (lambda d, e: (int(d[0]), int(e[0])), [(1,), (1,)]),
        (lambda d, e: (d, d), [(3,), (3,)]),  # noqa: ARG005
        (lambda v, coins: int(v[0]) if coins.bernoulli(0.5) else 0, [(1,)]),
        (sum, [(3,)]),
    ],
)
def test_functions_that_may_lose_numbers_are_not(
    function: Callable[..., Any], shapes: list[tuple[int, ...]]
) -> None:
    assert not in_full(function, *shapes)


def test_an_input_beside_the_numbers_is_not_in_full() -> None:
    async def a(me: Party, item: Sealed) -> None:
        me.disclose(lambda x, r: (x, r), item, me.coins.field(F, (1,)))

    (door,) = read(play_with([1], a=a, b=idle), {"b"}, 2).disclosing
    assert not is_in_full(door.call)
