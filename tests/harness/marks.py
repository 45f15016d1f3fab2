"""Marks that say which cases of a test belong to the fast tests, and which to CI."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow_but(cases: Iterable[Any], *fast: Any) -> list[Any]:
    """Return all cases as parameters of a test; all but the named cases are marked slow."""
    return [case if case in fast else _marked(case, pytest.mark.slow) for case in cases]


def long_but(cases: Iterable[Any], *ci: Any) -> list[Any]:
    """Return all cases as parameters of a slow test; all but the named cases are marked long, so
    that CI leaves them out.
    """
    return [case if case in ci else _marked(case, pytest.mark.long) for case in cases]


def _marked(case: Any, mark: pytest.MarkDecorator) -> Any:
    """A tuple gives several arguments of a test, as in `pytest.mark.parametrize`."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)
