"""Facts about the project that stand in several files agree."""

import re
import tomllib

from tests.harness.data import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_hosted_ci_runs_what_the_local_one_runs_and_nothing_else() -> None:
    workflow = (ROOT / ".github/workflows/tests.yml").read_text()
    steps = re.findall(r"^ *- run: (.*)$", workflow, re.MULTILINE)
    hosted = [re.fullmatch(r"make PYTHON=python ([a-z-]+)", step) for step in steps]
    local = re.findall(r"^make ([a-z-]+)$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert [step and step[1] for step in hosted] == local


def test_the_hosted_ci_tries_every_python_that_the_project_supports() -> None:
    workflow = (ROOT / ".github/workflows/tests.yml").read_text()
    supported = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert re.findall(r'"(3\.\d+)"', workflow) == supported
    assert PROJECT["requires-python"] == f">={supported[0]}"


def test_the_newest_version_of_the_changelog_is_that_of_the_package() -> None:
    headings = re.findall(
        r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert headings[0][0] == PROJECT["version"]
    assert [date for _, date in headings] == sorted((date for _, date in headings), reverse=True)


def test_each_version_of_the_changelog_says_what_was_added_changed_and_fixed() -> None:
    for version in (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1:]:
        is_first = version.startswith("0.1.0")
        parts = re.findall(r"^(?:### |\*\*)([A-Z][a-z]+)(?:\*\*)?$", version, re.MULTILINE)
        assert parts == ([] if is_first else ["Added", "Changed", "Fixed"]), version.splitlines()[0]


def test_all_versions_but_the_newest_are_collapsed() -> None:
    _, newest, *older = (ROOT / "CHANGELOG.md").read_text().split("\n## ")
    assert "<details>" not in newest
    for version in older:
        assert re.match(r"\S+ \(\S+\)\n\n<details>\n<summary>.+</summary>\n\n", version)
        assert version.rstrip().endswith("</details>")


def test_the_version_stands_in_one_place() -> None:
    for place in ("CITATION.cff", "README.md", "CONTRIBUTING.md", "simnet/installed.py"):
        assert PROJECT["version"] not in (ROOT / place).read_text(), place


def test_make_help_lists_every_target_that_a_person_calls() -> None:
    named = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    assert named
    explained = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    assert set(named[1].replace("\\\n", " ").split()) - explained == {"pythons"}
