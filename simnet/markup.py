"""Small tables in HTML, as a notebook shows a result.

To show an object in a notebook, Jupyter calls its method `_repr_html_`. Such methods make their
tables with this module, which escapes texts. For example, a label `<img onerror=...>` is shown as
these letters, and the browser does not execute it. The tables set no colours, so that they can be
read on a light page and on a dark page.

>>> table(["item", "truth"], [["<b>", "0.25"]], numbers=[1]).count("&lt;b&gt;")
1
"""

import html
from collections.abc import Container, Iterable, Sequence

from simnet.printable import printable

_LEFT, _RIGHT = "text-align:left", "text-align:right"


def escaped(value: object) -> str:
    """Return a value as text for HTML. Markup in the text is shown as it was typed, and a character
    that Python does not count as printable becomes a dot.
    """
    return html.escape(printable(str(value)))


def paragraph(value: object, *, bold: bool = False) -> str:
    """Return a paragraph that contains a value as text, escaped."""
    shown = escaped(value)
    return f"<p><strong>{shown}</strong></p>" if bold else f"<p>{shown}</p>"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], numbers: Container[int] = ()
) -> str:
    """Return a table with these headings. The columns in `numbers`, counted from 0, are aligned to
    the right.
    """
    lines = [_row("th", heads, numbers), *(_row("td", row, numbers) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def folded(summary: str, content: str) -> str:
    """Return a part of a page that opens by a click on its summary. `content` is HTML already."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def _row(cell: str, values: Sequence[object], numbers: Container[int]) -> str:
    cells = (
        f'<{cell} style="{_RIGHT if place in numbers else _LEFT}">{escaped(value)}</{cell}>'
        for place, value in enumerate(values)
    )
    return f"<tr>{''.join(cells)}</tr>"
