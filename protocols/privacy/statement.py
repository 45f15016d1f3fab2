"""A privacy statement: which ε and δ hold, between which neighbours, for whose view, on what
assumption.
"""

from math import exp, floor, inf, log
from typing import Any

import attrs

from protocols.privacy.profile import Profile, epsilon_at, log_delta_at


@attrs.frozen
class Statement:
    """A pair of ε and δ with all that it depends on.

    `bound` is what a closed form, named in `bound_source`, gives for the number that was asked: for
    δ when ε was given, for ε when δ was; of a pure ε it is a bound on that. A δ below every float
    is text, here as in JSON.
    """

    epsilon: float
    log_delta: float  # ln δ, -inf for pure ε
    relation: str
    view: str
    assumption: str
    bound: float | str | None = None
    bound_source: str = ""
    label: str = "exact"  # or "bound", or what else keeps it from being taken for more than it is
    given_delta: float | None = None  # where δ was given, and not ε
    claimed: float | str | None = None  # what a paper's theorem gives for the other one
    claim: str = ""

    @property
    def log10_delta(self) -> float:
        """The decimal logarithm of δ."""
        return self.log_delta / log(10)

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on; a δ below the smallest float is given as text."""
        return {
            "epsilon": self.epsilon,
            "delta": small(self.log_delta) if self.given_delta is None else self.given_delta,
            "log10_delta": self.log10_delta,
            "relation": self.relation,
            "bound": self.bound,
            "bound_source": self.bound_source,
            "view": self.view,
            "assumption": self.assumption,
            "label": self.label,
            "claimed": self.claimed,
            "claim": self.claim,
        }

    @property
    def whose(self) -> str:
        """The view, and how far to trust the numbers for it."""
        return self.view if self.label == "exact" else f"{self.view} ({self.label})"

    def row(self) -> dict[str, str]:
        """The numbers as a line of a table, by column."""
        other = "δ" if self.given_delta is None and self.log_delta > -inf else "ε"
        return {
            "relation": self.relation,
            "ε": f"{self.epsilon:.4g}",
            "δ": small_in_words(self.log_delta),
            self.claim or "claimed": ""
            if self.claimed is None
            else f"{other} {_short(self.claimed)}",
            "closed form": ""
            if self.bound is None
            else f"{other} {_short(self.bound)} ({self.bound_source})",
        }


def stated(
    profile: Profile,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    closed: Profile | None = None,
    **words: Any,
) -> Statement:
    """The statement of a profile at an ε, or at a δ; `words` are its other fields.

    `closed` is a profile that bounds it. Raises `ValueError` unless exactly one of ε > 0 and 0 < δ
    < 1 is given.
    """
    if (epsilon is None) == (delta is None):
        raise ValueError("give one of epsilon and delta: the other is worked out")
    if epsilon is not None:
        positive_epsilon(epsilon)
        bound = None if closed is None else small(log_delta_at(closed, epsilon))
        return Statement(epsilon, log_delta_at(profile, epsilon), bound=bound, **words)
    assert delta is not None
    least = None if closed is None else epsilon_at(closed, delta)
    return Statement(
        epsilon_at(profile, delta), log(delta), bound=least, given_delta=delta, **words
    )


def positive_epsilon(epsilon: float) -> None:
    """Raise `ValueError` unless ε is positive and finite."""
    if not 0 < epsilon < inf:
        raise ValueError(f"epsilon is positive and finite, got {epsilon}")


def counted(count: int, noun: str) -> str:
    """How many of what: `1 user`, `1,000 users`."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def small(log_value: float) -> float | str:
    """A number from its natural logarithm: as text where it is below the smallest float that has
    all its digits.
    """
    if log_value == -inf or log_value > log(1e-307):
        return exp(log_value)
    exponent = log_value / log(10)
    return f"{10 ** (exponent - floor(exponent)):.6f}e{floor(exponent)}"


def _short(value: float | str) -> str:
    if isinstance(value, str):
        mantissa, _, exponent = value.partition("e")
        return f"{float(mantissa):.2f}e{exponent}"
    return f"{value:.3g}"


def small_in_words(log_value: float) -> str:
    """A probability from its natural logarithm, with three digits."""
    if log_value == -inf:
        return "0"
    exponent = log_value / log(10)
    if exponent > -300:
        return f"{exp(log_value):.3g}"
    return f"{10 ** (exponent - floor(exponent)):.2f}e{floor(exponent)}"
