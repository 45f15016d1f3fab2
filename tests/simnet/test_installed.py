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


PLUG_INS = {
    "rude": "class Rude(BaseException): pass\nraise Rude('no')\n",
    "leaves": "raise SystemExit\n",
    "empty": "",
    "a_number": "THING = 5\n",
    "a_list": "THING = [1]\n",
    "numbers": "THING = {1: 2}\n",
    "hollow": "class Hollow:\n    def __getattr__(self, name): return 5\nTHING = Hollow()\n",
}
NAMES = ["own", "run", "table1", "--help", "", "a b", "Ünïcode", "x" * 99]


@pytest.mark.parametrize("group", installed.GROUPS)
@pytest.mark.parametrize("plug_in", [*PLUG_INS, "no such module", ":", ""])
def test_a_bad_plug_in_breaks_no_other_command(
    group: str,
    plug_in: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    place = plug_in
    if plug_in in PLUG_INS:
        (tmp_path / f"plug_{plug_in}.py").write_text(PLUG_INS[plug_in])
        place = f"plug_{plug_in}:THING"
    added = [EntryPoint(name, place, group) for name in NAMES]

    def entries(of: str) -> list[EntryPoint]:
        return [*REAL(of), *(added if of == group else [])]

    for module in ("installed", "scenario.find", "bench.benchmark", "cli.main", "glossary"):
        monkeypatch.setattr(f"simnet.{module}.entries", entries)
    for words in (["--help"], ["explain", "party"], ["results", "--help"], ["table1", "--help"]):
        assert status(*words) == 0, words
    assert {"dpds", "tss"} <= scenarios().keys()
    assert {"fig2", "jia_fig3"} <= set(experiments())
    assert [one.name for one in registered(["ping-pong"])] == ["ping-pong"]
    capsys.readouterr()
    assert installed.unloadable(group).keys() == set(NAMES)


def test_who_takes_the_name_of_a_command_is_named_in_the_list(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    added = EntryPoint("run", "simnet.cli.list:list_scenarios", installed.COMMANDS)

    def entries(group: str) -> list[EntryPoint]:
        return [*REAL(group), *([added] if group == installed.COMMANDS else [])]

    for module in ("installed", "cli.main"):
        monkeypatch.setattr(f"simnet.{module}.entries", entries)
    assert status("run", "--help") == 0
    assert status("list", "--json", "-") == 0
    why = "broken: simnet.cli.list:list_scenarios has the name of another command"
    rows = json.loads(capsys.readouterr().out.partition("[\n")[2].join(["[\n", ""]))
    assert {"name": "run", "kind": "commands", "summary": why} in rows


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


@pytest.mark.long
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


NOT_NAMED = ["attrs", "json", "multiprocessing", "numpy", "random", "signal", "simnet", "threading"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["check", "dpds", "--users", "3", "--items", "1"],
        ["check", "own.py", "--users", "3", "--items", "1", "--participation", "0.5"],
        *(
            pytest.param(
                [command, "biswas_fig1", "--trials", "1", "--workers", "2", "--store", "s"],
                marks=pytest.mark.long,
            )
            for command in ("sweep", "reproduce")
        ),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_files_that_nobody_named_are_not_run(tmp_path: Path, words: list[str]) -> None:
    """The current folder has files that are called like modules that a new Python imports."""
    folder = tmp_path / "here"
    folder.mkdir()
    for name in NOT_NAMED:
        (folder / f"{name}.py").write_text("open('RAN', 'a').write(__name__)\nraise SystemExit\n")
    if "own.py" in words:
        (tmp_path / "own.py").write_text("from beside import DPDS\nclass Own(DPDS): pass\n")
        (tmp_path / "beside.py").write_text("from protocols.dpds.script import DPDS\n")
        words = [str(tmp_path / word) if word == "own.py" else word for word in words]
    command = ["-P", "-m", "simnet", *words]
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert not (folder / "RAN").exists()
    assert done.returncode == 0, done.stderr


def test_every_new_python_is_started_without_the_current_folder() -> None:
    for package in ("simnet", "protocols", "scenarios"):
        for file in (ROOT / package).rglob("*.py"):
            started = re.findall(r"sys\.executable.*", file.read_text(encoding="utf-8"))
            for line in started:
                assert line.startswith('sys.executable, "-P"') or "pip install" in line, file
