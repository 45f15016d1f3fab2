"""How long a protocol takes on a network if nobody drops out, for few users and for many.

There are three ways to find out:

- *A formula*, for DPDS and DPDG with additive sharing, a committee with Shamir's sharing, and
  secure aggregation, on networks without jitter, lost packets and relays. In secure aggregation
  and with a committee every user talks to servers alone. In DPDS and DPDG the n - 1 shares for user
  j begin to arrive at two times only. User i sends its rows in the order of the recipients and
  leaves itself out. So the users before j have one row less to send before the row for j than the
  users after j.
- *A log without a run*, for the same protocols on other networks. From this log the clock computes
  the time; it looks at every message.
- *A run*, for all other protocols, such as TSS, in which coins decide who sends to whom.

Example. Two users share vectors that take 1 s on an uplink, and latencies are 0. After 1 s, user 1
has the share of user 2 and user 2 has the share of user 1, because each sends one share only.
"""

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from protocols.advice.logs import (
    CommitteeWork,
    Work,
    aggregate,
    answer_work,
    bits_bytes,
    is_committee,
    is_pairwise,
    log_of,
    vector_bytes,
)
from protocols.committee.script import Committee
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.secagg.script import SecAgg
from protocols.tss.script import TSS
from simnet.arrays import Floats
from simnet.contract import Protocol
from simnet.kernel.tags import Tag
from simnet.network.network import Access, Network
from simnet.network.timing import timed
from simnet.values.frames import HEADER_BYTES

USER, MEMBER, SERVER = "user", "member", "server"  # roles
BY_LAW = 10_000_000  # the largest number of users
BY_CLOCK = 100_000  # users who talk to servers alone
MOST_MESSAGES = 30_000_000  # of a log without a run
MOST_IN_RUNS = 3_000_000  # of a run


class TooLarge(ValueError):
    """Raised if a run has too many users or messages to compute its time."""


def seconds(
    protocol: Protocol,
    users: int,
    items: Callable[[], Sequence[int]],
    networks: Sequence[Network],
    messages: float,
    seed: int = 0,
) -> list[float]:
    """Return the time in seconds at which the last party ends, on each network.

    `messages` is the number of messages that a user sends. If there is no formula for one of the
    networks, `items()` must return the items that the users hold. `seed` is the seed of a run and
    of the links.

    Raises `TooLarge` if a run has too many users or messages, and `BadInput` for a network that
    does not fit the parties.

    >>> from simnet import network_named
    >>> networks = [network_named("broadband"), network_named("mobile")]
    >>> protocol = DPDS(users=1_000_000, items=10, participation=0.5)
    >>> [round(time) for time in seconds(protocol, 1_000_000, list, networks, messages=1e6)]
    [50, 304]
    """
    by_law = [_by_law(protocol, network) if users <= BY_LAW else None for network in networks]
    if None not in by_law:
        return [time for time in by_law if time is not None]
    if isinstance(protocol, TSS):
        most, what = MOST_IN_RUNS / messages, "a run"
    elif is_pairwise(protocol):
        most, what = MOST_MESSAGES / messages, "the clock"
    elif isinstance(protocol, SecAgg | Committee):
        most, what = BY_CLOCK, "the clock"
    else:
        most, what = BY_LAW, "a run"
    if users > most:
        raise TooLarge(f"too many users or messages for {what}")
    log = log_of(protocol, items(), seed)
    return [
        timed(log, network, seed).completion if time is None else time
        for time, network in zip(by_law, networks, strict=True)
    ]


def _by_law(protocol: Protocol, network: Network) -> float | None:
    if not _is_lawful(network):
        return None
    if isinstance(protocol, SecAgg):
        star = TimedStar(network, protocol.users)
        aggregate(protocol, star)
        return star.ended
    if is_pairwise(protocol):
        return of_pairs(protocol, network)
    return of_committee(protocol, network) if is_committee(protocol) else None


def _is_lawful(network: Network) -> bool:
    chances = any(latency.jitter or latency.loss for latency in network.latencies.values())
    return not chances and network.relay is None


@attrs.frozen
class _Way:
    """The links from a sender to a recipient, chosen by their roles, and the bytes of a message."""

    sender: Access
    recipient: Access
    latency: float
    size: int

    @classmethod
    def of(cls, network: Network, sender: str, recipient: str, payload: int) -> "_Way":
        one, other = (network.class_of(role, role == USER) for role in (sender, recipient))
        size = network.transport.bytes(HEADER_BYTES + payload)
        latency = network.latency(one, other).seconds
        return cls(network.classes[one], network.classes[other], latency, size)

    @property
    def step(self) -> float:
        return 0.0 if self.sender.up is None else 8 * self.size / self.sender.up

    @property
    def service(self) -> float:
        return 0.0 if self.recipient.down is None else 8 * self.size / self.recipient.down

    def gathered(self, sent: Floats) -> float:
        """Return when one recipient, whose downlink is free, has the messages that were sent at
        these times on free uplinks.
        """
        first = np.sort(sent) + self.latency
        before = np.arange(len(first)) * self.service
        finished = before + self.service + np.maximum.accumulate(first - before)
        return float(np.maximum(finished, first + self.step).max())


def _working(network: Network, role: str, work: Work) -> float:
    slowness = network.classes[network.class_of(role, role == USER)].slowness
    return slowness * sum(network.prices.get(kind, 0.0) * times for kind, times in work.items())


@attrs.define(eq=False)
class TimedStar:
    """The times of users who exchange messages with one server, round by round.

    `users_at` is the time that each user has reached, shape (n,), and `server_at` the server's. All
    links are free when a round begins.

    >>> from simnet import network_named
    >>> star = TimedStar(network_named("rounds"), users=3)
    >>> star.to_server(Tag("hello"), payload=5)
    >>> star.to_users(Tag("answer"), payload=5)
    >>> star.ended
    2.0
    """

    network: Network
    users: int
    users_at: Floats = attrs.field()
    server_at: float = 0.0

    @users_at.default
    def _from_the_start(self) -> Floats:
        return np.zeros(self.users)

    @property
    def ended(self) -> float:
        """When the last party ends."""
        return max(self.server_at, float(self.users_at.max()))

    def users_work(self, work: Work) -> None:
        """Every user does this work."""
        self.users_at = self.users_at + _working(self.network, USER, work)

    def server_works(self, work: Work) -> None:
        """The server does this work."""
        self.server_at += _working(self.network, SERVER, work)

    def to_server(self, tag: Tag, payload: int) -> None:
        """Every user sends `payload` bytes to the server, which waits for all of them."""
        del tag
        way = _Way.of(self.network, USER, SERVER, payload)
        self.server_at = max(self.server_at, way.gathered(self.users_at))

    def to_users(self, tag: Tag, payload: int) -> None:
        """The server sends `payload` bytes to every user, and the user waits for them."""
        del tag
        way = _Way.of(self.network, SERVER, USER, payload)
        leaves = self.server_at + np.arange(self.users) * way.step
        there = leaves + way.latency + max(way.service, way.step)
        self.users_at = np.maximum(self.users_at, there)


def of_pairs(protocol: DPDS | DPDG, network: Network) -> float:
    """Return when DPDS or DPDG with additive sharing ends, on a network without jitter, losses or a
    relay.

    >>> from simnet import network_named
    >>> of_pairs(DPDS(users=100, items=3, participation=0.5), network_named("rounds"))
    2.0
    """
    n, N = protocol.users, protocol.items  # noqa: N806  # as papers do
    vector = vector_bytes(protocol.field.modulus, N)
    share = _Way.of(network, USER, USER, vector)
    others = (n - 1) * N
    begin = _working(network, USER, answer_work(protocol))
    begin += _working(network, USER, {"FA": others, "FS": others})
    # The first bit of a share from a user before j comes to user j at `early`, that from a user
    # after j one step later. Users are counted from 0 here, so j users come before user j.
    j = np.arange(n)
    early = begin + (j - 1) * share.step + share.latency
    late = early + share.step
    free = np.where(j > 0, early + j * share.service, 0.0)
    there = np.where(j > 0, np.maximum(free, early + share.step), 0.0)
    free = np.maximum(free, late) + (n - 1 - j) * share.service
    there = np.where(j < n - 1, np.maximum(free, late + share.step), there)
    at = there + _working(network, USER, {"FA": others})
    sent = np.maximum(at, begin + (n - 1) * share.step)  # when the uplink is free again
    server_at = _Way.of(network, USER, SERVER, vector).gathered(sent)
    return max(float(at.max()), server_at + _working(network, SERVER, {"FA": others, "RM": N}))


def of_committee(protocol: Committee, network: Network) -> float:
    """Return when a committee with Shamir's sharing ends, on a network without jitter, losses or a
    relay.

    >>> from simnet import network_named
    >>> protocol = Committee(users=100, items=3, participation=0.5, members=5, sharing="shamir:3")
    >>> of_committee(protocol, network_named("rounds"))
    4.0
    """
    n, k = protocol.users, protocol.members
    work = CommitteeWork.of(protocol)
    vector, list_ = vector_bytes(protocol.field.modulus, protocol.items), bits_bytes(n)
    places = np.arange(k)
    # Every user sends to the members in their order, so a member gets all shares at the same time.
    users_at = _working(network, USER, {"BS": 1}) + _working(network, USER, work.sharing)
    share = _Way.of(network, USER, MEMBER, vector)
    members_at = np.array(
        [share.gathered(np.full(n, users_at + place * share.step)) for place in range(k)]
    )
    agreed_at = _Way.of(network, MEMBER, SERVER, list_).gathered(members_at)
    told = _Way.of(network, SERVER, MEMBER, list_)
    leaves = agreed_at + places * told.step
    waited = told.latency + max(told.service, told.step) + _working(network, MEMBER, work.adding)
    members_at = np.asarray(leaves + waited, dtype=np.float64)
    server_at = _Way.of(network, MEMBER, SERVER, vector).gathered(members_at)
    server_at += _working(network, SERVER, work.opening)
    return max(users_at, float(members_at.max()), server_at)
