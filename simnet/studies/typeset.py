r"""Tables as text for a page or a paper: Markdown, and LaTeX with the rules of booktabs.

>>> print(markdown_table(["d", "error"], [["2", "a | b"]]))
| d | error |
|-|-|
| 2 | a \| b |
"""

from collections.abc import Sequence

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
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    return "\n".join([line(heads), "|-" * len(heads) + "|", *map(line, rows)])


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
    return "".join(known.get(letter, letter) for letter in text)
