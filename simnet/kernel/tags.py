"""Tags: what a message is for. A tag is declared once, at the top of a protocol module."""

import attrs


@attrs.frozen(cache_hash=True)
class Tag:
    """The name of a kind of message; recipients ask for messages by it.

    `phase` names the part of the protocol to which such messages belong, for a bill by phases
    (`ledger.by("phase", "sent")`). It is a label for whoever reads the record: no message carries
    it.
    """

    name: str
    phase: str | None = attrs.field(default=None, kw_only=True)


@attrs.frozen(cache_hash=True)
class Voluntary(Tag):
    """A tag under which a party may stay silent: `send_rows` takes a row of each member who sends,
    and no others.

    A recipient notices silence when the round is over, so it costs no message; it gathers with
    `gather_rows` or `gather_tally`. Every party that may send calls `send_rows`, with no row if it
    is silent.
    """


@attrs.frozen(cache_hash=True)
class Summed(Tag):
    """A tag whose recipients only add its messages up.

    The kernel folds each message into the recipient's running total as it is sent, and keeps no
    single one except for observed parties; `receive` and `gather` on such a tag are refused. A sum
    takes in whatever is sent to the recipient under the tag (and key), one message from each
    sender; a sender's next message to the same group goes into the next sum. A run in which a
    recipient is sent more than it sums fails, whatever came first.
    """
