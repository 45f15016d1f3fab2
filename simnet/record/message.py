"""One message, and blocks of messages, as an observer sees them; parties by number."""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

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

    @property
    def place(self) -> tuple[int, int, int, str, int]:
        """Where the message stands in a transcript: by round, sender, recipient, tag and key."""
        return self.round, self.sender, self.recipient, self.tag, -1 if self.key is None else self.key


@attrs.frozen(eq=False)
class Block:
    """Messages that were sent at once: row k of `rows` to `recipients[k]` under `keys[k]`."""

    round: int
    sender: int
    recipients: Sequence[int]
    tag: str
    keys: Sequence[Key]
    rows: Any

    def messages(self) -> Iterator[Message]:
        """The messages one by one."""
        for place, (recipient, key) in enumerate(zip(self.recipients, self.keys, strict=True)):
            yield Message(self.round, self.sender, recipient, self.tag, key, self.rows[place])

    @classmethod
    def of(cls, message: Message) -> "Block":
        """A block of one message; its payload is the only row, whatever it is made of."""
        return cls(message.round, message.sender, (message.recipient,), message.tag, (message.key,), (message.payload,))
