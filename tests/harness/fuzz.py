"""Tests that draw whole protocols, programs or schedules.

    @fuzzed(few=40, many=4000)
    @given(programs())
    def test_...

An ordinary run draws the same `few` cases every time. `make fuzz` draws `many` fresh ones of each.
"""

import os
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")

Test = TypeVar("Test", bound=Callable[..., None])


def fuzzed(few: int, many: int = 2000) -> Callable[[Test], Test]:
    """Mark a property test as a fuzz test, which draws so many cases."""
    cases = settings(max_examples=many if PROFILE == "fuzz" else few)

    def decorated(test: Test) -> Test:
        marked: Test = pytest.mark.fuzz(cases(test))
        return marked

    return decorated
