"""One message, and blocks of messages, as an observer sees them; parties by number."""

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
    """One message as an observer of its sender or of its recipient sees it."""

    round: int
    sender: int
    recipient: int
    tag: str
    key: Key
    payload: Any
    key_wire: WireType | None = None  # how the key travels, where there is one

    @property
    def pieces(self) -> tuple[Any, ...]:
        """The arrays that the payload consists of."""
        return self.payload if isinstance(self.payload, tuple) else (self.payload,)

    @property
    def manifest(self) -> Manifest:
        """What the message consists of, key included."""
        key = () if self.key_wire is None else ((self.key_wire, ()),)
        return manifest_of(*key, *((piece.wire, piece.shape) for piece in self.pieces))

    @property
    def frame_bytes(self) -> int:
        """What the message takes on a channel."""
        return self.manifest.payload_bytes + HEADER_BYTES

    @property
    def place(self) -> tuple[int, int, int, str, int]:
        """Where the message stands in a transcript: by round, sender, recipient, tag and key."""
        return (
            self.round,
            self.sender,
            self.recipient,
            self.tag,
            -1 if self.key is None else self.key,
        )


@attrs.frozen(eq=False)
class Block:
    """Messages that were sent at once: row k of `rows` to `recipients[k]` under `keys[k]`.

    `rows` are an array, `Rows`, or a sequence of payloads; or a `Tally`, which stands for all of
    them.
    """

    round: int
    sender: int
    recipients: Sequence[int]
    tag: str
    keys: Sequence[Key]
    rows: Any
    key_wire: WireType | None = None

    def messages(self) -> Iterator[Message]:
        """The messages one by one; those of a tally as one, for nothing else is known of them."""
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
        """Recipients, what a message to each consists of, and how many there are."""
        if isinstance(self.rows, Rows | Tally):
            yield from (
                (recipient, manifest_of_each(self.rows), messages)
                for recipient, messages in Counter(self.recipients).items()
            )
        else:
            yield from ((message.recipient, message.manifest, 1) for message in self.messages())

    @property
    def is_of_a_crowd(self) -> bool:
        """Whether the messages carry plain values of one form, as those of a crowd do."""
        return isinstance(self.rows, Rows | Tally)

    @classmethod
    def of(cls, message: Message) -> "Block":
        """A block of one message; its payload is the only row, whatever it is made of."""
        return cls(
            message.round,
            message.sender,
            (message.recipient,),
            message.tag,
            (message.key,),
            (message.payload,),
            message.key_wire,
        )
