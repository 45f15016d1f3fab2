"""Ctrl-C ends a run, even if a script catches `KeyboardInterrupt`.

The first press of Ctrl-C raises `KeyboardInterrupt` in the script that is running. If no script is
running at that moment, the run ends before the next script continues. A script that catches the
error can no longer use its party, and the run ends when the script waits for anything or ends. But
a script that computes for ever and catches every error would survive the first press::

    while True:
        try:
            compute()
        except BaseException:
            pass

A second press while a script is running ends the process.
"""

import os
import signal
import threading
from types import CodeType, FrameType, TracebackType

from simnet.kernel.actor import Turn
from simnet.kernel.blame import running


class Interrupts:
    """A context manager that watches for Ctrl-C in the main thread.

    A handler that other code has installed stays in place. In other threads nothing is installed.
    """

    def __init__(self, turn: Turn, resumes: CodeType) -> None:
        # `resumes` is the code that resumes scripts: the functions that it calls belong to the
        # script.
        self.presses = 0
        self.running = ""  # the party, its round and line when the first press came
        self.in_script = False  # whether a script is being executed, and not the kernel alone
        self.installed = False
        # Whether a KeyboardInterrupt may come from other code: from its own handler, or from a time
        # limit. A shell lets its background commands ignore Ctrl-C.
        self.is_handled_elsewhere = False
        self._turn = turn
        self._resumes = resumes

    def __enter__(self) -> "Interrupts":
        is_main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT)
        if is_main and handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            self.installed = True
        elif is_main:
            self.is_handled_elsewhere = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _press(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # of a handler
        self.presses += 1
        actor = self._turn.actor
        if self.in_script and actor is not None:
            self.running = running(actor, frame, self._resumes)
        self._turn.actor = None
        if self.presses > 1 and self.in_script:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        if self.in_script:
            raise KeyboardInterrupt
