"""Labels inside the sentences of a page: a label does not change how the text around it is written.

Some characters change the direction in which letters are written, also of the letters behind them.
A browser ends their effect at the end of a `bdi` element. So a text of the page that may contain a
label stands in such an element, and labels with such characters get an element of their own inside
it.
"""

import re
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def isolator(labels: Iterable[str]) -> Callable[[object], Markup]:
    """Return a filter for templates that puts a text into a `bdi` element. Those of the `labels`
    that change the direction of letters get elements of their own wherever they stand in the text.

    >>> name = chr(0x202E) + "u2"
    >>> str(isolator(["u1", name])(f"u1 and {name}, <2>")).replace(name, "NAME")
    '<bdi>u1 and <bdi>NAME</bdi>, &lt;2&gt;</bdi>'
    """
    marked = sorted({label for label in labels if MARKS.search(label)}, key=len, reverse=True)
    pattern = re.compile(f"({'|'.join(map(re.escape, marked))})") if marked else None

    def isolated(text: object) -> Markup:
        pieces = [str(text)]
        if pattern is not None and text not in marked:
            pieces = pattern.split(str(text))
        return Markup("<bdi>%s</bdi>") % Markup("").join(
            escape(piece) if place % 2 == 0 else Markup("<bdi>%s</bdi>") % piece
            for place, piece in enumerate(pieces)
        )

    return isolated
