"""Numbers that a paper quotes, and verdicts on them.

A quoted number is held against what the experiment's law expects of it: first as the paper defines it, then with a
correction, if one is known. A number that the paper simulated is itself a draw: it agrees if its chance under that law
is at least `LEVEL`.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

import attrs

from simnet.study.table import Estimate, NoSuchPoint, Table

LEVEL = 0.01  # a simulated number less likely than this, on either side, does not agree
ROUNDING = 1e-9  # relatively, of exact numbers

Finding = Literal["reproduced", "reproduced with correction", "not reproducible from the text"]
FINDINGS: tuple[Finding, ...] = (
    "reproduced", "reproduced with correction", "not reproducible from the text"
)  # fmt: skip


@attrs.frozen
class Counterpart:
    """What a quoted number should be, and what was measured, under one understanding of what it stands for.

    `spread` is the relative standard deviation of the paper's own number; 0 if it did not depend on chance.
    `measured` and its interval are None where nothing was run for it.
    """

    expected: float
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float = 0.0

    @classmethod
    def of(cls, found: Estimate, runs: int = 0) -> "Counterpart":
        """An estimate of the table; the paper's number is the mean of so many runs, or exact for none."""
        expected = found.mean if found.expected is None else found.expected
        return cls(expected, found.mean, found.low, found.high, found.spread / runs**0.5 if runs else 0.0)

    def chance(self, printed: float, rounding: float, bound: str) -> float:
        """How likely the printed number is, up to rounding, two-sided; of a bound, how likely it is to hold."""
        slack = rounding + ROUNDING * abs(self.expected)
        if self.spread:
            below, above = self._below(printed + slack), 1 - self._below(printed - slack)
        else:
            below, above = float(self.expected <= printed + slack), float(self.expected >= printed - slack)
        if bound:
            return above if bound == "at least" else below
        return min(1.0, 2 * min(below, above))

    def _below(self, value: float) -> float:
        """The chance of a number up to this, by a gamma law."""
        from scipy.special import gammainc  # here, not above: it takes a while to load

        shape = self.spread**-2
        return float(gammainc(shape, max(shape * value / self.expected, 0.0)))


@attrs.frozen
class Quote:
    """A number as printed, with the functions that read it off a table.

    `printed` is the number as text, whose last digit tells how it was rounded, or for a formula a function that
    evaluates it. `bound` is set where the paper says "at least" or "at most". If the `correction` is made, the number
    stands for what `corrected` reads, or for a misprint, is the one that `instead` evaluates; `why` is what to say when
    it agrees neither way.
    """

    source: str
    what: str
    printed: str | Callable[[Table], float]
    reading: Callable[[Table], Counterpart]
    correction: str = ""
    corrected: Callable[[Table], Counterpart] | None = None
    instead: Callable[[Table], float] | None = None
    why: str = "the printed number does not follow from the stated setting"
    bound: Literal["", "at least", "at most"] = ""

    def judge(self, table: Table) -> "Ruling | None":
        """The verdict; None when the table lacks what the quote is about."""
        try:
            printed, rounding = self._printed(table)
            found = self.reading(table)
            chance = found.chance(printed, rounding, self.bound)
            if chance >= LEVEL:
                return self._verdict(printed, found, chance, FINDINGS[0], "")
            if self.corrected is None and self.instead is None:
                return self._verdict(printed, found, chance, FINDINGS[2], self.why)
            better = found if self.corrected is None else self.corrected(table)
            meant = printed if self.instead is None else self.instead(table)
        except NoSuchPoint:
            return None
        chance = better.chance(meant, rounding, self.bound)
        if chance >= LEVEL:
            return self._verdict(printed, better, chance, FINDINGS[1], self.correction)
        return self._verdict(printed, better, chance, FINDINGS[2], self.why)

    def _printed(self, table: Table) -> tuple[float, float]:
        """The printed number, and half a unit of its last digit."""
        if not isinstance(self.printed, str):
            return self.printed(table), 0.0
        digits = Decimal(self.printed)
        return float(digits), float(Decimal(1).scaleb(int(digits.as_tuple().exponent)) / 2)

    def _verdict(self, printed: float, found: Counterpart, chance: float, finding: Finding, note: str) -> "Ruling":
        return Ruling(
            self.source, self.what, self.bound, printed, found.expected, found.measured, found.low, found.high,
            chance, finding, note,
        )  # fmt: skip


@attrs.frozen
class Ruling:
    """A quoted number with what it was held against. `note` is the correction, or why it cannot be reproduced.

    `chance` is how likely the printed number is under the law that is expected, the paper's own runs being random.
    """

    source: str
    what: str
    bound: str
    printed: float
    expected: float
    measured: float | None
    low: float | None
    high: float | None
    chance: float
    verdict: Finding
    note: str

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        return attrs.asdict(self)
