"""The page on times and errors has the numbers that the experiments give."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.text import Text

from protocols.catalogue import about
from protocols.tss.script import TSS
from scenarios.completion.deadline import EXPERIMENT as DEADLINE
from scenarios.completion.drop import EXPERIMENT as DROP
from scenarios.completion.families import FAMILIES, NEED_EVERYBODY, option, people, script_of
from scenarios.completion.hurried import hurried
from scenarios.completion.page import (
    FIGURES,
    PAGE,
    deadlines,
    drops,
    over_users,
    parts,
)
from scenarios.completion.trials import ERROR, SECONDS
from scenarios.completion.users import EXPERIMENT as USERS
from scenarios.completion.waiting import AGES, with_deadline
from simnet import run
from simnet.cli.page import read_part
from simnet.errors import BadInput
from simnet.network.timing import in_units
from simnet.studies.here import table_here
from simnet.studies.table import Table
from simnet.studies.trial import Aborted
from tests.harness.data import ROOT

NAMES = ("data-centre", "wide-area", "broadband", "mobile")
FAST = "dpds,dpdg,secagg,secagg_plus,committee"  # their times have formulas


def rows_of(lines: list[str]) -> Iterator[list[str]]:
    """The cells of the rows of tables in Markdown, without the line below the heads."""
    for line in lines:
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("| ").split(" | ")]


def part(name: str) -> list[str]:
    """The lines of a part of the page that the command writes."""
    return read_part(ROOT / PAGE, name)


@pytest.mark.slow
def test_the_page_has_the_times_and_the_errors_that_the_laws_give() -> None:
    few = USERS.with_settings({"protocol": FAST, "users": "60,6000"}).with_trials(1)
    table = table_here(few, "completion")
    page = list(rows_of(part("times")))
    heads = [place for place, cells in enumerate(page) if cells[0] == "users"]
    shown = {measure: page[head:] for measure, head in zip(SECONDS, heads, strict=True)}
    shown[ERROR] = list(rows_of(part("errors")))
    for measure, lines in shown.items():
        heads_, *computed = rows_of(
            over_users(
                table, measure, in_units if measure != ERROR else lambda error: f"{error:.3g}"
            ).splitlines()
        )
        for cells in computed:
            there = dict(
                zip(lines[0], next(row for row in lines if row[0] == cells[0]), strict=True)
            )
            assert [there[name] for name in heads_] == cells


@pytest.mark.slow
def test_the_page_has_the_numbers_of_runs_with_drop_outs() -> None:
    for name in ("dpds", "committee"):
        few = DROP.with_settings({"protocol": name, "drop": "0.0,0.05"})
        (table,) = drops(table_here(few, "completion_drop"))
        assert len(table.splitlines()) == 2 + 2
        assert set(table.splitlines()) <= set(part("drops"))


@pytest.mark.slow
def test_the_page_has_the_numbers_of_runs_with_deadlines() -> None:
    for name in ("dpds", "oue"):
        few = DEADLINE.with_settings({"protocol": name, "drop": "0.0", "patience": "4.0"})
        (table,) = deadlines(table_here(few, "completion_deadline"))
        assert len(table.splitlines()) == 2 + 1
        assert set(table.splitlines()) <= set(part("deadlines"))


@pytest.fixture(scope="module")
def quick() -> dict[str, Table]:
    """The tables of quick runs of the three experiments."""
    found = {"completion": USERS, "completion_drop": DROP, "completion_deadline": DEADLINE}
    return {name: table_here(one.quickly(), name) for name, one in found.items()}


@pytest.mark.long
def test_a_quick_run_gives_all_parts_and_all_figures(
    quick: dict[str, Table], tmp_path: Path
) -> None:
    found = parts(quick)
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    for name, lines in found.items():
        assert "".join(lines)
        assert f"<!-- {name} -->" in text
        assert not {"nan", "inf"} & set("\n".join(lines).replace("|", " ").split())
    for name, (path, experiment) in FIGURES.items():
        assert (ROOT / path).is_file()
        assert experiment.figure is not None
        figure: Any = experiment.figure(quick[name])
        assert figure.get_figwidth() == 7
        texts = figure.findobj(match=Text)
        assert min(text.get_fontsize() for text in texts if text.get_text()) >= 7
        timed = [axes for axes in figure.axes if axes.get_title("left").partition(",")[0] in NAMES]
        assert len({axes.get_ylim() for axes in timed}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["committee", "secagg", "secagg_plus", "oue"])
def test_a_deadline_that_never_passes_changes_no_estimate(name: str) -> None:
    script, held = script_of(name, 60), people(60).inputs
    done = run(hurried(script, AGES), held, 3, network="mobile")
    assert not done.late
    assert done.outputs["server"].tolist() == run(script, held, 3).outputs["server"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", NEED_EVERYBODY)
def test_protocols_that_need_everybody_stop_at_a_deadline_or_a_drop_out(name: str) -> None:
    point: dict[str, Any] = {
        "protocol": name,
        "users": 30,
        "network": "mobile",
        "drop": 0.0,
        "patience": 1e3,
    }
    whole = with_deadline(point, 1, None)
    script, held = script_of(name, 30), people(30).inputs
    done = run(script, held, 1)
    assess = about(script).assess
    assert assess is not None
    assert whole["squared_l2"] == assess(done, people(30).totals).squared_l2
    assert whole["counted"] == 100
    with pytest.raises(Aborted, match="deadline passed"):
        with_deadline({**point, "patience": 1.0}, 1, None)
    with pytest.raises(Aborted, match="dropped out"):
        with_deadline({**point, "drop": 0.5}, 1, None)


@pytest.mark.slow
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


@pytest.mark.slow
def test_drop_outs_change_who_is_counted_and_the_error_says_so() -> None:
    few = DROP.with_settings({"protocol": "committee", "drop": "0.0,0.5"}).with_trials(3)
    table = table_here(few, "completion_drop")
    errors = [table.at("squared_l2", drop=drop).expected for drop in (0.0, 0.5)]
    assert errors[0] == pytest.approx(option("committee", 60).error)
    assert errors[0] is not None
    assert errors[1] is not None
    assert errors[1] > errors[0]


def test_all_seven_families_are_in_the_grid_of_each_experiment() -> None:
    for experiment in (USERS, DROP, DEADLINE):
        names = {str(point["protocol"]) for point in experiment.points()}
        assert names >= set(FAMILIES) - {"grr"}
    staged = [point for point in USERS.points() if point["protocol"] == "tss"]
    assert isinstance(option("tss", 60).script, TSS)
    assert max(int(point["users"] or 0) for point in staged) == 2000


def test_a_protocol_without_parameters_for_so_few_users_is_named() -> None:
    told = "no parameters of secagg_plus give 12 users ε = 1 and δ = 1e-06: take more users"
    with pytest.raises(BadInput, match=told):
        option("secagg_plus", 12)
