"""The list of a run's draws has the value, law and place of every draw, and no other draws."""

import re
from collections.abc import Mapping
from fractions import Fraction

import attrs
import numpy as np
import pytest

from protocols.dpds.script import DPDS
from simnet import BadInput, Party, ScriptError, Sealed, Seat, Shuffled, run
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.values.field import Field

F = Field(101)


@attrs.frozen
class AllDraws:
    """u1 draws of every law once, in its script and in a door."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user)}

    async def user(self, me: Party, item: Sealed) -> object:
        drawn = [draw(me.coins) for draw in DRAWS]
        me.secret(lambda x, coins: x + coins.bernoulli(0.25), item, field=F, shape=())
        return [value.open() if hasattr(value, "open") else value for value in drawn]


DRAWS = [
    lambda coins: coins.bernoulli(0.5),
    lambda coins: coins.bernoullis(Fraction(1, 3), 4),
    lambda coins: coins.binomials(np.array([3, 40]), 0.5),
    lambda coins: coins.integers(7, 5),
    lambda coins: coins.subset(2, 9),
    lambda coins: coins.weighted_subset(2, 9, 3, 5),
    lambda coins: coins.categorical([1, 0, 2], 3),
    lambda coins: coins.uniform(2),
    lambda coins: coins.normal(2),
    lambda coins: coins.exponential(2),
    lambda coins: coins.discrete_normal(Fraction(5), 3),
    lambda coins: coins.discrete_laplace(Fraction(5, 2), 3),
    lambda coins: coins.skellam(Fraction(5), 3),
    lambda coins: coins.field(F, (2, 2)),
]


def test_every_draw_is_told_with_value_law_and_place() -> None:
    draws = run(AllDraws(), [1], seed=4).coins("u1")
    same: Coins = SampledCoins(4, "u1")
    for draw, law in zip(draws, DRAWS, strict=False):
        value = law(same)
        expected = value.numbers() if hasattr(value, "numbers") else value
        assert np.array_equal(draw.value, expected)
        assert re.fullmatch(r"round 1 \(\S*test_drawn\.py:\d+\)", draw.place)
    assert len({draw.law for draw in draws}) == len(draws) == len(DRAWS) + 1
    assert draws[-1].value == same.bernoulli(0.25)
    assert re.fullmatch(r"round 1, me\.secret \(\S*test_drawn\.py:\d+\)", draws[-1].place)


@pytest.mark.parametrize("schedule", [None, Shuffled(3)])
def test_the_coins_of_a_user_are_all_that_it_hides_its_item_with(
    schedule: Shuffled | None,
) -> None:
    """The shares that a user sends are what its coins gave, save the last one."""
    protocol = DPDS(3, 2, 0.5)
    done = run(protocol, [1, 2, 2], seed=6, observe=["u2"], schedule=schedule)
    takes_part, shares = done.coins("u2")
    assert takes_part.law == "true with probability 0.5"
    assert takes_part.place.startswith("round 1, me.secret (")
    assert shares.law == "uniform on F_5, shape (2, 2)"
    assert shares.place.startswith("deferred block 1 (") or shares.place.startswith("round 1 (")
    (own,) = done.secrets["u2"]
    sent = [
        message.payload.numbers() for message in done.view(["u2"]).sent if message.tag == "share"
    ]
    drawn = np.asarray(shares.value, dtype=np.int64)
    rows = [*drawn, (own.numbers() - drawn.sum(axis=0)) % 5]
    assert all(any(np.array_equal(row, share) for row in rows) for share in sent)
    assert done.coins("server") == ()


def test_coins_of_nobody_and_of_a_run_that_is_no_function_of_its_seed_are_refused() -> None:
    with pytest.raises(BadInput, match="'u9'"):
        run(AllDraws(), [1]).coins("u9")
    calls = iter(range(9))

    class Changing(AllDraws):
        async def user(self, me: Party, item: Sealed) -> object:
            return next(calls)

    with pytest.raises(ScriptError, match="the second run differs from the first"):
        run(Changing(), [1]).coins("u1")
