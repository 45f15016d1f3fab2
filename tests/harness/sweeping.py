"""Helpers for the tests of sweeps: the cheap experiment, its rows, and sweeps in new processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs

from simnet.studies.report import table_of
from simnet.studies.store import Store
from simnet.studies.sweep import Study, SweepCounts, sweep
from tests.harness.data import ROOT

TINY = Path(__file__).with_name("tiny_experiment.py")
PATIENCE = 60.0  # seconds


def tiny(trials: int = 40, data: Path | None = None, **settings: str) -> Study:
    """Return the cheap experiment with this number of trials at each point."""
    found = Study.of(str(TINY), data)
    return attrs.evolve(
        found, experiment=found.experiment.with_settings(settings).with_trials(trials)
    )


def rows(study: Study, path: Path) -> list[Any]:
    """Return the study's rows in a store."""
    with Store(path) as store:
        return list(table_of(study, store).rows)


def swept(
    study: Study, path: Path, executor: Executor | None = None, slots: int = 1
) -> SweepCounts:
    """Sweep into a store, in this process by default, and return the result."""
    with Store(path) as store, executor or ThreadPoolExecutor(1) as running:
        return sweep(study, store, running, slots)


def command(path: Path, *arguments: str, marks: Path | None = None) -> "subprocess.Popen[str]":
    """Start `simnet sweep` on the cheap experiment, in a new process and process group."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if marks is not None:
        environment["SIMNET_TEST_MARKS"] = str(marks)
    line = [
        sys.executable,
        "-m",
        "simnet.cli.main",
        "sweep",
        str(TINY),
        "--store",
        str(path),
        "--json",
        "-",
    ]
    return subprocess.Popen(
        [*line, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def told(process: "subprocess.Popen[str]") -> Any:
    """Return the JSON that a command has written."""
    out, err = process.communicate(timeout=PATIENCE)
    assert out, err
    return json.loads(out)


def wait_until(happens: Callable[[], bool], what: str) -> None:
    """Look often until a condition is true. Fails after a minute."""
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until, f"waited in vain until {what}"
        time.sleep(0.05)  # looking often takes the time that the processes need


def count(study: Study, path: Path) -> int:
    """Return how many of the study's trials a store holds; 0 if there is no file yet."""
    return len(rows(study, path)) if path.exists() and path.stat().st_size else 0
