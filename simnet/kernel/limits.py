"""A limit on the messages of a run: a script that sends for ever would fill the memory.

The limit holds for every run that starts inside a `with` block. So it needs no parameter of `run`,
which is often called many times, by functions far inside other functions:

    with messages_limited(1_000_000):
        verdict(...)
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

most_messages: ContextVar[int | None] = ContextVar("most_messages", default=None)


@contextlib.contextmanager
def messages_limited(most: int | None) -> Iterator[None]:
    """Make every run in the block that sends more than `most` messages end with a `ScriptError`."""
    token = most_messages.set(most)
    try:
        yield
    finally:
        most_messages.reset(token)
