"""Schedules: who goes on next, and which of several waiting messages comes first.

A run's result must not depend on the schedule; tests draw one from hypothesis.
"""

from collections.abc import Sequence
from typing import Protocol

from simnet.coins.exact import integer_below
from simnet.coins.streams import Stream


class Schedule(Protocol):
    """Decides order, and nothing else."""

    def party(self, ready: Sequence[str]) -> int:
        """Which of the parties that could go on does, as a position in `ready`."""
        ...

    def message(self, tag: str, senders: Sequence[str]) -> int:
        """Whose message a receive that names no sender gets, as a position in `senders`."""
        ...


class Shuffled:
    """An arbitrary order drawn from a seed of its own."""

    def __init__(self, seed: int) -> None:
        self._stream = Stream(seed, "", "schedule")

    def party(self, ready: Sequence[str]) -> int:
        """Any of the parties."""
        return integer_below(self._stream, len(ready))

    def message(self, tag: str, senders: Sequence[str]) -> int:  # noqa: ARG002  # the interface names the tag
        """Any of the senders."""
        return integer_below(self._stream, len(senders))
