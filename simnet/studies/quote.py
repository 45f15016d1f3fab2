"""Numbers that a paper quotes, and verdicts on them.

A *quote* is a number that a paper prints and that we check. We compare it with the value that the
experiment's law expects: first as the paper defines the number, then with a correction, if one is
known. A number that the paper simulated is a random draw. It agrees if its probability under the
law is at least `LEVEL`. If no law is known, the measured interval decides, if it can.
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
    """The value to compare a quoted number with: what a law expects, and what was measured.

    - `expected` is None if no law gives it.
    - `measured`, and its interval `low..high`, are None if nothing was run.
    - `spread` is the relative standard deviation of the paper's own number. It is 0 if that number
      is not random, and NaN if the standard deviation is not known.
    - `share` says that the number is the share of places at which a statement holds.

    >>> Counterpart(expected=2.0, measured=2.1, low=1.9, high=2.3).holds
    True
    """

    expected: float | None
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float = 0.0
    share: bool = False

    @classmethod
    def of(cls, found: Estimate, runs: int = 0) -> "Counterpart":
        """Return the counterpart for an estimate of the table.

        The paper's number is the mean of `runs` runs, or exact if `runs` is 0.
        """
        expected = found.mean if found.exact and found.expected is None else found.expected
        return cls(
            expected, found.mean, found.low, found.high, found.spread / runs**0.5 if runs else 0.0
        )

    @property
    def law(self) -> float:
        """The expected value. Raises `NoSuchPoint` if no law gives it."""
        if self.expected is None:
            raise NoSuchPoint("no law tells what to expect")
        return self.expected

    @property
    def holds(self) -> bool:
        """Whether the expected value lies inside the measured interval.

        True if the value or the interval is not known.
        """
        if self.expected is None or self.low is None or self.high is None:
            return True
        slack = ROUNDING * abs(self.expected)
        return self.low - slack <= self.expected <= self.high + slack

    def chance(self, printed: float, rounding: float, bound: str) -> float | None:
        """Return the two-sided probability of the printed number, up to rounding.

        For a bound, return the probability that the bound holds. Return None if no law is known and
        the measured interval does not decide.
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
        """Return 1 or 0 if the measured interval decides, else None.

        A number agrees if it lies inside the interval. A bound or a share agrees if it holds for
        every value of the interval.
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
        """Return the probability of a number of at most `value`, under a gamma law."""
        from scipy.special import gammainc  # imported only here: scipy loads slowly

        shape = self.spread**-2
        return float(gammainc(shape, max(shape * value / self.law, 0.0)))


@attrs.frozen
class Quote:
    """A number that a paper prints, with the functions that read its counterpart off a table.

    - `printed` is the number as text; its last digit shows how it was rounded. For a formula,
      `printed` is a function that evaluates it on a table.
    - `reading` reads the counterpart off a table, as the paper defines the number.
    - `bound` is set if the paper says "at least" or "at most".
    - `correction` says what is wrong in the paper. With it, the number is compared with what
      `corrected` reads; or, for a misprint, `instead` evaluates the number that was meant.
    - `why` is the note if the number agrees neither with nor without the correction.

    >>> quote = Quote("Sec. 5", "the answer", "42", lambda table: Counterpart(expected=42.0))
    >>> quote.printed
    '42'
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
        """Return the verdict on the quote; "not run here" if the table lacks the number's point.

        The verdict is undecided if the table's numbers have no reading, such as 0 divided by 0.
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
        """Return the verdict for a number that agrees, as `agrees` says, with this probability."""
        if chance is None:
            return self._verdict(printed, found, chance, UNDECIDED, MORE)
        if chance < LEVEL:
            return self._verdict(printed, found, chance, NOT_REPRODUCED, self.why)
        return self._verdict(
            printed, found, chance, agrees, self.correction if agrees == CORRECTED else ""
        )

    def _printed(self, table: Table) -> tuple[float, float]:
        """Return the printed number, and half a unit of its last digit."""
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
    """A quoted number, the values it was compared with, and the verdict.

    `note` is the correction, or the reason why the number cannot be reproduced. `chance` is the
    probability of the printed number under the expected law, because the paper's own runs are
    random. `holds` says whether the measured interval contains the expected value. Unknown values
    are None.
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
        """Return the verdict for JSON; these keys are stable."""
        return attrs.asdict(self)
