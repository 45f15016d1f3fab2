"""Ways in which the function of a door may leave its input behind: none reaches the script."""

import builtins
import contextlib
import contextvars
import ctypes
import decimal
import fcntl
import functools
import gc
import json
import locale
import logging
import multiprocessing.shared_memory
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simnet import Field, FieldArray, Party, Run, ScriptError, Seat, Tag, bits, run, verdict
from simnet.contract import Holder
from simnet.scenario.compared_outputs import compare_outputs
from simnet.values.sealed import Sealed
from simnet.vault.place import said_in_place

F, NOTE, MARK = Field(101), Tag("note"), Tag("mark")
LIST: list[int] = []
ARRAY = np.zeros(2)
VARIABLE = contextvars.ContextVar("VARIABLE", default=0)
PIPE = os.pipe2(os.O_NONBLOCK)
WEAK: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
ERROR = ValueError("shared")


class Thing:
    """An object of a class that a function may change."""

    mark = 0


THING = Thing()


@functools.lru_cache
def cached(x: int) -> int:
    return x


def with_default(x: int = 0, kept: list[int] = []) -> int:  # noqa: B006
    kept.append(x) if x else None
    return len(kept)


def remembers() -> Generator[int, int, None]:
    seen = 0
    while True:
        seen = (yield seen) or seen


GENERATOR = remembers()
next(GENERATOR)
LOGGER = logging.getLogger("ways")


def of_closure() -> tuple[Callable[[int], None], Callable[[], bool]]:
    kept: list[int] = []
    return lambda x: kept.append(x) if x == 1 else None, lambda: bool(kept)


def in_thread(x: int) -> None:
    thread = threading.Thread(target=LIST.append, args=(x,))
    thread.start()
    thread.join()


def shared_memory(x: int) -> None:
    block = multiprocessing.shared_memory.SharedMemory("ways", create=True, size=1)
    block.close()


def on_disk(path: str) -> Callable[[], bool]:
    def looks() -> bool:
        found = Path(path).exists()
        if found:
            Path(path).unlink()
        return found

    return looks


LEAVES, LOOKS = of_closure()
LOCK = Path(f"/tmp/simnet-ways-lock-{os.getpid()}")  # each worker of pytest has its own

# By name: what a function does if its input is 1, and what the script sees of it.
WAYS: dict[str, tuple[Callable[[int], object], Callable[[], object]]] = {
    "a global variable": (lambda x: globals().update(left=x), lambda: "left" in globals()),
    "a list": (LIST.append, lambda: bool(LIST)),
    "an attribute": (lambda x: setattr(THING, "mark", x), lambda: bool(vars(THING))),
    "a class attribute": (lambda x: setattr(Thing, "mark", x), lambda: Thing.mark),
    "a function's attribute": (
        lambda x: setattr(cached, "mark", x),
        lambda: hasattr(cached, "mark"),
    ),
    "a cache": (cached, lambda: cached.cache_info().currsize),
    "a default": (with_default, lambda: with_default() > 0),
    "code": (
        lambda x: setattr(with_default, "__defaults__", (7, [1, 2])),
        lambda: with_default.__defaults__[0],
    ),
    "a closure": (LEAVES, LOOKS),
    "a generator": (GENERATOR.send, lambda: next(GENERATOR)),
    "a module": (lambda x: setattr(json, "left", x), lambda: hasattr(json, "left")),
    "a new module": (
        lambda x: sys.modules.setdefault("left", types.ModuleType("left")),
        lambda: "left" in sys.modules,
    ),
    "a builtin": (lambda x: setattr(builtins, "left", x), lambda: hasattr(builtins, "left")),
    "the environment": (lambda x: os.environ.update(LEFT="1"), lambda: "LEFT" in os.environ),
    "the path": (lambda x: sys.path.append("left"), lambda: "left" in sys.path),
    "flags of an array": (
        lambda x: setattr(ARRAY.flags, "writeable", False),
        lambda: not ARRAY.flags.writeable,
    ),
    "an array": (lambda x: ARRAY.fill(x), lambda: ARRAY.any()),
    "random numbers": (random.seed, lambda: random.getstate()[1][0] == 2147483648 and False),
    "a context variable": (VARIABLE.set, VARIABLE.get),
    "a context of decimals": (
        lambda x: setattr(decimal.getcontext(), "prec", 7),
        lambda: decimal.getcontext().prec == 7,
    ),
    "filters of warnings": (
        lambda x: warnings.simplefilter("ignore", BytesWarning),
        lambda: any(each[2] is BytesWarning and each[0] == "ignore" for each in warnings.filters),
    ),
    "numpy's handling of errors": (
        lambda x: np.seterr(all="ignore"),
        lambda: np.geterr()["over"] == "ignore",
    ),
    "a logger": (lambda x: LOGGER.setLevel(7), lambda: LOGGER.level == 7),
    "a weak reference": (lambda x: WEAK.update({1: THING}), lambda: len(WEAK)),
    "the garbage collector": (lambda x: gc.callbacks.append(print), lambda: print in gc.callbacks),
    "a handler of signals": (
        lambda x: signal.signal(signal.SIGUSR1, signal.SIG_IGN),
        lambda: signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN,
    ),
    "an exception": (lambda x: ERROR.add_note("left"), lambda: hasattr(ERROR, "__notes__")),
    "the locale": (
        lambda x: locale.setlocale(locale.LC_ALL, "C.UTF-8"),
        lambda: locale.setlocale(locale.LC_NUMERIC) == "C.UTF-8",
    ),
    "a thread": (in_thread, lambda: bool(LIST)),
    "a file": (lambda x: Path("left").write_text("1"), on_disk("left")),
    "an empty file": (lambda x: Path("left").touch(), on_disk("left")),
    "a folder": (lambda x: Path("left").mkdir(), lambda: Path("left").exists()),
    "a link": (lambda x: os.symlink("/", "left"), lambda: Path("left").is_symlink()),
    "a removed file": (lambda x: LOCK.unlink(), lambda: not LOCK.exists()),
    "a renamed file": (lambda x: LOCK.rename("left"), lambda: not LOCK.exists()),
    "a mode": (lambda x: LOCK.chmod(0o600), lambda: LOCK.stat().st_mode & 0o7 == 0),
    "a time": (lambda x: os.utime(LOCK, (1, 1)), lambda: LOCK.stat().st_mtime == 1),
    "a named pipe": (lambda x: os.mkfifo("left"), on_disk("left")),
    "a lock": (
        lambda x: fcntl.flock(os.open(LOCK, os.O_RDONLY), fcntl.LOCK_EX),
        lambda: False,
    ),
    "a pipe": (lambda x: os.write(PIPE[1], b"1"), lambda: _read(PIPE[0])),
    "a socket": (lambda x: socket.socket(), lambda: False),
    "a process": (lambda x: os.system("touch left"), on_disk("left")),
    "a subprocess": (lambda x: subprocess.run(["touch", "left"]), on_disk("left")),
    "a signal": (lambda x: os.kill(os.getppid(), signal.SIGUSR2), lambda: False),
    "shared memory": (shared_memory, lambda: Path("/dev/shm/ways").exists()),
    "a priority": (
        lambda x: os.setpriority(os.PRIO_PGRP, os.getppid(), 19),
        lambda: False,
    ),
    "a library in C": (lambda x: ctypes.CDLL(None).mkdir(b"left", 0o700), on_disk("left")),
    "what is printed": (lambda x: sys.stderr.write("left"), lambda: False),
}


def _read(number: int) -> bytes:
    try:
        return os.read(number, 1)
    except BlockingIOError:
        return b""


class Peeks:
    """The function leaves its input behind; the script looks for it and sends what it sees."""

    items = 2

    def __init__(self, way: str) -> None:
        self.way = way

    def parties(self) -> dict[str, Seat]:
        return {"u": Seat(self.user), "s": Seat(self.server)}

    def kept(self, x: int) -> list[int]:
        if x == 1:
            WAYS[self.way][0](x)
        return [x]

    async def user(self, me: Party, x: Sealed) -> None:
        kept = me.secret(self.kept, x, field=F, shape=(1,))
        await me.send(NOTE, "s", kept + me.coins.field(F, (1,)))
        await me.send(MARK, "s", bits([bool(WAYS[self.way][1]())]))

    async def server(self, me: Party) -> Any:
        await me.receive(NOTE, "u")
        await me.receive(MARK, "u")


def marks(done: Run) -> list[int]:
    return [
        bit
        for message in done.transcript.messages
        if message.tag == "mark"
        for bit in message.payload.numbers().tolist()
    ]


FAST = ("a global variable", "an attribute", "a cache", "a file", "a subprocess")


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=() if way in FAST else pytest.mark.slow) for way in WAYS]
)
def test_what_a_function_leaves_behind_does_not_reach_the_script(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    LOCK.touch(0o644)
    try:
        other = run(Peeks(way), [2], observe=["s"], in_place=False)
        assert marks(other) == [0]
        assert verdict(other, "s").finding == "nothing"
        with contextlib.suppress(ScriptError):  # some things a function cannot do in the vault
            assert marks(run(Peeks(way), [1], observe=["s"], in_place=False)) == [0]
    finally:
        LOCK.unlink(missing_ok=True)


def test_in_place_the_same_ways_are_open() -> None:
    """So the ways above are real, and `in_place` is an assumption, which the verdict names."""
    LIST.clear()
    done = run(Peeks("a list"), [1], observe=["s"], in_place=True)
    LIST.clear()
    assert marks(done) == [1]
    assert done.in_place


class PeeksIdeal(Peeks):
    """The functionality calls the function, too."""

    async def server(self, me: Party) -> Any:
        note = await me.receive(NOTE, "u")
        await me.receive(MARK, "u")
        return note

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        return {"s": users[0].secret(self.kept, items[0], field=F, shape=(1,))}


def test_the_ideal_world_leaves_nothing_for_later_runs() -> None:
    peeks = PeeksIdeal("a list")
    for _ in range(2):
        done = run(peeks, [1], observe=["s"], in_place=False)
        with said_in_place(False):
            compare_outputs(done)
        assert marks(done) == [0]
