"""What a party can wait for."""

from typing import Protocol

import attrs

from simnet.record.message import Key
from simnet.roster import Group


class Arrivals(Protocol):
    """Knows who has sent messages into a sum so far."""

    def stop_expecting(self, number: int) -> None:
        """Note that this recipient waits no longer."""
        ...

    def senders(self, number: int) -> list[int]:
        """Return the senders of the messages that this recipient has been sent."""
        ...


# Not frozen: every wait makes such an object, and a frozen object takes longer to make.
@attrs.define(eq=False)
class FromNamed:
    """Waits for a message of `tag` from each of `senders`. The messages of the first `place`
    senders have come.
    """

    tag: str
    senders: list[int]
    place: int = 0


@attrs.define(eq=False)
class FromSome:
    """Waits for a message of `tag` from each of `senders`, or until the senders whose message has
    not come count as silent. `missing` are the senders whose message is not in the mailbox yet.

    With `within`, the party waits for at most `within` seconds, whether others can send or not. The
    clock then decides which of the messages that were sent have come in time. When such a wait has
    ended, `at` is the time at which it ended.
    """

    tag: str
    senders: list[int]
    missing: set[int]
    within: float | None = None
    at: float = 0.0


@attrs.define(eq=False)
class FromAnyone:
    """Waits for a message of `tag` from any sender."""

    tag: str


@attrs.define(eq=False)
class ForSum:
    """Waits for `count` messages into a sum, under `key`: from `senders` or, if `senders` is None,
    from any party.
    """

    tag: str
    key: Key
    count: int
    senders: Group | None
    arrivals: Arrivals
    may_lack: bool = False  # whether the party stops waiting for senders that cannot send any more

    def arrived(self, number: int) -> list[int]:
        """Return who has sent to this recipient so far."""
        return self.arrivals.senders(number)


Wait = FromNamed | FromSome | FromAnyone | ForSum
