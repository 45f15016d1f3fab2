"""Reading a run again: in numbers and symbolically, both checked against the run itself.

What an instrument finds in the symbolic reading is true of the given run only if both are one run.
The given run may have observed nobody, so that we have its bill and its outputs, but no messages.
So we play it once more in numbers, with everybody observed who matters and every door on record,
and compare twice:

    the run in numbers  ~  the symbolic run   observed messages, by the values beside their forms
    the given run  ~  the run in numbers      bill, outputs, and messages that both observed

A script with coins, a clock or a memory of its own differs somewhere, and is refused by name. And
because the symbolic run is blind (no script is given an input, no function of a door is called), a
script that uses an input past its doors differs as well, or cannot go on.
"""

import copy
from collections.abc import Iterable
from typing import Any

from simnet.adversary.symbolic import Symbolic
from simnet.coins.coins import Coins
from simnet.doors.call import DoorCall
from simnet.doors.record import DoorRecord
from simnet.kernel.reading import Reading, Sampled
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.values.meter import Meter


class Recording(Sampled):
    """A run in numbers that keeps what its doors give."""

    def __init__(self) -> None:
        self.record = DoorRecord()

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function, and keep the call."""
        return self.record.note(call, coins, meter)


def recorded(done: Run, observe: Iterable[str]) -> tuple[Run, DoorRecord]:
    """A run once more in numbers, and what its doors gave.

    Names in `observe` that take no part in the run are left out.

    Raises `ScriptError` for a script that does not do the same every time.
    """
    reading = Recording()
    sampled = played_again(done, observe, reading)
    compare_runs(done, sampled)
    return sampled, reading.record


def read_blind(sampled: Run, observe: Iterable[str], reading: Symbolic) -> Run:
    """A run whose doors are on record, once more in a symbolic reading.

    Names in `observe` that take no part in the run are left out.

    Raises `ScriptError` for a script that does not do the same every time.
    """
    symbolic = played_again(sampled, observe, reading)
    compare_runs(sampled, symbolic)
    return symbolic


def played_again(done: Run, observe: Iterable[str], reading: Reading) -> Run:
    """A run once more in another reading, with nothing compared.

    Names in `observe` that take no part in the run are left out.
    """
    observed = [name for name in observe if name in done.roster.number]
    return run(
        done.protocol,
        done.inputs,
        done.seed,
        observe=observed,
        reading=reading,
        threads=1,  # so that blocks are recorded in the same order every time
        schedule=copy.deepcopy(done.schedule),  # a schedule keeps state: leave the run its own
    )
