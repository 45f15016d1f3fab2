"""The options that every command takes: `--debug`, `--timeout`, and the limits of work.

`--timeout` interrupts the command after a time, as Ctrl-C does. If the command does not end, it is
interrupted again every ten seconds.
"""

import contextlib
import math
import signal
from collections.abc import Iterator, Sequence
from types import FrameType

import attrs

from simnet.errors import BadInput
from simnet.kernel.limits import limited
from simnet.presses import Pressed, press

LIMITS = ("messages", "elements", "memory")
NAMES = ("--debug", "--timeout", *(f"--max-{name}" for name in LIMITS))
AGAIN = 10.0  # the number of seconds from one interrupt to the next
LONGEST = 1e9  # seconds: the system's timer refuses a much longer time


@attrs.define
class FrameOptions:
    """The options that every command takes; `tokens` are the other words of the command line."""

    tokens: list[str] = attrs.Factory(list)
    debug: bool = False
    timeout: float | None = None
    most: dict[str, float] = attrs.Factory(dict)  # the limits that are given, out of `LIMITS`
    timed_out: bool = False

    def read(self, words: Sequence[str]) -> None:
        """Take these options out of the words before a `--`. Of an option that is given twice, the
        last value counts. Raises `BadInput` for a NUL byte, for a missing value, and for a value
        that is no finite number above 0 or, for `--max-messages` and `--max-elements`, no whole
        number.
        """
        if any("\0" in word for word in words):
            raise BadInput("a word of the command line has a NUL byte, which no name of a file has")
        end = words.index("--") if "--" in words else len(words)
        self.debug = "--debug" in words[:end]
        self.tokens = [word for word in words[:end] if word != "--debug"] + list(words[end:])
        timeout = _taken(self.tokens, "--timeout")
        self.timeout = None if timeout is None else _positive("--timeout", timeout)
        for name in LIMITS:
            option = f"--max-{name}"
            text = _taken(self.tokens, option)
            if text is None:
                continue
            most = _positive(option, text)
            if name != "memory" and not most.is_integer():
                raise BadInput(f"{option} takes a whole number from 1, got {text!r}")
            self.most[name] = most if name == "memory" else int(most)

    @contextlib.contextmanager
    def bounds(self) -> Iterator[None]:
        """Apply the limits while the block runs. Raises `BadInput` if there is a timeout and the
        system has no alarm signal.
        """
        if self.timeout is not None and not hasattr(signal, "setitimer"):
            raise BadInput("--timeout does not work on this system, which has no alarm signal")
        if self.timeout is not None:
            signal.signal(signal.SIGALRM, self._interrupt)
            signal.setitimer(signal.ITIMER_REAL, min(self.timeout, LONGEST), AGAIN)
        try:
            with limited(**self.most), Pressed():
                yield
        finally:
            if self.timeout is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def interrupted(self, running: str) -> tuple[str, int]:
        """Return the message for an interrupt, and the exit status. `running` says which party was
        running; it may be empty.
        """
        what = f"stopped after {self.timeout:g} s" if self.timed_out else "interrupted"
        return f"{what}: {running}" if running else what, 124 if self.timed_out else 130

    def _interrupt(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # of a handler
        self.timed_out = True
        press(signal.SIGINT, frame)


def _taken(tokens: list[str], name: str) -> str | None:
    """Take an option and its value out of the tokens before a `--`, as often as it is given."""
    value, place = None, 0
    while place < len(tokens) and tokens[place] != "--":
        if tokens[place] == name:
            if place + 1 == len(tokens):
                raise BadInput(f"{name} needs a value")
            value = tokens[place + 1]
            del tokens[place : place + 2]
        elif tokens[place].startswith(f"{name}="):
            value = tokens.pop(place).removeprefix(f"{name}=")
        else:
            place += 1
    return value


def _positive(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise BadInput(f"{name} takes a finite number above 0, got {text!r}")
    return value
