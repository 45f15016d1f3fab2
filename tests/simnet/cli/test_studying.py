"""The commands `simnet sweep`, `results`, `reproduce` and `list`, as users call them."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from simnet.cli.main import main
from simnet.cli.reproduce import duration, files_in_words
from tests.harness.sweeping import TINY


class Shell:
    """`simnet` in this process; `out` and `err` are what it wrote last."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.capsys, self.folder, self.out, self.err = capsys, folder, "", ""

    def __call__(self, *arguments: object) -> int:
        with pytest.raises(SystemExit) as left:
            main([str(one) for one in arguments])
        self.out, self.err = self.capsys.readouterr()
        return int(left.value.code or 0)

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, tmp_path)


def swept(shell: Shell, *more: object) -> int:
    return shell("sweep", TINY, "--workers", 1, "--trials", 3, *more)


@pytest.mark.slow
def test_a_sweep_says_what_was_done_and_where_it_is_kept(shell: Shell) -> None:
    assert swept(shell) == 0
    assert "tiny_experiment: 9 trials done, 0 already in the store, 0 failed" in shell.out
    assert str(shell.folder / "state" / "simnet" / "results.jsonl") in shell.out
    assert swept(shell, "--json", "-") == 0
    assert shell.json.items() >= {"done": 0, "failed": 0, "skipped": 9}.items()


@pytest.mark.slow
def test_failed_trials_are_shown_and_make_status_1(shell: Shell) -> None:
    assert (
        swept(shell, "--set", "fails=some", "--set", "shift=0,1,2,3,4,5,6,7,8,9", "--json", "-")
        == 1
    )
    told = shell.json
    assert told["failed"] + told["done"] == 30
    assert re.search(
        r"simnet: tiny_experiment: trial \d of .*ArithmeticError: seeds that 3 divides", shell.err
    )
    assert len(shell.err.splitlines()) == min(told["failed"], 5) + (told["failed"] > 5)


@pytest.mark.slow
def test_results_are_shown_queried_and_exported(shell: Shell) -> None:
    swept(shell)
    assert shell("results") == 0
    assert "tiny_experiment" in shell.out
    files = ("--csv", "t.csv", "--parquet", "t.parquet", "--json", "-")
    assert shell("results", "tiny_experiment", "--where", "shift=1", *files) == 0
    rows = shell.json
    assert [(row["shift"], row["trial"]) for row in rows] == [(1.0, 0), (1.0, 1), (1.0, 2)]
    with (shell.folder / "t.csv").open() as file:
        assert [row["value"] for row in csv.DictReader(file)] == [
            repr(row["value"]) for row in rows
        ]
    assert pyarrow.parquet.read_table(shell.folder / "t.parquet").to_pylist() == rows
    assert shell("results", "tiny_experiment", "--json", "-") == 0
    assert len(shell.json) == 9


@pytest.mark.long
def test_results_are_those_of_the_version_written_last(shell: Shell) -> None:
    swept(shell)
    (shell.folder / "words.txt").write_text("one")
    swept(shell, "--data", shell.folder)
    assert shell("results", "tiny_experiment", "--json", "-") == 0
    assert {row["length"] for row in shell.json} == {3}
    assert shell("results", "tiny_experiment", "--all-versions", "--json", "-") == 0
    assert len(shell.json) == 18


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("results", "--store", "none"),
            "there is no store of results none: `simnet sweep` makes one",
        ),
        (("sweep", "nobody"), "no experiment is called 'nobody': the names are "),
        (("sweep", TINY, "--set", "colour=red"), "no parameter is called 'colour'"),
        (("sweep", TINY, "--data", "nowhere"), "there is no folder nowhere"),
        (("sweep", TINY, "--workers", 0), "the number of workers is at least 1"),
        (("sweep", TINY, "--workers", 1, "--cluster", "tcp://x:1"), "give only one of them"),
        (("sweep", TINY, "--store", "words.txt"), "is no store of results that this version"),
        (("sweep", TINY, "--word", "far=2"), "sweep has no option --word"),
        (("reproduce",), "name the experiments to reproduce"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    shell: Shell, arguments: tuple[object, ...], words: str
) -> None:
    (shell.folder / "words.txt").write_text("What is this?")
    refused(shell, arguments, words)


def refused(shell: Shell, arguments: tuple[object, ...], words: str) -> None:
    assert shell(*arguments) == 2
    assert re.fullmatch(r"simnet: \S.*\n", shell.err)
    assert words in shell.err


@pytest.mark.long
def test_what_a_store_does_not_hold_is_said_in_one_line(shell: Shell) -> None:
    swept(shell)
    refused(shell, ("results", "nobody"), "has no results of 'nobody'")
    refused(shell, ("reproduce", "all", "nobody"), "no experiment is called 'nobody'")
    where = ("results", "tiny_experiment", "--where", "colour=red")
    refused(shell, where, "no row has a column 'colour': the columns are experiment, fails")


@pytest.mark.slow
def test_reproducing_writes_tables_figures_and_verdicts(shell: Shell) -> None:
    few = (
        "--quick",
        "--workers",
        "1",
        "--set",
        "users=60",
        "--set",
        "budgets=0.1/0.4/0.7/1",
        "--trials",
        "2",
    )
    assert shell("reproduce", "fig4", *few, "--out", "out", "--json", "told.json") == 0
    text = shell.out
    assert re.search(r"6 trials to run\s+this takes about \d+ s, with 1 trial at once", text)
    assert text.index("this takes about") < text.index("2 trials at each point")
    assert "The people are synthetic, not real data" in text
    assert "- The error is that of the noise" in text
    assert "measured open: right" in " ".join(text.split())
    names = {path.name for path in (shell.folder / "out").iterdir()}
    assert names == {
        "fig4.csv",
        "fig4.parquet",
        "fig4_points.csv",
        "fig4_verdicts.csv",
        "fig4_verdicts.md",
        "fig4.png",
        "fig4.svg",
        "fig4.pdf",
        "fig4_points.md",
        "fig4_points.tex",
        "verdicts.md",
    }
    assert (shell.folder / "out" / "fig4.png").read_bytes().startswith(b"\x89PNG")
    page = (shell.folder / "out" / "verdicts.md").read_text()
    assert "| Fig. 4 |" in page
    (told,) = json.loads((shell.folder / "told.json").read_text())["experiments"]
    assert (
        told.items()
        >= {"experiment": "fig4", "done": 6, "skipped": 0, "failed": 0, "synthetic": True}.items()
    )
    assert told["verdicts"][0].keys() >= {"printed", "exact", "measured", "verdict", "why"}
    assert {line["holds"] for line in told["rows"]} == {True}


@pytest.mark.long
def test_an_expected_value_outside_its_interval_makes_status_1(shell: Shell) -> None:
    (shell.folder / "wrong.py").write_text(
        TINY.read_text().replace('"expected": 4.0 *', '"expected": 100.0 + 4.0 *')
    )
    assert shell("reproduce", "wrong.py", "--workers", 1, "--trials", 9) == 1
    assert "(outside)" in shell.out
    assert shell("reproduce", TINY, "--workers", 1, "--trials", 9) == 0
    assert "(outside)" not in shell.out
    assert "the tables and verdicts.md are in reproduced, " in shell.out


def test_experiments_are_listed_beside_scenarios(shell: Shell) -> None:
    assert shell("list", "--json", "-") == 0
    kinds = {row["name"]: row["kind"] for row in shell.json}
    assert kinds["dpds"] == "scenario"
    assert {name for name, kind in kinds.items() if kind == "experiment"} >= {
        "fig1",
        "fig2",
        "fig3",
        "fig4",
        "fig5",
        "table1",
        "table2",
    }


@pytest.mark.slow
def test_damage_to_a_store_is_said_and_mended(shell: Shell) -> None:
    """Results leave damaged lines out; `--mend` and sweeps take them out of the file."""
    swept(shell)
    path = shell.folder / "state" / "simnet" / "results.jsonl"
    for mend, rows in ((("results", "--mend"), 7), (("sweep", TINY, "--trials", 3), 9)):
        damaged = path.read_bytes().replace(b'"value": ', b'"value": 1', 2)
        path.write_bytes(damaged)
        assert shell("results", "tiny_experiment", "--json", "-") == 1
        assert "simnet: 2 lines of " in shell.err
        assert "were damaged or unfinished, and left out" in shell.err
        assert path.read_bytes() == damaged
        assert shell(*mend) == 0
        assert "2 lines of" in shell.err
        assert "taken out" in shell.err
        assert shell("results", "tiny_experiment", "--json", "-") == 0
        assert not shell.err
        assert len(shell.json) == rows
    assert shell("results", "--mend") == 0
    assert "no line of" in shell.err


@pytest.mark.slow
def test_a_trial_that_leaves_by_sys_exit_is_a_failed_trial(shell: Shell) -> None:
    (shell.folder / "leaves.py").write_text(
        TINY.read_text().replace("    drawn =", "    raise SystemExit(0)\n    drawn =")
    )
    assert shell("reproduce", "leaves.py", "--workers", 1, "--trials", 1) == 1
    assert "simnet: leaves: trial 0 of " in shell.err
    assert "SystemExit: 0" in shell.err


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.1, "1 s"), (42, "42 s"), (600, "10 min"), (9000, "2.5 h")]
)
def test_times_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "verdicts.md is"),
        (["a.csv", "a_points.md", "a_points.tex", "a.parquet"], "the tables and verdicts.md are"),
        (["a.csv", "b.csv", "b.png", "b.svg"], "the figures, tables and verdicts.md are"),
    ],
)
def test_only_what_was_written_is_named(files: list[str], words: str) -> None:
    assert files_in_words(files) == words
