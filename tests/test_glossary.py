"""The glossary explains what the workbench prints, and its entries fit together."""

import re

import pytest

from simnet.errors import BadInput
from simnet.glossary import entries_of, explained, glossary
from simnet.stated.bill import CODES
from tests.harness.shell import refusal, simnet

HEADINGS = ("traffic", "per", "paper", "exact", "expected", "measured", "bytes", "what", "role")
VERDICTS = ("nothing", "output-only", "leaks", "undecided", "no-shares", "nothing-from-shares")
LETTERS = ("φ", "χ", "α", "β", "γ", "ε", "δ", "p", "k", "R1", "R2", "R3", "R4", "TSS′", "TSS'")


def test_every_heading_and_code_is_explained() -> None:
    for word in (*CODES, *HEADINGS, *VERDICTS, *LETTERS):
        assert explained(word), word


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
    assert explained("verdicts") == explained("verdict")
    assert explained("octets") == explained("od")
    assert explained("disclosed: independent") == explained("independent")


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
