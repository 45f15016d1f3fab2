"""The change of coins is compared with all values of small systems, and on known protocols."""

from typing import Any

import attrs
import pytest

from protocols.multiplication.script import Multiplication
from simnet import Field, Seat, Tag, run, seats, verdict
from tests.harness.fuzz import FACTOR
from tests.harness.random_systems import compared

SYSTEMS = 5000 * FACTOR


@pytest.mark.parametrize("most_doors", [0, 2])
def test_the_rule_never_says_less_than_the_truth(most_doors: int) -> None:
    table = compared(range(100), most_doors)
    assert {true for _, true in table} == {"nothing", "output-only", "leaks"}


@pytest.mark.slow
@pytest.mark.parametrize("most_doors", [0, 2])
def test_most_systems_that_are_safe_are_decided(most_doors: int) -> None:
    table = compared(range(SYSTEMS), most_doors)
    for truth in ("nothing", "output-only"):
        safe = sum(count for (_, true), count in table.items() if true == truth)
        assert table[truth, truth] >= 0.6 * safe


F, SHARE, RESHARE, OUT = Field(101), Tag("share"), Tag("reshare"), Tag("out")
PARTIES = ["p1", "p2", "p3"]


@attrs.frozen
class BGW:
    """Three parties multiply two shared numbers, and share the product again. By mistake they use
    no fresh coins.
    """

    mistake: bool = False
    items: int = 2

    def parties(self) -> dict[str, Seat]:
        holders = {name: Seat(self.user) for name in "xy"}
        return {**holders, **seats("p", self.party, 3), "reader": Seat(self.reader)}

    async def user(self, me: Any, number: Any) -> None:
        mine, coin = self.answer(number, me), me.coins.field(F, ())
        for at, name in enumerate(PARTIES, 1):
            await me.send(SHARE, name, mine + coin * at)

    async def party(self, me: Any) -> None:
        x, y = await me.gather(SHARE, ["x", "y"])
        coin = me.coins.field(F, ())
        for at, name in enumerate(PARTIES, 1):
            await me.send(RESHARE, name, x * y + coin * (0 if self.mistake else at))
        first, second, third = await me.gather(RESHARE, PARTIES)
        await me.send(OUT, "reader", first * 3 - second * 3 + third)

    async def reader(self, me: Any) -> Any:
        first, second, _ = await me.gather(OUT, PARTIES)
        return me.output(int, first * 2 - second)

    def answer(self, number: Any, user: Any) -> Any:
        return user.secret(int, number, field=F, shape=())

    def functionality(self, numbers: Any, users: Any) -> dict[str, Any]:
        x, y = (self.answer(number, user) for number, user in zip(numbers, users, strict=True))
        return {"reader": x * y}


def test_bgw_multiplication_tells_a_party_nothing_and_the_reader_the_product() -> None:
    done = run(BGW(), [1, 2])
    assert [verdict(done, name).finding for name in ("p1", "p2", "p3")] == ["nothing"] * 3
    assert verdict(done, "reader").finding == "output-only"
    assert verdict(done, "p1, reader").at_most == "output-only"
    assert verdict(done, "p1, p2").finding == "leaks"
    assert verdict(run(BGW(mistake=True), [1, 2]), "p1").at_most == "leaks"


def test_a_triple_that_is_used_twice_tells_a_server_a_difference() -> None:
    fresh, used = (
        run(Multiplication(users=4, items=3, fresh_triples=is_fresh), [2, 3, 1, 3])
        for is_fresh in (True, False)
    )
    minus = used.protocol.field.modulus - 1
    for name in ("s1", "s2"):
        assert verdict(fresh, name).finding == "nothing"
        found = verdict(used, name)
        assert found.finding == "leaks"
        differences = [[(s.party, c) for s, c in each.terms] for each in found.functions]
        assert differences == [[("u1", 1), ("u3", minus)], [("u2", 1), ("u4", minus)]]
