"""Numbers that a paper quotes, and verdicts on them.

A quoted number is held against what the experiment's law expects of it: first as the paper defines
it, then with a correction, if one is known. A number that the paper simulated is itself a draw: it
agrees if its chance under that law is at least `LEVEL`. Where no law is known, the measured
interval decides, if it can.
"""

from collections.abc import Callable
from decimal import Decimal
from math import inf, isinf, isnan
from typing import Any, Literal, get_args

import attrs

from simnet.errors import BadInput
from simnet.studies.table import Estimate, NoSuchPoint, Table

LEVEL = 0.01  # a simulated number less likely than this, on either side, does not agree
ROUNDING = 1e-9  # relatively, of exact numbers

VerdictKind = Literal[
    "reproduced",
    "reproduced with correction",
    "not reproducible from the text",
    "undecided by these runs",
    "not run here",
]
FINDINGS: tuple[VerdictKind, ...] = get_args(VerdictKind)
REPRODUCED, CORRECTED, NOT_REPRODUCED, UNDECIDED, NOT_RUN = FINDINGS
MORE = "more trials would tell"


@attrs.frozen
class Counterpart:
    """What a quoted number should be, and what was measured, in one reading of it.

    `spread` is the relative standard deviation of the paper's own number; 0 if it did not depend on
    chance, NaN if it is not known. `expected` is None where no law tells; `measured` and its
    interval where nothing was run for it. A `share` is that of places at which a statement holds.
    """

    expected: float | None
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float = 0.0
    share: bool = False

    @classmethod
    def of(cls, found: Estimate, runs: int = 0) -> "Counterpart":
        """An estimate of the table.

        The paper's number is the mean of so many runs, or exact for none.
        """
        expected = found.mean if found.exact and found.expected is None else found.expected
        return cls(
            expected, found.mean, found.low, found.high, found.spread / runs**0.5 if runs else 0.0
        )

    @property
    def law(self) -> float:
        """The expected value. Raises `NoSuchPoint` where no law tells."""
        if self.expected is None:
            raise NoSuchPoint("no law tells what to expect")
        return self.expected

    @property
    def holds(self) -> bool:
        """Whether the expected value lies inside the measured interval.

        True where either is not known.
        """
        if self.expected is None or self.low is None or self.high is None:
            return True
        slack = ROUNDING * abs(self.expected)
        return self.low - slack <= self.expected <= self.high + slack

    def chance(self, printed: float, rounding: float, bound: str) -> float | None:
        """How likely the printed number is, up to rounding, two-sided.

        Of a bound, how likely it is to hold. None when that cannot be told: no law is known and the
        measured interval does not decide.
        """
        if self.expected is None:
            return self._by_interval(printed, rounding, bound)
        slack = rounding + ROUNDING * abs(self.expected)
        if isnan(self.spread):
            return None
        if self.spread:
            below, above = self._below(printed + slack), 1 - self._below(printed - slack)
        else:
            below, above = (
                float(self.expected <= printed + slack),
                float(self.expected >= printed - slack),
            )
        if bound:
            return above if bound == "at least" else below
        return min(1.0, 2 * min(below, above))

    def _by_interval(self, printed: float, slack: float, bound: str) -> float | None:
        """1 or 0 where the interval decides.

        A number agrees inside it, a bound or a share must hold all over it.
        """
        low, high = -inf if self.low is None else self.low, inf if self.high is None else self.high
        slack += ROUNDING * abs(printed)
        if not bound and not self.share:
            within = low - slack <= printed <= high + slack
            return None if within and isinf(high - low) else float(within)
        least, most = (low, high) if bound != "at most" else (-high, -low)
        wanted = printed if bound != "at most" else -printed
        if least >= wanted - slack and (bound or most <= wanted + slack):
            return 1.0
        return 0.0 if most < wanted - slack or (not bound and least > wanted + slack) else None

    def _below(self, value: float) -> float:
        """The chance of a number up to this, by a gamma law."""
        from scipy.special import gammainc  # here, not above: it takes a while to load

        shape = self.spread**-2
        return float(gammainc(shape, max(shape * value / self.law, 0.0)))


@attrs.frozen
class Quote:
    """A number as printed, with the functions that read it off a table.

    `printed` is the number as text, whose last digit tells how it was rounded, or for a formula a
    function that evaluates it. `bound` is set where the paper says "at least" or "at most". If the
    `correction` is made, the number stands for what `corrected` reads, or for a misprint, is the
    one that `instead` evaluates; `why` is what to say when it agrees neither way.
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

    def judge(self, table: Table) -> "Ruling":
        """The verdict; that it is not run here when the table lacks what the quote is about.

        It is undecided when the table's numbers allow no reading, as a quotient of zeros.
        """
        try:
            return self._judged(table)
        except BadInput:
            raise
        except (ArithmeticError, ValueError) as error:
            note = f"the measured numbers allow no reading: {error}"
            return self._verdict(None, Counterpart(None), None, UNDECIDED, note)

    def _judged(self, table: Table) -> "Ruling":
        try:
            printed, rounding = self._printed(table)
        except NoSuchPoint:
            return self._verdict(None, Counterpart(None), None, NOT_RUN, "")
        try:
            found = self.reading(table)
            chance = found.chance(printed, rounding, self.bound)
            if (
                chance is None
                or chance >= LEVEL
                or (self.corrected is None and self.instead is None)
            ):
                return self._found(printed, found, chance, REPRODUCED)
            better = found if self.corrected is None else self.corrected(table)
            meant = printed if self.instead is None else self.instead(table)
        except NoSuchPoint:
            return self._verdict(printed, Counterpart(None), None, NOT_RUN, "")
        return self._found(printed, better, better.chance(meant, rounding, self.bound), CORRECTED)

    def _found(
        self, printed: float, found: Counterpart, chance: float | None, agrees: VerdictKind
    ) -> "Ruling":
        """The verdict with this chance that the number agrees, in this sense."""
        if chance is None:
            return self._verdict(printed, found, chance, UNDECIDED, MORE)
        if chance < LEVEL:
            return self._verdict(printed, found, chance, NOT_REPRODUCED, self.why)
        return self._verdict(
            printed, found, chance, agrees, self.correction if agrees == CORRECTED else ""
        )

    def _printed(self, table: Table) -> tuple[float, float]:
        """The printed number, and half a unit of its last digit."""
        if not isinstance(self.printed, str):
            return self.printed(table), 0.0
        digits = Decimal(self.printed)
        return float(digits), float(Decimal(1).scaleb(int(digits.as_tuple().exponent)) / 2)

    def _verdict(
        self,
        printed: float | None,
        found: Counterpart,
        chance: float | None,
        finding: VerdictKind,
        note: str,
    ) -> "Ruling":
        return Ruling(
            self.source,
            self.what,
            self.bound,
            printed,
            found.expected,
            found.measured,
            found.low,
            found.high,
            chance,
            finding,
            note,
            found.holds,
        )


@attrs.frozen
class Ruling:
    """A quoted number with what it was held against.

    `note` is the correction, or why it cannot be reproduced. `chance` is how likely the printed
    number is under the law that is expected, the paper's own runs being random. Unless it `holds`,
    the measured interval leaves out the expected value. What is not known is None.
    """

    source: str
    what: str
    bound: str
    printed: float | None
    expected: float | None
    measured: float | None
    low: float | None
    high: float | None
    chance: float | None
    verdict: VerdictKind
    note: str
    holds: bool = True

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        return attrs.asdict(self)
