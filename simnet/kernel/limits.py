"""How many messages a run may send: a script that sends for ever would fill the memory.

Whoever starts runs sets the limit around them, as they may be many and far below:

    with messages_limited(1_000_000):
        verdict(...)
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

most_messages: ContextVar[int | None] = ContextVar("most_messages", default=None)


@contextlib.contextmanager
def messages_limited(most: int | None) -> Iterator[None]:
    """End every run of the block that sends more messages than this, with a `ScriptError`."""
    token = most_messages.set(most)
    try:
        yield
    finally:
        most_messages.reset(token)
