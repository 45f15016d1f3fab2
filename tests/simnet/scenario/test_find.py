"""Scenario files import modules from their own folder, and from no other folder."""

from pathlib import Path

import pytest

from simnet.errors import BadInput
from simnet.scenario.find import load_file


def folder_of(path: Path, number: int) -> Path:
    """A folder with a protocol of two files, whose `helper` says a number."""
    path.mkdir()
    (path / "helper.py").write_text(f"NUMBER = {number}\n")
    (path / "own.py").write_text("from helper import NUMBER\n")
    return path / "own.py"


def test_a_file_imports_what_lies_beside_it_and_not_what_lies_beside_another(
    tmp_path: Path,
) -> None:
    one, other = folder_of(tmp_path / "one", 1), folder_of(tmp_path / "other", 2)
    assert [load_file(path).NUMBER for path in (one, other, one)] == [1, 2, 1]


def test_a_file_that_raises_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(BadInput, match=r"own\.py fails to load: ModuleNotFoundError"):
        load_file(tmp_path / "own.py")
    with pytest.raises(BadInput, match="install the package that has it, or set PYTHONPATH"):
        load_file(tmp_path / "own.py")
    (tmp_path / "own.py").write_text("raise RuntimeError('broken')\n")
    with pytest.raises(BadInput, match=r"RuntimeError: broken$"):
        load_file(tmp_path / "own.py")
    with pytest.raises(BadInput, match="there is no file"):
        load_file(tmp_path / "none.py")
