"""Claims of a scenario: what it expects that coalitions learn.

Each claim names a coalition and an expected verdict, for example `LearnsNothing("u1")`. `simnet
run` judges the claims on the run itself or, if the run is large, on a copy with fewer users.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Protocol

import attrs

from simnet import markup
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import Verdict
from simnet.adversary.whole_view import Expectation, disclosed_in_short, meets
from simnet.adversary.words import finding_in_short
from simnet.kernel.run import Run
from simnet.stated.about import About


@attrs.frozen
class Chosen:
    """A coalition that depends on what happened in the run.

    `choose` returns the names of the coalition's members. If `choose` returns no name, the claim is
    not judged.
    """

    words: str
    choose: Callable[[Run], Sequence[str]]

    def __str__(self) -> str:
        return self.words


class Claim(Protocol):
    """A statement of what a coalition learns."""

    @property
    def corrupt(self) -> str | Chosen:
        """The coalition that the claim is about."""
        ...

    @property
    def words(self) -> str:
        """What the coalition learns if the claim is true, in words."""
        ...

    def holds(self, verdict: Verdict) -> bool:
        """Return whether a verdict confirms the claim."""
        ...


@attrs.frozen
class LearnsNothing:
    """The claim that a coalition learns nothing about the inputs of honest parties.

    `corrupt` names the coalition, as `simnet verify --corrupt` does. With `from_shares`, the claim
    is only about secret shares: honest parties may disclose values that depend on their inputs.

    >>> LearnsNothing("u1, u2", from_shares=True).words
    'nothing from shares'
    """

    corrupt: str | Chosen
    from_shares: bool = attrs.field(default=False, kw_only=True)

    @property
    def words(self) -> str:
        """What the coalition learns if the claim is true, in words."""
        return "nothing from shares" if self.from_shares else "nothing"

    def holds(self, verdict: Verdict) -> bool:
        """Return whether the coalition learns no function of secrets (L = 0).

        Without `from_shares`, disclosed values must also be independent of the inputs.
        """
        return meets(verdict, "nothing-from-shares" if self.from_shares else "nothing")


@attrs.frozen
class LearnsOnlyOutput:
    """The claim that a coalition learns something, but only what the ideal world gives to the
    coalition.

    `corrupt` names the coalition, as `simnet verify --corrupt` does. With `from_shares`, the claim
    is only about secret shares: honest parties may disclose values that depend on their inputs.

    >>> LearnsOnlyOutput("server").words
    'only the output'
    """

    corrupt: str | Chosen
    from_shares: bool = attrs.field(default=False, kw_only=True)

    @property
    def words(self) -> str:
        """What the coalition learns if the claim is true, in words."""
        return "only the output from shares" if self.from_shares else "only the output"

    def holds(self, verdict: Verdict) -> bool:
        """Return whether the coalition learns something, all of it from its output (0 ≠ L ⊆ F).

        Without `from_shares`, disclosed values must also be independent of the inputs. In an
        aborted run, whose output nobody may have, the coalition may also learn nothing.
        """
        expected: tuple[Expectation, Expectation] = ("output-only", "nothing")
        if self.from_shares:
            expected = ("output-only-from-shares", "nothing-from-shares")
        aborted = any(done.aborts for done in verdict.runs)
        return meets(verdict, expected[0]) or (aborted and meets(verdict, expected[1]))


@attrs.frozen
class SeesNoShares:
    """The claim that a coalition receives no shares: it sees only perturbed reports."""

    corrupt: str | Chosen
    words = "perturbed reports alone"

    def holds(self, verdict: Verdict) -> bool:
        """Return whether the verdict is `no-shares`, and the protocol states a finite ε."""
        stated = verdict.discrete.disclosure
        return verdict.finding == "no-shares" and stated is not None and stated.epsilon != inf


@attrs.frozen
class Exposes:
    """The claim that a coalition can compute some honest party's single secret.

    With `secret_of`, the claim is about a secret of that party. The secret may follow from the
    output alone, or from other messages.

    >>> Exposes("u1, server", secret_of="u2").words
    'exposes u2'
    """

    corrupt: str | Chosen
    secret_of: str | None = None

    @property
    def words(self) -> str:
        """What the coalition learns if the claim is true, in words."""
        return f"exposes {self.secret_of or 'a user'}"

    def holds(self, verdict: Verdict) -> bool:
        """Return whether the coalition learns a single secret as claimed, and all attacks on single
        secrets give the true values.
        """
        exposed = [learned for learned in verdict.leaks if learned.exposes]
        named = [
            learned
            for learned in exposed
            if learned.exposes and self.secret_of in (None, learned.exposes.party)
        ]
        return bool(named) and all(learned.value == learned.true for learned in exposed)


@attrs.frozen(eq=False)
class Judged:
    """A claim and the verdict on its coalition.

    The verdict is None if the claim was not judged, for the reason `why_not`: nobody belongs to the
    coalition in this run, or the run was aborted before anybody could be exposed. `users` is the
    number of users of the run that was judged.
    """

    claim: Claim
    verdict: Verdict | None
    users: int
    why_not: str = "no such coalition in this run"

    @property
    def holds(self) -> bool:
        """Whether the verdict confirms the claim; True for a claim that was not judged."""
        return self.verdict is None or self.claim.holds(self.verdict)

    def as_json(self) -> dict[str, Any]:
        """Return the claim and the verdict for JSON; these keys are stable."""
        answer = (
            {"corrupt": [], "shares": None, "discrete": None}
            if self.verdict is None
            else self.verdict.as_json()
        )
        return {
            **answer,
            "set": str(self.claim.corrupt),
            "claim": self.claim.words,
            "holds": self.holds,
            "users": self.users,
        }


class Adversaries(tuple[Judged, ...]):
    """What coalitions learn, beside what the scenario claims; a notebook shows a table."""

    __slots__ = ()

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(row.holds for row in self)

    def rows(self) -> list[list[str]]:
        """Return a row for each claim: the coalition, what it learned from secret shares, what was
        disclosed, what the scenario expects, and whether the claim holds.
        """
        lines = []
        for row in self:
            coalition, expected = str(row.claim.corrupt), row.claim.words
            if row.verdict is None:
                lines.append([coalition, row.why_not, "", expected, ""])
                continue
            learned, told = finding_in_short(row.verdict), disclosed_in_short(row.verdict)
            lines.append([coalition, learned, told, expected, "holds" if row.holds else "fails"])
        return lines

    def __repr__(self) -> str:
        lines = [
            f"{coalition}: learned from secret shares: {learned}; expected: {expected} {holds}"
            for coalition, learned, _, expected, holds in self.rows()
        ]
        return "\n".join(lines) or "no claims were judged"

    def _repr_html_(self) -> str:
        heads = ["coalition", "learned from secret shares", "disclosed", "expected", ""]
        return markup.table(heads, self.rows())


def judge_claims(
    claims: Sequence[Claim],
    run: Run,
    about: About | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Judged]:
    """Judge claims on a run, whose protocol `about` describes; return one result for each claim.

    `progress` is called once before the first claim, and after each claim.
    """
    sets = [
        claim.corrupt.choose(run) if isinstance(claim.corrupt, Chosen) else claim.corrupt
        for claim in claims
    ]
    judge = Judge([run], run.roster.names, about)
    progress(1)
    judged = []
    for claim, corrupt in zip(claims, sets, strict=True):
        if not corrupt and isinstance(claim.corrupt, Chosen):
            judged.append(Judged(claim, None, run.people))
        elif run.aborts and isinstance(claim, Exposes):
            judged.append(Judged(claim, None, run.people, "not judged: the run was aborted"))
        else:
            judged.append(Judged(claim, judge.verdict(corrupt), run.people))
        progress(1)
    return judged
