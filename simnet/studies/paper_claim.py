"""Claims of papers: a number that a paper prints, or a statement, and one judge for all of them.

A claim has up to two counterparts. Its *law* is what follows without any trial: a number, or a
search for a counterexample. Its *runs* are what our own trials measured. The judge gives one of six
verdicts, by these rules; the first that applies decides:

1. If law and runs contradict each other, the claim *cannot be checked*.
2. On data that are not the paper's, a claim *cannot be checked* unless its law needs no data.
3. A claim that agrees with the law is *right*. A number agrees if the law's number rounds to it, a
   bound if the law's number keeps it, a number that the paper simulated if its two-sided
   probability under the law is at least `LEVEL`, and a statement if it holds at all instances.
4. A claim that does not agree *holds under a condition* if one is named under which it does. It is
   *wrong, corrected* if we know what the paper should say, and otherwise *wrong*.
5. Without a law our runs decide: *right* if they confirm the claim, *differs in our runs* if they
   exclude it. If they leave it open, it *cannot be checked*.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from math import exp, inf, isfinite, isnan
from typing import Any, Literal

import attrs

from simnet.errors import BadInput
from simnet.studies.data import FAITHFUL, MADE_UP, NONE_NEEDED, Data
from simnet.studies.search import Search, quotient
from simnet.studies.table import Estimate, NoSuchPoint, Table

LEVEL = 0.01  # a simulated number that is less likely than this does not agree
ROUNDING = 1e-9  # the relative rounding error that an exact number may have
INFORMATIVE = 0.5  # the largest width of an interval, relative to its number, that confirms
LONGEST_WHOLE = 1e9  # whole numbers below this are printed in full
Bound = Literal["", "at least", "at most"]
LawAnswer = Literal["agrees", "disagrees", "none"]
RunsAnswer = Literal["confirm", "undecided", "contradict", "none"]
Verdict = Literal[
    "right",
    "wrong",
    "wrong, corrected",
    "holds under a condition",
    "cannot be checked",
    "differs in our runs",
]
WRONG: tuple[Verdict, ...] = ("wrong", "wrong, corrected")
OTHER_DATA = "Other data"  # begins the reason why a claim on other data cannot be checked
Law = Callable[[], "float | Search"]


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

    def by_law(
        self, printed: float, rounding: float, bound: Bound
    ) -> tuple[LawAnswer, float | None]:
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

    def by_runs(self, printed: float, rounding: float, bound: Bound) -> RunsAnswer:
        """Return whether our runs confirm a printed number. A confirming interval keeps the bound
        as a whole; without a bound it contains the number, and is narrow.
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
    ) -> tuple[LawAnswer, RunsAnswer, float | None]:
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


def _sentences(claim: "PaperClaim", field: "attrs.Attribute[str]", note: str) -> None:
    if not reads_as_sentences(note):
        raise ValueError(
            f"notes are complete sentences, which begin with a capital letter, a digit or a symbol "
            f"and end with a full stop; {field.name!r} of the claim {claim.name!r} is {note!r}"
        )


def _note() -> Any:
    return attrs.field(default="", validator=_sentences, kw_only=True)


@attrs.frozen
class PaperClaim:
    """A number or statement of a paper, with what it is compared with.

    - `name` is unique in the paper, such as "Theorem 3.1" or "Table II, s1, weight 2", and `source`
      is the place in the paper. `words` say what the paper says, and how it is read.
    - `printed` is the number as text, whose last digit shows how it was rounded, or a function that
      evaluates the printed formula. `STATED` stands for a statement, and `Stated(number)` for a
      number that the text says in words.
    - `law` gives the exact number or, for a statement, the result of a search, or the share of
      places at which it holds. A law needs no data. `runs` reads a counterpart off a table.
    - `bound` is set if the paper says "at least" or "at most"; `tolerance` is the relative
      difference that a word such as "about" allows.
    - `correction` says what the paper should say. `instead` evaluates the corrected number; it must
      agree with the law.
    - `condition` names what the paper does not say and the claim needs; `under` is the law then.
    - `why` is the reason for the verdict, and `check` says how to check it by hand, or which
      command does. `proved` says that a page of the documentation proves the statement.
    - `data` says where the people come from if they are not the experiment's.
    - `top` is a short sentence for the page of what is wrong in the papers.
    - `at` gives the claimed and the exact number for parameters of one's own.

    `correction`, `condition`, `why` and `top` are sentences: `ValueError` is raised for a
    note that begins with a small letter or does not end with a full stop.

    >>> claim = PaperClaim("answer", "Sec. 5", "the answer", "42", lambda: 42.0)
    >>> claim.judge().verdict
    'right'
    """

    name: str
    source: str
    words: str
    printed: str | Stated | Callable[[], float] = STATED
    law: Law | None = None
    runs: Callable[[Table], Counterpart] | None = None
    bound: Bound = attrs.field(default="", kw_only=True)
    tolerance: float = attrs.field(default=0.0, kw_only=True)
    correction: str = _note()
    instead: Callable[[], float] | None = attrs.field(default=None, kw_only=True)
    condition: str = _note()
    under: Law | None = attrs.field(default=None, kw_only=True)
    why: str = _note()
    check: str = attrs.field(default="", kw_only=True)
    proved: bool = attrs.field(default=False, kw_only=True)
    data: Data | None = attrs.field(default=None, kw_only=True)
    top: str = _note()
    at: Callable[..., tuple[float, float]] | None = attrs.field(default=None, kw_only=True)

    def read(self, table: Table) -> Counterpart | None:
        """Return what the trials of a table say; None if the table lacks the claim's points, or if
        its numbers allow no reading, such as 0 divided by 0.
        """
        if self.runs is None:
            return None
        try:
            return self.runs(table)
        except BadInput:
            raise
        except (NoSuchPoint, ArithmeticError, ValueError):
            return None

    def of_table(self, table: Table) -> "Judged":
        """Return the verdict with the trials of a table."""
        return self.judge(self.read(table), self.data_of(table))

    def data_of(self, table: Table) -> Data:
        """Return where the people of the table's trials came from, as far as the claim needs it."""
        data = self.data or table.data
        return MADE_UP if table.synthetic and data.status != "none needed" else data

    def judge(self, found: Counterpart | None = None, data: Data = NONE_NEEDED) -> "Judged":
        """Return the verdict, with what our runs gave and where their people came from."""
        search, runs = None, found or Counterpart(None)
        if self.law is not None:
            search, number = _evaluated(self.law)
            runs = attrs.evolve(
                runs, expected=number, share=runs.share or isinstance(self.printed, Stated)
            )
            data = NONE_NEEDED
        printed, rounding = self._printed()
        law, by_runs, chance = runs.answers(printed, rounding, self.bound)
        verdict, reason = self._verdict(law, by_runs, runs, data, rounding)
        if verdict == "wrong" and self._is_corrected(runs):
            verdict = "wrong, corrected"
        return Judged(self, verdict, reason, printed, runs, search, chance, data)

    def _verdict(
        self,
        law: LawAnswer,
        runs: RunsAnswer,
        found: Counterpart,
        data: Data,
        rounding: float,
    ) -> tuple[Verdict, str]:
        if not found.holds:
            return "cannot be checked", "Our law and our runs contradict each other."
        if data.status not in FAITHFUL:
            return "cannot be checked", f"{OTHER_DATA} ({data.in_words})."
        if law == "agrees":
            return "right", ""
        if law == "disagrees":
            if self.under is not None:
                under = attrs.evolve(found, expected=_evaluated(self.under)[1], measured=None)
                if under.by_law(self._printed()[0], rounding, self.bound)[0] == "agrees":
                    return "holds under a condition", self.condition
            return "wrong", ""
        if runs == "confirm":
            return "right", ""
        if runs == "contradict":
            return "differs in our runs", ""
        missing = "Our runs leave it open." if runs == "undecided" else "It was not run."
        return "cannot be checked", missing

    def _is_corrected(self, found: Counterpart) -> bool:
        if self.instead is None or found.expected is None:
            return bool(self.correction)
        slack = max(self.tolerance, ROUNDING) * abs(found.expected)
        return abs(self.instead() - found.expected) <= slack

    def _printed(self) -> tuple[float, float]:
        """Return the printed number, and by how much a value that agrees may differ from it: half
        a unit of the number's last digit, the tolerance of a formula, or 0.
        """
        if isinstance(self.printed, Stated):
            return 1.0 if self.printed.number is None else self.printed.number, 0.0
        if not isinstance(self.printed, str):
            number = float(self.printed())
            return number, self.tolerance * abs(number)
        digits = Decimal(self.printed)
        return float(digits), float(Decimal(1).scaleb(int(digits.as_tuple().exponent)) / 2)


@cache  # a search may take a second, and several pages show its result
def _evaluated(law: Law) -> tuple[Search | None, float]:
    value = law()
    if isinstance(value, Search):
        return value, float(value.holds)
    return None, float(value)


def number_in_words(number: float) -> str:
    """Return a number as text: a whole number below a billion in full, any other number with four
    significant digits.

    >>> number_in_words(59940.0), number_in_words(0.77931)
    ('59940', '0.7793')
    """
    if abs(number) < LONGEST_WHOLE and abs(number - round(number)) <= ROUNDING * abs(number):
        return f"{number:.0f}"
    return f"{number:.4g}"


@attrs.frozen
class Judged:
    """A claim with its verdict, and the numbers behind it.

    `reason` is the condition under which the claim holds, or why it cannot be checked. `chance` is
    the two-sided probability of a simulated number under the law.
    """

    claim: PaperClaim
    verdict: Verdict
    reason: str
    printed: float
    found: Counterpart
    search: Search | None
    chance: float | None
    data: Data

    @property
    def holds(self) -> bool:
        """Whether the measured interval contains the expected number."""
        return self.found.holds

    @property
    def is_statement(self) -> bool:
        """Whether the claim is a statement without a number."""
        return self.claim.printed == STATED

    @property
    def factor(self) -> float | None:
        """The printed number, or the claimed one of a counterexample, divided by the right one."""
        if self.verdict not in WRONG:
            return None
        if self.search is not None and self.search.counterexample is not None:
            return self.search.counterexample.factor
        if self.is_statement or self.found.expected is None:
            return None
        return quotient(self.printed, self.found.expected)

    @property
    def numbers(self) -> tuple[float | None, float | None]:
        """The printed number and the exact one; those of a counterexample, if there is one."""
        if self.search is None:
            return None if self.is_statement else self.printed, self.found.expected
        worst = self.search.counterexample
        if worst is None or worst.claimed is None or worst.exact is None:
            return None, None
        claimed, exact = float(worst.claimed), float(worst.exact)
        return (exp(claimed), exp(exact)) if worst.is_log else (claimed, exact)

    @property
    def in_words(self) -> str:
        """The verdict, with the factor if a wrong number has one."""
        factor = self.factor
        if factor is None or 0.995 < factor < 1.005:
            return self.verdict
        times = factor if factor >= 1 else 1 / factor
        amount = f"{times:.3g}" if times < 1e4 else f"{times:.1e}"
        return f"{self.verdict}: {amount} times too {'large' if factor > 1 else 'small'}"

    @property
    def printed_in_words(self) -> str:
        """What the paper prints, or says, as text; nothing for a statement."""
        if self.is_statement:
            return ""
        text = self.claim.printed
        number = text if isinstance(text, str) else number_in_words(self.printed)
        return f"{self.claim.bound} {number}".strip()

    @property
    def exact_in_words(self) -> str:
        """The law's number as text. For a statement: at which share of the points it holds."""
        expected = self.found.expected
        if expected is None:
            return ""
        if not self.is_statement:
            return number_in_words(expected)
        if self.search is not None or expected in (0.0, 1.0):
            return "holds" if expected else "fails"
        return f"holds at {expected:.0%}".replace("%", " %")

    @property
    def measured_in_words(self) -> str:
        """The measured number with its interval as text, or "open" for a statement not decided."""
        found = self.found
        if found.measured is None:
            return ""
        if found.share and (found.low, found.high) == (0.0, 1.0):
            return "open"
        text = number_in_words(found.measured)
        if found.low is None or found.high is None or not isfinite(found.high - found.low):
            return text
        if found.low == found.high:
            return text
        return f"{text} ({number_in_words(found.low)} to {number_in_words(found.high)})"

    @property
    def why(self) -> str:
        """Why the verdict is as it is, as sentences."""
        claim, proof = self.claim, ""
        if self.search is not None:
            proof = self.search.in_words
            if claim.proved and self.search.holds:
                proof = 'Proved: see "Theorems of the papers that hold" in the documentation.'
        fails = self.verdict in WRONG
        parts = (self.reason, claim.correction if fails else "", claim.why, proof)
        return " ".join(part for part in parts if part)

    @property
    def rests_on_chance(self) -> float:
        """The probability with which chance makes the verdict wrong, if the claim is right."""
        if self.verdict == "cannot be checked" or (self.chance is None and self.claim.law):
            return 0.0
        if self.chance is not None:
            return LEVEL
        return 0.001 if self.found.expected is None and self.found.measured is not None else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the claim and its verdict for JSON."""
        printed, exact = self.numbers
        return {
            "name": self.claim.name,
            "source": self.claim.source,
            "words": self.claim.words,
            "verdict": self.verdict,
            "printed": printed,
            "exact": exact,
            "measured": self.found.measured,
            "factor": self.factor,
            "why": self.why,
            "check": self.claim.check,
        }
