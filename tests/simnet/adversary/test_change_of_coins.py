"""The change of coins is compared with all values of small systems, and on known protocols."""

import itertools
from collections import Counter
from typing import Any

import attrs
import pytest

from protocols.multiplication.script import Multiplication
from simnet import Field, Judge, Seat, Tag, constant, run, seats, verdict
from simnet.adversary.bounds import ENDS
from tests.harness.fuzz import FACTOR
from tests.harness.marks import long_but, slow_but
from tests.harness.random_systems import compared

SYSTEMS = 5000 * FACTOR


@pytest.mark.parametrize("most_doors", [0, 2])
def test_the_rule_never_says_less_than_the_truth(most_doors: int) -> None:
    table = compared(range(100), most_doors)
    assert {true for _, true in table} == {"nothing", "output-only", "leaks"}


@pytest.mark.slow
@pytest.mark.parametrize("most_doors", long_but([0, 2], 2))
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


@attrs.frozen
class MaskedOpening:
    """A server opens the sum of a number and a coin. By mistake a party S receives the coin."""

    mistake: bool = False
    items: int = 2

    def parties(self) -> dict[str, Seat]:
        return {"u": Seat(self.user), "server": Seat(self.server), "S": Seat(self.reader)}

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(int, number, field=F, shape=())
        coin, other = me.coins.field(F, ()), me.coins.field(F, ())
        await me.send(SHARE, "server", mine + coin)
        await me.send(SHARE, "S", coin if self.mistake else other)

    async def server(self, me: Any) -> None:
        opened = me.disclose(int, await me.receive(SHARE, "u"))
        await me.send(OUT, "S", constant(F, opened))

    async def reader(self, me: Any) -> None:
        await me.receive(SHARE, "u")
        await me.receive(OUT, "server")


@attrs.frozen
class Prio:
    """Two servers check that a shared number x is 0 or 1, at a random point t, by the product of
    the lines through (0, r) and (1, x), and through (0, s) and (1, x - 1). By mistake r = s = 0.
    """

    mistake: bool = False
    items: int = 2

    def parties(self) -> dict[str, Seat]:
        servers = {name: Seat(self.server) for name in ("leader", "helper")}
        return {"client": Seat(self.client), "coin": Seat(self.coin), **servers}

    async def client(self, me: Any, item: Any) -> None:
        x = me.secret(lambda item: item - 1, item, field=F, shape=())
        r, s = me.coins.field(F, ()), me.coins.field(F, ())
        if self.mistake:
            r, s = x * 0, x * 0
        a, b = x - r, x - constant(F, 1) - s
        for number in (x, r, s, r * s, r * b + s * a, a * b):
            mask = me.coins.field(F, ())
            await me.send(SHARE, "helper", mask)
            await me.send(SHARE, "leader", number - mask)

    async def coin(self, me: Any) -> None:
        point = int(me.coins.integers(F.modulus - 2, 1)[0]) + 2  # neither 0 nor 1
        for name in ("leader", "helper"):
            await me.send(OUT, name, constant(F, point))

    async def server(self, me: Any) -> None:
        x, r, s, *product = [await me.receive(SHARE, "client") for _ in range(6)]
        t = await me.receive(OUT, "coin")
        one = constant(F, int(me.name == "leader"))
        checked = product[0] + product[1] * t + product[2] * t * t
        other = "helper" if me.name == "leader" else "leader"
        for value in (
            r + (x - r) * t,
            s + (x - one - s) * t,
            checked,
            sum(product[1:], product[0]),
        ):
            await me.send(RESHARE, other, value)
        for _ in range(4):
            await me.receive(RESHARE, other)


# What coalitions learn, by theory.


def by_bgw(members: set[str], protocol: BGW) -> str:
    shares = len(members.intersection(PARTIES))
    if members >= {"x", "y"}:
        return "nothing"
    if shares >= 2 or (protocol.mistake and shares):
        return "leaks"
    return "output-only" if "reader" in members else "nothing"


def by_beaver(members: set[str], protocol: Multiplication) -> str:
    servers = len(members & {"s1", "s2"})
    if sum(name.startswith("u") for name in members) == protocol.users:
        return "nothing"
    is_reader, is_dealer = "reader" in members, "dealer" in members
    if servers == 2 or (is_dealer and (servers or is_reader)):
        return "leaks"
    if servers and not protocol.fresh_triples:
        return "leaks"
    return "output-only" if is_reader else "nothing"


def by_opening(members: set[str], protocol: MaskedOpening) -> str:
    if "u" in members:
        return "nothing"
    # Without the mistake, nobody but the user has the coin.
    return "leaks" if "S" in members and protocol.mistake else "nothing"


def by_prio(members: set[str], protocol: Prio) -> str:
    servers = len(members & {"leader", "helper"})
    if "client" in members:
        return "nothing"
    return "leaks" if servers == 2 or (servers and protocol.mistake) else "nothing"


def judged(protocol: Any, inputs: list[int], truth: Any) -> Counter[tuple[str, str, str]]:
    """Count the two ends of the verdicts on all coalitions, with the truth. Both ends hold."""
    done = run(protocol, inputs, 1)
    names, found = list(done.roster.names), Counter[tuple[str, str, str]]()
    judge = Judge([done], names)
    for size in range(1, len(names)):
        for members in itertools.combinations(names, size):
            seen, true = judge.verdict(list(members)), truth(set(members), protocol)
            ends = seen.at_least, true, seen.at_most
            assert list(ends) == sorted(ends, key=ENDS.index), (members, ends)
            found[seen.at_least, seen.at_most, true] += 1
    return found


# By name: a protocol, its inputs, and what its coalitions learn.
EVERY_COALITION: dict[str, tuple[Any, list[int], Any]] = {
    "BGW": (BGW(), [1, 2], by_bgw),
    "BGW, no fresh coins": (BGW(mistake=True), [1, 2], by_bgw),
    "Beaver": (Multiplication(users=2, items=3), [2, 3], by_beaver),
    "Beaver, one triple": (Multiplication(4, 3, fresh_triples=False), [2, 3, 1, 3], by_beaver),
    "masked opening": (MaskedOpening(), [1], by_opening),
    "masked opening, told": (MaskedOpening(mistake=True), [1], by_opening),
    "Prio": (Prio(), [2], by_prio),
    "Prio, no random values": (Prio(mistake=True), [2], by_prio),
}


@pytest.mark.parametrize("name", slow_but(EVERY_COALITION, "masked opening", "Prio"))
def test_every_coalition_is_judged_rightly(name: str) -> None:
    """The upper end is what the coalition learns. In Prio's proof, it is above this for a server,
    who sees x² - x: that this is 0 for each number x that a client may share is not used.
    """
    found = judged(*EVERY_COALITION[name])
    apart = [key for key in found if key[1] != key[2]]
    assert apart == ([("nothing", "leaks", "nothing")] if name == "Prio" else [])


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
