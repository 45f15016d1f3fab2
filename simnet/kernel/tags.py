"""Tags name the kinds of messages. A protocol module declares its tags once, at the top."""

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

    `send_rows` then takes a row of each member who sends, and no row of the silent members. A
    recipient notices silence when the round is over, so silence costs no message. The recipient
    collects the rows with `gather_rows` or `gather_tally`. Every party that could send calls
    `send_rows`; a silent party passes no rows.

    >>> Voluntary("answer")
    Voluntary(name='answer', phase=None)
    """


@attrs.frozen(cache_hash=True)
class Summed(Tag):
    """A tag whose recipients get only the sum of the messages.

    The kernel adds each message to the recipient's running total: when the message is sent or, for
    a deferred block, when a recipient asks for a sum. The transcript has the single messages of
    observed parties only. `receive` and `gather` refuse such a tag; the recipient uses `gather_sum`
    or `gather_sums`. A sum contains everything that is sent to the recipient under the tag (and
    key), with one message from each sender. The next message of the same sender to the same group
    belongs to the next sum. Unless the recipient has called `heard`, a run fails if more messages
    go into a sum than its recipient asks for, in whatever order they come.

    >>> Summed("share")
    Summed(name='share', phase=None)
    """
