"""The smallest sets of users who can read another user's secret: `--runs` and the command without
it give the same answer, and the protocols have the properties that their mutants lack.
"""

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from simnet import Field, FieldArray, Party, Sealed, Seat, Tag, every_coalition, index, run, seats
from simnet.adversary.coalitions import one_by_one
from simnet.adversary.coalitions.answer import Question
from simnet.adversary.coalitions.one_by_one import OneByOne
from simnet.scenario.breaking import Sizes, smallest_sizes
from simnet.scenario.find import find
from simnet.scenario.large_coalitions import OneRun
from simnet.scenario.scenario import Scenario
from tests.harness.marks import slow_but
from tests.harness.mutants import ElectsOneTooFew, LeavesOneOut
from tests.harness.shell import RING

F = Field(101)
PIECE, BACK = Tag("piece"), Tag("back")

# Scripts of other kinds.


@attrs.frozen
class Talk:
    """Four users with two secret numbers each; subclasses define what the users send to each
    other.
    """

    items: int = 5

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, 4), "server": Seat(self.server)}  # type: ignore[attr-defined]

    def declared(self, me: Party, item: Sealed) -> FieldArray:
        return me.secret(lambda item: [item, item + 3], item, field=F, shape=(2,))

    async def server(self, me: Party) -> None:
        """Nothing to do."""


class AllOfThree(Talk):
    """u1 shares its number among three users, but one coin occurs in all three shares."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            one, other = me.coins.field(F, (2,)), me.coins.field(F, (2,))
            for name, payload in {
                "u2": one + other,
                "u3": one,
                "u4": held + one + other + other,
            }.items():
                await me.send(PIECE, name, payload)
        else:
            await me.receive(PIECE, "u1", shape=(2,))


class Relays(Talk):
    """u1 sends u2 a number masked by a coin; u2 forwards it to u3, and u4 gets the coin."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (2,))
            await me.send(PIECE, "u2", held + coins)
            await me.send(PIECE, "u4", coins)
        elif me.name == "u2":
            await me.send(BACK, "u3", await me.receive(PIECE, "u1", shape=(2,)))
        else:
            await me.receive(*((BACK, "u2") if me.name == "u3" else (PIECE, "u1")), shape=(2,))


class SpreadOverTwo(Talk):
    """u1 shares its numbers a and b in two ways: a + b + c, c and a + c with a coin c; and a - b +
    d, d and a + d with a coin d. `u2` and `u3` receive the first two shares of both, and `third`
    receives the third shares.
    """

    third = "u4"

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        a, b = held[0:1], held[1:2]
        if me.name == "u1":
            for sign in (1, -1):
                coin = me.coins.field(F, (1,))
                await me.send(PIECE, "u2", a + b * sign + coin)
                await me.send(PIECE, "u3", coin)
                await me.send(PIECE, self.third, a + coin)
        if me.name in ("u2", "u3", self.third):
            for _ in range(2):
                await me.receive(PIECE, "u1", shape=(1,))


class SpreadAndKept(SpreadOverTwo):
    """The third shares stay with u1."""

    third = "u1"


class Multiplies(Talk):
    """u1 multiplies a number by a coin that u2 receives, too."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (2,))
            await me.send(PIECE, "u2", held * coins)
            await me.send(BACK, "u2", coins)
        elif me.name == "u2":
            await me.receive(PIECE, "u1", shape=(2,))
            await me.receive(BACK, "u1", shape=(2,))


class Boxed(Talk):
    """u1 sends its number to u3 in a box, whose key u2 receives."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            key = me.coins.field(Field(2**31 - 1), (4,))
            await me.send(PIECE, "u2", key)
            await me.send(BACK, "u3", me.encrypt(key, held))
        elif me.name != "u4":
            await me.receive(PIECE if me.name == "u2" else BACK, "u1")


class ToldByADoor(Talk):
    """u1 masks a number for u2 by a coin that u3 discloses."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            coins = me.coins.field(F, (1,))
            await me.send(PIECE, "u2", held[0:1] + coins)
            await me.send(PIECE, "u3", coins)
        elif me.name == "u3":
            told = me.disclose(lambda x: int(x[0]), await me.receive(PIECE, "u1", shape=(1,)))
            await me.send(BACK, "u2", index(told, 101))
        elif me.name == "u2":
            await me.receive(PIECE, "u1", shape=(1,))
            await me.receive(BACK, "u3")


class MaskedByAnother(Talk):
    """u2 sends its number to u3, masked by coins that u1 gave to u2."""

    async def user(self, me: Party, item: Sealed) -> None:
        held = self.declared(me, item)
        if me.name == "u1":
            await me.send(PIECE, "u2", me.coins.field(F, (2,)))
        elif me.name == "u2":
            await me.send(BACK, "u3", held + await me.receive(PIECE, "u1", shape=(2,)))
        elif me.name == "u3":
            await me.receive(BACK, "u2", shape=(2,))


class TwoRoles(Talk):
    """u1 sends its number to a reader of another role, who has a secret, too."""

    def parties(self) -> dict[str, Seat]:
        return {"u1": Seat(self.user), "reader": Seat(self.reader)}

    async def user(self, me: Party, item: Sealed) -> None:
        await me.send(PIECE, "reader", self.declared(me, item))

    async def reader(self, me: Party, item: Sealed) -> None:
        self.declared(me, item)
        await me.receive(PIECE, "u1", shape=(2,))


class OneSecret:
    """Only u1 declares a secret, and sends it to u2."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party, item: Any) -> None:
        if me.name == "u1":
            mine = me.secret(lambda x: [x], item, field=F, shape=(1,))
            await me.send(PIECE, "u2", mine)
        elif me.name == "u2":
            await me.receive(PIECE, "u1", shape=(1,))


class TwoSecrets:
    """u1 declares two secrets and sends both to u2, who sends its own secret to u1, who sends it on
    to u3.
    """

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party, item: Any) -> None:
        if me.name == "u1":
            for more in (0, 7):
                held = me.secret(lambda x, more=more: [x + more], item, field=F, shape=(1,))
                await me.send(PIECE, "u2", held)
            await me.send(PIECE, "u3", await me.receive(BACK, "u2", shape=(1,)))
        elif me.name == "u2":
            await me.send(BACK, "u1", me.secret(lambda x: [x], item, field=F, shape=(1,)))
            for _ in range(2):
                await me.receive(PIECE, "u1", shape=(1,))
        else:
            await me.receive(PIECE, "u1", shape=(1,))


SCRIPTS: list[Any] = [
    AllOfThree,
    Relays,
    SpreadOverTwo,
    SpreadAndKept,
    Multiplies,
    Boxed,
    ToldByADoor,
    MaskedByAnother,
    TwoRoles,
    OneSecret,
    TwoSecrets,
]
BUILT_IN = {
    "tss": ("tss", {"users": "4", "items": "3", "reported": "1"}),
    "tss, gamma": ("tss", {"users": "5", "items": "3", "gamma": "2"}),
    "tss, shamir": ("tss", {"users": "5", "items": "2", "sharing": "shamir:2"}),
    "tss_prime": ("tss_prime", {"users": "5", "items": "2", "bound": "2"}),
    "dpds": ("dpds", {"users": "4", "items": "2"}),
    "dpds_shamir": ("dpds_shamir", {"users": "5", "items": "2"}),
    "dpds_robust": ("dpds_robust", {"users": "4", "items": "2"}),
    "dpdg": ("dpdg", {"users": "3", "items": "2"}),
    "secagg": ("secagg", {"users": "4", "items": "1"}),
    "committee": ("committee", {"users": "3", "items": "1"}),
    "ring": (str(RING), {}),
}


def agree(scenario: Scenario, seed: int) -> Sizes:
    """Compare the sizes that `--runs` finds with the lists of the command without it, which judges
    every coalition.
    """
    every = every_coalition(OneRun(scenario, "", seed).played())
    sizes = smallest_sizes(scenario, [seed])
    role_of = dict(zip(every.parties, every.roles, strict=True))
    users = {role_of[standing.party] for standing in every.standings}
    for standing, size in zip(every.standings, sizes.runs[0], strict=True):
        listed = [c for c in standing.exposing if {role_of[name] for name in c} <= users]
        assert size == min(map(len, listed), default=None), standing.party
        if sizes.complete and size is None:
            assert any(
                set(larger)
                >= {name for name in every.parties if role_of[name] in users} - {standing.party}
                for larger in standing.unexposing
            )
    return sizes


@pytest.mark.parametrize("script", slow_but(SCRIPTS, Relays, TwoRoles))
def test_both_modes_agree_on_scripts_of_all_kinds(script: Any) -> None:
    agree(Scenario(summary="own", protocol=script, items=9), 0)


@pytest.mark.parametrize("name", slow_but(BUILT_IN, "tss"))
def test_both_modes_agree_on_built_in_scenarios(name: str) -> None:
    place, settings = BUILT_IN[name]
    for seed in (0, 4):
        assert agree(find(place)[1].with_settings(settings), seed).complete


def test_what_is_not_certain_is_not_searched() -> None:
    """u2 may know the number that u1 multiplies by a coin: nobody says that no set reads it."""
    sizes = smallest_sizes(Scenario(summary="own", protocol=Multiplies, items=9), [0])
    assert not sizes.complete
    assert "not known for certain" in sizes.overlooked
    assert repr(sizes).startswith("of the sets that were searched, none")


@pytest.mark.slow
def test_a_search_that_ends_early_denies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = find(str(RING))[1].with_settings({"users": "14"})
    whole = smallest_sizes(scenario, [0])
    assert (whole.complete, whole.safe, set(whole.runs[0])) == (True, 1, {2})
    monkeypatch.setattr("simnet.scenario.large_coalitions.most_verdicts", lambda _: 40)
    sizes = smallest_sizes(scenario, [0])
    assert not sizes.complete
    assert sizes.safe is None
    assert "ended after 40 verdicts" in sizes.overlooked
    assert one_by_one.most_verdicts(14) > 40


# Properties that the protocols have and their mutants lack.


def smallest(protocol: Any, inputs: list[int], user: str, seed: int = 0) -> int | None:
    """The size of the smallest set of users that exposes a user, judged one by one."""
    judge = OneByOne(run(protocol, inputs, seed))
    users = frozenset(judge.declaring)
    found = judge.found(Question([user], users, touching=False))
    assert found.is_complete
    return found.smallest_sizes().get(user)


HELD = [1, 2, 3, 1, 2, 3, 1]


@pytest.mark.long
def test_only_sets_of_more_than_the_bound_break_somebody_in_tss_prime() -> None:
    protocol = TSSPrime(users=7, items=3, participation=0.5, reported=1, bound=2)
    mutant = ElectsOneTooFew(users=7, items=3, participation=0.5, reported=1, bound=2)
    sizes, flawed = (
        {smallest(one, HELD, user, seed) for user in ("u1", "u2") for seed in range(8)}
        for one in (protocol, mutant)
    )
    assert min(size for size in sizes if size) == 3
    assert 2 in flawed


@pytest.mark.parametrize("users", [3, 5])
def test_leaving_the_last_user_out_lets_all_others_break_it_and_nobody_else(users: int) -> None:
    assert smallest(LeavesOneOut(users, 2, 1.0), [1] * users, f"u{users}") == users - 1
    assert smallest(LeavesOneOut(users, 2, 1.0), [1] * users, "u1") is None
    assert smallest(DPDS(users, 2, 1.0), [1] * users, "u1") is None


@pytest.mark.parametrize("threshold", [1, 2, 3, 4])
def test_as_many_users_as_the_threshold_break_everybody_in_dpds(threshold: int) -> None:
    scenario = find("dpds_shamir")[1].with_settings(
        {"users": "5", "items": "2", "sharing": f"shamir:{threshold}"}
    )
    sizes = smallest_sizes(scenario, [0])
    assert set(sizes.runs[0]) == {threshold}
    assert sizes.safe == threshold - 1


# Over users and runs.


RUNS = st.integers(1, 5).flatmap(
    lambda users: st.lists(
        st.tuples(*[st.one_of(st.none(), st.integers(1, 8))] * users), min_size=1, max_size=12
    )
)


@given(RUNS)
def test_rows_rise_with_the_size_and_nobody_up_to_the_safe_size_breaks_anybody(
    runs: list[tuple[int | None, ...]],
) -> None:
    sizes = Sizes(tuple(runs))
    rows = sizes.rows()
    for key in ("users", "runs"):
        assert [row[key] for row in rows] == sorted(row[key] for row in rows)
    assert all(row["users"] <= row["runs"] for row in rows)
    assert len({row["size"] for row in rows}) == len(rows)
    for row in rows:
        assert row["runs"] * len(runs) == pytest.approx(
            sum(any(size is not None and size <= row["size"] for size in one) for one in runs)
        )
    flat = [size for one in runs for size in one if size is not None]
    if sizes.safe is None:
        assert flat == []
        assert rows == []
    else:
        assert sizes.safe + 1 in flat
        assert all(size > sizes.safe for size in flat)
        assert rows[0]["size"] == sizes.safe + 1


@pytest.mark.slow
def test_the_bound_of_tss_prime_is_safe_and_that_of_dpds_is_everybody() -> None:
    def safe(name: str, runs: int, **more: object) -> int | None:
        settings = {key: str(value) for key, value in more.items()}
        return smallest_sizes(find(name)[1].with_settings(settings), range(runs)).safe

    assert (safe("tss_prime", 6, users=6, items=3, bound=2) or 0) >= 2
    assert safe("dpds", 2, users=4, items=2) is None
    assert safe("dpds_shamir", 2, users=6, items=2, sharing="shamir:4") == 3
    assert safe("tss", 5, users=8, items=4) == 0


def test_progress_is_told_of_every_run_and_json_has_the_table() -> None:
    told: list[int] = []
    scenario = find("tss")[1].with_settings({"users": "4", "items": "2"})
    sizes = smallest_sizes(scenario, [3, 1, 4], progress=told.append)
    assert told == [1, 1, 1]
    json = sizes.as_json()
    assert json["rows"] == sizes.rows()
    assert (json["runs"], json["confidence"], json["safe"]) == (3, 0.95, sizes.safe)
    assert (json["complete"], json["overlooked"]) == (True, "")
