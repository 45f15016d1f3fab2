"""Says about how long work takes, and asks before a very large run."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simnet.cli.reproduce import duration
from simnet.cli.tell import asked, tell
from simnet.errors import BadInput
from simnet.stated.about import Workload

if TYPE_CHECKING:
    from simnet.adversary.judge import By
    from simnet.scenario.judging import Size

# For this many field elements or more, the program asks before it starts the run.
LARGE = 1_000_000_000
LONG = 5.0  # for this many seconds or more, the program says when the run begins and ends
# The times that one core of a usual machine takes. The real time of a run may differ from an
# estimate with these numbers by half.
SECONDS_AN_ELEMENT, SECONDS_A_MESSAGE = 4e-9, 1e-8
SECONDS_A_JUDGED_MESSAGE = 3e-6  # a verdict reads the run again, message by message
SECONDS_A_JUDGED_ELEMENT = 3e-8  # a verdict by symmetry goes through the elements of the run
SECONDS_AN_ALIKE_MESSAGE = 8e-7  # and it looks at each message once for each claim
SECONDS_A_JUDGED_OCTET = 4e-6  # it opens the boxes that each coalition can open
SECONDS_A_JUDGED_PARTY = 3e-3  # judging claims plays the script of each party several times


@contextmanager
def long_work(name: str, work: Workload | None, yes: bool) -> Iterator[None]:
    """Ask before a large run, unless `yes` is true, and announce a long run as `announced` does.

    Raises `BadInput` when the person does not want the large run, or when nobody can be asked and
    `yes` is false.
    """
    if work is None or work.element_bits is None:  # only field elements make a run long
        yield
        return
    seconds = seconds_of(work)
    what = (
        f"{name}: {work.messages:,} messages with {work.elements:,} field elements, "
        f"about {duration(seconds)}"
    )
    sample = "--users N runs fewer users"
    if work.elements >= LARGE and not yes:
        _ask(what, sample)
    with announced(name, seconds, f"{what}; {sample}"):
        yield


def seconds_of(work: Workload | None) -> float:
    """Return about how many seconds one run takes, or 0 if no field elements are stated."""
    if work is None or work.element_bits is None:
        return 0.0
    return work.elements * SECONDS_AN_ELEMENT + work.messages * SECONDS_A_MESSAGE


def seconds_to_judge(way: "By | None", size: "Size", seconds: float) -> float:
    """Return about how long it takes to judge claims, in seconds, on a run that took `seconds`.

    `way` is how the claims are judged first. The result is 0 if `way` is None.
    """
    if way is None:
        return 0.0
    if not size.elements:
        return 4 * seconds  # there are no forms, but the run is played several times
    parties = size.parties * SECONDS_A_JUDGED_PARTY
    if way == "elimination":
        boxes = size.octets * SECONDS_A_JUDGED_OCTET
        return parties + size.messages * SECONDS_A_JUDGED_MESSAGE + boxes
    reading = size.elements * SECONDS_A_JUDGED_ELEMENT + size.messages * SECONDS_AN_ALIKE_MESSAGE
    return parties / 2 + reading


@contextmanager
def announced(name: str, seconds: float, what: str | None = None) -> Iterator[None]:
    """Print a line when work begins that takes about `seconds` seconds, and a line when it has
    succeeded.

    No line is printed for work below `LONG` seconds, or on a terminal. `what` describes the work
    and says how long it takes.
    """
    if seconds < LONG or sys.stderr.isatty():
        yield
        return
    tell(what or f"{name}: this takes about {duration(seconds)}")
    began = time.monotonic()
    yield
    tell(f"{name}: done after {duration(time.monotonic() - began)}")


def _ask(what: str, sample: str) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(f"{what}: add --yes to run it; {sample}")
    if not asked(f"{what}; {sample}. Go on?"):
        raise BadInput("the run was not started, as you chose")
