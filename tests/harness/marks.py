"""Which cases of a test run with the fast tests."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow_but(cases: Iterable[Any], *fast: Any) -> list[Any]:
    """All cases, of which all but these run with the slow tests."""
    return [case if case in fast else pytest.param(case, marks=pytest.mark.slow) for case in cases]
