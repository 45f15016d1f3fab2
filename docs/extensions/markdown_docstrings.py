"""Docstrings as Markdown: autodoc expects reStructuredText, and the docstrings here are Markdown.

Every docstring becomes the content of one directive, `markdown-text`, which hands the text to MyST.
Code that a docstring shows indented, or after `>>>`, is Markdown's indented code, or becomes it.
"""

import re
import textwrap
from typing import Any, ClassVar

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class MarkdownText(SphinxDirective):
    """A piece of Markdown inside reStructuredText."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return what MyST makes of the content."""
        part = new_document(self.get_source_info()[0], self.state.document.settings)
        MystParser().parse("\n".join(self.content), part)
        return [node for node in part.children if not isinstance(node, nodes.system_message)]


def fenced(lines: list[str]) -> list[str]:
    """Put a `pycon` fence around every example that begins with `>>>` and ends at an empty line."""
    text: list[str] = []
    inside = False
    for line in lines:
        if text and line and not line.strip("-"):  # a title of a section, which Markdown would take
            text[-1] = f"**{text[-1]}**\n"  # for a heading of the page
            continue
        if not inside and line.lstrip().startswith(">>>"):
            text.append("```pycon")
            inside = True
        elif inside and not line.strip():
            text.append("```")
            inside = False
        text.append(line.strip() if inside and line.lstrip().startswith(">>>") else line)
    return [*text, "```"] if inside else text


def with_tables(lines: list[str]) -> list[str]:
    """Turn every table between lines such as `====  ====` into a table of Markdown."""
    text: list[str] = []
    columns: list[tuple[int, int]] = []
    for line in lines:
        is_rule = re.fullmatch(r"=+(  +=+)+", line) is not None
        if is_rule and not columns:
            columns = [found.span() for found in re.finditer("=+", line)]
            rules = 1
        elif is_rule:
            rules += 1
            text += ["| --- " * len(columns) + "|"] if rules == 2 else []
            columns = columns if rules == 2 else []
        elif columns:
            ends = [*(start for start, _ in columns[1:]), len(line)]
            cells = [line[start:end].strip() for (start, _), end in zip(columns, ends, strict=True)]
            text.append(f"| {' | '.join(cells)} |")
        else:
            text.append(line)
    return text


def as_markdown(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Wrap the lines of one docstring into the directive."""
    if lines:
        body = textwrap.indent("\n".join(fenced(with_tables(lines))), "   ").splitlines()
        lines[:] = [".. markdown-text::", "", *body, ""]


def without_attrs_defaults(
    app: Sphinx, what: str, name: str, obj: object, options: Any, arguments: str | None, result: str
) -> tuple[str | None, str]:
    """Write `...` for defaults of attrs fields; the signature names them by a variable of attrs."""
    return arguments and re.sub(r"attr_dict\['\w+'\]\.default", "...", arguments), result


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the hooks."""
    app.add_directive("markdown-text", MarkdownText)
    app.connect("autodoc-process-docstring", as_markdown)
    app.connect("autodoc-process-signature", without_attrs_defaults)
    return {"parallel_read_safe": True}
