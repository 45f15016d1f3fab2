"""`simnet bench`."""

from typing import Annotated

from cyclopts import Parameter

from simnet.cli.options import JsonFile


def bench(
    names: Annotated[list[str] | None, Parameter(negative=())] = None,
    /,
    *,
    repeat: int = 5,
    json: JsonFile = None,
) -> int:
    """Measure the figures that the project claims, each against its target.

    Exit status 1 when one is missed.

    Example: `simnet bench dpds-5000 ping-pong --repeat 3`.

    Parameters
    ----------
    names
        Which benchmarks, all if none is named.
    repeat
        How often each is measured; the median counts.
    json
        Write JSON to this file; `-` for standard output.
    """
    from rich.table import Table

    from simnet.bench.benchmark import NotInstalled, machine, measure, registered
    from simnet.cli.output import console, write_json

    out = console(json)
    out.print(
        f"{machine()}; median and least..most of {repeat}; the ratio is that of the median "
        f"to its target"
    )
    table = Table("benchmark", "figure", "spread", "target", "ratio", "", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.no_wrap = True
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
        sign = "≤" if benchmark.at_most else "≥"
        spread = f"{_figure(result.least)}..{_figure(result.most)}"
        table.add_row(
            f"{benchmark.name}: {benchmark.sizes}",
            f"{_figure(result.median)} {benchmark.unit}",
            spread,
            f"{sign} {benchmark.target:,g}",
            f"{result.median / benchmark.target:.2f}",
            "met" if result.met else "[bold red]missed",
        )
    out.print(table)
    for result in results:
        if result.note:
            out.print(f"{result.benchmark.name}: {result.note}", markup=False, style="dim")
    for line in missing:
        out.print(line, markup=False, style="yellow")
    write_json([result.as_json() for result in results], json)
    return 0 if all(result.met for result in results) else 1


def _figure(value: float) -> str:
    """Three digits of a small number, a large one in whole."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
