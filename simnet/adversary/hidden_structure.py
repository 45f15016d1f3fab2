"""Test whether a coalition knows the linear forms of the messages that it receives.

Theory of operation. A verdict of `leaks` names a combination of messages that is a function of
honest secrets. To use this combination, the coalition must know the linear form of each message.
The coalition knows the forms if they follow from public parameters, from disclosed values and from
messages that it receives in clear. If an honest party has drawn a discrete coin outside doors, the
coalition perhaps does not know the forms. For example, if a server forwards shares in a random
order, then only the server knows which share comes from which user.

So the run is read symbolically again, with other coins for one such party at a time, for at most
`MOST_PARTIES` parties. Suppose that the coalition then receives the same plain contents in the same
rounds, but other forms. Then the coin is hidden from the coalition, and the leak is not certain:
the verdict lists what the coalition would learn if it knew the forms. If no change of coins that we
try has this effect, we assume that the coalition knows the forms. This is evidence and not a proof.
The upper end of a verdict does not depend on this assumption.

*Large runs.* On a run of which only an outline is kept, whole runs with other coins would take too
long. But a party that draws such coins often sends plain values only, all in one round: for
example, it elects users, and publishes whom it has elected. Such a party can be played *alone*: its
own script runs with other coins, and each other party only repeats its messages to this party.

What the party then sends is what it would send in a whole run with these coins. Let r be the round
of all its messages. A message of an earlier round depends on nothing that the party sends, so it is
sent in the whole run, too. The party is given the messages to it of earlier rounds, and no others.
If it asks for more, or if it sends something else than in the run although it draws the coins of
the run, we do not assume that the coalition knows the forms. A party that sends nothing in the run
is given all messages to it; if it sends something with other coins, we do not assume it, either.
The same holds if the party sends or receives field elements.

If the party sends the same messages with other coins, no form changes. If a member of the coalition
receives other messages from it, the coalition notices. In all other cases the coins may be hidden
from the coalition.
"""

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from simnet.adversary.field_view import BlockForms, boxes_received, forms_received
from simnet.adversary.orbits.outline import Outline
from simnet.adversary.reading_again import played_again
from simnet.adversary.symbolic import Symbolic
from simnet.coins.sampled import SampledDiscrete
from simnet.doors.record import DoorRecord
from simnet.errors import SimnetError
from simnet.kernel.party import Party
from simnet.kernel.run import Run, run
from simnet.kernel.tags import Tag
from simnet.linear.forms import Forms
from simnet.linear.terms import refine
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.record.message import Block
from simnet.record.trace import canonical
from simnet.roster import Seat
from simnet.values.opaque import Opaque
from simnet.values.rows import Rows, Tally
from simnet.values.typed import Typed

# The number of other outcomes tried; a fair coin comes out the same in all of them with
# probability 2**-6.
TRIES = 6
MOST_PARTIES = 4  # the largest number of parties whose coins are varied
MOST_KEPT = 2_000  # the worlds of a run with more messages than this are not kept


World = tuple[Run, Symbolic]  # a run that was read again, and its reading
# What each recipient received from one party: tags, keys and contents, in order.
Sent = Mapping[int, Sequence[tuple[object, ...]]]
# What a party received from each other party, by name: tags and payloads, in order.
Inbox = Mapping[str, Sequence[tuple[str, Any]]]


class OtherWorlds:
    """A run that is played again with other coins of one party, to find out who notices."""

    def __init__(
        self, done: Run, reading: Symbolic, record: DoorRecord, observed: Iterable[str] = ()
    ) -> None:
        """`reading` is a reading of the run, and `record` has what the doors of the run gave. Coins
        drawn inside doors are not varied, because the doors give recorded values.
        """
        self._done = done
        self._reading = reading
        self._record = record
        self._observed = tuple(observed)
        self._is_small = done.ledger.total().messages <= MOST_KEPT
        self._kept: dict[tuple[str, int] | None, World | None] = {}

    def all_noticed_by(self, members: Iterable[str]) -> bool:
        """Return False if we find another outcome of an honest party's coins that changes the forms
        that `members` receive, and nothing that they receive in clear. Otherwise return True.
        """
        number = self._done.roster.number
        corrupt = frozenset(name for name in members if name in number)
        numbers = frozenset(number[name] for name in corrupt)
        tossing = [party for party in self._reading.tossing_parties() if party not in corrupt]
        return all(self._is_noticed(party, numbers) for party in tossing[:MOST_PARTIES])

    def _is_noticed(self, party: str, members: frozenset[int]) -> bool:
        unchanged = self._world(None)
        assert unchanged is not None
        before = _Seen(*unchanged, members)
        worlds = (self._world((party, number)) for number in range(TRIES))
        after = (_Seen(*world, members) for world in worlds if world is not None)
        return all(seen.in_clear != before.in_clear or seen.forms == before.forms for seen in after)

    def _world(self, other: tuple[str, int] | None) -> World | None:
        """The run, played again with other coins of one party. `other` is a pair of the party and
        the number of the try; if it is None, all coins stay the same.

        The result is None if the script calls other doors with these coins or cannot go on, so that
        there is nothing to compare.
        """
        if other in self._kept:
            return self._kept[other]
        reading = Symbolic(self._record) if other is None else OtherCoins(self._record, *other)
        world: World | None
        try:
            world = played_again(self._done, self._observed, reading), reading
        except SimnetError:
            if other is None:
                raise
            world = None
        if self._is_small:
            self._kept[other] = world
        return world


class PlayedAlone(OtherWorlds):
    """A large run, of which one party at a time is played again with other coins."""

    def __init__(self, outline: Outline) -> None:
        super().__init__(outline.run, outline.reading, outline.reading.record)
        self._outline = outline

    def _is_noticed(self, party: str, members: frozenset[int]) -> bool:
        done, books = self._done, self._outline.books
        number = done.roster.number[party]
        blocks = [block for block in done.transcript.blocks if block.sender == number]
        rounds = {block.round for block in blocks}
        before = _sent(blocks)
        moves_elements = number in books or any(
            number in sent.recipients for book in books.values() for sent in book.sent
        )
        if len(rounds) > 1 or before is None or moves_elements:
            return False
        inbox = _inbox(done, number, min(rounds, default=math.inf))
        if inbox is None:
            return False
        others = (OtherCoins(self._record, party, number) for number in range(TRIES))
        for place, reading in enumerate([Symbolic(self._record), *others]):
            try:
                alone = run(
                    _Alone(done.protocol, party, inbox),
                    done.inputs,
                    done.seed,
                    observe=[party],
                    reading=reading,
                    threads=1,
                )
            except SimnetError:
                return False
            after = _sent([block for block in alone.transcript.blocks if block.sender == number])
            if after is None:
                return False
            is_noticed = any(before.get(each) != after.get(each) for each in members)
            is_exact = place > 0 and bool(blocks)
            if before != after and not (is_noticed and is_exact):
                return False
        return True


class OtherCoins(Symbolic):
    """A symbolic reading in which the discrete coins of one party have other values."""

    def __init__(self, record: DoorRecord, party: str, number: int) -> None:
        super().__init__(record)
        self._party = party
        self._number = number

    def discrete(self, seed: int, party: str) -> SampledDiscrete:
        """The discrete coins of a party: those of the run, but coins from another stream for the
        one party whose coins are exchanged.
        """
        purpose = f"other coins {self._number} " if party == self._party else ""
        return SampledDiscrete(seed, party, purpose)


class _Seen:
    def __init__(self, run: Run, reading: Symbolic, members: frozenset[int]) -> None:
        self._blocks = run.transcript.blocks
        self._unknowns = reading.unknowns
        self._members = members

    @functools.cached_property
    def in_clear(self) -> list[object]:
        members = self._members
        return [_in_clear(block, members) for block in self._blocks if _reaches(block, members)]

    @functools.cached_property
    def forms(self) -> list[object]:
        names = _names(self._unknowns)

        def rows_of(part: BlockForms) -> list[object]:
            return [
                sorted(
                    (*names[unknown // PLACES], unknown % PLACES, value)
                    for unknown, value in row.items()
                )
                for row in refine(part.terms, 1).vectors()
            ]

        contents = [
            (key, rows_of(received.opened([place])))
            for received in boxes_received(0, self._blocks, self._members)
            for place, key in enumerate(received.boxes.keys)
        ]
        # Whoever opens boxes can tell which key opens which box, so their order is no secret.
        contents.sort(key=lambda content: content[0])
        received = map(rows_of, forms_received(0, self._blocks, self._members))
        return [*received, *contents]


def _names(unknowns: Unknowns) -> list[tuple[object, ...]]:
    """A name for each family of unknowns that is the same in every reading of a run."""
    seen: Counter[tuple[object, ...]] = Counter()
    names: list[tuple[object, ...]] = []
    for family in unknowns.families:
        name = (family.kind, tuple(sorted(family.holders)), family.label)
        names.append((*name, seen[name]))
        seen[name] += 1
    return names


def _reaches(block: Block, members: frozenset[int]) -> bool:
    return block.sender not in members and any(to in members for to in block.recipients)


def _in_clear(block: Block, members: frozenset[int]) -> object:
    head = (block.round, block.sender, block.tag)
    received = [
        (recipient, key)
        for recipient, key in zip(block.recipients, block.keys, strict=True)
        if recipient in members
    ]
    if isinstance(block.rows, Forms):
        return head, received, (block.rows.field, block.rows.shape[1:])
    if isinstance(block.rows, Rows | Tally):
        return head, received, canonical(block.rows)
    pieces = [
        [
            (piece.wire, piece.shape) if isinstance(piece, Forms | Opaque) else canonical(piece)
            for piece in message.pieces
        ]
        for message in block.messages()
        if message.recipient in members
    ]
    return head, received, pieces


def _sent(blocks: Sequence[Block]) -> Sent | None:
    """What one party sent to each recipient; None if it sent something else than plain numbers."""
    contents: dict[int, tuple[object, object]] = {}  # by identity: copies are one object
    sent: dict[int, list[tuple[object, ...]]] = defaultdict(list)
    for block in blocks:
        for message in block.messages():
            payload = message.payload
            if not _is_plain(payload):
                return None
            if id(payload) not in contents:
                contents[id(payload)] = payload, canonical(payload)
            content = contents[id(payload)][1]
            sent[message.recipient].append((message.tag, message.key, content))
    return sent


def _inbox(done: Run, number: int, before: float) -> Inbox | None:
    """What a party received in rounds before the given one; None if it ever received a message with
    a key, or something else than plain numbers.
    """
    names = done.roster.names
    inbox: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for block in done.transcript.blocks:
        if number in block.recipients and block.sender != number:
            for message in block.messages():
                if message.recipient != number:
                    continue
                if message.key is not None or not _is_plain(message.payload):
                    return None
                if message.round < before:
                    inbox[names[message.sender]].append((message.tag, message.payload))
    return inbox


def _is_plain(payload: Any) -> bool:
    pieces = payload if isinstance(payload, tuple) else (payload,)
    return all(isinstance(piece, Typed) for piece in pieces)


class _Alone:
    """A protocol in which one party plays its own script, and all others send it given messages."""

    def __init__(self, protocol: Any, name: str, inbox: Inbox) -> None:
        self._protocol = protocol
        self._name = name
        self._inbox = inbox

    def parties(self) -> Mapping[str, Seat]:
        """The parties of the protocol, in the same roles."""
        seats: Mapping[str, Seat] = self._protocol.parties()
        scripts: dict[str, Callable[..., Any]] = {}
        for seat in seats.values():
            if seat.role not in scripts:
                scripts[seat.role] = self._script(seat)
        return {
            name: Seat(scripts[seat.role], seat.index, role=seat.role)
            for name, seat in seats.items()
        }

    def _script(self, seat: Seat) -> Callable[..., Any]:
        async def play(me: Party, *value: Any) -> Any:
            if me.name == self._name:
                return await seat.script(me, *value)
            for tag, payload in self._inbox.get(me.name, ()):
                await me.send(Tag(tag), to=self._name, payload=payload)
            return None

        async def with_input(me: Party, value: Any) -> Any:
            return await play(me, value)

        async def without_input(me: Party) -> Any:
            return await play(me)

        return with_input if seat.takes_input else without_input
