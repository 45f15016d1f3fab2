"""Benchmarks: figures of speed and memory, each with its target."""

import os
import platform
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.installed import BENCHMARKS, contribution, entries
from simnet.nearest import did_you_mean


class NotInstalled(BadInput):
    """A benchmark compares with a library that is not installed.

    The message names the library, and how to install it.
    """


@attrs.frozen
class Noted:
    """A figure with a short remark on how it was measured."""

    figure: float
    note: str


@attrs.frozen
class Benchmark:
    """One figure of speed or memory: each call of `once` measures it anew.

    If `at_most` is true, the target is met if the median is at most the target; otherwise it is met
    if the median is at least the target.
    """

    name: str
    sizes: str
    unit: str
    target: float
    at_most: bool
    once: Callable[[], float | Noted]


@attrs.frozen
class Measured:
    """The measured values of a benchmark."""

    benchmark: Benchmark
    figures: tuple[float, ...]
    note: str = ""  # of the last measurement

    @property
    def median(self) -> float:
        """The median of the measured values."""
        return statistics.median(self.figures)

    @property
    def least(self) -> float:
        """The smallest measured value."""
        return min(self.figures)

    @property
    def most(self) -> float:
        """The largest measured value."""
        return max(self.figures)

    @property
    def met(self) -> bool:
        """Whether the median meets the target."""
        return (
            self.median <= self.benchmark.target
            if self.benchmark.at_most
            else self.median >= self.benchmark.target
        )

    def as_json(self) -> dict[str, Any]:
        """Return the values with name, sizes, unit and target, for JSON."""
        fields = attrs.asdict(self.benchmark, filter=lambda attribute, _: attribute.name != "once")
        return {
            **fields,
            "median": self.median,
            "ratio": self.median / self.benchmark.target,
            "least": self.least,
            "most": self.most,
            "met": self.met,
            "note": self.note,
        }


def registered(names: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks of these names or, if `names` is empty, all benchmarks that can be
    loaded.

    Raises `BadInput` for an unknown name.
    """
    known: dict[str, Benchmark] = {}
    for entry in entries(BENCHMARKS):
        try:
            known |= {benchmark.name: benchmark for benchmark in contribution(entry)}
        except BadInput:
            continue
    for name in names:
        if name not in known:
            meant = did_you_mean(name, known)
            raise BadInput(f"no benchmark is called {name!r}{meant}: there are {', '.join(known)}")
    return [known[name] for name in names or known]


def measure(benchmark: Benchmark, repeat: int) -> Measured:
    """Measure a figure several times, after one measurement to warm up. Raises `BadInput` for a
    `repeat` below 1.
    """
    if repeat < 1:
        raise BadInput(f"a figure is measured at least once, got repeat={repeat}")
    benchmark.once()
    values = [benchmark.once() for _ in range(repeat)]
    figures = tuple(value.figure if isinstance(value, Noted) else value for value in values)
    return Measured(benchmark, figures, values[-1].note if isinstance(values[-1], Noted) else "")


def machine() -> str:
    """Return a short description of this machine."""
    count = os.cpu_count()
    processors = "1 processor" if count == 1 else f"{count} processors"
    return f"{platform.machine()}, {processors}, Python {platform.python_version()}"
