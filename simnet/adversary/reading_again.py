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
from collections.abc import Iterable
from typing import Any

from simnet.adversary.replays import compare_recorded_runs
from simnet.adversary.symbolic import Symbolic
from simnet.coins.coins import Coins
from simnet.doors.call import DoorCall
from simnet.doors.record import DoorRecord
from simnet.doors.side_effects import has_cache, names_in, state_of
from simnet.kernel.reading import Reading, Sampled
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.values.meter import Meter

READS_CACHE = (
    "the script reads `cache_info` of a function with a cache of functools: a cache tells whether "
    "the script was run before, so leave out `cache_info` or the cache"
)


class Recording(Sampled):
    """The reading of a numeric run in which every call of a door is recorded."""

    def __init__(self, protocol: object) -> None:
        self.record = DoorRecord()
        self._reads_caches = "cache_info" in names_in(protocol)
        if self._reads_caches and has_cache(state_of(protocol)):
            self.record.side_effects.append(READS_CACHE)

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function, and record the call."""
        before = call.state
        if self._reads_caches:
            self.record.note_cache(call, before)
        try:
            return self.record.note(call, coins, meter)
        finally:
            self.record.note_change(call, before)


def recorded(done: Run, observe: Iterable[str]) -> tuple[Run, DoorRecord]:
    """Play a run once more in numbers; return the new run and the record of its doors.

    Raises `ScriptError` if the two runs differ (`compare_recorded_runs`).
    """
    reading = Recording(done.protocol)
    sampled = played_again(done, observe, reading)
    compare_recorded_runs(done, sampled, reading.record)
    reading.record.side_effects += [*done.side_effects, *sampled.side_effects]
    return sampled, reading.record


def read_blind(sampled: Run, observe: Iterable[str], reading: Symbolic) -> Run:
    """Read a run symbolically. The doors give the values in the record of `reading`.

    Raises `ScriptError` if the two runs differ (`compare_runs`).
    """
    symbolic = played_again(sampled, observe, reading)
    compare_runs(sampled, symbolic)
    return symbolic


def played_again(done: Run, observe: Iterable[str], reading: Reading) -> Run:
    """Play a run once more in another reading, without any comparison.

    Names in `observe` that are no party of the run are left out.
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
        threads=1,  # so that blocks are recorded in the same order every time
        schedule=copy.deepcopy(
            done.schedule
        ),  # a schedule has state, so the run keeps its own schedule
    )
