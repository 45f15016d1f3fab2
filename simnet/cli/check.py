"""`simnet check`."""

from simnet.cli.options import DropOuts, JsonFile, OneNetwork, Settings, settings_of

DIFFERS = (
    "A run marked `differs` has another bill, other messages, other outputs or parties that end in "
    "another way than in the first run, although seed and inputs are the same. This is a fault: "
    "somebody who repeats the run from its seed may get another result. Common causes are a "
    "function (such as one that a door calls) that reads a clock or counts its calls, random "
    "numbers that are not from `me.coins`, a value that parties share outside messages, and the "
    "order of a set."
)


def check(
    scenario: str,
    /,
    *,
    set_: Settings = None,
    seed: int = 0,
    drop: DropOuts = None,
    network: OneNetwork = None,
    json: JsonFile = None,
) -> int:
    """Check that a scenario's trace does not depend on schedule, threads or hash seed.

    The command repeats one run under several circumstances and compares the traces. If the protocol
    has a functionality, the outputs are compared with what the ideal world hands to the parties.
    The exit status is 1 when a trace or an output differs.

    For example: `simnet check dpds --users 200`

    Parameters
    ----------
    scenario
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet check
        dpds --help` shows them.
    set_
        Set a setting of the scenario: `--set users=200` means the same as `--users 200`.
    seed
        The seed of the run that is repeated.
    drop
        Let parties drop out: `0.1`, or `u3@share` (see `simnet run --help`).
    network
        The network that decides deadlines: a name (see `simnet network`) or a TOML file. A protocol
        without deadlines needs none.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from rich.text import Text

    from simnet.cli.grid import Grid
    from simnet.cli.long_work import announced, seconds_of
    from simnet.cli.output import console, print_note, remarks, write_json
    from simnet.cli.show_plain import print_compared
    from simnet.scenario.compared_outputs import compare_outputs
    from simnet.scenario.determinism import REPLICAS, replicas
    from simnet.scenario.find import find
    from simnet.scenario.plain import explained_by, guessed_inputs_in_words
    from simnet.values.residues import reduced_constants

    reduced_constants.clear()
    settings = settings_of(set_)
    chosen = find(scenario)[1].with_settings(settings)
    protocol = chosen.build(chosen.users, chosen.items)
    guess = guessed_inputs_in_words(chosen, protocol, has_option=False)
    work = chosen.described(protocol).workload
    with explained_by(guess), announced("check", REPLICAS * seconds_of(work)):
        done, traces = replicas(scenario, settings, seed, drop or (), network)
    first = next(iter(traces.values()))
    same = all(trace == first for trace in traces.values())
    table = Grid("run", "trace", "same?")
    for circumstance, trace in traces.items():
        found = Text("same") if trace == first else Text("differs", "bold red")
        table.add_row(circumstance, trace.hash, found)
    console(json).print(table)
    differs = None if same else DIFFERS
    if differs is not None:
        console(json).print(Text(differs, "yellow"))
    lacking = None
    if first.lacking is not None:
        lacking = f"messages and bills were compared, but outputs were not: {first.lacking}"
        console(json).print(lacking)
    compared = compare_outputs(done)
    print_compared(compared, console(json))
    print_note(console(json), guess)
    runs = {circumstance: trace.hash for circumstance, trace in traces.items()}
    whole = first.hash if first.lacking is None else None
    said = remarks(differs, lacking, guess)
    result = {"hash": whole, "same": same, "runs": runs, "remarks": said, **compared.as_json()}
    write_json(result, json)
    return 0 if same and not compared.differences else 1
