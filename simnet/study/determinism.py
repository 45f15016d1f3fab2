"""Replicas of one run under other circumstances, which must not matter."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from simnet.errors import SimnetError
from simnet.kernel.schedule import Schedule, Shuffled
from simnet.study.perform import perform, synthetic
from simnet.study.scenario import Scenario

HASH_SEEDS = ("1", "2")


def replicas(name: str, scenario: Scenario, settings: Mapping[str, str], seed: int) -> dict[str, str]:
    """The trace hash of a scenario's run by circumstance: schedule, threads, hash seed."""
    population = synthetic(scenario, scenario.users, seed)

    def trace(schedule: Schedule | None = None, threads: int | None = None) -> str:
        return perform(name, scenario, population, seed, schedule=schedule, threads=threads).run.trace_hash

    return {
        "as it is": trace(),
        "another schedule": trace(schedule=Shuffled(1)),
        "yet another schedule": trace(schedule=Shuffled(2)),
        "1 thread": trace(threads=1),
        "3 threads": trace(threads=3),
        **{f"hash seed {value}": _in_new_process(name, settings, seed, value) for value in HASH_SEEDS},
    }


def _in_new_process(name: str, settings: Mapping[str, str], seed: int, hash_seed: str) -> str:
    command = [sys.executable, "-m", "simnet.cli.main", "run", name, "--seed", str(seed), "--json", "-"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SimnetError(f"the run with hash seed {hash_seed} failed: {done.stderr.strip()}")
    return str(json.loads(done.stdout)["trace_hash"])
