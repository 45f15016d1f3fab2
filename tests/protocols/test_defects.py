"""Every defect is caught, no sound protocol is accused, and MUTANTS.md shows the findings."""

import re

import pytest

from tests.harness.corpus.defects import CASES, Case, table
from tests.harness.data import ROOT

SOUND = (
    "views equal",
    "learns nothing",
    "learns only the output",
    "no set of users",
    "sent",
    "the same",
    "counts 4",
    "1.6e-08",
    "ε = 1.5",
    "learns u1[1] + u2[1] + u3[1] = 3",  # the server lies, and adds three of four vectors
)


@pytest.mark.slow
def test_the_table_shown_is_what_the_instruments_find() -> None:
    assert "\n".join(table()) in (ROOT / "tests/harness/corpus/MUTANTS.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.defect)
def test_a_defect_is_told_from_its_absence(case: Case) -> None:
    found, sound = case.found(), case.sound()
    assert found != sound
    assert any(word in sound for word in SOUND)
    assert not any(
        word in found for word in ("views equal", "learns nothing", "no set of users", "the same")
    )


def test_the_rows_of_the_table_have_numbers_of_their_own() -> None:
    page = (ROOT / "tests/harness/corpus/MUTANTS.md").read_text()
    rows = [
        (int(number), defect)
        for number, defect in re.findall(r"^\| (\d+) \| (.+?) \|", page, re.MULTILINE)
    ]
    assert rows == list(enumerate((case.defect for case in CASES), start=1))
