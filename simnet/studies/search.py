"""A search for a counterexample: the law of a statement about many instances."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import exp, inf, isfinite
from typing import Any

import attrs

from simnet.stated.privacy import small_in_words

Number = float | Fraction


@attrs.frozen(kw_only=True)
class Instance:
    """A statement at one choice of its parameters.

    `where` names the parameters. `claimed` is what the paper's formula gives, and `exact` what is
    right; None if there is no such number. `is_log` says that both are natural logarithms.

    >>> Instance(where={"n": 3}, claimed=2.0, exact=4.0, holds=False).in_words
    'n = 3: claimed 2, exact 4'
    """

    where: Mapping[str, Any]
    holds: bool
    claimed: Number | None = None
    exact: Number | None = None
    is_log: bool = False

    @property
    def factor(self) -> float | None:
        """The claimed number divided by the exact one; None if this says nothing."""
        if self.claimed is None or self.exact is None:
            return None
        claimed, exact = float(self.claimed), float(self.exact)
        if self.is_log:
            return exp(max(claimed - exact, -700))
        return quotient(claimed, exact)

    @property
    def in_words(self) -> str:
        """The instance in words, with both numbers."""
        said = [
            f"{name} {self._text(value)}"
            for name, value in (("claimed", self.claimed), ("exact", self.exact))
            if value is not None
        ]
        place = ", ".join(f"{name} = {_number(value)}" for name, value in self.where.items())
        return f"{place}: {', '.join(said)}" if said else place

    def _text(self, value: Number) -> str:
        return small_in_words(float(value)) if self.is_log else _number(value)


@attrs.frozen(kw_only=True)
class Search:
    """What a search found: the number of instances, the first one at which the statement fails, or
    None, and in words what was searched and what the numbers are.
    """

    over: str
    points: int
    counterexample: Instance | None
    numbers: str = ""

    @property
    def holds(self) -> bool:
        """Whether no instance was found at which the statement fails."""
        return self.counterexample is None

    @property
    def in_words(self) -> str:
        """The result as a sentence."""
        if self.counterexample is None:
            return f"No counterexample among {self.points:,}: {self.over}."
        numbers = f" ({self.numbers})" if self.numbers else ""
        return f"Counterexample: {self.counterexample.in_words}{numbers}."


def searched(instances: Iterable[Instance], over: str, numbers: str = "") -> Search:
    """Return what a search through the instances finds; it ends at the first counterexample.

    Raises `ValueError` if there is no instance.
    """
    points = 0
    for points, instance in enumerate(instances, start=1):
        if not instance.holds:
            return Search(over=over, points=points, counterexample=instance, numbers=numbers)
    if not points:
        raise ValueError(f"there is no instance to judge among {over}")
    return Search(over=over, points=points, counterexample=None, numbers=numbers)


def quotient(printed: float, exact: float) -> float | None:
    """Return how many times too large the printed number is; None if no quotient says this.

    >>> quotient(3.0, 1.5), quotient(1.0, 0.0), quotient(-1.0, 1.0)
    (2.0, None, None)
    """
    if not (isfinite(printed) and isfinite(exact)) or printed * exact <= 0:
        return None
    return printed / exact


def _number(value: Any) -> str:
    if isinstance(value, Fraction) and value.denominator > 100:
        return f"{float(value):.4g}"
    if isinstance(value, float):
        return f"{value:.4g}" if isfinite(value) else "∞" if value == inf else "-∞"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(_number, value)) + ")"
    return f"{value:,}" if isinstance(value, int) else str(value)
