"""Theorems of the papers, each with a verdict that is computed.

Theory of operation. A `Theorem` is a numbered statement of a paper: theorem, lemma, corollary,
proposition, definition, remark, or an equation that claims something. (Joy and Gerla number no
theorem, so a claim of a section is a `Theorem`, too.) A theorem has one or more readings, since a
text sometimes allows several readings. The verdict on the first reading is the verdict of the
theorem. Each reading has a `judge`, a function without arguments that returns a `Finding`. Most
judges go through `Instance`s in a fixed order, and stop at the first for which the statement is
false::

    holds    proved          docs/proofs/papers.md proves it, as it is read; the search agrees
             searched        no counterexample among the instances that the finding names
    fails    counterexample  the first in this order, and by how much it fails
    not judged               the finding says why, such as: a definition states no fact

So *holds* with `searched` is no proof.

Example. Lemma 3.1 of Yang et al. has one reading. The judge of the reading enumerates
populations of up to 4 users and all sets of users who take part. The judge finds the printed error
for each of these populations, and so the lemma holds there. The page of proofs proves the lemma for
all populations.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from math import exp, inf, isfinite
from typing import Any, Literal

import attrs

from simnet.stated.privacy import small_in_words, small_number

State = Literal["holds", "fails", "not judged"]
How = Literal["proved", "searched", "counterexample", ""]
Kind = Literal[
    "Theorem", "Lemma", "Corollary", "Proposition", "Definition", "Remark", "Equation", "Section"
]

PAGE = 'the page "Theorems of the papers that hold" in the documentation'
NO_FACT = "a definition states no fact that could be false"
SHOWN = 8  # the most judged instances that a finding keeps
PAPERS = {
    "yang": "Yang et al.",
    "wang": "Wang et al.",
    "jia": "Jia and Gong",
    "joy": "Joy and Gerla",
    "biswas": "Biswas et al.",
}


@attrs.frozen(kw_only=True)
class Instance:
    """A statement at one choice of parameters: what it claims, what is true, and whether it holds.

    `claimed` and `exact` are numbers to show, or None if the statement has no such numbers. With
    `is_log` the numbers are natural logarithms.
    """

    where: Mapping[str, Any]
    holds: bool
    claimed: float | Fraction | None = None
    exact: float | Fraction | None = None
    is_log: bool = False

    @property
    def place(self) -> str:
        """The parameters as text, such as `n = 10, N = 5`."""
        return ", ".join(f"{name} = {_number(value)}" for name, value in self.where.items())

    @property
    def numbers(self) -> tuple[str, str]:
        """The claimed and the exact number as text; empty where there is none."""
        return self._text(self.claimed), self._text(self.exact)

    @property
    def excess(self) -> str:
        """By how much the exact number differs from the claimed one; empty if one is missing."""
        if self.claimed is None or self.exact is None:
            return ""
        claimed, exact = float(self.claimed), float(self.exact)
        if self.is_log:
            return f"{_number(exp(min(exact - claimed, 700)))} times the claimed number"
        if exact == inf:
            return "no finite number bounds it"
        if claimed > 0 and exact > 0:
            return f"{_number(exact / claimed)} times the claimed number"
        return f"off by {_number(exact - claimed)}"

    def _text(self, value: float | Fraction | None) -> str:
        if value is None:
            return ""
        return small_in_words(float(value)) if self.is_log else _number(value)

    @property
    def in_words(self) -> str:
        """A text with the parameters, the claimed and the exact number, and their difference."""
        claimed, exact = self.numbers
        text = self.place
        if exact:
            text += f": claimed {claimed}, exact {exact}" if claimed else f": {exact}"
        return text + (f" ({self.excess})" if self.excess else "")

    def as_json(self) -> dict[str, Any]:
        """Return an object for JSON; later versions keep these keys."""
        return {
            "where": {name: _plain(value) for name, value in self.where.items()},
            "claimed": self._json(self.claimed),
            "exact": self._json(self.exact),
            "excess": self.excess or None,
            "holds": self.holds,
        }

    def _json(self, value: float | Fraction | None) -> float | str | None:
        if value is None:
            return None
        return small_number(float(value)) if self.is_log else float(value)


@attrs.frozen(kw_only=True)
class Finding:
    """The verdict on a statement, and how it was reached.

    `basis` says in words which instances were judged, or why none was. `numbers` says what the
    claimed and the exact numbers are, if the statement itself does not say this. `points` is the
    number of instances judged. `sample` keeps up to `SHOWN` of these instances, the last ones.
    """

    state: State
    how: How
    basis: str
    numbers: str = ""
    points: int = 0
    counterexample: Instance | None = None
    sample: tuple[Instance, ...] = ()
    proof: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return an object for JSON; later versions keep these keys."""
        return {
            "state": self.state,
            "how": self.how or None,
            "basis": self.basis,
            "numbers": self.numbers or None,
            "points": self.points,
            "counterexample": None
            if self.counterexample is None
            else self.counterexample.as_json(),
            "proof": self.proof,
        }


Judge = Callable[[], Finding]


def searched(
    instances: Iterable[Instance],
    over: str,
    numbers: str = "",
    proof: str | None = None,
) -> Finding:
    """Return the finding of a search that stops at the first instance that does not hold.

    `over` says in words which instances come. `numbers` says what is claimed
    and what is exact. `proof` names the page that proves the statement for all instances. Raises
    `ValueError` if there is no instance.
    """
    points = 0
    sample: list[Instance] = []
    for points, instance in enumerate(instances, start=1):
        sample = [*sample[-SHOWN + 1 :], instance]
        if not instance.holds:
            return Finding(
                state="fails",
                how="counterexample",
                basis=(
                    f"{over}: instance number {points:,} is the first at which the statement fails"
                ),
                numbers=numbers,
                points=points,
                counterexample=instance,
                sample=tuple(sample),
            )
    if not points:
        raise ValueError(f"there is no instance to judge among {over}")
    checked = f"no counterexample among {points:,}: {over}"
    return Finding(
        state="holds",
        how="proved" if proof else "searched",
        basis=f"proved on {proof}; {checked}" if proof else checked,
        numbers=numbers,
        points=points,
        sample=tuple(sample),
        proof=proof,
    )


def not_judged(why: str) -> Finding:
    """Return the finding on a statement that no computation decides."""
    return Finding(state="not judged", how="", basis=why)


@attrs.frozen(kw_only=True)
class Reading:
    """One way to read a theorem, in words (empty if none are needed), and its judge.

    `mends` is set if the text does not allow this reading: the reading corrects the theorem.
    `disputed` says in complete sentences why a fair reader may read the text in another way; it is
    empty for most readings.
    """

    under: str = ""
    judge: Judge
    mends: bool = False
    disputed: str = ""

    @property
    def finding(self) -> Finding:
        """The finding; it is computed once."""
        return _found(self.judge)


@cache
def _found(judge: Judge) -> Finding:
    return judge()


@attrs.frozen(kw_only=True)
class Theorem:
    """A numbered statement of a paper, and how it is read.

    `paper` is a key of `PAPERS`. `also` names what else belongs to the statement, such as
    equations. `command`, if given, shows more numbers.
    """

    paper: str
    kind: Kind
    number: str
    statement: str
    readings: tuple[Reading, ...]
    also: str = ""
    command: str = ""

    @property
    def name(self) -> str:
        """The name in the paper, such as `Theorem 3.1`."""
        return f"{self.kind} {self.number}"

    @property
    def source(self) -> str:
        """The citation, such as `Yang et al., Theorem 3.1, Eq. 2`."""
        return ", ".join(part for part in (PAPERS[self.paper], self.name, self.also) if part)

    @property
    def finding(self) -> Finding:
        """The verdict on the first reading."""
        return self.readings[0].finding

    @property
    def shown_by(self) -> str:
        """`command` or, if it is empty, the command that shows the verdict."""
        return self.command or f'simnet theorems {self.paper} --show "{self.name}"'

    def as_json(self) -> dict[str, Any]:
        """Return an object for JSON; later versions keep these keys."""
        return {
            "paper": self.paper,
            "name": self.name,
            "source": self.source,
            "statement": self.statement,
            **self.finding.as_json(),
            "readings": [
                {"under": reading.under, **reading.finding.as_json()} for reading in self.readings
            ],
            "command": self.shown_by,
        }


def definition(paper: str, number: str, statement: str, why: str = NO_FACT) -> Theorem:
    """Return a definition that states no fact; `why` says so, perhaps with a remark."""
    return Theorem(
        paper=paper,
        kind="Definition",
        number=number,
        statement=statement,
        readings=one(partial(not_judged, why)),
    )


def one(judge: Judge, under: str = "") -> tuple[Reading, ...]:
    """Return the readings of a theorem that is read in one way."""
    return (Reading(under=under, judge=judge),)


def _number(value: Any) -> str:
    if isinstance(value, Fraction) and value.denominator > 100:
        return f"{float(value):.4g}"
    if isinstance(value, float):
        return f"{value:.4g}" if isfinite(value) else ("∞" if value > 0 else "-∞")
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_number(part) for part in value) + ")"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value
