"""Benchmarks: figures with their targets, measured in one go."""

import os
import platform
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.installed import BENCHMARKS, entries, object_at
from simnet.nearest import did_you_mean


class NotInstalled(BadInput):
    """A benchmark compares with a library that is missing.

    The message says which, and how to get it.
    """


@attrs.frozen
class Noted:
    """A figure with what stands behind it, in a few words."""

    figure: float
    note: str


@attrs.frozen
class Benchmark:
    """One figure: `once` measures it, and each call stands alone.

    Met when at most (or at least) the target.
    """

    name: str
    sizes: str
    unit: str
    target: float
    at_most: bool
    once: Callable[[], float | Noted]


@attrs.frozen
class Measured:
    """A benchmark's figures."""

    benchmark: Benchmark
    figures: tuple[float, ...]
    note: str = ""  # of the last measurement

    @property
    def median(self) -> float:
        """The figure to quote."""
        return statistics.median(self.figures)

    @property
    def least(self) -> float:
        """The smallest figure."""
        return min(self.figures)

    @property
    def most(self) -> float:
        """The largest figure."""
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
        """The figures with name, sizes, unit and target."""
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
    """The benchmarks of these names, or all that load.

    Raises `BadInput` for a name that there is not.
    """
    known: dict[str, Benchmark] = {}
    for entry in entries(BENCHMARKS):
        try:
            known |= {benchmark.name: benchmark for benchmark in object_at(entry.value)}
        except BadInput:
            continue
    for name in names:
        if name not in known:
            meant = did_you_mean(name, known)
            raise BadInput(f"no benchmark is called {name!r}{meant}: there are {', '.join(known)}")
    return [known[name] for name in names or known]


def measure(benchmark: Benchmark, repeat: int) -> Measured:
    """Measure a figure several times, after once for warming up."""
    if repeat < 1:
        raise BadInput(f"a figure is measured at least once, got repeat={repeat}")
    benchmark.once()
    values = [benchmark.once() for _ in range(repeat)]
    figures = tuple(value.figure if isinstance(value, Noted) else value for value in values)
    return Measured(benchmark, figures, values[-1].note if isinstance(values[-1], Noted) else "")


def machine() -> str:
    """The machine in a few words."""
    return f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
