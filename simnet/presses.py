"""What counts the presses of Ctrl-C.

Python drops an error that is raised while an object is freed, such as in `__del__`, and the kernel
drops errors of scripts. So whoever looks after Ctrl-C for a while opens a `Pressed` block, which
counts the presses: a run does so, and the command line, which looks after the time between runs.
"""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import ClassVar, Self


class Pressed:
    """A context manager in which Ctrl-C raises `KeyboardInterrupt` in the main thread, even if
    Python drops the error where the press finds it: then the next run raises it, or the end of the
    block.

    A handler that other code has installed stays in place. In other threads nothing is installed.
    """

    innermost: ClassVar["Pressed | None"] = None  # the innermost block of the main thread

    def __init__(self) -> None:
        self.presses = 0
        self.running = ""  # the party, its round and line when the first press came
        self.is_main = threading.current_thread() is threading.main_thread()
        self._installed = False
        self._around: Pressed | None = None

    def __enter__(self) -> Self:
        if not self.is_main:
            return self
        self._around = Pressed.innermost
        if self._around is not None:
            self._around.refuse()
        try:
            Pressed.innermost = self
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._installed = True
                signal.signal(signal.SIGINT, press)
        except KeyboardInterrupt:
            self._leave()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()
        if not isinstance(error, KeyboardInterrupt):
            self.refuse()

    def _leave(self) -> None:
        try:
            if self._installed:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        finally:
            if self.is_main:
                Pressed.innermost = self._around

    def refuse(self) -> None:
        """Raise `KeyboardInterrupt` if there was a press."""
        if self.presses:
            raise KeyboardInterrupt(self.running)

    def note(self, frame: FrameType | None) -> None:  # noqa: ARG002  # a run says who was running
        """Count a press. Raises `KeyboardInterrupt`."""
        self.presses += 1
        raise KeyboardInterrupt


def press(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # of a handler
    """Tell the innermost block of a press. Raises `KeyboardInterrupt`, unless a run is under way
    whose scripts are all waiting.
    """
    if Pressed.innermost is None:
        raise KeyboardInterrupt
    Pressed.innermost.note(frame)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let an interrupt wait until the block ends. Processes that start in the block heed none."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
