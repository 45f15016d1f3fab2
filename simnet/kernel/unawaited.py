"""A forgotten `await`, noticed when it happens.

`me.send(...)` without `await` makes a coroutine and drops it: nothing is sent. Python notices this
when the coroutine is freed, which is at once, and prints a warning. Without more, the run would go
on and stall later, or give a wrong result. Python calls a function of the `warnings` module for
this warning, by name. This module replaces the function once, by a function that asks the run of
the current thread first. A filter for warnings would not do, because Python shows the warning of a
line only once in a process.
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
    """The function to call in this thread."""

    notice: Notice | None = None


_current = _Current()


@contextlib.contextmanager
def unawaited_reported_to(notice: Notice) -> Iterator[None]:
    """Call `notice` with the name of each function whose coroutine is dropped, and with the frame.

    `notice` returns whether it has handled the case. If it has not, Python's warning follows.
    """
    _install()
    before, _current.notice = _current.notice, notice
    try:
        yield
    finally:
        _current.notice = before


def _install() -> None:
    warn: Any = getattr(warnings, _HOOK, None)
    if warn is None or getattr(warn, "asks_run", False):  # a Python that has no such function
        return

    def ask_run(coroutine: "CoroutineType[Any, Any, Any]") -> None:
        notice = _current.notice
        name = coroutine.__qualname__.rpartition(".")[2]
        if notice is None or not notice(name, sys._getframe(1)):
            warn(coroutine)

    ask_run.asks_run = True  # type: ignore[attr-defined]  # a mark on a function
    setattr(warnings, _HOOK, ask_run)
