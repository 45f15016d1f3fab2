"""Repeats one run under different circumstances, which must not change its trace.

The first and the last party are observed. So the traces cover these parties' single messages, and
not only sums, in which masks cancel.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence

import attrs

from simnet.errors import SimnetError
from simnet.installed import PYTHON
from simnet.kernel.limits import limits
from simnet.kernel.run import Run
from simnet.kernel.schedule import Schedule, Shuffled
from simnet.network.toml_file import network_named
from simnet.record.trace import Trace
from simnet.scenario.find import find
from simnet.scenario.plain import replica

HASH_SEEDS = ("1", "2")
REPLICAS = 5 + len(HASH_SEEDS)  # runs that are compared


def replicas(
    name: str,
    settings: Mapping[str, str],
    seed: int,
    drop: Sequence[str] = (),
    network: str | None = None,
) -> tuple[Run, dict[str, Trace]]:
    """Return a scenario's run, and its traces by circumstance: schedule, number of threads, and the
    seed of Python's hashes of texts.

    `drop` says who drops out: see `simnet.scenario.drops`. `network` names the network that decides
    deadlines.
    """
    asked = name, settings, seed, drop, network
    done = played(*asked)
    return done, {
        "as it is": done.trace,
        "another schedule": trace(*asked, schedule=Shuffled(1)),
        "yet another schedule": trace(*asked, schedule=Shuffled(2)),
        "1 thread": trace(*asked, threads=1),
        "3 threads": trace(*asked, threads=3),
        **{f"hash seed {value}": _in_new_process(*asked, hash_seed=value) for value in HASH_SEEDS},
    }


def trace(
    name: str,
    settings: Mapping[str, str],
    seed: int,
    drop: Sequence[str] = (),
    network: str | None = None,
    schedule: Schedule | None = None,
    threads: int | None = None,
) -> Trace:
    """Return the trace of one run on synthetic people, with the first and last party observed."""
    return played(name, settings, seed, drop, network, schedule, threads).trace


def played(
    name: str,
    settings: Mapping[str, str],
    seed: int,
    drop: Sequence[str] = (),
    network: str | None = None,
    schedule: Schedule | None = None,
    threads: int | None = None,
) -> Run:
    """Return one run on synthetic people, with the first and last party observed."""
    scenario = find(name)[1].with_settings(settings)
    return replica(
        scenario,
        seed,
        observe=lambda parties: (parties[0], parties[-1]),
        schedule=schedule,
        threads=threads,
        drop=drop,
        network=None if network is None else network_named(network),
    )


def _in_new_process(
    name: str,
    settings: Mapping[str, str],
    seed: int,
    drop: Sequence[str],
    network: str | None,
    hash_seed: str,
) -> Trace:
    # What the script prints goes to the standard error, and not between the answer.
    code = (
        "import attrs, json, os, sys; from simnet.scenario.determinism import trace; "
        "from simnet.kernel.limits import limited\n"
        "with os.fdopen(os.dup(1), 'w') as answer, limited(**json.loads(sys.argv[2])):\n"
        "    os.dup2(2, 1)\n"
        "    answer.write(json.dumps(attrs.astuple(trace(*json.loads(sys.argv[1])))))"
    )
    asked = json.dumps([name, dict(settings), seed, list(drop), network])
    command = [*PYTHON, "-c", code, asked, json.dumps(attrs.asdict(limits.get()))]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SimnetError(f"the run with hash seed {hash_seed} failed: {done.stderr.strip()}")
    return Trace(*json.loads(done.stdout))
