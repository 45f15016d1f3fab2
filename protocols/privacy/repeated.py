"""What the server learns from several collections of sampled counts.

The collections are repetitions of one collection, or the collections of several groups of users.
Each collection draws fresh coins, so the privacy loss of all collections together (see `loss`) is
the sum of their losses. If a user is removed, or a user's item is replaced, this change is made in
all collections.
"""

from collections.abc import Sequence
from itertools import product
from math import log, prod
from typing import Any

import attrs

from protocols import checks
from protocols.privacy.composition import Composition, Interval
from protocols.privacy.count_losses import removal, replacement
from protocols.privacy.count_statements import assumption
from protocols.privacy.loss import Pair
from protocols.privacy.sampled_counts import Relation, neighbours
from protocols.privacy.statement import positive_epsilon
from simnet.kernel.limits import refuse_above
from simnet.printable import rounded
from simnet.stated.privacy import PrivacyStatement

ELEMENTS_A_COMPOSITION = 100_000_000  # a composition takes as long as so many elements of messages


@attrs.frozen
class GroupCollections:
    """The collections from one group: how many users hold each item, p, and the number of
    collections.

    `counts` are the holders of each item, `participation` is p, and `times` >= 1 is the number
    of collections. Raises `ValueError` for `times` below 1.

    >>> GroupCollections([33, 40], participation=0.5, times=3).counts
    (33, 40)
    """

    counts: tuple[int, ...] = attrs.field(converter=tuple)
    participation: float
    times: int = 1

    def __attrs_post_init__(self) -> None:
        checks.whole("times", self.times, 1)

    def parts(self, relation: Relation) -> list[list[tuple[Pair, int]]]:
        """Return the privacy losses of a change, and how often they occur, for each change of one
        user that may be the worst (see `neighbours`).
        """
        return [
            [(pair, self.times) for pair in _pairs(counts, self.participation)]
            for counts in neighbours(self.counts, self.participation, relation)
        ]


def _pairs(counts: tuple[int, ...], participation: float) -> Sequence[Pair]:
    if len(counts) == 1:
        return [removal(counts[0], participation)]
    return replacement(counts[0], counts[1], participation)


def server_of_collections(
    collections: Sequence[GroupCollections],
    relation: Relation,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
) -> tuple[PrivacyStatement, Interval]:
    """Return the privacy statement about the server of all these collections, at an ε or at a δ.

    Returns the statement of the upper end, and an interval that contains the exact value for the
    worst changes. With several groups we take the worst change of each group. These may be changes
    of different users, and then the exact value for any one user may be smaller. Raises
    `ValueError` as `sampled_counts.profile` does, for no collections, and unless exactly one of ε >
    0 and 0 < δ < 1 is given. Raises `BadInput` if the worst changes of the groups have more
    combinations than the limit of work allows.

    >>> weekly = GroupCollections([1000, 2000], participation=0.5, times=4)
    >>> statement, interval = server_of_collections([weekly], "remove", delta=1e-6)
    >>> interval.low <= interval.high == statement.epsilon
    True
    """
    if not collections:
        raise ValueError("give at least one collection, got none")
    if (epsilon is None) == (delta is None):
        raise ValueError("give exactly one of epsilon and delta: the other is computed")
    changes = [group.parts(relation) for group in collections]
    combinations = prod(len(of_group) for of_group in changes)
    refuse_above(
        f"composing {rounded(combinations)} combinations of the groups' worst changes",
        elements=ELEMENTS_A_COMPOSITION * combinations,
    )
    worst = [
        Composition([part for parts in combination for part in parts])
        for combination in product(*changes)
    ]
    words = _words(collections, relation)
    if epsilon is not None:
        positive_epsilon(epsilon)
        interval = _largest([composition.delta(epsilon) for composition in worst])
        log_delta = max(composition.log_delta(epsilon) for composition in worst)
        return PrivacyStatement(epsilon, log_delta, **words), interval
    assert delta is not None
    interval = _largest([composition.epsilon(delta) for composition in worst])
    return PrivacyStatement(interval.high, log(delta), given_delta=delta, **words), interval


def _largest(intervals: Sequence[Interval]) -> Interval:
    return Interval(
        max(interval.low for interval in intervals), max(interval.high for interval in intervals)
    )


def _words(collections: Sequence[GroupCollections], relation: Relation) -> dict[str, Any]:
    times = sum(collection.times for collection in collections)
    return {
        "relation": relation,
        "view": (
            f"the server: the counts of the sampled users of {times:,} "
            f"collection{'s' if times > 1 else ''}"
        ),
        "assumption": "; ".join(
            assumption(collection.counts, relation) for collection in collections
        )
        + ", the same every time",
        "label": "upper end",
    }
