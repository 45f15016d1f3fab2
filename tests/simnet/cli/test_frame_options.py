"""The limits that every command accepts, and interrupts before a command has started."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simnet.cli.frame_options import FrameOptions
from tests.harness.data import ROOT
from tests.harness.shell import refusal, simnet

LOOP = """
from simnet import Seat

class Spin:
    def parties(self):
        return {"a": Seat(self.a)}

    async def a(self, me):
        while True:
            pass
"""


def test_an_unknown_option_is_refused_with_the_options_that_every_command_takes() -> None:
    told = refusal(simnet("--tmeout", 3))
    assert "no option is called '--tmeout' (did you mean --timeout?): the options are" in told
    assert told.rstrip().endswith(
        "--debug, --timeout, --max-messages, --max-elements, --max-memory"
    )


@pytest.mark.slow
def test_a_command_that_takes_too_long_is_stopped_and_says_who_was_running(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    simnet("run", "dpds", "--set", "users=3")  # loads what a run needs
    done = simnet("run", tmp_path / "loop.py", "--timeout", "1")
    assert done.status == 124
    assert done.err.startswith("simnet: stopped after 1 s: a was running in round 1 (")
    assert done.err.endswith("loop.py:9)\n") or done.err.endswith("loop.py:10)\n")


@pytest.mark.slow
def test_a_command_in_the_background_is_stopped_too(tmp_path: Path) -> None:
    """A shell lets the commands that it starts in the background ignore Ctrl-C."""
    (tmp_path / "loop.py").write_text(LOOP)
    simnet("run", "dpds", "--set", "users=3")  # loads what a run needs
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = simnet("run", tmp_path / "loop.py", "--timeout", "1")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.status == 124
    assert done.err.startswith("simnet: stopped after 1 s: a was running in round 1 (")


@pytest.mark.slow
def test_a_run_that_sends_too_much_is_stopped() -> None:
    said = refusal(simnet("run", "--max-messages=100", "dpds", "--set", "users=30"))
    assert "the run sends more messages than the limit of 100" in said
    assert simnet("run", "dpds", "--set", "users=5", "--max-messages", "1000").status == 0


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon", ""])
def test_a_bound_is_a_number_above_zero(value: str) -> None:
    said = refusal(simnet("list", f"--timeout={value}"))
    assert said == f"--timeout takes a finite number above 0, got {value!r}"
    assert refusal(simnet("list", "--max-messages")) == "--max-messages needs a value"


@pytest.mark.parametrize("option", ["--max-messages", "--max-elements"])
@pytest.mark.parametrize("value", ["0.5", "2.7"])
def test_a_number_of_messages_or_elements_is_whole(option: str, value: str) -> None:
    said = refusal(simnet("list", option, value))
    assert said == f"{option} takes a whole number from 1, got {value!r}"


def test_a_bound_may_be_larger_than_any_run_needs() -> None:
    assert simnet("list", "--timeout", "1e30", "--max-messages", "1e30").status == 0


EARLY = """
import signal, sys

sys.unraisablehook = lambda _: None

class Deaf:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)  # Python drops the error

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "simnet.cli.main":
            PRESS

sys.meta_path.insert(0, Press())
from simnet.cli.start import main
sys.argv = ["simnet", "list"]
main()
"""


@pytest.mark.parametrize("press", ["signal.raise_signal(signal.SIGINT)", "Deaf()"])
def test_an_interrupt_while_the_command_line_is_loaded_is_one_line(press: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY.replace("PRESS", press)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "simnet: interrupted\n")


def test_of_an_option_that_is_given_twice_the_last_value_counts() -> None:
    options = FrameOptions()
    options.read(["list", "--timeout", "5", "--debug", "--timeout=6", "--", "--timeout", "--debug"])
    assert (options.timeout, options.debug) == (6, True)
    assert options.tokens == ["list", "--", "--timeout", "--debug"]
