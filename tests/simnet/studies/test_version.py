"""The version of a trial's code depends on the code that the trial can reach, and on no other
code.
"""

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from scenarios.yang import trials
from simnet.closure import closure_of, forget_sources
from simnet.studies.find import find_experiment
from simnet.studies.version import code_version

OWN = """\
import helper
from more import thing
from simnet import Measure, Experiment

def trial(parameters, seed, data):
    "What a trial does."
    import late
    return {"value": 1.0}

EXPERIMENT = Experiment("s", "nobody", trial, [{"x": [1]}], [Measure("value")])
"""
BESIDE = ("helper.py", "late.py", "more/__init__.py", "more/thing.py", "stranger.py")


@pytest.fixture(autouse=True)
def sources_read_anew() -> object:
    forget_sources()
    yield
    forget_sources()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    for name in BESIDE:
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path / "own.py"


def version_after(own: Path, change: Callable[[], object] = lambda: None) -> str:
    _, experiment = find_experiment(str(own))
    change()
    forget_sources()
    return code_version(experiment.trial, own)


@pytest.mark.slow
def test_what_lies_beside_a_file_counts_when_it_is_imported(own: Path) -> None:
    before = version_after(own)
    for name in BESIDE:
        after = version_after(own, lambda: (own.parent / name).write_text("x = 2\n"))  # noqa: B023
        assert (after != before) == (name != "stranger.py"), name
        before = after


@pytest.mark.slow
def test_code_counts_and_docstrings_and_comments_do_not(own: Path) -> None:
    before = version_after(own)
    for old, new, counts in [
        ("What a trial does.", "What any trial does.", False),
        ("import helper\n", "import helper  # a remark\n\n\n", False),
        ('{"value": 1.0}', '{"value": 2.0}', True),
        ("import late", "import stranger", True),
    ]:
        after = version_after(own, lambda: own.write_text(OWN.replace(old, new)))  # noqa: B023
        assert (after != before) == counts, new


def places(*files: Path) -> set[str]:
    return {place for place, _ in closure_of(files).digests}


@pytest.mark.slow
def test_a_trial_of_a_paper_reaches_its_protocols_and_no_figure_or_command() -> None:
    reached = places(Path(trials.__file__))
    assert {
        "protocols/__init__.py",
        "protocols/dpds/script.py",
        "scenarios/yang/people.py",
        "scenarios/yang/trials.py",
        "simnet/__init__.py",
        "simnet/kernel/run.py",
    } <= reached
    strangers = ("simnet/cli/", "simnet/bench/", "scenarios/yang/fig", "scenarios/wang/")
    assert not [place for place in reached if place.startswith(strangers)]
    assert {"numpy", "attrs"} <= set(closure_of((Path(trials.__file__),)).libraries)


def test_a_name_that_a_package_loads_when_it_is_used_leads_to_its_module(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("from simnet import bits\n")
    reached = places(tmp_path / "own.py")
    assert "simnet/values/typed.py" in reached
    assert "simnet/studies/experiment.py" not in reached


def test_what_only_a_type_checker_imports_does_not_count(tmp_path: Path) -> None:
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from simnet import run\n"
    (tmp_path / "own.py").write_text(source)
    assert places(tmp_path / "own.py") == {"own.py"}


@pytest.mark.slow
def test_a_partial_trial_counts_with_the_functions_that_it_is_made_of() -> None:
    made = functools.partial(trials.sampling, data=None)
    assert code_version(made) == code_version(trials.sampling)
    other = functools.partial(made, reader=find_experiment)
    assert code_version(other) != code_version(trials.sampling)


def test_each_of_many_files_is_read_once(tmp_path: Path) -> None:
    names = [f"part{number}" for number in range(200)]
    for name in names:
        (tmp_path / f"{name}.py").write_text("x = 1\n")
    for own in ("one", "other"):
        (tmp_path / f"{own}.py").write_text("".join(f"import {name}\n" for name in names))
    before = dict(closure_of((tmp_path / "one.py",), tmp_path).digests)
    for name in names:
        (tmp_path / f"{name}.py").write_text("x = 2\n")
    after = dict(closure_of((tmp_path / "other.py",), tmp_path).digests)
    assert [before[f"{name}.py"] for name in names] == [after[f"{name}.py"] for name in names]
