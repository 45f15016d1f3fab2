"""Measures the processor time of a part of a test.

A worker of pytest holds some million objects of earlier tests. Python's garbage collector looks at
all of them now and then, which once made a load of 0.3 s take 1.8 s. So the collection is off while
we measure.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

import attrs


@attrs.define
class Stopwatch:
    """The processor time of a `with` block, in seconds; 0 until the block has ended."""

    seconds: float = 0.0


@contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage in the block."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Measure the processor time of the block, without garbage collection."""
    watch = Stopwatch()
    with without_collection():
        began = time.process_time()
        try:
            yield watch
        finally:
            watch.seconds = time.process_time() - began
