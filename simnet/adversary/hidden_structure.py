"""Whether a coalition can tell which forms it was sent.

Theory of operation. A verdict of `leaks` names a combination of messages that is a function of
honest secrets. To use it, a coalition must know which form each message carries. It does where the
forms follow from public parameters, from disclosed values and from what it was sent in clear. It
may not where an honest party has tossed a coin of its own: a server that passes shares on in a
random order sends the same messages in every order, and only the server knows which is whose.

So the run is read blind again with other coins for one such party at a time. If the coalition is
then sent the same plain contents in the same rounds, but other forms, the coin is hidden from it,
and the verdict may only say what whoever knows the structure would learn. Where every try changes
what is sent in clear, the coalition is taken to know the structure. This is evidence and no proof,
and it may be so: the upper end of a verdict does not depend on it.
"""

from collections import Counter
from collections.abc import Iterable

from simnet.adversary.field_view import forms_received
from simnet.adversary.reading_again import played_again
from simnet.adversary.symbolic import Symbolic
from simnet.coins.sampled import SampledDiscrete
from simnet.doors.record import DoorRecord
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from simnet.linear.forms import Forms
from simnet.linear.terms import refine
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.record.message import Block
from simnet.record.trace import canonical
from simnet.values.rows import Rows, Tally

TRIES = 6  # other outcomes of a party's coins; a fair coin stays unnoticed with chance 2**-6
MOST_PARTIES = 4  # whose coins are varied


def knows_structure(
    sampled: Run, record: DoorRecord, observed: Iterable[str], members: Iterable[str]
) -> bool:
    """Whether every other outcome of honest parties' coins that was tried shows in what `members`
    are sent in clear, or changes nothing of the forms that they are sent.

    `record` has what the doors of the run gave. Coins drawn in doors are not varied: what they
    decide is on record.
    """
    corrupt = frozenset(members)
    numbers = frozenset(sampled.roster.number[name] for name in corrupt)
    reading = Symbolic(record)
    before = _Seen(played_again(sampled, observed, reading), reading.unknowns, numbers)
    tossing = [party for party in reading.tossing_parties() if party not in corrupt]
    for party in tossing[:MOST_PARTIES]:
        for number in range(TRIES):
            other = _OtherCoins(record, party, number)
            try:
                after = _Seen(played_again(sampled, observed, other), other.unknowns, numbers)
            except SimnetError:
                continue  # other doors are come to, or nobody can go on: not to be compared
            if after.in_clear == before.in_clear and after.forms != before.forms:
                return False
    return True


class _OtherCoins(Symbolic):
    """A blind reading in which one party's discrete coins come out otherwise."""

    def __init__(self, record: DoorRecord, party: str, number: int) -> None:
        super().__init__(record)
        self._party = party
        self._number = number

    def discrete(self, seed: int, party: str) -> SampledDiscrete:
        """The run's coins; of the one party others, which come of a stream of their own."""
        purpose = f"other coins {self._number} " if party == self._party else ""
        return SampledDiscrete(seed, party, purpose)


class _Seen:
    """What some parties are sent from outside: in clear, and as forms."""

    def __init__(self, run: Run, unknowns: Unknowns, members: frozenset[int]) -> None:
        blocks = run.transcript.blocks
        self.in_clear = [_in_clear(block, members) for block in blocks if _reaches(block, members)]
        names = _names(unknowns)
        self.forms = [
            sorted(
                (*names[unknown // PLACES], unknown % PLACES, value)
                for unknown, value in row.items()
            )
            for part in forms_received(0, blocks, members)
            for row in refine(part.terms, 1).vectors()
        ]


def _names(unknowns: Unknowns) -> list[tuple[object, ...]]:
    """Each family in words that are equal in every reading of a run."""
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
    """Everything that members can tell of a block of messages, but for field elements."""
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
            (piece.field, piece.shape) if isinstance(piece, Forms) else canonical(piece)
            for piece in message.pieces
        ]
        for message in block.messages()
        if message.recipient in members
    ]
    return head, received, pieces
