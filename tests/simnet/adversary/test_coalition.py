"""Coalitions are named in words that scale with a run, and nobody is named by mistake."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import BadInput, Group, Party, Seat, run, seats, verdict
from simnet.adversary.coalition import Coalition, coalition_of
from simnet.roster import Roster
from tests.harness.adding import Adding, added
from tests.harness.many_cases import for_each
from tests.harness.scripts import protected

ROSTER = Roster(Adding(4).parties())


@for_each(
    "text",
    [
        "u5",
        "users",
        "u1..u5",
        "u1..",
        "..u2",
        "all",
        "all users but two",
        "half of users",
        "u1;u2",
        "Network",
    ],
)
def test_a_set_that_names_nobody_is_refused_with_what_was_read_and_what_can_be_written(
    text: str,
) -> None:
    with pytest.raises(BadInput) as caught:
        verdict(added(4), text)
    assert repr(text) in str(caught.value)
    assert "all users but one" in str(caught.value)
    assert "u1..u4" in str(caught.value)


@pytest.mark.parametrize("text", ["all robots", "half of the robots", "all robots but one"])
def test_a_role_that_nobody_plays_is_refused_with_the_roles(text: str) -> None:
    with pytest.raises(BadInput, match=r"a role that nobody plays: expected user, server"):
        coalition_of(text, ROSTER)


@pytest.mark.parametrize(
    "text", ["all users but 4", "all users but 9", "half of the servers", "half of the users but 2"]
)
def test_a_share_of_a_role_that_comes_to_nobody_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is empty"):
        coalition_of(text, ROSTER)


@pytest.mark.parametrize("given_", ["", " ", ",", [], ["", " , "]])
def test_an_empty_set_is_refused(given_: Any) -> None:
    with pytest.raises(BadInput, match="this coalition is empty"):
        verdict(added(4), given_)


def test_an_empty_set_is_refused_however_it_is_given() -> None:
    with pytest.raises(BadInput):
        verdict(added(4), Coalition(()))


@given(st.integers(2, 9), st.integers(1, 8))
def test_sets_scale_with_the_number_of_users(users: int, spared: int) -> None:
    roster = Roster(Adding(users).parties())
    names = [f"u{number}" for number in range(1, users + 1)]
    expected = {
        "all users": names,
        "all user": names,
        "all users but one": names[:-1],
        "half of the users": names[: users // 2],
        "u1..u2": names[:2],
        f"u{users}": names[-1:],
        "everyone": [*names, "server"],
        "network": [],
        "all servers, u1": ["u1", "server"],
        "half of the users, server, network": [*names[: users // 2], "server"],
    }
    if spared < users:
        expected[f"all users but {spared}"] = names[: users - spared]
    for text, parties in expected.items():
        chosen = coalition_of(text, roster)
        assert (list(chosen.parties), chosen.network) == (parties, "network" in text)


@given(st.integers(2, 30).map(lambda n: Roster(Adding(n).parties())), st.booleans(), st.data())
def test_a_set_written_down_is_read_back_as_it_was(
    roster: Roster, network: bool, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(roster.names), min_size=0 if network else 1))
    chosen = coalition_of([*names, *["network"] * network], roster)
    assert chosen == Coalition(tuple(name for name in roster.names if name in names), network)
    assert coalition_of(str(chosen), roster) == coalition_of(chosen, roster) == chosen
    assert coalition_of(reversed(names + ["network"] * network), roster) == chosen


class Bosses:
    def parties(self) -> Mapping[str, Seat]:
        return seats("b", self.boss, 3)

    async def boss(self, me: Party) -> None:
        protected(me, 1)


def test_a_role_whose_name_ends_in_s_can_be_named() -> None:
    assert verdict(run(Bosses()), "all boss but one").corrupt.parties == ("b1", "b2")


class Composed(Bosses):
    def parties(self) -> Mapping[str, Seat]:
        return {f"g1.u{k}": Seat(self.boss, k, role="g1.user") for k in (1, 2, 3)}


def test_the_roles_of_parts_can_be_named() -> None:
    assert verdict(run(Composed()), "all g1.users but one").corrupt.parties == ("g1.u1", "g1.u2")


def test_a_range_that_runs_backwards_is_said_to() -> None:
    with pytest.raises(BadInput, match=r"runs backwards: write u1\.\.u3"):
        verdict(added(4), "u3..u1")


def test_groups_name_a_set_too() -> None:
    done = added(3)
    group: Group = done.roster.role("user")
    assert verdict(done, group).corrupt.parties == ("u1", "u2", "u3")


def test_a_name_with_commas_stays_whole() -> None:
    async def play(me: Any) -> None:
        pass

    roster = Roster({name: Seat(play) for name in ("a, b", "a", "b", "c,d")})
    assert coalition_of("a, b", roster).parties == ("a, b",)
    assert coalition_of("b, a", roster).parties == ("a", "b")
    assert coalition_of("b, c,d, a, b", roster).parties == ("a, b", "b", "c,d")
    for members in (("a, b",), ("a", "b"), ("a, b", "b", "c,d")):
        assert coalition_of(members, roster).parties == members


@pytest.mark.parametrize("name", ["network", "everyone"])
def test_no_party_is_called_like_another_coalition(name: str) -> None:
    class Named:
        def parties(self) -> Mapping[str, Seat]:
            return {name: Seat(self.play)}

        async def play(self, me: Party) -> None: ...

    with pytest.raises(BadInput, match=f"a party may not be called '{name}'"):
        run(Named())
