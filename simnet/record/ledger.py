"""The bill of a run: messages, elements, bytes and operations, by party, role, round and tag.

A `Line` stands for one send call, or for many alike on one link; everything else is computed from the lines when asked
for. Two countings: `wire` is what crosses a channel; `logical` adds what a party sends to itself, as the papers count.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

import attrs

from simnet.roster import Group, Roster
from simnet.values.frames import HEADER_BYTES
from simnet.values.meter import Meter, Operation
from simnet.values.wire import Kind, Manifest

Counting = Literal["wire", "logical"]
Direction = Literal["sent", "received"]
Axis = Literal["party", "role", "round", "tag"]


@attrs.frozen(eq=False)
class Lot:
    """Messages of one tag, one round and one manifest."""

    tag: str
    round: int
    manifest: Manifest


@attrs.define(eq=False)
class Line:
    """`sent` times a message of one lot from one sender to each party of a group.

    `local` tells that the sender is a member of the group; the message that it keeps for itself is no traffic.
    """

    sender: int
    to: Group
    lot: Lot
    local: bool
    sent: int = 0


@attrs.frozen(eq=False)
class Receipts:
    """What one party took out of its mailbox, counted by the party itself; `kept` are messages to itself."""

    read: Counter[Lot] = attrs.field(factory=Counter)
    kept: Counter[Lot] = attrs.field(factory=Counter)


@attrs.frozen
class Traffic:
    """Messages with their elements by kind and their bytes: payload alone, and with the frames' headers."""

    messages: int = 0
    elements: Mapping[Kind, int] = attrs.field(factory=dict)
    payload_bytes: int = 0
    frame_bytes: int = 0

    @classmethod
    def of(cls, manifest: Manifest, messages: int) -> "Traffic":
        """So many messages of one manifest."""
        elements = {kind: messages * count for kind, count in manifest.elements.items() if messages}
        payload = messages * manifest.payload_bytes
        return cls(messages, elements, payload, payload + messages * HEADER_BYTES)

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            self.messages + other.messages,
            Counter(self.elements) + Counter(other.elements),
            self.payload_bytes + other.payload_bytes,
            self.frame_bytes + other.frame_bytes,
        )


class Ledger:
    """Every line of a run, every party's receipts and every party's meter."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._lines: list[Line] = []
        self._lots: dict[tuple[str, int, int], Lot] = {}
        self.receipts: list[Receipts] = [Receipts() for _ in roster.names]
        self.meters: list[Meter] = [Meter() for _ in roster.names]

    def open(self, sender: int, to: Group, tag: str, round_: int, manifest: Manifest) -> Line:
        """A new line, with nothing sent yet."""
        key = (tag, round_, id(manifest))
        lot = self._lots.get(key)
        if lot is None:
            lot = self._lots[key] = Lot(tag, round_, manifest)
        line = Line(sender, to, lot, to.position(sender) is not None)
        self._lines.append(line)
        return line

    @property
    def rounds(self) -> int:
        """The length of the longest chain of messages each of which waits for the one before."""
        return max((line.lot.round for line in self._lines if line.sent * (len(line.to) - line.local)), default=0)

    def total(self, direction: Direction = "sent", counting: Counting = "wire") -> Traffic:
        """The whole run's traffic; what is sent equals what is received once every message has been read."""
        return sum(self.by("tag", direction, counting).values(), Traffic())

    def by(self, axis: Axis, direction: Direction, counting: Counting = "wire") -> dict[str, Traffic]:
        """Traffic along one axis: for `party` and `role`, that of the sender or of the recipient by direction."""
        counts: Counter[tuple[str, Lot]] = Counter()
        for party, lot, messages in self._sent(counting) if direction == "sent" else self._received(counting):
            counts[self._key(axis, party, lot), lot] += messages
        result: dict[str, Traffic] = {}
        for (key, lot), messages in counts.items():
            result[key] = result.get(key, Traffic()) + Traffic.of(lot.manifest, messages)
        return result

    def operations(self, axis: Literal["party", "role"] = "role") -> dict[str, Counter[Operation]]:
        """Operations by kind, for each party or for all parties of a role together."""
        counts: dict[str, Counter[Operation]] = {}
        for name, seat, meter in zip(self._roster.names, self._roster.seats, self.meters, strict=True):
            counts.setdefault(name if axis == "party" else seat.role, Counter()).update(meter.counts)
        return counts

    def unread(self) -> dict[str, int]:
        """Messages that were sent but never taken by their recipient, by tag."""
        balance: Counter[str] = Counter()
        for _, lot, messages in self._sent("logical"):
            balance[lot.tag] += messages
        for _, lot, messages in self._received("logical"):
            balance[lot.tag] -= messages
        return {tag: messages for tag, messages in balance.items() if messages}

    def digest(self) -> Iterator[bytes]:
        """The lines and meters in an order of their own, for a hash that no schedule changes."""
        sent: Counter[tuple[object, ...]] = Counter()
        members: dict[int, str] = {}
        for line in self._lines:
            to = members.setdefault(id(line.to), hashlib.blake2b(line.to.numbers.astype("<i8").tobytes()).hexdigest())
            pieces = tuple((wire.kind, wire.below, shape) for wire, shape in line.lot.manifest.pieces)
            sent[line.lot.round, line.sender, line.lot.tag, to, pieces] += line.sent
        yield from (repr(item).encode() for item in sorted(sent.items()))
        yield from (repr(sorted(meter.counts.items())).encode() for meter in self.meters)

    def _sent(self, counting: Counting) -> Iterator[tuple[int, Lot, int]]:
        for line in self._lines:
            yield line.sender, line.lot, line.sent * (len(line.to) - (line.local and counting == "wire"))

    def _received(self, counting: Counting) -> Iterator[tuple[int, Lot, int]]:
        for party, receipts in enumerate(self.receipts):
            for lot, messages in receipts.read.items():
                yield party, lot, messages
            for lot, messages in receipts.kept.items() if counting == "logical" else ():
                yield party, lot, messages

    def _key(self, axis: Axis, party: int, lot: Lot) -> str:
        if axis == "party":
            return self._roster.names[party]
        if axis == "role":
            return self._roster.seats[party].role
        return lot.tag if axis == "tag" else str(lot.round)
