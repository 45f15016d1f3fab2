"""`simnet run`."""

from typing import Annotated

from cyclopts import Parameter

from simnet.cli.asked import Asked, network_option
from simnet.cli.options import Data, DropOuts, FigureFile, JsonFile, Networks, OutputFile, Settings

ABORTED = 3  # the exit status of an aborted run


def run(
    scenario: str,
    /,
    *,
    set_: Settings = None,
    seed: int = 0,
    data: Data | None = None,
    inputs: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    at_epsilon: float | None = None,
    at_delta: float | None = None,
    figure: FigureFile = None,
    html: OutputFile = None,
    claims: bool = True,
    drop: DropOuts = None,
    network: Networks = None,
    log: OutputFile = None,
    yes: Annotated[bool, Parameter(negative=())] = False,
    json: JsonFile = None,
) -> int:
    """Run a scenario once and show the result.

    If the protocol states them, the output shows the estimate beside the truth, the privacy of one
    user and the bill. It also shows what the coalitions of the scenario's claims learn.

    If the protocol has a functionality and at most 20,000 inputs, the outputs are compared with
    what the ideal world hands to the parties. The exit status is 1 when an output differs or a
    claim about a coalition fails, and 3 when the run was aborted,
    mostly because parties dropped out or messages were lost.

    For example:

    - `simnet run tss --reported 4 --gamma 2`
    - `simnet run dpds --input people.csv --column city --users 3000`
    - `simnet run local_table --input people.csv --numeric age:0:120 --categorical sex,region`
    - `simnet run my_protocol.py:Mine --inputs 1,0,1`
    - `simnet run dpds --users 20 --drop u3@share:2`
    - `simnet run dpds --users 4 --items 3 --html run.html`
    - `simnet run dpds --network mobile --log run.log`

    Parameters
    ----------
    scenario
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet run
        dpds --help` shows them.
        For a protocol without a scenario, the command shows the outputs, and how much each role
        sends and receives.
    set_
        Set a setting of the scenario: `--set participation=0.2` means the same as `--participation
        0.2`. You can give this option several times.
    seed
        The seed of the run's random numbers.
    data
        The users and their inputs.
    inputs
        The inputs of the parties of your own protocol: whole numbers separated by commas. Without
        this option and without a file of data, the inputs are drawn with the seed; they are items,
        uniform on 1..items, unless the scenario says otherwise.
    at_epsilon
        State the δ at this ε, if the protocol can. Without this option, the protocol chooses the ε.
    at_delta
        State the ε at this δ, if the protocol can. Without this option, the protocol chooses the δ.
    figure
        Draw the estimate into this file (PNG, SVG or PDF; needs matplotlib). An aborted run has no
        estimate.
    html
        Write a page about the run into this file: who sends what to whom, what coalitions learn
        and, with `--network`, who waits when (see `simnet show --help`).
    claims
        Judge the scenario's claims about coalitions, on the run itself. For a large run this may
        take longer than the run; a claim that cannot be judged is shown as "not judged".
        `--no-claims` skips this step.
    drop
        Let parties drop out. `--drop 0.1`: each party that has an input and sends something drops
        out with this probability, at a random point before, between or after its sends.
        `--drop u3@share`: u3 drops out before its first send under the tag "share"; `u3@share#2`:
        before its second send; `u3@share:after`: after its first send; `u3@share:2`: when the first
        two recipients have got the first send, and before the others get it.
        `--drop u3@masked:lost:server`: u3 stays, and the message to the server in its first send
        under "masked" is lost; in the place of `lost` write `damaged`, `duplicated`, or `late=1.5`
        for a message that comes 1.5 seconds late. You can give this option several times.
    network
        Say how long the run takes on this network: a name (see `simnet network`) or a TOML file.
        You can give this option several times. If scripts wait with deadlines, the network decides
        which messages come in time; then there can be only one.
    log
        Write the log of the run into this file: who sent how many bytes to whom, and who waited
        for what, without contents. `simnet time` reads it.
    yes
        Run without a question, even if the run has 1,000,000,000 field elements or more.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.output import console, write_json
    from simnet.cli.show import show
    from simnet.cli.show_plain import show_plain
    from simnet.cli.times import print_times
    from simnet.errors import BadInput
    from simnet.network.toml_file import network_named
    from simnet.scenario.compared_outputs import MOST_INPUTS, compare_outputs
    from simnet.scenario.plain import PlainRun
    from simnet.values.residues import reduced_constants

    reduced_constants.clear()
    asked = Asked.of(
        scenario,
        set_=set_,
        seed=seed,
        data=data,
        inputs=inputs,
        at_epsilon=at_epsilon,
        at_delta=at_delta,
        claims=claims,
        drop=drop,
        network=network[0] if network else None,
        yes=yes,
    )
    networks = [network_named(name) for name in network or ()]
    if figure is not None and not asked.assesses:
        raise BadInput(
            "--figure draws an estimate beside the truth, and nothing compares the two for this "
            "protocol: give the scenario an `about` whose record has `assess`"
        )
    result = asked.performed()
    # Files are written before anything is printed: if the reader of a pipe closes it early, the
    # program ends at the next print.
    if figure is not None and not isinstance(result, PlainRun):
        from simnet.scenario.figure import draw_estimate

        draw_estimate(result, figure)
    compared = compare_outputs(result.run, MOST_INPUTS)
    timings = asked.timed(result, networks, log)
    if html is not None:
        further = [word for name in (network or ())[1:] for word in network_option(name)]
        asked.write_page(result, html, by="run", further=further, timings=timings)
    # Make the JSON only if it is wanted, because this takes as long as a small run.
    if json is not None:
        times = {"times": [timing.as_json() for timing in timings]} if timings else {}
        write_json({**result.as_json(), **compared.as_json(), **times}, json)
    out = console(json)
    if isinstance(result, PlainRun):
        show_plain(result, compared, out)
    else:
        show(result, compared, out)
    if timings:
        print_times(out, timings)
    failed = result.adversaries.fails or bool(compared.differences)
    aborted = isinstance(result, PlainRun) and result.is_aborted
    return 1 if failed else ABORTED if aborted else 0
