"""`simnet check`."""

from simnet.cli.options import JsonFile, Settings, settings_of


def check(
    scenario: str,
    /,
    *,
    set_: Settings = None,
    seed: int = 0,
    json: JsonFile = None,
) -> int:
    """Check that a scenario's trace does not depend on schedule, threads or hash seed.

    Exit status 1 when a trace differs. Example: `simnet check dpds --users 200`.

    Parameters
    ----------
    scenario
        A scenario's name (see `simnet list`), a file with a scenario or one protocol, or
        `FILE.py:Class`. Every setting of it is an option: `simnet check dpds --help` shows them.
    set_
        Set a parameter, for scripts: `--set users=200` is `--users 200`.
    seed
        The seed whose run is repeated.
    json
        Write JSON to this file; `-` for standard output.
    """
    from rich.text import Text

    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json
    from simnet.scenario.determinism import replicas

    traces = replicas(scenario, settings_of(set_), seed)
    first = next(iter(traces.values()))
    same = all(trace == first for trace in traces.values())
    table = Grid("run", "trace", "")
    for circumstance, trace in traces.items():
        found = Text("same") if trace == first else Text("differs", "bold red")
        table.add_row(circumstance, trace.hash, found)
    console(json).print(table)
    if first.lacking is not None:
        console(json).print(f"messages and bills are compared, outputs are not: {first.lacking}")
    runs = {circumstance: trace.hash for circumstance, trace in traces.items()}
    whole = first.hash if first.lacking is None else None
    write_json({"hash": whole, "same": same, "runs": runs}, json)
    return 0 if same else 1
