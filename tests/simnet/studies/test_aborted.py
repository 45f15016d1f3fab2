"""Trials whose runs were aborted: an outcome that stores and tables keep, and not an error."""

from pathlib import Path
from typing import Any

import pytest

from simnet.record.fate import Ending
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Job, Measurements, Parameters
from simnet.studies.here import table_here
from simnet.studies.outcome import outcome
from simnet.studies.report import rows_of
from simnet.studies.store import Result, Store, Versions
from simnet.studies.sweep import Study
from simnet.studies.table import COMPLETED, Measure, NoSuchPoint, Table
from simnet.studies.trial import Aborted
from tests.harness.shell import simnet
from tests.harness.sweeping import swept

GAVE_UP = Ending("server", 2, "too few")


def trial(parameters: Parameters, seed: int, data: Path | None) -> Measurements:
    drop = float(parameters.get("drop") or 0)
    if seed % 100 < 100 * drop:
        raise Aborted([GAVE_UP])
    return {"value": 1.0}


def experiment() -> Experiment:
    return Experiment(
        summary="values",
        source="none",
        trial=trial,
        grid=[{"x": [1]}],
        measures=[Measure("value")],
        trials=30,
        takes_drop=True,
    )


def test_an_aborted_trial_is_a_result_without_numbers() -> None:
    study = experiment().with_settings({"drop": "1.0"})
    job = next(iter(study.jobs("values")))
    found = outcome(study, job, None)
    assert isinstance(found, Result)
    assert (found.numbers, found.aborts) == ({}, (GAVE_UP,))


def test_the_store_keeps_who_aborted_in_which_round_and_why(tmp_path: Path) -> None:
    versions = Versions("code", "data")
    results = [
        Result(Job("{}", 1, 1), {}, 0.5, 0.25, (GAVE_UP,)),
        Result(Job("{}", 0, 2), {f"value {n}": 1.0 for n in range(12)}, 0.5),
    ]
    with Store(tmp_path / "kept.jsonl") as store:
        assert store.add("values", versions, results) == 2
        store.confirm()
    with Store(tmp_path / "kept.jsonl", reading=True) as again:
        assert [one.result for one in again.kept()] == results
    shown = " ".join(simnet("results", "values", "--store", tmp_path / "kept.jsonl").out.split())
    assert "server" in shown
    assert "too few" in shown
    lines = (tmp_path / "kept.jsonl").read_text().splitlines()
    assert [("aborts" in line) for line in lines] == [False, True, False]  # old lines are as before


def test_a_table_shows_the_share_of_completed_runs_at_each_point() -> None:
    table = table_here(experiment().with_settings({"drop": "0,0.5,1.0"}), "values")
    lines = [line for line in table.summary() if line["measure"] == "completed"]
    assert [line["drop"] for line in lines] == [0.0, 0.5, 1.0]
    assert lines[0]["mean"] == 1.0
    assert 0 < lines[1]["mean"] < 1
    assert lines[2]["mean"] == 0.0
    aborted = [row for row in table.rows if row["completed"] == 0.0]
    assert all(row["aborted_by"] == "server" and "value" not in row for row in aborted)
    assert all(0 <= line["low"] <= line["mean"] <= line["high"] <= 1 for line in lines)
    assert [line["low"] == 0 for line in lines] == [False, False, True]


def test_an_estimate_at_a_point_leaves_aborted_runs_out() -> None:
    table = table_here(experiment().with_settings({"drop": "0.5,1.0"}), "values")
    found = table.at("value", drop=0.5)
    assert found.mean == 1.0
    assert 0 < found.trials < 30
    completed = table.at("completed", drop=0.5)
    assert completed.trials == 30
    assert completed == table.at(COMPLETED, drop=0.5)
    with pytest.raises(NoSuchPoint, match="no point with 'value' at drop"):
        table.at("value", drop=1.0)


def test_a_figure_shows_the_share_of_completed_runs_beside_the_measures() -> None:
    table = table_here(experiment().with_settings({"drop": "0,0.5,1.0"}), "values")
    figure = curves(
        table,
        "drop",
        panel="measure",
        line=["x"],
        words=str,
        titles={one.name: one.words for one in table.shown_measures},
        x_label="drop",
    )
    assert [axes.get_title("left") for axes in figure.axes] == ["value", "share of completed runs"]


@pytest.mark.slow
def test_one_figure_that_cannot_be_drawn_does_not_stop_the_others(tmp_path: Path) -> None:
    for name, figure in (("bad", "no_figure"), ("good", "None")):
        (tmp_path / f"{name}.py").write_text(
            "import attrs\n"
            "from tests.simnet.studies.test_aborted import experiment, no_figure\n"
            f"EXPERIMENT = attrs.evolve(experiment(), figure={figure})\n"
        )
    done = simnet(
        *("reproduce", tmp_path / "bad.py", tmp_path / "good.py"),
        *("--store", tmp_path / "s.jsonl", "--out", tmp_path / "out", "--workers", "1"),
    )
    assert done.status == 1
    assert "its figure cannot be drawn: StopIteration" in " ".join(done.err.split())
    assert {path.stem for path in (tmp_path / "out").glob("*_points.csv")} == {
        "bad_points",
        "good_points",
    }


def no_figure(_: Table) -> Any:
    raise StopIteration


@pytest.mark.slow
def test_a_sweep_counts_aborted_trials(tmp_path: Path) -> None:
    path = tmp_path / "dropping.py"
    path.write_text(
        "from tests.simnet.studies.test_aborted import experiment\n"
        'EXPERIMENT = experiment().with_settings({"drop": "0.5"})\n'
    )
    study = Study.of(str(path), None)
    jobs = list(study.experiment.jobs(study.name))
    aborted = sum(job.seed % 100 < 50 for job in jobs)
    tally = swept(study, tmp_path / "s.jsonl")
    assert (tally.done, tally.aborted) == (len(jobs), aborted)


def test_a_table_without_aborted_runs_has_no_such_column() -> None:
    rows = rows_of([Result(Job("{}", 1, 2), {"value": 1.0}, 0.5)])
    assert "completed" not in rows[0]
