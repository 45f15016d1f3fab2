"""Claims of a scenario: what it expects that coalitions learn.

Each claim names a coalition and says what it should learn, for example `LearnsNothing("u1")`. See
`simnet.scenario.judging` for how claims are judged.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Protocol

import attrs

from simnet import markup
from simnet.adversary.verdict import Verdict
from simnet.adversary.whole_view import Expectation, disclosed_in_short, meets
from simnet.adversary.words import condition_in_words, finding_in_short
from simnet.kernel.run import Run

NOBODY = "no such coalition in this run"


@attrs.frozen
class Chosen:
    """A coalition that depends on what happened in the run.

    `choose` returns the names of the coalition's members. If `choose` returns no name, there is no
    verdict, and the claim holds.
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

    `corrupt` is the coalition: a text as for `simnet verify --corrupt`, or a `Chosen`. With
    `from_shares`, the claim is only about secret shares: honest parties may disclose values that
    depend on their inputs.

    >>> LearnsNothing("u1, u2", from_shares=True).words
    'nothing from shares'
    """

    corrupt: str | Chosen
    from_shares: bool = attrs.field(default=False, kw_only=True)

    @property
    def words(self) -> str:
        """What the coalition learns if the claim is true: nothing, or nothing from shares."""
        return "nothing from shares" if self.from_shares else "nothing"

    def holds(self, verdict: Verdict) -> bool:
        """Return whether the verdict is `nothing`: no function of secrets is learned (L = 0).

        Without `from_shares`, it must also be proved that disclosed values are independent of the
        inputs.
        """
        return meets(verdict, "nothing-from-shares" if self.from_shares else "nothing")


@attrs.frozen
class LearnsOnlyOutput:
    """The claim that a coalition learns something, but only what the ideal world gives to the
    coalition. In an aborted run the claim also holds if the coalition learns nothing. The fields
    are as for `LearnsNothing`.

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
        """Return whether the coalition learns something, all of it from its output (0 ≠ L ⊆ F), or
        nothing in an aborted run.

        Without `from_shares`, it must also be proved that disclosed values are independent of the
        inputs.
        """
        expected: tuple[Expectation, Expectation] = ("output-only", "nothing")
        if self.from_shares:
            expected = ("output-only-from-shares", "nothing-from-shares")
        return meets(verdict, expected[0]) or (verdict.is_aborted and meets(verdict, expected[1]))


@attrs.frozen
class SeesNoShares:
    """The claim that a run has no secret shares, and that the values that honest parties disclose
    tell a coalition little: they are perturbed, so that their loss of privacy is bounded.
    """

    corrupt: str | Chosen
    words = "perturbed reports alone"

    def holds(self, verdict: Verdict) -> bool:
        """Return whether the verdict is `no-shares`, and disclosed values are independent of the
        inputs or have a finite ε, as simnet found or as the protocol states.
        """
        law = verdict.discrete.disclosure
        if verdict.finding != "no-shares" or law is None:
            return False
        return law.independent or (law.epsilon is not None and law.epsilon < inf)


@attrs.frozen
class Exposes:
    """The claim that a coalition can compute an element of an honest party's secret.

    With `secret_of`, the claim is about a secret of that party.

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
        """Return whether the coalition learns an element of a secret as claimed, and the attacks on
        all elements of secrets that it learns give the true values.
        """
        exposed = verdict.exposed_parties
        is_exposed = bool(exposed) if self.secret_of is None else self.secret_of in exposed
        return is_exposed and verdict.has_true_attacks


@attrs.frozen(eq=False)
class Judged:
    """A claim and the verdict on its coalition.

    The verdict is None if nobody belongs to the coalition in this run, or if the claim was not
    judged. In the second case `not_judged` says why and, where this helps, what to do.
    """

    claim: Claim
    verdict: Verdict | None
    not_judged: str | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the verdict confirms the claim; None for a claim that was not judged.

        A claim about a coalition that has no members in this run holds.
        """
        if self.not_judged is not None:
            return None
        return self.verdict is None or self.claim.holds(self.verdict)

    @property
    def fails(self) -> bool:
        """Whether the claim was judged and does not hold."""
        return self.holds is False

    @property
    def way(self) -> str | None:
        """How the verdict was found: by `elimination` or by `symmetry`; None without a verdict."""
        if self.verdict is None:
            return None
        return "elimination" if self.verdict.alike is None else "symmetry"

    @property
    def learned_in_short(self) -> str:
        """What the coalition learned from secret shares, or why the claim has no verdict."""
        if self.verdict is not None:
            return finding_in_short(self.verdict)
        return NOBODY if self.not_judged is None else "not judged"

    @property
    def holds_in_short(self) -> str:
        """Whether the claim holds, in one word; the text is empty without a verdict."""
        return "" if self.verdict is None else "holds" if self.holds else "fails"

    def as_json(self) -> dict[str, Any]:
        """Return the claim and the verdict for JSON."""
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
            "by": self.way,
            "not_judged": self.not_judged,
        }


class Adversaries(tuple[Judged, ...]):
    """What coalitions learn, beside what the scenario claims."""

    __slots__ = ()

    @property
    def holds(self) -> bool:
        """Whether every claim was judged, and holds."""
        return all(row.holds for row in self)

    @property
    def fails(self) -> bool:
        """Whether some claim fails."""
        return any(row.fails for row in self)

    @property
    def failures_in_words(self) -> str:
        """How many claims fail, such as "1 of 5 claims fails"; and how many were not judged, if
        there are such claims.
        """
        failed = sum(row.fails for row in self)
        left = sum(row.not_judged is not None for row in self)
        rest = f", and {left} {'was' if left == 1 else 'were'} not judged" if left else ""
        claims = "claim" if len(self) == 1 else "claims"
        return f"{failed} of {len(self)} {claims} {'fails' if failed == 1 else 'fail'}{rest}"

    @property
    def not_judged(self) -> Mapping[str, list[str]]:
        """Why claims were not judged: the coalitions by the reason, each reason once."""
        reasons: dict[str, list[str]] = {}
        for row in self:
            if row.not_judged is not None:
                reasons.setdefault(row.not_judged, []).append(str(row.claim.corrupt))
        return reasons

    def notes(self) -> list[str]:
        """What a verdict on an aborted run says, which claims were not judged, and why, and what
        the proofs of verdicts need, as sentences.
        """
        verdicts = [row.verdict for row in self if row.verdict is not None]
        conditions = dict.fromkeys(map(condition_in_words, verdicts))
        not_judged = [
            f"{'No claim was judged' if len(coalitions) == len(self) else who}. {reason}"
            for reason, coalitions in self.not_judged.items()
            for who in [f"Not judged: {'; '.join(coalitions)}"]
        ]
        needed = [f"The verdicts are right {condition}." for condition in conditions if condition]
        return _of_aborted(verdicts) + not_judged + needed

    def rows(self) -> list[list[str]]:
        """Return a row for each claim: the coalition, what it learned from secret shares, what was
        disclosed, what the scenario expects, and whether the claim holds.
        """
        return [
            [
                str(row.claim.corrupt),
                row.learned_in_short,
                "" if row.verdict is None else disclosed_in_short(row.verdict),
                row.claim.words,
                row.holds_in_short,
            ]
            for row in self
        ]

    def __repr__(self) -> str:
        lines = [
            f"{coalition}: learned from secret shares: {learned}; expected: {expected} {holds}"
            for coalition, learned, _, expected, holds in self.rows()
        ]
        lines += self.notes()
        return "\n".join(lines) or "no claims were judged"

    def _repr_html_(self) -> str:
        heads = ["coalition", "learned from secret shares", "disclosed", "expected", "holds?"]
        return markup.table(heads, self.rows()) + "".join(map(markup.paragraph, self.notes()))


def _of_aborted(verdicts: Sequence[Verdict]) -> list[str]:
    """Return a sentence on what verdicts say if the run was aborted; nothing if it was not."""
    aborted = [verdict for verdict in verdicts if verdict.is_aborted]
    if not aborted:
        return []
    outputs = [output for run in aborted[0].runs for output in run.outputs.values()]
    without = " and no party got an output" if all(one is None for one in outputs) else ""
    return [
        f"This run was aborted{without}: a verdict says only what a coalition learned from the "
        'messages that were sent. "The output" is what the ideal world gives to the coalition, '
        "whether or not the run gave it. A coalition that learned nothing also meets the claim "
        "that it learns only the output."
    ]
