"""Claims of a scenario: what collusion sets learn.

Each is judged on the run, or on a copy of it with fewer users.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Protocol

import attrs

from simnet import markup
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import Verdict
from simnet.adversary.whole_view import disclosed_in_short, meets
from simnet.adversary.words import finding_in_short
from simnet.kernel.run import Run
from simnet.stated.about import About


@attrs.frozen
class Chosen:
    """A collusion set that depends on what happened in the run; none if nobody qualifies."""

    words: str
    choose: Callable[[Run], Sequence[str]]

    def __str__(self) -> str:
        return self.words


class Claim(Protocol):
    """What a set of parties is said to learn."""

    @property
    def corrupt(self) -> str | Chosen:
        """The set."""
        ...

    @property
    def words(self) -> str:
        """What it is said to learn."""
        ...

    def holds(self, verdict: Verdict) -> bool:
        """Whether it does."""
        ...


@attrs.frozen
class LearnsNothing:
    """The coalition learns nothing about what honest parties hold.

    With `from_shares` this is said of secret shares alone, whatever honest parties disclose.
    """

    corrupt: str | Chosen
    from_shares: bool = attrs.field(default=False, kw_only=True)

    @property
    def words(self) -> str:
        """What it is said to learn."""
        return "nothing from shares" if self.from_shares else "nothing"

    def holds(self, verdict: Verdict) -> bool:
        """Whether L = 0 and, unless only shares are meant, disclosed values are independent."""
        return meets(verdict, "nothing-from-shares" if self.from_shares else "nothing")


@attrs.frozen
class LearnsOnlyOutput:
    """The coalition learns something, and nothing that the ideal world does not hand it.

    With `from_shares` this is said of secret shares alone, whatever honest parties disclose.
    """

    corrupt: str | Chosen
    from_shares: bool = attrs.field(default=False, kw_only=True)

    @property
    def words(self) -> str:
        """What it is said to learn."""
        return "only the output from shares" if self.from_shares else "only the output"

    def holds(self, verdict: Verdict) -> bool:
        """Whether 0 ≠ L ⊆ F and, unless only shares are meant, disclosed values are independent."""
        return meets(verdict, "output-only-from-shares" if self.from_shares else "output-only")


@attrs.frozen
class SeesNoShares:
    """No share reaches the set: all it sees of honest inputs was perturbed before."""

    corrupt: str | Chosen
    words = "perturbed reports alone"

    def holds(self, verdict: Verdict) -> bool:
        """Whether the protocol states so with a finite ε, and no message belies it."""
        stated = verdict.discrete.disclosure
        return verdict.finding == "no-shares" and stated is not None and stated.epsilon != inf


@attrs.frozen
class Exposes:
    """The set determines single secrets, of `secret_of` if named.

    By the output itself or beyond it.
    """

    corrupt: str | Chosen
    secret_of: str | None = None

    @property
    def words(self) -> str:
        """What it is said to learn."""
        return f"exposes {self.secret_of or 'a user'}"

    def holds(self, verdict: Verdict) -> bool:
        """Whether L holds such a secret, and every attack gives the true value."""
        exposed = [learned for learned in verdict.leaks if learned.exposes]
        named = [
            learned
            for learned in exposed
            if learned.exposes and self.secret_of in (None, learned.exposes.party)
        ]
        return bool(named) and all(learned.value == learned.true for learned in exposed)


@attrs.frozen(eq=False)
class Judged:
    """A claim with the verdict on it; None when its set is empty in this run.

    `users` are those of the run judged.
    """

    claim: Claim
    verdict: Verdict | None
    users: int

    @property
    def holds(self) -> bool:
        """Whether the claim is true; of an empty set it is."""
        return self.verdict is None or self.claim.holds(self.verdict)

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
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
        """Coalition, learned from secret shares, disclosed, expected, and whether that holds."""
        lines = []
        for row in self:
            coalition, expected = str(row.claim.corrupt), row.claim.words
            if row.verdict is None:
                lines.append([coalition, "no such set in this run", "", expected, ""])
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
    """Judge claims on a run of the protocol that `about` is about.

    `progress` is called after each of them, and once before the first.
    """
    sets = [
        claim.corrupt.choose(run) if isinstance(claim.corrupt, Chosen) else claim.corrupt
        for claim in claims
    ]
    judge = Judge([run], run.roster.names, about)
    progress(1)
    judged = []
    for claim, corrupt in zip(claims, sets, strict=True):
        is_empty = not corrupt and isinstance(claim.corrupt, Chosen)
        judged.append(Judged(claim, None if is_empty else judge.verdict(corrupt), run.people))
        progress(1)
    return judged
