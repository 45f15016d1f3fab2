"""What leads nowhere: references written in pages and docstrings, and links in the built pages.

Sphinx itself warns of links in Markdown without a target. Three kinds of mistakes pass it:

- A role of Python, such as `{py:func}`, whose name is not on the site. With the option `nitpicky`
  Sphinx would warn of it, but also of each type in a signature that has no page, such as
  `numpy.ndarray`. So we ask for the warning only where somebody wrote a role.
- A role in the style of reStructuredText, such as `:py:func:`, which Markdown shows as it is.
- A link in a piece of raw HTML, which Sphinx does not read. So we read the built pages.
"""

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

_TAG = re.compile(r"""<[a-z](?:"[^"]*"|'[^']*'|[^<>"'])*>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""\s(id|name|href|src|data|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)
_FOREIGN_ROLE = re.compile(r":[a-z]+(:[a-z]+)*:$")


def ask_for_warnings(app: Sphinx, document: nodes.document) -> None:
    """Let Sphinx warn if the target of a written role is missing; warn of roles left as text.

    A type in a signature is a reference too, but its text is not marked as code with the class
    `xref`.
    """
    for reference in document.findall(addnodes.pending_xref):
        if any("xref" in part.get("classes", ()) for part in reference.findall(nodes.Element)):
            reference["refwarn"] = True
    for code in document.findall(nodes.literal):
        before = code.previous_sibling()
        if isinstance(before, nodes.Text) and (role := _FOREIGN_ROLE.search(before)):
            logger.warning(
                "%s is no role in Markdown: write {%s}`%s`",
                role[0],
                role[0].strip(":"),
                code.astext(),
                location=code,
            )


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each attribute that can be a link or the place of one."""
    for tag in _TAG.finditer(text):
        for name, *values in _ATTRIBUTE.findall(tag[0]):
            yield name.lower(), html.unescape("".join(values))


def links_to_nowhere(folder: Path) -> list[tuple[Path, str]]:
    """The links of all pages in the folder whose file, or whose place in a page, does not exist.

    Links to another site are not followed.
    """
    places: dict[Path, set[str]] = {}
    links: list[tuple[Path, str]] = []
    for page in sorted(folder.rglob("*.html")):
        places[page] = {"", "top"}  # a browser takes both for the beginning of a page
        for name, value in _attributes(page.read_text(errors="replace")):
            if name in ("id", "name"):
                places[page].add(value)
            else:
                links.append((page, value))
    return [link for link in links if not _leads_somewhere(*link, places)]


def _leads_somewhere(page: Path, link: str, places: dict[Path, set[str]]) -> bool:
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return True
    target = page
    if address.path:
        target = Path(os.path.normpath(page.parent / unquote(address.path)))
    if target in places:
        return unquote(address.fragment) in places[target]
    return target.is_file()


def check_links(app: Sphinx, error: Exception | None) -> None:
    """Warn of the links of built pages that lead nowhere."""
    if error is None:
        for page, link in links_to_nowhere(Path(app.outdir)):
            logger.warning("%s has a link that leads nowhere: %s", page, link)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the checks."""
    app.connect("doctree-read", ask_for_warnings)
    app.connect("build-finished", check_links)
    return {"parallel_read_safe": True}
