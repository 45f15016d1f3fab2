"""Limits on the work of one command or call: messages of a run, elements, and memory.

Theory of operation. A small command line, or a small file, may ask for work without an end. So what
is large is counted before it begins, from the numbers that the user gave: elements that messages
carry, and bytes of what is kept in memory at once. Other work counts as the number of elements that
take as long. `refuse_above` compares the counts with the limits, and its error names the options
that raise them. A script's messages cannot be counted before the run; the run itself counts them.

The limits hold in the same thread, inside a `with` block:

    with limited(messages=1_000_000):
        verdict(...)
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.printable import rounded

# What some work costs, in elements of messages that take as long.
ELEMENTS_A_STEP = 100  # a step of a loop in Python
ELEMENTS_A_RUN = 100_000  # a run of few parties
# About how many bytes are taken at once for each user of a run, with copies of the inputs, and for
# each item: its label, and its numbers in tables.
BYTES_A_USER, BYTES_AN_ITEM = 40, 300


@attrs.frozen
class Limits:
    """The largest number of messages of a run (None for no limit), the largest number of elements
    that messages carry, and the most memory, in gigabytes.
    """

    messages: float | None = None
    elements: float = 100_000_000_000  # a run with so many takes some minutes on one core
    memory: float = 4


limits: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039  # it is frozen


@contextlib.contextmanager
def limited(**changed: Any) -> Iterator[None]:
    """Change some of the limits for all work in the block: `messages`, `elements` or `memory`.

    A `ScriptError` ends a run soon after it has sent more than `messages` messages. A run that ends
    soon after it has passed this limit may end without an error.
    """
    token = limits.set(attrs.evolve(limits.get(), **changed))
    try:
        yield
    finally:
        limits.reset(token)


def refuse_above(what: str, *, elements: float = 0, memory: float = 0) -> None:
    """Raise `BadInput` if work takes more elements, or more bytes of memory, than the limits allow.

    `what` says in words what takes so much, such as "a run with 20 users".

    >>> refuse_above("20 runs", elements=10**30)
    Traceback (most recent call last):
        ...
    simnet.errors.BadInput: 20 runs would take about 1e+30 elements, more than the limit \
of 100,000,000,000: take smaller numbers, or raise the limit with --max-elements
    """
    at_most = limits.get()
    for needed, most, size, unit, option in (
        (elements, at_most.elements, 1, "elements", "--max-elements"),
        (memory, at_most.memory, 1e9, "GB of memory", "--max-memory"),
    ):
        if needed > most * size:
            # An integer may be larger than any float.
            taken = needed / size if needed < 1e300 else int(needed) // int(size)
            raise BadInput(
                f"{what} would take about {_amount(taken)} {unit}, more than the limit of "
                f"{_amount(most)}: take smaller numbers, or raise the limit with {option}"
            )


def refuse_runs(runs: int, elements: int) -> None:
    """Raise `BadInput` for more runs, each with so many elements, than the limit allows."""
    refuse_above(f"{rounded(runs)} runs", elements=runs * (ELEMENTS_A_RUN + elements))


def _amount(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else rounded(number)
