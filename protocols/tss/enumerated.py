"""The exact privacy of S2's whole view in a tiny instance of TSS, with every coin played out."""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, log

from protocols.privacy.statement import positive_epsilon
from protocols.tss.script import TSS
from simnet.exhaustive.compare import Comparison
from simnet.stated.privacy import PrivacyStatement

TINY = 9  # users times items, within which all worlds are played out in seconds


def is_tiny(counts: Sequence[int]) -> bool:
    """Whether every coin can be played out while somebody waits.

    With one item there are no neighbours to compare.
    """
    return len(counts) > 1 and sum(counts) > 1 and sum(counts) * len(counts) <= TINY


def s2_enumerated(
    counts: Sequence[int], participation: float, reported: int, gamma: float | None, epsilon: float
) -> PrivacyStatement:
    """δ at ε for the worst replacement of one user's item, whom S2 may be told of beforehand.

    Worlds are kept: asking for another ε of the same instance costs little. Raises `ValueError` for
    parameters that TSS refuses, or an ε that is not positive.
    """
    positive_epsilon(epsilon)
    items = [item for item, count in enumerate(counts, start=1) for _ in range(count)]
    worlds = _worlds(TSS(len(items), len(counts), participation, reported, gamma))
    delta = float(worlds.worst(items, epsilon).compared.delta(epsilon))
    return PrivacyStatement(
        epsilon,
        log(delta) if delta > 0 else -inf,
        "replace",
        "S2: all that it sees",
        f"the users hold {', '.join(map(str, items))}",
        label="enumerated",
    )


@lru_cache(maxsize=1)
def _worlds(protocol: TSS) -> Comparison:
    return Comparison(protocol, "S2")
