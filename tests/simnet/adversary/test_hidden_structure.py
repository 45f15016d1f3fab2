"""Whether a coalition can tell which forms it was sent."""

from collections.abc import Mapping

import attrs
import pytest

from protocols.tss.script import TSS
from simnet import Field, Party, Run, Sealed, Seat, Tag, index, run, seats
from simnet.adversary.hidden_structure import OtherWorlds
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import Symbolic

F, NOTE, ORDER = Field(101), Tag("note"), Tag("order")


@attrs.frozen
class Mixer:
    """Three users, and a mixer that forwards their numbers in an order that it draws."""

    tells_order: bool

    def parties(self) -> Mapping[str, Seat]:
        return {
            **seats("u", self.user, 3),
            "mixer": Seat(self.mixer),
            "server": Seat(self.server),
        }

    async def user(self, me: Party, number: Sealed) -> None:
        secret = me.secret(lambda value: [value], number, field=F, shape=(1,))
        await me.send(NOTE, "mixer", secret)

    async def mixer(self, me: Party) -> None:
        received = await me.gather(NOTE, me.all("user"))
        first = int(me.coins.integers(3, 1)[0])
        await me.send(ORDER, "server", index(first if self.tells_order else 0, 3))
        for place in range(3):
            await me.send(NOTE, "server", received[(place + first) % 3])

    async def server(self, me: Party) -> None:
        await me.receive(ORDER, "mixer")
        await me.receive_each(NOTE, "mixer", 3)


def is_known(done: Run, members: list[str]) -> bool:
    sampled, record = recorded(done, members)
    reading = Symbolic(record)
    read_blind(sampled, members, reading)
    return OtherWorlds(sampled, reading, record, members).all_noticed_by(members)


@pytest.mark.parametrize("tells_order", [True, False])
def test_an_order_is_known_to_who_is_told_it(tells_order: bool) -> None:
    assert is_known(run(Mixer(tells_order), [5, 6, 7], seed=1), ["server"]) == tells_order


def test_an_order_is_known_to_who_chooses_it() -> None:
    assert is_known(run(Mixer(False), [5, 6, 7], seed=1), ["server", "mixer"])


def test_elected_users_know_for_whom_they_were_elected() -> None:
    done = run(TSS(6, 2, 0.5, 1), [1, 2, 1, 2, 1, 2], seed=3)
    assert is_known(done, [f"u{number}" for number in range(1, 6)])
