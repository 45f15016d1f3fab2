"""The checks that `make docs` makes of the documentation site find the mistakes that they look
for.
"""

import re
from pathlib import Path

import pytest
from docutils import nodes
from sphinx import addnodes

from docs.extensions.checks import fetched_addresses, public_names
from docs.extensions.contents import list_of_pages
from docs.extensions.fast_build import only_titles
from tests.harness.data import ROOT


@pytest.mark.parametrize(
    "text",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        '<link href="//fonts.example/a.css" rel="stylesheet">',
        '<link rel="preconnect" href="https://fonts.example">',
        "<img alt='a' src='http://example/a.png'>",
        "@font-face { src: url(https://fonts.example/a.woff2) }",
        '@import "https://example/a.css";',
    ],
)
def test_what_a_page_fetches_from_elsewhere_is_seen(text: str) -> None:
    assert fetched_addresses(text)


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://hypothesis.readthedocs.io">hypothesis</a>',
        '<script src="_static/x.js"></script><img src="data:image/png;base64,AA=="/>',
        '<link rel="stylesheet" href="_static/a.css"> url(fonts/a.woff2)',
        '<link rel="canonical" href="https://example/">',
    ],
)
def test_links_to_follow_and_own_files_are_no_requests(text: str) -> None:
    assert fetched_addresses(text) == []


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    pages = "".join(page.read_text() for page in (ROOT / "docs/reference/api").glob("*.md"))
    missing = [
        f"{module}.{name}"
        for module, names in public_names().items()
        for name in names
        if not re.search(rf":: {re.escape(module)}\.{name}$", pages, re.MULTILINE)
    ]
    assert not missing


def test_public_names_are_found_in_the_stubs() -> None:
    names = public_names()
    assert {"run", "Party"} <= set(names["simnet"])
    assert {"DPDS"} <= set(names["protocols"])
    assert {"assert_learns"} <= set(names["simnet.testing"])


def test_the_tree_of_pages_has_titles_and_lists_of_pages_alone() -> None:
    def item(title: str, *below: nodes.Node) -> nodes.list_item:
        text = addnodes.compact_paragraph("", title)
        return nodes.list_item("", text, *([nodes.bullet_list("", *below)] if below else []))

    pages = addnodes.toctree("", entries=[(None, "a")])
    contents = nodes.bullet_list("", item("title", item("part", item("detail")), pages))
    short = only_titles(contents)
    assert short.astext().split() == ["title"]
    assert [found["entries"] for found in short.findall(addnodes.toctree)] == [[(None, "a")]]
    assert contents.astext().split() == ["title", "part", "detail"]


def test_the_sidebar_has_pages_in_the_order_in_which_the_index_links_to_them(
    tmp_path: Path,
) -> None:
    for name in ("a", "b", "c", "index"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    tree = list_of_pages(tmp_path, "1. [C](c.md)\n2. [A](a.md#part), [elsewhere](../x/b.md)\n")
    assert tree.split("```")[1].split() == ["{toctree}", ":hidden:", "c", "a", "b"]
    assert list_of_pages(tmp_path, "No link.").split("```")[1].split()[-3:] == ["a", "b", "c"]


@pytest.mark.parametrize("section", ["concepts", "howto"])
def test_an_index_links_to_every_page_of_its_section(section: str) -> None:
    folder = ROOT / "docs" / section
    text = (folder / "index.md").read_text()
    missing = [page.name for page in folder.glob("*.md") if f"]({page.name})" not in text]
    assert missing == ["index.md"]
