"""Privacy statements about the views of the two-round mechanism.

In the variant `kept`, an owner answers both rounds by one roll of the die. For a view of both
rounds, as answers or as sums, no ε is then finite if there are two or more legal truths.
"""

from collections.abc import Sequence
from math import inf, log

import attrs

from protocols import checks
from protocols.privacy.profile import epsilon_at, log_delta_at
from protocols.privacy.sampled_counts import Removal
from protocols.privacy.statement import positive_epsilon
from protocols.two_rounds.estimators import Variant
from protocols.two_rounds.mechanism import NONE, TwoRounds
from protocols.two_rounds.privacy import (
    delta_joint,
    epsilon_joint,
    epsilon_round_one,
    epsilon_round_two,
)
from simnet.stated.privacy import PrivacyStatement, small_in_words

SUMS = "the reader: the published sums of both rounds"
DIFFERENCE = "the reader: the difference of the rarest value's sums alone"
BOTH = "whoever links both rounds of an owner"
SECOND = "whoever sees round two of an owner alone"
FIRST = "whoever sees round one of an owner alone"
SENT = "whoever sees all that an owner sends"
NOTHING = "nothing: the statement holds for each owner separately"
LOCAL = "nothing: owners perturb their answers before they send them"
RELATION = "replace"


def statements(
    mechanism: TwoRounds,
    variant: Variant,
    support: Sequence[int],
    epsilon: float | None,
    delta: float | None,
) -> list[PrivacyStatement]:
    """Return the privacy statements; `support` counts the owners who hold each value.

    If truth 0 is legal, the last entry of `support` counts the owners without a value. For the
    variant `kept`, a view with both rounds has ε = inf, whatever ε and δ are requested; beside it
    stands the least δ that is possible at any finite ε. The assumptions of the first two statements
    then say which δ is needed at `epsilon` (by default the ε of round two, if it is finite), and
    whether there is an ε for the given `delta`. Raises `ValueError` for an ε or a δ out of range.
    """
    if delta is not None:
        checks.delta(delta)
    if epsilon is not None:
        positive_epsilon(epsilon)
    second = epsilon_round_two(mechanism)
    if variant == "kept":
        return [
            _of_sums(mechanism, support, SUMS, ">=", second if epsilon is None else epsilon, delta),
            _of_sums(
                mechanism, support, DIFFERENCE, "=", second if epsilon is None else epsilon, delta
            ),
            _of_owner(mechanism, epsilon_joint(mechanism), BOTH, NOTHING, delta),
            _of_owner(
                mechanism, second, SECOND, "nobody sees round one, of this owner or in sums", delta
            ),
            PrivacyStatement(epsilon_round_one(mechanism), -inf, RELATION, FIRST, NOTHING),
        ]
    reader = _of_owner(mechanism, second, "the reader: the published sums", LOCAL, delta)
    return [attrs.evolve(reader, label="bound"), _of_owner(mechanism, second, SENT, NOTHING, delta)]


def _of_owner(
    mechanism: TwoRounds, epsilon: float, view: str, assumption: str, delta: float | None
) -> PrivacyStatement:
    """Return the statement about the answers of one owner.

    If `epsilon` is infinite, δ at a finite ε is at least the probability to be sampled.
    """
    least = log(delta_joint(mechanism, 0)) if epsilon == inf else -inf
    if delta is not None and log(delta) < least:
        assumption += f"; at δ = {delta:g} no ε is finite"
    return PrivacyStatement(epsilon, least, RELATION, view, assumption)


def _of_sums(
    mechanism: TwoRounds,
    support: Sequence[int],
    view: str,
    relation: str,
    epsilon: float,
    delta: float | None,
) -> PrivacyStatement:
    """Return the statement about the sums of both rounds.

    No finite ε has a δ below the probability that all holders of the rarest value are sampled. The
    profile is that of the difference of this value's sums, and all sums together tell at least as
    much. Owners without a value count as holders of a value if no background face answers 0.
    """
    shown = support if not mechanism.background[NONE] else support[: mechanism.values]
    # If nobody holds a value, a neighbouring population has one holder of this value.
    holders = max(min(shown), 1)
    difference = Removal(holders, float(mechanism.sampling))
    who = "1 owner holds" if holders == 1 else f"{holders:,} owners hold"
    held = (
        f"{who} the rarest value" if min(shown) else "a value that nobody holds may gain a holder"
    )
    assumption = f"{held}; no finite ε has a smaller δ"
    if epsilon < inf:
        needed = small_in_words(log_delta_at(difference, epsilon))
        assumption += f"; δ({epsilon:.4g}) {relation} {needed}"
    if delta is not None:
        least = epsilon_at(difference, delta)
        assumption += f"; at δ = {delta:g} " + (
            f"ε {relation} {least:.4g}" if least < inf else "no ε is finite"
        )
    return PrivacyStatement(
        epsilon_joint(mechanism), difference.log_limit, RELATION, view, assumption
    )
