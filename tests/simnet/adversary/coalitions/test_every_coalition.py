"""Every coalition of small runs: the lists equal brute force with an elimination of its own."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from simnet import BadInput, Field, Party, Sealed, Seat, Tag, every_coalition, run, seats, verdict
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import Verdict
from simnet.kernel.run import Run
from simnet.scenario.find import find
from simnet.scenario.lattice import coalitions_figure, draw_coalitions
from tests.harness.shell import RING
from tests.harness.timing import stopwatch

F, NOTE = Field(101), Tag("note")
RUNS = {
    "dpds": ("dpds", {"users": "4", "items": "2"}),
    "dpds_shamir": ("dpds_shamir", {"users": "4", "items": "1", "sharing": "shamir:2"}),
    "dpdg": ("dpdg", {"users": "3", "items": "1"}),
    "tss": ("tss", {"users": "4", "items": "2", "reported": "1"}),
    "tss_prime": ("tss_prime", {"users": "4", "items": "2", "reported": "1", "bound": "1"}),
    "committee": ("committee", {"users": "3", "items": "1", "members": "2", "sharing": "additive"}),
    "secagg": ("secagg", {"users": "4", "items": "1"}),
    "secagg_plus": ("secagg_plus", {"users": "5", "items": "1", "degree": "2"}),
    "sampling_privacy": ("sampling_privacy", {"users": "3", "items": "2"}),
    "ring": (str(RING), {"users": "5"}),
}


def played(name: str, seed: int) -> Run:
    place, settings = RUNS[name]
    scenario = find(place)[1].with_settings(settings)
    protocol = scenario.build(scenario.users, scenario.items)
    held: list[Any] = [1 + place % scenario.items for place in range(scenario.users)]
    return run(protocol, held, seed)


def rank(rows: Sequence[dict[Any, int]], modulus: int) -> int:
    """Gaussian elimination of sparse rows over a prime field."""
    left, found = [dict(row) for row in rows], 0
    while left:
        row = left.pop()
        row = {key: value % modulus for key, value in row.items() if value % modulus}
        if not row:
            continue
        found += 1
        pivot, value = next(iter(row.items()))
        inverse = pow(value, -1, modulus)
        for other in left:
            factor = other.get(pivot, 0) * inverse % modulus
            for key, entry in row.items():
                other[key] = (other.get(key, 0) - factor * entry) % modulus
    return found


def exposed_and_touched(found: Verdict) -> tuple[set[str], set[str]]:
    """Whom a verdict's functions expose and touch: exposed if the functions have a larger rank than
    their parts without the party's secrets.
    """
    exposed: set[str] = set()
    touched: set[str] = set()
    by_modulus: dict[int, list[dict[Any, int]]] = {}
    for function in found.functions:
        by_modulus.setdefault(function.modulus, []).append(dict(function.terms))
    for modulus, rows in by_modulus.items():
        for party in {secret.party for row in rows for secret in row}:
            touched.add(party)
            rest = [{s: value for s, value in row.items() if s.party != party} for row in rows]
            if rank(rows, modulus) > rank(rest, modulus):
                exposed.add(party)
    return exposed, touched


CASES = [*((name, 3) for name in RUNS), ("tss", 4), ("tss", 7)]
FAST = ("dpds_shamir", "committee", "ring")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(name, seed, marks=() if name in FAST else pytest.mark.slow)
        for name, seed in CASES
    ],
)
def test_the_lists_equal_brute_force(name: str, seed: int) -> None:
    done = played(name, seed)
    found = every_coalition(done)
    names = done.roster.names
    owners = set(done.inputs)
    judge = Judge([done], names)
    table: dict[frozenset[str], tuple[set[str], set[str]]] = {}
    leaking: set[frozenset[str]] = set()
    for size in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, size):
            if owners <= set(chosen):
                table[frozenset(chosen)] = (set(), set())
                continue
            judged = judge.verdict(list(chosen))
            assert judged.finding != "undecided"
            table[frozenset(chosen)] = exposed_and_touched(judged)
            if judged.finding == "leaks":
                leaking.add(frozenset(chosen))
    assert found.judged == len(table)
    assert found.undecided == 0
    for standing in found.standings:
        kinds = ((standing.exposing, standing.unexposing), (standing.touching, standing.untouching))
        for kind, (minimal, maximal) in enumerate(kinds):
            without = {c: each[kind] for c, each in table.items() if standing.party not in c}
            hit = {c for c, each in without.items() if standing.party in each}
            assert all(larger in hit for c in hit for larger in without if c < larger)  # monotone
            assert set(map(frozenset, minimal)) == {c for c in hit if not any(d < c for d in hit)}
            safe = without.keys() - hit
            assert set(map(frozenset, maximal)) == {c for c in safe if not any(c < d for d in safe)}
    assert {frozenset(leak.coalition) for leak in found.leaks} == {
        c for c in leaking if not any(d < c for d in leaking)
    }
    for leak in found.leaks:
        joined = {party: frozenset([*leak.coalition, party]) for party in names}
        outside = [party for party in names if party not in leak.coalition]
        undone = [party for party in outside if joined[party] not in leaking]
        assert list(leak.undone_by) == undone


def test_two_neighbours_on_a_ring_expose_a_user() -> None:
    found = every_coalition(played("ring", 1))
    for place in range(5):
        neighbours = {f"u{(place - 1) % 5 + 1}", f"u{(place + 1) % 5 + 1}"}
        assert [set(c) for c in found.of(f"u{place + 1}").exposing] == [neighbours]


@pytest.mark.slow
def test_what_is_beyond_the_output_ends_when_somebody_joins() -> None:
    """Both ways: the victim joins, and a server that may know the output joins."""
    undone = {
        party
        for seed in range(4, 8)
        for leak in every_coalition(played("tss", seed)).leaks
        for party in leak.undone_by
    }
    assert "S2" in undone
    assert any(party.startswith("u") for party in undone)


class Multiplies:
    """u1 sends the server the product of its two secrets."""

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, 2), "server": Seat(self.server)}

    async def user(self, me: Party, number: Sealed) -> None:
        first = me.secret(lambda x: [x], number, field=F, shape=(1,))
        second = me.secret(lambda x: [x + 1], number, field=F, shape=(1,))
        if me.name == "u1":
            await me.send(NOTE, "server", first * second)

    async def server(self, me: Party) -> None:
        await me.receive(NOTE, "u1", shape=(1,))


def test_a_product_belongs_to_the_owner_of_its_factors() -> None:
    found = every_coalition(run(Multiplies(), [3, 4], seed=1))
    assert found.of("u1").exposing == found.of("u1").touching == (("server",),)
    assert found.of("u2").touching == ()
    with pytest.raises(BadInput, match="a coalition needs the name of at least one party"):
        found.finding([])
    with pytest.raises(BadInput, match="no party is called 'nobody'"):
        found.finding(["nobody"])


@attrs.frozen
class Scales:
    """a sends b its secret times a factor: a number, a field coin or a discrete coin."""

    factor: str
    adds: bool = False

    def parties(self) -> dict[str, Seat]:
        return {"a": Seat(self.owner), "b": Seat(self.reader)}

    async def owner(self, me: Party, number: Sealed) -> None:
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        other = me.secret(lambda x: [x + 1], number, field=F, shape=(1,))
        factor: Any = 3
        if self.factor == "field coin":
            factor = me.coins.field(F, (1,))
        elif self.factor == "discrete coin":
            factor = int(me.coins.integers(F.modulus, 1)[0])
        await me.send(NOTE, "b", mine * factor + other if self.adds else mine * factor)

    async def reader(self, me: Party) -> None:
        await me.receive(NOTE, "a", shape=(1,))


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("factor", ["number", "field coin", "discrete coin"])
def test_a_secret_times_a_coin_neither_exposes_nor_spares_its_owner(
    factor: str, adds: bool
) -> None:
    """The coin may be 0 or hide the secret, and it may be a number that tells the secret."""
    owner = every_coalition(run(Scales(factor, adds), [4], seed=1)).of("a")
    is_certain = factor == "number"
    assert owner.exposing == owner.touching == ((("b",),) if is_certain else ())
    assert owner.unexposing == owner.untouching == ()
    assert owner.may_expose == owner.may_touch == (0 if is_certain else 1)


class MultipliesForAReader:
    """The server sends the reader, who may know it, the product of the secrets of u1 and u2."""

    def parties(self) -> dict[str, Seat]:
        return {
            **seats("u", self.user, 2),
            "server": Seat(self.server),
            "reader": Seat(self.reader),
        }

    async def user(self, me: Party, number: Sealed) -> None:
        await me.send(NOTE, "server", me.secret(lambda x: [x], number, field=F, shape=(1,)))

    async def server(self, me: Party) -> None:
        first, second = await me.gather(NOTE, ["u1", "u2"])
        await me.send(NOTE, "reader", first * second)

    async def reader(self, me: Party) -> Sealed:
        return (await me.receive(NOTE, "server", shape=(1,))).open()

    def functionality(self, numbers: list[Sealed], users: list[Any]) -> dict[str, Any]:
        first, second = (
            user.secret(lambda x: [x], number, field=F, shape=(1,))
            for number, user in zip(numbers, users, strict=True)
        )
        return {"reader": first * second}


def test_whoever_knows_a_product_and_a_factor_is_not_listed_as_exposing_nobody() -> None:
    """The reader with u2 divides the product by the number of u2."""
    found = every_coalition(run(MultipliesForAReader(), [3, 4], seed=1))
    assert found.finding(["u2", "reader"]) == "output-only"
    assert found.of("u1").unexposing == (("u2",),)
    assert found.of("u1").touching == (("server",), ("reader",))


class CopiesASecret:
    """u2 makes its secret as a copy of the secret of u1, and sends it to the server."""

    def parties(self) -> dict[str, Seat]:
        return {
            "u1": Seat(self.first),
            "u2": Seat(self.second),
            "u3": Seat(self.third),
            "server": Seat(self.server),
        }

    async def first(self, me: Party, number: Sealed) -> None:
        await me.send(NOTE, "u2", me.secret(lambda x: [x], number, field=F, shape=(1,)))

    async def second(self, me: Party, number: Sealed) -> None:
        received = await me.receive(NOTE, "u1", shape=(1,))
        copy = me.secret(lambda x: x, received, field=F, shape=(1,))
        again = me.secret(lambda x: x, copy, field=F, shape=(1,))
        await me.send(NOTE, "server", again)

    async def third(self, me: Party, number: Sealed) -> None:
        me.secret(lambda x: [x], number, field=F, shape=(1,))

    async def server(self, me: Party) -> None:
        await me.receive(NOTE, "u2", shape=(1,))


def test_whoever_knows_a_copy_of_a_secret_is_not_listed_as_learning_nothing_about_it() -> None:
    found = every_coalition(run(CopiesASecret(), [3, 4, 5], seed=1))
    assert found.of("u1").exposing == (("u2",),)
    assert found.of("u1").unexposing == found.of("u1").untouching == (("u3",),)
    assert found.of("u3").unexposing == (("u1", "u2", "server"),)
    # The server, with u3 or without, and no other coalition: those with u2 know the secret.
    assert found.of("u1").may_expose == found.of("u1").may_touch == 2
    assert found.of("u3").may_expose == found.of("u3").may_touch == 0


@pytest.mark.slow
def test_findings_by_class_count_every_coalition_once() -> None:
    done = played("committee", 3)
    found = every_coalition(done)
    classes = found.by_class()
    expected: dict[tuple[int, ...], Counter[str]] = defaultdict(Counter)
    for size in range(1, len(found.parties) + 1):
        for members in itertools.combinations(found.parties, size):
            roles = Counter(dict(zip(found.parties, found.roles, strict=True))[m] for m in members)
            judged = "nothing"  # nobody is left
            if any(party not in members for party in ("u1", "u2", "u3")):
                judged = verdict(done, ",".join(members)).finding
            assert found.finding(members) == judged
            expected[tuple(roles[role] for role in found.role_names)][judged] += 1
    assert classes == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ring", "tss"])
def test_the_coalitions_are_drawn_as_a_lattice_or_as_a_table(name: str, tmp_path: Path) -> None:
    """The ring has 5 parties: each coalition has a mark. TSS has 6, too many with users doubled."""
    found = every_coalition(played(name, 4))
    larger = found if name == "ring" else attrs.evolve(found, parties=(*found.parties, "u9"))
    assert len(coalitions_figure(found).axes[0].lines) > 2 ** len(found.parties)
    if name == "tss":  # with a seventh party, whose joining changes nothing
        larger = attrs.evolve(
            larger,
            roles=(*found.roles, "user"),
            findings=(*found.findings, "nothing", *found.findings),
        )
        bars = coalitions_figure(larger).axes[0].patches
        assert len(bars) == sum(map(len, larger.by_class().values()))
    draw_coalitions(found, tmp_path / "coalitions.svg")
    assert (tmp_path / "coalitions.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.long
def test_twelve_parties_take_less_than_a_minute() -> None:
    scenario = find("dpds")[1].with_settings({"users": "11", "items": "2"})
    done = run(scenario.build(11, 2), [1 + place % 2 for place in range(11)], 1)
    with stopwatch() as taken:
        found = every_coalition(done)
    assert found.judged == 4095
    assert taken.seconds < 60


def test_runs_that_are_too_large_are_refused() -> None:
    scenario = find("dpds")[1].with_settings({"users": "12", "items": "1"})
    with pytest.raises(BadInput, match="judge at most 12 parties"):
        every_coalition(run(scenario.build(12, 1), [1] * 12, 1))
    with pytest.raises(BadInput, match="declared no secret"):
        every_coalition(played("ring", 1)).of("u9")


class Mask:
    """u1 tells u3 its number. u2 masks its own, and discloses a function of the mask: who knows
    twice the mask knows the mask. No message tells u3 a linear function of u2's secret.
    """

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Any, number: Any) -> None:
        field, note = Field(11), Tag("note")
        mine = me.secret(lambda n: [n], number, field=field, shape=(1,))
        if me.name == "u1":
            await me.send(note, "u3", mine)
        elif me.name == "u2":
            mask = me.coins.field(field, (1,))
            await me.send(note, "u3", mine + mask)
            me.disclose(lambda rows: int(rows[0]) * 2 % 11, mask.open())
        else:
            await me.receive(note, "u1", shape=(1,))
            await me.receive(note, "u2", shape=(1,))


def test_whoever_may_learn_more_than_is_certain_leaves_nobody_alone() -> None:
    """The verdict on u3 is decided: it learns u1's number. It is not listed as a set that does not
    expose u2, because the disclosed value may give u2's number away, and does.
    """
    done = run(Mask(), [5, 7, 9], seed=1)
    assert verdict(done, "u3").finding == "leaks"
    standing = every_coalition(done).of("u2")
    assert ("u3",) not in standing.unexposing + standing.untouching
    assert standing.unexposing == (("u1",),)
    assert (standing.may_expose, standing.may_touch) == (2, 2)  # {u3} and {u1, u3}
