"""`simnet list`."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simnet.cli.options import JsonFile

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.scenario.scenario import Scenario
    from simnet.studies.experiment import Experiment

LEAST_USERS = 20  # the smallest number of users in the example of a command
THIS_PROJECT = "this project"  # the source of an experiment that repeats no paper's
REPRODUCE = ": simnet reproduce NAME"
OTHERS, NOT_LOADING = "Other experiments", "Not loading"


def list_scenarios(name: str | None = None, /, *, json: JsonFile = None) -> None:
    """List the scenarios and experiments that have a name, or describe one of them.

    `simnet run` runs a scenario, and `simnet reproduce` runs an experiment.

    For example:

    - `simnet list`
    - `simnet list tss`
    - `simnet list --json -`

    Parameters
    ----------
    name
        The name or the file of the scenario or experiment to describe.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.output import console, write_json

    out = console(json)
    if name is None:
        rows = list(_rows())
        _print_rows(rows, out)
        write_json(rows, json)
        return
    described = _described(name)
    _print_described(described, out)
    write_json(described, json)


def _rows() -> Iterator[dict[str, str]]:
    from simnet.cli.main import OF_SCENARIOS, OTHERS
    from simnet.errors import BadInput
    from simnet.installed import COMMANDS, GROUPS, unloadable
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
        taken = {*OF_SCENARIOS, *OTHERS} if group == COMMANDS else ()
        for name, why in unloadable(group, taken).items():
            yield {"name": name, "kind": kind, "summary": f"broken: {why}"}


def _print_rows(rows: list[dict[str, str]], out: "Console") -> None:
    from rich.padding import Padding
    from rich.text import Text

    from simnet.cli.grid import Grid

    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(_heading(row), []).append(row)
    width = max((len(row["name"]) for row in rows), default=0)
    for heading, members in sorted(groups.items(), key=lambda group: _rank(group[0])):
        table = Grid("", "")
        for row in members:
            table.add_row(Text(f"{row['name']:<{width}}", no_wrap=True), row["summary"])
        out.print(Text(heading, "bold"))
        out.print(Padding(table, (0, 0, 0, 2)))
        out.print()
    out.print("simnet list NAME describes a scenario or an experiment", style="dim")


def _heading(row: dict[str, str]) -> str:
    if row["summary"].startswith("broken: "):
        return NOT_LOADING
    if row["kind"] == "scenario":
        return "Scenarios: simnet run NAME"
    if row["summary"].endswith(f"({THIS_PROJECT})"):
        return f"Experiments of {THIS_PROJECT}{REPRODUCE}"
    paper = re.search(r"\(([^()]*?),[^()]*\)$", row["summary"])
    return f"Experiments of {paper.group(1)}{REPRODUCE}" if paper else f"{OTHERS}{REPRODUCE}"


def _rank(heading: str) -> int:
    """Return a number by which the parts of the list are sorted: 0 for scenarios and for each
    paper, then the experiments of this project, other experiments, and what does not load.
    """
    last = (f"Experiments of {THIS_PROJECT}", OTHERS, NOT_LOADING)
    places = [place for place, words in enumerate(last, 1) if heading.startswith(words)]
    return places[0] if places else 0


def _described(name: str) -> dict[str, Any]:
    from simnet.errors import BadInput
    from simnet.installed import experiment_places
    from simnet.scenario.find import find, load_file, names, own_file, unknown
    from simnet.studies.find import find_experiment

    file = own_file(name)
    if name in experiment_places() or (file is not None and hasattr(load_file(file), "EXPERIMENT")):
        return _of_experiment(*find_experiment(name))
    if file is None and ".py:" not in name and name not in names():
        raise unknown("scenario or experiment", name, {**names(), **experiment_places()})
    try:
        label, scenario = find(name)
    except BadInput as error:
        raise BadInput(f"{name} does not load: {error}") from error
    return _of_scenario(name, label, scenario)


def _of_scenario(place: str, label: str, scenario: "Scenario") -> dict[str, Any]:
    from simnet.cli.run import run
    from simnet.cli.scenario_options import option_names, setting_option

    own = option_names(run)
    settings = [
        {
            "name": setting.name,
            "option": setting_option(setting, own) or setting.option,
            "type": setting.type_in_words,
            "default": setting.default_in_words.removeprefix("default: "),
            "meaning": setting.meaning,
            "words": setting.in_words,
        }
        for setting in scenario.settings_in_words.values()
    ]
    claims = [{"corrupt": str(claim.corrupt), "claim": claim.words} for claim in scenario.claims]
    few = max(scenario.users // 10, LEAST_USERS)
    users = f" --users {few}" if "users" in scenario.settings() else ""
    other = next(
        (
            f" {setting_option(setting, own)} {setting.default}"
            for name, setting in scenario.settings_in_words.items()
            if name not in ("users", "items") and isinstance(setting.default, int | float | str)
        ),
        "",
    )
    return {
        "name": label,
        "kind": "scenario",
        "summary": scenario.summary,
        "source": _source(scenario),
        "settings": settings,
        "claims": claims,
        "example": f"simnet run {place}{users}{other}",
    }


def _of_experiment(name: str, experiment: "Experiment") -> dict[str, Any]:
    axes: dict[str, list[Any]] = {axis: [] for axis in experiment.axes}
    for product in experiment.grid:
        for axis, values in product.items():
            axes[axis] += [value for value in values if value not in axes[axis]]
    settings = [
        {"name": axis, "words": ", ".join(map(str, values))} for axis, values in axes.items()
    ]
    return {
        "name": name,
        "kind": "experiment",
        "summary": experiment.summary,
        "source": experiment.source,
        "settings": settings,
        "claims": [],
        "trials": experiment.trials,
        "example": f"simnet reproduce {name} --quick",
    }


def _source(scenario: "Scenario") -> str | None:
    import inspect

    from simnet.errors import BadInput

    try:
        made: Any = type(scenario.build(scenario.users, scenario.items))
    except BadInput:  # the protocol has a parameter without a default
        made = scenario.protocol
    text = " ".join((inspect.getdoc(inspect.getmodule(made)) or "").split())
    found = re.search(r"Sources?: (.+?)(?:\.\s|\.?$|; \()", text)
    return None if found is None else found.group(1).replace("*", "")


def _print_described(described: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    from simnet.cli.grid import Grid

    def section(heading: str, rows: list[tuple[str, str]]) -> None:
        if not rows:
            return
        table = Grid("", "")
        for first, second in rows:
            table.add_row(Text(first, no_wrap=True), second)
        out.print(Text(f"\n{heading}", "bold"))
        out.print(table)

    is_scenario = described["kind"] == "scenario"
    out.print(Text(f"{described['name']}: {described['summary']}", "bold"))
    if described["source"]:
        out.print(Text(f"Source: {described['source']}"))
    section(
        "Settings (each is an option of simnet run)"
        if is_scenario
        else "Values of each parameter (--set replaces them)",
        [(one.get("option", one["name"]), one["words"]) for one in described["settings"]],
    )
    section(
        "Claims about coalitions, which `simnet run` judges",
        [(one["corrupt"], one["claim"]) for one in described["claims"]],
    )
    if not is_scenario:
        trials = described["trials"]
        out.print(f"\n{trials:,} trial{'s' if trials != 1 else ''} at every point of the grid")
    out.print(Text("\nExample", "bold"))
    out.print(Text(f"    {described['example']}"), soft_wrap=True)
