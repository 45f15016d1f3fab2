"""Privacy statements about a server that sees sampled counts, such as that of DPCS or DPDS.

Every statement names its view and its assumption. It has the exact value, or a bound if its label
says so; the statements of `sampled_run` also have what a theorem of the paper claims, if it claims
anything.

Source: Yang et al., section 3.1.
"""

from collections.abc import Sequence
from math import log, log1p

import attrs

from protocols import checks
from protocols.privacy.bounds import bound
from protocols.privacy.sampled_counts import LARGE_EPSILON, RELATIONS, Relation, profile
from protocols.privacy.statement import statement_of
from protocols.privacy.theorems import claimed_by_the_paper
from simnet.printable import count_of
from simnet.stated.privacy import PrivacyStatement, small_number

COUNTS = "the server: the counts of the sampled users"
USUAL_DELTA = 1e-6


def server_of_sampling(
    counts: Sequence[int],
    participation: float,
    relation: Relation,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    colluders: int = 0,
    dropped: int = 0,
    view: str = COUNTS,
    label: str = "exact",
) -> PrivacyStatement:
    """Return the privacy statement of the server of DPCS or DPDS, at an ε or a δ.

    `counts` are the numbers of users who hold each item, or lower bounds above 0; a 0 says that
    nobody holds the item. The statement also has R1 or R2 as a `bound`. `colluders` of the users
    tell the server whether they took part, and `dropped` users never reported. In the worst case
    all these colluders and drop-outs hold the item of the user in question. For a replacement they
    are subtracted from the counts of the old and the new item, which gives a bound.

    Raises `ValueError` as `sampled_counts.profile` and `statement_of` do, for a negative number of
    colluders or drop-outs, and if these may be all holders of an item.
    """
    honest_counts = _honest(counts, colluders, dropped)
    if honest_counts != list(counts) and relation == "replace" and label == "exact":
        label = "bound"
    return statement_of(
        profile(honest_counts, participation, relation),
        epsilon=epsilon,
        delta=delta,
        closed=bound(honest_counts, participation, relation),
        bound_source="R1" if relation == "remove" else "R2",
        relation=relation,
        view=f"{view}, with {count_of(colluders, 'colluding user')}" if colluders else view,
        assumption=assumption(counts, relation, colluders, dropped),
        label=label,
    )


def _honest(counts: Sequence[int], colluders: int, dropped: int) -> list[int]:
    checks.number_of_users("colluders", colluders)
    checks.number_of_users("dropped", dropped)
    away = colluders + dropped
    if away and min(counts, default=0) <= away:
        raise ValueError(
            f"{count_of(colluders, 'colluder')} and {count_of(dropped, 'drop-out')} may be all "
            f"holders of an item: every count must be above {away}, got {min(counts, default=0)}"
        )
    return [count - away for count in counts]


def assumption(
    counts: Sequence[int], relation: Relation, colluders: int = 0, dropped: int = 0
) -> str:
    """Return the assumption of a statement on these counts, in words.

    Raises `ValueError` for an unknown relation.
    """
    checks.one_of("relation", relation, RELATIONS)
    rarest = sorted(counts)
    fewest = count_of(next(count for count in rarest if count > 0), "holder")
    if relation == "remove":
        words = f"every item that is held has at least {fewest}"
    elif rarest[0] == 0:
        words = (
            f"an item that nobody holds may gain a holder, and every item that is held has at "
            f"least {fewest}"
        )
    elif rarest[0] == rarest[1]:
        words = f"every item has at least {fewest}"
    else:
        words = f"every item has at least {fewest}, and every item but one at least {rarest[1]:,}"
    if colluders or dropped:
        away = f"{count_of(colluders, 'colluder')} and {count_of(dropped, 'drop-out')}"
        words += f"; at worst {away} hold the item of the user in question"
    return words


def sampled_run(
    counts: Sequence[int],
    participation: float,
    epsilon: float | None,
    delta: float | None,
    view: str = COUNTS,
    label: str = "exact",
) -> list[PrivacyStatement]:
    """Return statements for both relations, at ε and at δ, with the claims of the paper's
    theorems.

    By default ε is -ln(1 - p), as in Theorem 3.1, or 700 if p is 1, and δ is 10^-6. With a single
    item there is only the relation `remove`.
    """
    own = -log1p(-participation) if participation < 1 else LARGE_EPSILON
    at = own if epsilon is None else epsilon
    target = USUAL_DELTA if delta is None else delta
    named, claimed = claimed_by_the_paper(counts, participation, at)
    statements = []
    for relation in RELATIONS if len(counts) > 1 else RELATIONS[:1]:
        first = server_of_sampling(
            counts, participation, relation, epsilon=at, view=view, label=label
        )
        second = server_of_sampling(
            counts, participation, relation, delta=target, view=view, label=label
        )
        there = at if claimed is not None and claimed <= log(target) else None
        statements.append(
            attrs.evolve(
                first, claim=named, claimed=None if claimed is None else small_number(claimed)
            )
        )
        statements.append(attrs.evolve(second, claim=named, claimed=there))
    return statements
