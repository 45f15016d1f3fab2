"""Commands write parts of pages: only the text between the two comments changes."""

from pathlib import Path

import pytest

from simnet.cli.page import write_part
from simnet.errors import BadInput
from tests.harness.data import ROOT


def test_a_part_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n<!-- speed -->\nold\nold\n<!-- /speed -->\nThe end.\n")
    for lines in (["one", "two"], [], ["three"]):
        write_part(page, "speed", lines)
        inside = "".join(f"{line}\n" for line in lines)
        assert page.read_text() == (f"# Title\n<!-- speed -->\n{inside}<!-- /speed -->\nThe end.\n")


@pytest.mark.parametrize("text", ["", "<!-- speed -->\n", "<!-- /speed -->\n<!-- speed -->\n"])
def test_a_page_without_the_part_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(
        BadInput, match="has no part to write to: add the lines <!-- speed --> and <!-- /speed -->"
    ):
        write_part(page, "speed", ["new"])
    assert page.read_text() == text
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        write_part(tmp_path / "none.md", "speed", [])
    page.write_bytes(b"\xff<!-- speed -->\n<!-- /speed -->\n")
    with pytest.raises(BadInput, match="cannot be read: it is not a text in UTF-8"):
        write_part(page, "speed", [])


@pytest.mark.parametrize(
    ("page", "part"),
    [("docs/reference/speed.md", "speed"), ("tests/harness/corpus/MUTANTS.md", "corpus")],
)
def test_the_pages_have_the_parts_that_make_writes(page: str, part: str) -> None:
    text = (ROOT / page).read_text()
    assert text.count(f"<!-- {part} -->\n") == text.count(f"<!-- /{part} -->\n") == 1
