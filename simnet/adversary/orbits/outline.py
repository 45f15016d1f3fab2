"""The outline of a run: what every message was computed from, read sender by sender.

Theory of operation
-------------------

A symbolic reading keeps the form of every message, in the coins and secrets of all parties. For a
hundred million messages this takes too much memory. An outline keeps the *relations* of messages
instead, and forgets each block of summed messages after the block was read:

- What a party receives is a fresh unknown: a message, or a sum of messages. So the forms of a
  sender's messages contain its own coins, its own secrets, and what it received.
- The coins of each sender are eliminated from its own rows (`rows`). The results are *relations*:
  ties among the sender's messages, and messages that were computed from its other messages, its
  secrets and what it received.
- Field coins get no values, because only doors turn field elements into plain values, and the plain
  values that the doors of the run gave are on record.

Example. u1 shares its secret b among three users, itself included. Later it sends the sum of all
shares that it received, under the label `partial`::

    share to u1     c1              independent
    share to u2     c2              independent
    share to u3     b - c1 - c2     tie: the three shares add up to b
    partial         received        computed from what u1 received

An unknown stands for a row of elements, one for each *lane*, if all arrays are treated element by
element in the same way. Otherwise the run is read again with a row for each element: for example,
if the functionality hands out one entry of a vector.

All rows of a sender are read, over all items, rounds and lanes, and every coin in them must belong
to the sender alone. So all relations follow from the relations that were found.

Making an outline raises `NotAlike` for what outlines have no rule for, such as products, seeds,
drop-outs, secrets made from field elements, and doors that disclose something about field elements
that were received or that contain coins.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import attrs
import numpy as np

from simnet.adversary.orbits.rows import Book, Kind, NotAlike, NotInLanes, Sent
from simnet.adversary.symbolic import Symbolic, SymbolicField
from simnet.arrays import Indices
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledField
from simnet.doors.record import DoorRecord
from simnet.errors import ScriptError, SimnetError
from simnet.kernel.actor import Actor
from simnet.kernel.ideal import ideal_world
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.linear.forms import Forms, lanes_of
from simnet.linear.mixtures import Mixture
from simnet.linear.ranges import Range, Ranges
from simnet.linear.terms import Terms, fresh, refine, take
from simnet.linear.unknowns import ONE, PLACES, Family
from simnet.record.message import Block
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues, residues_of
from simnet.values.totals import Label, Slots

# A run that sends more field elements is not read again element by element.
MOST_BY_ELEMENT = 200_000


@attrs.frozen(order=True)
class SecretPlace:
    """The place of an element in the secrets of a party: the number of the secret, and the place of
    the element in the secret, both from 0. The element is the first one of a row, and stands for
    all elements in the row, one for each lane.
    """

    number: int
    place: int


@attrs.frozen(eq=False)
class Received:
    """What a received unknown stands for.

    If `sender` is None, the unknown is the sum of all messages under `label` to `recipient`.
    Otherwise it is one message of this sender: row `row` of the sender's block `block`, and
    `recipient` is -1.
    """

    recipient: int
    label: tuple[object, ...]
    sender: int | None = None
    block: int = 0
    row: int = 0


@attrs.frozen(eq=False, kw_only=True)
class Outline:
    """The relations of a run over one field.

    `books` has the rows of each sender, by its number. `received` explains a received unknown, and
    `secret` an unknown of a secret. `handed` has the rows that the ideal world gives to each party,
    by its name. Each of these rows maps elements of secrets, (party, number of the secret, place),
    to coefficients.
    """

    run: Run
    reading: "OutlineReading"
    modulus: int
    lanes: int
    books: Mapping[int, Book]
    handed: Mapping[str, Sequence[Mapping[tuple[int, int, int], int]]]

    def received(self, unknown: int) -> Received:
        """What a received unknown stands for."""
        return self.reading.received(unknown)

    def secret(self, unknown: int) -> tuple[int, int, int]:
        """The party, the number of the secret, and the place in it, for an unknown of a secret."""
        return self.reading.secret(unknown)


def outline_of(
    sampled: Run,
    record: DoorRecord,
    progress: Callable[[int], None] | None = None,
    with_polynomials: bool = True,
) -> Outline:
    """Read the outline of a run, whose doors are on record.

    `progress` is called with the number of field elements just added to sums. If a party sends the
    values of a polynomial at different points, such as Shamir's shares, parties are rarely alike,
    and to read these values takes long. Without `with_polynomials` such a run is refused as soon as
    these messages are read.

    Raises `NotAlike` for a run that has something for which outlines have no rule. Raises
    `ScriptError` if the script inverts field elements that are not public, or calls other doors
    when it is read again, or if the numbers or sizes of its messages, its outputs or the ends of
    its parties then differ. The contents of messages, and of outputs that contain field
    elements, are not compared.
    """
    try:
        return _outline(sampled, record, progress, with_polynomials, by_element=False)
    except NotInLanes:
        if sampled.ledger.total().elements.get("qd", 0) > MOST_BY_ELEMENT:
            raise
    return _outline(sampled, record, progress, with_polynomials, by_element=True)


def _outline(
    sampled: Run,
    record: DoorRecord,
    progress: Callable[[int], None] | None,
    with_polynomials: bool,
    by_element: bool,
) -> Outline:
    if sampled.fates or sampled.message_fates or sampled.deadlines or sampled.aborts:
        raise NotAlike(
            "somebody dropped out, a message was lost, damaged, duplicated or late, somebody "
            "waited with a deadline, or the run was aborted"
        )
    if sampled.roster.crowds:
        raise NotAlike("some parties are crowds")
    reading = OutlineReading(record, with_polynomials, by_element)
    try:
        done = run(
            sampled.protocol,
            sampled.inputs,
            sampled.seed,
            observe=sampled.roster.names,
            reading=reading,
            threads=1,
            progress=progress,
        )
    except ScriptError:
        # What the reading refuses reaches the kernel as an error of the script.
        reading.check_refusals()
        raise
    reading.check_refusals()
    reading.check_doors()
    reading.read_kept_messages(done)
    reading.check_counts(done)
    compare_runs(sampled, done, elements=False)  # coins have no values here
    handed = {
        name: [row for forms in _arrays(arrays) for row in reading.handed_rows(forms)]
        for name, arrays in ideal_world(
            done.protocol, done.inputs, done.seed, reading, done.happened
        ).items()
    }
    if len(reading.moduli) != 1:
        raise NotAlike(
            f"the field elements of the run are over {len(reading.moduli)} fields"
            if reading.moduli
            else "the run sends no field elements"
        )
    return Outline(
        run=done,
        reading=reading,
        modulus=next(iter(reading.moduli)),
        lanes=reading.common_lanes(),
        books=reading.books,
        handed=handed,
    )


def _arrays(handed: Any) -> Sequence[Any]:
    if handed is None:
        return ()
    return list(handed) if isinstance(handed, Sequence) else [handed]


class _BareField(SymbolicField):
    """Unknown coins without values."""

    def _values(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> Residues:
        return zeros(field, shape, meter)

    def _noted(self, values: Residues) -> Residues:
        return values

    def lift(self, rows: FieldArray) -> FieldArray:
        """Turn plain field elements of a deferred block into forms.

        They get no unknowns of their own: a recipient receives a sum of such rows.
        """
        return self._reading.lifted(rows) if isinstance(rows, Residues) else rows

    def block(self, number: int) -> "_BareField":
        return _BareField(self._sampled.block(number), self._reading, self._holder)


def zeros(field: Field, shape: tuple[int, ...], meter: Meter | None = None) -> Residues:
    """Zeros that take no memory, in place of numbers that no code reads."""
    return Residues(field, np.broadcast_to(np.zeros((), dtype=field.dtype), shape), meter)


class OutlineReading(Symbolic):
    """The reading that makes an outline: see the module's documentation."""

    notes_sums = True

    def __init__(
        self, record: DoorRecord, with_polynomials: bool = True, by_element: bool = False
    ) -> None:
        super().__init__(record)
        self._by_element = by_element
        self._with_polynomials = with_polynomials
        self.books: dict[int, Book] = {}
        self.moduli: set[int] = set()
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._refusals: list[Exception] = []
        self._received: dict[int, Callable[[int], Received]] = {}  # by family
        self._payloads: dict[int, tuple[str, Forms]] = {}  # what was sent, by family
        self._senders: dict[int, int] = {}  # the sender of each family of messages
        self._lanes: Counter[int] = Counter()

    # What the kernel asks of a reading.

    def begin(self, actors: Sequence[Actor]) -> None:
        """Store the parties."""
        super().begin(actors)
        self._numbers = {actor.name: actor.number for actor in actors}
        self._names = {actor.number: actor.name for actor in actors}

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """The party's coins: its field coins are unknown, and have no values."""
        actor = self._actors.get(id(meter))
        holder = actor.name if actor else party
        fields = _BareField(SampledField(seed, party), self, holder)
        coins = Coins(self.discrete(seed, party), fields, meter)
        if self._is_running:
            self._coins[party] = coins
        return coins

    def name_of(self, block: Forms) -> str:
        """The name of the party that sends a block."""
        actor = self._actors.get(id(block.meter))
        if actor is None:
            raise NotAlike("a party sends field elements that nobody holds")
        return actor.name

    def outgoing(self, party: str, payload: Any) -> Any:
        """Return the payload with fresh unknowns in place of field elements."""
        lifted = super().outgoing(party, payload)
        if isinstance(lifted, Forms) and lifted.rows.rows:
            return self._as_received(party, lifted)
        if isinstance(lifted, tuple):
            return tuple(
                self._as_received(party, piece) if isinstance(piece, Forms) else piece
                for piece in lifted
            )
        return lifted

    def _as_received(self, party: str, forms: Forms) -> Forms:
        family = self._new_family(party)
        self._payloads[family] = party, forms
        terms = fresh(family * PLACES, forms.rows.rows, forms.rows.lanes)
        return Forms(forms.sampled, terms, self)

    def _new_family(self, holder: str) -> int:
        unknowns = self.unknowns
        made = unknowns.family("message", len(unknowns.families), "", holder, zeros(Field(2), (0,)))
        return made.number

    def named(self, values: Residues, family: Family) -> Forms:
        """The unknowns of a family as forms. Coins are kept as a range, to save memory."""
        if family.kind != "coin":
            return super().named(values, family)
        lanes = lanes_of(values.shape)
        coins = Range(family.first, residues_of(values).size // lanes, lanes)
        return Forms(values, Ranges((coins,), lanes), self)

    def total(self, field: Field, row_shape: tuple[int, ...]) -> Any:
        """Totals that note which messages are added up."""
        self.moduli.add(field.modulus)
        return OutlineTotal(field, row_shape, self, self._new_family(""))

    def product(self, left: Forms, right: Forms, sampled: Residues) -> Forms:
        """A product with a public factor stays linear. Other products are refused."""
        for factor in (left, right):
            if not np.any(factor.terms.unknowns != ONE):
                return super().product(left, right, sampled)
        self.refuse("a party multiplies field elements")
        return super().product(left, right, sampled)

    def digests(self, kind: str, seeds: FieldArray) -> list[bytes]:  # noqa: ARG002  # refused
        """Refuse seeds and keys."""
        self.refuse("a party uses seeds or keys")
        raise self._refusals[0]

    def signed(self, signature: bytes, public_keys: Sequence[bytes]) -> None:  # noqa: ARG002  # refused
        """Refuse signatures: they depend on the names of the parties."""
        self.refuse("a party signs")
        raise self._refusals[0]

    def refuse(self, why: str | Exception) -> None:
        """Note why this run has no outline; `check_refusals` raises the error."""
        self._refusals.append(why if isinstance(why, NotAlike) else NotAlike(str(why)))

    def check_refusals(self) -> None:
        """Raise `NotAlike` for what the reading has refused, even if a script caught the error."""
        if self._refusals:
            raise self._refusals[0]

    def check_counts(self, done: Run) -> None:
        """Raise `NotAlike` unless as many field elements were read as the bill counts."""
        lanes = self.common_lanes()
        read = sum(
            lanes * (len(sent.recipients) - int(np.count_nonzero(sent.recipients == sender)))
            for sender, book in self.books.items()
            for sent in book.sent
        )
        billed = done.ledger.total().elements.get("qd", 0)
        if read != billed:
            raise NotAlike(f"{billed:,} field elements were sent, and {read:,} were read")

    def check_doors(self) -> None:
        """Raise `NotAlike` if a door makes a secret from field elements, or discloses something
        about field elements that contain coins or were received.
        """
        for use in self.door_uses:
            if use.kind == "output":
                continue
            families = {
                family
                for forms in use.rows
                for family in np.unique(forms.terms.unknowns // PLACES).tolist()
            }
            kinds = {self.unknowns.families[family].kind for family in families}
            if use.kind == "secret" and use.rows:
                raise NotAlike(f"{use.party} makes a secret from field elements")
            if not kinds <= {"secret", "public"}:
                raise NotAlike(
                    f"{use.party} gives a door field elements that contain coins or were received"
                )

    # What a sender's unknowns are.

    def book(self, sender: int) -> Book:
        """The rows of a party."""
        found = self.books.get(sender)
        if found is None:
            found = self.books[sender] = Book(_kinds_for(self, self._names[sender]))
        return found

    def kind_for(self, name: str, family: int) -> Kind:
        """What a family's unknowns are to the sender `name`. Raises `NotAlike` for coins and
        secrets that do not belong to this party alone.
        """
        record = self.unknowns.families[family]
        if record.kind == "public":
            return "public"
        if record.kind == "message":
            # Who received it is checked for each unknown, when the run is over.
            return "received"
        if record.kind in ("coin", "secret") and record.holders == {name}:
            return "coin" if record.kind == "coin" else "secret"
        raise NotAlike(
            f"a message of {name} contains coins or secrets that do not belong to {name} alone"
        )

    def received(self, unknown: int) -> Received:
        """What a received unknown stands for."""
        explain = self._received.get(unknown // PLACES)
        if explain is None:
            raise NotAlike(
                "it was not found in which message a party received field elements that it sends on"
            )
        return explain(unknown % PLACES)

    def secret(self, unknown: int) -> tuple[int, int, int]:
        """The party, the number of the secret, and the place in it, for an unknown of a secret."""
        record = self.unknowns.families[unknown // PLACES]
        (holder,) = record.holders
        return self._numbers[holder], int(record.label.partition("/")[0]), unknown % PLACES

    def handed_rows(self, forms: Any) -> Iterator[Mapping[tuple[int, int, int], int]]:
        """The rows of an array that the ideal world hands out, as coefficients of secrets."""
        if not isinstance(forms, Forms):
            return
        self.moduli.add(forms.field.modulus)
        lanes = self.common_lanes()
        if forms.terms.lanes % lanes:
            raise NotInLanes(
                "the ideal output combines elements of one array, or treats them differently"
            )
        terms = refine(forms.terms, lanes)
        kinds = {
            self.unknowns.families[family].kind
            for family in set((terms.unknowns // PLACES).tolist())
        }
        if not kinds <= {"secret", "public"}:
            raise NotAlike("the ideal output contains more than secrets")
        for vector in terms.vectors():
            row = {
                self.secret(unknown): value for unknown, value in vector.items() if unknown != ONE
            }
            if any(place % lanes for _, _, place in row):
                raise NotInLanes("the ideal output moves elements of secrets to other places")
            yield row

    def common_lanes(self) -> int:
        """The number of lanes that all rows have. Raises `NotAlike` if rows have different numbers
        of lanes.
        """
        if len(self._lanes) > 1:
            lengths = " and ".join(map(str, sorted(self._lanes)))
            raise NotInLanes(
                f"arrays in messages have rows of different lengths: {lengths} elements"
            )
        return next(iter(self._lanes), 1)

    # Reading messages.

    def read_block(
        self, name: str, labels: Sequence[Label], groups: Sequence[Indices], rows: Forms
    ) -> None:
        """Read messages under summed tags. `rows` is an array with one row for each recipient."""
        sender = self._numbers[name]
        rows = self._in_lanes(self._own_forms(name, rows))
        self._check_polynomials(rows)
        messages = sum(len(group) for group in groups)
        if rows.rows.rows % messages:
            raise NotAlike(
                "the elements of one row of an array go to several recipients: send an array of "
                "shape (recipients, elements), which has a row for each recipient"
            )
        each = rows.rows.rows // messages
        whole = rows.terms if each > 1 or isinstance(rows.rows, Mixture) else rows.rows
        for element in range(each):
            blocks = [
                Sent((*label, element), np.asarray(group, dtype=np.int64))
                for label, group in zip(labels, groups, strict=True)
            ]
            part = whole
            if each > 1 and isinstance(whole, Terms):
                part = take(whole, np.arange(messages) * each + element)
            self._read(sender, blocks, part, rows.field)

    def _check_polynomials(self, forms: Forms) -> None:
        """Without `with_polynomials`, raise `NotAlike` for a `Mixture` whose rows are combinations
        with different coefficients.
        """
        rows = forms.rows
        if self._with_polynomials or not isinstance(rows, Mixture):
            return
        if np.any(rows.weights != rows.weights[0]):
            raise NotAlike(
                "a party sends combinations of the same coins and secrets with different factors"
            )

    def _in_lanes(self, forms: Forms) -> Forms:
        """The same forms, with one lane if elements are read one by one."""
        if not self._by_element:
            return forms
        return Forms(forms.sampled, refine(forms.terms, 1), self)

    def _own_forms(self, name: str, rows: Forms) -> Forms:
        """The forms of an array that a party sends, before `outgoing` put fresh unknowns in their
        place. An array in which nothing was replaced is returned as it is.
        """
        if not isinstance(rows.rows, Terms):
            return rows  # fresh unknowns of a payload are written out
        unknowns = rows.terms.unknowns
        sent = self._payloads.get(int(unknowns[0]) // PLACES) if unknowns.size else None
        if sent is None or sent[0] != name:
            return rows
        own = sent[1]
        whole = fresh(int(unknowns[0]) // PLACES * PLACES, own.rows.rows, own.rows.lanes)
        if whole.lanes == rows.terms.lanes and np.array_equal(whole.unknowns, unknowns):
            del self._payloads[int(unknowns[0]) // PLACES]
            return own
        return rows

    def _read(
        self, sender: int, blocks: Sequence[Sent], rows: Terms | Ranges, field: Field
    ) -> None:
        self.moduli.add(field.modulus)
        self._lanes[rows.lanes] += 1
        self.book(sender).read(blocks, rows, field.modulus)

    def read_kept_messages(self, done: Run) -> None:
        """Read the messages that are not summed. They are in the transcript of the run."""
        seen: Counter[tuple[int, int, str, int]] = Counter()
        recipients: dict[int, list[tuple[int, int, int]]] = {}  # by family: to, offset, occurrence
        tags: dict[int, tuple[str, int]] = {}
        for block in done.transcript.blocks:
            for to, piece, forms in _kept(block):
                key = block.sender, to, block.tag, piece
                occurrence, seen[key] = seen[key], seen[key] + 1
                if not forms.terms.unknowns.size:
                    raise NotAlike("a party sends an array without elements")
                family, offset = divmod(int(forms.terms.unknowns[0]), PLACES)
                recipients.setdefault(family, []).append((to, offset, occurrence))
                tags[family] = block.tag, piece
        for family, sent in recipients.items():
            name, forms = self._payloads[family]
            self._check_polynomials(forms)
            self._read_payload(
                family, self._numbers[name], self._in_lanes(forms), tags[family], sent
            )

    def _read_payload(
        self,
        family: int,
        sender: int,
        forms: Forms,
        tag: tuple[str, int],
        sent: Sequence[tuple[int, int, int]],
    ) -> None:
        offsets = sorted({offset for _, offset, _ in sent})
        occurrences = {occurrence for _, _, occurrence in sent}
        if len(occurrences) > 1:
            raise NotAlike(
                "a party sends one payload to several parties to whom it sent different numbers of "
                "messages under the same tag before"
            )
        label = ("message", *tag, occurrences.pop())
        to = {offset: [who for who, at, _ in sent if at == offset] for offset in offsets}
        is_published = len(offsets) == 1
        if not is_published and any(len(each) > 1 for each in to.values()):
            raise NotAlike(
                "a row of an array is sent to several recipients, and other rows to others"
            )
        each = forms.terms.rows // len(offsets)
        book = self.book(sender)
        first = len(book.sent)
        receivers = np.array(
            to[offsets[0]] if is_published else [to[offset][0] for offset in offsets]
        )
        is_single = is_published and len(receivers) == 1
        for element in range(each):
            part = take(forms.terms, np.arange(len(offsets)) * each + element)
            block = Sent((*label, element), receivers, is_published and not is_single)
            self._read(sender, [block], part, forms.field)

        lanes = forms.terms.lanes
        self._received[family] = lambda place: Received(
            -1, label, sender, first + place // lanes % each, place // lanes // each
        )

    def note_sum(self, family: int, explain: Callable[[int], Received]) -> None:
        """Note what the unknowns of a family of sums stand for."""
        self._received[family] = explain


def _kinds_for(reading: OutlineReading, name: str) -> Callable[[int], Kind]:
    return lambda family: reading.kind_for(name, family)


def _kept(block: Block) -> Iterator[tuple[int, int, Forms]]:
    for message in block.messages():
        for piece, forms in enumerate(message.pieces):
            if isinstance(forms, Forms):
                yield message.recipient, piece, forms


class OutlineTotal:
    """Sums whose unknowns stand for the sum of all messages that go into them."""

    def __init__(
        self, field: Field, row_shape: tuple[int, ...], reading: OutlineReading, family: int
    ) -> None:
        self._field = field
        self._shape = row_shape
        self._size = prod(row_shape)
        self._lanes = lanes_of(row_shape)
        self._reading = reading
        self._family = family
        self._groups: dict[int, tuple[Slots, Indices, Label]] = {}  # by identity of the slots
        self._owners: dict[int, tuple[int, Label]] = {}  # by slot
        reading.note_sum(family, self._explain)

    def reserve(self, slots: int) -> None:
        """Do nothing: a sum is an unknown, which takes no memory."""

    def name(self, slots: Slots, recipients: Indices, label: Label) -> None:
        """Note whose sums these slots are, and which messages go into them."""
        self._groups[id(slots)] = slots, recipients, label

    def _explain(self, place: int) -> Received:
        slot, element = divmod(place, self._size)
        if not self._owners:  # the run is over, so all slots have names
            for slots, recipients, label in self._groups.values():
                taken = (
                    range(slots.start, slots.stop) if isinstance(slots, slice) else slots.tolist()
                )
                for each, recipient in zip(taken, recipients.tolist(), strict=True):
                    self._owners[each] = recipient, label
        recipient, label = self._owners[slot]
        # The messages may have had fewer lanes than a new array of this shape has.
        return Received(recipient, (*label, element // self._reading.common_lanes()))

    def add(self, pieces: Sequence[Slots], block: Forms) -> None:
        """Read a block of messages, and forget it."""
        try:
            known = [self._groups[id(piece)] for piece in pieces]
            name = self._reading.name_of(block)
            self._reading.read_block(
                name, [label for _, _, label in known], [group for _, group, _ in known], block
            )
        except Exception as error:  # noted, too, in case that the script catches it
            self._reading.refuse(error)
            raise

    def merge(self, other: Any) -> None:  # noqa: ARG002  # nothing is merged
        """Raise `SimnetError`: an outline is read in one thread."""
        raise SimnetError("two outlines cannot be merged, because an outline is read in one thread")

    def row(self, slot: int) -> Forms:
        """The unknowns that stand for the sum at one slot."""
        first = self._family * PLACES + slot * self._size
        terms = fresh(first, self._size // self._lanes, self._lanes)
        return Forms(zeros(self._field, self._shape), terms, self._reading)

    def rows(self, slots: Sequence[int]) -> Forms:
        """The unknowns that stand for several sums; shape (slots, ...)."""
        each = self._size // self._lanes
        firsts = self._family * PLACES + np.asarray(slots, dtype=np.int64) * self._size
        unknowns = (firsts[:, np.newaxis] + self._lanes * np.arange(each)).reshape(-1)
        terms = Terms(
            np.arange(len(unknowns) + 1), unknowns, np.ones(len(unknowns), np.int64), self._lanes
        )
        return Forms(zeros(self._field, (len(slots), *self._shape)), terms, self._reading)
