"""Schedules: which party goes on next, and which of several waiting messages a party receives.

The result of a run must not depend on the schedule.
"""

from collections.abc import Sequence
from typing import Protocol

from simnet.checks import integer
from simnet.coins.exact import integer_below
from simnet.coins.streams import Stream


class Schedule(Protocol):
    """Decides the order of events in a run.

    Any object with these two methods can be passed to `run(..., schedule=...)`. This schedule lets
    the last party go on, and chooses the message of the last sender:

    >>> class LastFirst:
    ...     def party(self, ready):
    ...         return len(ready) - 1
    ...     def message(self, tag, senders):
    ...         return len(senders) - 1
    >>> from simnet import Schedule
    >>> schedule: Schedule = LastFirst()
    >>> schedule.party(["u1", "u2"])
    1
    """

    def party(self, ready: Sequence[str]) -> int:
        """Return which party goes on next, as a position in `ready`, the two or more parties that
        can go on now.
        """
        ...

    def message(self, tag: str, senders: Sequence[str]) -> int:
        """Return whose message `receive_any` gets, as a position in `senders`, the two or more
        parties whose messages wait.
        """
        ...


class Shuffled:
    """A schedule that makes every choice uniformly at random, from the seed `seed`.

    Raises `TypeError` for a seed that is not a whole number.

    >>> from simnet import Shuffled
    >>> Shuffled(seed=3).party(["u1", "u2", "u3"]) in (0, 1, 2)
    True
    """

    def __init__(self, seed: int) -> None:
        self._stream = Stream(integer("a seed", seed), "", "schedule")

    def party(self, ready: Sequence[str]) -> int:
        """Return the position of a random party."""
        return integer_below(self._stream, len(ready))

    def message(self, tag: str, senders: Sequence[str]) -> int:  # noqa: ARG002  # the interface names the tag
        """Return the position of a random sender."""
        return integer_below(self._stream, len(senders))
