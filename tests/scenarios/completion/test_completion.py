"""The page on times has the numbers that the code computes, and the experiments give the same."""

from pathlib import Path

import pytest

from protocols.advice.compared_page import in_points
from scenarios.completion.deadline import AGES, plain
from scenarios.completion.deadline import EXPERIMENT as DEADLINE
from scenarios.completion.drop import EXPERIMENT as DROP
from scenarios.completion.hurried import hurried
from scenarios.completion.page import (
    DEADLINES,
    DROPS,
    PAGE,
    SHOWN,
    USERS,
    compared,
    crossings,
    deadlines,
    dropping,
    drops,
    hurrying,
    times,
)
from scenarios.completion.trials import SECONDS, option
from scenarios.completion.users import EXPERIMENT
from simnet import run
from simnet.network.timing import in_units
from simnet.studies.here import table_here
from tests.harness.data import ROOT


def part(name: str) -> list[str]:
    """The lines of a part of the page that the command writes."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    _, _, after = text.partition(f"<!-- {name} -->\n")
    return after.partition(f"<!-- /{name} -->")[0].splitlines()


def test_the_page_has_the_times_that_the_laws_give() -> None:
    (table,) = times(compared(("dpds", "committee", "secagg", "grr"), (10_000,)))
    lines = table.splitlines()
    assert len(lines) == 2 + 5
    assert set(lines) <= set(part("times"))


def test_the_page_has_the_times_of_runs_with_drop_outs() -> None:
    (table,) = drops(dropping({**DROPS, "protocol": "committee"}))
    assert len(table.splitlines()) == 2 + 2
    assert set(table.splitlines()) <= set(part("drops"))


def test_the_page_has_the_times_of_runs_with_deadlines() -> None:
    (table,) = deadlines(hurrying({**DEADLINES, "protocol": "oue", "patience": "2.0,8.0"}))
    assert len(table.splitlines()) == 2 + 4
    assert set(table.splitlines()) <= set(part("deadlines"))


@pytest.mark.parametrize("name", ["committee", "secagg", "secagg_plus", "oue"])
def test_a_deadline_that_never_passes_changes_no_estimate(name: str) -> None:
    script, held = plain(name, 60), [1 + user % 10 for user in range(60)]
    done = run(hurried(script, AGES), held, 3, network="mobile")
    assert not done.late
    assert done.outputs["server"].tolist() == run(script, held, 3).outputs["server"].tolist()


def test_a_short_deadline_counts_fewer_users_and_a_long_one_takes_longer_if_some_leave() -> None:
    table = table_here(
        DEADLINE.with_settings(
            {"protocol": "committee", "network": "mobile", "patience": "2.0,8.0"}
        ).with_trials(2),
        "completion_deadline",
    )

    def mean(measure: str, drop: float, patience: float) -> float:
        return table.at(measure, drop=drop, patience=patience).mean

    assert mean("counted", 0.0, 2.0) < mean("counted", 0.0, 8.0) == 100
    assert mean("seconds", 0.1, 8.0) > 2 * mean("seconds", 0.1, 2.0)


def test_the_experiment_gives_the_numbers_of_the_page() -> None:
    few = EXPERIMENT.with_settings({"protocol": "dpds", "users": "1000"}).with_trials(5)
    table = table_here(few, "completion")
    cells = [in_units(table.at(one.name).mean) for one in SECONDS]
    margin = in_points(table.at("margin").mean / 100)
    assert f"| 1,000 | dpds | {' | '.join([*cells, margin])} |" in part("times")
    assert all(estimate.low == estimate.high for estimate in map(table.at, ("margin",)))


def test_drop_outs_change_who_is_counted_and_the_error_says_so() -> None:
    few = DROP.with_settings({"protocol": "committee", "drop": "0.0,0.5"}).with_trials(3)
    table = table_here(few, "completion_drop")
    errors = [table.at("squared_l2", drop=drop).expected for drop in (0.0, 0.5)]
    assert errors[0] == pytest.approx(option("committee", 100).error)
    assert errors[1] > errors[0]


@pytest.mark.slow
def test_the_page_says_where_protocols_change_places() -> None:
    names = tuple(name for name in SHOWN if name != "tss")
    found = compared(names, USERS)
    assert set(crossings(found)) == {line for line in part("crossings") if "tss" not in line}
    (table,) = times(found)
    assert set(table.splitlines()) == {line for line in part("times") if "| tss |" not in line}
    assert Path(ROOT / PAGE.parent / "completion.svg").is_file()
