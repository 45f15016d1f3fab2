"""Every option that names a file refuses a file that cannot be written, before anything is
computed.
"""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from cyclopts import Parameter

from protocols.commands.mechanism import mechanism
from protocols.commands.table1 import table1
from scenarios.theorems.command import claims
from simnet.cli import bench, check, coalitions, exact_view, reproduce, results, run, verify
from simnet.cli import list as listing
from simnet.cli import options as shared
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
    "privacy claims --users 100 --items 2 --beta 0.3 --epsilon 1": claims,
}
# Options with the name of a file to be read, or of a folder that the command makes.
READ = {"input", "store", "data", "check", "out", "certificates"}
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


def test_a_folder_of_results_that_is_a_file_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    said = refusal(simnet("reproduce", "fig2", "--out", tmp_path / "out" / "deeper"))
    assert said.endswith("out is a file")
