"""Detect a forgotten `await` in a script, and end the run with an error.

A script that calls `me.send(...)` without `await` makes a coroutine that never runs, so nothing is
sent. When Python frees this coroutine, it notices that nobody has awaited it, and prints a warning.
But the run would continue, and might stall later or give a wrong result. To print the warning,
Python calls a function of the `warnings` module by its name. This module replaces that function by
one that first reports the coroutine to the run of the current thread. A filter for warnings would
not be enough, because by default Python shows the warning of a line only once in a process.
"""

import contextlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import CoroutineType, FrameType
from typing import Any

Notice = Callable[[str, FrameType | None], bool]
_HOOK = "_warn_unawaited_coroutine"


class _Current(threading.local):
    notice: Notice | None = None


_current = _Current()


@contextlib.contextmanager
def unawaited_reported_to(notice: Notice) -> Iterator[None]:
    """Call `notice` with the name of each function whose coroutine is freed without `await`, and
    with the frame that was running at that moment.

    `notice` returns whether it has handled the case. If it has not, Python gives its own warning.
    """
    _install()
    before, _current.notice = _current.notice, notice
    try:
        yield
    finally:
        _current.notice = before


def _install() -> None:
    warn: Any = getattr(warnings, _HOOK, None)
    # This version of Python has no such function, or it is replaced already.
    if warn is None or getattr(warn, "asks_run", False):
        return

    def ask_run(coroutine: "CoroutineType[Any, Any, Any]") -> None:
        notice = _current.notice
        name = coroutine.__qualname__.rpartition(".")[2]
        if notice is None or not notice(name, sys._getframe(1)):
            warn(coroutine)

    ask_run.asks_run = True  # type: ignore[attr-defined]  # a mark on a function
    setattr(warnings, _HOOK, ask_run)
