"""Reading a run again, in numbers and symbolically, with checks against the run itself.

What an instrument finds in the symbolic reading is true of the given run only if the two runs are
the same. The given run may have observed no party, so we may have its bill and its outputs, but
no messages. So we play this run once more in numbers. This time we observe all parties that the
coalition may contain, and record every door. Then we compare twice::

    the run in numbers  ~  the symbolic run   observed messages, by the values beside their forms
    the given run  ~  the run in numbers      bill, outputs, and messages that both observed

A script with its own random numbers, clock or memory usually behaves differently somewhere. If one
of the comparisons shows it, the script is refused by an error that names its party. The symbolic
reading gives scripts no inputs and, while they run, calls no function of a door. So a script that
uses an input without a door usually behaves differently, too, or cannot go on.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from simnet.adversary.symbolic import Symbolic
from simnet.coins.coins import Coins
from simnet.contract import Protocol
from simnet.doors.call import DoorCall
from simnet.doors.record import DoorRecord
from simnet.errors import ScriptError
from simnet.kernel.deadlines import Clocked
from simnet.kernel.inputs import Inputs
from simnet.kernel.reading import Reading, Sampled
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import LASTING, Run, run
from simnet.printable import count_of
from simnet.record.fate import Fates, MessageFate
from simnet.values.meter import Meter


class Recording(Sampled):
    """The reading of a numeric run in which every call of a door is recorded."""

    def __init__(self) -> None:
        self.record = DoorRecord()

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function, and record the call."""
        return self.record.note(call, coins, meter)


class Recorded(NamedTuple):
    """A run in numbers, and the record of its doors."""

    run: Run
    record: DoorRecord


def numeric(given: Run | Recorded) -> Run:
    """A run that was given with the record of its doors, or without it."""
    return given if isinstance(given, Run) else given.run


def play_recorded(
    protocol: Protocol,
    inputs: Inputs,
    seed: int,
    *,
    fates: Fates | None = None,
    network: Clocked | None = None,
    message_fates: Sequence[MessageFate] = (),
) -> Recorded:
    """Play a run in numbers, and record its doors. The arguments are as for `run`.

    Raises `ScriptError` if a script was seen to change something that outlasts a run, and if a
    function gives another value when it is called again in another order (`Vault.check_again`).
    """
    reading = Recording()
    done = run(
        protocol,
        inputs,
        seed,
        reading=reading,
        fates=fates,
        network=network,
        message_fates=message_fates,
    )
    return _checked(Recorded(done, reading.record))


def recorded(
    done: Run,
    observe: Iterable[str],
    progress: Callable[[int], None] | None = None,
) -> Recorded:
    """Play a run once more in numbers, and record its doors.

    Raises `ScriptError` if the two runs differ (`compare_runs`), and as `play_recorded` does.
    """
    reading = Recording()
    sampled = played_again(done, observe, reading, progress)
    compare_runs(done, sampled)
    return _checked(Recorded(sampled, reading.record), done)


def _checked(found: Recorded, *before: Run) -> Recorded:
    refuse_memory(*before, found.run)
    found.record.check_again()
    return found


def refuse_memory(*runs: Run) -> None:
    """Raise `ScriptError` if a script of a run was seen to change something that outlasts it."""
    if any(done.is_remembered for done in runs):
        raise ScriptError(LASTING)


def called_json(done: Run) -> dict[str, Any]:
    """Where functions of doors were called, as JSON: `in_place` if the caller of `run` said that
    they leave nothing behind, and the number of calls that shared a process.
    """
    return {"in_place": done.in_place, "shared_calls": done.shared_calls}


def called_in_words(runs: Sequence[Run]) -> str:
    """What must be assumed of functions of doors, as the end of a sentence; "" if nothing."""
    if any(done.in_place for done in runs):
        return "; it is assumed that functions of doors leave nothing behind that a script reads"
    if shared := max(done.shared_calls for done in runs):
        calls = count_of(shared, "call")
        return f"; {calls} of functions of doors shared a process, and gave the same in reverse"
    return ""


def read_blind(sampled: Run, observe: Iterable[str], reading: Symbolic) -> Run:
    """Read a run symbolically. The doors give the values in the record of `reading`.

    Raises `ScriptError` if the two runs differ (`compare_runs`).
    """
    symbolic = played_again(sampled, observe, reading)
    compare_runs(sampled, symbolic)
    return symbolic


def played_again(
    done: Run,
    observe: Iterable[str],
    reading: Reading,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Play a run once more in another reading, without any comparison.

    Names in `observe` that are no party of the run are left out. `progress` is as for `run`.
    """
    observed = [name for name in observe if name in done.roster.number]
    return run(
        done.protocol,
        done.inputs,
        done.seed,
        observe=observed,
        reading=reading,
        fates=done.fates,
        network=done.same_deadlines,
        message_fates=done.message_fates,
        in_place=done.in_place,
        threads=1 if observed else None,  # with one, blocks are always recorded in the same order
        progress=progress,
        schedule=copy.deepcopy(
            done.schedule
        ),  # a schedule has state, so the run keeps its own schedule
    )
