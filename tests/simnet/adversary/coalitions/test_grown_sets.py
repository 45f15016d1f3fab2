"""One minimal and one maximal coalition: both are among those that brute force finds."""

import itertools
import random

import pytest

from simnet import every_coalition, run
from simnet.adversary.coalitions.grown_sets import grown_sets, largest_without, smallest_with
from simnet.adversary.coalitions.reach import Reach
from simnet.adversary.judge import Judge
from simnet.scenario.find import find
from tests.harness.many_cases import for_each
from tests.harness.shell import RING

NAMES = "abcdefg"


@for_each("seed", range(40))
def test_sets_of_random_monotone_properties(seed: int) -> None:
    draw = random.Random(seed)
    causes = [set(draw.sample(NAMES, draw.randint(1, 4))) for _ in range(draw.randint(1, 4))]

    def has(members: object) -> bool:
        return any(cause <= set(members) for cause in causes)  # type: ignore[call-overload]

    found = smallest_with(NAMES, has)
    assert has(found)
    assert not any(has(set(found) - {name}) for name in found)
    largest = largest_without(NAMES, lambda members: not has(members))
    assert not has(largest)
    assert all(has({*largest, name}) for name in set(NAMES) - set(largest))


CASES = [
    (str(RING), {"users": "5"}),
    ("secagg", {"users": "4", "items": "1"}),
    ("dpds_shamir", {"users": "4", "items": "1", "sharing": "shamir:2"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "settings"), CASES)
def test_sets_of_runs_are_among_those_of_brute_force(place: str, settings: dict[str, str]) -> None:
    scenario = find(place)[1].with_settings(settings)
    done = run(scenario.build(scenario.users, scenario.items), [1] * scenario.users, 1)
    every = every_coalition(done)
    reach = Reach(Judge([done], done.roster.names), every.parties)
    for standing in every.standings:
        found = grown_sets(reach, standing.party, every.parties)
        kinds = (
            (found.exposing, standing.exposing, standing.unexposing),
            (found.touching, standing.touching, standing.untouching),
        )
        for one, minimal, maximal in kinds:
            assert (one.minimal in minimal) if minimal else one.nobody
            assert one.maximal in maximal or (one.maximal == () and not maximal)
    assert reach.judged < 2 ** len(every.parties)


def test_nobody_is_said_only_if_all_others_together_fail() -> None:
    scenario = find("dpds_shamir")[1].with_settings(
        {"users": "3", "items": "1", "sharing": "shamir:3"}
    )
    done = run(scenario.build(3, 1), [1, 1, 1], 1)
    reach = Reach(Judge([done], done.roster.names), tuple(done.roster.names))
    found = grown_sets(reach, "u1", ["u1", "u2", "u3"])  # the server is left out
    assert found.exposing.nobody
    assert found.exposing.maximal == ("u2", "u3")
    with_server = grown_sets(reach, "u1", done.roster.names)
    assert not with_server.exposing.nobody
    for size in range(3):
        for members in itertools.combinations(["u2", "u3", "server"], size):
            is_exposed = reach.certain("exposes", members, "u1")
            assert is_exposed is (set(with_server.exposing.minimal or ()) <= set(members))


def test_a_search_that_ends_early_says_so_and_denies_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = find(str(RING))[1].with_settings({"users": "9"})
    done = run(scenario.build(9, scenario.items), [1] * 9, 1)
    reach = Reach(Judge([done], done.roster.names), tuple(done.roster.names))
    monkeypatch.setattr("simnet.adversary.coalitions.grown_sets.most_verdicts", lambda _: 9)
    found = grown_sets(reach, "u5", done.roster.names).exposing
    assert found.maximal is not None
    assert "u4" not in found.maximal or "u6" not in found.maximal
    assert found.minimal is None
    assert not found.nobody
    assert "ended after 9 verdicts" in found.unsearched
    # The number is about this search, although the judge has given other verdicts before.
    second = grown_sets(reach, "u4", done.roster.names).exposing
    assert reach.judged > 9
    assert "ended after 9 verdicts" in second.unsearched
