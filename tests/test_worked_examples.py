"""The worked examples in docstrings are run, so that they stay true."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for room in ("simnet", "protocols", "scenarios")
    for path in sorted((ROOT / room).rglob("*.py"))
    if "\n>>> " in path.read_text() or "\n    >>> " in path.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_the_worked_example_of_a_module_is_true(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted > 0
    assert done.failed == 0


def test_the_modules_with_worked_examples_are_found() -> None:
    assert {"simnet.linear.elimination", "simnet.exhaustive.model"} <= set(MODULES)
