"""The option `--in-place` of pytest, for suites of thousands of small runs."""

from typing import Any

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
