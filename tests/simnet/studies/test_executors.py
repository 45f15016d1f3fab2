"""Sweeps on a Dask cluster: a real scheduler and two workers on loopback, on ports that are
free.
"""

import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import attrs
import pytest

from simnet.errors import BadInput
from simnet.studies import executors
from simnet.studies.executors import LOGGERS, dask_cluster
from simnet.studies.store import Store
from simnet.studies.sweep import Study, sweep
from tests.harness.data import ROOT
from tests.harness.sweeping import command, count, rows, swept, tiny, told, wait_until

pytestmark = [
    pytest.mark.slow,
    # `importorskip` would load it for the fast tests, too.
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed"),
]


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


def answers(port: int) -> bool:
    """Return whether something listens at this port of this machine."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def cluster_in(folder: Path) -> Iterator[Cluster]:
    address = f"tcp://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    scheduler = start(
        folder, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show"
    )
    common = (address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    workers = [start(folder, "worker", *common, "--local-directory", str(folder)) for _ in range(2)]
    try:
        wait_until(lambda: slots(address) == 2, "two workers are there")
        yield Cluster(address, workers, scheduler)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with cluster_in(tmp_path) as started:
        yield started


@pytest.fixture(scope="module")
def lasting_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for tests that leave it as it was."""
    with cluster_in(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def slots(address: str) -> int:
    try:
        with dask_cluster(address) as (_, count):
            return count
    except BadInput:
        return 0


def test_a_cluster_agrees_bit_for_bit(tmp_path: Path, lasting_cluster: Cluster) -> None:
    with Store(tmp_path / "s") as store, dask_cluster(lasting_cluster.address) as (executor, count):
        assert count == 2
        assert sweep(tiny(), store, executor, count).done == 120
    swept(tiny(), tmp_path / "undisturbed")
    assert rows(tiny(), tmp_path / "s") == rows(tiny(), tmp_path / "undisturbed")


@pytest.mark.long
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


@pytest.mark.long
def test_an_interrupt_on_a_cluster_keeps_what_is_done(
    tmp_path: Path, lasting_cluster: Cluster
) -> None:
    study, path = tiny(pause="0.08"), tmp_path / "s"
    going = command(path, "--set", "pause=0.08", "--cluster", lasting_cluster.address)
    wait_until(lambda: count(study, path) >= 5, "five trials are kept")
    os.killpg(going.pid, signal.SIGINT)
    _, err = going.communicate(timeout=60)
    assert going.returncode == 130
    assert err.endswith("simnet: interrupted\n")
    assert "Traceback" not in err
    assert 5 <= count(study, path) < 120
    again = command(
        path, "--set", "pause=0.08", "--cluster", lasting_cluster.address
    )  # the cluster is as good as before
    assert told(again)["failed"] == 0
    assert count(study, path) == 120


@pytest.mark.long
def test_a_sweep_whose_scheduler_goes_ends_and_keeps_what_is_done(
    tmp_path: Path, cluster: Cluster
) -> None:
    study, path = tiny(pause="0.05"), tmp_path / "s"
    going = command(path, "--set", "pause=0.05", "--cluster", cluster.address)
    wait_until(lambda: count(study, path) >= 5, "five trials are kept")
    cluster.scheduler.kill()
    _, err = going.communicate(timeout=90)
    assert going.returncode == 2
    assert "the Dask scheduler is gone: committed results are kept" in err
    assert "Traceback" not in err
    assert count(study, path) >= 5


def waited(study: Study, path: Path, address: str, happens: Callable[[], object]) -> list[str]:
    """What is said by a sweep that cannot go on when something has happened, and is then ended."""
    said = list[str]()

    class Enough(Exception):
        """The sweep has said what it waits for."""

    def say(text: str) -> None:
        said.append(text)
        os.kill(os.getpid(), signal.SIGUSR1)

    def leave(*_: object) -> None:
        raise Enough

    before = signal.signal(signal.SIGUSR1, leave)
    settled = 0

    def progress(steps: int) -> None:
        nonlocal settled
        reached, settled = settled, settled + steps
        if reached < 5 <= settled:
            happens()

    try:
        with (
            pytest.raises(Enough),
            Store(path) as store,
            dask_cluster(address, say) as (executor, slots),
        ):
            sweep(study, store, executor, slots, progress)
    finally:
        signal.signal(signal.SIGUSR1, before)
    return said


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 4)


@pytest.mark.long
@pytest.mark.usefixtures("impatient")
def test_a_cluster_whose_workers_are_gone_is_waited_for_with_a_word(
    tmp_path: Path, cluster: Cluster
) -> None:
    def kill() -> None:
        for worker in cluster.workers:
            worker.kill()

    began = time.monotonic()
    (said,) = waited(tiny(pause="0.02"), tmp_path / "s", cluster.address, kill)
    assert f"waiting for workers: the Dask scheduler at {cluster.address} has none left" in said
    assert time.monotonic() - began < 40
    assert count(tiny(pause="0.02"), tmp_path / "s") >= 5


@pytest.mark.long
@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_stands_still_is_waited_for_with_a_word(
    tmp_path: Path, cluster: Cluster
) -> None:
    levels = [logging.getLogger(name).level for name in LOGGERS]
    began = time.monotonic()
    try:
        (said,) = waited(
            tiny(pause="0.02"), tmp_path / "s", cluster.address, lambda: stop(cluster.scheduler)
        )
    finally:
        cluster.scheduler.send_signal(signal.SIGCONT)
    assert said == f"waiting for the Dask scheduler at {cluster.address}, which does not answer"
    assert time.monotonic() - began < 60
    assert [logging.getLogger(name).level for name in LOGGERS] == levels


def stop(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGSTOP)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_what_is_no_scheduler_is_told_in_time(answer: bytes) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port, kept = listening.getsockname()[1], list[socket.socket]()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    kept.append(listening.accept()[0])
                    kept[-1].sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        began = time.monotonic()
        with pytest.raises(BadInput, match=f"no Dask scheduler answers at tcp://127.0.0.1:{port}"):
            dask_cluster(f"tcp://127.0.0.1:{port}").__enter__()
        assert time.monotonic() - began < 10
        listening.shutdown(socket.SHUT_RDWR)
        for one in kept:
            one.close()


@pytest.mark.parametrize(
    "address", ["foo", "tcp://x y", "http://127.0.0.1:80", "tcp://127.0.0.1", "127.0.0.1:8786"]
)
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(BadInput, match="an address such as tcp://host:8786"):
        dask_cluster(address).__enter__()


@pytest.mark.usefixtures("impatient")
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
        wait_until(lambda: answers(port), "the scheduler answers")
        with pytest.raises(BadInput, match="has no workers"):
            dask_cluster(f"tcp://127.0.0.1:{port}").__enter__()
    finally:
        scheduler.terminate()
        scheduler.wait(20)
