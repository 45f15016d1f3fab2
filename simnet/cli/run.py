"""`simnet run`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from simnet.cli.options import (
    Data,
    FigureFile,
    JsonFile,
    Settings,
    settings_of,
    whole_numbers,
    with_short,
)

if TYPE_CHECKING:
    from simnet.scenario.scenario import Scenario


def run(
    scenario: str,
    /,
    *,
    set_: Settings = None,
    seed: int = 0,
    data: Data | None = None,
    inputs: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    max_elements: int | None = None,
    at_epsilon: float | None = None,
    at_delta: float | None = None,
    figure: FigureFile = None,
    claims: bool = True,
    yes: Annotated[bool, Parameter(negative=())] = False,
    json: JsonFile = None,
) -> int:
    """Run a scenario once and show what came of it.

    The estimate stands beside the truth; then come exact privacy, what coalitions learn, and the
    bill.

    Exit status 1 when a claim about a coalition fails.

    Examples: `simnet run tss --reported 4 --gamma 2`, `simnet run dpds --input people.csv
    --column city --users 3000`, `simnet run local_table --input people.csv
    --numeric age:0:120,hours:0:99 --categorical sex,region --drop-missing`,
    `simnet run my_protocol.py:Mine --inputs 1,0,1`.

    Parameters
    ----------
    scenario
        A scenario's name (see `simnet list`), a file with a scenario or with one protocol, or
        `FILE.py:Class`. Every setting of it is an option: `simnet run dpds --help` shows them. Of a
        protocol without a scenario, outputs and bill are shown.
    set_
        Set a parameter, for scripts: `--set participation=0.2` is `--participation 0.2`. May be
        given several times.
    seed
        All randomness follows from it.
    data
        The people of the run.
    inputs
        For a protocol of your own: what its parties hold, whole numbers separated by commas. When
        it is left out, they hold items uniform on 1..items, drawn from the seed.
    max_elements
        Refuse a run that moves more field elements than this.
    at_epsilon
        State the exact δ at this ε; by default at the one that the protocol's parameters stand for.
    at_delta
        State the exact ε at this δ.
    figure
        Draw the estimate into this file (PNG, SVG or PDF; needs matplotlib).
    claims
        Judge the scenario's claims about coalitions; `--no-claims` leaves them out.
    yes
        Ask nothing before a run of 1,000,000,000 field elements and more.
    json
        Write JSON to this file; `-` for standard output.
    """
    from simnet.scenario.find import find
    from simnet.scenario.perform import LIMIT

    name, found = find(scenario)
    settings = settings_of(set_)
    chosen = found.with_settings(settings)
    people, limit = data or Data(), LIMIT if max_elements is None else max_elements
    if not found.assesses:  # asked of the defaults: settings may fit the people's columns alone
        return _run_plain(name, chosen, people, inputs, seed, limit, claims, figure, json)
    return _run_assessed(
        name,
        chosen,
        people,
        settings,
        inputs,
        seed,
        limit,
        (at_epsilon, at_delta),
        claims,
        yes,
        figure,
        json,
    )


def _run_plain(
    name: str,
    scenario: "Scenario",
    people: Data,
    inputs: str | None,
    seed: int,
    limit: int,
    claims: bool,
    figure: Path | None,
    json: str | None,
) -> int:
    """Run a protocol whose estimate nobody assesses; exit status as for `run`."""
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.show_plain import show_plain
    from simnet.errors import BadInput
    from simnet.scenario import plain

    if figure is not None:
        raise BadInput(
            "--figure draws an estimate beside the truth: give the scenario an `about` whose "
            "record has `assess`"
        )
    if inputs is not None and people.input is not None:
        raise BadInput("--inputs and --input both say what the parties hold: give one of them")
    scenario = scenario.with_settings(with_short({}, users=people.users))
    own_inputs: plain.Inputs | None = None
    if inputs is not None:
        own_inputs = whole_numbers("--inputs", inputs)
    elif people.input is not None:
        own_inputs = people.population(scenario, {}, seed, limit).inputs
        scenario = scenario.with_settings(with_short({}, users=len(own_inputs)))
    with progress_bar(name, 0) as progress:
        result = plain.play(name, scenario, seed, own_inputs, limit=limit, progress=progress)
    if claims and scenario.claims:
        with progress_bar("claims", len(scenario.claims) + 1) as progress:
            result = plain.judged(result, progress)
    if json is not None:  # a verdict in JSON takes as long as a small run
        write_json(result.as_json(), json)
    show_plain(result, console(json))
    return 0 if all(row.holds for row in result.adversaries) else 1


def _run_assessed(
    name: str,
    scenario: "Scenario",
    people: Data,
    settings: Mapping[str, str],
    inputs: str | None,
    seed: int,
    limit: int,
    privacy: tuple[float | None, float | None],
    claims: bool,
    yes: bool,
    figure: Path | None,
    json: str | None,
) -> int:
    """Run a scenario and hold its estimate against the truth; exit status as for `run`."""
    from simnet.cli.long_work import long_work
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.show import show
    from simnet.errors import BadInput
    from simnet.scenario.perform import judged, perform, refuse_absurd

    if inputs is not None:
        raise BadInput(
            "--inputs is for protocols of which nothing is said but their script: this scenario "
            "takes people from a file, with --input and --column, or makes them up"
        )
    population = people.population(scenario, settings, seed, limit)
    about = scenario.described(scenario.build_for(population))
    refuse_absurd(scenario, about, len(population.inputs), len(population.labels), limit)
    work = about.workload
    elements = 0 if work is None else work.elements
    with long_work(name, work, yes), progress_bar(name, elements) as progress:
        result = perform(
            name,
            scenario,
            population,
            seed,
            limit=limit,
            progress=progress,
            epsilon=privacy[0],
            delta=privacy[1],
        )
    if claims and scenario.claims:
        with progress_bar("claims", len(scenario.claims) + 1) as progress:
            result = judged(result, progress)
    # Files first: a reader of the output who leaves early stops what comes after.
    if figure is not None:
        from simnet.scenario.figure import draw_estimate

        draw_estimate(result, figure)
    if json is not None:  # a verdict in JSON takes as long as a small run
        write_json(result.as_json(), json)
    show(result, console(json))
    return 0 if all(row.holds for row in result.adversaries) else 1
