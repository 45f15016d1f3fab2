"""The field part of a coalition's view: the forms of messages that reach members from outside.

Theory of operation
-------------------

In the symbolic reading a message carries forms. So the field elements that a coalition sees are a
system of linear equations, with one row for each element that the coalition receives::

    u1 -> server  "share"   [c1, c2, c3]             c: coins of u1
    u2 -> server  "share"   [s1 + d1, s2 + d2, ...]  s, d: secrets and coins of u2

*Lanes.* A message of 100 elements is often one row in 100 lanes: lane l has the same coefficients
as lane 0, and its unknowns have numbers that are l higher (`simnet.linear.terms`). We keep as many
lanes as all rows have in common, and judge all lanes by one elimination. This is right if lanes do
not share unknowns. If unknown 7 is in lane 2 of one row and in lane 0 of another row, then each
element gets its own row instead.

*Where rows come from.* The rows of a block (messages that were sent at once) are in one or several
`BlockForms`. These say for each row in which message and at which element the row begins. All
`BlockForms` over one field make up a `FieldView`, in which a row can be traced back to its message
(`excerpt`).
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import gcd, prod

import attrs
import numpy as np

from simnet.arrays import Bools, Ints, Numbers
from simnet.linear.forms import Forms
from simnet.linear.mixtures import Mixture, TermRows, listed, refined, size_of, written_out
from simnet.linear.modular import times
from simnet.linear.terms import (
    Terms,
    accumulate,
    blank,
    common_lanes,
    join,
    no_rows,
    only,
    refine,
    take,
)
from simnet.record.message import Block, Key, Message
from simnet.values.field import Field
from simnet.values.opaque import Boxes, PublicKeys, Signatures


@attrs.frozen(eq=False, kw_only=True)
class BlockForms:
    """Rows of forms from one block of messages, all over one field.

    Row k belongs to message `places[k]` of the block and begins at that message's element
    `offsets[k]`.
    """

    run: int  # the place of the run among those judged together, from 0
    number: int  # the place of the block in that run
    block: Block
    piece: int  # the array's place in a payload of several arrays
    places: Ints
    offsets: Ints
    rows: TermRows
    field: Field
    boxes: Boxes | None = None  # the boxes that the rows were in, if the messages are boxes

    @classmethod
    def of(
        cls, run: int, number: int, block: Block, forms: Forms, places: Ints, piece: int = 0
    ) -> "BlockForms":
        """Return the rows of `forms`, which has equally many elements for each of the messages
        `places`.
        """
        # A row may hold elements of several messages, as a whole block of coins does: split it.
        each = forms.rows.rows * forms.rows.lanes // len(places)
        rows = refined(forms.rows, gcd(forms.rows.lanes, each))
        rows_each = each // rows.lanes
        return cls(
            run=run,
            number=number,
            block=block,
            piece=piece,
            places=np.repeat(places, rows_each),
            offsets=np.tile(np.arange(rows_each) * rows.lanes, len(places)),
            rows=rows,
            field=forms.field,
        )

    @property
    def terms(self) -> Terms:
        """The rows, written out."""
        return written_out(self.rows)

    @property
    def box_numbers(self) -> Ints:
        """For each row, the place of its box among the boxes of its message; -1 without a box."""
        if self.boxes is None:
            return np.full(len(self.offsets), -1)
        return np.asarray(self.offsets // prod(self.boxes.content.shape[1:]))

    def refined(self, lanes: int) -> "BlockForms":
        """The same rows, split so that each has this many lanes."""
        pieces = self.rows.lanes // lanes
        within_row = np.tile(np.arange(pieces) * lanes, len(self.offsets))
        return attrs.evolve(
            self,
            places=np.repeat(self.places, pieces),
            offsets=np.repeat(self.offsets, pieces) + within_row,
            rows=refined(self.rows, lanes),
        )


def forms_received(
    run: int, blocks: Sequence[Block], members: frozenset[int]
) -> Iterator[BlockForms]:
    """Yield the forms that members of a coalition receive from outside, block by block."""
    for number, block in enumerate(blocks):
        if block.sender in members or block.is_of_a_crowd:
            continue
        received = [place for place, to in enumerate(block.recipients) if to in members]
        if not received:
            continue
        places = np.array(received, dtype=np.int64)
        if isinstance(block.rows, Forms):
            rows = block.rows if len(places) == len(block.recipients) else block.rows[places]
            yield BlockForms.of(run, number, block, rows, places)
            continue
        # Here each message has its own payload.
        for place, message in enumerate(block.messages()):
            if message.recipient in members:
                for piece, forms in enumerate(message.pieces):
                    if isinstance(forms, Forms):
                        row = forms[np.newaxis]
                        yield BlockForms.of(run, number, block, row, np.array([place]), piece)


def plain_messages(blocks: Sequence[Block], members: frozenset[int]) -> Iterator[Message]:
    """Yield the messages from outside to members in which there is something else than forms.
    Messages of crowds are left out.
    """
    for block in blocks:
        if block.sender in members or isinstance(block.rows, Forms) or block.is_of_a_crowd:
            continue
        for message in block.messages():
            if message.recipient in members and not all(
                isinstance(piece, Forms) for piece in message.pieces
            ):
                yield message


@attrs.frozen(eq=False, kw_only=True)
class BoxesReceived:
    """Boxes in one message to a coalition. `place` is the place of the message in its block. The
    other names mean the same as in `BlockForms`.
    """

    run: int
    number: int
    block: Block
    place: int
    piece: int
    boxes: Boxes

    def opened(self, which: Sequence[int]) -> BlockForms:
        """Return the contents of some of the boxes. `which` has the places of these boxes."""
        content = self.boxes.content
        assert isinstance(content, Forms)
        forms = content[np.array(which, dtype=np.intp)]
        elements = prod(content.shape[1:])
        rows_each = forms.terms.rows // len(which)
        within = np.arange(rows_each) * forms.terms.lanes
        offsets = np.array(which, dtype=np.int64)[:, np.newaxis] * elements + within
        return BlockForms(
            run=self.run,
            number=self.number,
            block=self.block,
            piece=self.piece,
            places=np.full(forms.terms.rows, self.place),
            offsets=offsets.reshape(-1),
            rows=forms.terms,
            field=forms.field,
            boxes=self.boxes,
        )


def boxes_received(
    run: int, blocks: Sequence[Block], members: frozenset[int]
) -> Iterator[BoxesReceived]:
    """Yield the boxes that members of a coalition receive from outside, message by message."""
    for number, block in enumerate(blocks):
        if block.sender in members or block.is_of_a_crowd or isinstance(block.rows, Forms):
            continue
        for place, message in enumerate(block.messages()):
            if message.recipient in members:
                for piece, boxes in enumerate(message.pieces):
                    if isinstance(boxes, Boxes):
                        yield BoxesReceived(
                            run=run,
                            number=number,
                            block=block,
                            place=place,
                            piece=piece,
                            boxes=boxes,
                        )


def public_keys_received(
    blocks: Sequence[Block], members: frozenset[int], signed: Mapping[bytes, Sequence[bytes]]
) -> Iterator[bytes]:
    """Yield the public keys that members of a coalition receive from outside.

    `signed` has the public keys that each signature signs. For a signature we yield these, because
    whoever guesses them can check the guess with the signature. With an empty `signed` we leave
    signatures out.
    """
    for block in blocks:
        if block.sender in members or block.is_of_a_crowd or isinstance(block.rows, Forms):
            continue
        for message in block.messages():
            if message.recipient in members:
                for piece in message.pieces:
                    if isinstance(piece, PublicKeys):
                        yield from piece.texts()
                    elif isinstance(piece, Signatures):
                        for text in piece.texts():
                            yield from signed.get(text, ())


@attrs.frozen(eq=False, kw_only=True)
class Excerpt:
    """Consecutive elements of a message, with their numbers: one element for each lane of a row.

    `element` is the place of the first of them in its array, from 0.
    """

    run: int  # the place of the run among those judged together, from 0
    round: int
    sender: int  # the number of the party, as in the roster
    recipient: int
    tag: str
    key: Key
    element: int
    numbers: Ints


@attrs.frozen(eq=False, kw_only=True)
class FieldView:
    """All rows over one field that a coalition receives, with the same number of lanes.

    `ideal` are rows in the same lanes: the values that the ideal world hands to the coalition.
    """

    field: Field
    parts: tuple[BlockForms, ...]
    lanes: int  # the number of forms that one row stands for
    ideal: Terms
    starts: Ints  # the number of the first row of each part, and then the number of all rows

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.starts[-1])

    @property
    def terms(self) -> Terms:
        """All rows, written out anew at each call. They may take much more memory than the
        parts.
        """
        return join([part.terms for part in self.parts]) if self.parts else no_rows(self.lanes)

    @property
    def size(self) -> int:
        """An upper bound on the number of terms that the rows have when they are written out."""
        return sum(size_of(part.rows) for part in self.parts)

    def combined(self, rows: Ints, factors: Ints, wanted: Callable[[Ints], Bools]) -> Terms:
        """Add up some rows, each times its factor, and return the terms of the `wanted` unknowns in
        the sum, as one row. `rows` has the numbers of the rows, in ascending order.
        """
        modulus = self.field.modulus
        sources: list[Terms] = []
        bases: dict[tuple[int, int], tuple[Terms, Ints]] = {}
        for number, of_part in self.by_part(rows):
            part, within = self.parts[number].rows, rows[of_part] - self.starts[number]
            if isinstance(part, Mixture):
                # Thousands of rows may be combinations of one base: we first add up their factors.
                key = id(part.base), part.each
                base, total = bases.setdefault(
                    key, (part.base, np.zeros(part.base.rows, dtype=np.int64))
                )
                places, shares = part.summed(within, factors[of_part])
                total[places] = (total[places] + shares) % modulus
            else:
                # A single row of a large run may have a million terms: copy nothing in vain.
                terms = written_out(part)
                chosen = terms if len(within) == part.rows else take(terms, within)
                left = only(chosen, wanted)
                if left.unknowns.size:
                    sources.append(_scaled(left, factors[of_part], modulus))
        for base, total in bases.values():
            used = np.flatnonzero(total)
            sources.append(_scaled(only(take(base, used), wanted), total[used], modulus))
        if not sources:
            return blank(1, self.lanes)
        source = join(sources)
        targets = np.zeros(source.rows, dtype=np.int64)
        return accumulate(source, targets, None, 1, modulus)

    def by_part(self, rows: Ints) -> Iterator[tuple[int, slice]]:
        """Sort row numbers by the part that they belong to. `rows` must be in ascending order.
        Yield a pair for each part to which some of the rows belong: the place of the part, and the
        slice of `rows` with these rows.
        """
        numbers = np.searchsorted(self.starts, rows, side="right") - 1
        begins = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        for begin, end in itertools.pairwise([*begins, len(rows)]):
            yield int(numbers[begin]), slice(begin, end)

    def excerpt(self, row: int) -> Excerpt:
        """The elements of a message that one row represents."""
        ((number, _),) = self.by_part(np.array([row]))
        part, at = self.parts[number], row - int(self.starts[number])
        block, place, element = part.block, int(part.places[at]), int(part.offsets[at])
        numbers = _sampled_numbers(block, place, part.piece)[element : element + self.lanes]
        return Excerpt(
            run=part.run,
            round=block.round,
            sender=block.sender,
            recipient=block.recipients[place],
            tag=block.tag,
            key=block.keys[place],
            element=element,
            numbers=numbers.astype(np.int64),
        )


def _scaled(rows: Terms, factors: Ints, modulus: int) -> Terms:
    """The rows, each times its factor, which must not be 0 mod q."""
    coefficients = times(rows.coefficients, np.repeat(factors, rows.lengths), modulus)
    return attrs.evolve(rows, coefficients=coefficients)


def _sampled_numbers(block: Block, place: int, piece: int) -> Numbers:
    if isinstance(block.rows, Forms):
        message: Numbers = block.rows.sampled.numbers()[place]
        return message.reshape(-1)
    payload = block.rows[place]
    found = payload[piece] if isinstance(payload, tuple) else payload
    forms = found.content if isinstance(found, Boxes) else found
    assert isinstance(forms, Forms)
    return forms.sampled.numbers().reshape(-1)


def field_view(
    field: Field,
    parts: Sequence[BlockForms],
    ideal: Sequence[Terms],
    lanes: int | None = None,
) -> FieldView:
    """Put all rows over one field into common lanes; `parts` and `ideal` are over that field.

    `lanes` is the number of lanes; without it, `common_lanes` decides.
    """
    if lanes is None:
        # Many parts may have the same base: we look at each base only once.
        seen = {id(rows): rows for part in parts for rows in [listed(part.rows)]}
        lanes = common_lanes([*seen.values(), *ideal])
    split = tuple(_in_lanes(parts, lanes))
    handed = [refine(terms, lanes) for terms in ideal]
    return FieldView(
        field=field,
        parts=split,
        lanes=lanes,
        ideal=join(handed) if handed else no_rows(lanes),
        starts=np.cumsum([0, *(part.rows.rows for part in split)]),
    )


def _in_lanes(parts: Sequence[BlockForms], lanes: int) -> Iterator[BlockForms]:
    """Yield the parts, each row with `lanes` lanes. Mixtures that shared a base still share one."""
    bases: dict[int, Terms] = {}
    for part in parts:
        rows = part.rows
        if part.rows.lanes == lanes:
            yield part
        elif isinstance(rows, Mixture):
            split = part.refined(lanes)
            assert isinstance(split.rows, Mixture)
            base = bases.setdefault(id(rows.base), split.rows.base)
            yield attrs.evolve(split, rows=attrs.evolve(split.rows, base=base))
        else:
            yield part.refined(lanes)
