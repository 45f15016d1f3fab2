"""`simnet list`."""

from collections.abc import Iterator

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
    from rich.text import Text

    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json

    rows = list(_rows())
    table = Grid("name", "kind", "summary")
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    console(json).print(table)
    write_json(rows, json)


def _rows() -> Iterator[dict[str, str]]:
    """A row for every scenario and experiment, and one for everything that does not load."""
    from simnet.errors import BadInput
    from simnet.installed import GROUPS, unloadable
    from simnet.scenario.find import find
    from simnet.scenario.find import names as scenarios
    from simnet.studies.find import find_experiment
    from simnet.studies.find import names as experiments

    def scenario_summary(name: str) -> str:
        return find(name)[1].summary

    def experiment_summary(name: str) -> str:
        experiment = find_experiment(name)[1]
        return f"{experiment.summary} ({experiment.source})"

    for kind, names, summary_of in (
        ("scenario", list(scenarios()), scenario_summary),
        ("experiment", experiments(), experiment_summary),
    ):
        for name in names:
            try:
                summary = summary_of(name)
            except BadInput as error:
                summary = f"broken: {error}"
            yield {"name": name, "kind": kind, "summary": summary}
    for group in GROUPS:
        kind = group.partition(".")[2]
        for name, why in unloadable(group).items():
            yield {"name": name, "kind": kind, "summary": f"broken: {why}"}
