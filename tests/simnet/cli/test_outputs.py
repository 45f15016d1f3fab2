"""Every option that names a file refuses a file that cannot be written, before anything is
computed.
"""

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from cyclopts import Parameter

from protocols.commands.mechanism import mechanism
from protocols.commands.table1 import table1
from scenarios.papers.command import claims
from simnet import installed
from simnet.cli import bench, check, coalitions, exact_view, reproduce, results, run, verify
from simnet.cli import list as listing
from simnet.cli import options as shared
from simnet.cli.main import OF_SCENARIOS, OTHERS, build, main
from simnet.installed import entries
from tests.harness.marks import long_but, slow_but
from tests.harness.shell import refusal, simnet

COMMANDS: dict[str, Callable[..., Any]] = {
    "bench": bench.bench,
    "coalitions dpds --users 4": coalitions.coalitions,
    "check dpds": check.check,
    "exact-view dpds --corrupt u1 --inputs 1,1 --versus 1,2": exact_view.exact_view,
    "list": listing.list_scenarios,
    "reproduce fig2": reproduce.reproduce,
    "results": results.results,
    "run dpds": run.run,
    "verify dpds --corrupt u1": verify.verify,
    "mechanism grr --epsilon 1 --items 3": mechanism,
    "table1 --users 5 --items 2 --participation 0.5": table1,
    "claims biswas": claims,
}
# Options with the name of a file to be read, or of a folder that the command makes.
READ = {"input", "store", "data", "check", "out", "certificates", "folder"}
WRITTEN = [
    (line, name)
    for line, command in COMMANDS.items()
    for name, parameter in inspect.signature(command).parameters.items()
    if "Path" in str(parameter.annotation) or parameter.annotation is shared.JsonFile
    if name not in READ
]


def test_every_file_that_is_written_is_checked() -> None:
    assert len(WRITTEN) >= 15
    for line, name in WRITTEN:
        annotation = inspect.signature(COMMANDS[line]).parameters[name].annotation
        parameters = [part for part in get_args(annotation) if isinstance(part, Parameter)]
        assert any(parameter.validator for parameter in parameters), (line, name)


@pytest.mark.parametrize(("line", "name"), WRITTEN)
def test_a_missing_folder_is_told_at_once(
    line: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computes(*arguments: object, **how: object) -> None:
        raise AssertionError("it has begun to compute")

    monkeypatch.setattr("simnet.kernel.run._Stage", computes)
    said = refusal(simnet(*line.split(), f"--{name}", "no/such/folder/file.png"))
    assert "no/such/folder/file.png cannot be " in said
    assert "there is no folder no/such/folder" in said


DPDS = "dpds --users 3 --items 2 --participation 0.5"
BISWAS = "biswas_fig1 --trials 1 --workers 1 --store s"
PRINTING = [
    f"run {DPDS}",
    f"show {DPDS}",
    f"verify {DPDS} --corrupt u1",
    f"coalitions {DPDS}",
    "exact-view dpds --users 2 --items 2 --participation 0.5 --corrupt u1 --inputs 1,1",
    "list",
    "explain party",
    "network broadband",
    "time log.npz --network broadband",
    "mechanism grr --epsilon 1 --items 3",
    "compare grr oue --items 3 --users 10,20 --epsilon 1 --delta 1e-6",
    "table1 --users 5 --items 2 --participation 0.5",
    "privacy completes --users 50 --drop 0.1",
    "privacy thresholds --users 50",
]
PRINTING_SLOWLY = [
    f"check {DPDS}",
    "results --store s",
    "claims biswas",
]
PRINTING_LONG = ["bench ping-pong --repeat 1", f"sweep {BISWAS}", f"reproduce {BISWAS}"]
SUFFIXES = {"figure": "svg", "html": "html", "log": "npz", "svg": "svg", "csv": "csv"}
SUFFIXES |= {"parquet": "parquet", "markdown": "md", "certificate": "json", "json": "json"}
UPDATED = {"page"}  # a page that is there already


def files_of(line: str) -> list[str]:
    """The options of a command that name a file to be written."""
    command: Any = build().parse_commands(line.split())[1][-1].default_command
    if command is None:  # of several commands
        return []
    parameters = inspect.signature(command).parameters
    return [
        name
        for name, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and ("Path" in str(parameter.annotation) or parameter.annotation is shared.JsonFile)
        and name not in READ | UPDATED
    ]


def test_every_command_that_writes_files_is_tried_with_a_reader_who_has_left() -> None:
    tried = {line.split()[0] for line in (*PRINTING, *PRINTING_SLOWLY, *PRINTING_LONG)}
    commands = {*OF_SCENARIOS, *OTHERS, *(entry.name for entry in entries(installed.COMMANDS))}
    assert {name for name in commands if files_of(name)} <= tried


@pytest.mark.parametrize("line", [*PRINTING, *slow_but(PRINTING_SLOWLY), *long_but(PRINTING_LONG)])
def test_files_are_written_although_nobody_reads_what_is_printed(
    line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if "log.npz" in line:
        assert simnet(*f"run {DPDS} --log log.npz".split()).status == 0
    if "results" in line:
        assert simnet(*f"sweep {BISWAS}".split()).status == 0
    files = {name: f"written.{name}.{SUFFIXES[name]}" for name in files_of(line)}
    options = [word for name, file in files.items() for word in (f"--{name}", file)]
    reading, writing = os.pipe()
    os.close(reading)
    closed = os.fdopen(writing, "w", closefd=False)
    for name in ("stdout", "__stdout__"):
        monkeypatch.setattr(sys, name, closed)
    with pytest.raises(SystemExit) as left:
        main([*line.split(), *options])
    os.close(writing)
    assert left.value.code == 141
    assert files
    for file in files.values():
        assert Path(file).stat().st_size, file


@pytest.mark.parametrize("suffix", ["", ".html", ".xyz"])
def test_a_format_that_cannot_be_drawn_is_told_at_once(suffix: str, tmp_path: Path) -> None:
    said = refusal(simnet("run", "dpds", "--figure", tmp_path / f"figure{suffix}"))
    assert "its ending is none of" in said


@pytest.mark.parametrize(
    ("line", "library", "extra"),
    [
        ("run dpds --figure figure.png", "matplotlib", "plots"),
        ("results --parquet rows.parquet", "pyarrow", "data"),
        ("reproduce fig2 --out out", "matplotlib", "plots"),
    ],
)
def test_a_missing_extra_is_told_at_once(
    line: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in [one for one in sys.modules if one.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    said = refusal(simnet(*line.split()))
    assert f"needs {library}: {sys.executable} -m pip install 'simnet-workbench[{extra}]'" in said
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["9" * 300, "9" * 5000, "a\0b", "loop", "folder", "folder/loop/x"])
@pytest.mark.parametrize(
    "line",
    [
        *("network {}", "run dpds --network {}", "run {}.py", "verify {}.py:P --corrupt A"),
        *("sweep {}.py", "reproduce {}.py", "reproduce biswas_fig1 --quick --out {}/x"),
        *("results --store {}", "time {}", "run dpds --json {}", "run dpds --log {}"),
        *("coalitions dpds --users 2 --certificates {}/x", "verify dpds --check {}"),
        *("new mine --folder {}/x", "fetch-data {}/x", "run dpds --input {} --column a"),
    ],
)
def test_a_name_that_the_system_refuses_is_told_in_a_short_sentence(
    line: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "folder":
        line = line.removesuffix("/x")  # a file where a folder is expected
        needs_folder = line.split()[-2] in ("--out", "--certificates", "--folder", "fetch-data")
        Path(name).touch() if needs_folder else Path(name).mkdir()
    else:
        Path("folder").mkdir()
    for loop in ("loop", "folder/loop", "loop.py"):
        if not Path(loop).parent.is_file():
            Path(loop).symlink_to(Path(loop).name)
    assert len(refusal(simnet(*line.format(name).split(" ")))) < 350


def test_a_folder_of_results_that_is_a_file_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    said = refusal(simnet("reproduce", "fig2", "--out", tmp_path / "out" / "deeper"))
    assert said.endswith("out is no folder")
