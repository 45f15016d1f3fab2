"""Privacy of TSS and TSS′ against their two servers.

S1 sees the reporting sets; S2 sees who is elected, and the sums.

Source: Yang et al., section 3.1.3, Theorems 3.3 and 3.4.
"""

from collections.abc import Sequence
from math import inf

import attrs

from protocols import checks
from protocols.mechanisms.reporting import epsilon_of_set, inclusion
from protocols.privacy.count_statements import sampled_run
from simnet.stated.privacy import PrivacyStatement

WHOLE_S2 = "S2: all that it sees (as post-processing of the counts of the users who take part)"
OUTPUT = "the published counts"
OUTPUT_ONLY = "output only, not S2's view"
SETS = "S1: the reporting set of a user"


def tss_run(
    counts: Sequence[int],
    participation: float,
    reported: int,
    gamma: float | None,
    epsilon: float | None,
    delta: float | None,
) -> list[PrivacyStatement]:
    """Return the privacy statements of S2 and S1 of TSS or TSS′.

    DPDS's profile is a bound for everything that S2 sees (Theorem 3.4): given the counts of the
    users who take part, the joint law of S2's view does not depend on the inputs. The profile of
    the published counts alone is no such bound, because S2 also sees how many users report on each
    item. By default `epsilon` is -ln(1 - p), or 700 if p is 1, and `delta` is 10^-6.
    """
    checks.adaptive_weight(gamma)
    chance = float(participation * inclusion(reported, len(counts), gamma))
    whole = sampled_run(counts, participation, epsilon, delta, WHOLE_S2, "bound")
    output = sampled_run(counts, chance, whole[0].epsilon, delta, OUTPUT, OUTPUT_ONLY)
    return [
        *whole,
        *(attrs.evolve(statement, claim="", claimed=None) for statement in output),
        s1_of_tss(len(counts), reported, participation, gamma),
    ]


def s1_of_tss(
    items: int, reported: int, participation: float, gamma: float | None
) -> PrivacyStatement:
    """Return the privacy statement of S1 of TSS: the exact pure ε of a user's reporting set.

    The statement is about the map from a user's item to its reporting set, for one replaced item.
    Beside ε stands the bound log γ (Theorem 3.3), or 0 without γ. Raises `ValueError` for
    parameters that TSS refuses.

    >>> s1_of_tss(items=10, reported=4, participation=0.5, gamma=None).epsilon
    0.0
    >>> round(s1_of_tss(items=10, reported=4, participation=1.0, gamma=2.0).epsilon, 4)
    0.6931
    """
    checks.users_and_items(2, items)
    checks.positive_chance("participation", participation)
    checks.reported_items(reported, items)
    checks.adaptive_weight(gamma)
    epsilon, closed = epsilon_of_set(reported, items, participation, gamma)
    return PrivacyStatement(
        epsilon,
        -inf,
        "replace",
        SETS,
        "nothing: the statement holds for each user separately",
        closed,
        "log γ (Theorem 3.3)",
        given_delta=0.0,
    )
