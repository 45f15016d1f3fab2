"""Notebooks run from beginning to end, use public names alone, and are kept without output."""

import ast
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.harness.data import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXECUTED = ROOT / "build" / "notebooks"  # `make docs` shows the outputs from here
OURS = {"simnet", "protocols", "scenarios"}
PUBLIC = {"simnet", "protocols"}
LONGEST_CELL = 24  # lines


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of the Jupyter client
def test_a_notebook_runs(path: Path) -> None:
    """Run it, and write it with its outputs for the pages of the documentation."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    EXECUTED.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, EXECUTED / path.name)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_public_names_alone(path: Path) -> None:
    for code in code_cells(path):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
                assert node.module in PUBLIC, f"{path.name} imports from {node.module}"
            if isinstance(node, ast.Import):
                imported = {alias.name.split(".")[0] for alias in node.names}
                assert not imported & OURS, f"{path.name}: write 'from simnet import ...'"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_teaches(path: Path) -> None:
    texts = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    assert "**What you will learn:**" in texts[0]
    assert "## Exercises" in texts[-1]
    assert "<summary>Solutions</summary>" in texts[-1]
    assert all(code.count("\n") < LONGEST_CELL for code in code_cells(path))


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
