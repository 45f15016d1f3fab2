"""If an honest party tossed coins, symmetry says `leaks` only where elimination does."""

from collections import Counter

import pytest

from protocols.sharing.coalitions import ENOUGH_ELECTED, TOO_FEW_ELECTED
from protocols.tss.script import TSS
from simnet import Field, Seat, Summed, Tag, bits, run, seats
from simnet.adversary.judge import Judge, verdict
from simnet.scenario.claims import Exposes, LearnsNothing
from simnet.scenario.judging import undecided
from tests.harness.lifted import coalitions_of
from tests.harness.marks import long_but

F = Field(10_007)
FACTOR, MINE, THANKS = Tag("factor"), Summed("mine"), Tag("thanks")


class Factors:
    """A chooser tosses a coin, and tells users whether to double what they send to the reader.

    `way` says what the reader receives from the chooser: nothing (`hidden`), the coin (`told`),
    another coin (`other`), or the coin after the users have thanked (`late`). With `idle` the coin
    changes nothing, because the users do not double.
    """

    def __init__(self, users, way):
        self.users, self.way = users, way

    def parties(self):
        return {
            **seats("u", self.user, self.users),
            "chooser": Seat(self.chooser),
            "reader": Seat(self.reader),
        }

    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        factor = 1
        if self.way != "idle":
            factor += int((await me.receive(FACTOR, "chooser")).numbers()[0])
        await me.send(MINE, "reader", mine * factor)
        if self.way == "late":
            await me.send(THANKS, "chooser", bits([1]))

    async def chooser(self, me):
        coin, other = (me.coins.subset(1, 2).plain[0] for _ in range(2))
        if self.way == "idle":
            return
        await me.publish(FACTOR, to=me.all("user"), payload=bits([coin]))
        if self.way == "late":
            await me.gather(THANKS, me.all("user"))
        if self.way != "hidden":
            await me.send(FACTOR, "reader", bits([other if self.way == "other" else coin]))

    async def reader(self, me):
        if self.way not in ("hidden", "idle"):
            await me.receive(FACTOR, "chooser")
        await me.gather_sum(MINE, senders=me.all("user"))


def findings(protocol, corrupt, seed=1):
    """The findings of symmetry and of elimination."""
    inputs = [1 + place % 3 for place in range(protocol.users)]
    done = run(protocol, inputs, seed)
    by_symmetry = Judge([done], by="symmetry").verdict(corrupt)
    return by_symmetry.finding, verdict(done, corrupt).finding


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("told", ("leaks", "leaks")),
        ("idle", ("leaks", "leaks")),
        ("hidden", ("undecided", "undecided")),
        # Whether the reader notices is a matter of one chance in two, tried six times.
        ("other", ("undecided", "undecided")),
        # The chooser speaks twice, so it cannot be played alone.
        ("late", ("undecided", "leaks")),
    ],
)
def test_whoever_does_not_know_the_coins_of_a_chooser_has_no_attack(way, expected):
    assert findings(Factors(5, way), "reader") == expected
    assert findings(Factors(5, way), "reader, chooser") == ("leaks", "leaks")


@pytest.mark.slow
@pytest.mark.parametrize(("users", "seed"), long_but([(6, 0), (8, 0), (8, 1)], (6, 0)))
def test_elected_users_know_the_election(users, seed):
    protocol = TSS(users, 3, 0.5, 2)
    inputs = [1 + place % 3 for place in range(users)]
    done = run(protocol, inputs, seed)
    judge = Judge([done], by="symmetry")
    direct = Judge([done], done.roster.names)
    found: Counter[str] = Counter()
    for corrupt in coalitions_of(done):
        names = [done.roster.names[number] for number in corrupt]
        both = judge.verdict(names).finding, direct.verdict(names).finding
        assert both[0] == both[1], names
        found[both[0]] += 1
    assert found["leaks"] > 10


def test_the_claims_of_two_stages_are_decided():
    protocol = TSS(60, 3, 0.5, 1)
    inputs = [1 + place % 3 for place in range(60)]
    done = run(protocol, inputs, 1)
    judge = Judge([done], by="symmetry")
    for chosen, finding in ((ENOUGH_ELECTED, "leaks"), (TOO_FEW_ELECTED, "nothing")):
        claim = Exposes(chosen) if finding == "leaks" else LearnsNothing(chosen, from_shares=True)
        found = judge.verdict(chosen.choose(done))
        assert found.finding == finding
        assert undecided(claim, found) is None
        assert claim.holds(found)
