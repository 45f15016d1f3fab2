"""Contributions of installed packages: those that load are available; one that does not load gives
one line and breaks nothing else.
"""

import ast
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest

from simnet import installed
from simnet.bench.benchmark import registered
from simnet.cli.main import main
from simnet.errors import BadInput
from simnet.scenario.find import find
from simnet.scenario.find import names as scenarios
from simnet.studies.find import find_experiment
from simnet.studies.find import names as experiments
from tests.harness.data import ROOT

BROKEN = {group: f"broken-{group.partition('.')[2]}" for group in installed.GROUPS}
REAL = installed.entries


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package that fails to load contributes to every group."""
    (tmp_path / "broken_package.py").write_text("raise OSError('no such\\nlibrary')\n")
    monkeypatch.syspath_prepend(tmp_path)

    def entries(group: str) -> list[EntryPoint]:
        return [EntryPoint(BROKEN[group], "broken_package:THING", group), *REAL(group)]

    for module in ("installed", "scenario.find", "bench.benchmark", "cli.main"):
        monkeypatch.setattr(f"simnet.{module}.entries", entries)


def status(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


WHY = "broken_package:THING fails to load: OSError: no such library"


@pytest.mark.usefixtures("broken")
def test_what_does_not_load_is_one_line_in_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("list", "--json", "-") == 0
    rows = json.loads(capsys.readouterr().out)
    for group, name in BROKEN.items():
        kind = group.partition(".")[2]
        assert {"name": name, "kind": kind, "summary": f"broken: {WHY}"} in rows
    assert {"dpds", "fig2"} <= {row["name"] for row in rows}


@pytest.mark.usefixtures("broken")
def test_what_does_not_load_breaks_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert {"dpds", "tss"} <= scenarios().keys()
    assert {"fig2", "jia_fig3"} <= set(experiments())
    assert find("dpds")[0] == "dpds"
    assert find_experiment("jia_fig3")[0] == "jia_fig3"
    assert [one.name for one in registered(["ping-pong"])] == ["ping-pong"]
    assert status("--help") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Fetch the public data" in shown
    assert "broken: broken_package:THING" in shown
    assert status("table1", "--help") == 0


@pytest.mark.usefixtures("broken")
def test_a_command_that_does_not_load_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("broken-commands") == 2
    assert capsys.readouterr().err == f"simnet: {WHY}\n"


def test_an_object_is_found_by_its_place() -> None:
    assert installed.object_at("simnet.installed:GROUPS") is installed.GROUPS
    assert installed.object_at("simnet.installed") is installed
    for place in ("simnet.none:X", "simnet.installed:NONE"):
        with pytest.raises(BadInput, match=f"{place} fails to load"):
            installed.object_at(place)


def test_every_experiment_of_the_papers_is_at_its_place() -> None:
    for name in experiments():
        assert find_experiment(name)[1].points()


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_what_is_installed_is_called_as_messages_call_it() -> None:
    assert PROJECT["name"] == installed.DISTRIBUTION
    assert version(installed.DISTRIBUTION) == PROJECT["version"]


def test_whoever_names_an_extra_names_one_of_this_distribution() -> None:
    """In messages an extra is an argument of `extra_missing`; elsewhere it is in brackets."""
    extras, used = PROJECT["optional-dependencies"].keys(), set()
    for room in ("simnet", "protocols", "scenarios"):
        for path in (ROOT / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(install '?|\W)simnet\[", text), path
            used |= set(re.findall(r"simnet-workbench\[(\w+)\]", text))
            if "extra_missing(" in text:
                calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
                used |= {
                    ast.literal_eval(call.args[2])
                    for call in calls
                    if isinstance(call.func, ast.Name) and call.func.id == "extra_missing"
                }
    assert used <= extras
    assert {"plots", "data", "testing", "cluster"} <= used


def test_without_hypothesis_the_testing_module_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    spec = importlib.util.find_spec("simnet.testing")
    with pytest.raises(ImportError, match=r"-m pip install 'simnet-workbench\[testing\]'"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.slow
def test_type_checkers_find_the_package_from_outside(tmp_path: Path) -> None:
    """An editable install is a path, not an import hook, which no type checker follows."""
    script = tmp_path / "mine.py"
    script.write_text("from simnet.roster import Group\n\nreveal_type(Group.position)\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", script.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "simnet.roster.Group" in done.stdout


def test_a_scenario_name_of_two_packages_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "second_package").mkdir()
    for file in ("__init__.py", "dpds.py"):
        (tmp_path / "second_package" / file).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    second = EntryPoint("second", "second_package", installed.SCENARIOS)
    monkeypatch.setattr("simnet.scenario.find.entries", lambda group: [*REAL(group), second])
    with pytest.raises(BadInput, match=r"scenarios\.dpds and second_package\.dpds"):
        find("dpds")
    assert find("tss")[0] == "tss"
