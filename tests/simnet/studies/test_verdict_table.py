"""Headlines follow from law, runs and data; a page keeps the sections that it is not given."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from simnet.errors import BadInput
from simnet.studies.experiment import AS_PRINTED, Experiment, Word
from simnet.studies.page import HEADER, preface, section_of, update_page
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.report import Report
from simnet.studies.sweep import Study
from simnet.studies.table import Measure, Table
from simnet.studies.verdict_table import (
    FAITHFUL,
    HEADLINES,
    LAWS,
    ORIGINAL,
    RUNS,
    STATUSES,
    headline,
    partial,
    table_in_words,
)
from tests.harness.many_cases import for_each

ALL = list(itertools.product(LAWS, RUNS, STATUSES))


@for_each("law, runs, status", ALL)
def test_a_headline_says_no_more_than_its_columns(law: str, runs: str, status: str) -> None:
    words = headline(law, runs, status)
    faithful = status in FAITHFUL
    differ = (law, runs) in (("agrees", "contradict"), ("disagrees", "confirm"))
    assert words in HEADLINES
    if words.startswith("reproduced"):
        assert faithful
        assert runs == "confirm"
        assert law != "disagrees"
    if "with correction" in words:
        assert law == "with correction"
    if words in ("not reproduced", "fails by the law"):  # counts against the paper
        assert faithful
        assert law in ("disagrees", "none")
        assert runs != "confirm"
        assert "disagrees" in law or runs == "contradict"
    if words.startswith("computed"):
        assert (runs, faithful) == ("none", True)
    assert ("on other data" in words) <= (not faithful)
    assert (words == "law and runs differ") == (
        differ or (law, runs) == ("with correction", "contradict")
    )
    assert (words == "not run") == ((law, runs) == ("none", "none"))
    assert (words == "undecided") == ((law, runs) == ("none", "undecided"))


def test_every_headline_occurs_and_the_page_shows_them_all() -> None:
    assert {headline(*columns) for columns in ALL} == set(HEADLINES)
    assert all(words in "\n".join(table_in_words()) for words in HEADLINES)


def quoted(*counterparts: Counterpart, name: str = "own", **more: object) -> Report:
    def reading(found: Counterpart) -> Callable[[Table], Counterpart]:
        return lambda _: found

    quotes = [
        Quote("Sec. 1", f"number {k} | of a few", STATED, reading(found))
        for k, found in enumerate(counterparts)
    ]
    experiment = Experiment(
        summary="numbers",
        source=f"Somebody, Fig. {len(name)}",
        trial=lambda *_: {"x": 1.0},
        grid=[{"d": [1]}],
        measures=[Measure("x")],
        quotes=quotes,
        **more,
    )
    table = experiment.table([{"d": 1, "x": 1.0}], synthetic=False)
    return Report(Study(name, name, experiment), table, tuple(q.judge(table) for q in quotes))


def test_a_page_is_updated_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "a" / "page.md"
    update_page(path, [quoted(Counterpart(1.0)), quoted(Counterpart(0.5), name="others")], str)
    before = path.read_text()
    assert "Of 2 rows:\n\n- 1 computed\n- 1 fails by the law\n" in before
    update_page(path, [quoted(Counterpart(0.25), Counterpart(None))], lambda name: f"redo {name}")
    after = path.read_text()
    assert "Of 3 rows:\n\n- 2 fails by the law\n- 1 not run\n" in after
    assert "Made by `redo own`." in after
    kept = before[before.index("## Somebody, Fig. 6") :]
    assert after.endswith(kept)
    update_page(path, [], str)
    assert path.read_text() == after


def test_old_headlines_of_a_page_follow_the_present_table(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    update_page(path, [quoted(Counterpart(1.0))], str)
    before = path.read_text()
    path.write_text(before.replace("**computed**", "**an old word**"))
    update_page(path, [], str)
    assert path.read_text() == before


def test_disputed_rows_are_listed_above_the_sections(tmp_path: Path) -> None:
    path, report = tmp_path / "page.md", quoted(Counterpart(1.0), Counterpart(0.5))
    first, second = report.verdicts
    disputed = attrs.evolve(second, disputed="Fig. 1 is not shown.", under="as a trend")
    update_page(path, [attrs.evolve(report, verdicts=(first, disputed))], str)
    head, _, section = path.read_text().partition("## Somebody")
    listed = r"  - `own`: number 1 \| of a few; read as: as a trend"
    reason = "- Fig. 1 is not shown. The rows:"
    assert f"Disputed rows, 1 in all:\n\n{reason}\n\n{listed}\n" in head
    assert ". *Disputed*: Fig. 1 is not shown. |" in section
    update_page(path, [quoted(Counterpart(1.0))], str)
    assert "Disputed rows" not in path.read_text()


def test_another_page_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# My notes\n")
    with pytest.raises(BadInput, match="is not a page of quoted numbers"):
        update_page(path, [quoted(Counterpart(1.0))], str)
    path.write_text("# Quoted numbers\n\n## A section\n\n| old | form |\n")
    with pytest.raises(BadInput, match="has another form"):
        update_page(path, [quoted(Counterpart(1.0))], str)
    assert "old" in path.read_text()


def test_random_rows_are_counted_for_false_alarms(tmp_path: Path) -> None:
    random = Counterpart(None, 1.0, 0.9, 1.1, trials=1200)
    path = tmp_path / "page.md"
    counted = Counterpart(None, 1.0, 1.0, 1.0)
    update_page(path, [quoted(random, random, Counterpart(1.0), random, counted)], str)
    assert "Rows that compare numbers from our trials: 3." in path.read_text()
    assert "up to about 0.0 false rejections" in path.read_text()
    assert "| 1 (0.9 to 1.1) |  | 1,200 | none | confirm |" in path.read_text()


def test_words_have_thresholds_that_can_be_replaced() -> None:
    experiment = quoted(words={"slightly": Word(0.1, "a relative excess")}).study.experiment
    assert experiment.table([], synthetic=False).word("slightly") == 0.1
    other = experiment.with_words({"slightly": "0.5", "unknown": "1"})
    assert other.table([], synthetic=False).word("slightly") == 0.5
    report = attrs.evolve(quoted(Counterpart(1.0)), study=Study("own", "own", other))
    assert "- *slightly*: 0.5, a relative excess" in section_of(report, "redo").lines
    for text in ("big", "nan", "inf"):
        with pytest.raises(BadInput, match=f"'slightly' is a finite number, got '{text}'"):
            experiment.with_words({"slightly": text})


def test_numbers_without_a_reading_still_say_how_many_trials_ran() -> None:
    def divided(_: Table) -> Counterpart:
        raise ZeroDivisionError("0 / 0")

    experiment = quoted().study.experiment
    table = experiment.table([{"d": 1, "x": 1.0}] * 7, synthetic=False)
    ruling = Quote("Sec. 1", "a quotient", STATED, divided).judge(table)
    assert (ruling.verdict, ruling.trials) == ("undecided", 7)


def test_whose_data_a_number_rests_on_is_always_said() -> None:
    quote = Quote("Sec. 1", "a number", STATED, lambda _: Counterpart(1.0))
    files = {"summary": "", "source": "", "trial": lambda *_: {}, "grid": [], "measures": []}
    with pytest.raises(ValueError, match="say with data="):
        Experiment(files=["a.csv"], quotes=[quote], **files)
    with pytest.raises(ValueError, match=r"same source, text and reading: Sec\. 1: a number"):
        Experiment(quotes=[quote, quote], **files)
    made = Experiment(
        files=["a.csv"],
        data=ORIGINAL,
        quotes=[quote, attrs.evolve(quote, under="in part", data=partial("a tenth"))],
        **files,
    )
    real, synthetic = (made.table([], synthetic=one) for one in (False, True))
    on_real, made_up = ([q.judge(table).data for q in made.quotes] for table in (real, synthetic))
    assert [data.in_words for data in on_real] == ["original", "partial: a tenth"]
    assert [data.status for data in made_up] == ["made up", "made up"]


def test_the_header_is_told_from_rows() -> None:
    report = quoted(Counterpart(1.0), Counterpart(None))
    section = section_of(report, "redo")
    assert HEADER in section.lines
    assert [row[0] for row in section.rows] == [r"number 0 \| of a few", r"number 1 \| of a few"]
    assert isinstance(report.table, Table)


def test_one_reading_of_the_text_can_be_judged_alone() -> None:
    experiment = quoted(Counterpart(1.0), Counterpart(0.5)).study.experiment
    first, second = experiment.quotes
    both = attrs.evolve(experiment, quotes=[first, attrs.evolve(second, under="as a trend")])
    assert [one.what for one in both.with_reading(AS_PRINTED).quotes] == [first.what]
    assert [one.what for one in both.with_reading("trend").quotes] == [second.what]
    assert not both.with_reading("another").quotes


def test_points_of_a_union_of_products_are_one_line_for_each_product() -> None:
    def with_grid(*products: Mapping[str, Sequence[Any]]) -> list[str]:
        experiment = quoted().study.experiment
        return [line for line in preface(attrs.evolve(experiment, grid=products)) if "law" in line]

    assert with_grid({"law": ["US", "AS"], "x": [1, 2]}) == ["Points: law US, AS; x 1, 2."]
    assert with_grid({"law": ["US"], "x": [1]}, {"law": ["AS"], "x": [1, 2], "y": [3]}) == [
        "- law US; x 1",
        "- law AS; x 1, 2",
    ]
