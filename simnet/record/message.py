"""One message, and blocks of messages, as an observer sees them. A party is named by its number."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from simnet.values.frames import HEADER_BYTES
from simnet.values.rows import Rows, Tally, manifest_of_each
from simnet.values.wire import Manifest, WireType, manifest_of

Key = int | None


@attrs.frozen(eq=False)
class Message:
    """One message, as an observer of its sender or of its recipient sees it."""

    round: int
    sender: int
    recipient: int
    tag: str
    key: Key
    payload: Any
    key_wire: WireType | None = None  # the wire type of the key, if the message has a key

    @property
    def pieces(self) -> tuple[Any, ...]:
        """The arrays of the payload."""
        return self.payload if isinstance(self.payload, tuple) else (self.payload,)

    @property
    def manifest(self) -> Manifest:
        """The wire types and shapes of the message's pieces; the key, if there is one, comes
        first.
        """
        key = () if self.key_wire is None else ((self.key_wire, ()),)
        return manifest_of(*key, *((piece.wire, piece.shape) for piece in self.pieces))

    @property
    def frame_bytes(self) -> int:
        """The number of bytes that the message takes on a channel."""
        return self.manifest.payload_bytes + HEADER_BYTES

    @property
    def place(self) -> tuple[int, int, int, str, int]:
        """The place of the message in a transcript: its round, sender, recipient, tag and key,
        which is -1 if the message has no key.
        """
        return (
            self.round,
            self.sender,
            self.recipient,
            self.tag,
            -1 if self.key is None else self.key,
        )


@attrs.frozen(eq=False)
class Block:
    """Messages that were sent together: row k of `rows` goes to `recipients[k]` under `keys[k]`.

    `rows` is an array, `Rows`, a sequence of payloads, or a `Tally` that stands for all of the
    messages.
    """

    round: int
    sender: int
    recipients: Sequence[int]
    tag: str
    keys: Sequence[Key]
    rows: Any
    key_wire: WireType | None = None

    def messages(self) -> Iterator[Message]:
        """Yield the messages one by one. A tally gives a single message, whose payload is the
        tally, because the messages that it stands for are unknown.
        """
        if isinstance(self.rows, Tally):
            yield Message(
                self.round, self.sender, self.recipients[0], self.tag, self.keys[0], self.rows
            )
            return
        for place, (recipient, key) in enumerate(zip(self.recipients, self.keys, strict=True)):
            yield Message(
                self.round, self.sender, recipient, self.tag, key, self.rows[place], self.key_wire
            )

    def counts(self) -> Iterator[tuple[int, Manifest, int]]:
        """Yield a recipient, the manifest of a message to it, and the number of such messages,
        until all messages are counted. A recipient may occur several times.
        """
        if isinstance(self.rows, Rows | Tally):
            yield from (
                (recipient, manifest_of_each(self.rows), messages)
                for recipient, messages in Counter(self.recipients).items()
            )
        else:
            yield from ((message.recipient, message.manifest, 1) for message in self.messages())

    @property
    def is_of_a_crowd(self) -> bool:
        """Whether `rows` is `Rows` or a `Tally`, as it is for the messages of a crowd."""
        return isinstance(self.rows, Rows | Tally)

    @classmethod
    def of(cls, message: Message) -> "Block":
        """Return a block that contains this message only; its payload is the only row."""
        return cls(
            message.round,
            message.sender,
            (message.recipient,),
            message.tag,
            (message.key,),
            (message.payload,),
            message.key_wire,
        )
