"""The pages of proofs name tests that exist, and code names pages that exist."""

import re
from pathlib import Path

from tests.harness.data import ROOT
from tests.harness.many_cases import for_each

PROOFS = ROOT / "docs/proofs"
PAGES = sorted(PROOFS.glob("*.md"))
NAMED_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
NAMED_PAGE = re.compile(r"docs/proofs/([\w-]+\.md)")


@for_each("page", PAGES)
def test_every_proof_names_tests_that_exist(page: Path) -> None:
    named = NAMED_TEST.findall(page.read_text())
    assert named
    for file, test in named:
        assert f"\ndef {test}(" in (ROOT / file).read_text(), f"{file}::{test}"


def test_the_index_lists_every_page() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (PROOFS / "index.md").read_text()))
    assert listed == {page.name for page in PAGES} - {"index.md"}


def test_code_names_pages_that_exist() -> None:
    rooms = ("simnet", "protocols", "scenarios", "tests")
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py")]
    named = {page for file in files for page in NAMED_PAGE.findall(file.read_text())}
    assert {"sampling-bounds.md", "shift-of-coins.md", "breaking-sets.md"} <= named
    assert named <= {page.name for page in PAGES}
