"""Classes are told apart whatever the parties of a run are called."""

from collections.abc import Mapping

import pytest

from simnet import Field, Party, Seat, Summed, run, verdict
from simnet.adversary.orbits.lift import lift
from simnet.adversary.orbits.outline import outline_of
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.structure import Structure
from simnet.adversary.reading_again import Recording

F, COINS, TOTALS, MASKED = Field(10_007), Summed("coins"), Summed("totals"), Summed("masked")


class OneMask:
    """Three users and a helper exchange coins. The helper returns to each user the sum of the
    users' coins, so all users report their secrets behind the same mask.
    """

    def __init__(self, helper: str) -> None:
        self.helper_name = helper

    def parties(self) -> Mapping[str, Seat]:
        return {
            "server": Seat(self.server),
            self.helper_name: Seat(self.helper),
            **{f"u{place}": Seat(self.user) for place in (1, 2, 3)},
        }

    async def user(self, me: Party, number: int) -> None:
        helper = me.group([self.helper_name])
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        stack = type(mine).stack
        await me.scatter(COINS, to=helper, rows=me.coins.field(F, (1, 1)))
        coin = await me.gather_sum(COINS, senders=helper)
        await me.scatter(TOTALS, to=helper, rows=stack([coin]))
        mask = await me.gather_sum(TOTALS, senders=helper)
        await me.scatter(MASKED, to=me.group(["server"]), rows=stack([mine + mask]))

    async def helper(self, me: Party) -> None:
        users = me.all("user")
        await me.scatter(COINS, to=users, rows=me.coins.field(F, (3, 1)))
        total = await me.gather_sum(COINS, senders=users)
        await me.scatter(TOTALS, to=users, rows=type(total).stack([total] * 3))
        await me.gather_sum(TOTALS, senders=users)

    async def server(self, me: Party) -> None:
        await me.gather_sum(MASKED, senders=me.all("user"))


@pytest.mark.parametrize("helper", ["helper", "honest users, kind 3"])
def test_a_party_may_have_the_name_of_a_class(helper: str) -> None:
    """The server is sent b + m by each user, with one m, and learns differences of secrets."""
    protocol, inputs = OneMask(helper), [1, 2, 3]
    recording = Recording()
    assert verdict(run(protocol, inputs, 1), "server").finding == "leaks"
    sampled = run(protocol, inputs, 1, reading=recording)
    structure = Structure(outline_of(sampled, recording.record))
    try:
        found = lift(structure, frozenset({sampled.roster.number["server"]})).at_most
    except NotAlike:
        return
    assert found == "leaks"
