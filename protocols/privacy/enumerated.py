"""The exact privacy of S2's whole view in a tiny instance of TSS, with every coin played out."""

from collections.abc import Sequence
from math import inf, log

from protocols.privacy.statement import Statement, positive_epsilon
from protocols.secure.tss import TSS
from simnet.exhaustive.compare import Comparison

TINY = 4  # users


def s2_enumerated(
    counts: Sequence[int], participation: float, reported: int, gamma: float | None, epsilon: float
) -> Statement:
    """δ at ε for the worst replacement of one user's item, whom S2 may be told of beforehand."""
    positive_epsilon(epsilon)
    held = [item for item, count in enumerate(counts, start=1) for _ in range(count)]
    protocol = TSS(len(held), len(counts), participation, reported, gamma)
    delta = float(Comparison(protocol, "S2").worst(held, epsilon).compared.delta(epsilon))
    return Statement(
        epsilon, log(delta) if delta > 0 else -inf, "replace", "S2: all that it sees",
        f"the users hold {', '.join(map(str, held))}", label="enumerated",
    )  # fmt: skip
