"""A limit on the messages of a run: a script that sends for ever would fill the memory.

The limit holds for every run that starts, in the same thread, inside a `with` block. So `run`,
which is often called many times by functions far inside other functions, needs no parameter for it:

    with messages_limited(1_000_000):
        verdict(...)
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

most_messages: ContextVar[int | None] = ContextVar("most_messages", default=None)


@contextlib.contextmanager
def messages_limited(most: int | None) -> Iterator[None]:
    """End every run in the block with a `ScriptError` soon after it has sent more than `most`
    messages; None sets no limit.

    The messages are counted from time to time only. So a run that ends soon after it has passed the
    limit may end without an error.
    """
    token = most_messages.set(most)
    try:
        yield
    finally:
        most_messages.reset(token)
