"""Several collections: one collection has the exact profile, more collections tell more, and the
command takes groups.
"""

import json
from math import expm1, log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.privacy.profile import delta_at, epsilon_at
from protocols.privacy.repeated import GroupCollections, server_of_collections
from protocols.privacy.sampled_counts import profile
from simnet.cli.main import main
from tests.harness.fuzz import cases

COUNTS = (33, 40, 200)


@pytest.mark.parametrize("relation", ["remove", "replace"])
def test_one_collection_has_the_exact_profile(relation):
    exact = profile(COUNTS, 0.3, relation)
    stated, interval = server_of_collections([GroupCollections(COUNTS, 0.3)], relation, epsilon=0.5)
    assert interval.low <= delta_at(exact, 0.5) * (1 + 1e-9)
    assert delta_at(exact, 0.5) <= interval.high * (1 + 1e-9)
    assert interval.high <= interval.low * 1.002
    assert stated.as_json()["delta"] == pytest.approx(interval.high, rel=1e-6)
    _, interval = server_of_collections([GroupCollections(COUNTS, 0.3)], relation, delta=1e-6)
    assert interval.low - 1e-9 <= epsilon_at(exact, 1e-6) <= interval.high + 1e-9


@pytest.mark.slow
def test_more_collections_tell_more_and_groups_may_differ():
    once, twice, mixed = (
        server_of_collections(given, "replace", epsilon=1.0)[1]
        for given in (
            [GroupCollections(COUNTS, 0.2, 3)],
            [GroupCollections(COUNTS, 0.2, 6)],
            [GroupCollections(COUNTS, 0.2, 3), GroupCollections((80, 90, 95), 0.1, 3)],
        )
    )
    assert once.high < mixed.low < mixed.high < twice.low


def test_two_collections_of_a_lone_holder():
    """A user who alone holds an item, removed: seen unless it takes no part both times."""
    _, interval = server_of_collections([GroupCollections((1, 50), 0.3, 2)], "remove", epsilon=5.0)
    assert interval.low == pytest.approx(1 - 0.7**2, rel=1e-6)
    assert interval.high == pytest.approx(1 - 0.7**2, rel=1e-6)


@pytest.mark.slow
@given(st.floats(-289, -6), st.floats(0, 6), st.integers(1, 5), st.floats(0, 20))
@cases(10)
def test_collections_with_hardly_any_sample_have_a_bound_that_holds(
    power: float, log_times: float, holders: int, epsilon: float
) -> None:
    """If a grid cannot hold the losses, the δ of all collections are added up."""
    p, times = 10**power, int(10**log_times)
    group = GroupCollections((1, holders), p, times)
    for relation, worst in (("remove", 1), ("replace", 2)):
        _, interval = server_of_collections([group], relation, epsilon=epsilon + 1e-9)
        seen = -expm1(times * log1p(-p))  # the user alone holds the item, and takes part once
        assert interval.low <= worst * times * p * (1 + 1e-9)
        assert seen * (1 - 1e-9) <= interval.high
        _, interval = server_of_collections([group], relation, delta=0.5)
        assert interval.low <= interval.high
        if worst * times * p < 0.4:
            assert interval.high == 0


@pytest.mark.slow
def test_a_million_collections_with_hardly_any_sample_meet_every_usual_delta() -> None:
    group = GroupCollections((1, 1), 1e-9, 10**6)
    assert server_of_collections([group], "replace", delta=0.01)[1].high == 0


@pytest.mark.slow
def test_limits_are_those_of_the_counts_that_were_given(capsys) -> None:
    largest = 10**9
    _, interval = server_of_collections(
        [GroupCollections((largest, largest), 0.5, 2)], "replace", epsilon=1.0
    )
    assert interval.high < 1e-100
    with pytest.raises(SystemExit):
        main(["privacy", "compose", "--group", "1000000001,7@0.5", "--delta", "0.1"])
    assert "1000000001" in capsys.readouterr().err.replace(",", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 1.0, "delta": 0.1}, "give exactly one of"),
        ({"epsilon": 0.0}, "epsilon is positive"),
        ({"delta": 1.0}, "delta lies"),
    ],
)
def test_nonsense_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        server_of_collections([GroupCollections(COUNTS, 0.3)], "replace", **arguments)
    with pytest.raises(ValueError, match="one collection"):
        server_of_collections([], "replace", epsilon=1.0)
    with pytest.raises(ValueError, match="times is at least 1"):
        GroupCollections(COUNTS, 0.3, 0)
    with pytest.raises(TypeError, match="times is a whole number"):
        GroupCollections(COUNTS, 0.3, 1.5)


@pytest.mark.slow
def test_the_command(capsys):
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "privacy",
                "compose",
                "--group",
                "33,40@0.1x5",
                "--group",
                "80,90@0.2",
                "--delta",
                "1e-6",
                "--json",
                "-",
            ]
        )
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert found["low"] <= found["epsilon"] == found["high"]
    assert found["delta"] == 1e-6
    assert "6 collections" in found["view"]
    assert "33 holders" in found["assumption"]
    for wrong in ("33,40", "33,40@", "33,40@0.1xtwo"):
        with pytest.raises(SystemExit) as ended:
            main(["privacy", "compose", "--group", wrong, "--epsilon", "1"])
        assert ended.value.code == 2
        assert "COUNTS@PARTICIPATION" in capsys.readouterr().err
