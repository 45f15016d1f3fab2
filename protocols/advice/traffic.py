"""What a run sends if nobody drops out: the messages and bytes of a user, and the bytes at the
servers.

The bytes are those of the payloads, without headers.
"""

from math import prod
from typing import Any

import attrs
import numpy as np

from protocols.committee.script import Committee
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.secagg.about import BOX_BYTES, PUBLIC_KEY_BYTES
from protocols.secagg.script import (
    ALIVE,
    BOXES,
    KEYS,
    MASKED,
    OPENED,
    RING,
    SEED,
    SHARES,
    SIGNATURES,
    SIGNED,
    WORDS,
    SecAgg,
)
from protocols.sharing import table1
from protocols.tss.script import TSS
from simnet.values.opaque import SIGNATURE_BYTES
from simnet.values.wire import BIT, OCTET, Manifest, WireType

# What a user sends and gets in secure aggregation; the last of each only in the active variant.
TO_SERVER = (KEYS, SHARES, MASKED, OPENED, SIGNED)
FROM_SERVER = (RING, BOXES, ALIVE, SIGNATURES)


@attrs.frozen
class Traffic:
    """The traffic of a run in which nobody drops out.

    `messages` and `bytes` are what one user sends, in the mean over users and coins. `at_servers`
    are the bytes of all messages that a server sends or receives.

    >>> one_report(users=10, bits=12)
    Traffic(messages=1, bytes=2, at_servers=20)
    """

    messages: float
    bytes: float
    at_servers: float


def one_report(users: int, bits: int) -> Traffic:
    """Return the traffic if every user sends one report of `bits` bits to the server."""
    report = -(-bits // 8)
    return Traffic(1, report, users * report)


def pairwise(protocol: DPDS | DPDG) -> Traffic:
    """Return the traffic of DPDS or DPDG: every user sends one message of N field elements to every
    other user, and one to the server.

    >>> pairwise(DPDS(users=100, items=8, participation=0.5))
    Traffic(messages=100, bytes=700, at_servers=700)
    """
    users = protocol.users
    vector = _bytes((_element(protocol.field.modulus), protocol.items))
    return Traffic(users, users * vector, users * vector)


def two_stage(protocol: TSS) -> Traffic:
    """Return the expected traffic of TSS with additive sharing, if the numbers of holders of any
    two items differ by at most one.

    A user sends its reporting set, one message for each share that it does not keep, and one for
    each item for which it is elected. S1 publishes who is elected for each item, and S2 gets the
    sums.
    """
    n, N = protocol.users, protocol.items  # noqa: N806  # the papers' letters
    support = n // N + (np.arange(N) < n % N)
    rows = table1.tss_in_expectation(protocol, support)

    def expected(role: str, direction: str) -> float:
        entry = (role, "qd", direction, "wire")
        return next(
            row.expected or 0.0
            for row in rows
            if (row.role, row.quantity, row.direction, row.counting) == entry
        )

    item = WireType("Nd", N)
    message = _bytes((item, 1), (_element(protocol.field.modulus), 1))
    reporting_set = _bytes((BIT, N))
    shares = expected("user", "sent")
    announced = 0.0
    for count, items in zip(*np.unique(support, return_counts=True), strict=True):
        first, chances = table1.reporters_law(protocol, int(count))
        elected = np.array([protocol.group_size(first + more) for more in range(len(chances))])
        announced += float(items * (_bytes((item, 1), (WireType("nd", n), elected)) @ chances))
    return Traffic(
        1 + shares,
        reporting_set + shares * message,
        n * reporting_set + (n + 1) * announced + expected("S2", "received") * message,
    )


def secure_aggregation(protocol: SecAgg, neighbours: int) -> Traffic:
    """Return the traffic of secure aggregation in which each user has this number of `neighbours`.

    >>> from protocols.secagg.build import secagg
    >>> secure_aggregation(secagg(users=100, items=30), neighbours=99).messages
    4
    """
    n, checked = protocol.users, int(protocol.active)
    size = secure_aggregation_bytes(protocol, neighbours)
    up, down = (
        sum(size[tag.name] for tag in tags)
        for tags in (TO_SERVER[: 4 + checked], FROM_SERVER[: 3 + checked])
    )
    return Traffic(4 + checked, up, n * (up + down))


def secure_aggregation_bytes(protocol: SecAgg, neighbours: int) -> dict[str, int]:
    """Return the payload bytes of a user's message under each tag, sent or received.

    >>> from protocols.secagg.build import secagg
    >>> secure_aggregation_bytes(secagg(users=100, items=30), neighbours=99)["masked"]
    27
    """
    n, k = protocol.users, neighbours
    keys = 2 * PUBLIC_KEY_BYTES + int(protocol.active) * SIGNATURE_BYTES
    boxes = k * BOX_BYTES
    return {
        KEYS.name: keys,
        RING.name: _bytes((WireType("nd", n), k), (OCTET, k * keys)),
        SHARES.name: boxes,
        BOXES.name: _bytes((BIT, k), (OCTET, boxes)),
        MASKED.name: _bytes((_element(protocol.field.modulus), protocol.items)),
        ALIVE.name: _bytes((BIT, k + 1)),
        SIGNED.name: SIGNATURE_BYTES,
        SIGNATURES.name: _bytes((BIT, k), (OCTET, k * SIGNATURE_BYTES)),
        OPENED.name: _bytes((_element(WORDS.modulus), (k + 1) * prod(SEED))),
    }


def committee(protocol: Committee) -> Traffic:
    """Return the traffic of DPDS with a committee of servers.

    >>> committee(Committee(users=100, items=8, participation=0.5, members=3)).messages
    3
    """
    n, k = protocol.users, protocol.members
    vector = _bytes((_element(protocol.field.modulus), protocol.items))
    lists = 2 * _bytes((BIT, n))
    return Traffic(k, k * vector, k * (n * vector + lists + vector))


def _element(modulus: int) -> WireType:
    return WireType("qd", modulus)


def _bytes(*pieces: tuple[WireType, Any]) -> Any:
    """Return the bytes of a message with so many values of each type, or of many messages if a
    count is an array.
    """
    return Manifest(tuple((wire, (count,)) for wire, count in pieces)).payload_bytes
