"""What a function may not do in the vault: change anything outside its process.

What a function leaves behind in its own process never reaches the script. So it may not write to a
file, a socket or another process either. Python reports such deeds as *audit events*, and a hook
refuses them. A few functions of `os` and of other modules change something without an event; they
are taken out.
"""

import contextlib
import functools
import importlib
import itertools
import os
import resource
import sys
from types import FrameType
from typing import Any

# Each begins the names of events that are refused, unless they are in `_HARMLESS`.
_REFUSED = (
    *("_thread.", "ctypes.", "fcntl.", "os.", "pty.", "resource.prlimit", "shutil.", "socket."),
    *("signal.pthread_kill", "sqlite3.", "subprocess.", "sys.remote_exec", "syslog."),
)
_HARMLESS = {
    *("os.chdir", "os.fchdir", "os.fwalk", "os.getxattr", "os.listdir", "os.listxattr"),
    *("os.putenv", "os.scandir", "os.unsetenv", "os.walk"),
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_WITHOUT_EVENT = {
    "os": (
        *("mkfifo", "mknod", "nice", "pidfd_open", "sched_setaffinity", "sched_setparam"),
        *("sched_setscheduler", "setpriority", "sync"),
    ),
    "signal": ("pidfd_send_signal",),
    "time": ("clock_settime", "clock_settime_ns"),
    "_multiprocessing": ("SemLock", "sem_unlink"),
    "_posixshmem": ("shm_open", "shm_unlink"),
    "_posixsubprocess": ("fork_exec",),
}


@functools.cache  # a second hook would ask again what the first has asked
def close_off() -> None:
    """Refuse, from now on and in this process, what changes something outside the process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # also for libraries that report no events
    for module, names in _WITHOUT_EVENT.items():
        with contextlib.suppress(ImportError):
            places = {importlib.import_module(module), importlib.import_module("posix")}
            for place, name in itertools.product(places, names):
                if name in vars(place):
                    setattr(place, name, _taken_out)
    sys.addaudithook(_check)


def _taken_out(*_: object, **__: object) -> None:
    raise _refusal("a function that changes something outside the process")


def _check(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        # A number is that of an open file: of the null device, or of the way back to the run.
        if arguments[2] & _WRITES and not isinstance(arguments[0], int):
            raise _refusal(f"open({arguments[0]!r}) for writing")
    elif event.startswith(_REFUSED) and event not in _HARMLESS:
        raise _refusal(event)


def _refusal(deed: str) -> PermissionError:
    frame: FrameType | None = sys._getframe(2)
    place = "" if frame is None else f" in line {frame.f_lineno} of {frame.f_code.co_filename}"
    return PermissionError(
        f"calls {deed}{place}: the function of a door may only return a value, and may change "
        "nothing outside its process"
    )
