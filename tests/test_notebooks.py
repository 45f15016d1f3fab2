"""Notebooks run from beginning to end, use public names alone, have solved exercises, and are kept
without output.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from docs.extensions.checks import public_names
from docs.extensions.notebook_pages import notebook_page
from tests.harness.data import ROOT
from tests.harness.marks import long_but

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXECUTED = ROOT / "build" / "notebooks"  # `make docs` shows the outputs from here
OURS = {"simnet", "protocols", "scenarios"}
PLOTTING = {"matplotlib"}  # results draw themselves, and `line_figure` draws numbers
EXERCISE = re.compile(r"^\*\*Exercise (\d+)\.\*\* .+[.?)]$", re.MULTILINE)
SOLUTION = re.compile(r"\*\*Solution (\d+)\.\*\* .+\.")
LONGEST_CELL = 24  # lines
LONG = {"02_table1", "04_exact_views", "07_collections", "08_studies"}  # to run, ten seconds each


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    long_but(NOTEBOOKS, *(path for path in NOTEBOOKS if path.stem not in LONG)),
    ids=lambda path: path.stem,
)
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of the Jupyter client
def test_a_notebook_runs(path: Path) -> None:
    """Run it, and write it with its outputs for the pages of the documentation."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3", coalesce_streams=True).execute()
    EXECUTED.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, EXECUTED / path.name)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_public_names_alone(path: Path) -> None:
    public = public_names()
    for code in code_cells(path):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom):
                module = node.module or ""
                if module.split(".")[0] in OURS:
                    private = {alias.name for alias in node.names} - set(public.get(module, ()))
                    assert not private, f"{path.name}: {module} does not export {private}"
                assert module.split(".")[0] not in PLOTTING
            if isinstance(node, ast.Import):
                imported = {alias.name.split(".")[0] for alias in node.names}
                assert not imported & OURS, f"{path.name}: write 'from simnet import ...'"
                assert not imported & PLOTTING


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_teaches(path: Path) -> None:
    texts = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    assert "**What you will learn:**" in texts[0]
    assert all(code.count("\n") < LONGEST_CELL for code in code_cells(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_exercise_has_a_solution_that_runs(path: Path) -> None:
    """A solution says the answer in a sentence. Code follows, which checks the answer."""
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells]
    (asked,) = (place for place, text in enumerate(texts) if text.startswith("## Exercises\n"))
    (solved,) = (place for place, text in enumerate(texts) if text.startswith("## Solutions\n"))
    exercises = EXERCISE.findall(texts[asked])
    assert exercises == [str(number) for number in range(1, texts[asked].count("\n\n") + 1)]
    assert solved == asked + 1
    solutions: dict[str, list[str]] = {}
    for cell in cells[solved + 1 :]:
        if cell.cell_type == "code":
            solutions[list(solutions)[-1]].append(cell.source)
        else:
            found = SOLUTION.fullmatch(cell.source)
            assert found, f"{path.name}: this is no solution with a sentence: {cell.source}"
            solutions[found[1]] = []
    assert list(solutions) == exercises
    for number, codes in solutions.items():
        assert any("assert " in code for code in codes), f"{path.name}: solution {number}"


def test_solutions_are_folded_on_the_page_of_a_notebook(tmp_path: Path) -> None:
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    cells = [text("# Title"), text("## Solutions")]
    for number in (1, 2):
        cells += [text(f"**Solution {number}.** Yes."), code(f"assert {number}")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "short.ipynb")
    page = notebook_page(tmp_path / "short.ipynb", executed=True)
    before, first, second = re.split(r"<details .*</summary>", page)
    assert "## Solutions" in before
    for number, folded in enumerate((first, second), 1):
        inside, _, after = folded.partition("</details>")
        assert "Yes." in inside
        assert f"assert {number}" in inside
        assert "assert" not in after


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "01_first_run",
        "02_table1",
        "03_collusion",
        "04_exact_views",
        "05_privacy",
        "06_local",
        "07_collections",
        "08_studies",
        "09_deploy",
    ]


def code_cells(path: Path) -> list[str]:
    """The code of a notebook, cell by cell, without Jupyter's own commands."""
    cells = nbformat.read(path, as_version=4).cells
    codes = [cell.source for cell in cells if cell.cell_type == "code"]
    return ["\n".join(line for line in code.split("\n") if line[:1] != "%") for code in codes]
