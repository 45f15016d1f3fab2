"""Privacy statements from a profile: its δ at an ε, or its ε at a δ, with a closed-form bound."""

from math import inf, log
from typing import Any

from protocols.privacy.profile import Profile, epsilon_at, log_delta_at
from simnet.stated.privacy import PrivacyStatement, small_number


def statement_of(
    profile: Profile,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    closed: Profile | None = None,
    **words: Any,
) -> PrivacyStatement:
    """Return the statement of a profile at an ε or at a δ; `words` are the statement's other
    fields.

    `closed` is a profile in closed form, an upper bound on the first profile. Raises `ValueError`
    unless exactly one of ε > 0 and 0 < δ < 1 is given.
    """
    if (epsilon is None) == (delta is None):
        raise ValueError("give exactly one of epsilon and delta: the other is computed")
    if epsilon is not None:
        positive_epsilon(epsilon)
        bound = None if closed is None else small_number(log_delta_at(closed, epsilon))
        return PrivacyStatement(epsilon, log_delta_at(profile, epsilon), bound=bound, **words)
    assert delta is not None
    least = None if closed is None else epsilon_at(closed, delta)
    return PrivacyStatement(
        epsilon_at(profile, delta), log(delta), bound=least, given_delta=delta, **words
    )


def positive_epsilon(epsilon: float) -> None:
    """Raise `ValueError` for an ε that is not positive and finite."""
    if not 0 < epsilon < inf:
        raise ValueError(f"epsilon is positive and finite, got {epsilon}")
