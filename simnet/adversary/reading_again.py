"""Reading a run again: in numbers and symbolically, both checked against the run itself.

What an instrument finds in the symbolic reading is true of the given run only if both are one run.
The given run may have observed nobody, so that we have its bill and its outputs, but no messages.
So we play it once more in numbers, with everybody observed who matters, and compare twice:

    the run in numbers  ~  the symbolic run   observed messages, by the values beside their forms
    the given run  ~  the run in numbers      bill, outputs, and messages that both observed

A script with coins, a clock or a memory of its own differs somewhere, and is refused by name.
"""

import copy
from collections.abc import Iterable

from simnet.adversary.symbolic import Symbolic
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run


def read_again(done: Run, observe: Iterable[str], reading: Symbolic) -> tuple[Run, Run]:
    """A run once more in numbers, and once more in a symbolic reading.

    Names in `observe` that take no part in the run are left out.

    Raises `ScriptError` for a script that does not do the same every time.
    """
    observed = [name for name in observe if name in done.roster.number]
    sampled = _played(done, observed, None)
    symbolic = _played(done, observed, reading)
    compare_runs(sampled, symbolic)  # first, for both know messages, and can name the one at fault
    compare_runs(done, sampled)
    return sampled, symbolic


def _played(done: Run, observed: list[str], reading: Symbolic | None) -> Run:
    return run(
        done.protocol,
        done.inputs,
        done.seed,
        observe=observed,
        reading=reading,
        threads=1,  # so that blocks are recorded in the same order every time
        schedule=copy.deepcopy(done.schedule),  # a schedule keeps state: leave the run its own
    )
