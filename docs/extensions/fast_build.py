"""What makes the build of the site shorter, and changes none of its pages.

Theory of operation
-------------------

The theme asks Sphinx for the tree of all pages once for every page, and shows only their titles.
Sphinx copies the whole table of contents of every page for that, with all headings, all entries of
the glossary and all names of the API, and then throws all but the titles away. With 80 pages this
took a third of the build. So we hand Sphinx tables of contents that have only the titles and the
lists of further pages while it makes this tree.

A build makes millions of nodes and keeps most of them to its end. Python's garbage collector
visits all of them again and again, and finds little. So it is told to come less often.
"""

import gc
from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

OBJECTS_BETWEEN_COLLECTIONS = 500_000


def only_titles(contents: nodes.bullet_list) -> nodes.bullet_list:
    """A copy of a page's table of contents without the headings below its title."""
    copy = contents.copy()
    for entry in contents.children:
        short = entry.copy()
        short += [part.deepcopy() for part in entry.children[:1]]
        if below := list(entry.findall(addnodes.toctree)):
            short += nodes.bullet_list("", *(toctree.copy() for toctree in below))
        copy += short
    return copy


def shorten_tree(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Let the tree of all pages be made of titles alone."""
    whole_tree: Callable[..., str] | None = context.get("toctree")
    if whole_tree is None:  # the page of a style sheet
        return

    def tree_of_titles(**options: Any) -> str:
        complete = app.env.tocs
        app.env.tocs = {name: only_titles(contents) for name, contents in complete.items()}
        try:
            return whole_tree(**options)
        finally:
            app.env.tocs = complete

    context["toctree"] = tree_of_titles


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hook before that of the theme."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    app.connect("html-page-context", shorten_tree, priority=100)
    return {"parallel_read_safe": True}
