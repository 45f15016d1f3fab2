"""Shamir's sharing by counts equals a verdict on every coalition, or the run is refused."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from simnet import BadInput, Field, Seat, Summed, Tag, every_coalition, run, seats
from simnet.adversary.coalitions.answer import Answer
from simnet.adversary.coalitions.one_by_one import OneByOne
from simnet.adversary.coalitions.shamir import NotShared, answer_by_shares
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.scenario.find import find
from tests.harness.counted import compared
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but, slow_but
from tests.harness.timing import stopwatch

F = Field(101)
HOUSE = {
    "dpds_shamir": {"users": "4", "items": "2", "sharing": "shamir:2"},
    "dpds_shamir, threshold 3": {"users": "5", "items": "1", "sharing": "shamir:3"},
    "dpds_shamir, threshold 1": {"users": "3", "items": "2", "sharing": "shamir:1"},
    "dpds_shamir, threshold n": {"users": "4", "items": "1", "sharing": "shamir:4"},
    "committee": {"users": "3", "items": "2", "members": "3", "sharing": "shamir:2"},
    "tss": {"users": "5", "items": "3", "reported": "2", "sharing": "shamir:2"},
    "tss_prime": {"users": "5", "items": "2", "reported": "1", "bound": "3", "sharing": "shamir:2"},
}


def played(name: str, settings: Mapping[str, str], seed: int) -> Run:
    scenario = find(name.partition(",")[0])[1].with_settings(dict(settings))
    protocol = scenario.build(scenario.users, scenario.items)
    held: list[Any] = [1 + place % scenario.items for place in range(scenario.users)]
    return run(protocol, held, seed)


def shares_by_count(done: Run) -> Answer:
    return answer_by_shares(done, OneByOne(done))


@pytest.mark.parametrize("name", slow_but(HOUSE, "dpds_shamir"))
@pytest.mark.parametrize("seed", long_but([1, 2], 1))
def test_counts_equal_a_verdict_on_every_coalition(name: str, seed: int) -> None:
    done = played(name, HOUSE[name], seed)
    found = shares_by_count(done)
    assert found.is_complete
    assert compared(found, every_coalition(done)) > 0


class Sharing:
    """Three senders share two numbers each among four recipients, who report sums to a server.

    The variants differ from Shamir's sharing in one respect, for one sender or one recipient.
    """

    points: Sequence[int] = (1, 2, 3, 4)

    def parties(self) -> Mapping[str, Seat]:
        return {
            **seats("s", self.sender, 3),
            **seats("r", self.recipient, 4),
            "server": Seat(self.server),
        }

    def weights(self, index: int) -> Ints:
        return np.array([[x * x, x, 1] for x in self.points])

    async def sender(self, me: Any, number: int) -> None:
        mine = me.secret(lambda x: [x, x + 1], number, field=F, shape=(2,))
        drawn: list[Any] = []
        for item in range(2):
            drawn.append(self.coins(me, drawn))
            rows = drawn[-1].append(self.hidden(me, mine, item))
            shares = rows.combine(self.weights(me.index))
            await me.scatter(Summed(f"item{item}"), to=me.all("recipient"), rows=shares)
        await self.extra(me, mine)

    def coins(self, me: Any, drawn: Sequence[Any]) -> Any:
        return me.coins.field(F, (2, 1))

    def hidden(self, me: Any, mine: Any, item: int) -> Any:
        return mine[[item]]

    async def extra(self, me: Any, mine: Any) -> None: ...

    async def recipient(self, me: Any) -> None:
        for item in range(2):
            total = await me.gather_sum(Summed(f"item{item}"), senders=me.all("sender"))
            await self.report(me, item, total)

    async def report(self, me: Any, item: int, total: Any) -> None:
        await me.send(Tag(f"sum{item}"), "server", total)

    async def server(self, me: Any) -> None:
        for item in range(2):
            await me.gather(Tag(f"sum{item}"), me.all("recipient"))


class CoinsAgain(Sharing):
    """One sender hides both numbers behind the same coins: each item by itself hides its number."""

    def coins(self, me: Any, drawn: Sequence[Any]) -> Any:
        return drawn[0] if drawn and me.index == 2 else super().coins(me, drawn)


class SecretAgain(Sharing):
    """One sender shares its first number twice. The server's two sums differ by the others'."""

    def hidden(self, me: Any, mine: Any, item: int) -> Any:
        return mine[[0 if me.index == 2 else item]]


class SumOfNumbers(Sharing):
    """One sender shares the sum of its numbers in place of the first."""

    def hidden(self, me: Any, mine: Any, item: int) -> Any:
        return mine.sum()[np.newaxis] if me.index == 2 and item == 0 else mine[[item]]


class EqualPoints(Sharing):
    points = (1, 2, 3, 3)


class PointZero(Sharing):
    points = (1, 2, 3, 0)


class OwnMatrix(Sharing):
    """One sender has polynomials of another degree."""

    def weights(self, index: int) -> Ints:
        return (
            np.array([[x * x * x, x, 1] for x in self.points])
            if index == 2
            else super().weights(index)
        )


class OtherPoints(Sharing):
    """One sender gives the recipients other points. The sums are no values of one polynomial."""

    def weights(self, index: int) -> Ints:
        points = reversed(self.points) if index == 2 else self.points
        return np.array([[x * x, x, 1] for x in points])


class TellsACoin(Sharing):
    async def extra(self, me: Any, mine: Any) -> None:
        if me.index == 2:
            await me.send(Tag("coin"), "r1", me.coins.field(F, (1,)))

    async def recipient(self, me: Any) -> None:
        await super().recipient(me)
        if me.name == "r1":
            await me.receive(Tag("coin"), "s2")


class ReportsTwice(Sharing):
    """One recipient reports twice the sum: it tells the same, but is no sum of shares."""

    async def report(self, me: Any, item: int, total: Any) -> None:
        await me.send(Tag(f"sum{item}"), "server", total * 2 if me.name == "r3" else total)


class ReportsWithACoin(Sharing):
    async def report(self, me: Any, item: int, total: Any) -> None:
        coin = me.coins.field(F, (1,))
        await me.send(Tag(f"sum{item}"), "server", total + coin if me.name == "r3" else total)


class ReportsToAPeer(Sharing):
    """One recipient reports to another recipient as well."""

    async def report(self, me: Any, item: int, total: Any) -> None:
        await super().report(me, item, total)
        if me.name == "r3":
            await me.send(Tag("peer"), "r4", total)
        if me.name == "r4":
            await me.receive(Tag("peer"), "r3")


class Unreported(Sharing):
    """Nobody reports a sum."""

    async def report(self, me: Any, item: int, total: Any) -> None: ...

    async def server(self, me: Any) -> None: ...


class CoinsAgainUnreported(Unreported, CoinsAgain):
    """Two recipients learn nothing of one item, and of both items a difference."""


class SecretAgainUnreported(Unreported, SecretAgain):
    """Three shares of a number are enough; two of each sharing are not, but nobody proved it."""


class SomeReport(Sharing):
    async def report(self, me: Any, item: int, total: Any) -> None:
        if me.name != "r4":
            await super().report(me, item, total)

    async def server(self, me: Any) -> None:
        for item in range(2):
            await me.gather(Tag(f"sum{item}"), ["r1", "r2", "r3"])


class ReportsToASender(Sharing):
    """The sums go to a sender."""

    async def report(self, me: Any, item: int, total: Any) -> None:
        await me.send(Tag(f"sum{item}"), "s1", total)

    async def extra(self, me: Any, mine: Any) -> None:
        if me.name == "s1":
            await super().server(me)

    async def server(self, me: Any) -> None: ...


class TwoCollectors(Sharing):
    """A second server receives the sums, too."""

    def parties(self) -> Mapping[str, Seat]:
        return {**super().parties(), "other": Seat(self.server)}

    async def report(self, me: Any, item: int, total: Any) -> None:
        await super().report(me, item, total)
        await me.send(Tag(f"sum{item}"), "other", total)


class SplitReports(TwoCollectors):
    """Each server receives the sums of two recipients."""

    async def report(self, me: Any, item: int, total: Any) -> None:
        to = "server" if me.name in ("r1", "r2") else "other"
        await me.send(Tag(f"sum{item}"), to, total)

    async def server(self, me: Any) -> None:
        for item in range(2):
            await me.gather(
                Tag(f"sum{item}"), ["r1", "r2"] if me.name == "server" else ["r3", "r4"]
            )


class OpensACoin(Sharing):
    async def extra(self, me: Any, mine: Any) -> None:
        if me.index == 2:
            me.disclose(lambda rows: int(rows[0]), mine[[0]] + me.coins.field(F, (1,)))


VARIANTS = (
    CoinsAgain,
    SecretAgain,
    SumOfNumbers,
    EqualPoints,
    PointZero,
    OwnMatrix,
    OtherPoints,
    TellsACoin,
    ReportsTwice,
    ReportsWithACoin,
    ReportsToAPeer,
    CoinsAgainUnreported,
    SecretAgainUnreported,
    SomeReport,
    ReportsToASender,
    TwoCollectors,
    SplitReports,
    OpensACoin,
)


@pytest.mark.slow
def test_two_numbers_of_each_sender_are_two_parts() -> None:
    unreported = run(Unreported(), [5, 6, 7], 1)
    assert compared(shares_by_count(unreported), every_coalition(unreported)) > 0
    done = run(Sharing(), [5, 6, 7], 1)
    found = shares_by_count(done)
    assert [part.secrets for part in found.parts] == [
        ("element 1 of secret 1",),
        ("element 2 of secret 1",),
    ]
    assert compared(found, every_coalition(done)) > 0


@for_each("variant", VARIANTS)
def test_a_run_that_differs_in_one_respect_is_refused(variant: type[Sharing]) -> None:
    with pytest.raises(NotShared):
        shares_by_count(run(variant(), [5, 6, 7], 1))


@pytest.mark.slow
def test_random_matrices_and_sums_are_refused_or_counted_rightly() -> None:
    found: Counter[str] = Counter()
    for seed in range(60):
        draw = Random(seed)
        protocol = Sharing()
        degrees = draw.choice([(0,), (1, 0), (2, 1, 0), (1, 2, 0), (3, 1, 0), (0, 1)])
        points = draw.sample(range(1, 101), 4)
        if draw.random() < 0.3:
            points[draw.randrange(4)] = draw.choice([0, 1, points[0]])
        matrix = np.array([[pow(x, d, 101) for d in degrees] for x in points])

        class Drawn(Sharing):
            def weights(self, index: int, matrix: Ints = matrix) -> Ints:
                return matrix

            def coins(self, me: Any, drawn: Any, inner: int = len(degrees)) -> Any:
                return me.coins.field(F, (inner - 1, 1))

        protocol = Drawn()
        done = run(protocol, [5, 6, 7], seed)
        try:
            counted = shares_by_count(done)
        except NotShared:
            found["refused"] += 1
            continue
        if found["counted"] < 5:
            compared(counted, every_coalition(done))
        found["counted"] += 1
    assert min(found.values()) >= 5


def test_additive_sharing_and_silence_are_refused() -> None:
    with pytest.raises(NotShared, match="not values, at different points"):
        shares_by_count(played("dpds", {"users": "3", "items": "1"}, 1))
    with pytest.raises(NotShared, match="seeds"):
        shares_by_count(played("secagg", {"users": "3", "items": "1"}, 1))

    class Silent:
        def parties(self) -> Mapping[str, Seat]:
            return seats("u", self.user, 2)

        async def user(self, me: Any, number: int) -> None: ...

    with pytest.raises(BadInput, match="declared a secret"):
        shares_by_count(run(Silent(), [1, 2], 1))


@pytest.mark.slow
def test_shamir_with_two_hundred_users() -> None:
    done = played("dpds_shamir", {"users": "200", "items": "5", "sharing": "shamir:20"}, 1)
    with stopwatch() as taken:
        found = shares_by_count(done)
    ((standing,),) = (part.standings for part in found.parts)
    assert standing.exposing.minimal == ((20, 0),)
    assert standing.exposing.maximal == ((19, 1),)
    assert standing.touching.minimal == ((0, 1), (20, 0))
    assert standing.touching.maximal == ((19, 0),)
    assert taken.seconds < 60
