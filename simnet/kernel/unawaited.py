"""A forgotten `await`, noticed when it happens.

`me.send(...)` without `await` makes a coroutine and drops it: nothing is sent. Python notices when
the coroutine is freed, which is at once, and warns on standard error; a run would go on, to stall
somewhere else or to give another result. Python calls a function of the `warnings` module for
this, by name. It is replaced once, by one that asks the run of the current thread first: filters
of warnings would not do, because they show a warning of one line only once in a process.
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
    """Whom to tell in this thread."""

    notice: Notice | None = None


_current = _Current()


@contextlib.contextmanager
def unawaited_reported_to(notice: Notice) -> Iterator[None]:
    """Call `notice` with the name of each function whose coroutine is dropped, and the frame.

    It returns whether it has taken note; otherwise Python's warning follows.
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
