"""The tables of contents of the sections, which the sidebar shows."""

import re
from pathlib import Path

_LINKED = re.compile(r"\]\(([\w/-]+)\.md")


def list_of_pages(folder: Path, text: str) -> str:
    """A table of contents of the folder for its page `index`, which has this text.

    If the text links to pages, the table is hidden, and the sidebar has these pages first, in the
    order of the text.
    """
    pages = [page.stem for page in sorted(folder.glob("*.md")) if page.stem != "index"]
    pages += [f"{page.parent.name}/index" for page in sorted(folder.glob("*/index.md"))]
    if not pages:
        return ""
    linked = _LINKED.findall(text)
    pages.sort(key=lambda page: linked.index(page) if page in linked else len(linked))
    options = [":hidden:"] if "](" in text else [":maxdepth: 1"]
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])
