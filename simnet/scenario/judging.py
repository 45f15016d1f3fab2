"""Judging the claims of a scenario on a run.

Theory of operation. A claim is judged on the run itself, never on a smaller run in its place: a
script may do something else from some number of users on, for example use a mask twice. There are
two ways to a verdict, elimination and symmetry. They are tried in this order:

1. *Elimination* keeps the linear forms of messages. It is tried first for runs of up to
   `JUDGED_MESSAGES` messages that keep the limits in step 3.
2. *Symmetry* judges larger runs, if many of their parties are alike (`simnet.adversary.orbits`).
   The run is played again, and must do the same as before.
3. Elimination again, for the claims that symmetry does not decide, if the run has no field elements
   or at most `MOST_MESSAGES` messages, `MOST_OCTETS` octets of keys and boxes, and `MOST_PARTIES`
   parties.
4. A claim that is left over is *not judged*: it neither holds nor fails, and the result says why.

Example: DPDS with 5,000 users has 25 million messages. All its claims are judged by symmetry. With
shares of polynomials in place of additive ones symmetry does not apply, so no claim is judged.
"""

from collections.abc import Callable, Mapping, Sequence

import attrs

from simnet.adversary.coalition import Coalition, coalition_of
from simnet.adversary.judge import By, Judge
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.verdict import Verdict
from simnet.adversary.whole_view import discloses_nothing
from simnet.kernel.run import Run
from simnet.scenario.claims import (
    Chosen,
    Claim,
    Exposes,
    Judged,
    LearnsNothing,
    LearnsOnlyOutput,
)
from simnet.stated.about import About
from simnet.stated.disclosure import Disclosure

# Claims on a run with at most so many messages are judged by elimination, without a try by
# symmetry. Elimination then takes some seconds, but minutes if thousands of parties stretch seeds.
JUDGED_MESSAGES = 1_500_000
# The most messages of a run that is judged by elimination: the forms of a message take 300 to
# 600 bytes.
MOST_MESSAGES = 10_000_000
# The most octets of public keys, boxes and signatures of such a run: what is in the boxes takes 100
# to 250 bytes for each octet.
MOST_OCTETS = 25_000_000
# The most field elements of a run that is judged by symmetry: so many take some five minutes.
MOST_ALIKE_ELEMENTS = 10_000_000_000
# The most messages of a run that is judged by symmetry: so many take some ten minutes.
MOST_ALIKE_MESSAGES = 500_000_000
# The most parties of a run with field elements. Both ways take some milliseconds a party.
MOST_PARTIES = 100_000
# The kinds of claims that a verdict by symmetry may decide.
BY_SYMMETRY = (LearnsNothing, LearnsOnlyOutput, Exposes)

# Why a claim that a coalition exposes somebody is not judged: if it failed in an aborted run, this
# would not show that the instruments miss a leak.
ABORTED = (
    "The run was aborted, so messages with which a coalition exposes somebody may never have been "
    "sent. `simnet verify` says what such a coalition learned in this run."
)

Progress = Callable[[float], None]


@attrs.frozen
class Size:
    """The number of parties of a run, of messages that they sent to each other, of field elements,
    and of octets: public keys, boxes and signatures are counted in octets.
    """

    parties: int
    messages: int
    elements: int
    octets: int

    @classmethod
    def of(cls, run: Run) -> "Size":
        """The size of a run."""
        total = run.ledger.total()
        count = total.elements
        return cls(len(run.roster), total.messages, count.get("qd", 0), count.get("od", 0))

    @property
    def is_large(self) -> bool:
        """Whether symmetry is tried first, if it can judge such a run."""
        return self.messages > JUDGED_MESSAGES or not self.fits_elimination

    @property
    def fits_elimination(self) -> bool:
        """Whether elimination judges such a run."""
        return not self.elements or (
            self.messages <= MOST_MESSAGES
            and self.octets <= MOST_OCTETS
            and self.parties <= MOST_PARTIES
        )

    @property
    def ways(self) -> list[By]:
        """The ways to a verdict on such a run, in order."""
        by_symmetry: list[By] = ["symmetry"] * self.is_large
        return by_symmetry + ["elimination"] * self.fits_elimination

    @property
    def too_large_in_words(self) -> str:
        """Why elimination does not judge such a run."""
        if self.parties > MOST_PARTIES:
            return f"{self.parties:,} parties, which is too many (at most {MOST_PARTIES:,})"
        few = self.messages <= MOST_MESSAGES
        count, what, most = (
            (self.octets, "octets of keys and boxes", MOST_OCTETS)
            if few
            else (self.messages, "messages", MOST_MESSAGES)
        )
        return f"{count:,} {what}, which is too many for elimination (at most {most:,})"


def first_way(claims: Sequence[Claim], run: Run) -> By | None:
    """How claims on a run are judged first; None if they cannot be judged."""
    size = Size.of(run)
    if size.is_large and _why_not_alike(claims, run, size) is None:
        return "symmetry"
    return "elimination" if size.fits_elimination else None


def judge_claims(
    claims: Sequence[Claim],
    run: Run,
    about: About | None = None,
    progress: Progress = lambda _: None,
) -> list[Judged]:
    """Judge claims on a run, whose protocol `about` describes; return one result for each claim.

    `progress` is called with the number of steps just made, or with a part of a step. There is one
    step for reading the run, and one for each claim.

    A claim that a coalition exposes a party is not judged if the run was aborted. Raises `BadInput`
    for a claim about somebody who is no party of the run, and `ScriptError` if the run does
    something else when it is played again.
    """
    coalitions = [_coalition(claim, run) for claim in claims]
    found: dict[int, Judged] = {}
    for place, (claim, coalition) in enumerate(zip(claims, coalitions, strict=True)):
        if coalition is None:
            found[place] = Judged(claim, None)
        elif run.aborts and isinstance(claim, Exposes):
            found[place] = Judged(claim, None, not_judged=ABORTED)
    size = Size.of(run)
    reading = _Step(progress)
    reasons: dict[int, str] = {}
    for by in size.ways:
        wanted = {
            place: (claims[place], coalition)
            for place, coalition in enumerate(coalitions)
            if coalition is not None and place not in found
        }
        if wanted:
            decided, reasons = _judged(by, wanted, run, about, reading, progress)
            found.update(decided)
    reading.end()
    for place, claim in enumerate(claims):
        if place not in found:
            found[place] = Judged(claim, None, not_judged=_in_words(reasons[place], size))
        if found[place].verdict is None:
            progress(1)
    return [found[place] for place in range(len(claims))]


def _coalition(claim: Claim, run: Run) -> Coalition | None:
    if isinstance(claim, Exposes) and claim.secret_of is not None:
        run.roster.find(claim.secret_of)  # this call raises an error for a name that no party has
    if not isinstance(claim.corrupt, Chosen):
        return coalition_of(claim.corrupt, run.roster)
    chosen = claim.corrupt.choose(run)
    return coalition_of(chosen, run.roster) if chosen else None


def _observed(coalitions: Sequence[Coalition], run: Run) -> Sequence[str]:
    if any(coalition.network for coalition in coalitions):
        return run.roster.names
    return sorted({name for coalition in coalitions for name in coalition.parties})


class _Step:
    """One step of progress, made in parts."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._made = 0.0

    def add(self, part: float) -> None:
        part = min(part, 1 - self._made)
        if part > 0:
            self._made += part
            self._progress(part)

    def end(self) -> None:
        self.add(1)


Wanted = Mapping[int, tuple[Claim, Coalition]]


def _judged(
    by: By,
    wanted: Wanted,
    run: Run,
    about: About | None,
    reading: _Step,
    progress: Progress,
) -> tuple[dict[int, Judged], dict[int, str]]:
    """Return the claims that are decided in one way, and why the others are not."""
    size = Size.of(run)
    why = None
    if by == "symmetry":
        why = _why_not_alike([claim for claim, _ in wanted.values()], run, size)
    if why is not None:
        return {}, dict.fromkeys(wanted, why)
    try:
        judge = Judge(
            [run],
            _observed([coalition for _, coalition in wanted.values()], run),
            about,
            by=by,
            # The run is played in numbers and read: so each element is moved twice.
            progress=lambda elements: reading.add(elements / (2 * size.elements)),
        )
    except NotAlike as error:
        return {}, dict.fromkeys(wanted, str(error))
    reading.end()
    decided: dict[int, Judged] = {}
    reasons: dict[int, str] = {}
    for place, (claim, coalition) in wanted.items():
        try:
            verdict = judge.verdict(coalition)
            doubt = undecided(claim, verdict)
        except NotAlike as error:
            doubt = str(error)
        if doubt is None:
            decided[place] = Judged(claim, verdict)
            progress(1)
        else:
            reasons[place] = doubt
    return decided, reasons


def _why_not_alike(claims: Sequence[Claim], run: Run, size: Size) -> str | None:
    if not size.elements:
        return "the messages carry no field elements"
    if size.parties > MOST_PARTIES:
        return f"the run has more than {MOST_PARTIES:,} parties"
    if size.elements > MOST_ALIKE_ELEMENTS:
        return (
            f"the run has {size.elements:,} field elements, and symmetry reads at most "
            f"{MOST_ALIKE_ELEMENTS:,}"
        )
    if size.messages > MOST_ALIKE_MESSAGES:
        return f"symmetry reads at most {MOST_ALIKE_MESSAGES:,} messages"
    if run.fates or run.aborts or run.message_fates or run.deadlines or run.late:
        return "parties dropped out or aborted, messages went astray, or a party had a deadline"
    if not any(isinstance(claim, BY_SYMMETRY) for claim in claims):
        return "no claim is of a kind that symmetry judges"
    return None


def undecided(claim: Claim, verdict: Verdict) -> str | None:
    """Why a verdict does not decide a claim; None if it does, as every one by elimination."""
    if verdict.alike is None:
        return None
    if not isinstance(claim, BY_SYMMETRY):
        return "this kind of claim is judged by elimination alone"
    if verdict.finding == "undecided":
        return verdict.notes[-1]
    if isinstance(claim, Exposes):
        if claim.holds(verdict) or verdict.alike.finds_all_exposed:
            return None
        who = claim.secret_of or "nobody"
        does_not = "is not" if claim.secret_of else "is"
        return f"the field has too few elements to say that {who} {does_not} exposed"
    # Symmetry judges disclosed values as if the coalition knew all field elements, unless it learns
    # nothing from them. So a claim may fail only because too much was assumed.
    if verdict.finding != "nothing" and not discloses_nothing(verdict) and not claim.holds(verdict):
        private = attrs.evolve(verdict.discrete, disclosure=_INDEPENDENT)
        if claim.holds(attrs.evolve(verdict, discrete=private)):
            return "what disclosed values tell beside the output is judged by elimination alone"
    return None


_INDEPENDENT = Disclosure(independent=True, epsilon=0.0, tier="proved", argument="")


def _in_words(reason: str, size: Size) -> str:
    return (
        f"The run has {size.too_large_in_words}, and symmetry cannot decide: {reason}. "
        "Judge a run with fewer users, with `simnet verify`."
    )
