"""The bill of a run: messages, elements, bytes and operations, by party, role, round and tag.

Theory of operation. A run has millions of messages, and nearly all of them are alike. So nothing is
kept for a message. Messages of one tag, one round and one manifest are a `Lot`; what one sender
sends in one lot is a `Line`, which counts. Sending to 5,000 parties adds 5,000 to one line.
Whatever is asked for (bytes by role, elements by tag, the number of rounds) is computed from the
lines and the lots' manifests when it is asked for.

Sending and receiving are counted apart: a sender's line when it sends, the recipient's `Receipts`
when it takes messages out. Messages that nobody received are the difference (`unread`). Operations
are counted by the arrays and coins that perform them, on the meter of the party that holds them.

Two countings: `wire` is what crosses a channel; `logical` adds what a party sends to itself, as the
papers count.

Two axes need more than lines. A *link* is a sender and a recipient: lines do not keep recipients,
so links are counted from the messages that were observed. A *phase* is a word that a script gives
a tag (`Tag("share", phase="sharing")`); parties note it when they use the tag. No message carries
it, so nobody's view and no verdict can depend on it.

Example. u1 and u2 scatter two shares each, to u1 and u2, and add up what they get. There is one
lot (tag `share`, round 1) and two lines with `sent` 2 and `local` 1. So 2 messages are sent by the
counting `wire` and 4 by `logical`; each party has read 1 and kept 1.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
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
NO_PHASE = "no phase"  # stands for all tags to which a script gives none

# A line as plain values: round, sender, tag, pieces of the manifest, messages sent, those among
# them to the sender itself, and the sum of the recipients' numbers.
LedgerEntry = tuple[int, int, str, tuple[tuple[Kind, int, tuple[int, ...]], ...], int, int, int]


@attrs.frozen(eq=False)
class Lot:
    """Messages of one tag, one round and one manifest."""

    tag: str
    round: int
    manifest: Manifest


class Line:
    """What one sender sent in one lot.

    `sent` counts all messages, `local` those among them to itself, which are no traffic. `address`
    adds up the recipients' numbers, for the trace hash. `wire` and `shape` are those of the lot's
    payloads when they have one piece; `delay` is the time that one of its frames takes.
    """

    __slots__ = ("address", "delay", "local", "lot", "sender", "sent", "shape", "wire")

    def __init__(self, sender: int, lot: Lot, delay: float) -> None:
        self.sender = sender
        self.lot = lot
        self.delay = delay
        self.sent = 0
        self.local = 0
        self.address = 0
        pieces = lot.manifest.pieces
        self.wire: WireType | None = pieces[0][0] if len(pieces) == 1 else None
        self.shape: tuple[int, ...] | None = pieces[0][1] if len(pieces) == 1 else None


@attrs.frozen(eq=False)
class Receipts:
    """What one party took out of its mailbox, counted by the party itself.

    `kept` are messages to itself; `phases` are the tags with a phase that it used, and the phase.
    """

    read: Counter[Lot] = attrs.field(factory=Counter)
    kept: Counter[Lot] = attrs.field(factory=Counter)
    phases: set[tuple[str, str]] = attrs.field(factory=set)


@attrs.frozen
class Traffic:
    """Messages with their elements by kind and their bytes, without and with the frames' headers.

    `carriers` are, by kind, the payload bytes of the messages that carry elements of it.
    """

    messages: int = 0
    elements: Mapping[Kind, int] = attrs.field(factory=dict)
    payload_bytes: int = 0
    frame_bytes: int = 0
    carriers: Mapping[Kind, int] = attrs.field(factory=dict)

    @classmethod
    def of(cls, manifest: Manifest, messages: int) -> "Traffic":
        """So many messages of one manifest."""
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
    """Every line of a run, every party's receipts and every party's meter."""

    def __init__(self, roster: Roster, delay: Callable[[int], float], recorder: Recorder) -> None:
        """An empty ledger; `delay` gives the time that a frame of so many bytes takes."""
        self._roster = roster
        self._delay = delay
        self._recorder = recorder
        self._lots: dict[tuple[str, int, Manifest], Lot] = {}
        self._lines: dict[tuple[int, Lot], Line] = {}
        self.receipts: list[Receipts] = [Receipts() for _ in roster.names]
        self.meters: list[Meter] = [Meter() for _ in roster.names]

    def line(self, sender: int, tag: str, round_: int, manifest: Manifest) -> Line:
        """The line on which such messages of this sender are billed."""
        lot = self._lots.get((tag, round_, manifest))
        if lot is None:
            lot = self._lots[tag, round_, manifest] = Lot(tag, round_, manifest)
        line = self._lines.get((sender, lot))
        if line is None:
            line = Line(sender, lot, self._delay(manifest.payload_bytes + HEADER_BYTES))
            self._lines[sender, lot] = line
        return line

    @property
    def rounds(self) -> int:
        """The length of the longest chain of messages each of which waits for the one before."""
        return max(
            (line.lot.round for line in self._lines.values() if line.sent > line.local), default=0
        )

    def rounds_of(self, role: str) -> int:
        """The number of rounds in which those who play a role send to others."""
        sending = [
            line for line in self._lines.values() if self._roster.seats[line.sender].role == role
        ]
        return len({line.lot.round for line in sending if line.sent > line.local})

    def total(self, direction: Direction = "sent", counting: Counting = "wire") -> Traffic:
        """The whole run's traffic.

        What is sent equals what is received once every message has been read.
        """
        return sum(self.by("tag", direction, counting).values(), Traffic())

    def by(
        self, axis: Axis, direction: Direction, counting: Counting = "wire"
    ) -> dict[str, Traffic]:
        """Traffic along one axis.

        For `party` and `role` it is that of the sender or of the recipient, by direction. `phase`
        is the word that the script gives a tag, or "no phase". `link` has what is sent from one
        party to another, such as "u1→server", for all links with an observed end.

        Raises `BadInput` for another axis, direction or counting, for links of a run in which
        nobody was observed, and for a tag with two phases.
        """
        for what, given, kinds in (
            ("axis", axis, Axis),
            ("direction", direction, Direction),
            ("counting", counting, Counting),
        ):
            if given not in get_args(kinds):
                raise BadInput(
                    f"a ledger has no {what} {given!r}: it has {', '.join(get_args(kinds))}"
                )
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

    def operations(self, axis: Literal["party", "role"] = "role") -> dict[str, Counter[Operation]]:
        """Operations by kind, for each party or for all parties of a role together."""
        counts: dict[str, Counter[Operation]] = {}
        for name, seat, meter in zip(
            self._roster.names, self._roster.seats, self.meters, strict=True
        ):
            counts.setdefault(name if axis == "party" else seat.role, Counter()).update(
                meter.counts
            )
        return counts

    def unread(self) -> dict[str, int]:
        """Messages that were sent but never taken by their recipient, by tag."""
        balance: Counter[str] = Counter()
        for _, lot, messages in self._sent("logical"):
            balance[lot.tag] += messages
        for _, lot, messages in self._received("logical"):
            balance[lot.tag] -= messages
        return {tag: messages for tag, messages in balance.items() if messages}

    def entries(self) -> list[LedgerEntry]:
        """The lines as plain values, ordered by round, sender and tag: no schedule changes them."""
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
        """The entries and every party's operations as bytes, for a hash."""
        yield from (repr(entry).encode() for entry in self.entries())
        yield from (repr(sorted(meter.counts.items())).encode() for meter in self.meters)

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
        """The phase of each tag that was sent under and has one."""
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
        """What was sent on every link of which an end was observed."""
        if direction != "sent":
            raise BadInput("links are counted where messages are sent: ask for 'sent'")
        if not self._recorder.observed:
            raise BadInput(
                "links are counted from observed messages, and nobody was observed in this run: "
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
