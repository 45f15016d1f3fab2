"""What a collusion set sees besides field elements: discrete messages, who sends them, and the
network's traffic.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet.adversary.coalition import Coalition
from simnet.adversary.field_view import plain_messages
from simnet.kernel.run import Run
from simnet.record.message import Block, Message
from simnet.stated.disclosure import TRAFFIC, Disclosure

MOST_LINKS = 10_000  # that are listed one by one

Kind = tuple[str, str, str]


@attrs.frozen
class DiscreteView:
    """The discrete part of a view: what is seen, and what the protocol states about it, if
    anything.
    """

    sees: tuple[dict[str, Any], ...]
    disclosure: Disclosure | None

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        if self.disclosure is not None:
            return {"sees": list(self.sees), **attrs.asdict(self.disclosure)}
        unknown = {
            "independent": None,
            "epsilon": None,
            "bound": None,
            "tier": "not judged",
            "alone": False,
        }
        return {
            "sees": list(self.sees),
            **unknown,
            "argument": "the protocol makes no statement (`disclosure`)",
        }


def discrete_view(runs: Sequence[Run], corrupt: Coalition, different: int) -> DiscreteView:
    """What a collusion set sees of the discrete part of some runs of one protocol, read
    symbolically.

    Losses of `different` runs add up: their coins are independent.
    """
    sees = _received(runs, corrupt.parties)
    tags = {tag for run in runs for tag in _tags(run, corrupt)}
    if corrupt.network:
        sees += [_traffic(run) for run in runs]
        tags.add(TRAFFIC)
    state = getattr(runs[0].protocol, "disclosure", None)
    stated = None if state is None else state(tags)
    return DiscreteView(tuple(sees), None if stated is None else stated.repeated(different))


def _tags(run: Run, corrupt: Coalition) -> set[str]:
    """The tags of all messages whose coming or going a set notices."""
    numbers = run.roster.number
    members = frozenset(numbers[name] for name in corrupt.parties if name in numbers)
    return {
        block.tag
        for block in run.transcript.blocks
        if corrupt.network
        or (block.sender not in members and any(to in members for to in block.recipients))
    }


def _received(runs: Sequence[Run], parties: Sequence[str]) -> list[dict[str, Any]]:
    """The discrete messages that reach these parties from outside, by tag, sender's role and
    content.
    """
    messages: Counter[Kind] = Counter()
    senders: dict[Kind, dict[str, int]] = {}
    for run in runs:
        roster = run.roster
        members = frozenset(roster.number[name] for name in parties if name in roster.number)
        for tag, sender, carries, count in _counted(run.transcript.blocks, members):
            kind = tag, roster.seats[sender].role, carries
            messages[kind] += count
            senders.setdefault(kind, {})[roster.names[sender]] = roster.seats[sender].size
    return [
        {
            "what": what,
            "from": role,
            "senders": sum(senders[what, role, carries].values()),
            "messages": count,
            "carries": carries,
        }
        for (what, role, carries), count in sorted(messages.items())
    ]


def _counted(
    blocks: Sequence[Block], members: frozenset[int]
) -> Iterator[tuple[str, int, str, int]]:
    """Tag, sender and discrete content of messages to members, and how many they are."""
    for message in plain_messages(blocks, members):
        yield message.tag, message.sender, _carries(message), 1
    for block in blocks:
        received = sum(to in members for to in block.recipients)
        if (
            received
            and block.sender not in members
            and (block.key_wire is not None or block.is_of_a_crowd)
        ):
            carries = "key" if block.key_wire is not None else _carries(next(block.messages()))
            yield block.tag, block.sender, carries, received


def _carries(message: Message) -> str:
    """The kinds of the discrete content of a message."""
    return ", ".join(
        dict.fromkeys(piece.wire.kind for piece in message.pieces if piece.wire.kind != "qd")
    )


def _traffic(run: Run) -> dict[str, Any]:
    """All traffic as somebody sees it who can read nothing; the links one by one unless they are
    too many.
    """
    links = traffic(run)
    seen = {"what": TRAFFIC, "messages": int(links[:, 3].sum()), "bytes": int(links[:, 4].sum())}
    if len(links) > MOST_LINKS:
        return seen
    names = run.roster.names
    listed = [
        [names[a], names[b], round_, messages, size]
        for round_, a, b, messages, size in links.tolist()
    ]
    return {**seen, "links": listed}


def traffic(run: Run) -> npt.NDArray[np.int64]:
    """What crosses each link in each round of a run that was observed in full.

    Shape (links, 5): round, sender, recipient (by number), messages, bytes with frames; ordered by
    the first three.
    """
    blocks = run.transcript.blocks
    sizes = [
        next(block.messages()).frame_bytes for block in blocks
    ]  # the messages of a block are alike
    counts = [len(block.recipients) for block in blocks]
    table = np.zeros((sum(counts), 4), dtype=np.int64)
    table[:, 0] = np.repeat([block.round for block in blocks], counts)
    table[:, 1] = np.repeat([block.sender for block in blocks], counts)
    table[:, 2] = [recipient for block in blocks for recipient in block.recipients]
    table[:, 3] = np.repeat(sizes, counts)
    table = table[table[:, 1] != table[:, 2]]
    ordered = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    begins = np.flatnonzero(np.any(np.diff(ordered[:, :3], axis=0, prepend=-1) != 0, axis=1))
    messages = np.diff(np.append(begins, len(ordered)))
    size = np.add.reduceat(ordered[:, 3], begins) if begins.size else messages
    return np.column_stack([ordered[begins, :3], messages, size])
