"""Verdicts on runs of many alike parties."""

import io
import random

import attrs
import numpy as np
import pytest
from rich.console import Console

from simnet import BadInput, Field, Judge, Seat, Summed, Tag, constant, index, run, seats, verdict
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.reading_again import play_recorded
from simnet.adversary.whole_view import meets
from simnet.cli.verdicts import print_verdict
from simnet.scenario.claims import Exposes, LearnsNothing
from simnet.scenario.find import find
from simnet.scenario.judging import undecided
from simnet.scenario.verify import verify

F, SHARE, REPORT = Field(10_007), Summed("share"), Summed("report")
BARE = Tag("bare")


def by_symmetry(done):
    return Judge([done], by="symmetry")


def alike(name, corrupt, **settings):
    scenario = find(name)[1].with_settings({key: str(value) for key, value in settings.items()})
    return verify(scenario, corrupt, 1, by="symmetry")


@pytest.mark.parametrize(
    ("name", "corrupt", "finding"),
    [
        ("dpds", "5 users", "nothing"),
        ("dpds", "server, 5 users", "output-only"),
        ("tss", "u1, u2", None),
        ("dpdg", "server", "output-only"),
    ],
)
def test_the_verdict_is_that_of_elimination(name, corrupt, finding):
    settings = {"users": 7, "items": 3}
    found = alike(name, corrupt, **settings).verdict
    scenario = find(name)[1].with_settings({key: str(value) for key, value in settings.items()})
    direct = verify(scenario, corrupt, 1).verdict
    assert found.finding in (finding or direct.finding, "undecided")
    assert found.at_most == direct.at_most
    assert meets(found, "nothing") == meets(direct, "nothing")
    words = " ".join(found.alike.checked)
    assert all(check in words for check in ("structure", "relations", "freshness"))


def test_a_coalition_is_given_by_counts_as_well_as_by_names():
    one, other = (alike("dpds", text, users=9, items=2).verdict for text in ("4 users", "u1..u4"))
    assert one.corrupt == other.corrupt
    with pytest.raises(BadInput, match="too large"):
        alike("dpds", "10 users", users=9, items=2)


@pytest.mark.parametrize("corrupt", ["network", "u1, network", "server, network"])
def test_who_sees_the_traffic_learns_what_elimination_finds(corrupt):
    settings = {"users": 7, "items": 3}
    found = alike("dpds", corrupt, **settings).verdict
    scenario = find("dpds")[1].with_settings({key: str(value) for key, value in settings.items()})
    direct = verify(scenario, corrupt, 1).verdict
    assert (found.corrupt, found.finding) == (direct.corrupt, direct.finding)
    stated = attrs.evolve(direct.discrete.disclosure, bound=None)  # what the protocol states
    assert found.discrete.disclosure == stated
    assert found.as_json()["corrupt"] == direct.as_json()["corrupt"]


class Twice:
    """Every user makes two secrets of one number, and sends their difference."""

    def parties(self):
        return seats("u", self.user, 5)

    async def user(self, me, number):
        one, two = (
            me.secret(lambda x: [x], number, field=F, shape=(1,)),
            me.secret(lambda x: [x], number, field=F, shape=(1,)),
        )
        await me.scatter(SHARE, to=me.all("user"), rows=type(one).stack([one - two] * 5))
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_related_secrets_leave_the_verdict_undecided_and_never_leaking():
    found = by_symmetry(run(Twice(), [1, 2, 3, 4, 5], 1)).verdict("u1")
    assert (found.finding, found.at_most, found.tier) == ("undecided", "leaks", "bound")
    assert "related secrets" in found.notes[0]


class Complement(Twice):
    """Every user makes a secret of x and 1 - x, and sends their sum to all users: it is 1."""

    async def user(self, me, number):
        mine = me.secret(lambda x: [x, 1 - x], number, field=F, shape=(2,))
        one = mine[[0]] + mine[[1]]
        await me.scatter(SHARE, to=me.all("user"), rows=type(mine).stack([one] * 5))
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_a_combination_of_elements_of_one_secret_is_no_certain_leak():
    found = by_symmetry(run(Complement(), [1, 2, 3, 4, 5], 1)).verdict("u1")
    direct = verdict(run(Complement(), [1, 2, 3, 4, 5], 1), "u1")
    assert (found.at_least, found.at_most) == (direct.at_least, direct.at_most)
    assert found.finding == "undecided"
    assert "several elements of one secret" in found.notes[0]


class Returned(Twice):
    """Every user adds up shares of all numbers, and returns the sum in some form."""

    def __init__(self, form):
        self.form = form

    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        masks = [me.coins.field(F, (1,)) for _ in range(4)]
        rows = type(mine).stack([*masks, mine - sum(masks[1:], masks[0])])
        await me.scatter(SHARE, to=me.all("user"), rows=rows)
        return self.form(await me.gather_sum(SHARE, senders=me.all("user")))


@pytest.mark.parametrize(
    "form",
    [
        lambda total: total,
        lambda total: (total, 1),
        lambda total: [{1}, total],
        lambda total: {"sum": (total, index([2], 3))},
        lambda total: total.open(),
        lambda total: total[0],
    ],
)
def test_field_elements_may_be_returned(form):
    for corrupt in ("u1", "u1, u2"):
        found = by_symmetry(run(Returned(form), [1, 2, 3, 4, 5], 1)).verdict(corrupt)
        direct = verdict(run(Returned(form), [1, 2, 3, 4, 5], 1), corrupt)
        assert found.finding == direct.finding


class Bare(Twice):
    """Every user sends its number to all users."""

    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        await me.scatter(SHARE, to=me.all("user"), rows=type(mine).stack([mine] * 5))
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_a_leak_names_the_parties_that_are_exposed():
    found = by_symmetry(run(Bare(), [1, 2, 3, 4, 5], 1)).verdict("u1")
    assert found.finding == verdict(run(Bare(), [1, 2, 3, 4, 5], 1), "u1").finding == "leaks"
    assert found.alike.as_json()["exposed"] == ["honest users, kind 2: secret 1, element 1"]


@pytest.mark.parametrize("by", ["elimination", "symmetry"])
def test_a_verdict_says_what_it_assumes_of_doors_whoever_found_it(by):
    done = run(Bare(), [1, 2, 3, 4, 5], 1, in_place=True)
    found = verdict(done, "u1", by=by)
    assert [each["in_place"] for each in found.as_json()["shares"]["doors"]] == [True]
    printed = io.StringIO()
    print_verdict(Console(file=printed, width=200), found)
    assert "functions of doors leave nothing behind" in printed.getvalue()


@pytest.mark.parametrize(
    ("draw", "name"), [(random.random, "`random`"), (np.random.random, "`numpy.random`")]
)
def test_a_script_that_draws_random_numbers_of_its_own_is_not_judged_by_symmetry(draw, name):
    class Sometimes(Bare):
        """Each user sends either its number to all users, or coins."""

        async def user(self, me, number):
            mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
            bare, masks = type(mine).stack([mine] * 5), me.coins.field(F, (5, 1))
            await me.scatter(SHARE, to=me.all("user"), rows=bare if draw() < 0.5 else masks)
            await me.gather_sum(SHARE, senders=me.all("user"))

    for play in (run, play_recorded):
        done = play(Sometimes(), [1, 2, 3, 4, 5], 1)
        with pytest.raises(NotAlike, match=f"{name} changed .* outside me.coins"):
            by_symmetry(done)


class OverFive(Bare):
    """Eight users mask their numbers in a field with five elements; `bare` sends its own bare."""

    bare = ""

    def parties(self):
        return seats("u", self.user, 8)

    async def user(self, me, number):
        small = Field(5)
        mine = me.secret(lambda x: [x], number, field=small, shape=(1,))
        if me.name == self.bare:
            await me.send(BARE, "u1", mine)
        if self.bare and me.name == "u1":
            await me.receive(BARE, self.bare, shape=(1,))
        masks = me.coins.field(small, (8, 1))
        await me.scatter(SHARE, to=me.all("user"), rows=masks)
        received = await me.gather_sum(SHARE, senders=me.all("user"))
        await me.scatter(REPORT, to=["u1"], rows=type(mine).stack([mine + masks.sum() - received]))
        if me.name == "u1":
            await me.gather_sum(REPORT, senders=me.all("user"))


def test_in_a_small_field_nobody_is_said_not_to_be_exposed():
    """With eight users and q = 5 the mean over all exchanges of users does not exist."""
    found = by_symmetry(run(OverFive(), [1, 2, 3, 4, 0, 1, 2, 3], 1)).verdict("network")
    assert not found.alike.finds_all_exposed
    assert undecided(Exposes("network"), found)
    assert not undecided(LearnsNothing("network", from_shares=True), found)
    larger = by_symmetry(run(Bare(), [1, 2, 3, 4, 5], 1)).verdict("u1")
    assert larger.alike.finds_all_exposed
    assert undecided(Exposes("u1"), larger) is None


class OneBareOverFive(OverFive):
    bare = "u2"


def test_in_a_small_field_one_exposed_party_says_nothing_about_another():
    found = by_symmetry(run(OneBareOverFive(), [1, 2, 3, 4, 0, 1, 2, 3], 1)).verdict("u1")
    assert found.exposed_parties == ("u2",)
    assert not found.alike.finds_all_exposed
    assert undecided(Exposes("u1"), found) is None
    assert undecided(Exposes("u1", secret_of="u2"), found) is None
    assert "u3 is not exposed" in undecided(Exposes("u1", secret_of="u3"), found)


@attrs.frozen
class DenseCoins:
    """Each user sends as many combinations of its coins as it has coins, and a masked input."""

    users = 3
    coins: int

    def parties(self):
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me, value):
        own = me.coins.field(F, (self.coins,))
        draw = random.Random(1)
        for _ in range(self.coins):
            factors = [draw.randrange(1, F.modulus) for _ in range(self.coins)]
            await me.send(BARE, "server", (own * constant(F, factors)).sum())
        await me.send(BARE, "server", own[0] + me.secret(lambda x: x, value, field=F, shape=()))

    async def server(self, me):
        for user in me.all("user"):
            for _ in range(self.coins + 1):
                await me.receive(BARE, user)


def test_coins_that_many_rows_combine_are_replaced_once():
    """A coin is determined by others, and these by others again: ways to a coin double."""
    assert by_symmetry(run(DenseCoins(24), [1, 2, 3], 1)).verdict("server").finding == "leaks"
