"""A small run does not load the libraries that would take longer to load than the run takes."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from simnet.cli.main import main
try:
    main(["run", "dpds", "--users", "100"])
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_small_run_loads_no_large_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert "Bill" in done.stdout
    loaded = set(done.stderr.split())
    assert "numpy" in loaded
    assert not loaded & {"scipy", "flint", "matplotlib", "pyarrow", "sqlite3", "hypothesis"}
