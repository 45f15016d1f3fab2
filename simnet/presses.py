"""What counts the presses of Ctrl-C.

Python drops an error that is raised while an object is freed, such as in `__del__` or at the end of
an import, and the kernel drops errors of scripts. So whoever looks after Ctrl-C for a while opens a
`Pressed` block, which counts the presses: a run does so, and the command line, which looks after
the time between runs. A press that Python drops is made again a moment later.
"""

import _thread
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import ClassVar, Self

AGAIN = 0.05  # seconds until a press that Python dropped is made again


class Pressed:
    """A context manager in which Ctrl-C raises `KeyboardInterrupt` in the main thread, even if
    Python drops the error where the press finds it: then it is raised `AGAIN` seconds later, or by
    the next run, or at the end of the block.

    A handler that other code has installed stays in place. In other threads nothing is installed.
    """

    innermost: ClassVar["Pressed | None"] = None  # the innermost block of the main thread

    def __init__(self) -> None:
        self.presses = 0
        self.running = ""  # the party, its round and line when the first press came
        self.is_main = threading.current_thread() is threading.main_thread()
        self.is_again = False  # whether the next press is an earlier one that Python dropped
        self._installed = False
        self._around: Pressed | None = None
        self._unraisable = sys.unraisablehook

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
                self._unraisable, sys.unraisablehook = sys.unraisablehook, self._dropped
                signal.signal(signal.SIGINT, press)
        except KeyboardInterrupt:  # from Python's own handler
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
        if self._installed:
            sys.unraisablehook = self._unraisable
        if self.is_main:
            Pressed.innermost = self._around
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def refuse(self) -> None:
        """Raise `KeyboardInterrupt` if there was a press."""
        if self.presses:
            raise KeyboardInterrupt(self.running)

    def note(self, frame: FrameType | None) -> None:
        """Count a press. Raises `KeyboardInterrupt`, unless the block is about to begin or end:
        then it raises at its end.
        """
        self.count()
        while frame is not None and frame.f_code not in BEGINS_OR_ENDS:
            frame = frame.f_back
        if frame is None:
            raise KeyboardInterrupt

    def count(self) -> None:
        """Count a press, unless it is an earlier one that is made again."""
        self.presses += not self.is_again
        self.is_again = False

    def _dropped(self, dropped: "sys.UnraisableHookArgs") -> None:
        """Make a press again if Python drops its error. Other errors are reported as before."""
        block = Pressed.innermost
        if dropped.exc_type is KeyboardInterrupt and block is not None and block.presses:
            # The signal must come after this function, and may not wait for a lock that the
            # interrupted code has: so a bare thread makes it.
            _thread.start_new_thread(_press_again, (block,))
        else:
            self._unraisable(dropped)


# Code in which an error would leave the handler behind.
BEGINS_OR_ENDS = {
    function.__code__ for function in (Pressed.__enter__, Pressed.__exit__, Pressed._leave)
}


def press(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # of a handler
    """Tell the innermost block of a press. Raises `KeyboardInterrupt`, unless a run is under way
    whose scripts are all waiting.
    """
    if Pressed.innermost is None:  # the outermost block has just ended
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise KeyboardInterrupt
    Pressed.innermost.note(frame)


def _press_again(block: Pressed) -> None:
    time.sleep(AGAIN)
    if Pressed.innermost is block:  # nobody has heard the press in the meantime
        block.is_again = True
        if hasattr(signal, "pthread_kill"):  # ends a wait too
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()


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
