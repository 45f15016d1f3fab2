"""Tags, which name the kinds of messages."""

import attrs


@attrs.frozen(cache_hash=True)
class Tag:
    """The name of one kind of message. Recipients ask for messages by tag.

    `phase` names the part of the protocol that the messages belong to. The bill can be grouped by
    phase (`ledger.by("phase", "sent")`). The phase is not sent with the messages.

    >>> Tag("share", phase="sharing")
    Tag(name='share', phase='sharing')
    """

    name: str
    phase: str | None = attrs.field(default=None, kw_only=True)


@attrs.frozen(cache_hash=True)
class Voluntary(Tag):
    """A tag under which parties may stay silent.

    `send_rows` then takes a row of each member who sends, and no row of the silent members. The
    recipient collects the rows with `gather_rows` or `gather_tally`. A silent party calls
    `send_rows`, too, and passes no rows.

    >>> Voluntary("answer")
    Voluntary(name='answer', phase=None)
    """


@attrs.frozen(cache_hash=True)
class Summed(Tag):
    """A tag whose recipients' scripts get only the sum of the messages.

    The tag hides nothing: a verdict takes the recipient to see every single message.

    The kernel adds each message to the recipient's running total. `receive` and `gather` refuse
    such a tag; the recipient uses `gather_sum` or `gather_sums`. A message may carry a *key*, which
    is a number (see `Party.scatter`). What is sent to the recipient under the tag, with the same
    key or without a key, goes into one sum, but a sender's second message to the same group goes
    into the next sum, and so on. Unless the recipient has called `heard`, a run fails if more
    messages go into a sum than its recipient asks for.

    >>> Summed("share")
    Summed(name='share', phase=None)
    """
