"""Examples in docstrings do what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

from tests.harness.data import ROOT
from tests.harness.marks import slow_but

MODULES = [
    file
    for package in ("simnet", "protocols", "scenarios")
    for file in sorted((ROOT / package).rglob("*.py"))
    if ">>>" in file.read_text()
]
# The examples of these take about a second or more.
SLOW = {"advice", "certificate", "diagram", "here", "notebook", "page", "report"}


@pytest.mark.parametrize(
    "file",
    slow_but(MODULES, *(file for file in MODULES if file.stem not in SLOW)),
    ids=lambda file: str(file.relative_to(ROOT)),
)
def test_the_examples_of_a_module_do_what_they_show(file: Path) -> None:
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=options).failed == 0
