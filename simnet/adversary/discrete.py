"""What a coalition sees besides field elements, and what honest parties disclose.

Bits, indices and reals travel unprotected, so there is nothing to eliminate: we list what the
coalition sees. What these values tell about inputs follows from the values that honest parties
disclosed. Unless a proof shows that these values are independent of inputs, we find their law by
calling the doors (`door_laws`). We count every disclosed value, even if no message carries it,
because the value may decide whether a party sends a message at all. We use the protocol's own
statement (`Disclosure`) instead if we cannot find the law, or if the protocol states a smaller loss
for this coalition than we found for the disclosed values alone. For example, the server S1 of the
protocol TSS sees the set of items on which each user reports. With 30 users, 4 items, p = 1/2, k =
2 and γ = 2::

    sees         [{"what": "reporting set", "from": "user", "senders": 30, "messages": 30, ...}]
    disclosed    [{"functions": ["adaptive_set"], "parties": ["u1", ...], "epsilon": 0.3365, ...}]
    disclosure   ε = 0.3365, enumerated: ε is exact for the value's law given the input
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.adversary.coalition import Coalition
from simnet.adversary.door_laws.disclosed import DisclosedDoors, Disclosures
from simnet.adversary.field_view import plain_messages
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.record.message import Block, Message
from simnet.stated.about import About
from simnet.stated.disclosure import TRAFFIC, Disclosure

MOST_LINKS = 10_000  # if `traffic` has more rows than this, they are not listed one by one

MessageKind = tuple[str, str, str]  # the tag, the sender's role, and the wire types


@attrs.frozen
class DiscreteView:
    """The discrete part of a view, and what is known about it.

    `sees` has an entry for each kind of plain message, and one for each run whose network is
    watched. `disclosed` lists the doors of honest parties that disclose something. `disclosure`
    says what all disclosed values tell. If this is not known, `disclosure` is None and `reason`
    says why.
    """

    sees: tuple[dict[str, Any], ...]
    disclosure: Disclosure | None
    disclosed: tuple[DisclosedDoors, ...]
    reason: str
    # Whether honest parties made no secrets, and disclosed something or are stated to be protected
    # by perturbation alone.
    protects_alone: bool

    def as_json(self) -> dict[str, Any]:
        """Return the view as an object for JSON; later versions keep these keys."""
        sees = {"sees": list(self.sees), "disclosed": list(map(_door_json, self.disclosed))}
        if self.disclosure is not None:
            return {**sees, **attrs.asdict(self.disclosure)}
        return {
            **sees,
            "independent": None,
            "epsilon": None,
            "bound": None,
            "by_itself": None,
            "tier": "not judged",
            "alone": self.protects_alone,
            "argument": self.reason,
            "condition": None,
        }


def _door_json(doors: DisclosedDoors) -> dict[str, Any]:
    return {
        "parties": list(doors.parties),
        "functions": list(doors.functions),
        "calls": doors.calls,
        "independent": doors.independent,
        "epsilon": doors.epsilon,
        "given_secrets": doors.strong_epsilon,
        "tier": doors.tier,
        "argument": doors.argument,
    }


def discrete_view(
    runs: Sequence[Run],
    coalition: Coalition,
    disclosures: Disclosures,
    about: About | None,
    independent_runs: int | None,
) -> DiscreteView:
    """Return what a coalition sees besides field elements, in runs that were read symbolically.

    `disclosures` says what honest parties disclosed, and what this tells. `about` states what the
    protocol discloses. The stated losses are multiplied by `independent_runs`, because losses add
    up over runs with independent coins, but not over a run that is given twice. `independent_runs`
    is None if different runs share their coins; then a statement about one run says nothing about
    several runs together.
    """
    sees = _plain_kinds(runs, coalition.parties)
    tags = {tag for run in runs for tag in _tags(run, coalition)}
    if coalition.network:
        sees += [_traffic_entry(run) for run in runs]
        tags.add(TRAFFIC)
    stated = None if about is None or independent_runs is None else about.disclosure(tags)
    repeated = None if stated is None else stated.repeated(independent_runs or 1)
    is_stated_alone = repeated is not None and repeated.alone
    protects_alone = not disclosures.has_secrets and (bool(disclosures.doors) or is_stated_alone)
    disclosure = _disclosure(disclosures, repeated)
    if disclosure is not None:
        disclosure = attrs.evolve(disclosure, alone=protects_alone)
    return DiscreteView(
        tuple(sees), disclosure, disclosures.doors, disclosures.argument, protects_alone
    )


def _disclosure(found: Disclosures, stated: Disclosure | None) -> Disclosure | None:
    """Return what was found about disclosed values. If their law was not found, or if the protocol
    states a smaller loss (`_is_smaller`), return the protocol's statement. Return None if there is
    neither.
    """
    if found.epsilon is None or (
        stated is not None and not found.independent and _is_smaller(stated, found)
    ):
        # Nobody has checked the protocol's statement.
        return None if stated is None else attrs.evolve(stated, tier="stated")
    return Disclosure(
        independent=found.independent,
        epsilon=found.epsilon,
        bound=None if stated is None else stated.bound,
        by_itself=found.by_itself if found.by_itself != found.epsilon else None,
        tier=found.tier,
        argument=found.argument,
        condition=found.condition,
        # If there are no secrets, only the law of disclosed values protects inputs.
        alone=not found.has_secrets
        and (bool(found.doors) or (stated is not None and stated.alone)),
    )


def _is_smaller(stated: Disclosure, found: Disclosures) -> bool:
    """Whether the protocol states a smaller loss than was found for the disclosed values alone.

    Two formulas for one number may differ in their last digits; this does not count as smaller.
    """
    if stated.independent:
        return True
    if stated.epsilon is None or found.by_itself is None:
        return False
    return stated.epsilon < found.by_itself * (1 - 1e-9)


def _members(run: Run, parties: Sequence[str]) -> frozenset[int]:
    numbers = run.roster.number
    return frozenset(numbers[name] for name in parties if name in numbers)


def _tags(run: Run, coalition: Coalition) -> set[str]:
    """The tags of the messages from outside that reach members, or that members waited for in vain;
    for a coalition that watches the network, the tags of all messages, too.
    """
    members = _members(run, coalition.parties)
    silent = {
        silence.tag
        for silence in run.transcript.silences
        if silence.recipient in members and not members.issuperset(silence.senders)
    }
    return silent | {
        block.tag
        for block in run.transcript.blocks
        if coalition.network
        or (block.sender not in members and any(to in members for to in block.recipients))
    }


def _plain_kinds(runs: Sequence[Run], parties: Sequence[str]) -> list[dict[str, Any]]:
    counts: Counter[MessageKind] = Counter()
    # For each sender by name, the least and the largest number of members who sent. Each member of
    # a crowd sends at most one message of a block.
    senders: dict[MessageKind, dict[str, tuple[int, int]]] = {}
    for run in runs:
        roster = run.roster
        members = _members(run, parties)
        for tag, sender, carries, count in _counted(run.transcript.blocks, members):
            kind = tag, roster.seats[sender].role, carries
            counts[kind] += count
            low, high = senders.setdefault(kind, {}).get(roster.names[sender], (0, 0))
            most = min(high + count, roster.seats[sender].size)
            senders[kind][roster.names[sender]] = max(low, min(count, most)), most

    def total(kind: MessageKind) -> dict[str, int]:
        least, most = map(sum, zip(*senders[kind].values(), strict=True))
        return {"senders": least, **({} if least == most else {"most_senders": most})}

    return [
        {
            "what": tag,
            "from": role,
            **total((tag, role, carries)),
            "messages": count,
            "carries": carries,
        }
        for (tag, role, carries), count in sorted(counts.items())
    ]


def _counted(
    blocks: Sequence[Block], members: frozenset[int]
) -> Iterator[tuple[str, int, str, int]]:
    for message in plain_messages(blocks, members):
        yield message.tag, message.sender, _discrete_content(message), 1
    # The key of a message is plain, even if the message carries only field elements. The messages
    # of a crowd are not listed one by one: we count them.
    for block in blocks:
        received = sum(map(members.__contains__, block.recipients))
        if not received or block.sender in members:
            continue
        if block.key_wire is not None:
            yield block.tag, block.sender, "key", received
        elif block.is_of_a_crowd:
            content = _discrete_content(next(block.messages()))
            yield block.tag, block.sender, content, received


def _discrete_content(message: Message) -> str:
    """The wire types that a message carries besides field elements, such as `bd, nd`."""
    kinds = [piece.wire.kind for piece in message.pieces if piece.wire.kind != "qd"]
    return ", ".join(dict.fromkeys(kinds))


def _traffic_entry(run: Run) -> dict[str, Any]:
    """All traffic, as an observer sees it who cannot read contents of messages. If `traffic` has at
    most `MOST_LINKS` rows, the entry lists them.
    """
    links = traffic(run)
    entry = {"what": TRAFFIC, "messages": int(links[:, 3].sum()), "bytes": int(links[:, 4].sum())}
    if len(links) > MOST_LINKS:
        return entry
    names = run.roster.names
    listed = [
        [names[sender], names[recipient], round_, messages, size]
        for round_, sender, recipient, messages, size in links.tolist()
    ]
    return {**entry, "links": listed}


def traffic(run: Run) -> Ints:
    """The messages and bytes on each link in each round of a run whose parties were all observed.

    Each row is about one link in one round. The columns are: round, sender, recipient (both by
    number), number of messages, and bytes with frames. Rows are ordered by the first three columns.
    Messages of a party to itself are left out.
    """
    blocks = run.transcript.blocks
    # All messages of a block have one shape, so all have the size of the first message.
    sizes = [next(block.messages()).frame_bytes for block in blocks]
    counts = [len(block.recipients) for block in blocks]
    table = np.zeros((sum(counts), 4), dtype=np.int64)
    table[:, 0] = np.repeat([block.round for block in blocks], counts)
    table[:, 1] = np.repeat([block.sender for block in blocks], counts)
    recipients = itertools.chain.from_iterable(block.recipients for block in blocks)
    table[:, 2] = np.fromiter(recipients, np.int64, len(table))
    table[:, 3] = np.repeat(sizes, counts)
    table = table[table[:, 1] != table[:, 2]]  # a message from a party to itself crosses no link
    ordered = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    begins = np.flatnonzero(np.any(np.diff(ordered[:, :3], axis=0, prepend=-1) != 0, axis=1))
    messages = np.diff(np.append(begins, len(ordered)))
    size = np.add.reduceat(ordered[:, 3], begins) if begins.size else messages
    return np.column_stack([ordered[begins, :3], messages, size])
