"""The worked examples at the heads of modules are run, so that they stay true."""

import doctest
import importlib

import pytest

WITH_EXAMPLES = ["tape", "reading", "law", "model", "compare"]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_worked_example_of_a_module_is_true(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"simnet.exhaustive.{name}"))
    assert done.attempted > 0
    assert done.failed == 0
