"""Messages that go astray: lost, damaged, duplicated or late.

Theory of operation. A fate acts on a message that is on its way.

- A *lost* message never comes. A later message of the sender under the same tag is not read in the
  place of the lost one. `gather_some`, and `gather_rows` with `at_least`, count its sender as
  silent. A script that needs the lost message in `receive` or `gather` waits for ever, and the run
  is aborted.
- A *damaged* message is lost as well: the checksum of its frame, a CRC-32, does not fit.
- A *duplicated* message is billed twice to its sender, and read once.
- A *late* message comes later, by the number of seconds that its fate gives. Only a script that
  waits with a deadline can notice that a message is late.

A verdict counts all these messages as seen by the recipient, because an adversary may have read a
message before it was lost or damaged.

A message under a summed tag belongs to a sum as soon as it is sent, so it cannot go astray: such a
fate is refused.

Example. `MessageFate("u3", "server", "masked")` loses the message to the server in u3's first send
under "masked". In text, as on the command line, this is `u3@masked:lost:server`.
"""

import abc
import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from simnet.coins.coins import Deferred, RowBlock
from simnet.errors import BadInput
from simnet.kernel.actor import Actor, LateMailbox
from simnet.kernel.link import Link, Payload
from simnet.kernel.tags import Summed, Tag
from simnet.kernel.waits import FromAnyone, FromNamed
from simnet.record.fate import LOST, MessageFate
from simnet.record.ledger import Ledger
from simnet.record.log import Log
from simnet.record.message import Block, Key
from simnet.record.transcript import Recorder
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.rows import Rows, Tally
from simnet.values.typed import Typed


def checked_message_fates(
    fates: Sequence[MessageFate], roster: Roster
) -> dict[int, list[MessageFate]]:
    """Return the fates of messages by the number of the sender.

    Raises `BadInput` for an unknown party, for a message from or to a crowd, for a party's message
    to itself, and for two fates of one message.
    """
    by_sender: dict[int, list[MessageFate]] = {}
    known = set()
    for fate in fates:
        numbers = roster.find(fate.sender), roster.find(fate.recipient)
        for number in numbers:
            if number in roster.crowds:
                raise BadInput(
                    f"{roster.names[number]} is a crowd, and no message from or to a crowd can "
                    "go astray: seat its members one by one"
                )
        if numbers[0] == numbers[1]:
            raise BadInput(f"{fate.sender} keeps its own messages, so they cannot go astray")
        message = (*numbers, fate.tag, fate.place)
        if message in known:
            raise BadInput(f"a message has one fate, and a second one is given for it: {fate}")
        known.add(message)
        by_sender.setdefault(numbers[0], []).append(fate)
    return by_sender


class AstrayLink(Link):
    """The link of a party some of whose messages go astray. A subclass says what a fate does."""

    def __init__(self, link: Link, fates: Sequence[MessageFate]) -> None:
        self.turn = link.turn
        self._link = link
        self._fates = fates
        self._sends = Counter[str]()
        # Set once the party has dropped out. Its last send may then take several posts, which
        # count as one send.
        self._has_left = False

    @abc.abstractmethod
    def _going_astray(
        self, actor: Actor, tag: Tag, fates: Sequence[MessageFate]
    ) -> contextlib.AbstractContextManager[None]:
        """Return a context manager: what the link sends inside its block gets these fates."""

    @contextlib.contextmanager
    def _sending(self, actor: Actor, tag: Tag, to: Sequence[str]) -> Iterator[None]:
        if not self._has_left:
            self._sends[tag.name] += 1
        self._has_left = actor.is_gone
        place, names = self._sends[tag.name], set(to)
        fates = [
            fate
            for fate in self._fates
            if (fate.tag, fate.place) == (tag.name, place) and fate.recipient in names
        ]
        on_its_way = self._going_astray(actor, tag, fates) if fates else contextlib.nullcontext()
        with on_its_way:
            try:
                yield
            except Exception:
                self._has_left = False  # if the last send fails, the party has not dropped out
                raise

    def post(self, actor: Actor, tag: Tag, to: str, payload: Payload) -> None:
        """See `Link.post`."""
        with self._sending(actor, tag, [to]):
            self._link.post(actor, tag, to, payload)

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Payload) -> None:
        """See `Link.post_rows`."""
        with self._sending(actor, tag, list(to)):
            self._link.post_rows(actor, tag, to, rows)

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """See `Link.post_each`."""
        names = list(to)
        with self._sending(actor, tag, names):
            self._link.post_each(actor, tag, to, payloads)

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """See `Link.post_copies`."""
        with self._sending(actor, tag, list(to)):
            self._link.post_copies(actor, tag, to, payloads)

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """See `Link.post_block`."""
        # A party that stays silent under a voluntary tag sends no message that could go astray.
        with self._sending(actor, tag, [to] if messages else []):
            self._link.post_block(actor, tag, to, block, messages)

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """Add the rows of a block to the sums of their recipients.

        Raises `BadInput` if a fate is for a message under this tag. The run then ends with a
        `ScriptError`, even if the script catches the error.
        """
        for fate in self._fates:
            if fate.tag == tag.name:
                self.turn.failure = BadInput(
                    f'{fate}: a message under the summed tag "{tag.name}" belongs to a sum as soon '
                    "as it is sent, so it cannot go astray; let its sender drop out, or declare "
                    f'the tag as Tag("{tag.name}")'
                )
                raise self.turn.failure
        self._link.put(actor, tag, to, rows, keys)

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Payload:
        """See `Link.take`."""
        return await self._link.take(actor, tag, sender)

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Payload]:
        """See `Link.take_many`."""
        return await self._link.take_many(actor, tag, sender, count)

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Payload]:
        """See `Link.take_each`."""
        return await self._link.take_each(actor, tag, senders)

    async def take_some(
        self, actor: Actor, tag: Tag, senders: Group, within: float | None
    ) -> dict[int, Payload]:
        """See `Link.take_some`."""
        return await self._link.take_some(actor, tag, senders, within)

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Payload]:
        """See `Link.take_any`."""
        return await self._link.take_any(actor, tag)

    async def heard(self, actor: Actor, tag: Summed, key: Key, senders: Group) -> list[int]:
        """See `Link.heard`."""
        return await self._link.heard(actor, tag, key, senders)

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """See `Link.take_sum`."""
        return await self._link.take_sum(actor, tag, key, senders, count)

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """See `Link.take_sums`."""
        return await self._link.take_sums(actor, tag, keys, counts)

    async def breathe(self, actor: Actor) -> None:
        """See `Link.breathe`."""
        await self._link.breathe(actor)


class AstrayMail(AstrayLink):
    """The link, in a run, of a party some of whose messages go astray."""

    def __init__(
        self,
        link: Link,
        fates: Sequence[MessageFate],
        actors: Sequence[Actor],
        roster: Roster,
        log: Log,
        ledger: Ledger,
        recorder: Recorder,
    ) -> None:
        super().__init__(link, fates)
        self._actors = actors
        self._roster = roster
        self._log = log
        self._ledger = ledger
        self._recorder = recorder

    @contextlib.contextmanager
    def _going_astray(self, actor: Actor, tag: Tag, fates: Sequence[MessageFate]) -> Iterator[None]:
        start, blocks = len(self._log.events), len(self._recorder.blocks)
        boxes = [
            self._actors[self._roster.find(fate.recipient)].late_box(tag.name)
            for fate in fates
            if fate.what in LOST
        ]
        for box in boxes:
            box.swallows = True
        try:
            yield
        finally:
            for box in boxes:
                box.swallows = False
        posts = self._log.posts_since(start)
        seen = self._recorder.blocks[blocks:]
        for fate in fates:
            number = self._roster.find(fate.recipient)
            if fate.what == "late":
                self._log.delays |= {(post, number): fate.seconds for post, _ in posts}
            elif fate.what == "duplicated":
                box = self._actors[number].late_box(tag.name)
                for _, line in posts:
                    self._ledger.bill(line, 1, number)
                    line.copies += 1
                    box.unread[actor.number] += 1
                    self._log.send(line, number)
                for block in seen:
                    self._record_again(block, number)

    def _record_again(self, block: Block, number: int) -> None:
        for message in block.messages():
            if message.recipient == number:
                self._recorder.add(message)


def waits_for_lost(actor: Actor) -> int | None:
    """Return the number of a sender whose lost message a party waits for. Return None if there is
    no such message, or if the party may go on without it, as in `gather_some`.
    """
    wait: Any = actor.wait
    if not isinstance(wait, FromNamed | FromAnyone):
        return None
    box = actor.box(wait.tag)
    if not isinstance(box, LateMailbox):
        return None
    if isinstance(wait, FromAnyone):
        return min(box.behind, default=None)
    missing = [number for number in wait.senders if number not in box.held]
    return next((number for number in missing if number in box.behind), None)
