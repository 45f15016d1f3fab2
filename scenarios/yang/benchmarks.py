"""Benchmarks of sweeps: how busy they keep the processors, and what they add to a trial."""

import tempfile
import time
from functools import lru_cache
from pathlib import Path

import attrs

from simnet.study.benchmark import Benchmark
from simnet.study.executors import local_processes
from simnet.study.find import module_of
from simnet.study.store import Store
from simnet.study.sweep import Study, sweep

TRIALS = 1000
SIZES = f"{TRIALS:,} trials of DPDS, n = 200, N = 12, a process a processor"


@lru_cache(maxsize=None)
def _timed(turn: int) -> tuple[float, float, int]:
    """Seconds of wall time of a whole sweep, of all its trials together, and its number of workers."""
    del turn
    found = Study.of("fig2")
    settings = {"population": "gowalla", "users": "200", "epsilon": "0.5"}
    study = attrs.evolve(found, experiment=found.experiment.with_settings(settings).with_trials(TRIALS))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
        began = time.perf_counter()
        with local_processes(None, [module_of(study.origin)]) as (executor, slots):
            sweep(study, store, executor, slots)
        wall = time.perf_counter() - began
        return wall, sum(one.result.seconds for one in store.kept()), slots


class _Turns:
    """Both figures of one turn come from one sweep."""

    def __init__(self) -> None:
        self.busy = self.overhead = 0

    def share(self) -> float:
        """The share of the processors' time, from start to end, in which they ran trials."""
        self.busy += 1
        wall, trials, slots = _timed(self.busy)
        return trials / (wall * slots)

    def milliseconds(self) -> float:
        """Time of a processor that a trial costs beyond its own."""
        self.overhead += 1
        wall, trials, slots = _timed(self.overhead)
        return (wall * slots - trials) / TRIALS * 1000


_TURNS = _Turns()
BENCHMARKS = (
    Benchmark("sweep-busy", SIZES, "share of all processors' time", 0.85, False, _TURNS.share),
    Benchmark("sweep-overhead", SIZES, "ms a trial", 10.0, True, _TURNS.milliseconds),
)
