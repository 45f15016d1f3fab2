"""The bill of a run: messages, elements, bytes and operations.

Theory of operation. A run may have millions of messages, and many of them are alike. So the ledger
counts messages, and does not store them one by one. All messages of one tag, one round and one
manifest form a `Lot`. A `Line` counts the messages that one sender sends in one lot.

Sending and receiving are counted separately: the sender's line counts when it sends, and the
recipient's `Receipts` count when it receives messages. The difference is the number of messages
that nobody received (`unread`). Arrays and coins count the operations that they perform, on the
meter of the party that holds them.

There are two countings: `wire` counts the messages that cross a channel; `logical` also counts what
a party sends to itself.

Messages can also be counted by link and by phase. A *link* is a pair of sender and recipient. Lines
do not store recipients, so links are counted from observed messages. A *phase* is a label that a
script gives to a tag (`Tag("share", phase="sharing")`); parties note the label when they use the
tag.

Example. u1 and u2 scatter two shares each, to u1 and u2, and add up the shares that they get. There
is one lot (tag `share`, round 1) and two lines with `sent` 2 and `local` 1. So 2 messages are sent
in the counting `wire` and 4 in `logical`; each party has read 1 message and kept 1.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import attrs

from simnet.errors import BadInput
from simnet.record.transcript import Recorder
from simnet.roster import Roster
from simnet.values.frames import HEADER_BYTES
from simnet.values.meter import Meter, Operation
from simnet.values.wire import Kind, Manifest, WireType

Counting = Literal["wire", "logical"]
Direction = Literal["sent", "received"]
Axis = Literal["party", "role", "round", "tag", "phase", "link"]
NO_PHASE = "no phase"  # the phase of all tags that have no phase of their own

# A line as plain values: round, sender, tag, pieces of the manifest, number of messages sent,
# number of messages sent to the sender itself, and sum of the recipients' numbers.
LedgerEntry = tuple[int, int, str, tuple[tuple[Kind, int, tuple[int, ...]], ...], int, int, int]


@attrs.frozen(eq=False)
class Lot:
    """All messages of one tag, one round and one manifest."""

    tag: str
    round: int
    manifest: Manifest


class Line:
    """The messages that one sender sent in one lot.

    `sent` is the number of all messages, and `local` the number of messages to the sender itself,
    which cross no channel. `copies` is the number of second copies of messages that came twice:
    they are counted in `sent`. `address` is the sum of the recipients' numbers, for the trace hash.
    `wire` and `shape` are those of the manifest's piece if it has only one, else None. `number`
    is the place of the line in `Log.lines`, or -1 while the log has no post of the line.
    """

    __slots__ = ("address", "copies", "local", "lot", "number", "sender", "sent", "shape", "wire")

    def __init__(self, sender: int, lot: Lot) -> None:
        self.sender = sender
        self.lot = lot
        self.number = -1
        self.sent = 0
        self.local = 0
        self.copies = 0
        self.address = 0
        pieces = lot.manifest.pieces
        self.wire: WireType | None = pieces[0][0] if len(pieces) == 1 else None
        self.shape: tuple[int, ...] | None = pieces[0][1] if len(pieces) == 1 else None


@attrs.frozen(eq=False)
class Receipts:
    """The messages that one party received.

    `read` counts messages of other parties, and `kept` messages of the party to itself. `phases`
    has, for each tag with a phase that the party used, the pair of tag and phase.
    """

    read: Counter[Lot] = attrs.field(factory=Counter)
    kept: Counter[Lot] = attrs.field(factory=Counter)
    phases: set[tuple[str, str]] = attrs.field(factory=set)


@attrs.frozen
class Traffic:
    """A number of messages, with their elements by kind, and their bytes without and with frame
    headers.

    `carriers` maps a kind to the payload bytes of the messages that contain elements of this kind.
    """

    messages: int = 0
    elements: Mapping[Kind, int] = attrs.field(factory=dict)
    payload_bytes: int = 0
    frame_bytes: int = 0
    carriers: Mapping[Kind, int] = attrs.field(factory=dict)

    @classmethod
    def of(cls, manifest: Manifest, messages: int) -> "Traffic":
        """Return the traffic of this number of messages of one manifest."""
        elements = {kind: messages * count for kind, count in manifest.elements.items() if messages}
        payload = messages * manifest.payload_bytes
        carriers = dict.fromkeys(elements, payload)
        return cls(messages, elements, payload, payload + messages * HEADER_BYTES, carriers)

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            self.messages + other.messages,
            Counter(self.elements) + Counter(other.elements),
            self.payload_bytes + other.payload_bytes,
            self.frame_bytes + other.frame_bytes,
            Counter(self.carriers) + Counter(other.carriers),
        )


class Ledger:
    """The bill of a run: every line, and the receipts and the meter of every party.

    `messages` is the number of messages so far that cross a channel.
    """

    def __init__(self, roster: Roster, recorder: Recorder) -> None:
        self._roster = roster
        self._recorder = recorder
        self._lots: dict[tuple[str, int, Manifest], Lot] = {}
        self._lines: dict[tuple[int, Lot], Line] = {}
        self.receipts: list[Receipts] = [Receipts() for _ in roster.names]
        self.meters: list[Meter] = [Meter() for _ in roster.names]
        self.messages = 0

    def line(self, sender: int, tag: str, round_: int, manifest: Manifest) -> Line:
        """Return the line that bills messages of this sender, tag, round and manifest."""
        lot = self._lots.get((tag, round_, manifest))
        if lot is None:
            lot = self._lots[tag, round_, manifest] = Lot(tag, round_, manifest)
        line = self._lines.get((sender, lot))
        if line is None:
            line = self._lines[sender, lot] = Line(sender, lot)
        return line

    def bill(self, line: Line, messages: int, address: int, is_local: bool = False) -> None:
        """Count messages on a line. `address` is the sum of the recipients' numbers; `is_local`
        says whether one of the messages is to the sender itself.
        """
        line.sent += messages
        line.address += address
        line.local += is_local
        self.messages += messages - is_local

    @property
    def rounds(self) -> int:
        """The largest round of a message to another party, or 0. Without deadlines and without
        silence, also under voluntary tags, this is the length of the longest chain of messages
        between different parties, each sent after its sender had received the message before it.
        """
        return max(
            (line.lot.round for line in self._lines.values() if line.sent > line.local), default=0
        )

    @property
    def rounds_in_words(self) -> str:
        """The number of rounds with its noun, such as "1 round" or "2 rounds"."""
        return f"{self.rounds} round{'' if self.rounds == 1 else 's'}"

    @property
    def messages_in_words(self) -> str:
        """The number of messages with its noun, such as "1 message" or "400 messages"."""
        return f"{self.messages:,} message{'' if self.messages == 1 else 's'}"

    @property
    def payload_in_words(self) -> str:
        """The number of payload bytes with its noun, such as "1 payload byte"."""
        size = self.total().payload_bytes
        return f"{size:,} payload byte{'' if size == 1 else 's'}"

    def rounds_of(self, role: str) -> int:
        """Return the number of rounds in which parties of this role send messages to other
        parties.

        Raises `BadInput` if no party plays `role`.
        """
        members = set(self._roster.role(role).numbers.tolist())
        sending = [line for line in self._lines.values() if line.sender in members]
        return len({line.lot.round for line in sending if line.sent > line.local})

    def total(self, direction: Direction = "sent", counting: Counting = "wire") -> Traffic:
        """Return the traffic of the whole run.

        Raises `BadInput` for an unknown direction or counting.
        """
        return sum(self.by("tag", direction, counting).values(), Traffic())

    def by(
        self, axis: Axis, direction: Direction, counting: Counting = "wire"
    ) -> dict[str, Traffic]:
        """Return the traffic along one axis, by name.

        For `party` and `role`, a message counts for its sender if `direction` is "sent", and for
        its recipient if `direction` is "received". For `phase` the names are the labels that the
        script gives to tags, or "no phase". For `link` the names are pairs such as "u1→server";
        only links with at least one observed party are counted.

        Raises `BadInput` for an unknown axis, direction or counting, for links with the direction
        "received", for links of a run without observed parties, and for phases if a tag has two.
        """
        _known("axis", axis, get_args(Axis))
        _known("direction", direction, get_args(Direction))
        _known("counting", counting, get_args(Counting))
        if axis == "link":
            return self._by_link(direction, counting)
        phases = self._phases() if axis == "phase" else {}
        counts: Counter[tuple[str, Lot]] = Counter()
        for party, lot, messages in (
            self._sent(counting) if direction == "sent" else self._received(counting)
        ):
            counts[self._key(axis, party, lot, phases), lot] += messages
        result: dict[str, Traffic] = {}
        for (key, lot), messages in counts.items():
            if not messages:
                continue
            result[key] = result.get(key, Traffic()) + Traffic.of(lot.manifest, messages)
        return result

    def copies(self) -> dict[str, Traffic]:
        """Return the second copies of messages that came twice, by the role of the sender."""
        result: dict[str, Traffic] = {}
        for line in self._lines.values():
            if line.copies:
                role = self._roster.seats[line.sender].role
                own = Traffic.of(line.lot.manifest, line.copies)
                result[role] = result.get(role, Traffic()) + own
        return result

    def operations(self, axis: Literal["party", "role"] = "role") -> dict[str, Counter[Operation]]:
        """Return the operations by kind, for each party or for all parties of a role together.

        Raises `BadInput` for an unknown axis.
        """
        _known("axis of operations", axis, ("party", "role"))
        counts: dict[str, Counter[Operation]] = {}
        for name, seat, meter in zip(
            self._roster.names, self._roster.seats, self.meters, strict=True
        ):
            counts.setdefault(name if axis == "party" else seat.role, Counter()).update(
                meter.counts
            )
        return counts

    def unread(self, counting: Counting = "logical") -> dict[str, int]:
        """Return the number of messages that were sent but never taken by their recipient, by
        tag.

        Raises `BadInput` for an unknown counting.
        """
        _known("counting", counting, get_args(Counting))
        balance: Counter[str] = Counter()
        for _, lot, messages in self._sent(counting):
            balance[lot.tag] += messages
        for _, lot, messages in self._received(counting):
            balance[lot.tag] -= messages
        return {tag: messages for tag, messages in balance.items() if messages}

    def entries(self) -> list[LedgerEntry]:
        """Return the lines as plain values, ordered by round, sender and tag."""
        return sorted(
            (
                line.lot.round,
                line.sender,
                line.lot.tag,
                tuple((wire.kind, wire.below, shape) for wire, shape in line.lot.manifest.pieces),
                line.sent,
                line.local,
                line.address,
            )
            for line in self._lines.values()
        )

    def digest(self) -> Iterator[bytes]:
        """Yield the entries and every party's operations as bytes, for a hash."""
        yield from (repr(entry).encode() for entry in self.entries())
        yield from (repr(sorted(meter.counts.items())).encode() for meter in self.meters)

    def by_lot(self, direction: Direction) -> Iterator[tuple[int, Lot, int]]:
        """Yield the number of a party, a lot, and how many messages of the lot this party sent or
        received. Messages from a party to itself are not counted.

        Raises `BadInput` for an unknown direction.
        """
        _known("direction", direction, get_args(Direction))
        return self._sent("wire") if direction == "sent" else self._received("wire")

    def _sent(self, counting: Counting) -> Iterator[tuple[int, Lot, int]]:
        for line in self._lines.values():
            yield line.sender, line.lot, line.sent - (line.local if counting == "wire" else 0)

    def _received(self, counting: Counting) -> Iterator[tuple[int, Lot, int]]:
        for party, receipts in enumerate(self.receipts):
            for lot, messages in receipts.read.items():
                yield party, lot, messages
            for lot, messages in receipts.kept.items() if counting == "logical" else ():
                yield party, lot, messages

    def _key(self, axis: Axis, party: int, lot: Lot, phases: Mapping[str, str]) -> str:
        match axis:
            case "party":
                return self._roster.names[party]
            case "role":
                return self._roster.seats[party].role
            case "tag":
                return lot.tag
            case "phase":
                return phases.get(lot.tag, NO_PHASE)
            case _:
                return str(lot.round)

    def _phases(self) -> dict[str, str]:
        sent = {line.lot.tag for line in self._lines.values()}
        noted = set().union(*(receipts.phases for receipts in self.receipts))
        phases: dict[str, str] = {}
        for tag, phase in sorted(noted):
            if tag in sent and phases.setdefault(tag, phase) != phase:
                raise BadInput(
                    f"tag {tag!r} has two phases, {phases[tag]!r} and {phase!r}: "
                    "declare a tag once, with one phase"
                )
        return phases

    def _by_link(self, direction: Direction, counting: Counting) -> dict[str, Traffic]:
        if direction != "sent":
            raise BadInput(f"links have only the direction 'sent', got {direction!r}: use 'sent'")
        if not self._recorder.observed:
            raise BadInput(
                "links are counted from observed messages, but no party was observed in this run: "
                "name parties in `observe`"
            )
        names = self._roster.names
        counts: Counter[tuple[str, Manifest]] = Counter()
        for block in self._recorder.blocks:
            for recipient, manifest, messages in block.counts():
                if counting == "logical" or recipient != block.sender:
                    counts[f"{names[block.sender]}→{names[recipient]}", manifest] += messages
        result: dict[str, Traffic] = {}
        for (link, manifest), messages in sorted(counts.items(), key=lambda entry: entry[0][0]):
            result[link] = result.get(link, Traffic()) + Traffic.of(manifest, messages)
        return result


def _known(what: str, given: str, words: Sequence[str]) -> None:
    if given not in words:
        raise BadInput(f"a ledger has no {what} {given!r}: use one of {', '.join(words)}")
