"""What a function may not do in the vault: change anything outside its process.

What a function leaves behind in its own process never reaches the script. So it may not write to a
file, a socket or another process either. Python reports such deeds as *audit events*, and a hook
refuses them. A few functions of `os` and of other modules change something without an event; they
are taken out.
"""

import contextlib
import importlib
import os
import resource
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, CodeType
from typing import Any

# Each begins the names of events that are refused, unless they are in `_HARMLESS`.
_REFUSED = (
    *("_thread.", "ctypes.", "fcntl.", "gc.", "mmap.", "os.", "pty.", "resource.prlimit"),
    *("shutil.", "signal.pthread_kill", "socket.", "sqlite3.", "subprocess.", "sys.remote_exec"),
    "syslog.",
)
_HARMLESS = frozenset(
    {
        *("os.chdir", "os.fchdir", "os.fwalk", "os.getxattr", "os.listdir", "os.listxattr"),
        *("os.putenv", "os.scandir", "os.unsetenv", "os.walk"),
    }
)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_WITHOUT_EVENT = {
    "posix": (
        *("mkfifo", "mknod", "nice", "pidfd_open", "sched_setaffinity", "sched_setparam"),
        *("sched_setscheduler", "setpriority", "sync"),
    ),
    "signal": ("pidfd_send_signal",),
    "time": ("clock_settime", "clock_settime_ns"),
    "_multiprocessing": ("SemLock", "sem_unlink"),
    "_posixshmem": ("shm_open", "shm_unlink"),
    "_posixsubprocess": ("fork_exec",),
}
_FUNCTIONS: set[object] = set()
for _module, _names in _WITHOUT_EVENT.items():
    with contextlib.suppress(ImportError):
        _there = vars(importlib.import_module(_module))
        _FUNCTIONS |= {_there[name] for name in _names if name in _there}
_PLACES = [
    (module, name)
    for module in list(sys.modules.values())
    for name, value in vars(module).items()
    if type(value) in (BuiltinFunctionType, type) and value in _FUNCTIONS
]


def close_off(allowed: Mapping[str, CodeType]) -> None:
    """Refuse, from now on, what changes something outside this process and those that it forks.

    `allowed` has, for some events, the code of the function that may cause them; only this process
    may fork.
    """
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # also for libraries that report no events
    for module, name in _PLACES:
        setattr(module, name, _taken_out)
    sys.addaudithook(_hook(os.getpid(), allowed))


def _taken_out(*_: object, **__: object) -> None:
    raise _refusal("a function that changes something outside the process")


def _refusal(deed: str) -> PermissionError:
    frame = sys._getframe(2)
    return PermissionError(
        f"calls {deed} in line {frame.f_lineno} of {frame.f_code.co_filename}: the function of a "
        "door may only return a value, and may change nothing outside its process"
    )


def _hook(process: int, allowed: Mapping[str, CodeType]) -> Callable[[str, tuple[Any, ...]], None]:
    # All that the hook uses are defaults of its own, because a function could change the variables
    # of this module, and the functions of Python that they name.
    def check(
        event: str,
        arguments: tuple[Any, ...],
        refused: tuple[str, ...] = _REFUSED,
        harmless: frozenset[str] = _HARMLESS,
        writes: int = _WRITES,
        taken: frozenset[str] = frozenset(_WITHOUT_EVENT),
        refusal: Callable[[str], PermissionError] = _refusal,
        kind: Any = type,
        number: Any = int,
        last: Any = str.rpartition,
        own: tuple[Any, ...] = (process, dict(allowed), os.getpid, sys._getframe),
    ) -> None:
        if event == "open":
            # A number is that of an open file: of the null device, or of the way back to the run.
            if arguments[2] & writes and kind(arguments[0]) is not number:
                raise refusal(f"open({arguments[0]!r}) for writing")
        elif event == "import":
            if last(arguments[0], ".")[2] in taken:
                raise refusal(f"import {arguments[0]}")
        elif event.startswith(refused) and event not in harmless:
            code = own[3](1).f_code
            if own[1].get(event) is not code or (event == "os.fork" and own[2]() != own[0]):
                raise refusal(event)

    return check
