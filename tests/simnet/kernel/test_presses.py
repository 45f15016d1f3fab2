"""Ctrl-C is never lost, wherever in the life of a run it comes."""

import gc
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from protocols.dpds.script import DPDS
from simnet import Field, Party, Tag, presses, run
from simnet.kernel import interrupts, turns
from simnet.presses import Pressed
from simnet.values.residues import constant
from tests.harness.scripts import Scripts
from tests.harness.shell import simnet

F, NOTE = Field(101), Tag("note")
DPDS_OF_3 = DPDS(users=3, items=1, participation=0.5)
OF_TURNS = {module.__file__ for module in (interrupts, presses, turns)}


@pytest.fixture(autouse=True)
def no_callbacks() -> Iterator[None]:
    """Without what Hypothesis calls in each collection of garbage: Python drops errors there."""
    before = list(gc.callbacks)
    gc.callbacks.clear()
    yield
    gc.callbacks += before


async def sends(me: Party) -> None:
    await me.send(NOTE, "b", constant(F, 1))


async def reads(me: Party) -> int:
    try:
        await me.receive(NOTE, "a")
    finally:
        return 1  # noqa: B012  # whatever happens


class Press:
    """A trace function that presses Ctrl-C at one of the lines that are executed in some files."""

    def __init__(self, at: int, files: set[str | None] | None) -> None:
        self.at, self.files = at, files
        self.lines = 0
        self.place = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> "Press | None":
        if self.files is not None and frame.f_code.co_filename not in self.files:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                self.place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return self


def pressed(at: int, plays: Callable[[], object], files: set[str | None] | None = None) -> Press:
    """Press at a line of a run, which must raise `KeyboardInterrupt` and leave nothing behind."""
    press, before, heard = Press(at, files), sys.gettrace(), False
    try:
        sys.settrace(press)
        plays()
    except KeyboardInterrupt:
        heard = True
    finally:
        sys.settrace(before)
    assert heard == bool(press.place), f"lost at {press.place}"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, press.place
    assert Pressed.innermost is None, press.place
    return press


def test_a_press_at_any_line_of_the_turns_ends_the_run() -> None:
    """Before the first step, in a step, after the last step, and while the run closes."""

    def plays() -> None:
        run(Scripts(a=sends, b=reads))

    plays()
    lines = pressed(0, plays, OF_TURNS).lines
    assert lines > 100
    for at in range(1, lines + 1):
        pressed(at, plays, OF_TURNS)


@pytest.mark.slow
def test_a_press_at_any_line_of_a_run_ends_it() -> None:
    """The state of the process is as before: the next run gives what it should."""

    def plays() -> None:
        run(DPDS_OF_3, [1, 1, 1], seed=1)

    plays()
    right = run(DPDS_OF_3, [1, 1, 1], seed=1).trace_hash
    lines = pressed(0, plays).lines
    for at in random.Random(1).sample(range(1, lines + 1), 150):
        pressed(at, plays)
        assert run(DPDS_OF_3, [1, 1, 1], seed=1).trace_hash == right


class Deaf:
    """Python drops an error that is raised while an object is freed."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_press_that_python_drops_is_heard_by_the_next_run_or_at_the_end() -> None:
    with pytest.raises(KeyboardInterrupt), Pressed():
        Deaf()
    done = list[object]()

    def plays_on() -> None:
        Deaf()
        done.append(run(DPDS_OF_3, [1, 1, 1]))

    with pytest.raises(KeyboardInterrupt), Pressed():
        plays_on()
    assert not done
    run(DPDS_OF_3, [1, 1, 1])


def test_a_press_that_python_drops_is_heard_a_moment_later_where_nothing_runs() -> None:
    """Also at the end of an import, whose lock Python frees in a callback."""

    def waits() -> None:
        Deaf()
        time.sleep(5)

    hook, began = sys.unraisablehook, time.monotonic()
    with pytest.raises(KeyboardInterrupt), Pressed() as heard:
        waits()
    assert time.monotonic() < began + 2
    assert heard.presses == 1
    assert sys.unraisablehook is hook


def pressing(pause: float) -> threading.Thread:
    """Return a thread that presses Ctrl-C after a pause, in seconds."""

    def press() -> None:
        time.sleep(pause)
        os.kill(os.getpid(), signal.SIGINT)

    return threading.Thread(target=press)


@pytest.mark.slow
def test_presses_in_a_loop_of_short_runs_are_heard() -> None:
    rng = random.Random(1)

    def runs_on() -> None:
        thread.start()
        for _ in range(1000):
            run(DPDS_OF_3, [1, 1, 1])

    for _ in range(60):
        thread = pressing(rng.uniform(0.0, 0.02))
        with pytest.raises(KeyboardInterrupt):
            runs_on()
        thread.join()


OPTIONS = ["--users", "3", "--items", "1", "--runs", "100000"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of open files
@pytest.mark.parametrize(
    "words", [["coalitions", "dpds"], ["verify", "dpds", "--corrupt", "u1,server"]]
)
def test_presses_in_a_command_of_short_runs_are_heard(words: list[str]) -> None:
    whole = simnet(*words, *OPTIONS[:4]).out  # `verify` prints the first verdict before other runs
    rng = random.Random(1)
    for _ in range(15):
        thread = pressing(rng.uniform(0.2, 0.4))
        thread.start()
        began = time.monotonic()
        done = simnet(*words, *OPTIONS)
        assert done.status == 130
        assert whole.startswith(done.out)
        assert done.err.startswith("simnet: interrupted")
        assert done.err.count("\n") == 1
        thread.join()
        bound = str(rng.uniform(0.2, 0.4))
        done = simnet(*words, *OPTIONS, "--timeout", bound)
        assert done.status == 124
        assert whole.startswith(done.out)
        assert time.monotonic() - began < 10  # a timeout presses again after 10 s
