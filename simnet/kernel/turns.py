"""Whose turn it is: one party at a time goes on, and the schedule says which.

Every party is a trio task. A party that has to wait gives its turn to a ready one and sleeps until
it is chosen again, so trio never has two runnable parties and its own shuffling decides nothing.
"""

from collections import deque
from collections.abc import Callable

import trio

from simnet.kernel.actor import Actor
from simnet.kernel.schedule import Schedule


class Turns:
    """The queue of parties that can go on. `start` begins a party's script; `stuck` is called when
    nobody can go on.
    """

    def __init__(
        self, schedule: Schedule | None, start: Callable[[Actor], None], stuck: Callable[[], None]
    ) -> None:
        self._schedule = schedule
        self._start = start
        self._stuck = stuck
        self._ready: deque[Actor] = deque()

    def ready(self, actor: Actor) -> None:
        """From now on this party can go on."""
        self._ready.append(actor)

    def pass_on(self) -> None:
        """Give the turn to a ready party."""
        if not self._ready:
            self._stuck()
            return
        self._resume(self._ready.popleft() if self._schedule is None else self._choose())

    async def wait(self) -> None:
        """Give the turn away and sleep until it comes back; somebody must call `ready` for the
        caller.
        """
        self.pass_on()
        await trio.lowlevel.wait_task_rescheduled(_interrupt)

    async def breathe(self, actor: Actor) -> None:
        """Let the other ready parties go on for a while; a checkpoint, so an interrupt is
        noticed.
        """
        if self._ready:
            self._ready.append(actor)
            chosen = self._choose()
            if chosen is not actor:
                self._resume(chosen)
                await trio.lowlevel.wait_task_rescheduled(_interrupt)
                return
        await trio.lowlevel.checkpoint()

    def _choose(self) -> Actor:
        if self._schedule is None or len(self._ready) == 1:
            return self._ready.popleft()
        place = self._schedule.party([actor.name for actor in self._ready])
        chosen = self._ready[place]
        del self._ready[place]
        return chosen

    def _resume(self, actor: Actor) -> None:
        if actor.task is None:
            self._start(actor)
        else:
            trio.lowlevel.reschedule(actor.task)


def _interrupt(_: object) -> trio.lowlevel.Abort:
    return trio.lowlevel.Abort.SUCCEEDED
