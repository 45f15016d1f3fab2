"""The checks that `make docs` makes of the documentation site find the mistakes that they look
for.
"""

import re
import runpy
import sys
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes
from sphinx.cmd.build import main as sphinx_build

from docs.extensions.checks import fetched_addresses, public_names
from docs.extensions.contents import list_of_pages
from docs.extensions.fast_build import only_titles
from docs.extensions.markdown_docstrings import short_signature
from docs.extensions.unbroken_code import mark_short
from simnet import Schedule, Shuffled
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


def test_a_protocol_of_typing_has_no_signature_and_a_class_that_fulfils_it_has_one() -> None:
    def shown(obj: type, arguments: str) -> str | None:
        return short_signature(None, "class", obj.__name__, obj, None, arguments, "")[0]

    assert shown(Schedule, "(*args, **kwargs)") == ""
    assert shown(Shuffled, "(seed)") == "(seed)"


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


def test_code_is_marked_as_short_unless_a_word_is_long() -> None:
    document = new_document("page")
    document += nodes.literal("", "simnet run dpds --users 20 --make-up-missing")
    document += nodes.literal("", "simnet/adversary/coalitions/every_coalition.py")
    mark_short(None, document)
    assert [code["classes"] for code in document.findall(nodes.literal)] == [["short"], []]


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


def build(folder: Path, page: str, docstring: str = "Do nothing.") -> tuple[int, list[str]]:
    """The status and the warnings of a strict build of a page, on which one docstring is shown.

    The settings are those of the site, without the extensions that need all of its pages.
    """
    pages, module = folder / "pages", folder / f"{folder.name}.py"
    pages.mkdir()
    (pages / "index.md").write_text(
        f"# Title\n\n{page}\n\n```{{eval-rst}}\n.. autofunction:: {module.stem}.documented\n```\n"
    )
    module.write_text(
        "from fractions import Fraction\n\n\n"
        f'def documented(ratio: Fraction) -> None:\n    """{docstring}"""\n'
    )
    extensions = runpy.run_path(str(ROOT / "docs/conf.py"))["extensions"]
    of_whole_site = {"extensions.made_pages", "extensions.checks"}
    settings = {
        "extensions": ",".join(name for name in extensions if name not in of_whole_site),
        "html_theme": "basic",
    }
    log = folder / "warnings.txt"
    status = sphinx_build(
        ["-b", "html", "-q", "-W", "--keep-going", "-w", str(log), "-c", str(ROOT / "docs")]
        + [f"-D{name}={value}" for name, value in settings.items()]
        + [str(pages), str(folder / "site")]
    )
    return status, log.read_text().splitlines()


@pytest.fixture
def module_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules a page can document; `sys.path` is as before after the test."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ('<a href="nowhere.html">page</a>', "nowhere.html"),
        ("<div><img alt='a > b' src=nowhere.png></div>", "nowhere.png"),
        ('<a href="index.html#nowhere">part of this page</a>', "index.html#nowhere"),
        ("{py:func}`no.such.name`", "no.such.name"),
        ("{py:fnc}`documented`", "py:fnc"),
        (":py:func:`documented`", ":py:func:"),
    ],
)
def test_a_page_with_a_link_or_role_that_leads_nowhere_fails(
    fault: str, said: str, module_path: Path
) -> None:
    status, warnings = build(module_path, fault)
    assert status != 0
    (warning,) = warnings
    assert said in warning


@pytest.mark.parametrize(
    ("role", "said"), [("{py:func}", "no.such.name"), ("{py:fnc}", "py:fnc"), (":func:", ":func:")]
)
def test_a_docstring_with_a_wrong_role_fails(role: str, said: str, module_path: Path) -> None:
    status, warnings = build(module_path, "", docstring=f"Do as {role}`no.such.name` does.")
    assert status != 0
    (warning,) = warnings
    assert said in warning


def test_links_that_lead_somewhere_and_types_without_a_page_pass(module_path: Path) -> None:
    page = f"""<a id="part" href="#top">up</a> <a href='index.html#part'>part</a>
<a href="genindex.html">index</a> <a href="https://example.org/nowhere">elsewhere</a>
`<a href="nowhere.html">` {{py:func}}`{module_path.name}.documented`
"""
    assert build(module_path, page) == (0, [])
