"""Sweeps on a Dask cluster: a real scheduler and two workers on loopback, on ports that are
free.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from simnet.errors import BadInput
from simnet.studies.executors import dask_cluster
from simnet.studies.store import Store
from simnet.studies.sweep import sweep
from tests.harness.data import ROOT
from tests.harness.sweeping import command, count, rows, swept, tiny, told, wait_until

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@attrs.frozen
class Cluster:
    address: str
    workers: list["subprocess.Popen[bytes]"]
    scheduler: "subprocess.Popen[bytes]"


def start(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    line = [sys.executable, "-m", "dask", *arguments]
    quiet = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__DIAGNOSTICS__NVML": "False"}
    return subprocess.Popen(
        line, cwd=folder, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    address = f"tcp://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    scheduler = start(
        tmp_path, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show"
    )
    common = (address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    workers = [
        start(tmp_path, "worker", *common, "--local-directory", str(tmp_path)) for _ in range(2)
    ]
    try:
        wait_until(lambda: slots(address) == 2, "two workers are there")
        yield Cluster(address, workers, scheduler)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def slots(address: str) -> int:
    try:
        with dask_cluster(address) as (_, count):
            return count
    except BadInput:
        return 0


def test_a_cluster_agrees_bit_for_bit(tmp_path: Path, cluster: Cluster) -> None:
    with Store(tmp_path / "s") as store, dask_cluster(cluster.address) as (executor, count):
        assert count == 2
        assert sweep(tiny(), store, executor, count).done == 120
    swept(tiny(), tmp_path / "undisturbed")
    assert rows(tiny(), tmp_path / "s") == rows(tiny(), tmp_path / "undisturbed")


def test_a_worker_killed_on_the_way_changes_nothing(tmp_path: Path, cluster: Cluster) -> None:
    study, path = tiny(pause="0.03"), tmp_path / "s"
    going = command(path, "--set", "pause=0.03", "--cluster", cluster.address)
    wait_until(lambda: count(study, path) >= 15, "fifteen trials are kept")
    os.kill(cluster.workers[0].pid, signal.SIGKILL)
    before = count(study, path)
    assert before < 120
    tally = told(going)
    assert (tally["done"], tally["failed"], tally["skipped"]) == (120, 0, 0)
    swept(study, tmp_path / "undisturbed")
    assert rows(study, path) == rows(study, tmp_path / "undisturbed")


def test_an_interrupt_on_a_cluster_keeps_what_is_done(tmp_path: Path, cluster: Cluster) -> None:
    study, path = tiny(pause="0.15"), tmp_path / "s"
    going = command(path, "--set", "pause=0.15", "--cluster", cluster.address)
    wait_until(lambda: count(study, path) >= 5, "five trials are kept")
    os.killpg(going.pid, signal.SIGINT)
    _, err = going.communicate(timeout=60)
    assert going.returncode == 130
    assert err.endswith("simnet: interrupted\n")
    assert "Traceback" not in err
    assert 5 <= count(study, path) < 120
    again = command(
        path, "--set", "pause=0.15", "--cluster", cluster.address
    )  # the cluster is as good as before
    assert told(again)["failed"] == 0
    assert count(study, path) == 120


def test_a_sweep_whose_scheduler_goes_ends_and_keeps_what_is_done(
    tmp_path: Path, cluster: Cluster
) -> None:
    study, path = tiny(pause="0.05"), tmp_path / "s"
    going = command(path, "--set", "pause=0.05", "--cluster", cluster.address)
    wait_until(lambda: count(study, path) >= 5, "five trials are kept")
    cluster.scheduler.kill()
    _, err = going.communicate(timeout=90)
    assert going.returncode == 2
    assert "the Dask scheduler is gone: everything done is kept" in err
    assert "Traceback" not in err
    assert count(study, path) >= 5


@pytest.mark.parametrize(
    "address", ["foo", "tcp://x y", "http://127.0.0.1:80", "tcp://127.0.0.1", "127.0.0.1:8786"]
)
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(BadInput, match="an address such as tcp://host:8786"):
        dask_cluster(address).__enter__()


def test_a_cluster_without_workers_or_without_scheduler_is_refused(tmp_path: Path) -> None:
    port = free_port()
    with pytest.raises(BadInput, match=f"no Dask scheduler answers at tcp://127.0.0.1:{port}"):
        dask_cluster(f"tcp://127.0.0.1:{port}").__enter__()
    scheduler = start(
        tmp_path,
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-dashboard",
        "--no-show",
    )
    try:
        told: list[str] = []

        def refused() -> bool:
            with pytest.raises(BadInput) as error:
                dask_cluster(f"tcp://127.0.0.1:{port}").__enter__()
            told.append(str(error.value))
            return "has no workers" in told[-1]

        wait_until(refused, "the scheduler answers")
    finally:
        scheduler.terminate()
        scheduler.wait(20)
