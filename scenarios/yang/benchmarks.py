"""Benchmarks of sweeps: how busy a sweep keeps the processors, and what time it adds to
each trial.
"""

import tempfile
import time
from pathlib import Path

import attrs

from simnet.bench.benchmark import Benchmark
from simnet.studies.executors import local_processes
from simnet.studies.find import module_of
from simnet.studies.store import Store
from simnet.studies.sweep import Study, sweep

TRIALS = 1000
SIZES = f"{TRIALS:,} trials of DPDS, n = 200, N = 12, one process for each processor"


def _timed() -> tuple[float, float, int]:
    found = Study.of("fig2")
    settings = {"population": "gowalla", "users": "200", "epsilon": "0.5"}
    study = attrs.evolve(
        found, experiment=found.experiment.with_settings(settings).with_trials(TRIALS)
    )
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
        began = time.perf_counter()
        with local_processes(None, [module_of(study.origin)]) as (executor, slots):
            sweep(study, store, executor, slots)
        wall = time.perf_counter() - began
        return wall, sum(one.result.processor for one in store.kept()), slots


def busy() -> float:
    """The share of the processors' time, from the start of the workers to their end, that was spent
    on trials.
    """
    wall, trials, slots = _timed()
    return trials / (wall * slots)


def overhead() -> float:
    """The milliseconds of processor time that a sweep adds to each trial; idle time counts, too."""
    wall, trials, slots = _timed()
    return (wall * slots - trials) / TRIALS * 1000


BENCHMARKS = (
    Benchmark("sweep-busy", SIZES, "share of the processors' time", 0.85, False, busy),
    Benchmark("sweep-overhead", SIZES, "ms a trial", 10.0, True, overhead),
)
