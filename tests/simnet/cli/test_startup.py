"""A small command does not load the libraries that would take longer to load than it takes."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from simnet.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""
LARGE = {"scipy", "flint", "matplotlib", "pyarrow", "sqlite3", "hypothesis"}


@pytest.mark.parametrize(
    ("command", "text", "large"),
    [
        ("--version", ".", {"numpy", "scenarios.papers.judging", *LARGE}),
        pytest.param("run dpds --users 100", "Bill", LARGE, marks=pytest.mark.slow),
    ],
)
def test_a_small_command_loads_no_large_library(command: str, text: str, large: set[str]) -> None:
    program = [sys.executable, "-c", PROGRAM, *command.split()]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert text in done.stdout
    assert not {*done.stderr.split()} & large
