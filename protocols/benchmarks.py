"""What the protocols are measured by: a whole run against drawing as many uniform numbers."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from protocols.secure.dpds import DPDS
from simnet.kernel.run import run
from simnet.study.benchmark import Benchmark

TRIALS = 50  # draws by which the best dtype is found


def draw_seconds(users: int, items: int, modulus: int) -> float:
    """Seconds that numpy takes to draw n times (n - 1) N uniform integers below q, on one core, with its best dtype."""
    fitting = [dtype for dtype in (np.uint16, np.uint32, np.int64) if np.iinfo(dtype).max >= modulus]
    best = min(fitting, key=lambda dtype: _draw(TRIALS, users, items, modulus, dtype))
    return _draw(users, users, items, modulus, best)


def _draw(times: int, users: int, items: int, modulus: int, dtype: type[np.generic]) -> float:
    generator = np.random.Generator(np.random.SFC64(1))
    start = time.perf_counter()
    for _ in range(times):
        generator.integers(0, modulus, size=(users - 1, items), dtype=dtype)
    return time.perf_counter() - start


def dpds_ratio(users: int, items: int) -> float:
    """The time of a whole DPDS run in units of `draw_seconds`, both taken now."""
    protocol = DPDS(users, items, 0.5)
    inputs = [1 + user % items for user in range(users)]
    denominator = draw_seconds(users, items, protocol.field.modulus)
    start = time.perf_counter()
    run(protocol, inputs)
    return (time.perf_counter() - start) / denominator


def dpds_memory(users: int, items: int) -> float:
    """Peak memory, in MB, of a new process that does nothing but one DPDS run."""
    code = f"from protocols.benchmarks import peak; print(peak({users}, {items}))"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def peak(users: int, items: int) -> float:
    """Peak memory of this process, in MB, after one DPDS run."""
    run(DPDS(users, items, 0.5), [1 + user % items for user in range(users)])
    status = Path("/proc/self/status")
    if status.exists():  # the process's own peak; getrusage reports its parent's when that was higher
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


BENCHMARKS = [
    Benchmark("dpds-5000", "5,000 users × 30 items", "× drawing", 1.5, True, lambda: dpds_ratio(5000, 30)),
    Benchmark("dpds-1000", "1,000 users × 30 items", "× drawing", 3.0, True, lambda: dpds_ratio(1000, 30)),
    Benchmark("dpds-memory", "5,000 users × 30 items", "MB", 400, True, lambda: dpds_memory(5000, 30)),
]
