"""Coalitions judged one by one: what is found is among what brute force finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simnet import every_coalition, run
from simnet.adversary.coalitions.answer import Question
from simnet.adversary.coalitions.one_by_one import OneByOne
from simnet.kernel.run import Run
from simnet.scenario.find import find
from tests.harness.counted import compared, compared_with_brute_force
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.shell import RING
from tests.harness.small_scripts.checking import inputs_of
from tests.harness.small_scripts.checking import played as played_script
from tests.harness.small_scripts.drawing import drawn
from tests.harness.small_scripts.source import forget_sources, protocol_of

CASES = {
    "ring": (str(RING), {"users": "5"}),
    "secagg": ("secagg", {"users": "4", "items": "1"}),
    "dpds_shamir": ("dpds_shamir", {"users": "4", "items": "1", "sharing": "shamir:2"}),
}


def played(place: str, settings: dict[str, str]) -> Run:
    scenario = find(place)[1].with_settings(settings)
    return run(scenario.build(scenario.users, scenario.items), [1] * scenario.users, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_found_is_what_brute_force_finds(name: str) -> None:
    done = played(*CASES[name])
    every = every_coalition(done)
    judge = OneByOne(done)
    for standing in every.standings:
        found = judge.found(Question([standing.party], one_of_each=True))
        (part,), (counted,) = found.parts, found.parts[0].standings
        for stairs, minimal, maximal in (
            (counted.exposing, standing.exposing, standing.unexposing),
            (counted.touching, standing.touching, standing.untouching),
        ):
            assert len(stairs.minimal) == bool(minimal)
            assert stairs.is_nowhere is not bool(minimal)
            assert set(map(part.coalition, stairs.minimal)) <= set(minimal)
            assert set(map(part.coalition, stairs.maximal)) <= set(maximal or [()])
    assert judge.judged < 2 ** len(every.parties)
    assert compared(judge.found(Question()), every) > 0


def compared_at_random(seed: int) -> int:
    """Compare the search with brute force on a random script, in which verdicts are often
    undecided.
    """
    script = drawn(seed)
    done = played_script(script, protocol_of(script), next(inputs_of(script)), seed)
    forget_sources()
    if done is None or not any(done.secrets.values()):
        return 0
    every = every_coalition(done)
    if any(each.may_expose or each.may_touch for each in every.standings):
        assert not every.answer.is_complete
    return compared_with_brute_force(every, OneByOne(done))


@given(st.integers(0, 10_000))
@settings(max_examples=5, deadline=None)
def test_random_scripts(seed: int) -> None:
    compared_at_random(seed)


@pytest.mark.slow
@pytest.mark.parametrize("count", long_but([40, 200], 40))
def test_many_random_scripts(count: int) -> None:
    assert sum(map(compared_at_random, range(1_000, 1_000 + count))) > count / 2


@for_each("others", [["u2", "u3"], ["u2", "u3", "server"]])
def test_nobody_is_said_only_if_all_others_together_fail(others: list[str]) -> None:
    done = played("dpds_shamir", {"users": "3", "items": "1", "sharing": "shamir:3"})
    judge = OneByOne(done)
    found = judge.found(Question(["u1"], frozenset(others), one_of_each=True))
    stairs = found.parts[0].standings[0].exposing
    assert stairs.is_nowhere is ("server" not in others)
    if stairs.is_nowhere:
        assert [found.parts[0].coalition(counts) for counts in stairs.maximal] == [("u2", "u3")]


def test_a_search_that_ends_early_says_so_and_denies_nothing() -> None:
    judge = OneByOne(played(str(RING), {"users": "9"}))
    for user in ("u5", "u4"):  # the number is about further verdicts
        judge.allow(6)
        stairs = judge.found(Question([user], one_of_each=True)).parts[0].standings[0].exposing
        assert not stairs.minimal
        assert not stairs.is_nowhere
        assert stairs.unsearched == "the search ended after 6 verdicts"
    judge.allow(100)
    assert judge.found(Question(["u5"])).parts[0].standings[0].exposing.unsearched == ""
