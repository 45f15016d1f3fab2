"""The pages of proofs name tests that exist, and code names pages that exist.

The program names a page by its title, because a wheel has no folder `docs`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.data import ROOT
from tests.harness.many_cases import for_each

PROOFS = ROOT / "docs/proofs"
PAGES = sorted(PROOFS.glob("*.md"))
NAMED_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROOMS = ("simnet", "protocols", "scenarios")
NAMED_TITLE = re.compile(r'(?:the page|[Ss]ee) "([^"]+)" in the documentation')
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
    files = [file for room in (*ROOMS, "tests") for file in (ROOT / room).rglob("*.py")]
    named = {page for file in files for page in NAMED_PAGE.findall(file.read_text())}
    assert {"sampling-bounds.md", "shift-of-coins.md", "breaking-sets.md"} <= named
    assert named <= {page.name for page in PAGES}


def texts_of(file: Path) -> Iterator[str]:
    """The strings in a module, except the docstring of the module and the paths of files.

    What f-strings insert is left out.
    """
    tree = ast.parse(file.read_text())
    left_out = (
        {id(tree.body[0].value)} if tree.body and isinstance(tree.body[0], ast.Expr) else set()
    )
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("Path"), args=arguments):
                left_out |= {id(argument) for argument in arguments}
            case ast.Constant(str(text)) if id(node) not in left_out:
                yield text


@pytest.mark.slow
def test_messages_and_docstrings_name_pages_by_titles_that_exist() -> None:
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    texts = [text for file in files for text in texts_of(file)]
    texts += [file.read_text() for room in ROOMS for file in (ROOT / room).rglob("glossary.md")]
    assert [text for text in texts if "docs/" in text] == []
    named = {title for text in texts for title in NAMED_TITLE.findall(" ".join(text.split()))}
    pages = (ROOT / "docs").rglob("*.md")
    titles = {page.read_text().partition("\n")[0].removeprefix("# ") for page in pages}
    assert {"Breaking sets", "Drop-outs", "Subsets"} <= named
    assert named <= titles
