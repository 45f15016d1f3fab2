"""The log of a run in which nobody drops out: written by the run, or from the parameters alone.

How long a run takes follows from its log: who sends how many bytes to whom, who waits for what, and
what is computed in between. For DPDS and DPDG with additive sharing, a committee with Shamir's
sharing, and secure aggregation, all of this follows from the parameters. So their log can be
written without the run.

`log_of` runs all other protocols.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Protocol as Interface
from typing import TypeGuard

import attrs
import numpy as np

from protocols.advice.traffic import secure_aggregation_bytes
from protocols.committee.script import AGREED, HEARD, PARTIAL, Committee
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS, SHARE
from protocols.secagg.script import (
    ALIVE,
    BOXES,
    KEY,
    KEYS,
    MASKED,
    OPENED,
    RING,
    SEED,
    SHARES,
    SIGNATURES,
    SIGNED,
    SecAgg,
    SecAggPlus,
)
from protocols.sharing.schemes import Additive, Polynomials
from simnet.arrays import Indices, Ints
from simnet.contract import Protocol
from simnet.kernel.run import run
from simnet.kernel.tags import Summed, Tag
from simnet.network.recorded import LoggedLine, RecordedRun, recorded
from simnet.record.log import SEND, TAKE, TAKE_ALL, WORK
from simnet.values.frames import HEADER_BYTES
from simnet.values.meter import Operation
from simnet.values.wire import BIT, Manifest, WireType

Work = Mapping[Operation, int]
NOTHING: Work = {}


def log_of(protocol: Protocol, items: Sequence[int], seed: int = 0) -> RecordedRun:
    """Return the log of a run of a protocol on users who hold these items, without the run where
    this is possible.

    >>> from protocols.dpds.script import DPDS
    >>> log_of(DPDS(users=1000, items=10, participation=0.5), [1] * 1000).messages
    1000000
    """
    if isinstance(protocol, SecAgg):
        return of_secure_aggregation(protocol)
    if is_committee(protocol):
        return of_committee(protocol)
    if is_pairwise(protocol):
        return of_pairs(protocol)
    return recorded(run(protocol, items, seed))


def is_pairwise(protocol: Protocol) -> TypeGuard[DPDS | DPDG]:
    """Whether the protocol is DPDS or DPDG with additive sharing."""
    return isinstance(protocol, DPDS | DPDG) and isinstance(protocol.sharing, Additive)


def is_committee(protocol: Protocol) -> TypeGuard[Committee]:
    """Whether the protocol is a committee of servers with Shamir's sharing."""
    return type(protocol) is Committee and isinstance(protocol.sharing, Polynomials)


@attrs.define(eq=False)
class _Writer:
    """Writes the log of `users` users, `members` members of a committee, and one server. In each
    round, all parties of a kind do the same.
    """

    users: int
    members: int = 0
    groups: list[Indices] = attrs.field(factory=list)
    lists: list[Indices] = attrs.field(factory=list)
    works: list[Work] = attrs.field(factory=list)
    deferred: dict[int, int] = attrs.field(factory=dict)
    _events: list[Ints] = attrs.field(factory=list)
    _lines: list[LoggedLine] = attrs.field(factory=list)
    _post_line: list[int] = attrs.field(factory=list)
    _post_to: list[int] = attrs.field(factory=list)
    _round: int = 0

    @property
    def everybody(self) -> Indices:
        return np.arange(self.users)

    @property
    def committee(self) -> Indices:
        return np.arange(self.users, self.users + self.members)

    @property
    def server(self) -> Indices:
        return np.array([self.users + self.members])

    def work(self, parties: Indices, work: Work) -> None:
        number = self._number(work)
        if number is not None:
            self._add(parties, WORK, np.full(len(parties), number))

    def _number(self, work: Work) -> int | None:
        done = {kind: times for kind, times in work.items() if times}
        if not done:
            return None
        self.works.append(done)
        return len(self.works) - 1

    def group(self, parties: Indices) -> int:
        self.groups.append(parties)
        return -len(self.groups)

    def send(
        self,
        senders: Indices,
        tag: Tag | Summed,
        payload: int,
        to: Indices | int,
        later: Work = NOTHING,
    ) -> Ints:
        """Send messages of `payload` bytes, and return the numbers of the posts.

        A post is one message, or the messages of one sender to all parties of a group. If `senders`
        and `to` are equally long, each sender sends to the recipient at the same place. A single
        sender sends to every recipient, and a single recipient or group gets a post from every
        sender. `later` is the work that makes the rows of each post.
        """
        self._round += 1
        posts = len(self._post_line) + np.arange(max(len(senders), np.size(to)))
        first = len(self._lines)
        for sender in senders.tolist():
            self._lines.append(LoggedLine(sender, tag.name, self._round, HEADER_BYTES + payload))
        self._post_line += np.broadcast_to(np.arange(first, len(self._lines)), len(posts)).tolist()
        self._post_to += np.broadcast_to(to, len(posts)).tolist()
        made = self._number(later)
        if made is not None:
            self.deferred |= dict.fromkeys(posts.tolist(), made)
        self._add(np.broadcast_to(senders, len(posts)), SEND, posts)
        return posts

    def take(self, parties: Indices, posts: Ints) -> None:
        self._add(np.broadcast_to(parties, len(posts)), TAKE, posts)

    def take_each(self, parties: Indices, posts: Ints) -> None:
        for party in parties.tolist():
            self._add(np.full(len(posts), party), TAKE, posts)

    def take_sum(self, parties: Indices, posts: Ints) -> None:
        self.lists.append(posts)
        self._add(parties, TAKE_ALL, np.full(len(parties), len(self.lists) - 1))

    def _add(self, parties: Ints, kind: int, values: Ints) -> None:
        self._events.append(np.stack([parties, np.full(len(parties), kind), values]))

    def users_work(self, work: Work) -> None:
        self.work(self.everybody, work)

    def server_works(self, work: Work) -> None:
        self.work(self.server, work)

    def to_server(self, tag: Tag, payload: int) -> None:
        self.take(self.server, self.send(self.everybody, tag, payload, self.server))

    def to_users(self, tag: Tag, payload: int) -> None:
        self.take(self.everybody, self.send(self.server, tag, payload, self.everybody))

    def written(self) -> RecordedRun:
        count = self.users + self.members + 1
        roles = ["user"] * self.users + ["member"] * self.members + ["server"]
        names = [f"u{number}" for number in range(1, self.users + 1)]
        names += [f"c{number}" for number in range(1, self.members + 1)]
        return RecordedRun(
            names=(*names, "server"),
            roles=tuple(roles),
            sizes=(1,) * count,
            brings_input=tuple(role == "user" for role in roles),
            events=np.concatenate(self._events, axis=1),
            post_line=np.array(self._post_line, dtype=np.int64),
            post_to=np.array(self._post_to, dtype=np.int64),
            lines=tuple(self._lines),
            groups=tuple(self.groups),
            lists=tuple(self.lists),
            works=tuple(self.works),
            members={},
            deferred=self.deferred,
        )


def answer_work(question: DPDS | DPDG) -> Work:
    """The coins of an answer: for DPDS whether the user takes part, for DPDG its noise."""
    return {"RS": question.items} if isinstance(question, DPDG) else {"BS": 1}


def of_pairs(protocol: DPDS | DPDG) -> RecordedRun:
    """Return the log of DPDS or DPDG with additive sharing.

    >>> from protocols.dpds.script import DPDS
    >>> of_pairs(DPDS(users=3, items=2, participation=1.0)).names
    ('u1', 'u2', 'u3', 'server')
    """
    n, N = protocol.users, protocol.items  # noqa: N806  # as papers do
    others = (n - 1) * N
    log = _Writer(n)
    vector = vector_bytes(protocol.field.modulus, N)
    users, server = log.everybody, log.server
    log.work(users, answer_work(protocol))
    shares = log.send(users, SHARE, vector, log.group(users), {"FA": others, "FS": others})
    log.take_sum(users, shares)
    log.work(users, {"FA": others})
    partials = log.send(users, Additive.partial, vector, log.group(server))
    log.take_sum(server, partials)
    log.work(server, {"FA": others, "RM": N})
    return log.written()


def of_committee(protocol: Committee) -> RecordedRun:
    """Return the log of a committee with Shamir's sharing."""
    n, N, k = protocol.users, protocol.items, protocol.members  # noqa: N806  # as papers do
    log = _Writer(n, k)
    users, members, server = log.everybody, log.committee, log.server
    work = CommitteeWork.of(protocol)
    vector = vector_bytes(protocol.field.modulus, N)
    log.work(users, {"BS": 1})
    shares = log.send(users, SHARE, vector, log.group(members), work.sharing)
    log.take_each(members, shares)
    heard = log.send(members, HEARD, bits_bytes(n), server)
    log.take(server, heard)
    agreed = log.send(server, AGREED, bits_bytes(n), log.group(members))
    log.take(members, np.repeat(agreed, k))
    log.work(members, work.adding)
    partials = log.send(members, PARTIAL, vector, server)
    log.take(server, partials)
    log.work(server, work.opening)
    return log.written()


@attrs.frozen
class CommitteeWork:
    """What each role of a committee with Shamir's sharing computes."""

    sharing: Work
    adding: Work
    opening: Work

    @classmethod
    def of(cls, protocol: Committee) -> "CommitteeWork":
        """Return the work in a run in which nobody drops out."""
        n, N, k = protocol.users, protocol.items, protocol.members  # noqa: N806  # as papers do
        t = protocol.sharing.needed(k)
        return cls(
            {"FA": k * (t - 1) * N, "FM": k * t * N, "FS": (t - 1) * N},
            {"FA": (n - 1) * N},
            {"FA": (t - 1) * N, "FM": t * N, "RM": N},
        )


def of_secure_aggregation(protocol: SecAgg) -> RecordedRun:
    """Return the log of secure aggregation, among all users or among neighbours."""
    log = _Writer(protocol.users)
    aggregate(protocol, log)
    return log.written()


class Star(Interface):
    """Users who exchange messages with one server, round by round.

    Work is given as how often each kind of operation is done.
    """

    def users_work(self, work: Work) -> None:
        """Every user does this work."""
        ...

    def server_works(self, work: Work) -> None:
        """The server does this work."""
        ...

    def to_server(self, tag: Tag, payload: int) -> None:
        """Every user sends `payload` bytes to the server, which waits for all of them."""
        ...

    def to_users(self, tag: Tag, payload: int) -> None:
        """The server sends `payload` bytes to every user, and the user waits for them."""
        ...


def aggregate(protocol: SecAgg, star: Star) -> None:
    """Take the steps of a run of secure aggregation in which nobody drops out."""
    n, N, t = protocol.users, protocol.items, protocol.threshold  # noqa: N806  # as papers do
    is_sparse = isinstance(protocol, SecAggPlus)
    k = protocol.degree if isinstance(protocol, SecAggPlus) else n - 1
    seed, key = prod(SEED), prod(KEY)
    box_keys = k * seed * (1 + protocol.active)  # one for each direction in the active variant
    size = secure_aggregation_bytes(protocol, k)
    star.users_work({**answer_work(protocol.question), "FS": seed + 2 * key})
    star.to_server(KEYS, size["keys"])
    star.server_works({"nS": n - 1} if is_sparse else {})  # the order of the users on the circle
    star.to_users(RING, size["ring"])
    shared = (seed + key) * (k + 1)
    drawn = (seed + key) * (t - 1) + box_keys
    star.users_work({"FA": shared * (t - 1), "FM": shared * t, "FS": drawn})
    star.to_server(SHARES, size["shares"])
    star.to_users(BOXES, size["boxes"])
    star.users_work({"FA": (k + 1) * N, "FS": k * seed + (k + 1) * N})
    star.to_server(MASKED, size["masked"])
    star.to_users(ALIVE, size["alive"])
    if protocol.active:
        star.to_server(SIGNED, size["signed"])
        star.to_users(SIGNATURES, size["signatures"])
    star.to_server(OPENED, size["opened"])
    opened = n * seed
    added = opened * (t - 1) + (2 * n - 1) * N
    star.server_works({"FA": added, "FM": opened * t, "FS": n * N, "RM": 2 * N})


def vector_bytes(modulus: int, elements: int) -> int:
    """Return the bytes of this many elements of the field with this modulus."""
    return Manifest(((WireType("qd", modulus), (elements,)),)).payload_bytes


def bits_bytes(count: int) -> int:
    """Return the number of bytes that hold `count` bits."""
    return Manifest(((BIT, (count,)),)).payload_bytes
