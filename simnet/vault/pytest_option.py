"""The option `--in-place` of pytest, for suites of thousands of small runs."""

from collections.abc import Generator
from typing import Any

import pytest

from simnet.vault.place import in_place_by_wish


def pytest_addoption(parser: Any) -> None:
    """Add the option."""
    parser.addoption(
        "--in-place",
        action="store_true",
        help="runs of simnet call functions of doors in the process of the test (faster)",
    )


def pytest_configure(config: Any) -> None:
    """Let runs call functions in place, if the option is given."""
    if config.getoption("--in-place"):
        in_place_by_wish.set(True)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Let a report contain ordinary texts only, and no `_SealedText`, which pytest-xdist could not
    send.
    """
    return _with_ordinary_texts((yield))


def _with_ordinary_texts(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _with_ordinary_texts(each) for key, each in data.items()}
    if type(data) in (list, tuple):
        return type(data)(map(_with_ordinary_texts, data))
    return str(data) if isinstance(data, str) else data
