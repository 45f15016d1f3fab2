"""Messages of a crowd: one party sends, in one call, one row for each member. Under a voluntary
tag, members may stay silent.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simnet.kernel.actor import Actor, refuse
from simnet.kernel.link import Link
from simnet.kernel.tags import Summed, Tag, Voluntary
from simnet.printable import count_of
from simnet.roster import Seat
from simnet.values.metered import Metered
from simnet.values.rows import Rows, Tally, added_up, stacked


def post_rows(link: Link, actor: Actor, seat: Seat, tag: Tag, to: str, rows: Any) -> None:
    """Post one message for each member of a crowd, or a single message of another party. Under a
    voluntary tag, silent members have no message.

    Raises `ScriptError` for a wrong number of rows and for a summed tag, and `TypeError` for
    anything but rows of plain values or a `Tally`.
    """
    if isinstance(tag, Summed):
        raise refuse(
            actor,
            tag.name,
            f'send_rows cannot use a summed tag: declare the tag as Tag("{tag.name}"), and let the '
            "recipient use gather_rows or gather_tally",
        )
    block = rows if isinstance(rows, Tally) else Rows.of(rows)
    messages = block.messages if isinstance(block, Tally) else len(block)
    voluntary = isinstance(tag, Voluntary)
    if messages > seat.size or (messages < seat.size and not voluntary):
        needed = "at most" if voluntary else "exactly"
        parties = "1 party" if seat.size == 1 else f"{seat.size} parties"
        raise refuse(
            actor,
            tag.name,
            f"sends {count_of(messages, 'message')} for {parties}: each party sends {needed} one",
        )
    if seat.members is None and isinstance(block, Rows) and not voluntary:
        link.post(actor, tag, to, block[0])
    else:
        link.post_block(actor, tag, to, block, messages)


def rows_from(
    actor: Actor, tag: Tag, senders: Sequence[int], crowds: frozenset[int], payloads: Sequence[Any]
) -> Any:
    """Return all rows of these payloads. `senders` has the number of the sender of each payload.

    There is one row for each sender that is not a crowd, and one for each member of a crowd. Under
    a voluntary tag there may be fewer rows.

    Raises `ScriptError` for a tally, which has no rows, and if there are no payloads.
    """
    if not payloads:
        raise refuse(actor, tag.name, "gathers rows from no senders: name at least one")
    if any(isinstance(payload, Tally) for payload in payloads):
        raise refuse(
            actor,
            tag.name,
            "a sender has sent a tally (counts) and no rows: use gather_tally",
        )
    if isinstance(tag, Voluntary):
        return stacked(payloads)
    pairs = zip(senders, payloads, strict=True)
    return stacked(
        [payload if number in crowds else _one_row(payload) for number, payload in pairs]
    )


def tally_of(
    actor: Actor,
    tag: Tag,
    senders: Sequence[int],
    crowds: frozenset[int],
    payloads: Sequence[Any],
    count: Callable[[Any], Any],
) -> Any:
    """Return the counts of these payloads.

    `count` turns all rows, as `rows_from` returns them, into counts. Tallies consist of counts
    already, and are added up without `count`.

    Raises `ScriptError` for a mix of rows and tallies.
    """
    tallies = [payload for payload in payloads if isinstance(payload, Tally)]
    if not tallies:
        return Metered.of(count(rows_from(actor, tag, senders, crowds, payloads)), actor.meter)
    if len(tallies) != len(payloads):
        raise refuse(
            actor,
            tag.name,
            "some senders have sent rows and others tallies: all must send the same kind",
        )
    return added_up(tallies)


def _one_row(payload: Any) -> Any:
    if isinstance(payload, tuple):
        return tuple(piece[np.newaxis] for piece in payload)
    return payload[np.newaxis]
