"""Executors of trials: worker processes of this machine, or a Dask cluster that already exists."""

import asyncio
import contextlib
import gc
import logging
import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    InvalidStateError,
    ProcessPoolExecutor,
)
from types import TracebackType
from typing import Any, TypeVar

from simnet.errors import BadInput
from simnet.installed import extra_missing
from simnet.presses import uninterrupted

T = TypeVar("T")
RESTART = 10  # new worker processes must start within so many seconds
PATIENCE = 10  # after so many seconds of waiting, the program says what it waits for
GONE = "the Dask scheduler is gone: committed results are kept; repeat the command when it is back"
LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
ADDRESS = re.compile(r"(tcp|tls|ucx|wss?)://[^\s/]+:\d+/?")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def local_processes(
    workers: int | None, modules: Sequence[str] = ()
) -> Iterator[tuple[Executor, int]]:
    """Yield an executor with worker processes, and the number of workers.

    By default there is one worker for each processor.

    If the executor starts a fork server, workers begin with `modules` loaded. If a worker ends
    abruptly, the running calls fail, and the next call starts new workers. If the body of the
    `with` statement raises, the workers are ended at once. If this process is killed, the workers
    end themselves. Raises `BadInput` for fewer than one worker.
    """
    count = processors() if workers is None else workers
    if count < 1:
        raise BadInput(f"the number of workers is at least 1, got workers={count}")
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(list(modules))
    with _only_named_files():
        pool = _Processes(
            lambda: ProcessPoolExecutor(count, mp_context=context, initializer=_settle_in)
        )
        try:
            yield pool, count
        except BaseException:
            pool.end()
            raise
        pool.shutdown()


@contextlib.contextmanager
def _only_named_files() -> Iterator[None]:
    """Let the Pythons that start in the block import nothing from the current folder."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


class _Processes(Executor):
    """A pool of processes that is replaced by a new pool when it breaks."""

    def __init__(self, make: Callable[[], ProcessPoolExecutor]) -> None:
        self._make = make
        self._others = set(multiprocessing.active_children())
        self._pool = make()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        give_up = time.monotonic() + RESTART
        while True:
            try:
                # This call may start a worker. If it were interrupted, `end` would miss the worker,
                # which would complain that its pool is gone.
                with uninterrupted():
                    return self._pool.submit(fn, *args, **kwargs)
            # A worker process has ended, or the server of all workers.
            except (BrokenExecutor, EOFError, OSError) as error:
                if time.monotonic() > give_up:
                    raise BadInput(
                        f"no worker process can be started ({type(error).__name__}: {error}): "
                        "committed results are kept; repeat the command to go on"
                    ) from error
            self._end_workers()
            self._pool.shutdown(wait=False)
            # multiprocessing starts another server only when the system reports that the killed one
            # has ended, which can take a moment on a busy machine.
            time.sleep(0.05)
            self._pool = self._make()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def end(self) -> None:
        self._end_workers()
        self.shutdown(cancel_futures=True)

    def _end_workers(self) -> None:
        for worker in set(multiprocessing.active_children()) - self._others:
            worker.terminate()


def _settle_in() -> None:
    """Prepare a new worker: it ignores interrupts, and it ends when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextlib.contextmanager
def dask_cluster(
    address: str, say: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[Executor, int]]:
    """Yield an executor on the Dask scheduler at an address, and the number of trials that the
    executor runs at once.

    If a worker is killed, another worker may run its trials again. If the scheduler ends, the
    running calls fail. If the scheduler does not answer for a while or has lost its workers, `say`
    is called with a sentence that says so.

    Raises `BadInput` if dask.distributed is not installed, if the address is not valid, if no
    scheduler answers in time, or if the scheduler has no workers.
    """
    if not ADDRESS.fullmatch(address):
        raise BadInput(f"a Dask scheduler has an address such as tcp://host:8786, got {address!r}")
    try:
        from distributed import Client
    except ImportError:
        raise BadInput(extra_missing("--cluster", "dask.distributed", "cluster")) from None
    with _quiet():
        _refuse_others(address)
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
            with _Watched(client, address, say) as executor:
                yield executor, slots


def _refuse_others(address: str) -> None:
    """Raise `BadInput` unless a Dask scheduler answers. A Dask client itself would wait for minutes
    if another program listened at the address.
    """
    from distributed.core import rpc
    from distributed.security import Security

    async def identity() -> Any:
        security: Any = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        scheduler: Any = rpc(address, timeout=PATIENCE, connection_args=security)  # type: ignore[no-untyped-call]
        async with scheduler:
            return await scheduler.identity()

    async def in_time() -> Any:
        return await asyncio.wait_for(identity(), PATIENCE)

    try:
        kind = asyncio.run(in_time()).get("type")
    except TimeoutError:
        raise BadInput(
            f"no Dask scheduler answers at {address} within {PATIENCE} s: another program may "
            "use this address, or the scheduler hangs"
        ) from None
    except Exception as error:
        raise BadInput(f"no Dask scheduler answers at {address}: {error}") from error
    if kind != "Scheduler":
        raise BadInput(
            f"{address} is the address of a Dask {str(kind).lower()}, not of a scheduler"
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the log messages of Dask and of its libraries off the screen, because our own message is
    enough.
    """
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        gc.collect()
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


class _Watched(Executor):
    """An executor on a cluster. Threads watch the scheduler; if it ends, the futures fail."""

    def __init__(self, client: Any, address: str, say: Callable[[str], None]) -> None:
        self._client, self._address, self._say = client, address, say
        self._inner: Executor = client.get_executor(pure=False)
        self._flying: set[Future[Any]] = set()
        self._over = threading.Event()
        self._watchers = [
            threading.Thread(target=one, daemon=True)
            for one in (self._watch_scheduler, self._watch_workers)
        ]

    def __enter__(self) -> "_Watched":
        for watcher in self._watchers:
            watcher.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        for watcher in self._watchers:
            watcher.join(
                1.0
            )  # wait at most 1 s: the watcher may be waiting for a scheduler that does not answer

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        try:
            future = self._inner.submit(fn, *args, **kwargs)
        except Exception as error:  # the client's own errors have no class in common
            raise BadInput(GONE) from error
        self._flying.add(future)
        future.add_done_callback(self._flying.discard)
        return future

    def _watch_scheduler(self) -> None:
        while not self._over.wait(1.0):
            if self._client.status in ("closing", "closed"):
                for future in list(self._flying):
                    with contextlib.suppress(InvalidStateError):  # the future has just ended
                        future.set_exception(BadInput(GONE))

    def _watch_workers(self) -> None:
        since, said = time.monotonic(), None
        while not self._over.wait(1.0):
            obstacle = self._obstacle()
            if obstacle is None:
                since, said = time.monotonic(), None
            elif obstacle != said and time.monotonic() - since >= PATIENCE:
                self._say(obstacle)
                said = obstacle

    def _obstacle(self) -> str | None:
        try:
            found = self._client.sync(self._client.scheduler.identity, callback_timeout=PATIENCE)
        except TimeoutError:
            return f"waiting for the Dask scheduler at {self._address}, which does not answer"
        except Exception:  # the scheduler is ending, which the other watcher notices
            return None
        if found["workers"]:
            return None
        return (
            f"waiting for workers: the Dask scheduler at {self._address} has none left; start some "
            f"with `dask worker {self._address}`. A trial that ends its process ends its worker too"
        )
