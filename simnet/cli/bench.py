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
    """Measure the figures that the project claims, each against its target; exit status 1 when one is missed.

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

    from simnet.cli.output import console, write_json
    from simnet.study.benchmark import machine, measure, registered

    out = console(json)
    out.print(f"{machine()}; median (least..most) of {repeat}")
    table = Table("benchmark", "sizes", "figure", "spread", "target", "", box=None, pad_edge=False)
    results = []
    for benchmark in registered(names or []):
        result = measure(benchmark, repeat)
        results.append(result)
        sign = "≤" if benchmark.at_most else "≥"
        spread = f"{result.least:,.3g}..{result.most:,.3g}"
        table.add_row(
            benchmark.name, benchmark.sizes, f"{result.median:,.3g} {benchmark.unit}", spread,
            f"{sign} {benchmark.target:,g}", "met" if result.met else "[bold red]missed",
        )  # fmt: skip
    out.print(table)
    write_json([result.as_json() for result in results], json)
    return 0 if all(result.met for result in results) else 1
