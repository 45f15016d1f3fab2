"""Whose turn it is: one party at a time goes on, and the schedule says which.

Theory of operation. A script is a coroutine, and nothing but `Turns` ever resumes one: there is no
event loop. A script goes on until it waits for a message, has sent very many, or ends. Then it
hands the turn over, and of the parties that can go on the schedule chooses the next: without a
schedule, the one that has been ready for longest. So a run is a function of its protocol, inputs,
seed and schedule, by construction: there is no clock that could fire, no second task of a script,
and no waiting for anything but messages. A timeout, a sleep or a task of trio or asyncio fails in
a script, and the failure is blamed on its line.

Example. `ping` sends a message and waits for the answer of `pong`:

    ready: ping, pong      ping goes on, sends "note" to pong, waits
    ready: pong            pong goes on, has its message, answers, which makes ping ready; ends
    ready: ping            ping goes on; ends
    ready: nobody          the run is over; if a party still waited, it would have stalled

After a failure nobody is resumed any more. Suspended scripts are closed, and a script that catches
that and goes on comes to a stop at the next message that it sends or waits for.
"""

import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from types import CoroutineType, FrameType
from typing import NoReturn

from simnet.errors import ScriptError
from simnet.kernel.actor import Actor, Script, Turn
from simnet.kernel.blame import blamed, in_script, waiting_line
from simnet.kernel.interrupts import Interrupts
from simnet.kernel.schedule import Schedule
from simnet.kernel.unawaited import unawaited_reported_to

_HAND_OVER = object()  # what a script yields when it hands the turn over, and nothing else does


@types.coroutine
def hand_over() -> Generator[object, None, None]:
    """Suspend the script that awaits this until `Turns` resumes it."""
    yield _HAND_OVER


class Turns:
    """The queue of parties that can go on; `start` begins a party's script."""

    def __init__(
        self, schedule: Schedule | None, start: Callable[[Actor], Coroutine[object, None, object]]
    ) -> None:
        self.turn = Turn()
        self._schedule = schedule
        self._start = start
        self._ready: deque[Actor] = deque()
        self._forgotten: ScriptError | None = None

    def ready(self, actor: Actor) -> None:
        """From now on this party can go on."""
        self._ready.append(actor)

    async def wait(self) -> None:
        """Hand the turn over; somebody must call `ready` for the caller."""
        await hand_over()

    async def breathe(self, actor: Actor) -> None:
        """Let the other ready parties go on for a while."""
        if self._ready:
            self._ready.append(actor)
            await hand_over()

    def play(self, actors: Sequence[Actor]) -> None:
        """Begin all scripts and resume them until nobody can go on.

        Raises `ScriptError` for whatever leaves a script, and `KeyboardInterrupt` for an interrupt,
        whether or not the script that it has met lets it through.
        """
        self._ready.extend(actors)
        with unawaited_reported_to(self._note_unawaited), Interrupts(self.turn) as interrupts:
            try:
                while self._ready:
                    self._step(self._choose(), interrupts)
            finally:
                self.turn.actor = None
                for actor in actors:
                    _close(actor, interrupts)

    def _step(self, actor: Actor, interrupts: Interrupts) -> None:
        """Let a party go on until it hands the turn over, or its script ends."""
        yielded: object = _HAND_OVER
        failure: BaseException | None = None
        try:
            try:
                interrupts.in_script = True
                self.turn.actor = actor
                if actor.script is None:
                    actor.script = self._start(actor)
                yielded = actor.script.send(None)
            finally:
                interrupts.in_script = False
        except StopIteration as end:
            actor.finished = True
            actor.output = end.value
        except BaseException as error:
            failure = error
        # The order matters: an interrupt, or a forgotten `await`, may be why the script failed.
        if interrupts.presses:
            raise KeyboardInterrupt
        if self._forgotten is not None:
            raise self._forgotten
        if isinstance(failure, KeyboardInterrupt) and interrupts.is_handled_elsewhere:
            raise failure  # nobody can tell whether the script raised it or somebody pressed a key
        if failure is not None:
            _blame(actor, failure)
        if yielded is not _HAND_OVER:
            raise in_script(
                actor,
                f"waits for {type(yielded).__name__}, which is no message: a script awaits nothing "
                "but what its party sends and receives",
                waiting_line(actor.script),
            )
        if isinstance(actor.output, CoroutineType):
            name = actor.output.__qualname__.rpartition(".")[2]
            actor.output.close()  # or Python would warn of it as well
            raise in_script(actor, f"returns {name}(...) without `await` before it")

    def _choose(self) -> Actor:
        if self._schedule is None or len(self._ready) == 1:
            return self._ready.popleft()
        place = self._schedule.party([actor.name for actor in self._ready])
        chosen = self._ready[place]
        del self._ready[place]
        return chosen

    def _note_unawaited(self, name: str, frame: FrameType | None) -> bool:
        """End the run of a script that forgets an `await`; returns whether one is going on."""
        actor = self.turn.actor
        if actor is None or self._forgotten is not None:
            return False
        line = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        self._forgotten = in_script(
            actor, f"{name}(...) does nothing without `await`: write it before the call", line
        )
        self.turn.actor = None
        return True


def _blame(actor: Actor, failure: BaseException) -> NoReturn:
    error = blamed(actor, failure)
    if error is failure:
        raise error
    raise error from failure


def _close(actor: Actor, interrupts: Interrupts) -> None:
    """End a script that still waits; what it does about that is no concern of the run."""
    script, actor.script = actor.script, None
    if script is None or actor.finished:
        return
    try:
        try:
            interrupts.in_script = True
            script.close()
        finally:
            interrupts.in_script = False
    except RuntimeError:  # it has caught the closing, and waits for a message again
        _keep_for_ever(script)
    except BaseException:  # the run has ended, with an error that came first
        pass


def _keep_for_ever(script: Script) -> None:
    """Never free a script that goes on although it is closed.

    Freed, it would be closed again. At the end of the process, when modules are emptied, even its
    party would raise and no longer stop it, and a script that catches everything would loop. A list
    is freed then as well; so the script gets a reference that nobody ever gives back.
    """
    import ctypes  # here, not above: hardly a process needs it

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(script))
