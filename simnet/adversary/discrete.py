"""What a coalition sees besides field elements, and what honest parties disclose.

Bits, indices and reals travel in clear, so there is nothing to eliminate: we list what is seen. All
that it can tell follows from the values that honest parties disclosed, and their law is found by
calling their doors (`door_laws`). Everything that is disclosed counts, as even silence may carry
it. Where the law cannot be found, or where the protocol states that this coalition hears less, the
statement of the protocol (`Disclosure`) takes its place. For example, an aggregator of TSS sees the
set of items that each user reports:

    sees         [{"what": "sets", "from": "user", "senders": 30, "messages": 30, ...}]
    disclosed    [{"functions": ["adaptive_set"], "parties": ["u1", ...], "epsilon": 0.3463, ...}]
    disclosure   ε = 0.3463, enumerated: ε is exact for its law given the input
"""

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

MOST_LINKS = 10_000  # that are listed one by one

MessageKind = tuple[str, str, str]  # tag, the sender's role, what is carried


@attrs.frozen
class DiscreteView:
    """The discrete part of a view, and what is known of it.

    `disclosed` are the doors of honest parties, and `reason` says why they were not judged.
    """

    sees: tuple[dict[str, Any], ...]
    disclosure: Disclosure | None
    disclosed: tuple[DisclosedDoors, ...] = ()
    reason: str = "the protocol states nothing about it (it has no `disclosure`)"
    # Whether disclosed values alone tell of inputs: honest parties made no secrets.
    protects_alone: bool = False

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
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
    """The discrete part of what a coalition sees of runs of one protocol, read symbolically.

    `disclosures` are what honest parties disclosed. `about` states what the protocol discloses; the
    losses that it states are multiplied by `independent_runs`: they add up over runs whose coins
    are independent, but not over a run that is given twice. It is None where different runs share
    their coins, so that no statement about one run says anything of them together.
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
    """What was found, or what is stated where nothing was found or a smaller loss is stated."""
    if found.epsilon is None or (
        stated is not None and not found.independent and _is_smaller(stated, found)
    ):
        # Nobody has checked it.
        return None if stated is None else attrs.evolve(stated, tier="stated")
    return Disclosure(
        independent=found.independent,
        epsilon=found.epsilon,
        bound=None if stated is None else stated.bound,
        by_itself=found.by_itself if found.by_itself != found.epsilon else None,
        tier=found.tier,
        argument=found.argument,
        # Without any secret it is the disclosed values alone that protect inputs.
        alone=not found.has_secrets
        and (bool(found.doors) or (stated is not None and stated.alone)),
    )


def _is_smaller(stated: Disclosure, found: Disclosures) -> bool:
    """Whether the protocol states less than the law of all that is disclosed.

    That of one number by two formulas may differ in its last digits.
    """
    if stated.independent:
        return True
    if stated.epsilon is None or found.by_itself is None:
        return False
    return stated.epsilon < found.by_itself * (1 - 1e-9)


def _members(run: Run, parties: Sequence[str]) -> frozenset[int]:
    """The numbers of those parties that take part in a run."""
    numbers = run.roster.number
    return frozenset(numbers[name] for name in parties if name in numbers)


def _tags(run: Run, coalition: Coalition) -> set[str]:
    """The tags of all messages whose coming or going the coalition notices."""
    members = _members(run, coalition.parties)
    return {
        block.tag
        for block in run.transcript.blocks
        if coalition.network
        or (block.sender not in members and any(to in members for to in block.recipients))
    }


def _plain_kinds(runs: Sequence[Run], parties: Sequence[str]) -> list[dict[str, Any]]:
    """The plain messages that reach these parties from outside, one entry for each kind."""
    counts: Counter[MessageKind] = Counter()
    senders: dict[MessageKind, dict[str, int]] = {}  # by name, each with the size of its crowd
    for run in runs:
        roster = run.roster
        members = _members(run, parties)
        for tag, sender, carries, count in _counted(run.transcript.blocks, members):
            kind = tag, roster.seats[sender].role, carries
            counts[kind] += count
            senders.setdefault(kind, {})[roster.names[sender]] = roster.seats[sender].size
    return [
        {
            "what": tag,
            "from": role,
            "senders": sum(senders[tag, role, carries].values()),
            "messages": count,
            "carries": carries,
        }
        for (tag, role, carries), count in sorted(counts.items())
    ]


def _counted(
    blocks: Sequence[Block], members: frozenset[int]
) -> Iterator[tuple[str, int, str, int]]:
    """Tag, sender and discrete content of messages to members, and how many they are."""
    for message in plain_messages(blocks, members):
        yield message.tag, message.sender, _discrete_content(message), 1
    # A key tells something even beside forms, and a crowd's messages are counted, not listed.
    for block in blocks:
        received = sum(to in members for to in block.recipients)
        if not received or block.sender in members:
            continue
        if block.key_wire is not None:
            yield block.tag, block.sender, "key", received
        elif block.is_of_a_crowd:
            content = _discrete_content(next(block.messages()))
            yield block.tag, block.sender, content, received


def _discrete_content(message: Message) -> str:
    """The kinds of what a message carries besides field elements, such as `bd, nd`."""
    kinds = [piece.wire.kind for piece in message.pieces if piece.wire.kind != "qd"]
    return ", ".join(dict.fromkeys(kinds))


def _traffic_entry(run: Run) -> dict[str, Any]:
    """All traffic for somebody who can read nothing; link by link unless there are too many."""
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
    """What crosses each link in each round of a run that was observed in full.

    Shape (links, 5): round, sender, recipient (by number), messages, bytes with frames; ordered by
    the first three.
    """
    blocks = run.transcript.blocks
    # The messages of a block are alike, so the first one's size is that of all.
    sizes = [next(block.messages()).frame_bytes for block in blocks]
    counts = [len(block.recipients) for block in blocks]
    table = np.zeros((sum(counts), 4), dtype=np.int64)
    table[:, 0] = np.repeat([block.round for block in blocks], counts)
    table[:, 1] = np.repeat([block.sender for block in blocks], counts)
    table[:, 2] = [recipient for block in blocks for recipient in block.recipients]
    table[:, 3] = np.repeat(sizes, counts)
    table = table[table[:, 1] != table[:, 2]]  # what a party keeps for itself crosses no link
    ordered = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    begins = np.flatnonzero(np.any(np.diff(ordered[:, :3], axis=0, prepend=-1) != 0, axis=1))
    messages = np.diff(np.append(begins, len(ordered)))
    size = np.add.reduceat(ordered[:, 3], begins) if begins.size else messages
    return np.column_stack([ordered[begins, :3], messages, size])
