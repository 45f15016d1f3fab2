"""Coalitions by counts equal a verdict on every coalition, or the run is refused."""

import random
from collections import Counter
from typing import Any

import pytest

from protocols.dpds.script import DPDS
from protocols.tss.script import TSS
from simnet import BadInput, Field, Judge, Seat, Summed, Tag, every_coalition, run, seats
from simnet.adversary.coalitions.alike import answer_by_symmetry
from simnet.adversary.coalitions.answer import Answer
from simnet.adversary.orbits.lift import lift
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import RowType, SymmetricSystem, exposes, solve, touches
from tests.harness.alike_scripts import house, inputs_of, random_alike
from tests.harness.counted import compared
from tests.harness.marks import long_but
from tests.harness.pairwise_masks import PairwiseMasks
from tests.harness.timing import stopwatch

F, NOTE, SHARE = Field(10_007), Tag("note"), Summed("share")


def counted(protocol: Any, inputs: Any, seed: int = 1) -> Answer:
    return answer_by_symmetry(Judge([run(protocol, inputs, seed)], by="symmetry").solver)


def house_or_sum(name: str, n: int) -> Any:
    return Total(n) if name == "sum" else house(name, n)


class Total:
    """Users share their numbers among all users, and report the sums to one of two servers; `odd`
    is the number of a user who reports three times the sum.
    """

    def __init__(self, users: int, odd: int = 0, field: Field = F) -> None:
        self.users, self.odd, self.field = users, odd, field

    def parties(self) -> dict[str, Seat]:
        servers = {"A": Seat(self.server), "B": Seat(self.server)}
        return {**seats("u", self.user, self.users), **servers}

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(lambda x: [x], number, field=self.field, shape=(1,))
        masks = me.coins.field(self.field, (self.users - 1, 1))
        rows = masks.append(mine - masks.sum())
        await me.scatter(SHARE, to=me.all("user"), rows=rows)
        total = await me.gather_sum(SHARE, senders=me.all("user"))
        coin = me.coins.field(self.field, (1,))
        await me.send(Tag("first"), "A", coin)
        await me.send(Tag("second"), "B", total * (3 if me.index == self.odd else 1) - coin)

    async def server(self, me: Any) -> None:
        await me.gather(Tag("first" if me.name == "A" else "second"), me.all("user"))


SMALL = [("dpds", 3), ("pairs", 3), ("sum", 3), ("two_server", 3)]
LARGER = [
    (name, n) for name in ("dpds", "dpdg", "tss", "tss_prime", "pairs", "sum") for n in (4, 5)
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"), [*SMALL, *long_but(LARGER, *(case for case in LARGER if case[1] < 5))]
)
def test_counts_equal_a_verdict_on_every_coalition(name: str, n: int) -> None:
    for seed in (1, 2):
        protocol = house_or_sum(name, n)
        inputs = [1 + place % getattr(protocol, "items", 3) for place in range(n)]
        found = counted(protocol, inputs, seed)
        assert found.is_complete
        assert compared(found, every_coalition(run(protocol, inputs, seed))) > 0


def compared_at_random(seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        protocol = random_alike(draw, draw.choice([2, 3, 3, 4]), draw.random() < 0.4)
        inputs = inputs_of(protocol)
        try:
            by_counts = counted(protocol, inputs, seed)
        except NotAlike:
            found["refused"] += 1
            continue
        exposing = compared(by_counts, every_coalition(run(protocol, inputs, seed)))
        found["exposing" if exposing else "safe"] += 1
        found["complete"] += by_counts.is_complete
    return found


def test_random_protocols_with_alike_users_or_an_odd_one() -> None:
    assert compared_at_random(range(3))["exposing"]


@pytest.mark.slow
@pytest.mark.parametrize("count", long_but([25, 80], 25))
def test_many_random_protocols_with_alike_users_or_an_odd_one(count: int) -> None:
    found = compared_at_random(range(2_000, 2_000 + count))
    assert min(found["exposing"], found["safe"], found["refused"]) > count / 16
    assert found["complete"] > 3 * count / 8


def test_a_user_who_differs_is_named_or_the_run_is_refused() -> None:
    """The odd user is a kind of its own, or nothing is said. The others are not lumped with it."""
    with pytest.raises(NotAlike):
        counted(Total(5, odd=3), [1, 2, 3, 4, 5])
    with pytest.raises(NotAlike, match="single messages"):
        counted(PairwiseMasks(10, reuses_from=10), list(range(10)))
    assert counted(PairwiseMasks(9, reuses_from=10), list(range(9))).is_complete


class Neighbours:
    """Users publish their secrets to the next two users. So all publish to as many users as the
    others, and hear from as many; but it matters who is next to whom.
    """

    def __init__(self, users: int) -> None:
        self.users = users

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, self.users)

    def near(self, index: int, steps: tuple[int, ...]) -> list[str]:
        return [f"u{(index - 1 + step) % self.users + 1}" for step in steps]

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        await me.publish(NOTE, self.near(me.index, (1, 2)), mine)
        await me.gather(NOTE, self.near(me.index, (-1, -2)))


def test_publishing_to_some_of_several_alike_parties_is_refused() -> None:
    with pytest.raises(NotAlike, match="publishes under note"):
        counted(Neighbours(5), [1, 2, 3, 4, 5])
    assert compared(
        counted(Neighbours(3), [1, 2, 3]), every_coalition(run(Neighbours(3), [1, 2, 3], 1))
    )


def test_only_exposing_and_touching_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What exceeds the output ends when somebody joins, so no bisection may rest on it: the search
    asks for the two monotone properties alone, and never for a finding.
    """

    class NoFinding:
        def __init__(self, lifted: Any) -> None:
            self.found = lifted.found

    monkeypatch.setattr(
        "simnet.adversary.coalitions.alike.lift", lambda *arguments: NoFinding(lift(*arguments))
    )
    assert counted(DPDS(users=6, items=2, participation=1.0), [1, 2, 1, 2, 1, 2]).is_complete


def two_elements(
    modulus: int, told: dict[tuple[int, int, tuple[tuple[int, int], ...]], int]
) -> Any:
    """Four users with two secrets each, of which rows for each user are seen without coins."""
    user = ("user",)
    return SymmetricSystem(
        modulus=modulus,
        sizes={"user": 4},
        rows=[RowType("row", user)],
        variables=[],
        secrets=[RowType("first", user), RowType("second", user)],
        ideal=[],
        seen={},
        told=told,
        handed={},
    )


OWN, OTHER = ((0, 0),), ()


@pytest.mark.parametrize("modulus", [2, 101])
def test_a_function_of_several_elements_of_one_secret_exposes(modulus: int) -> None:
    """No single element is determined, but the sum of both is a function of this user alone."""
    system = two_elements(modulus, {(0, 0, OWN): 1, (0, 1, OWN): 1})
    assert exposes(system, solve(system), "user") is True


def test_a_difference_of_two_elements_of_one_secret_exposes() -> None:
    """One secret of somebody else hides both elements, so only their difference is alone."""
    system = SymmetricSystem(
        modulus=101,
        sizes={"user": 4, "other": 1},
        rows=[RowType("first row", ("user",)), RowType("second row", ("user",))],
        variables=[],
        secrets=[
            RowType("first", ("user",)),
            RowType("second", ("user",)),
            RowType("hiding", ("other",)),
        ],
        ideal=[],
        seen={},
        told={(0, 0, OWN): 1, (1, 1, OWN): 1, (0, 2, OTHER): 1, (1, 2, OTHER): 1},
        handed={},
    )
    proof = solve(system)
    assert exposes(system, proof, "user") is True
    assert exposes(system, proof, "other") is False


def test_a_field_with_few_elements_ends_the_search_and_says_so() -> None:
    """Four users over F_3: both servers learn the sum. It exposes nobody; but no change of secrets
    that treats the three others alike keeps the sum, so tables do not show it.
    """
    found = counted(Total(4, field=Field(3)), [1, 2, 1, 2])
    assert not found.is_complete
    (standing,) = found.parts[0].standings
    assert "too few elements" in standing.exposing.unsearched
    assert not standing.touching.unsearched
    done = run(Total(4, field=Field(3)), [1, 2, 1, 2], 1)
    compared(found, every_coalition(done))


@pytest.mark.parametrize(("modulus", "alone"), [(101, True), (3, False), (2, True)])
def test_sums_of_all_others_expose_unless_the_field_hides_it(modulus: int, alone: bool) -> None:
    """Each user's row is the sum of all other users' first elements. Four such rows have full rank,
    unless the modulus is 3; then a row of all ones is missing.
    """
    system = two_elements(modulus, {(0, 0, OTHER): 1})
    proof = solve(system)
    assert touches(system, proof, "user")
    assert exposes(system, proof, "user") is alone


class Quiet:
    """Nobody sends anything that depends on its secret."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Any, number: Any) -> None:
        me.secret(lambda x: [x], number, field=F, shape=(1,))
        await me.scatter(SHARE, to=me.all("user"), rows=me.coins.field(F, (3, 1)))
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_messages_are_named_by_tag_and_key_also_if_the_key_is_0() -> None:
    protocol = TSS(users=12, items=2, participation=0.9, reported=1)
    labels = {
        label
        for part in counted(protocol, [1, 2] * 6).parts
        for label in (*part.labels, *(each for kind in part.kinds for each in kind.receives))
    }
    assert labels == {"share 0", "partial 0", "share 1", "partial 1"}


def test_secrets_that_no_message_contains_are_touched_by_nobody() -> None:
    found = counted(Quiet(), [1, 2, 3])
    assert found.parts == ()
    assert found.untouched == ("u1", "u2", "u3")


class Masked(Quiet):
    """The messages contain secrets, each with a coin that occurs nowhere else."""

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        await me.scatter(SHARE, to=me.all("user"), rows=mine + me.coins.field(F, (3, 1)))
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_secrets_of_which_the_messages_tell_nothing_are_touched_by_nobody() -> None:
    assert counted(Masked(), [1, 2, 3]).untouched == ("u1", "u2", "u3")
    every = every_coalition(run(Masked(), [1, 2, 3], seed=1))
    assert all(not each.touching for each in every.standings)


class Silent(Quiet):
    async def user(self, me: Any, number: Any) -> None:
        await me.scatter(SHARE, to=me.all("user"), rows=me.coins.field(F, (3, 1)))
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_a_run_without_secrets_is_refused() -> None:
    with pytest.raises(BadInput, match="declared a secret"):
        counted(Silent(), [1, 2, 3])


@pytest.mark.slow
def test_dpds_with_three_hundred_users() -> None:
    with stopwatch() as taken:
        found = counted(DPDS(users=300, items=30, participation=0.5), [1] * 300)
    ((standing,),) = (part.standings for part in found.parts)
    assert [kind.name for kind in found.parts[0].kinds] == ["user", "server"]
    assert standing.exposing.minimal == ((299, 1),)
    assert standing.exposing.maximal == ((298, 1), (299, 0))
    assert found.parts[0].secrets == ("elements 1 to 30 of secret 1",)
    assert found.judged < 20
    assert taken.seconds < 30
