"""The cost of a run of Sampling Privacy, derived from the steps of the protocol."""

from protocols.sharing.schemes import Sharing
from simnet.stated.bill import EntryDirection, EntryScope, Expectation


def costs(
    users: int, aggregators: int, symbols: int, rounds: int, sharing: Sharing
) -> list[Expectation]:
    """Return the bill of a run.

    In each round every user shares one vector among the aggregators, who add up shares and report
    to the reader.
    """
    n, m, size = users, aggregators, symbols * rounds
    cost, recovery = sharing.share_cost(m), sharing.recovery_cost(m)
    return [
        _work("user", "FS", "per-user", cost.draws * size),
        _work("user", "FA", "per-user", cost.additions * size),
        _work("user", "FM", "per-user", cost.products * size),
        _work("aggregator", "FA", "total", m * (n - 1) * size),
        _work("reader", "FA", "total", recovery.additions * size),
        _work("reader", "FM", "total", recovery.products * size),
        _elements("user", "sent", "per-user", m * size),
        _elements("aggregator", "received", "total", n * m * size),
        _elements("aggregator", "sent", "total", m * size),
        _elements("reader", "received", "total", m * size),
        Expectation("aggregator", "communication", "rounds", "none", "total", "wire", 1, 1),
    ]


def _work(role: str, operation: str, scope: EntryScope, count: int) -> Expectation:
    return Expectation(role, "computation", operation, "none", scope, "wire", count, count)


def _elements(role: str, direction: EntryDirection, scope: EntryScope, count: int) -> Expectation:
    return Expectation(role, "communication", "qd", direction, scope, "wire", count, count)
