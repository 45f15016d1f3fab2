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

from math import inf
from typing import Literal

from simnet.adversary.verdict import Verdict

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


def discloses_nothing(verdict: Verdict) -> bool:
    """Whether all disclosed values of honest parties are proved to be independent of their inputs.

    A statement of the protocol itself is no proof.
    """
    disclosure = verdict.discrete.disclosure
    return (
        disclosure is not None
        and disclosure.independent
        and disclosure.tier in ("proved", "enumerated")
    )


def meets(verdict: Verdict, expectation: Expectation) -> bool:
    """Whether a verdict is as expected.

    `nothing` and `output-only` are about the whole view. With `-from-shares` they are about secret
    shares alone.
    """
    if expectation.endswith(FROM_SHARES):
        return verdict.finding == expectation.removesuffix(FROM_SHARES)
    if expectation in ("nothing", "output-only"):
        return verdict.finding == expectation and discloses_nothing(verdict)
    return verdict.finding == expectation


def disclosed_in_words(verdict: Verdict) -> str:
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


def disclosed_in_short(verdict: Verdict) -> str:
    """The text of `disclosed_in_words`, shorter for a table."""
    disclosure = verdict.discrete.disclosure
    if disclosure is None or disclosure.by_itself is None or disclosure.epsilon is None:
        return disclosed_in_words(verdict)
    more = "∞" if disclosure.epsilon == inf else f"{disclosure.epsilon:.4g}"
    return f"{_loss_in_words(disclosure.by_itself)} (with shares {more})"


def _loss_in_words(epsilon: float) -> str:
    return "no finite ε" if epsilon == inf else f"ε ≤ {epsilon:.4g}"


def besides_in_words(verdict: Verdict) -> str:
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
