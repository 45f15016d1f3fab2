"""What a party can wait for: a closed list, so that a stall can always say who waits for whom.

Deadlines and drop-outs are to come as further classes here and further methods of `Party` and
`Link`: a party will then wait for a message *or* a time on the logical clock, never on the wall's.
"""

from typing import Protocol

import attrs

from simnet.record.message import Key
from simnet.roster import Group


class Arrivals(Protocol):
    """Who has sent into a sum so far."""

    def senders(self, number: int) -> list[int]:
        """The senders of what this recipient has been sent, in order of sending."""
        ...


@attrs.define(eq=False)  # not frozen: one is made for every wait, and a frozen one takes longer
class FromNamed:
    """A message of `tag` from each of `senders`; those before `place` have come."""

    tag: str
    senders: list[int]
    place: int = 0


@attrs.define(eq=False)
class FromAnyone:
    """A message of `tag`, whoever sends it."""

    tag: str


@attrs.define(eq=False)
class ForSum:
    """`count` messages into a sum: from the members of `senders` or, if that is None, from anyone
    under `key`.
    """

    tag: str
    key: Key
    count: int
    senders: Group | None
    arrivals: Arrivals

    def arrived(self, number: int) -> list[int]:
        """Who has sent to this recipient so far."""
        return self.arrivals.senders(number)


Wait = FromNamed | FromAnyone | ForSum
