"""No table cuts a number or breaks a number over two lines, however narrow the terminal is."""

import io
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

import simnet.cli.output
from simnet.cli.grid import LONGEST_WORD, Grid, print_rows
from simnet.cli.output import Screen
from simnet.printable import ERRORS, transliterated
from tests.harness.shell import simnet as command

WIDTHS = (60, 80, 100)
AMPLE = 1000


def shown(*objects: Any, width: int, **how: Any) -> str:
    """What a console of that width prints."""
    file = io.StringIO()
    screen = Screen(file=file, width=width, markup=False, highlight=False, emoji=False)
    screen.print(*objects, **how)
    return file.getvalue()


def numbers(text: str) -> Counter[str]:
    """Words with a digit, and how often they occur."""
    return Counter(re.findall(r"\S*\d\S*", text))


class EveryWidth(Screen):
    """A console that prints everything in every width, and keeps it."""

    def __init__(self) -> None:
        super().__init__(file=io.StringIO(), width=min(WIDTHS), markup=False)
        self.kept: dict[int, list[str]] = {width: [] for width in (*WIDTHS, AMPLE)}

    def print(self, *objects: Any, **how: Any) -> None:
        for width, texts in self.kept.items():
            texts.append(shown(*objects, width=width, **how))


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "run dpds --set users=60 --set items=4",
        "run tss --set users=60 --set items=5 --no-claims",
        "run local_mean --set users=50",
        "run local_table --set users=50",
        "table1 --users 1500 --items 30 --participation 0.5",
        "privacy dpcs --counts 100,200 --participation 0.5 --delta 1e-6",
        "claims biswas",
        "mechanism grr --epsilon 1 --items 300",
        "list",
    ],
)
def test_commands_show_every_number_whole_at_every_width(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = EveryWidth()
    monkeypatch.setattr(simnet.cli.output, "console", lambda _: screen)
    words = line.split()
    assert command(*words).status in (0, 1)
    ample = [numbers(text) for text in screen.kept[AMPLE]]
    assert sum(map(Counter.total, ample)) > 5
    for width in WIDTHS:
        for text, expected in zip(screen.kept[width], ample, strict=True):
            assert all(len(line) <= width for line in text.splitlines()), text
            assert expected <= numbers(text), text  # headings may be repeated
            assert expected.keys() == numbers(text).keys(), text


CELLS = st.one_of(
    st.none(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False),
    st.sampled_from(["", "sharing=additive", "a few words here"]),
)


@given(
    st.lists(
        st.fixed_dictionaries(dict.fromkeys(["users", "squared error", "x"], CELLS)), min_size=1
    ),
    st.integers(2 * LONGEST_WORD, 200) | st.integers(45, 80),
)
@example([{"epsilon": 0.2, "protocol": "census", "mean": 6.104e-17, "messages": 16000000}], 45)
def test_rows_show_every_number_whole(rows: list[dict[str, Any]], width: int) -> None:
    file = io.StringIO()
    print_rows(rows, Screen(file=file, width=width, markup=False))
    ample = io.StringIO()
    print_rows(rows, Screen(file=ample, width=AMPLE, markup=False))
    assert numbers(file.getvalue()) == numbers(ample.getvalue())
    assert all(len(line) <= width for line in file.getvalue().splitlines())


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_letters_that_cannot_be_shown_are_written_out(encoding: str) -> None:
    """And columns stay in line."""
    file = io.TextIOWrapper(io.BytesIO(), encoding, errors=ERRORS)
    grid = Grid("ε", "δ", "next")
    grid.add_row("0.5", "δ ≤ 0.1", Text("──●│┃", no_wrap=True))
    screen = Screen(file=file, width=60, markup=False)
    screen.print(grid)
    screen.print("σ, Π and × of Löwe, 日")
    file.seek(0)
    head, row, words = file.read().rstrip().split("\n")
    assert head.split() == ["eps", "delta", "next"]
    assert row.split() == ["0.5", "delta", "<=", "0.1", "--o|#"]
    assert head.index("next") == row.index("--o|#")
    assert words.startswith("sigma, Pi and ")
    assert words.endswith("?")
    assert transliterated("ε ≤ 1", "utf-8") == "ε ≤ 1"
    assert transliterated("TSS′, ⌊k/2⌋, 5 µs, ├─┤", "ascii") == "TSS', floor(k/2), 5 us, |-|"
