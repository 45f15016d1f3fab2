"""Real views are compared with simulated ones, for a very small protocol."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import attrs
import pytest

from simnet import Coins, Party, Seat, Tag, bits, constant
from simnet.contract import Holder, Simulator
from simnet.exhaustive.simulation import leaked_law, real_law, simulated_law
from simnet.values.sealed import Sealed
from tests.harness.scripts import NOTE
from tests.harness.tiny import HALF, G, held_by

COIN = Tag("coin")


@attrs.frozen
class Masked:
    """Party `a` sends its element to `b` behind a mask; a coin decides whether it also sends the
    mask.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, element: Sealed) -> None:
        shows = me.coins.bernoulli(0.5)
        mask = me.coins.field(G, (1,))
        await me.send(COIN, "b", bits([shows]))
        await me.send(NOTE, "b", held_by(me, element) + mask)
        await me.send(NOTE, "b", mask if shows else constant(G, [0]))

    async def b(self, me: Party) -> None:
        await me.receive(COIN, "a")
        await me.receive_each(NOTE, "a", 2)


@attrs.frozen
class Shown:
    """`Masked` with a given element and a given coin, as `b` sees it."""

    told: int | None  # the element, if it is shown

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, element: Sealed) -> None:
        del element
        mask = me.coins.field(G, (1,))
        await me.send(COIN, "b", bits([self.told is not None]))
        if self.told is None:
            await me.send(NOTE, "b", mask)
            await me.send(NOTE, "b", constant(G, [0]))
        else:
            await me.send(NOTE, "b", me.secret(lambda: [self.told], field=G, shape=(1,)) + mask)
            await me.send(NOTE, "b", mask)

    async def b(self, me: Party) -> None:
        await me.receive(COIN, "a")
        await me.receive_each(NOTE, "a", 2)


@attrs.frozen
class MaskedSimulator:
    """A simulator that is given the element if the coin shows it; if it should fail, it is never
    given the element.
    """

    is_told: bool = True
    protocol: Masked = Masked()

    def leaked(self, inputs: Any, users: Sequence[Holder], corrupt: Collection[str]) -> Hashable:
        del corrupt
        return users[0].disclose(self.shown, inputs[0])

    def shown(self, element: int, coins: Coins) -> int | None:
        return element if coins.bernoulli(0.5) and self.is_told else None

    def simulated(self, corrupt: Collection[str], leaked: Any) -> Shown:
        del corrupt
        return Shown(leaked)


FACET: type[Simulator] = MaskedSimulator


def test_what_a_simulator_is_told_has_the_law_of_the_ideal_world_s_coins() -> None:
    assert leaked_law(MaskedSimulator(), [2], ["b"]) == {2: HALF, None: HALF}


@pytest.mark.parametrize("element", range(3))
def test_a_simulator_that_is_told_enough_has_the_law_of_the_real_view(element: int) -> None:
    simulator = MaskedSimulator()
    real = real_law(simulator.protocol, [element], ["b"])
    assert simulated_law(simulator, [element], ["b"]) == real
    assert simulated_law(MaskedSimulator(is_told=False), [element], ["b"]) != real


def test_a_protocol_without_a_simulator_is_refused_by_a_sentence() -> None:
    protocol: Any = Masked()
    with pytest.raises(TypeError, match=r"^Masked is no simulator: .* `leaked` and `simulated`"):
        simulated_law(protocol, [1], ["b"])
