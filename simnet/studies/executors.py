"""Where trials run: processes of this machine, or a Dask cluster that is already there."""

import contextlib
import logging
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, InvalidStateError, ProcessPoolExecutor
from typing import Any

from simnet.errors import BadInput
from simnet.installed import extra_missing

PATIENCE = 10  # seconds to wait for a scheduler to answer
GONE = "the Dask scheduler is gone: everything done is kept; repeat the command when it is back"
ADDRESS = re.compile(r"(tcp|tls|ucx|wss?)://[^\s/]+:\d+/?")


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def local_processes(
    workers: int | None, modules: Sequence[str] = ()
) -> Iterator[tuple[Executor, int]]:
    """So many worker processes that have `modules` loaded, and how many they are.

    By default there is one for each processor.

    They are forked off a server that has imported the modules once, which is quick, and safe
    whatever threads there are here. When the body raises they are ended at once; should this
    process be killed, they end themselves.
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

    What a killed worker had is run again by another. When the scheduler goes, what is under way
    fails. Raises `BadInput` without dask.distributed, for an address that is none, when no
    scheduler answers, or when it has no workers.
    """
    if not ADDRESS.fullmatch(address):
        raise BadInput(f"a Dask scheduler has an address such as tcp://host:8786, got {address!r}")
    try:
        from distributed import Client
    except ImportError:
        raise BadInput(extra_missing("--cluster", "dask.distributed", "cluster")) from None
    # When the scheduler goes, Dask logs a traceback or two of its own: one line of ours is enough.
    for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client: Any = Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        slots = sum(client.nthreads().values())
        if not slots:
            raise BadInput(
                f"the Dask scheduler at {address} has no workers: start some with `dask worker "
                f"{address}`"
            )
        with _watched(
            client.get_executor(pure=False), lambda: client.status in ("closing", "closed")
        ) as executor:
            yield executor, slots


class _Watched(Executor):
    """An executor whose futures fail when it is gone."""

    def __init__(self, inner: Executor) -> None:
        self._inner = inner
        self._flying: set[Future[Any]] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future = self._inner.submit(fn, *args, **kwargs)
        self._flying.add(future)
        future.add_done_callback(self._flying.discard)
        return future

    def give_up(self) -> None:
        """Fail what is under way."""
        for future in list(self._flying):
            with contextlib.suppress(InvalidStateError):  # it has just ended
                future.set_exception(BadInput(GONE))


@contextlib.contextmanager
def _watched(inner: Executor, gone: Callable[[], bool]) -> Iterator[Executor]:
    """The executor, given up on when it is `gone`, which is asked every second."""
    executor, over = _Watched(inner), threading.Event()

    def watch() -> None:
        while not over.wait(1.0):
            if gone():
                executor.give_up()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield executor
    finally:
        over.set()
        watcher.join()
