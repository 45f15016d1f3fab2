"""`simnet bench`."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from simnet.cli.options import JsonFile, OutputFile
from simnet.printable import count_of, rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simnet.bench.benchmark import Measured


def bench(
    names: Annotated[list[str] | None, Parameter(negative=())] = None,
    /,
    *,
    repeat: int = 5,
    page: OutputFile = None,
    json: JsonFile = None,
) -> int:
    """Measure the speed of the simulator, and compare each figure with its target.

    The exit status is 1 when a target is missed.

    For example: `simnet bench dpds-5000 ping-pong --repeat 3`

    Parameters
    ----------
    names
        The names of benchmarks. Without names, all benchmarks whose software is installed are run.
    repeat
        How often each benchmark is measured, after one run to warm up. The median is compared with
        the target.
    page
        Write the figures into this Markdown page, between its comments `speed` and `/speed`. With
        names, the rows of other benchmarks stay as they are.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from rich.text import Text

    from simnet.bench.benchmark import NotInstalled, machine, measure, registered
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json
    from simnet.cli.page import read_part, write_part

    out = console(json)
    table = Grid("benchmark", "figure", "spread", "target", "ratio", "target met?")
    results, missing = [], []
    for benchmark in registered(names or []):
        try:
            result = measure(benchmark, repeat)
        except NotInstalled as why:
            if names:
                raise
            missing.append(f"{benchmark.name} was not measured: {why}")
            continue
        results.append(result)
        spread = f"{_figure(result.least)}..{_figure(result.most)}"
        table.add_row(
            f"{benchmark.name}: {benchmark.sizes}",
            f"{_figure(result.median)} {benchmark.unit}",
            spread,
            _target(result),
            f"{result.median / benchmark.target:.2f}",
            "met" if result.met else Text("missed", "bold red"),
        )
    out.print(
        f"{machine()}; median and least..most of {count_of(repeat, 'run')}; the ratio is the "
        "median divided by the target"
    )
    out.print(table)
    for result in results:
        if result.note:
            out.print(f"{result.benchmark.name}: {result.note}", style="dim")
    for line in missing:
        out.print(line, style="yellow")
    if page is not None:
        lines = (
            _with_rows(read_part(page, "speed"), results, repeat)
            if names
            else _part(results, repeat)
        )
        write_part(page, "speed", lines)
    write_json([result.as_json() for result in results], json)
    return 0 if all(result.met for result in results) else 1


def _part(results: "Sequence[Measured]", repeat: int) -> "Iterator[str]":
    from simnet.bench.benchmark import machine

    yield f"`simnet bench` on {machine()}; median (least..most) of {count_of(repeat, 'run')}."
    yield ""
    yield "| figure | sizes | measured | target |"
    yield "| --- | --- | --- | --- |"
    for one in results:
        yield _row(one)


def _with_rows(lines: "Sequence[str]", results: "Sequence[Measured]", repeat: int) -> list[str]:
    """Return the lines of a table in which the rows of these results are replaced or added.

    Each new row says how often it was measured, because the line above the table is about the old
    rows.
    """
    rows = {one.benchmark.name: _row(one, f" of {repeat}") for one in results}
    kept = [rows.pop(line.split("|")[1].strip(), line) if "|" in line else line for line in lines]
    return [*kept, *rows.values()]


def _row(one: "Measured", note: str = "") -> str:
    spread = f"{_figure(one.least)}..{_figure(one.most)}{note}"
    measured = f"{_figure(one.median)} {one.benchmark.unit} ({spread})"
    target = _target(one) + ("" if one.met else ", missed")
    return f"| {one.benchmark.name} | {one.benchmark.sizes} | {measured} | {target} |"


def _target(result: "Measured") -> str:
    return f"{'≤' if result.benchmark.at_most else '≥'} {result.benchmark.target:,g}"


def _figure(value: float) -> str:
    return rounded(value) if value >= 999.5 else f"{value:.3g}"
