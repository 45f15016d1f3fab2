"""Marks that say which cases of a test belong to the fast tests, and which to CI."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow_but(cases: Iterable[Any], *fast: Any) -> list[Any]:
    """Return all cases as parameters of a test; all but the named cases are marked slow."""
    return [case if case in fast else pytest.param(case, marks=pytest.mark.slow) for case in cases]


def long_but(cases: Iterable[Any], *ci: Any) -> list[Any]:
    """Return all cases as parameters of a slow test; all but the named cases are marked long, so
    that CI leaves them out.
    """
    return [case if case in ci else pytest.param(case, marks=pytest.mark.long) for case in cases]
