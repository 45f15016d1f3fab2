"""The statement about everything that a coalition sees: secret shares, and disclosed values.

A finding is about field elements: which functions of honest secrets do they determine, given what
was disclosed? A disclosed value may tell something about an input by itself. So we say that a
coalition learns nothing only if its finding is `nothing` *and* all disclosed values of honest
parties have the same law for all inputs. The two are shown together::

    shares     disclosed             the statement
    nothing    independent           learns nothing
    nothing    ε ≤ 0.92              learns nothing from secret shares; disclosed values: ε ≤ 0.92
    nothing    not judged            learns nothing from secret shares; disclosed values: not judged
"""

from collections.abc import Sequence
from math import inf
from typing import Literal, Protocol

from simnet.adversary.discrete import DiscreteView
from simnet.adversary.verdict import ShareFinding

# What a user may expect of a verdict, about the whole view or about secret shares alone.
Expectation = Literal[
    "nothing",
    "nothing-from-shares",
    "output-only",
    "output-only-from-shares",
    "leaks",
    "undecided",
    "no-shares",
]

FROM_SHARES = "-from-shares"


class Found(Protocol):
    """A verdict of any kind: its finding about shares, and what else the coalition sees."""

    @property
    def finding(self) -> ShareFinding:
        """The finding about secret shares."""
        ...

    @property
    def discrete(self) -> DiscreteView:
        """The part of the view that is not shares."""
        ...


class Judgement(Found, Protocol):
    """A verdict of any kind, as claims and tables need it."""

    @property
    def at_least(self) -> ShareFinding:
        """What the coalition certainly learns from secret shares."""
        ...

    @property
    def at_most(self) -> ShareFinding:
        """An upper bound on what the coalition learns from secret shares."""
        ...

    @property
    def is_aborted(self) -> bool:
        """Whether a run that was judged was aborted."""
        ...

    @property
    def exposed_parties(self) -> Sequence[str]:
        """The honest parties of which the coalition determines a single secret."""
        ...

    @property
    def has_true_attacks(self) -> bool:
        """Whether no attack gives a wrong value: for each single secret in L, the combination of
        messages, computed with the numbers of the run, is the secret's value in the run. Always
        true for a verdict by symmetry, which computes no attacks, and if there is no such secret.
        """
        ...


def discloses_nothing(verdict: Found) -> bool:
    """Whether all disclosed values of honest parties are proved to be independent of their inputs.

    A statement of the protocol itself is no proof.
    """
    disclosure = verdict.discrete.disclosure
    return (
        disclosure is not None
        and disclosure.independent
        and disclosure.tier in ("proved", "enumerated")
    )


def meets(verdict: Found, expectation: Expectation) -> bool:
    """Whether a verdict is as expected.

    `nothing` and `output-only` are about the whole view. With `-from-shares` they are about secret
    shares alone.
    """
    if expectation.endswith(FROM_SHARES):
        return verdict.finding == expectation.removesuffix(FROM_SHARES)
    if expectation in ("nothing", "output-only"):
        return verdict.finding == expectation and discloses_nothing(verdict)
    return verdict.finding == expectation


def disclosed_in_words(verdict: Found) -> str:
    """A short text that says what the disclosed values tell about an honest party's input."""
    disclosure = verdict.discrete.disclosure
    if disclosure is None:
        return "not judged"
    stated = ", as the protocol states" if disclosure.tier == "stated" else ""
    if disclosure.independent:
        loss = "independent"
    elif disclosure.epsilon is None:
        return "not judged"
    else:
        loss = _loss_in_words(disclosure.epsilon)
    if disclosure.by_itself is None:
        return f"{loss}{stated}"
    return f"{_loss_in_words(disclosure.by_itself)} alone, {loss} given what shares tell"


def disclosed_in_short(verdict: Found) -> str:
    """The text of `disclosed_in_words`, shorter for a table."""
    disclosure = verdict.discrete.disclosure
    if disclosure is None or disclosure.by_itself is None or disclosure.epsilon is None:
        return disclosed_in_words(verdict)
    more = "∞" if disclosure.epsilon == inf else f"{disclosure.epsilon:.4g}"
    return f"{_loss_in_words(disclosure.by_itself)} (with shares {more})"


def _loss_in_words(epsilon: float) -> str:
    return "no finite ε" if epsilon == inf else f"ε ≤ {epsilon:.4g}"


def besides_in_words(verdict: Found) -> str:
    """The end of a sentence about shares, which says what disclosed values tell.

    The text is empty if it is proved that disclosed values tell nothing.
    """
    if discloses_nothing(verdict):
        return ""
    words = disclosed_in_words(verdict)
    if words == "not judged":
        return "; disclosed values: not judged"
    return f"; disclosed values: {words}"


FINDINGS_IN_WORDS: dict[str, str] = {
    "nothing": "nothing",
    "output-only": "only the output",
    "leaks": "more than the output",
    "no-shares": "no shares",
    "undecided": "undecided",
}
