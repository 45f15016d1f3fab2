"""What is stated of the two servers of TSS and TSS′: S1 sees reporting sets, S2 shares and sums.

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
    """S2 and S1 of TSS or TSS′.

    DPDS's profile is the bound for all that S2 sees: given the counts of the users who take part,
    the joint law of its view depends on no data (Theorem 3.4). The profile of the published counts
    alone is no such bound, for S2 also sees how many users report on each item. ε and δ are as in
    `sampled_run`.
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
    """S1 of TSS: the exact pure ε of the map from a user's item to its reporting set.

    Its bound is log γ (Theorem 3.3).
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
        "nothing: it holds for every user by itself",
        closed,
        "log γ (Theorem 3.3)",
        given_delta=0.0,
    )
