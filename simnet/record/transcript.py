"""The transcript of a run: the messages of the observed parties."""

import functools
import itertools
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.arrays import Indices
from simnet.errors import BadInput
from simnet.record.fate import Deadline, Fates, MessageFate, Silence
from simnet.record.message import Block, Key, Message
from simnet.record.view import View
from simnet.roster import Group

NAMES_SHOWN = 6  # names of parties in a message

# The recipients and the keys of messages, and their places in a block.
Addressed = tuple[list[int], list[Key], Indices | None]


class Recorder:
    """Collects messages during a run. Several threads may add messages.

    Without `keeps_sums`, messages under summed tags are left out.
    """

    def __init__(self, observed: frozenset[int], parties: int, keeps_sums: bool = True) -> None:
        self.observed = observed
        self.keeps_sums = keeps_sums
        self.mask = np.zeros(parties, dtype=np.bool_)
        self.mask[list(observed)] = True
        self._blocks: list[tuple[int, Block]] = []  # each block with the number of its send
        self._sends = itertools.count()
        self._addressed: dict[Hashable, tuple[Sequence[Group], Addressed]] = {}
        self._seen: dict[int, tuple[Group, Indices]] = {}
        self.silences: list[Silence] = []

    def add(self, message: Message) -> None:
        """Add one message, which is being sent."""
        self.add_block(Block.of(message))

    def begin_send(self) -> int:
        """Return the number of a send whose block may be added after blocks of later sends."""
        return next(self._sends)

    def add_block(self, block: Block, send: int | None = None) -> None:
        """Add a block of messages that were sent together: in the send with this number or, without
        `send`, just now.
        """
        self._blocks.append((next(self._sends) if send is None else send, block))

    def addressed(self, to: Sequence[Group], keys: Sequence[Key], is_all: bool) -> Addressed:
        """Return the recipients, the keys and the places in the block of those messages of a block
        that are recorded. The places are None if these are all messages of the block.

        All messages are recorded if `is_all`, otherwise those to observed parties. The caller must
        not change the lists.
        """
        place = tuple(map(id, to)), tuple(keys), is_all
        known = self._addressed.get(place)
        if known is None:
            found = self._all_of(to, keys) if is_all else self._observed_of(to, keys)
            # The groups are kept, too: while they live, no other groups can have the same ids.
            known = self._addressed[place] = tuple(to), found
        return known[1]

    def _all_of(self, to: Sequence[Group], keys: Sequence[Key]) -> Addressed:
        recipients = [number for group in to for number in group.listed]
        of_each = [key for group, key in zip(to, keys, strict=True) for _ in range(len(group))]
        return recipients, of_each, None

    def _observed_of(self, to: Sequence[Group], keys: Sequence[Key]) -> Addressed:
        recipients: list[int] = []
        of_each: list[Key] = []
        places: list[Indices] = []
        begin = 0
        for group, key in zip(to, keys, strict=True):
            seen = self._seen_in(group)
            if seen.size:
                recipients += group.numbers[seen].tolist()
                of_each += [key] * seen.size
                places.append(begin + seen)
            begin += len(group)
        if len(recipients) == begin:
            return recipients, of_each, None
        return recipients, of_each, np.concatenate([np.zeros(0, dtype=np.intp), *places])

    def _seen_in(self, group: Group) -> Indices:
        known = self._seen.get(id(group))
        if known is None:
            seen = np.flatnonzero(self.mask[group.numbers])
            # The group is kept, too: while it lives, no other group can have the same id.
            known = self._seen[id(group)] = group, seen
        return known[1]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks collected so far, in the order in which they were sent."""
        return tuple(block for _, block in sorted(self._blocks, key=operator.itemgetter(0)))

    def transcript(
        self,
        seed: int,
        names: Sequence[str],
        inputs: Mapping[str, Any],
        fates: Fates,
        deadlines: tuple[Deadline, ...] = (),
        message_fates: tuple[MessageFate, ...] = (),
    ) -> "Transcript":
        """Return the transcript of the run."""
        silences = tuple(
            sorted(silence for silence in self.silences if silence.recipient in self.observed)
        )
        return Transcript(
            seed,
            tuple(names),
            inputs,
            self.observed,
            self.blocks,
            fates,
            silences,
            deadlines,
            message_fates,
        )


@attrs.frozen(eq=False)
class Transcript:
    """The observed messages of one run. Parties are numbers: places in `names`.

    `observed` are the numbers of the observed parties. `blocks` are the messages in the order in
    which the run sent them; in a transcript from a file they have the order of `messages`. `fates`
    are the fates that the run was told, and `silences` says from whom an observed party waited for
    a message in vain. `deadlines` says how all waits with a deadline ended. `message_fates` are the
    fates of messages that the run was told; the transcript contains these messages as if they had
    been received.

    >>> from simnet import Field, Seat, Tag, constant, run
    >>> class Send:
    ...     def parties(self):
    ...         return {"a": Seat(self.sender), "b": Seat(self.reader)}
    ...     async def sender(self, me):
    ...         await me.send(Tag("note"), "b", constant(Field(7), [5]))
    ...     async def reader(self, me):
    ...         await me.receive(Tag("note"), "a")
    >>> transcript = run(Send(), observe=["b"]).transcript
    >>> [message.payload for message in transcript.messages]
    [Residues(F_7, [5])]
    >>> transcript.view(["b"]).parties, len(transcript.view(["b"]).received)
    (('b',), 1)
    """

    seed: int
    names: tuple[str, ...]
    inputs: Mapping[str, Any]
    observed: frozenset[int]
    blocks: tuple[Block, ...]
    fates: Fates = attrs.field(factory=dict)
    silences: tuple[Silence, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    message_fates: tuple[MessageFate, ...] = ()

    @functools.cached_property
    def messages(self) -> tuple[Message, ...]:
        """All messages of the transcript, ordered by round, sender, recipient, tag and key.

        Messages that agree in all these parts keep the order in which they were sent.
        """
        return tuple(
            sorted((m for block in self.blocks for m in block.messages()), key=lambda m: m.place)
        )

    def view(self, coalition: Iterable[str]) -> View:
        """Return the view of the coalition: the inputs of its parties and all messages that they
        sent or that were sent to them.

        Raises `BadInput` for a coalition without parties, for the name of an unknown party, and for
        a party that was not observed. A text is the name of one party.
        """
        coalition = [coalition] if isinstance(coalition, str) else coalition
        parties = sorted({self._number(name) for name in coalition})
        if not parties:
            raise BadInput("a coalition needs the name of at least one party")
        members = frozenset(parties)
        unseen = [self.names[number] for number in parties if number not in self.observed]
        if unseen:
            raise BadInput(f"{unseen[0]} was not observed in this run: name it in `observe`")
        return View(
            tuple(self.names[number] for number in parties),
            {
                name: value
                for name, value in self.inputs.items()
                if name in {self.names[number] for number in parties}
            },
            tuple(m for m in self.messages if m.recipient in members and m.sender not in members),
            tuple(m for m in self.messages if m.sender in members),
        )

    def _number(self, name: str) -> int:
        if name not in self.names:
            shown = ", ".join(self.names[:NAMES_SHOWN])
            more = ", ..." if len(self.names) > NAMES_SHOWN else ""
            raise BadInput(
                f"the coalition names {name!r}, but no party of this run has this name: the "
                f"parties are {shown}{more}"
            )
        return self.names.index(name)
