"""Whoever drops out of a run of any protocol: one outcome over all schedules, no wrong value."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pytest

from protocols import DPDS, OUE
from protocols.committee.script import RobustDPDS
from protocols.local_frequency.script import FrequencyCollection
from protocols.sharing.schemes import Shamir
from protocols.tss.robust import AGREED, HEARD, PARTIAL, REPORTERS, RobustTSS
from protocols.tss.script import SHARE
from simnet import Fate, Seat, Tag, bits, index, seats
from simnet.contract import Ideal
from simnet.kernel.ideal import takes_happened
from tests.harness.fate_cases import FATED, LOCAL, SURVIVING, FateCase, case_of, check, checked
from tests.harness.marks import slow_but


@pytest.mark.parametrize("turn", slow_but(range(3), 0))
def test_every_protocol_keeps_the_rules(turn: int) -> None:
    outcomes = checked(turn * len(FATED), (turn + 1) * len(FATED))
    assert {name for name, _ in outcomes} == set(FATED)


@pytest.mark.slow
@pytest.mark.parametrize("count", [160, pytest.param(400, marks=pytest.mark.long)])
def test_many_cases_keep_the_rules(count: int) -> None:
    outcomes = checked(10_000, 10_000 + count)
    by_outcome = {outcome: 0 for _, outcome in outcomes}
    for (_, outcome), count in outcomes.items():
        by_outcome[outcome] += count
    assert min(by_outcome.values()) > count / 14
    assert {name for name, outcome in outcomes if outcome == "result of survivors"} == set(
        SURVIVING
    )


def test_every_protocol_that_is_told_who_was_heard_is_compared_with_its_ideal_world() -> None:
    told = set()
    for number, name in enumerate(sorted(FATED)):
        protocol = case_of(number).protocol
        if isinstance(protocol, Ideal) and takes_happened(protocol):
            told.add(name)
    # A local collection has no ideal world: its reports are disclosed, and there is no secret.
    assert told == set(SURVIVING).difference(LOCAL)


# Protocols that break a rule are found.


class AddsUpWhatComes(DPDS):
    """The server presents what the partial sums that came give as the sum of all."""

    sharing: Shamir

    async def server(self, me: Any) -> Any:
        came = await me.gather_some(Tag("partial"), me.all("user"))
        counts = self.sharing.interpolate(list(came.values()), range(1, len(came) + 1))
        return me.output(self.estimate, counts)


class DividesByAllUsers(RobustDPDS):
    """The server normalises by all users, also if some are not counted."""

    def estimate(self, counts: Any, users: int) -> Any:
        del users
        return super().estimate(counts, self.users)


class AddsUpOwnList(RobustTSS):
    """Elected users add up the shares that have come to themselves, whatever S1 answers."""

    async def add_up(self, me: Any, duties: Sequence[int]) -> None:
        users = me.names("user")
        marks = (await me.receive(REPORTERS, "S1")).numbers()
        reporters = [[users[place] for place in np.flatnonzero(row)] for row in marks]
        came = [
            await me.heard(SHARE, names, at_least=0, key=j)
            for j, names in zip(duties, reporters, strict=True)
        ]
        lists = [[name in names for name in users] for names in came]
        await me.send(HEARD, to="S1", payload=bits(lists))
        await me.receive(AGREED, "S1")
        for j, names in zip(duties, came, strict=True):
            total = await me.gather_sum(SHARE, senders=names, key=j)
            await me.send(PARTIAL, to="S2", payload=(index(j, self.items, "Nd"), total))


class CountsMissingReportsAsZeros(FrequencyCollection):
    """The server divides by all users, also if some reports have not come."""

    def estimate(self, rows: Any) -> Any:
        mechanism: Any = self.mechanism
        return mechanism.debiased(mechanism.supports(rows.numbers()) / self.users)


class Hurried:
    """The server returns whose message came first."""

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 4), "server": Seat(self.server)}

    async def user(self, me: Any) -> None:
        await me.send(Tag("note"), to="server", payload=bits([1]))

    async def server(self, me: Any) -> str:
        first: str = (await me.receive_any(Tag("note")))[0]
        return first


def case(protocol: Any, held: Sequence[int], estimator: str = "server") -> FateCase:
    """A case of a protocol in which nobody drops out."""
    names = {
        AddsUpWhatComes: "dpds",
        CountsMissingReportsAsZeros: "local_frequency",
        DividesByAllUsers: "dpds_robust",
        AddsUpOwnList: "tss_robust",
    }
    name = names.get(type(protocol), "")
    return FateCase(name, protocol, held, 3, {}, (1, 2), estimator=estimator)


ITEMS = [1, 2, 2, 1, 1]
BROKEN = {
    "a part as the whole": (
        case(AddsUpWhatComes(5, 2, 1.0, "shamir:2"), ITEMS),
        Fate("partial"),
        "server gives",
    ),
    "a wrong number of users": (
        case(DividesByAllUsers(5, 2, 1.0, sharing="shamir:2"), ITEMS),
        Fate("share", reached=2),
        "server gives",
    ),
    "missing reports as zeros": (
        case(CountsMissingReportsAsZeros(5, OUE(1.0, 2)), ITEMS),
        Fate("report"),
        "server gives",
    ),
    "no agreement": (
        case(AddsUpOwnList(5, 2, 1.0, reported=2, sharing="shamir:2"), ITEMS, "S2"),
        Fate("share", reached=3),
        "S2 gives",
    ),
    "an order of events": (case(Hurried(), []), Fate("note"), "changed the trace"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_protocol_that_breaks_a_rule_is_found(name: str) -> None:
    sound, fate, words = BROKEN[name]
    if name != "an order of events":
        assert check(sound) == "result"
    with pytest.raises(AssertionError, match=words):
        check(attrs.evolve(sound, fates={"u1": fate}))
