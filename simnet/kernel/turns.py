"""Turns: one party at a time continues its script, and the schedule chooses which party.

Theory of operation. Every party is a task of trio, a library for asynchronous programs. The task
drives the party's script: it resumes the script, and the script continues until it waits for a
message, has called `send` many times, or ends. Then the party hands the turn over: the schedule
chooses the next party among the *ready* parties, which are those that can continue. (Without a
schedule, the party that has been ready for the longest time is next.) The chosen party's task goes
on, and the other tasks sleep. So the random order in which trio runs tasks has no effect.

Example. `ping` sends a message and waits for the answer of `pong`::

    ready: ping, pong      ping starts, sends "note" to pong, and waits
    ready: pong            pong starts, reads the message, answers (now ping is ready), and ends
    ready: ping            ping reads the answer and ends
    ready: nobody          the run is over; if a party still waited, this would be a stall

A script that waits for a message yields `_HAND_OVER`. If it yields anything else, it waits for
something else, such as a sleep or a lock of trio or asyncio, and we raise an error. We also refuse
a timeout or a cancelled scope around a wait for a message. If a script opens a task of its own,
this task cannot act with the party, because it runs while the party does not have the turn.

After a failure, every sleeping task is woken, even in a shielded scope, and closes its script. If
a script catches this and continues, it is stopped at the next message that it sends or waits for.
"""

import math
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from types import CoroutineType, FrameType
from typing import Any, NoReturn

import outcome
import trio

from simnet.errors import Abort, ScriptError
from simnet.kernel.actor import Actor, Script, Turn
from simnet.kernel.blame import blamed, foreign_wait, in_script, waiting_line
from simnet.kernel.interrupts import Interrupts
from simnet.kernel.limits import limits
from simnet.kernel.schedule import Schedule
from simnet.kernel.unawaited import unawaited_reported_to

_HAND_OVER = object()  # a script yields this object when it hands the turn over

# The largest number of trio's waits that a script may still make while it is closed. It makes about
# one wait for each task that it has opened.
_MOST_WAITS = 1000

# Python drops a Ctrl-C that comes while `__del__` is running. Trio's nurseries are freed at some
# moment after a run, and this method of theirs only checks trio itself, so we take it away.
if hasattr(trio.Nursery, "__del__"):
    del trio.Nursery.__del__

# In a run with a limit of messages, the messages are counted at least once in this number of steps.
STEPS_UNCOUNTED = 64


class _Over(BaseException):
    """Wakes a sleeping party when the run is over."""


@types.coroutine
def hand_over() -> Generator[object, None, None]:
    """Suspend the script that awaits this until `Turns` resumes it."""
    yield _HAND_OVER


@types.coroutine
def _pass_to_trio(wait: object) -> Generator[object, Any, Any]:
    return (yield wait)


class Turns:
    """The queue of parties that can go on.

    `start` begins a party's script, and `messages` returns how many messages have been sent so far.
    `quiet` is called when no party can go on, and returns the parties that need not wait any longer
    (see `simnet.kernel.silence`).
    """

    def __init__(
        self,
        schedule: Schedule | None,
        start: Callable[[Actor], Coroutine[object, None, object]],
        messages: Callable[[], int],
        quiet: Callable[[], Iterable[Actor]],
    ) -> None:
        self.turn = Turn()
        self._schedule = schedule
        self._start = start
        self._messages = messages
        self._quiet = quiet
        self._most_messages = limits.get().messages
        self._steps = 0
        self._ready: deque[Actor] = deque()
        self._sleeping: dict[int, trio.lowlevel.Task] = {}
        self._is_over = False
        self._failure: BaseException | None = None
        # When the run starts, the scope of all tasks replaces this scope.
        self._scope = trio.CancelScope()
        # An error that ends the run even if the script catches it.
        self._fault: ScriptError | None = None

    def ready(self, actor: Actor) -> None:
        """Note that this party can go on from now on."""
        self._ready.append(actor)

    async def wait(self, actor: Actor) -> None:
        """If the caller waits for something, hand the turn over until the caller is ready again.

        A caller in a timeout or a cancelled scope hands the turn over in any case, and the run then
        ends with an error. So the order of events does not decide whether it does.
        """
        if actor.wait is not None or _has_scope():
            await hand_over()

    async def breathe(self, actor: Actor) -> None:
        """Hand the turn over if another party can go on now. The caller remains ready.

        Raises `ScriptError` if more messages have been sent than the limit allows.
        """
        self.refuse_excess(actor)
        if self._ready or _has_scope():
            self._ready.append(actor)
            await hand_over()

    def refuse_excess(self, actor: Actor) -> None:
        """Raise `ScriptError` if more messages have been sent than the limit allows."""
        most = self._most_messages
        if most is not None and self._messages() > most:
            self.turn.actor = None
            self._fault = in_script(
                actor,
                f"the run sends more messages than the limit of {most:,}: raise the limit "
                "(--max-messages) if the script means to send so many",
            )
            raise self._fault

    def play(self, actors: Sequence[Actor]) -> None:
        """Begin all scripts, and resume them until no party can go on.

        Raises `ScriptError` for an error other than `Abort` that leaves a script, and
        `KeyboardInterrupt` for an interrupt, even if the interrupted script catches it.
        """
        self._ready.extend(actors)
        interrupts = Interrupts(self.turn, Turns._step.__code__)
        with unawaited_reported_to(self._note_unawaited), interrupts:
            trio.run(self._main, interrupts)
        if self._failure is not None:
            raise self._failure

    async def _main(self, interrupts: Interrupts) -> None:
        interrupts.unwake()
        async with trio.open_nursery() as nursery:
            self._scope = nursery.cancel_scope

            def pass_on(before: Actor | None) -> Actor | None:
                if not self._is_over and not self._ready:
                    self._ready.extend(self._quiet())
                if self._is_over or not self._ready:
                    self._end()
                    return None
                chosen = self._choose()
                if chosen is before:
                    return chosen
                task = self._sleeping.pop(chosen.number, None)
                if task is None:
                    nursery.start_soon(self._act, chosen, interrupts, pass_on, name=chosen.name)
                else:
                    trio.lowlevel.reschedule(task)
                return chosen

            pass_on(None)

    async def _act(
        self,
        actor: Actor,
        interrupts: Interrupts,
        pass_on: Callable[[Actor | None], Actor | None],
    ) -> None:
        wait: object = _HAND_OVER
        try:
            while True:
                wait = self._step(actor, interrupts)
                if actor.finished:
                    pass_on(None)
                    return
                _refuse_other_waits(actor, wait)
                if pass_on(actor) is not actor:
                    await self._sleep(actor)
        except _Over:
            pass
        except BaseException as error:
            self._failure = self._failure or error
            self._end()
        if trio.lowlevel.current_task().child_nurseries:
            self._scope.cancel()  # ends the tasks that scripts have opened
        await _close(actor, wait, interrupts)

    async def _sleep(self, actor: Actor) -> None:
        if self._is_over:
            raise _Over
        self._sleeping[actor.number] = trio.lowlevel.current_task()

        def cancelled(_: object) -> trio.lowlevel.Abort:
            # Trio wakes this task later, and meanwhile no other party may wake it: so the run ends
            # at once.
            self._sleeping.pop(actor.number, None)
            self._end()
            return trio.lowlevel.Abort.SUCCEEDED

        try:
            await trio.lowlevel.wait_task_rescheduled(cancelled)
        except trio.Cancelled:  # only a task or a scope of the script itself can cause this
            raise in_script(actor, _OWN_SCOPE, waiting_line(actor.script)) from None

    def _end(self) -> None:
        self._is_over = True
        self.turn.actor = None
        for task in self._sleeping.values():
            trio.lowlevel.reschedule(task, outcome.Error(_Over()))
        self._sleeping.clear()

    def _step(self, actor: Actor, interrupts: Interrupts) -> object:
        interrupts.refuse()  # an interrupt that came while no script was running
        yielded, failure = self._resume(actor, interrupts)
        # The order matters: an interrupt, or a forgotten `await`, may be why the script failed.
        self._refuse_noted(interrupts, failure)
        if self.turn.failure is not None:
            failure, self.turn.failure = self.turn.failure, None
        if isinstance(failure, KeyboardInterrupt) and interrupts.is_handled_elsewhere:
            raise failure  # we cannot tell whether it comes from the script or from a pressed key
        if failure is not None:
            _blame(actor, failure)
        self._steps += 1
        if self._steps % STEPS_UNCOUNTED == 0:
            self.refuse_excess(actor)
        if isinstance(actor.output, CoroutineType):
            name = actor.output.__qualname__.rpartition(".")[2]
            actor.output.close()  # otherwise Python would print a warning as well
            raise in_script(actor, f"returns {name}(...) without `await` before it")
        return yielded

    def _resume(self, actor: Actor, interrupts: Interrupts) -> tuple[object, BaseException | None]:
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
                self.turn.actor = None
        except StopIteration as end:
            actor.finished = True
            actor.output = end.value
        except Abort as abort:
            actor.finished = True
            actor.aborted = str(abort)
        except BaseException as error:
            failure = error
        if actor.is_gone:  # whatever its script did when it was stopped
            if actor.script is not None and not actor.finished and failure is None:
                close_at_once(actor.script)
            actor.finished, actor.output, actor.aborted, failure = True, None, None, None
        return yielded, failure

    def _refuse_noted(self, interrupts: Interrupts, failure: BaseException | None) -> None:
        """Raise an error that ends the run even if the script has caught it."""
        interrupts.refuse()
        if self._fault is not None and self._fault is not failure:
            raise self._fault

    def _choose(self) -> Actor:
        if self._schedule is None or len(self._ready) == 1:
            return self._ready.popleft()
        place = self._schedule.party([actor.name for actor in self._ready])
        chosen = self._ready[place]
        del self._ready[place]
        return chosen

    def _note_unawaited(self, name: str, frame: FrameType | None) -> bool:
        """End the run of a script that forgets an `await`. Return whether the run ends with an
        error.
        """
        if self._fault is not None:
            return True
        actor = self.turn.actor
        if actor is None:
            return False
        line = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        self._fault = in_script(
            actor, f"{name}(...) does nothing without `await`: write `await` before the call", line
        )
        self.turn.actor = None
        return True


def _blame(actor: Actor, failure: BaseException) -> NoReturn:
    error = blamed(actor, failure)
    if error is failure:
        raise error
    raise error from failure


_OWN_SCOPE = (
    "waits inside a timeout or a cancelled scope, or beside a task of its own: a script may wait "
    "for messages only, and sets a time limit with within=..., as in gather_some(..., within=...)"
)


def _has_scope() -> bool:
    """Whether the running script has a timeout or a cancelled scope."""
    return trio.current_effective_deadline() != math.inf


def _refuse_other_waits(actor: Actor, wait: object) -> None:
    if wait is not _HAND_OVER:
        raise in_script(actor, foreign_wait(wait), waiting_line(actor.script))
    if _has_scope():
        raise in_script(actor, _OWN_SCOPE, waiting_line(actor.script))


async def _close(actor: Actor, wait: object, interrupts: Interrupts) -> None:
    """End a script that still waits. Errors of the script while it ends are ignored."""
    script, actor.script = actor.script, None
    if script is None or actor.finished:
        return
    try:
        try:
            interrupts.in_script = True
            if trio.lowlevel.current_task().child_nurseries:
                await _close_with_tasks(script, wait)
            else:
                script.close()
        finally:
            interrupts.in_script = False
    except RuntimeError:  # the script has caught the closing, and waits for a message again
        _keep_for_ever(script)
    except BaseException:  # the run already ends with an earlier error
        pass


def close_at_once(script: Script) -> None:
    """End the script of a party that has dropped out: it has caught `Gone`, and waits once more."""
    try:
        script.close()
    except RuntimeError:  # the script has caught the closing as well
        _keep_for_ever(script)
    except BaseException:  # the party is gone, so its errors matter to nobody
        pass


async def _close_with_tasks(script: Script, wait: object) -> None:
    """End a script that has opened tasks. The tasks are cancelled, and trio must see their end."""
    for _ in range(_MOST_WAITS):
        if wait is _HAND_OVER:
            wait = script.throw(GeneratorExit())
        else:
            answer = await outcome.acapture(_pass_to_trio, wait)
            wait = answer.send(script)
    raise RuntimeError("a script continues although it was closed")


def _keep_for_ever(script: Script) -> None:
    """Never free the memory of a script that continues although it is closed."""
    # Before Python frees a script, Python closes it once more. At the end of the process Python
    # empties all modules, so the party could no longer stop the script, and a script that catches
    # every error would run for ever. A list that holds the script would be freed then as well, so
    # we add a reference to the script that is never removed.
    import ctypes  # hardly any process needs this module, so we import it here

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(script))
