"""`simnet verify`."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from simnet.cli.options import JsonFile, Settings, settings_of, whole_numbers, with_short


def verify(
    protocol: str,
    *,
    corrupt: Annotated[list[str], Parameter(negative=())],
    users: int | None = None,
    items: int | None = None,
    set_: Settings = None,
    inputs: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    seed: int = 0,
    collections: int = 1,
    runs: int = 1,
    expect: Literal[
        "nothing",
        "nothing-from-shares",
        "output-only",
        "output-only-from-shares",
        "leaks",
        "undecided",
        "no-shares",
    ]
    | None = None,
    certificate: Path | None = None,
    json: JsonFile = None,
) -> int:
    """Say exactly what a coalition learns from a run.

    The answer comes with a proof when it is nothing, and with an attack when it is not.

    Exit status 0 whatever is found, 1 if it is not what --expect names.

    Examples: `simnet verify dpds --users 20 --items 5 --corrupt u1,server`,
    `simnet verify tss --users 30 --items 6 --corrupt "all users but one" --runs 50`,
    `simnet verify my_protocol.py:Mine --users 4 --corrupt u1 --expect nothing`.

    Parameters
    ----------
    protocol
        A scenario's name, a file with a scenario or one protocol, or `FILE.py:Class`.
    corrupt
        Who colludes, separated by commas: names, `u1..u5`, `all users`, `all users but one`, `all
        users but 3`,
        `half of the users`, `everyone`, `network` (sees who sends how many bytes to whom in which
        round).
    users
        Number of users, short for `--set users=n`.
    items
        Number of items, short for `--set items=N`.
    set_
        Set a parameter: `--set participation=0.2`. May be given several times.
    inputs
        What the parties hold, separated by commas; items uniform on 1..N, drawn from the seed, when
        left out.
    seed
        All randomness follows from it.
    collections
        Judge so many collections from the same inputs together, with seeds from `--seed` on.
    runs
        Judge so many runs, with seeds from `--seed` on, and give the share of each verdict.
    expect
        The verdict expected, in every run. `nothing` and `output-only` are about all that the
        coalition sees; with `-from-shares` behind them, about secret shares alone.
    certificate
        Write the verdict's certificate (JSON) to this file; `python -m simnet.adversary.check FILE`
        checks it.
    json
        Write JSON to this file; `-` for standard output.
    """
    from simnet.adversary.certificate import certificate_of
    from simnet.adversary.whole_view import meets
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.verdicts import print_counts, print_verdict
    from simnet.errors import BadInput
    from simnet.scenario.find import find
    from simnet.scenario.perform import plain_parameters
    from simnet.scenario.verify import verify as verify_one
    from simnet.scenario.verify import verify_runs

    for name, count in (("runs", runs), ("collections", collections)):
        if count < 1:
            raise BadInput(f"at least one is judged, got --{name} {count}")
    scenario = find(protocol)[1].with_settings(
        with_short(settings_of(set_), users=users, items=items)
    )
    own_inputs = None if inputs is None else whole_numbers("--inputs", inputs)
    text = ",".join(corrupt)
    verified = verify_one(scenario, text, seed, own_inputs, collections)
    out = console(json)
    result = {
        "protocol": verified.about.name,
        "parameters": plain_parameters(scenario.settings(), verified.protocol, verified.about),
        "seed": seed,
        **verified.verdict.as_json(),
        "public": verified.public[0],
    }
    if collections > 1:
        result["public_by_run"] = list(verified.public)
    print_verdict(out, verified.verdict)
    met = expect is None or meets(verified.verdict, expect)
    if runs > 1:
        with progress_bar("runs", runs) as progress:
            tally = verify_runs(
                scenario, text, range(seed, seed + runs), own_inputs, collections, progress
            )
        result["runs"] = tally.as_json()
        print_counts(out, tally)
        met = expect is None or tally.met[expect] == runs
    if not met:
        out.print(f"expected: {expect}", style="bold red")
    write_json(result, json)
    if certificate is not None:
        write_json(certificate_of(verified.verdict), str(certificate))
    return 0 if met else 1
