"""A run is the same in every version of Python: the trace hashes of all scenarios agree.

Needs environments of the other versions: `make pythons` makes those whose Python is installed.
"""

import os
import subprocess
from pathlib import Path

import pytest

from simnet.scenario.find import names
from tests.harness.data import ROOT
from tests.harness.traces import traces

VERSIONS = ("3.12", "3.13")


def python(version: str) -> Path:
    return ROOT / f".venv-{version}" / "bin" / "python"


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_trace_hashes_are_those_of_this_python(version: str) -> None:
    if not python(version).exists():
        pytest.skip(f"there is no {python(version).parents[1].name}: make pythons")
    command = [python(version), "-m", "tests.harness.traces"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    there = dict(line.split() for line in done.stdout.splitlines())
    assert there.pop("python") == version
    assert there == traces()
    assert set(there) == set(names())
    assert len(set(there.values())) == len(there)  # runs that differ have hashes that differ
