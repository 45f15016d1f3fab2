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
"""

import functools
from collections import Counter
from collections.abc import Iterable

from simnet.adversary.field_view import BlockForms, boxes_received, forms_received
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
from simnet.values.opaque import Opaque
from simnet.values.rows import Rows, Tally

# The number of other outcomes tried; a fair coin comes out the same in all of them with
# probability 2**-6.
TRIES = 6
MOST_PARTIES = 4  # the largest number of parties whose coins are varied
MOST_KEPT = 2_000  # the worlds of a run with more messages than this are not kept


World = tuple[Run, Symbolic]  # a run that was read again, and its reading


class OtherWorlds:
    """A run that is read again with other coins of one party, to find out who notices."""

    def __init__(self, sampled: Run, record: DoorRecord, observed: Iterable[str]) -> None:
        """`record` has what the doors of the run gave. Coins drawn inside doors are not varied,
        because the doors give recorded values.
        """
        self._sampled = sampled
        self._record = record
        self._observed = tuple(observed)
        self._is_small = sampled.ledger.total().messages <= MOST_KEPT
        self._kept: dict[tuple[str, int] | None, World | None] = {}

    def all_noticed_by(self, members: Iterable[str]) -> bool:
        """Return False if we find another outcome of an honest party's coins that changes the forms
        that `members` receive, and nothing that they receive in clear. Otherwise return True.
        """
        corrupt = frozenset(members)
        numbers = frozenset(self._sampled.roster.number[name] for name in corrupt)
        unchanged = self._world(None)
        assert unchanged is not None
        before = _Seen(*unchanged, numbers)
        tossing = [party for party in unchanged[1].tossing_parties() if party not in corrupt]
        for party in tossing[:MOST_PARTIES]:
            for number in range(TRIES):
                world = self._world((party, number))
                if world is None:
                    continue
                after = _Seen(*world, numbers)
                if after.in_clear == before.in_clear and after.forms != before.forms:
                    return False
        return True

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
            world = played_again(self._sampled, self._observed, reading), reading
        except SimnetError:
            if other is None:
                raise
            world = None
        if self._is_small:
            self._kept[other] = world
        return world


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
