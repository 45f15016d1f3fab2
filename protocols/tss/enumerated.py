"""The exact privacy of S2's whole view in a tiny instance of TSS, by playing out every coin."""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, log

from protocols.privacy.statement import positive_epsilon
from protocols.tss.script import TSS
from simnet.errors import BadInput
from simnet.exhaustive.compare import Comparison
from simnet.printable import count_of
from simnet.stated.privacy import PrivacyStatement

TINY = 9  # up to this product of users and items, all coin outcomes are played out in seconds


def is_tiny(counts: Sequence[int]) -> bool:
    """Return whether the instance is so small that every coin can be played out in seconds.

    The instance must have at least two users, and at least two items: with one item there are no
    neighbouring inputs.
    """
    return len(counts) > 1 and sum(counts) > 1 and sum(counts) * len(counts) <= TINY


def s2_enumerated(
    counts: Sequence[int], participation: float, reported: int, gamma: float | None, epsilon: float
) -> PrivacyStatement:
    """Return the exact δ of S2's view at ε, for the worst replacement of one user's item.

    Raises `ValueError` for parameters that TSS refuses and for an ε that is not positive and
    finite, and `BadInput` if users times items exceed `TINY`.
    """
    positive_epsilon(epsilon)
    if sum(counts) * len(counts) > TINY:
        raise BadInput(
            f"all coins are played out only if users times items are at most {TINY}, "
            f"got {count_of(sum(counts), 'user')} and {count_of(len(counts), 'item')}"
        )
    items = [item for item, count in enumerate(counts, start=1) for _ in range(count)]
    worlds = _worlds(TSS(len(items), len(counts), participation, reported, gamma))
    delta = float(worlds.worst(items, epsilon).compared.delta(epsilon))
    return PrivacyStatement(
        epsilon,
        log(delta) if delta > 0 else -inf,
        "replace",
        "S2: all that it sees",
        f"the users hold the items {', '.join(map(str, items))}",
        label="enumerated",
    )


@lru_cache(maxsize=1)
def _worlds(protocol: TSS) -> Comparison:
    return Comparison(protocol, "S2")
