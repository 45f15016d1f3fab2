"""The page of quoted numbers agrees with the present experiments, and its verdicts follow from its
columns.
"""

from collections import Counter
from pathlib import Path

import pytest

from simnet.studies.find import find_experiment, names
from simnet.studies.page import COLUMNS, DISPUTED, HEADER, Section, page_of, preface, sections_of
from simnet.studies.quote import reads_as_sentences
from simnet.studies.verdict_table import headline

PAGE = Path(__file__).parents[1] / "QUOTES.md"
QUOTED = [name for name in names() if find_experiment(name)[1].quotes]


def test_no_two_quotes_of_all_papers_are_alike() -> None:
    quotes = [quote for name in QUOTED for quote in find_experiment(name)[1].quotes]
    rows = Counter((one.source, one.what, one.under) for one in quotes)
    assert [row for row, times in rows.items() if times > 1] == []


def test_the_head_of_the_page_follows_from_its_rows_and_the_present_rules() -> None:
    assert page_of(sections_of(PAGE)) == PAGE.read_text(encoding="utf-8")


def test_the_page_has_every_experiment_with_quotes() -> None:
    assert sorted(section.name for section in sections_of(PAGE)) == sorted(QUOTED)


def test_the_choices_of_every_experiment_are_sentences() -> None:
    choices = [choice for name in names() for choice in find_experiment(name)[1].choices]
    assert [choice for choice in choices if not reads_as_sentences(choice)] == []


@pytest.mark.parametrize("section", sections_of(PAGE), ids=lambda section: section.name)
def test_a_section_has_a_row_for_each_quote_and_headlines_that_follow(section: Section) -> None:
    experiment = find_experiment(section.name)[1]
    quotes = experiment.quotes
    assert section.heading == f"{experiment.source}: {experiment.summary}"
    assert section.lines[2 : section.lines.index(HEADER) - 1] == preface(experiment)
    cells = [dict(zip(COLUMNS, row, strict=True)) for row in section.rows]
    assert [row["in the paper"] for row in cells] == [quote.source for quote in quotes]
    for row, quote in zip(cells, quotes, strict=True):
        read_as = f"; read as: {quote.under}" if quote.under else ""
        statement, _, judged_at = row["statement"].partition("; judged at: ")
        assert statement == f"{quote.what}{read_as}".replace("|", r"\|")
        assert judged_at.endswith(quote.points.replace("|", r"\|"))
        verdict, _, disputed = row["verdict"].partition(DISPUTED)
        assert disputed == quote.disputed.replace("|", r"\|")
        assert reads_as_sentences(verdict.partition("**: ")[2])
        if row["law"] == "disagrees":
            assert f"**: {quote.why}".replace("|", r"\|") in row["verdict"]
        status = row["data"].partition(":")[0]
        words = headline(row["law"], row["runs"], status)
        assert row["verdict"].startswith(f"**{words}**")
