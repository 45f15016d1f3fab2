"""Docstrings as Markdown: autodoc expects reStructuredText, and the docstrings here are Markdown.

Every docstring becomes the content of one directive, `markdown-text`, which hands the text to MyST.
Code that a docstring shows indented, or after `>>>`, is Markdown's indented code, or becomes it.
"""

import ast
import re
import textwrap
from typing import Any, ClassVar

import attrs
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


def field_descriptions(obj: object) -> list[str]:
    """Return a list item for every field of an attrs class that has a text in `Annotated`."""
    fields = attrs.fields(obj) if isinstance(obj, type) and attrs.has(obj) else ()
    texts = {field.name: getattr(field.type, "__metadata__", ()) for field in fields}
    return [f"- `{name}`: {text[0]}" for name, text in texts.items() if text]


def as_markdown(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Wrap the lines of one docstring into the directive, with the fields before the example."""
    if lines:
        if items := field_descriptions(obj):
            example = next(
                (i for i, line in enumerate(lines) if line.startswith(">>>")), len(lines)
            )
            lines[example:example] = ["", *items, ""]
        body = textwrap.indent("\n".join(fenced(with_tables(lines))), "   ").splitlines()
        lines[:] = [".. markdown-text::", "", *body, ""]


class WithoutDescriptions(ast.NodeTransformer):
    """Replaces `Annotated[type, text]` by the type."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Return the first part of `Annotated[...]`, and any other type as it is."""
        self.generic_visit(node)
        is_annotated = ast.unparse(node.value).endswith("Annotated")  # after some module's name
        return node.slice.elts[0] if is_annotated and isinstance(node.slice, ast.Tuple) else node


def short_signature(
    app: Sphinx, what: str, name: str, obj: object, options: Any, arguments: str | None, result: str
) -> tuple[str | None, str]:
    """Shorten a signature: `...` for a default of an attrs field, no text of `Annotated`.

    A default of attrs would be named by a variable of attrs. A signature that is no Python, because
    a default prints as `<...>`, keeps its texts. A class that is a `typing.Protocol` gets no
    signature, because nobody makes an object of it.
    """
    if arguments is None:
        return arguments, result
    if getattr(obj, "_is_protocol", False):
        return "", result
    arguments = re.sub(r"attr_dict\['\w+'\]\.default", "...", arguments)
    if "Annotated[" in arguments:
        try:
            tree = ast.parse(f"def f{arguments}: pass")
        except SyntaxError:
            return arguments, result
        function = WithoutDescriptions().visit(tree).body[0]
        arguments = f"({ast.unparse(function.args)})".replace("~~", "~")  # a mark: the short name
    return arguments, result


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the hooks."""
    app.add_directive("markdown-text", MarkdownText)
    app.connect("autodoc-process-docstring", as_markdown)
    app.connect("autodoc-process-signature", short_signature)
    return {"parallel_read_safe": True}
