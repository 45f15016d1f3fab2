"""What a collusion set sees in field elements: the forms of the messages that reach it from
outside.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.arrays import Ints
from simnet.linear.forms import Forms
from simnet.linear.terms import Terms, join, refine
from simnet.record.message import Block, Key, Message
from simnet.values.field import Field


@attrs.frozen(eq=False)
class BlockForms:
    """Rows of forms that belong to messages of one block: row k to message `places[k]`, from lane
    `offsets[k]` on.

    `run` counts the runs that are judged together, `number` the blocks of a run; `piece` is the
    place in a payload of several pieces.
    """

    run: int
    number: int
    block: Block
    piece: int
    places: Ints
    offsets: Ints
    terms: Terms
    field: Field

    @classmethod
    def of_opened(cls, run: int, forms: Forms) -> "BlockForms":
        """Rows that are no message: forms that were opened, and that a message may tell of."""
        block = Block(0, -1, (), "", (), ())
        return _part(run, -1, block, 0, np.zeros(1, dtype=np.int64), forms[np.newaxis])

    def refined(self, lanes: int) -> "BlockForms":
        """The same rows with fewer lanes each."""
        pieces = self.terms.lanes // lanes
        offsets = np.repeat(self.offsets, pieces) + np.tile(
            np.arange(pieces) * lanes, len(self.offsets)
        )
        places = np.repeat(self.places, pieces)
        return attrs.evolve(self, places=places, offsets=offsets, terms=refine(self.terms, lanes))


def parts_of(run: int, blocks: Sequence[Block], members: frozenset[int]) -> Iterator[BlockForms]:
    """The forms that reach members from outside."""
    for number, block in enumerate(blocks):
        if block.sender in members or block.is_of_a_crowd:
            continue
        places = np.array(
            [k for k, recipient in enumerate(block.recipients) if recipient in members],
            dtype=np.int64,
        )
        if not places.size:
            continue
        if isinstance(block.rows, Forms):
            rows = block.rows if len(places) == len(block.recipients) else block.rows[places]
            yield _part(run, number, block, 0, places, rows)
            continue
        for place, message in enumerate(block.messages()):
            for piece, forms in enumerate(message.pieces):
                if isinstance(forms, Forms) and message.recipient in members:
                    yield _part(run, number, block, piece, np.array([place]), forms[np.newaxis])


def arrivals(blocks: Sequence[Block], members: frozenset[int]) -> set[tuple[int, int]]:
    """Sender and round of all messages that reach members from outside."""
    return {
        (block.sender, block.round)
        for block in blocks
        if block.sender not in members and any(to in members for to in block.recipients)
    }


def plain_messages(blocks: Sequence[Block], members: frozenset[int]) -> Iterator[Message]:
    """The messages that reach members from outside, from no crowd, and carry something besides
    forms.
    """
    for block in blocks:
        if block.sender not in members and not (
            isinstance(block.rows, Forms) or block.is_of_a_crowd
        ):
            for message in block.messages():
                if message.recipient in members and not all(
                    isinstance(piece, Forms) for piece in message.pieces
                ):
                    yield message


def _part(
    run: int, number: int, block: Block, piece: int, places: Ints, forms: Forms
) -> BlockForms:
    each = forms.terms.rows // len(places)
    offsets = np.tile(np.arange(each) * forms.terms.lanes, len(places))
    return BlockForms(
        run, number, block, piece, np.repeat(places, each), offsets, forms.terms, forms.field
    )


@attrs.frozen(eq=False)
class Excerpt:
    """A message, or a part of one from `element` on, with the sampled numbers of a row's lanes."""

    run: int
    round: int
    sender: int
    recipient: int
    tag: str
    key: Key
    element: int
    numbers: Ints


@attrs.frozen(eq=False)
class FieldView:
    """All rows over one field, and beside them rows of the ideal world in the same lanes."""

    field: Field
    parts: tuple[BlockForms, ...]
    terms: Terms
    ideal: Terms
    starts: Ints  # the first row of each part

    def origin(self, row: int) -> tuple[BlockForms, int]:
        """The part that a row belongs to, and its number there."""
        place = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.parts[place], row - int(self.starts[place])

    def carried(self, row: int) -> Excerpt:
        """The message that a row belongs to."""
        part, at = self.origin(row)
        block, place, element = part.block, int(part.places[at]), int(part.offsets[at])
        payload = (
            block.rows if isinstance(block.rows, Forms) else _pieces(block.rows[place])[part.piece]
        )
        each = payload.sampled.numbers().reshape(len(block.recipients), -1)[place]
        numbers = each[element : element + self.terms.lanes].astype(np.int64)
        return Excerpt(
            part.run,
            block.round,
            block.sender,
            block.recipients[place],
            block.tag,
            block.keys[place],
            element,
            numbers,
        )


def _pieces(payload: Any) -> tuple[Any, ...]:
    return payload if isinstance(payload, tuple) else (payload,)


EMPTY = Terms(
    np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0
)


def aligned(field: Field, parts: Sequence[BlockForms], ideal: Sequence[Terms]) -> FieldView:
    """Rows in common lanes: those that they have, if no unknown appears in two different places of
    a lane.
    """
    terms = join([part.terms for part in parts]) if parts else EMPTY
    rows = join([*([terms] if parts else []), *ideal]) if parts or ideal else EMPTY
    lanes = rows.lanes
    if lanes > 1 and np.any(np.diff(np.unique(rows.unknowns)) < lanes):
        lanes = 1
    fine = [part.refined(lanes) for part in parts]
    starts = np.cumsum([0, *(part.terms.rows for part in fine)])
    seen = join([part.terms for part in fine]) if fine else attrs.evolve(EMPTY, lanes=lanes)
    handed = (
        join([refine(one, lanes) for one in ideal]) if ideal else attrs.evolve(EMPTY, lanes=lanes)
    )
    return FieldView(field, tuple(fine), seen, handed, starts)
