"""The glossary explains what the workbench prints, and its entries fit together."""

import ast
import re
from collections.abc import Iterator
from typing import Any, get_args
from unittest import mock

import pytest

from simnet.cli.grid import Grid
from simnet.errors import BadInput
from simnet.glossary import entries_of, explained, glossary
from simnet.stated.bill import CODES
from simnet.studies.paper_claim import Verdict
from tests.harness.data import ROOT
from tests.harness.marks import slow_but
from tests.harness.shell import refusal, simnet

TERMS = (
    *("US", "AS", "WA", "UWA", "VWA", "t", "n", "N", "m", "pp", "closed form", "Theorem 3.1"),
    *("DPCS*", "honest but curious", "malicious", "differential privacy", "no finite", "pure"),
    *("family", "facet", "chunk", "95 % interval", "holder of 1", "both ways", "dropped out"),
    *("population", "postprocess", "post-processing", "raw", "hash seed 1", "exposes a user"),
    *("jitter", "bandwidth", "kernel", "neighbour", "pairwise mask", "Lagrange", "semi-honest"),
)
# Headings that say what the dictionary says, so that they need no entry.
PLAIN = {
    *("name", "value", "meaning", "statement", "where its numbers come from", "who", "is"),
    *("these protocols", "are better than", "from about … users on", "users drop out"),
    "runs with a result",
}
NAMES_OF_HEADINGS = {"heads", "HEADS", "ROLE_HEADS", "OF_TRUST"}
VERDICTS = ("nothing", "output-only", "leaks", "undecided", "no-shares", "nothing-from-shares")
LETTERS = ("φ", "χ", "α", "β", "γ", "ε", "δ", "p", "k", "R1", "R2", "R3", "R4", "TSS′", "TSS'")


def test_every_heading_and_code_is_explained() -> None:
    for word in (*CODES, *VERDICTS, *LETTERS, *TERMS):
        assert explained(word), word


def test_the_legend_of_the_bill_is_explained() -> None:
    for code, words in CODES.items():
        # "field element" has an entry of its own.
        assert explained(words) == explained("field" if code == "qd" else code), words


def test_a_theorem_that_the_program_prints_is_found() -> None:
    assert "log γ" in explained("Theorem 3.3")[0].text
    with pytest.raises(BadInput, match="no glossary explains"):
        explained("theorem 99")


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_a_verdict_on_a_claim_is_explained(verdict: str) -> None:
    assert any("claim of a paper" in entry.words for entry in explained(verdict.split(", ")[-1]))


def check_headings(headings: set[str]) -> None:
    for heading in headings - PLAIN - {""}:
        assert explained(heading), heading


def headings_in(source: str) -> Iterator[str]:
    """The headings of tables that are written out in a module, without those made of parts."""
    for node in ast.walk(ast.parse(source)):
        lists: list[ast.expr] = []
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            lists = [node.value] if node.targets[0].id in NAMES_OF_HEADINGS else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            # The first argument of a page's `Table` is its title.
            lists = {"Grid": node.args, "Table": node.args[1:2]}.get(node.func.id, [])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            lists = node.args[:1] if node.func.attr == "table" else []
        for part in lists:
            yield from texts_in(part)


def texts_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    parts: list[ast.expr] = []
    if isinstance(node, ast.Tuple | ast.List):
        parts = node.elts
    elif isinstance(node, ast.Starred):
        parts = [node.value]
    elif isinstance(node, ast.BinOp):  # such as *["expected"] * expected
        parts = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    for part in parts:
        yield from texts_in(part)


@pytest.mark.slow
def test_every_heading_that_a_module_writes_out_is_explained() -> None:
    sources = [
        source
        for room in ("simnet", "protocols", "scenarios")
        for file in (ROOT / room).rglob("*.py")
        if re.search(
            "Grid\\(|Table\\(|markup.table\\(|heads = |HEADS = |OF_TRUST = ",
            source := file.read_text(encoding="utf-8"),
        )
    ]
    headings = {heading for source in sources for heading in headings_in(source)}
    assert {"exceed ε together", "traffic", "rarest item", "sending", "who must stay"} <= headings
    check_headings(headings)


def headings_of(*arguments: object) -> set[str]:
    """The headings of the tables that a command prints."""
    heads: set[str] = set()
    make = Grid.__init__

    def noting(grid: Grid, *names: str, **options: Any) -> None:
        heads.update(names)
        make(grid, *names, **options)

    with mock.patch.object(Grid, "__init__", noting):
        assert simnet(*arguments).status == 0
    return heads


QUICK_TABLES = [
    "privacy dpds --counts 33,40,200 --participation 0.39 --epsilon 0.5",
    "privacy dpdg --users 100 --epsilon 0.5 --delta 1e-6",
    "privacy thresholds --users 20",
    "mechanism grr --epsilon 1 --items 3",
    "mechanism hm --epsilon 1",
    "mechanism staircase --epsilon 1",
]
TABLES = [
    *QUICK_TABLES,
    "privacy advise --users 1000 --items 3 --epsilon 1 --delta 1e-6 --rarest 300",
    "claims biswas",
    "privacy tss --counts 10,20 --participation 0.3 --reported 1 --gamma 2",
    "run dpdg --users 20 --items 3",
    "run tss --users 20 --items 3 --reported 1",
    "compare dpds grr --users 1000 --items 3 --epsilon 1 --delta 1e-6",
]


@pytest.mark.parametrize("command", slow_but(TABLES, *QUICK_TABLES))
def test_every_heading_of_a_table_is_explained(command: str) -> None:
    headings = headings_of(*command.split())
    assert headings
    check_headings(headings)


@pytest.mark.parametrize("room", ["simnet", "protocols", "scenarios"])
def test_entries_stand_in_order_and_look_alike(room: str) -> None:
    text = (ROOT / room / "glossary.md").read_text(encoding="utf-8")
    entries = entries_of(text, room)
    assert entries == sorted(entries, key=lambda entry: (entry.term.casefold(), entry.term))
    parts = [
        f"## {entry.term}\n"
        + (f"Also: {', '.join(entry.aliases)}\n" if entry.aliases else "")
        + f"\n{entry.text}\n"
        for entry in entries
    ]
    assert text == "\n".join(parts)


def test_no_two_entries_are_for_one_word() -> None:
    words = [word for entry in glossary() for word in entry.words]
    assert sorted(words) == sorted(set(words))


def test_links_lead_to_entries() -> None:
    anchors = {re.sub(r"[^\w -]", "", entry.term.lower()).replace(" ", "-") for entry in glossary()}
    for entry in glossary():
        linked = set(re.findall(r"\]\(#([^)]+)\)", entry.text))
        assert linked <= anchors, entry.term


def test_upper_and_lower_case_matter_where_they_tell_words_apart() -> None:
    assert explained("Nd") != explained("nd")
    assert explained("PHI") == explained("φ")


def test_a_plural_and_what_a_verdict_prints_are_found() -> None:
    assert explained("Eq. 14") == explained("theorem")
    assert explained("theorem 3.5") == explained("numbered statement")
    assert explained("squared_l2") == explained("MSE")
    assert explained("verdicts") == explained("verdict")
    assert explained("octets") == explained("od")
    assert explained("disclosed: independent") == explained("independent")
    assert explained("target met") == explained("benchmark")
    assert explained("same") == explained("trace hash")


def test_a_word_that_nobody_explains_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"did you mean simulator\?"):
        explained("simulatr")
    assert "did you mean coalition?" in refusal(simnet("explain", "coalitoin"))


def test_the_command_prints_an_entry() -> None:
    done = simnet("explain", "wire", "count", "--json", "-")
    assert [entry["term"] for entry in done.json] == ["wire count"]
    assert "](" not in done.out
    assert simnet("explain").out.count("\n") > len(glossary())


def test_emphasis_over_a_line_break_becomes_plain_words() -> None:
    assert entries_of("## a\n\nSome *two\nwords* here.\n", "mine")[0].plain_text == (
        "Some two words here."
    )
