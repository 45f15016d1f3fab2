"""Pages and parts of pages that are made from the code while the site is built.

Theory of operation
-------------------

Two kinds of text are not written by hand:

- Whole pages: `project/NAME.md` has the text of a file of the repository's top level, such as
  CHANGELOG.md, and `notebooks/NAME.md` shows a notebook. They are written before Sphinx looks for
  pages. git ignores them.
- Parts of a page: a page has a line such as `<!-- made: commands -->`, and what is made replaces
  this line while Sphinx reads the page. The page `index.md` of a folder also gets the list of the
  folder's pages, unless it has a list of its own.

A link in a page may point to a file of the top level (`../../SECURITY.md`), so that it works where
the sources are read. On the site it goes to the page that was made of that file.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx

from extensions.contents import list_of_pages
from extensions.made_text import commands, glossary, schemas
from extensions.notebook_pages import notebook_page

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent
EXECUTED = ROOT / "build" / "notebooks"

# Files of the top level that become pages of the section "project".
TOP_LEVEL = ("CHANGELOG", "CONTRIBUTING", "SECURITY", "DECISIONS")
PAGES = {f"{name}.md": f"docs/project/{name.lower()}.md" for name in TOP_LEVEL} | {
    "README.md": "docs/index.md"
}
PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "glossary": glossary,
    "schemas": schemas,
}

_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(?=[)#])")
_PART = re.compile(r"^<!-- made: (\w+) -->$", re.MULTILINE)


def write_pages(app: Sphinx, config: object) -> None:
    """Write the pages that are made whole."""
    for name in TOP_LEVEL:
        source = ROOT / f"{name}.md"
        if source.exists():
            page = PAGES[source.name]
            _write(ROOT / page, _with_links(source.read_text(), source.name, page))
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        executed = EXECUTED / notebook.name
        shown = executed if executed.exists() else notebook
        text = notebook_page(shown, executed=executed.exists())
        page = f"docs/notebooks/{notebook.stem}.md"
        _write(ROOT / page, _with_links(text, f"notebooks/{notebook.name}", page))


def _write(page: Path, text: str) -> None:
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def fill(app: Sphinx, name: str, source: list[str]) -> None:
    """Replace the lines that ask for a part, and mend links to files of the top level."""
    page = f"docs/{name}.md"
    text = _with_links(source[0], page, page)
    text = _PART.sub(lambda found: PARTS[found[1]](), text)
    if name.endswith("/index") and "{toctree}" not in text:
        text += list_of_pages(DOCS / posixpath.dirname(name), text)
    source[0] = text


def _with_links(text: str, source: str, page: str) -> str:
    """The text of `source` with its links rewritten for `page`; both are paths from the root."""

    def rewritten(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[1]))
        if target == source:
            target = page
        if target.startswith("notebooks/") and target.endswith(".ipynb"):
            target = f"docs/{target.removesuffix('.ipynb')}.md"
        return posixpath.relpath(PAGES.get(target, target), posixpath.dirname(page))

    return _LINK.sub(rewritten, text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks."""
    app.connect("config-inited", write_pages)
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
