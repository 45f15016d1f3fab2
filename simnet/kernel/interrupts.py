"""Ctrl-C ends a run, even if a script catches `KeyboardInterrupt`.

The first press of Ctrl-C raises `KeyboardInterrupt` in the script that is running. If no script is
running at that moment, the press is counted, and the run ends before the next script continues, or
when it is over anyway. So no press is lost. A script that catches the error can no longer use its
party, and the run ends when the script waits for anything or ends. But a script that computes for
ever and catches every error would survive the first press::

    while True:
        try:
            compute()
        except BaseException:
            pass

A second press while a script is running ends the process.
"""

import os
import signal
from types import CodeType, FrameType
from typing import Self

from simnet.kernel.actor import Turn
from simnet.kernel.blame import running
from simnet.presses import Pressed, press


class Interrupts(Pressed):
    """The block of one run."""

    def __init__(self, turn: Turn, resumes: CodeType) -> None:
        # `resumes` is the code that resumes scripts: the functions that it calls belong to the
        # script.
        super().__init__()
        self.in_script = False  # whether a script is being executed, and not the kernel alone
        # Whether a KeyboardInterrupt may come from a handler that other code has installed.
        self.is_handled_elsewhere = False
        self._turn = turn
        self._resumes = resumes

    def __enter__(self) -> Self:
        super().__enter__()
        handler = signal.getsignal(signal.SIGINT)
        # A shell lets its background commands ignore Ctrl-C.
        self.is_handled_elsewhere = self.is_main and handler not in (press, signal.SIG_IGN)
        return self

    def note(self, frame: FrameType | None) -> None:
        """Count a press. Raises `KeyboardInterrupt` if a script is being executed."""
        self.count()
        actor = self._turn.actor
        if self.in_script and actor is not None:
            self.running = running(actor, frame, self._resumes)
        self._turn.actor = None
        if self.presses > 1 and self.in_script:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        if self.in_script:
            raise KeyboardInterrupt

    def unwake(self) -> None:
        """Let no signal wake Trio, which is never asleep in a run. Python would complain of a
        signal that came while Trio closes what wakes it.
        """
        if self.is_main:
            signal.set_wakeup_fd(-1)
