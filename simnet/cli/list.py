"""`simnet list`."""

from simnet.cli.options import JsonFile


def list_scenarios(*, json: JsonFile = None) -> None:
    """List the scenarios and experiments that are known by name.

    `simnet run` takes scenarios, `simnet reproduce` experiments.

    Example: `simnet list --json -`.

    Parameters
    ----------
    json
        Write JSON to this file; `-` for standard output.
    """
    from rich.table import Table
    from rich.text import Text

    from simnet.cli.output import console, write_json
    from simnet.scenario.find import EXPERIMENTS, find, names
    from simnet.studies.find import find_experiment

    rows = [
        {"name": name, "kind": "scenario", "summary": find(name)[1].summary} for name in names()
    ]
    for name in names(EXPERIMENTS):
        experiment = find_experiment(name)[1]
        summary = f"{experiment.summary} ({experiment.source})"
        rows.append({"name": name, "kind": "experiment", "summary": summary})
    table = Table("name", "kind", "summary", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    console(json).print(table)
    write_json(rows, json)
