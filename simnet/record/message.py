"""One message, as an observer sees it."""

from typing import Any

import attrs

Key = int | None


@attrs.frozen(eq=False)
class Message:
    """One message as an observer of its sender or of its recipient sees it; parties by number."""

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
