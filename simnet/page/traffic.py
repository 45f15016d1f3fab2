"""The parties of a run and its messages, as the page draws them.

Theory of operation. A small run is drawn message by message, so the page gets all messages. A large
run has too many messages: 1,000 users of the protocol DPDS send a million. Such a run is drawn role
by role, and a single user is drawn only when a reader of the page ticks this user. For this the
page needs *flows*: how many messages of one tag, round and size go from one role to another, and
how many of them each single party sends and receives. These numbers come from the ledger.

The ledger does not say which sender's messages a recipient got. If parties of several roles receive
messages of one tag, round and size from parties of several roles, we do not know how many messages
each role got from each role. Then the flow has no recipient. A flow whose messages nobody received
has no recipient either. A flow to the only role that received messages also counts the messages
that nobody received.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from simnet.kernel.run import Run
from simnet.page.keeping import Keeping
from simnet.record.ledger import Direction
from simnet.record.message import Message
from simnet.roster import Roster
from simnet.values.frames import HEADER_BYTES
from simnet.values.residues import Residues
from simnet.values.typed import Typed

MOST_MESSAGES = 20_000  # a run with more messages is drawn by flows
MOST_LETTERS = 250_000  # of the contents of all messages together; if they are longer, none is kept
LONGEST = 120  # letters of the numbers in one piece of a message

Json = dict[str, Any]


def parties_json(roster: Roster) -> Json:
    """Return names, roles and sizes of the parties."""
    roles = {role: place for place, role in enumerate(roster.roles)}
    return {
        "names": roster.names,
        "roles": roster.roles,
        "role": [roles[seat.role] for seat in roster.seats],
        "crowds": {str(number): roster.seats[number].size for number in sorted(roster.crowds)},
    }


@attrs.frozen
class _Entry:
    """A message from one party to another, or `count` messages of a crowd to a party."""

    round: int
    sender: int
    recipient: int
    tag: str
    key: int | None
    count: int
    bytes: int
    content: str
    has_elements: bool  # whether it carries field elements


def messages_json(done: Run, kept: Keeping) -> Json:
    """Return the messages of a run in which all parties were observed: a list for each column, in
    the order of rounds, senders and recipients. A message from a party to itself is left out.
    """
    with_contents = not kept.numbers
    entries: list[_Entry] = []
    for block in done.transcript.blocks:
        if block.is_of_a_crowd:
            entries += [
                _Entry(
                    block.round,
                    block.sender,
                    recipient,
                    kept.tag(block.tag),
                    None,
                    count,
                    manifest.payload_bytes,
                    "",
                    "qd" in manifest.elements,
                )
                for recipient, manifest, count in block.counts()
            ]
            continue
        entries += [
            _Entry(
                message.round,
                message.sender,
                message.recipient,
                kept.tag(message.tag),
                message.key if with_contents else None,
                1,
                message.manifest.payload_bytes,
                _content(message) if with_contents else "",
                "qd" in message.manifest.elements,
            )
            for message in block.messages()
        ]
    entries = [entry for entry in entries if entry.sender != entry.recipient]
    entries.sort(
        key=lambda e: (e.round, e.sender, e.recipient, e.tag, -1 if e.key is None else e.key)
    )
    tags = list(dict.fromkeys(entry.tag for entry in entries))
    places = {tag: place for place, tag in enumerate(tags)}
    contents = [entry.content for entry in entries]
    fits = sum(map(len, contents)) <= MOST_LETTERS
    return {
        "tags": tags,
        "header": HEADER_BYTES,
        "round": [entry.round for entry in entries],
        "from": [entry.sender for entry in entries],
        "to": [entry.recipient for entry in entries],
        "tag": [places[entry.tag] for entry in entries],
        "key": [entry.key for entry in entries] if any(e.key is not None for e in entries) else [],
        "count": [entry.count for entry in entries] if any(e.count > 1 for e in entries) else [],
        "bytes": [entry.bytes for entry in entries],
        "elements": [int(entry.has_elements) for entry in entries],
        "content": contents if with_contents and fits else [],
    }


def _content(message: Message) -> str:
    """The numbers of a message, cut off if they are long; other contents by their kind."""
    return "; ".join(map(_piece, message.pieces))


def _piece(piece: Any) -> str:
    if isinstance(piece, Residues):
        return f"{_listed(piece.numbers())} mod {piece.field.modulus}"
    if isinstance(piece, Typed):
        return _listed(piece.numbers())
    return f"{type(piece).__name__.lower()} (contents sealed)"


def _listed(numbers: Any) -> str:
    flat = np.asarray(numbers).tolist()
    text = str(flat)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def flows_json(done: Run, kept: Keeping) -> Json:
    """Return the flows of a run between roles, and what each party sends and receives of each.

    A flow is a list: round, place of the tag, bytes of a message, place of the senders' role, place
    of the recipients' role or -1, number of messages. What a party has of a flow is a list: number
    of the party, place of the flow, messages sent, messages received; -1 for an unknown number.
    """
    role_of = {name: place for place, name in enumerate(done.roster.roles)}
    role = [role_of[seat.role] for seat in done.roster.seats]
    tags: dict[str, int] = {}
    flows: list[list[int]] = []
    own: list[list[int]] = []
    for lot in _lots(done):
        senders, readers = _by_role(lot.sent, role), _by_role(lot.received, role)
        targets = list(readers) if readers and min(len(senders), len(readers)) == 1 else [-1]
        tag = tags.setdefault(lot.tag, len(tags))
        for source in senders:
            for target in targets:
                # Either the senders or the recipients have one role, so one sum is the flow's own.
                counts, members = lot.sent, senders[source]
                if len(targets) > 1:
                    counts, members = lot.received, readers[target]
                total = sum(counts[party] for party in members)
                flow = len(flows)
                flows.append([lot.round, tag, lot.bytes, source, target, total])
                own += [
                    [party, flow, lot.sent[party] if len(targets) == 1 else -1, 0]
                    for party in senders[source]
                ]
                own += [
                    [party, flow, 0, lot.received[party] if len(senders) == 1 else -1]
                    for party in readers.get(target, ())
                ]
    return {
        "tags": list(map(kept.tag, tags)),
        "header": HEADER_BYTES,
        "flows": flows,
        "own": own,
    }


@attrs.frozen
class _LotCounts:
    """How many messages of one tag, round and size each party sent and received."""

    round: int
    tag: str
    bytes: int
    sent: Counter[int] = attrs.field(factory=Counter)
    received: Counter[int] = attrs.field(factory=Counter)


def _lots(done: Run) -> list[_LotCounts]:
    found: dict[tuple[int, str, int], _LotCounts] = {}
    directions: tuple[Direction, ...] = ("sent", "received")
    for direction in directions:
        for party, lot, messages in done.ledger.by_lot(direction):
            key = lot.round, lot.tag, lot.manifest.payload_bytes
            counts = found.setdefault(key, _LotCounts(*key))
            (counts.sent if direction == "sent" else counts.received)[party] += messages
    return [found[key] for key in sorted(found)]


def _by_role(counts: Counter[int], role: Sequence[int]) -> dict[int, list[int]]:
    """The parties with messages, by role."""
    found: dict[int, list[int]] = {}
    for party in sorted(party for party, count in counts.items() if count):
        found.setdefault(role[party], []).append(party)
    return found
