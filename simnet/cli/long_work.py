"""What is said of a run that takes long: before it starts, and where no terminal shows a bar."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from simnet.cli.reproduce import duration
from simnet.cli.tell import asked, tell
from simnet.errors import BadInput
from simnet.stated.about import Workload

LARGE = 1_000_000_000  # field elements that nobody moves without being asked
LONG = 5.0  # seconds from which on a run says that it begins and ends
# What a run takes on one core of a usual machine, for an estimate that may be wrong by half.
SECONDS_AN_ELEMENT, SECONDS_A_MESSAGE = 4e-9, 1e-8


@contextmanager
def long_work(name: str, work: Workload | None, yes: bool) -> Iterator[None]:
    """Ask before a large run, and say when a long one begins and ends, unless a bar shows it.

    Raises `BadInput` when a large run is not wanted, or nobody can be asked and `yes` is not given.
    """
    if work is None or work.element_bits is None:  # only field elements take so long
        yield
        return
    seconds = work.elements * SECONDS_AN_ELEMENT + work.messages * SECONDS_A_MESSAGE
    what = (
        f"{name}: {work.messages:,} messages with {work.elements:,} field elements, "
        f"about {duration(seconds)}"
    )
    sample = "--users N takes a sample"
    if work.elements >= LARGE and not yes:
        _ask(what, sample)
    if seconds < LONG or sys.stderr.isatty():
        yield
        return
    tell(f"{what}; {sample}")
    began = time.monotonic()
    yield
    tell(f"{name}: done after {duration(time.monotonic() - began)}")


def _ask(what: str, sample: str) -> None:
    """Raise `BadInput` unless the person at the terminal wants the run."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(f"{what}: add --yes to run it; {sample}")
    if not asked(f"{what}; {sample}. Go on?"):
        raise BadInput("not run, as you chose")
