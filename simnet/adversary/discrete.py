"""What a collusion set sees besides field elements: discrete messages, who sends them, and the network's traffic."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from simnet.adversary.collusion import CollusionSet
from simnet.adversary.seen import plain_messages
from simnet.kernel.run import Run
from simnet.record.message import Block, Message

TRAFFIC = "traffic"

Kind = tuple[str, str, str]


@attrs.frozen
class Disclosure:
    """A protocol's own statement on the discrete part of a view: how much it may tell about one party's input.

    Its `disclosure(sees)` returns it for a view that holds discrete messages of these tags (`TRAFFIC` when the set
    watches the network), or None when it states nothing about such a view.

    `epsilon` bounds the local privacy loss of one party's input, `bound` is what the paper states for it. `tier` is
    `proved`, `enumerated` or `sampled`.
    """

    independent: bool
    epsilon: float | None
    bound: float | None
    tier: str
    argument: str


@attrs.frozen
class Discrete:
    """The discrete part of a view: what is seen, and what the protocol states about it, if anything."""

    sees: tuple[dict[str, Any], ...]
    disclosure: Disclosure | None

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        if self.disclosure is not None:
            return {"sees": list(self.sees), **attrs.asdict(self.disclosure)}
        unknown = {"independent": None, "epsilon": None, "bound": None, "tier": "not judged"}
        return {"sees": list(self.sees), **unknown, "argument": "the protocol makes no statement (`disclosure`)"}


def discrete_part(runs: Sequence[Run], corrupt: CollusionSet) -> Discrete:
    """What a collusion set sees of the discrete part of some runs of one protocol, read symbolically."""
    sees = [one for run in runs for one in _received(run, corrupt.parties)]
    if corrupt.network:
        sees += [_traffic(run) for run in runs]
    state = getattr(runs[0].protocol, "disclosure", None)
    return Discrete(tuple(sees), None if state is None else state(tuple(dict.fromkeys(one["what"] for one in sees))))


def _received(run: Run, parties: Sequence[str]) -> Iterable[dict[str, Any]]:
    """The discrete messages that reach these parties from outside, by tag, sender's role and content."""
    members = frozenset(run.roster.find(name) for name in parties)
    messages: Counter[Kind] = Counter()
    senders: dict[Kind, set[int]] = {}
    for tag, sender, carries, count in _counted(run.transcript.blocks, members):
        kind = tag, run.roster.seats[sender].role, carries
        messages[kind] += count
        senders.setdefault(kind, set()).add(sender)
    for kind, count in sorted(messages.items()):
        tag, role, carries = kind
        yield {"what": tag, "from": role, "senders": len(senders[kind]), "messages": count, "carries": carries}


def _counted(blocks: Sequence[Block], members: frozenset[int]) -> Iterator[tuple[str, int, str, int]]:
    """Tag, sender and discrete content of messages to members, and how many they are."""
    for message in plain_messages(blocks, members):
        yield message.tag, message.sender, _carries(message), 1
    for block in blocks:
        received = sum(to in members for to in block.recipients) if block.key_wire is not None else 0
        if received and block.sender not in members:
            yield block.tag, block.sender, "key", received


def _carries(message: Message) -> str:
    """The kinds of the discrete content of a message."""
    return ", ".join(dict.fromkeys(piece.wire.kind for piece in message.pieces if piece.wire.kind != "qd"))


def _traffic(run: Run) -> dict[str, Any]:
    """All traffic as somebody sees it who can read nothing: sender, recipient, round, messages, bytes with frames."""
    links: Counter[tuple[int, int, int]] = Counter()
    sizes: Counter[tuple[int, int, int]] = Counter()
    for block in run.transcript.blocks:
        size = next(block.messages()).frame_bytes  # the messages of a block are alike
        for recipient in block.recipients:
            if recipient != block.sender:
                link = block.round, block.sender, recipient
                links[link] += 1
                sizes[link] += size
    names = run.roster.names
    listed = [[names[a], names[b], round_, links[round_, a, b], sizes[round_, a, b]] for round_, a, b in sorted(links)]
    return {"what": TRAFFIC, "messages": sum(links.values()), "links": listed}
