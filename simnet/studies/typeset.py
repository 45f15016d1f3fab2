r"""Tables as text that other programs read: Markdown, CSV, and LaTeX with the rules of booktabs.

Texts in a table may come from a file. So characters that such a program would take for markup are
escaped, and those that are not printable become dots.

>>> print(markdown_table(["d", "error"], [["2", "a | b"]]))
| d | error |
|-|-|
| 2 | a \| b |
"""

import csv
import html
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from simnet.printable import printable

# What begins markup in Markdown. An underscore between letters or digits begins none.
MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
FORMULA = tuple("=+-@＝＋－＠")  # a spreadsheet takes a cell that begins so for a formula
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"
NAMES = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
GREEK = dict(zip(LETTERS, (rf"$\{name}$" for name in NAMES.split()), strict=True))
SIGNS = {"²": "$^2$", "≤": r"$\le$", "≥": r"$\ge$", "√": r"$\surd$", "−": "$-$"}


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, without a newline at its end."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(map(markdown, cells))} |"

    return "\n".join([line(heads), "|-" * len(heads) + "|", *map(line, rows)])


def markdown(text: str) -> str:
    r"""Return a text inside a line of Markdown, which is shown as it is.

    >>> print(markdown("<b>a_b</b> | *c*"))
    &lt;b&gt;a_b&lt;/b&gt; \| \*c\*
    """
    return MARKDOWN.sub(r"\\\g<0>", html.escape(printable(text), quote=False))


def csv_table(heads: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Return rows as CSV; a cell is empty where its row lacks a value. A text that a spreadsheet
    would take for a formula gets an apostrophe in front.

    >>> csv_table(["item", "share"], [{"item": "=A1", "share": -0.5}, {"item": "-1"}])
    "item,share\n'=A1,-0.5\n-1,\n"
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([map(_cell, heads), *(map(_cell, map(row.get, heads)) for row in rows)])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    shown = printable(value)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) and not _is_number(shown) else shown


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a `tabular` in LaTeX; it needs the package booktabs.

    >>> print(latex_table(["d", "error"], [["2", "5 %"]]))
    \begin{tabular}{ll}
    \toprule
    d & error \\
    \midrule
    2 & 5 \% \\
    \bottomrule
    \end{tabular}
    """

    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(latex, cells)) + r" \\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * len(heads)}}}",
            r"\toprule",
            line(heads),
            r"\midrule",
            *map(line, rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def latex(text: str) -> str:
    r"""Return text with LaTeX's own characters and Greek letters written as commands.

    >>> print(latex("50 % of ε_1"))
    50 \% of $\varepsilon$\_1
    """
    known = {**LATEX, **GREEK, **SIGNS}
    return "".join(known.get(letter, letter) for letter in printable(text))
