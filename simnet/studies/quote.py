"""Numbers that a paper quotes, and verdicts on them.

A *quote* is a number that a paper prints, or a statement that a paper makes. To check a quote, we
compare it with the value that the experiment's law expects: first as the paper defines the number
and, if they disagree, with a correction, if one is known. A number that the paper simulated is a
random draw. It agrees if its two-sided probability under the law is at least `LEVEL`. We also
compare the quote with the interval that our runs measured. The two answers stay apart: see
`simnet.studies.verdict_table`.
"""

from collections.abc import Callable
from decimal import Decimal
from math import inf, isfinite, isnan
from typing import Any, Literal

import attrs

from simnet.errors import BadInput
from simnet.studies.table import Estimate, NoSuchPoint, Table
from simnet.studies.verdict_table import MADE_UP, Data, Headline, Law, Runs, headline

LEVEL = 0.01  # a simulated number that is less likely than this does not agree
ROUNDING = 1e-9  # the relative rounding error that an exact number may have
INFORMATIVE = 0.5  # the largest width of an interval, relative to its number, that confirms
LONGEST_WHOLE = 1e9  # whole numbers below this are printed in full
MORE = "More trials would decide."
OPEN = (
    "Our trials leave the question open, because at one or more points their intervals allow both "
    "answers."
)
ON_THE_BOUND = (
    "Our trials cannot decide: the number may lie on the bound, and no law shows that it lies "
    "clearly on one side."
)
A_HUNDRED_TIMES = 10  # with a hundred times as many trials an interval is a tenth as wide
DIFFER = (
    "Our law and our runs contradict each other. One of them is wrong, or chance misled our runs."
)
Bound = Literal["", "at least", "at most"]


@attrs.frozen
class Stated:
    """What the paper states in words, without printing a number.

    `number` is the number that the words stand for. For example, "at least as large" says of the
    quotient of two values that it is at least 1: the number 1, with the bound "at least". Without a
    number, the statement should hold at all places, and the quote reads the share of places at
    which the statement holds.
    """

    number: float | None = None


STATED = Stated()


@attrs.frozen
class Counterpart:
    """The value to compare a quoted number with: what a law expects, and what was measured.

    - `expected` is None if no law gives an expected value.
    - `measured`, and its interval `low..high`, are None if nothing was measured.
    - `spread` is the relative standard deviation of the paper's own number. It is 0 if that number
      is not random, and NaN if the standard deviation is not known.
    - `share` says that the number is the share of places at which a statement holds.
    - `trials` is the number of trials at a point, and `judged_at` names the points of a statement.

    >>> Counterpart(expected=2.0, measured=2.1, low=1.9, high=2.3).holds
    True
    """

    expected: float | None
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float = 0.0
    share: bool = False
    trials: int | None = None
    judged_at: str = ""

    @classmethod
    def of(cls, found: Estimate, runs: int = 0) -> "Counterpart":
        """Return the counterpart for an estimate of the table.

        The paper's number is the mean of `runs` runs of the paper, or exact if `runs` is 0. If the
        estimate is exact and has no expected value, its mean counts as the value of a law, and
        nothing counts as measured.
        """
        if found.exact and found.expected is None:
            return cls(found.mean)
        return cls(
            found.expected,
            found.mean,
            found.low,
            found.high,
            found.spread / runs**0.5 if runs else 0.0,
            trials=found.trials,
        )

    @property
    def law(self) -> float:
        """The expected value. Raises `NoSuchPoint` if no law gives an expected value."""
        if self.expected is None:
            raise NoSuchPoint("no law gives an expected value")
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

    def is_clearly_off(self, bound: float) -> bool:
        """Whether each interval that contains the expected value, and is a tenth as wide as the
        measured one, would keep clear of a bound.
        """
        if self.expected is None or self.low is None or self.high is None:
            return False
        return abs(self.expected - bound) > (self.high - self.low) / A_HUNDRED_TIMES

    def by_law(self, printed: float, rounding: float, bound: Bound) -> tuple[Law, float | None]:
        """Return whether the law agrees with a printed number, and the two-sided probability of the
        number.

        The probability is None for a bound, for a number that is not random, and if the law or the
        spread is not known.
        """
        if self.expected is None or isnan(self.spread):
            return "none", None
        slack = rounding + ROUNDING * abs(self.expected)
        at_most, at_least = self.expected <= printed + slack, self.expected >= printed - slack
        if bound or not self.spread:
            kept = {"": at_most and at_least, "at most": at_most, "at least": at_least}[bound]
            return ("agrees" if kept else "disagrees"), None
        below = self._below(printed + slack, self.expected)
        above = 1 - self._below(printed - slack, self.expected)
        chance = min(1.0, 2 * min(below, above))
        return ("agrees" if chance >= LEVEL else "disagrees"), chance

    def by_runs(self, printed: float, rounding: float, bound: Bound) -> Runs:
        """Return whether our runs confirm a printed number. The page of quoted numbers has the
        rules.
        """
        if self.measured is None or self.low is None or self.high is None:
            return "none"
        if isnan(self.spread):
            return "undecided"
        slack = rounding + ROUNDING * abs(printed)
        below, above = self.low <= printed + slack, self.high >= printed - slack
        if bound:
            surely = (
                self.high <= printed + slack if bound == "at most" else self.low >= printed - slack
            )
            possibly = below if bound == "at most" else above
            return "confirm" if surely else "undecided" if possibly else "contradict"
        if self.share:
            surely = self.low >= printed - slack and self.high <= printed + slack
            return "confirm" if surely else "undecided" if below and above else "contradict"
        if not self._may_be(printed, slack):
            return "contradict"
        narrow = self.high - self.low <= INFORMATIVE * abs(self.measured)
        return "confirm" if narrow else "undecided"

    def answers(
        self, printed: float, rounding: float, bound: Bound
    ) -> tuple[Law, Runs, float | None]:
        """Return what law and runs say of a printed number, and its probability under the law.

        Runs that allow both the printed number and the expected number decide nothing if the law
        says that these two do not agree.
        """
        law, chance = self.by_law(printed, rounding, bound)
        runs = self.by_runs(printed, rounding, bound)
        if law == "disagrees" and runs == "confirm" and self.holds:
            runs = "undecided"
        return law, runs, chance

    def _may_be(self, printed: float, slack: float) -> bool:
        """Return whether the printed number can be a random draw, with the paper's scatter, around
        some mean in our interval.
        """
        low, high = -inf if self.low is None else self.low, inf if self.high is None else self.high
        if low - slack <= printed <= high + slack:
            return True
        nearer = low if printed < low else high
        if not self.spread or not 0 < nearer < inf:
            return False
        if printed < low:
            return 2 * self._below(printed + slack, nearer) >= LEVEL
        return 2 * (1 - self._below(printed - slack, nearer)) >= LEVEL

    def _below(self, value: float, mean: float) -> float:
        """Return the probability of a number of at most `value`, under a gamma law with this mean
        and the relative deviation `spread`.
        """
        from scipy.special import gammainc  # imported only here: scipy loads slowly

        shape = self.spread**-2
        return float(gammainc(shape, max(shape * value / mean, 0.0)))


def reads_as_sentences(note: str) -> bool:
    """Return whether a note begins like a sentence and ends with a full stop.

    It may begin with a capital letter, a digit, a quotation mark or a symbol such as ε, but not
    with a small Latin letter or a space. A note may be empty.

    >>> reads_as_sentences("ε is 1."), reads_as_sentences("the number is 8")
    (True, False)
    """
    return not note or (note.endswith(".") and not note[0].isspace() and not "a" <= note[0] <= "z")


def _sentences(row: "Quote", field: "attrs.Attribute[str]", note: str) -> None:
    if not reads_as_sentences(note):
        raise ValueError(
            f"the notes of a row are complete sentences, which begin with a capital letter, a "
            f"digit or a symbol and end with a full stop; {field.name!r} of the row "
            f"{row.source}: {row.what!r} is {note!r}"
        )


@attrs.frozen
class Quote:
    """A number or statement of a paper, with the functions that read its counterpart off a table.

    - `source` is the place in the paper: its figure, table, equation, theorem or section.
    - `printed` is the number as text; its last digit shows how it was rounded. For a formula,
      `printed` is a function that evaluates it on a table. `STATED` stands for a statement, which
      should hold at all places, and `Stated(number)` for a number that the text says in words.
    - `reading` reads the counterpart off a table, as the paper defines the number.
    - `under` says how the text is read, where it allows several readings. Each reading is a quote
      of its own.
    - `bound` is set if the paper says "at least" or "at most".
    - `correction` says what is wrong in the paper. If the law disagrees with the printed number,
      the number is compared with what `corrected` reads. For a misprint, `instead` evaluates the
      number that was meant, and this number is compared.
    - `why` begins the note if the number does not agree, and the law does not agree with a
      correction either.
    - `data` says where the people come from if a folder of data is given. Without this field, the
      experiment's `data` counts.
    - `points` says at which points of the grid the statement is judged, and why at these points.
    - `tolerance` gives the relative difference that a word such as "about" allows for a formula.
    - `unresolved` is the note if the runs are undecided and more trials would not help.
    - `disputed` says why a fair reader of the paper may come to another verdict.

    `correction`, `why`, `unresolved` and `disputed` are notes for the reader of the page. They are
    complete sentences: `ValueError` is raised for a note that begins with a small letter or does
    not end with a full stop.

    >>> quote = Quote("Sec. 5", "the answer", "42", lambda table: Counterpart(expected=42.0))
    >>> quote.printed
    '42'
    """

    source: str
    what: str
    printed: str | Stated | Callable[[Table], float]
    reading: Callable[[Table], Counterpart]
    correction: str = attrs.field(default="", validator=_sentences)
    corrected: Callable[[Table], Counterpart] | None = None
    instead: Callable[[Table], float] | None = None
    why: str = attrs.field(
        default="The printed number does not follow from the stated setting.", validator=_sentences
    )
    bound: Bound = ""
    under: str = attrs.field(default="", kw_only=True)
    data: Data | None = attrs.field(default=None, kw_only=True)
    points: str = attrs.field(default="", kw_only=True)
    tolerance: Callable[[Table], float] | None = attrs.field(default=None, kw_only=True)
    unresolved: str = attrs.field(default="", validator=_sentences, kw_only=True)
    disputed: str = attrs.field(default="", validator=_sentences, kw_only=True)

    def judge(self, table: Table) -> "Ruling":
        """Return the verdict on the quote; "not run" if the table lacks the number's point.

        The runs decide nothing if the table's numbers have no reading, such as 0 divided by 0.
        """
        try:
            return self._judged(table)
        except BadInput:
            raise
        except (ArithmeticError, ValueError) as error:
            note = _ended(f"The measured numbers allow no reading: {error}")
            trials = min((len(point.rows) for point in table.points().values()), default=None)
            found = Counterpart(None, trials=trials)
            return self._ruling(table, None, found, "none", "undecided", note=note)

    def _judged(self, table: Table) -> "Ruling":
        try:
            printed, rounding = self._printed(table)
        except NoSuchPoint:
            return self._ruling(table, None, Counterpart(None))
        try:
            found = self.reading(table)
        except NoSuchPoint as missing:
            note = _ended(f"There is no number to compare: {missing}")
            return self._ruling(table, printed, Counterpart(None), note=note)
        law, runs, chance = found.answers(printed, rounding, self.bound)
        has_correction = self.corrected is not None or self.instead is not None
        if law == "disagrees" and has_correction:
            try:
                better = found if self.corrected is None else self.corrected(table)
                meant = printed if self.instead is None else self.instead(table)
            except NoSuchPoint:
                return self._ruling(table, printed, Counterpart(None))
            by_law, by_runs, its_chance = better.answers(meant, rounding, self.bound)
            # Without a law the correction is only a note.
            if by_law == "none" and by_runs == "confirm":
                agreed = "Our runs agree with the corrected number."
                note = " ".join(part for part in (self.why, agreed, self.correction) if part)
                return self._ruling(table, printed, found, law, runs, chance, note)
            if by_law != "none":
                found, law, runs, chance = better, by_law, by_runs, its_chance
            if law == "agrees":
                law, note = "with correction", self.correction
                return self._ruling(table, printed, found, law, runs, chance, note)
        note = self._note(law, runs, found, printed)
        return self._ruling(table, printed, found, law, runs, chance, note)

    def _note(self, law: Law, runs: Runs, found: Counterpart, printed: float) -> str:
        if law == "disagrees" or (law == "none" and runs == "contradict"):
            return self.why
        if runs == "contradict":
            return DIFFER
        if runs != "undecided":
            return ""
        if self.unresolved:
            return self.unresolved
        if found.share:
            return OPEN
        return MORE if not self.bound or found.is_clearly_off(printed) else ON_THE_BOUND

    def _printed(self, table: Table) -> tuple[float, float]:
        """Return the printed number, and by how much a value that agrees may differ from it.

        This is half a unit of the number's last digit, the tolerance of a formula, or 0.
        """
        if isinstance(self.printed, Stated):
            return 1.0 if self.printed.number is None else self.printed.number, 0.0
        if not isinstance(self.printed, str):
            number = self.printed(table)
            return number, 0.0 if self.tolerance is None else self.tolerance(table) * abs(number)
        digits = Decimal(self.printed)
        return float(digits), float(Decimal(1).scaleb(int(digits.as_tuple().exponent)) / 2)

    def _ruling(
        self,
        table: Table,
        printed: float | None,
        found: Counterpart,
        law: Law = "none",
        runs: Runs = "none",
        chance: float | None = None,
        note: str = "",
    ) -> "Ruling":
        data = self.data or table.data
        if table.synthetic and data.status != "none needed":
            data = MADE_UP
        points = "; ".join(part for part in (found.judged_at, self.points) if part)
        return Ruling(
            source=self.source,
            what=self.what,
            under=self.under,
            bound=self.bound,
            printed=printed,
            stated=self.printed == STATED,
            in_words=isinstance(self.printed, Stated),
            expected=found.expected,
            measured=found.measured,
            low=found.low,
            high=found.high,
            # A printed formula is not random, so it has no probability.
            chance=chance if isinstance(self.printed, str) else None,
            trials=found.trials,
            points=points,
            law=law,
            runs=runs,
            data=data,
            note=note,
            disputed=self.disputed,
            holds=found.holds,
        )


def _ended(text: str) -> str:
    """Return a text with one full stop at its end."""
    return f"{text.rstrip('.')}."


def number_in_words(number: float) -> str:
    """Return a number as text: a whole number below a billion in full, any other number with four
    significant digits.

    >>> number_in_words(59940.0), number_in_words(0.77931)
    ('59940', '0.7793')
    """
    if abs(number) < LONGEST_WHOLE and abs(number - round(number)) <= ROUNDING * abs(number):
        return f"{number:.0f}"
    return f"{number:.4g}"


@attrs.frozen(kw_only=True)
class Ruling:
    """A quoted number, the values it was compared with, and the verdict in three columns.

    `note` is the correction, or another reason for the verdict; it may be empty. `chance` is the
    two-sided probability of the printed number under the law, if the paper simulated the number.
    `disputed` says why a fair reader may come to another verdict; it is empty for a row that is not
    disputed. `stated` says that the row has the share of places at which a statement holds, and
    `in_words` that the paper does not print the number, but says it in words. `holds` is false only
    if the measured interval lacks the expected value. Numbers that are not known are None.
    """

    source: str
    what: str
    under: str
    bound: str
    printed: float | None
    stated: bool
    in_words: bool
    expected: float | None
    measured: float | None
    low: float | None
    high: float | None
    chance: float | None
    trials: int | None
    points: str
    law: Law
    runs: Runs
    data: Data
    note: str
    disputed: str
    holds: bool

    @property
    def verdict(self) -> Headline:
        """The headline: one word or phrase for law, runs and data together."""
        return headline(self.law, self.runs, self.data.status)

    @property
    def printed_in_words(self) -> str:
        """What the paper prints, as text. For a statement about places this is "stated". If the
        paper gives a number only in words, "stated: " stands before the number.
        """
        if self.stated:
            return "stated"
        if self.printed is None:
            return ""
        number = f"{self.bound} {number_in_words(self.printed)}".strip()
        return f"stated: {number}" if self.in_words else number

    @property
    def interval_in_words(self) -> str:
        """The measured interval as text."""
        if self.low is None or self.high is None:
            return ""
        if not (isfinite(self.low) or isfinite(self.high)):
            return "unknown"
        return f"{number_in_words(self.low)} to {number_in_words(self.high)}"

    def as_json(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        columns = attrs.asdict(self, recurse=False)
        data = {"data": self.data.status, "data_note": self.data.what}
        return {**columns, **data, "verdict": self.verdict}
