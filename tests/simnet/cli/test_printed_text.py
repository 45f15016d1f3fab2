"""Printed text quotes text from elsewhere unchanged, but without characters that would control the
terminal.
"""

import re
import xml.etree.ElementTree as ET  # of our own pictures
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.cli.output import console
from simnet.printable import printable
from simnet.scenario.figure import blank_figure, write_figure
from tests.harness.data import ROOT
from tests.harness.shell import Result, refusal, simnet
from tests.harness.sweeping import TINY

# an escape, a control sequence of one byte, a bell, a backspace, a change of direction, markup
HOSTILE = "\x1b]0;title\x07\x9b2J\x08\u202e[/x][bold red]:smile:"
SHOWN = "[/x][bold red]:smile:"
OWN = "from simnet import BadInput\nraise {error}({text!r})\n"


def of_column(folder: Path, name: str, *values: str) -> Path:
    path = folder / "people.csv"
    path.write_text("\n".join(f'"{text}"' for text in (name, *values)) + "\n", encoding="utf-8")
    return path


def own_file(folder: Path, error: str) -> Path:
    path = folder / "own.py"
    path.write_text(OWN.format(error=error, text=HOSTILE), encoding="utf-8")
    return path


def sweep(*more: object) -> Result:
    return simnet(*more, TINY, "--trials", 1, "--set", "shift=1", "--workers", 1)


QUOTING: dict[str, Callable[[Path], Result]] = {
    "scenario": lambda _: simnet("run", HOSTILE),
    "setting": lambda _: simnet("run", "dpds", "--set", f"{HOSTILE}=1"),
    "value": lambda _: simnet("run", "dpds", "--set", f"participation={HOSTILE}"),
    "option": lambda _: simnet("run", "dpds", f"--{HOSTILE}"),
    "command": lambda _: simnet(HOSTILE),
    "coalition": lambda _: simnet("verify", "dpds", "--users", 3, "--corrupt", HOSTILE),
    "missing file": lambda at: simnet(
        "run", "dpds", "--input", at / f"{HOSTILE}.csv", "--column", "x"
    ),
    "unwritable": lambda at: simnet("list", "--json", at / HOSTILE / "x.json"),
    "header": lambda at: simnet(
        "run", "dpds", "--input", of_column(at, HOSTILE, "a"), "--column", "city"
    ),
    "label": lambda at: simnet(
        "run", "local_frequency", "--input", of_column(at, "city", HOSTILE, "b"), "--column", "city"
    ),
    "domain": lambda at: simnet(
        "run",
        *("dpds", "--input", of_column(at, "city", "c"), "--column", "city"),
        *("--domain", f"a,{HOSTILE}"),
    ),
    "file that fails": lambda at: simnet("run", own_file(at, "OSError")),
    "file that refuses": lambda at: simnet("--debug", "run", own_file(at, "BadInput")),
    "store": lambda at: sweep("sweep", "--store", at / f"{HOSTILE}.sqlite"),
    "results": lambda at: simnet("results", "--store", at / f"{HOSTILE}.sqlite"),
    "out": lambda at: sweep(
        "reproduce", "--out", at / HOSTILE, "--store", at / "results.sqlite", "--quick"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", QUOTING)
def test_whatever_is_quoted_is_shown_as_it_is_but_for_control_characters(
    tmp_path: Path, place: str
) -> None:
    result = QUOTING[place](tmp_path)
    shown = result.out + result.err
    assert [letter for letter in shown if letter != "\n" and not letter.isprintable()] == []
    assert "MarkupError" not in shown
    assert SHOWN in re.sub(r"\s+", "", shown).replace("[boldred]", "[bold red]") or place == "label"


def test_a_plug_in_that_fails_says_so_in_the_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_file(tmp_path, "OSError")
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("plugged", "own:COMMAND", "simnet.commands")
    monkeypatch.setattr("simnet.cli.main.entries", lambda _: [entry])
    shown = simnet("--help").out
    assert "plugged" in shown
    assert [letter for letter in shown if letter != "\n" and not letter.isprintable()] == []


@pytest.mark.parametrize("leave", ["return", "raise SystemExit"])
@pytest.mark.parametrize("status", [0, 1, 255, 256, 512, -256, 2**64])
def test_a_plug_in_succeeds_only_with_the_status_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, leave: str
) -> None:
    name = f"leaving_{leave[0]}_{abs(status)}_{status < 0}"
    code = f"def command() -> int:\n    {leave}({status})\n"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("plugged", f"{name}:command", "simnet.commands")
    monkeypatch.setattr("simnet.cli.main.entries", lambda _: [entry])
    left = simnet("plugged")
    if 0 <= status <= 255:
        assert (left.status, left.err) == (status, "")
    else:
        assert f"the command plugged ended with the status {status}" in refusal(left)


def test_nothing_prints_to_people_past_the_places_that_clean() -> None:
    """The checker of certificates stands alone, so that others can carry it off, and cleans too."""
    places = {"simnet/cli/output.py", "simnet/cli/tell.py", "simnet/adversary/check.py"}
    ways = re.compile(r"\bConsole\(|std(out|err)\.write\(|^\s*print\(", re.MULTILINE)
    found = [
        str(path.relative_to(ROOT))
        for room in ("simnet", "protocols", "scenarios")
        for path in sorted((ROOT / room).rglob("*.py"))
        if ways.search(path.read_text(encoding="utf-8"))
    ]
    # the frame of the command line writes tracebacks, line by line, and its beginning one word
    assert {*found} - places == {"simnet/cli/main.py", "simnet/cli/start.py"}


@pytest.mark.slow
@given(st.text())
def test_any_text_is_printed_without_control_characters(text: str) -> None:
    screen = console(None)
    with screen.capture() as caught:
        screen.print(text)
    assert all(letter == "\n" or letter.isprintable() for letter in caught.get())
    assert printable(text).isprintable()
    assert printable(printable(text)) == printable(text)


@pytest.mark.filterwarnings("ignore:Glyph")  # of letters that the font lacks
@given(st.text(min_size=1, max_size=20))
def test_a_picture_with_any_label_is_well_formed(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    figure = blank_figure()(figsize=(1, 1))
    figure.text(0, 0, text, parse_math=False)
    path = tmp_path_factory.mktemp("picture") / "x.svg"
    write_figure(figure, path)
    ET.parse(path)
