"""What a long run prints before it starts, with a terminal and without one."""

import contextlib
import io

import pytest

from simnet.cli.long_work import LARGE, long_work
from simnet.cli.progress import progress_bar
from simnet.errors import BadInput
from simnet.stated.about import Workload
from tests.harness.shell import refusal, simnet


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work(elements: int) -> Workload:
    return Workload(messages=elements // 10, elements=elements, element_bits=12)


def test_a_large_run_without_a_terminal_needs_yes() -> None:
    said = refusal(simnet("run", "dpds", "--set", "users=10000", "--no-claims"))
    assert said.startswith("dpds: 100,000,000 messages with 3,000,000,000 field elements, about ")
    assert "--yes" in said
    assert "--users" in said


@pytest.mark.parametrize(("answer", "runs"), [("y\n", True), ("no\n", False), ("", False)])
def test_a_large_run_is_asked_for_on_a_terminal(
    answer: str, runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen, entered = Terminal(), []
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", screen)
    ends = contextlib.nullcontext() if runs else pytest.raises(BadInput, match="was not started")
    with ends, long_work("dpds", work(LARGE), yes=False):
        entered.append(1)
    assert bool(entered) == runs
    assert "Go on? [y/N]" in screen.getvalue()


def test_a_long_run_says_when_it_begins_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with long_work("dpds", work(2 * LARGE), yes=True):
        begins = capsys.readouterr().err
    assert begins.startswith("simnet: dpds: 200,000,000 messages with 2,000,000,000 field elements")
    assert capsys.readouterr().err == "simnet: dpds: done after 1 s\n"


def test_a_bar_without_a_terminal_says_how_long_the_rest_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.5, 2.0, 4.0])
    monkeypatch.setattr("simnet.cli.progress.time.monotonic", lambda: next(clock, 9.0))
    with progress_bar("runs", 20, announces=True) as advance:
        for _ in range(3):
            advance(1)
    assert capsys.readouterr().err == "simnet: runs: 2 of 20 done, about 18 s more\n"


def test_a_long_verdict_by_symmetry_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("verify", "dpds", "--users", 6, "--items", 2, "--corrupt", "u1", "--by", "symmetry")
    assert simnet(*asked).err == ""
    monkeypatch.setattr("simnet.cli.long_work.SECONDS_A_JUDGED_ELEMENT", 1.0)
    said = simnet(*asked).err.splitlines()
    assert said[0] == "simnet: verify: this takes about 72 s"
    assert said[1].startswith("simnet: verify: done after ")


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("check dpds --users 100000", marks=pytest.mark.slow),
        "coalitions dpds --users 20000",
        "coalitions dpds --users 5000 --drop 0.1",
    ],
)
def test_a_run_that_is_refused_is_not_announced(asked: str) -> None:
    assert "takes about" not in refusal(simnet(*asked.split()))


@pytest.mark.parametrize("small", [None, work(1000), Workload(messages=1, elements=10 * LARGE)])
def test_a_short_run_says_nothing(
    small: Workload | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with long_work("dpds", small, yes=False):
        pass
    assert capsys.readouterr().err == ""
