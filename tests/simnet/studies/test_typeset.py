"""Hostile text in every kind of text that other programs read: independent readers give it back as
it was, without anything that they would run or obey.
"""

import csv
import html.parser
import io
import re
import tomllib
from xml.etree import ElementTree

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from simnet.cli.tell import tell
from simnet.markup import escaped, table
from simnet.network.network import Network
from simnet.network.presets import PRESETS
from simnet.network.timing import in_units
from simnet.network.toml_file import as_toml
from simnet.printable import printable
from simnet.stated.bill import count_in_words
from simnet.studies.typeset import csv_table, latex_table, markdown, markdown_table

PIECES = (
    *(
        "<img src=x onerror=alert(1)>",
        "</td>",
        "<!--",
        "&lt;",
        "&#60;",
        "![a](http://b)",
        "](",
        "`",
    ),
    *(
        "**",
        "_",
        "__",
        "~~",
        "|",
        "\\",
        "\\|",
        "$",
        "\x00",
        "\x1b[2J",
        "\u202e",
        "\u200e",
        "\n",
        "\r",
    ),
    *("=cmd|' /C calc'!A0", "+1", "-", "@SUM(1)", "\t=1", "'", '"', ";", "{", "}", "%", "#", "^"),
    *("a", "é", "ε", "1", " "),
)
hostile = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def obeyed(text: str) -> bool:
    """Whether a terminal or a reader would obey some character of the text."""
    return not text.replace("\n", "").isprintable()


class Cells(html.parser.HTMLParser):
    """The texts of the cells of a table, and the names of all tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, _: object) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and data.strip("\n"):
            self.cells[-1] += data


OF_TABLES = {"table", "thead", "tbody", "tr", "th", "td"}


@given(hostile, hostile)
@example("\\|", "a_b_")
def test_markdown_shows_text_as_it_is(head: str, cell: str) -> None:
    written = markdown_table(["n", head], [["1", cell]])
    read = Cells(MarkdownIt().enable("table").enable("strikethrough").render(written))
    shown = [printable(text).strip() for text in (head, cell)]
    assert (read.cells, read.tags) == (["n", shown[0], "1", shown[1]], OF_TABLES)
    assert Cells(MarkdownIt().render(f"x {markdown(cell)} x")).tags == {"p"}
    assert not obeyed(written)


@given(hostile, hostile, st.floats() | st.integers() | st.none())
def test_csv_keeps_text_and_numbers_and_has_no_formula(head: str, cell: str, value: object) -> None:
    written = csv_table([head, "n"], [{head: cell, "n": value}, {"n": "-1.5"}])
    rows = list(csv.reader(io.StringIO(written, newline=""), strict=True))
    for text, read in ((head, rows[0][0]), (cell, rows[1][0])):
        shown = printable(text)
        assert read in (shown, f"'{shown}")
        assert not re.match(r"\s*[=+@-]", read) or re.fullmatch(r"[+-]\d+", read.strip())
    assert rows[1][1] == ("" if value is None else str(value))
    assert rows[2] == ["", "-1.5"]
    assert not obeyed(written)


@given(hostile)
def test_latex_has_no_command_of_the_text(cell: str) -> None:
    written = latex_table(["n"], [[cell]]).splitlines()
    assert len(written) == 7
    assert not obeyed("".join(written))
    known = r"\\text[a-z]+\{\}|\\[&%$#_{}]|\$\\?\^?[A-Za-z0-9]+\$"
    assert not re.search(r"[\\&%$#_{}~^]", re.sub(known, "", written[4].removesuffix(r" \\")))


@given(hostile)
def test_html_and_svg_show_text_as_it_is(text: str) -> None:
    assert Cells(table(["n"], [[text]])).cells == ["n", printable(text)]
    assert ElementTree.fromstring(f"<text>{escaped(text)}</text>").text in (printable(text), None)


@given(hostile.filter(str.strip), hostile)
def test_toml_is_read_back(name: str, source: str) -> None:
    network: Network = attrs.evolve(PRESETS["mobile"], name=name, source=source)
    written = as_toml(network)
    read = tomllib.loads(written)
    assert (read["name"], read["source"]) == (name, source)
    assert not obeyed(written)


@given(st.floats(0, allow_infinity=False))
@example(1e308)
def test_no_number_takes_hundreds_of_digits(value: float) -> None:
    assert len(in_units(value)) < 30
    assert len(count_in_words(value)) < 30


def test_an_error_shows_the_beginning_of_a_long_word(capsys: pytest.CaptureFixture[str]) -> None:
    tell(f"n takes a number below 10, got {'9' * 5000}: {'a' * 255}")
    said = f"simnet: n takes a number below 10, got {'9' * 60}… (5,001 characters) {'a' * 255}\n"
    assert capsys.readouterr().err == said
