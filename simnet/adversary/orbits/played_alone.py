"""Find out whether a coalition knows the forms of a large run, by playing some parties alone.

Theory of operation. An attack needs the forms of the messages that it combines. These forms may
depend on discrete coins that an honest party drew outside doors. `hidden_structure` says when a
coalition is taken to know them: when the party draws other coins, the coalition receives something
else in clear, or all forms stay as they are. On a large run, whole runs with other coins would take
too long. But a party that draws such coins often sends plain values only, all in one round: for
example, it elects users, and publishes whom it has elected. Such a party can be played *alone*: its
own script runs with other coins, and each other party only repeats its messages to this party.

What the party then sends is what it would send in a whole run with these coins. Let r be the round
of all its messages. A message of an earlier round depends on nothing that the party sends, so it is
sent in the whole run, too. The party is given the messages to it of earlier rounds, and no others.
If it asks for more, or if it sends something else than in the run although it draws the coins of
the run, the answer to the question whether the coalition knows the forms is no. A party that sends
nothing in the run is given all messages to it; if it sends something with other coins, the answer
is no. The answer is also no if the party sends or receives field elements.

If the party sends the same messages with other coins, no form changes. If a member of the coalition
receives other messages from it, the coalition notices. In all other cases the coins may be hidden
from the coalition, and the answer is no. As in `hidden_structure` a few other outcomes are tried
for the coins of a few parties, so a yes is evidence and not a proof. If the answer is no, `leaks`
is never the lower end of a verdict.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simnet.adversary.hidden_structure import MOST_PARTIES, TRIES, OtherCoins
from simnet.adversary.orbits.outline import Outline
from simnet.adversary.symbolic import Symbolic
from simnet.errors import SimnetError
from simnet.kernel.party import Party
from simnet.kernel.run import Run, run
from simnet.kernel.tags import Tag
from simnet.record.message import Block
from simnet.record.trace import canonical
from simnet.roster import Seat
from simnet.values.typed import Typed

# What each recipient received from one party: tags, keys and contents, in order.
Sent = Mapping[int, Sequence[tuple[object, ...]]]
# What a party received from each other party, by name: tags and payloads, in order.
Inbox = Mapping[str, Sequence[tuple[str, Any]]]


def knows_forms(outline: Outline, members: frozenset[int]) -> bool:
    """Whether `members` notice every other outcome of honest parties' coins that we try and that
    changes a message. False if this cannot be found out by playing parties alone.
    """
    names = outline.run.roster.names
    corrupt = {names[number] for number in members}
    tossing = [name for name in outline.reading.tossing_parties() if name not in corrupt]
    return all(_notice(outline, name, members) for name in tossing[:MOST_PARTIES])


def _notice(outline: Outline, name: str, members: frozenset[int]) -> bool:
    done = outline.run
    number = done.roster.number[name]
    blocks = [block for block in done.transcript.blocks if block.sender == number]
    rounds = {block.round for block in blocks}
    before = _sent(blocks)
    moves_elements = number in outline.books or any(
        number in sent.recipients for book in outline.books.values() for sent in book.sent
    )
    if len(rounds) > 1 or before is None or moves_elements:
        return False
    inbox = _inbox(done, number, min(rounds, default=math.inf))
    if inbox is None:
        return False
    record = outline.reading.record
    readings = [Symbolic(record), *(OtherCoins(record, name, place) for place in range(TRIES))]
    for place, reading in enumerate(readings):
        try:
            alone = run(
                _Alone(done.protocol, name, inbox),
                done.inputs,
                done.seed,
                observe=[name],
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
