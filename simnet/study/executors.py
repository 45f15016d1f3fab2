"""Where trials run: processes of this machine, or a Dask cluster that is already there."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

from simnet.errors import BadInput

PATIENCE = 10  # seconds to wait for a scheduler to answer


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def local_processes(workers: int | None, modules: Sequence[str] = ()) -> Iterator[tuple[Executor, int]]:
    """So many worker processes (default: one a processor) that have `modules` loaded, and how many they are.

    They are forked off a server that has imported the modules once, which is quick, and safe whatever threads there
    are here. When the body raises they are ended at once; should this process be killed, they end themselves.
    """
    count = processors() if workers is None else workers
    if count < 1:
        raise BadInput(f"there is at least one worker, got workers={count}")
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(list(modules))
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_settle_in)
    try:
        yield pool, count
    except BaseException:
        for worker in set(multiprocessing.active_children()) - before:
            worker.terminate()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _settle_in() -> None:
    """In a new worker: leave interrupts to the parent, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextlib.contextmanager
def dask_cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """An executor on the Dask scheduler at that address, and how many trials it runs at once.

    What a killed worker had is run again by another. Raises `BadInput` without dask.distributed, when no scheduler
    answers, or when it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise BadInput("--cluster needs dask.distributed: install simnet[cluster]") from None
    try:
        client: Any = Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        slots = sum(client.nthreads().values())
        if not slots:
            raise BadInput(f"the Dask scheduler at {address} has no workers: start some with `dask worker {address}`")
        yield client.get_executor(pure=False), slots
