"""`simnet verify`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from simnet.cli.certificates import Held, Written, check_certificate
from simnet.cli.options import Data, JsonFile, OutputFile, Settings, settings_of
from simnet.errors import BadInput

if TYPE_CHECKING:
    from simnet.adversary.whole_view import Expectation
    from simnet.scenario.population import Population
    from simnet.scenario.scenario import Scenario


def verify(
    protocol: str | None = None,
    /,
    *,
    corrupt: Annotated[list[str] | None, Parameter(negative=())] = None,
    set_: Settings = None,
    data: Data | None = None,
    inputs: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    seed: int | None = None,
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
    certificate: OutputFile = None,
    with_seed: bool | None = None,
    check: Path | None = None,
    json: JsonFile = None,
) -> int:
    """Say exactly what a coalition learns from a run.

    The answer comes with a proof when it is nothing, and with an attack when it is not.

    Exit status 0 whatever is found, 1 if it is not what --expect names, or if the certificate that
    --check names is not that of the run.

    Examples: `simnet verify dpds --users 20 --items 5 --corrupt u1,server`,
    `simnet verify tss --users 30 --items 6 --corrupt "all users but one" --runs 50`,
    `simnet verify my_protocol.py:Mine --users 4 --corrupt u1 --expect nothing`,
    `simnet verify dpds --corrupt u1 --certificate proof.json`, `simnet verify --check proof.json`.

    Parameters
    ----------
    protocol
        A scenario's name (see `simnet list`), a file with a scenario or one protocol, or
        `FILE.py:Class`. Every setting of it is an option: `simnet verify dpds --help` shows them.
    corrupt
        Who colludes, separated by commas: names, `u1..u5`, `all users`, `all users but one`, `all
        users but 3`,
        `half of the users`, `everyone`, `network` (sees who sends how many bytes to whom in which
        round).
    set_
        Set a parameter, for scripts: `--set participation=0.2` is `--participation 0.2`. May be
        given several times.
    data
        The people of the run.
    inputs
        What the parties hold, separated by commas; items uniform on 1..N, drawn from the seed, when
        left out.
    seed
        All randomness follows from it; 0 when left out.
    collections
        Judge so many collections from the same inputs together, with seeds from `--seed` on.
    runs
        Judge so many runs, with seeds from `--seed` on, and give the share of each verdict.
    expect
        The verdict expected, in every run. `nothing` and `output-only` are about all that the
        coalition sees; with `-from-shares` behind them, about secret shares alone.
    certificate
        Write the verdict's certificate (JSON) to this file; `python -m simnet.adversary.check FILE`
        checks its proof, and --check whether it is that of the run.
    with_seed
        Whether the certificate names the seed and has digests of inputs and trace, with which
        inputs can be found out; by default it does where inputs are drawn from the seed.
    check
        Read the run that this certificate names once more, and compare: header, equations, ideal
        output, disclosures and statement. Give --seed, --inputs, --input or --column again where
        the file leaves them out.
    json
        Write JSON to this file; `-` for standard output.
    """
    settings = settings_of(set_)
    held = Held(data or Data(), inputs)
    if check is not None:
        from_file = {
            "corrupt": corrupt,
            "certificate": certificate,
            "expect": expect,
            "with-seed": with_seed,
            "runs": None if runs == 1 else runs,
            "collections": None if collections == 1 else collections,
            "users": None if held.data.input is not None else held.data.users,
        }
        _refuse(from_file, "--check takes all but what the file leaves out from the file: no")
        return check_certificate(check, protocol, settings, held, seed, json)
    if protocol is None or corrupt is None:
        missing = "the protocol" if protocol is None else "--corrupt, the colluding parties,"
        raise BadInput(f"{missing} is missing: simnet verify dpds --corrupt u1")
    for name, count in (("runs", runs), ("collections", collections)):
        if count < 1:
            raise BadInput(f"at least one is judged, got --{name} {count}")
    seeds = range(seed or 0, (seed or 0) + runs)
    scenario, people = held.scenario(protocol, settings, seeds[0])
    return _judge(
        Written(certificate, protocol, held.is_drawn if with_seed is None else with_seed),
        scenario,
        ",".join(corrupt),
        seeds,
        people,
        collections,
        expect,
        json,
    )


def _judge(
    written: Written,
    scenario: "Scenario",
    corrupt: str,
    seeds: range,
    people: "Sequence[int] | Population | None",
    collections: int,
    expect: "Expectation | None",
    json: str | None,
) -> int:
    """Give verdicts on runs with these seeds; exit status as for `verify`."""
    from simnet.adversary.whole_view import meets
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.verdicts import print_counts, print_verdict
    from simnet.scenario.perform import plain_parameters
    from simnet.scenario.verify import verify as verify_one
    from simnet.scenario.verify import verify_runs

    verified = verify_one(scenario, corrupt, seeds[0], people, collections)
    reveals = written.write(verified)
    out = console(json)
    settled = verified.scenario.settings()
    result = {
        "protocol": verified.about.name,
        "parameters": plain_parameters(settled, verified.protocol, verified.about),
        "seed": seeds[0],
        **verified.verdict.as_json(),
        "public": verified.public[0],
    }
    if collections > 1:
        result["public_by_run"] = list(verified.public)
    print_verdict(out, verified.verdict)
    met = expect is None or meets(verified.verdict, expect)
    if len(seeds) > 1:
        with progress_bar("runs", len(seeds)) as progress:
            tally = verify_runs(scenario, corrupt, seeds, people, collections, progress)
        result["runs"] = tally.as_json()
        print_counts(out, tally)
        met = expect is None or tally.met[expect] == len(seeds)
    if not met:
        out.print(f"expected: {expect}", style="bold red")
    for sentence in reveals:
        out.print(f"{written.file} gives away: {sentence}", style="yellow")
    write_json(result, json)
    if written.is_refused(verified):
        raise BadInput("an undecided verdict has no certificate: it is a bound, not a proof")
    return 0 if met else 1


def _refuse(options: Mapping[str, object], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadInput(f"{why} --{name}")
