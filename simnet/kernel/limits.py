"""A limit on the messages of a run. Without a limit, a script that sends for ever would fill the
memory.

The limit holds for each run that starts, in the same thread, inside a `with` block:

    with messages_limited(1_000_000):
        verdict(...)
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

most_messages: ContextVar[int | None] = ContextVar("most_messages", default=None)


@contextlib.contextmanager
def messages_limited(most: int | None) -> Iterator[None]:
    """Set a limit for each run in the block: a `ScriptError` ends a run soon after it has sent more
    than `most` messages. None sets no limit.

    A run that ends soon after it has passed the limit may end without an error.
    """
    token = most_messages.set(most)
    try:
        yield
    finally:
        most_messages.reset(token)
