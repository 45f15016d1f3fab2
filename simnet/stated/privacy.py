"""A statement of the privacy of a view: an ε and a δ."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import exp, floor, inf, log
from typing import Any

import attrs

from simnet import markup
from simnet.errors import BadInput

# How two neighbouring inputs differ, by the name of the relation
RELATIONS_IN_WORDS = {
    "remove": "one user is taken out",
    "replace": "one user has another input",
}
SMALLEST = 1e-307  # smaller probabilities are shown as text, because such floats lose digits


@attrs.frozen
class PrivacyStatement:
    """An ε and a δ of a view.

    `bound` is the value of a closed form, which `bound_source` names. `bound` limits δ if ε was
    given, and ε if δ was given or if δ is 0 (pure ε). If `bound` or `claimed` is a δ between 0 and
    1e-307, it is text, as in JSON. Raises `BadInput` for an unknown relation.

    >>> import math
    >>> statement = PrivacyStatement(1.0, -math.inf, "replace", "a report", "nothing")
    >>> statement.as_json()["delta"]
    0.0
    """

    epsilon: float
    log_delta: float  # ln δ, -inf for pure ε
    relation: str  # which inputs are neighbours: `replace` or `remove`
    view: str  # the view, in words
    assumption: str  # what the numbers assume
    bound: float | str | None = None
    bound_source: str = ""
    label: str = "exact"  # "exact", "bound", or other words that limit the statement
    given_delta: float | None = None  # the δ that was asked for, or None if an ε was asked for
    claimed: float | str | None = (
        None  # the value that a paper's theorem gives for the other number
    )
    claim: str = ""  # the name of the theorem

    def __attrs_post_init__(self) -> None:
        if self.relation not in RELATIONS_IN_WORDS:
            known = " or ".join(RELATIONS_IN_WORDS)
            raise BadInput(f"a statement has no relation {self.relation!r}: use {known}")

    @property
    def log10_delta(self) -> float:
        """The decimal logarithm of δ."""
        return self.log_delta / log(10)

    def as_json(self) -> dict[str, Any]:
        """Return the statement for JSON; a computed δ between 0 and 1e-307 is text."""
        delta = small_number(self.log_delta) if self.given_delta is None else self.given_delta
        return {
            "epsilon": self.epsilon,
            "delta": delta,
            "log10_delta": self.log10_delta,
            "relation": self.relation,
            "bound": self.bound,
            "bound_source": self.bound_source,
            "view": self.view,
            "assumption": self.assumption,
            "label": self.label,
            "claimed": self.claimed,
            "claim": self.claim,
        }

    @property
    def whose(self) -> str:
        """The view, and the label if the numbers are not exact."""
        return self.view if self.label == "exact" else f"{self.view} ({self.label})"

    def row(self) -> dict[str, str]:
        """Return this statement as a row of a table: the cells, by heading."""
        other = "δ" if self.given_delta is None and self.log_delta > -inf else "ε"
        claimed = "" if self.claimed is None else f"{other} {_three_digits(self.claimed)}"
        closed = (
            ""
            if self.bound is None
            else f"{other} {_three_digits(self.bound)} ({self.bound_source})"
        )
        return {
            "relation": self.relation,
            "ε": f"{self.epsilon:.4g}",
            "δ": small_in_words(self.log_delta),
            self.claim or "claimed": claimed,
            "closed form": closed,
        }

    def _repr_html_(self) -> str:
        return Statements((self,))._repr_html_()


class Statements(tuple[PrivacyStatement, ...]):
    """The privacy statements of a run, view by view; a notebook shows them as tables."""

    __slots__ = ()

    def tables(self) -> Iterator[tuple[str, list[list[str]], list[str]]]:
        """Yield for each view its name, the lines of its table, and its assumptions with the
        neighbouring relations that they are about. The first line has the headings.
        """
        for view, group in groupby(self, key=lambda statement: statement.whose):
            of_view = list(group)
            rows = [statement.row() for statement in of_view]
            columns = [name for name in rows[0] if any(row.get(name) for row in rows)]
            lines = [columns, *([row.get(name, "") for name in columns] for row in rows)]
            yield view, lines, assumptions_in_words(of_view)

    def __repr__(self) -> str:
        lines = []
        for view, rows, assumptions in self.tables():
            lines.append(f"Privacy of one user against {view}")
            for row in rows[1:]:
                cells = zip(rows[0], row, strict=True)
                lines.append("  " + ", ".join(f"{name} {cell}" for name, cell in cells if cell))
            lines += [f"  assuming {assumption}" for assumption in assumptions]
        return "\n".join(lines) or "no privacy is stated of this run"

    def _repr_html_(self) -> str:
        parts = []
        for view, (heads, *rows), assumptions in self.tables():
            parts.append(markup.paragraph(f"Privacy of one user against {view}", bold=True))
            parts.append(markup.table(heads, rows))
            parts += [markup.paragraph(f"assuming {assumption}") for assumption in assumptions]
        return "".join(parts)


def assumptions_in_words(statements: Sequence[PrivacyStatement]) -> list[str]:
    """Return the different assumptions of statements, each with its neighbouring relations.

    >>> both = [PrivacyStatement(1.0, -inf, one, "", "n > 5") for one in ("remove", "replace")]
    >>> assumptions_in_words(both[:1])
    ['n > 5 (remove: one user is taken out)']
    >>> assumptions_in_words(both)
    ['n > 5 (remove: one user is taken out; replace: one user has another input)']
    """
    relations: dict[str, list[str]] = {}
    for statement in statements:
        of_assumption = relations.setdefault(statement.assumption, [])
        if statement.relation not in of_assumption:
            of_assumption.append(statement.relation)
    return [
        f"{assumption} ({'; '.join(f'{name}: {RELATIONS_IN_WORDS[name]}' for name in names)})"
        for assumption, names in relations.items()
    ]


def small_number(log_value: float) -> float | str:
    """Return a probability from its natural logarithm, as text if it is between 0 and 1e-307."""
    if log_value == -inf or log_value > log(SMALLEST):
        return exp(log_value)
    return _power_of_ten(log_value / log(10), 6)


def small_in_words(log_value: float) -> str:
    """Return a probability from its natural logarithm, as text with at most three significant
    digits.
    """
    if log_value == -inf:
        return "0"
    exponent = log_value / log(10)
    if exponent > -300:
        return f"{exp(log_value):.3g}"
    return _power_of_ten(exponent, 2)


def _power_of_ten(exponent: float, decimals: int) -> str:
    whole = floor(exponent)
    return _scientific(10 ** (exponent - whole), whole, decimals)


def _scientific(mantissa: float, exponent: int, decimals: int) -> str:
    # Rounding may turn a mantissa of 9.999 into 10: then the exponent is one larger
    digits, _, carried = f"{mantissa:.{decimals}e}".partition("e")
    return f"{digits}e{exponent + int(carried)}"


def _three_digits(value: float | str) -> str:
    if isinstance(value, str):
        mantissa, _, exponent = value.partition("e")
        return _scientific(float(mantissa), int(exponent), 2)
    return f"{value:.3g}"
