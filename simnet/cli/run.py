"""`simnet run`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from simnet.cli.options import (
    Data,
    DropOuts,
    FigureFile,
    JsonFile,
    Settings,
    settings_of,
    whole_numbers,
    with_short,
)

if TYPE_CHECKING:
    from simnet.scenario.plain import PlainRun
    from simnet.scenario.scenario import Scenario

ABORTED = 3  # the exit status of an aborted run


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
    drop: DropOuts = None,
    yes: Annotated[bool, Parameter(negative=())] = False,
    json: JsonFile = None,
) -> int:
    """Run a scenario once and show the result.

    The output shows the estimate beside the truth, the exact privacy of one user, what each
    coalition learns, and the bill.

    The exit status is 1 when a claim about a coalition fails, and 3 when the run was aborted
    because parties dropped out.

    For example:

    - `simnet run tss --reported 4 --gamma 2`
    - `simnet run dpds --input people.csv --column city --users 3000`
    - `simnet run local_table --input people.csv --numeric age:0:120 --categorical sex,region`
    - `simnet run my_protocol.py:Mine --inputs 1,0,1`
    - `simnet run dpds --users 20 --drop u3@share:2`

    Parameters
    ----------
    scenario
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet run
        dpds --help` shows them.
        For a protocol without a scenario, the command shows the outputs and the bill.
    set_
        Set a setting of the scenario: `--set participation=0.2` means the same as `--participation
        0.2`. You can give this option several times.
    seed
        The number from which all randomness of the run follows.
    data
        The users and their inputs.
    inputs
        The inputs of the parties of your own protocol: whole numbers separated by commas. Without
        this option, each input is an item that is drawn uniformly from 1..items with the seed.
    max_elements
        Refuse a run whose messages carry more field elements than this.
    at_epsilon
        State the exact δ at this ε. Without this option, the ε that the protocol's parameters
        stand for is used.
    at_delta
        State the exact ε at this δ.
    figure
        Draw the estimate into this file (PNG, SVG or PDF; needs matplotlib).
    claims
        Judge the scenario's claims about coalitions. `--no-claims` skips this step.
    drop
        Let parties drop out. `--drop 0.1`: each party with an input drops out with this
        probability, at a random point between its sends. `--drop u3@share`: u3 drops out before
        its first send under the tag "share"; `u3@share#2` before its second, `u3@share:after` after
        it, `u3@share:2` when the first two recipients have got it. You can give this option several
        times.
    yes
        Run without a question, even if the run has 1,000,000,000 field elements or more.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.scenario.find import find
    from simnet.scenario.perform import LIMIT

    name, found = find(scenario)
    settings = settings_of(set_)
    chosen = found.with_settings(settings)
    people, limit = data or Data(), LIMIT if max_elements is None else max_elements
    # Ask with default settings, because the chosen settings may fit only the columns of the data.
    if not found.assesses:
        return _run_plain(
            name,
            chosen,
            people,
            inputs,
            seed,
            limit,
            (at_epsilon, at_delta),
            claims,
            drop or (),
            figure,
            json,
        )
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
        drop or (),
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
    privacy: tuple[float | None, float | None],
    claims: bool,
    drop: Sequence[str],
    figure: Path | None,
    json: str | None,
) -> int:
    """Run a protocol that has no `assess` method; return the exit status of `run`."""
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.scenario.by_name import perform
    from simnet.scenario.plain import Inputs, PlainRun

    if figure is not None:
        raise BadInput(
            "--figure draws an estimate beside the truth, and this protocol has no estimate: give "
            "the scenario an `about` whose record has the method `assess`"
        )
    if inputs is not None and people.input is not None:
        raise BadInput("--inputs and --input both give the inputs of the parties: use one of them")
    scenario = scenario.with_settings(with_short({}, users=people.users))
    own_inputs: Inputs | None = None
    if inputs is not None:
        own_inputs = whole_numbers("--inputs", inputs)
    elif people.input is not None:
        own_inputs = people.population(scenario, {}, seed, limit).inputs
        scenario = scenario.with_settings(with_short({}, users=len(own_inputs)))
    with progress_bar(name, 0) as progress:
        result = perform(
            scenario,
            data=own_inputs,
            seed=seed,
            claims=False,
            at_epsilon=privacy[0],
            at_delta=privacy[1],
            name=name,
            limit=limit,
            progress=progress,
            drop=drop,
        )
    assert isinstance(result, PlainRun)
    return _show_plain(result, claims, json)


def _show_plain(result: "PlainRun", claims: bool, json: str | None) -> int:
    """Judge the claims and print a run without an estimate; return the exit status of `run`."""
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.show_plain import show_plain

    if claims and result.scenario.claims:
        with progress_bar("claims", len(result.scenario.claims) + 1) as progress:
            result = result.judged(progress)
    # Make the JSON only if it is wanted, because this takes as long as a small run.
    if json is not None:
        write_json(result.as_json(), json)
    show_plain(result, console(json))
    failed = not all(row.holds for row in result.adversaries)
    return 1 if failed else ABORTED if result.is_aborted else 0


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
    drop: Sequence[str],
    yes: bool,
    figure: Path | None,
    json: str | None,
) -> int:
    """Run a scenario and compare its estimate with the truth; return the exit status of `run`."""
    from simnet.cli.long_work import long_work
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.show import show
    from simnet.errors import BadInput
    from simnet.scenario.by_name import perform
    from simnet.scenario.perform import Performance, refuse_absurd

    if inputs is not None:
        raise BadInput(
            "--inputs is for protocols of your own that have no `assess` method: this scenario "
            "reads its users from a file (--input and --column), or makes them up"
        )
    population = people.population(scenario, settings, seed, limit)
    about = scenario.described(scenario.build_for(population))
    refuse_absurd(scenario, about, len(population.inputs), len(population.labels), limit)
    work = about.workload
    elements = 0 if work is None else work.elements
    with long_work(name, work, yes), progress_bar(name, elements) as progress:
        result = perform(
            scenario,
            data=population,
            seed=seed,
            claims=False,
            at_epsilon=privacy[0],
            at_delta=privacy[1],
            name=name,
            limit=limit,
            progress=progress,
            drop=drop,
        )
    if not isinstance(result, Performance):
        return _show_plain(result, claims, json)
    if claims and scenario.claims:
        with progress_bar("claims", len(scenario.claims) + 1) as progress:
            result = result.judged(progress)
    # Files are written before anything is printed: if the reader of a pipe closes it early, the
    # program ends at the next print.
    if figure is not None:
        from simnet.scenario.figure import draw_estimate

        draw_estimate(result, figure)
    # Make the JSON only if it is wanted, because this takes as long as a small run.
    if json is not None:
        write_json(result.as_json(), json)
    show(result, console(json))
    return 0 if all(row.holds for row in result.adversaries) else 1
