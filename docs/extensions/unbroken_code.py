"""Short words of inline code stay in one line.

A browser may break a line after a hyphen, and so within `--users`. The style sheet forbids this for
code of the class `short`. Long words, such as paths, may be broken: on a telephone they are longer
than a line.
"""

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 30  # letters; so many fit into a line of a list on a screen of 400 pixels


def mark_short(app: Sphinx, document: nodes.document) -> None:
    """Give inline code whose words are all short the class `short`."""
    for code in document.findall(nodes.literal):
        if all(len(word) <= LONGEST for word in code.astext().split()):
            code["classes"].append("short")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hook."""
    app.connect("doctree-read", mark_short)
    return {"parallel_read_safe": True}
