"""`simnet verify`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from simnet.cli.certificates import Held, Written, check_certificate
from simnet.cli.options import (
    Data,
    DropOuts,
    JsonFile,
    OneNetwork,
    OutputFile,
    Settings,
    settings_of,
)
from simnet.errors import BadInput

if TYPE_CHECKING:
    from simnet.adversary.judge import By
    from simnet.adversary.whole_view import Expectation
    from simnet.scenario.population import Population
    from simnet.scenario.scenario import Scenario
    from simnet.stated.about import Workload


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
    drop: DropOuts = None,
    network: OneNetwork = None,
    by: Literal["elimination", "symmetry"] | None = None,
    check: Path | None = None,
    json: JsonFile = None,
) -> int:
    """Say what a coalition learns from a run.

    The verdict that the coalition learns nothing from secret shares is proved, and `--certificate`
    writes the proof. If the verdict is that it learns something from them, the command prints the
    attack, except by symmetry. An undecided verdict says what the coalition learns at least and at
    most.

    The exit status is 1 if the verdict is not the one that `--expect` names, or if the certificate
    that `--check` names has no valid proof or does not belong to the run. It is 2 if
    `--certificate` is given and the verdict is undecided.

    For example:

    - `simnet verify dpds --users 20 --items 5 --corrupt u1,server`
    - `simnet verify tss --users 30 --items 6 --corrupt "all users but one" --runs 50`
    - `simnet verify my_protocol.py:Mine --users 4 --corrupt u1 --expect nothing`
    - `simnet verify dpds --corrupt u1 --certificate proof.json`
    - `simnet verify --check proof.json`
    - `simnet verify dpds --users 10000 --items 30 --corrupt "server, 5000 users"`

    Parameters
    ----------
    protocol
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet verify
        dpds --help` shows them.
    corrupt
        The coalition: the parties that pool what they see, separated by commas. Write names, or
        `u1..u5`, `all users`, `all users but one`, `all users but 3` (all except the last three),
        `half of the users`, `20 users` (the first 20), `everyone`, or `network` (which sees who
        sends how many bytes to whom in which round).
    set_
        Set a setting of the scenario: `--set participation=0.2` means the same as `--participation
        0.2`. You can give this option several times.
    data
        The people of the run.
    inputs
        The inputs of the parties, separated by commas. Without this option and without a file of
        data, the inputs are made up: they are drawn with the seed, as `simnet run` draws them.
    seed
        The seed of the run's random numbers; 0 without this option.
    collections
        Judge this many runs on the same inputs together, as one view. Their seeds are consecutive
        and begin with `--seed`.
    runs
        Judge this many runs, each by itself, and give the share of each verdict. Their seeds are
        consecutive and begin with `--seed`.
    expect
        The verdict that you expect in every run. `nothing` and `output-only` are about all that the
        coalition sees; the other verdicts are about secret shares alone.
    certificate
        Write the verdict's certificate (JSON) to this file; with `--runs`, that of the first run.
        `python -m simnet.adversary.check FILE` checks the proof in it. `--check` compares the
        certificate with the run.
    with_seed
        Write the seed and the digests of inputs and trace into the certificate, or leave them out.
        Somebody who knows them may find out the inputs. By default they are written only if the
        inputs are drawn from the seed.
    drop
        Let parties drop out: `0.1`, or `u3@share` (see `simnet run --help`). The verdict holds for
        runs in which these parties drop out at these places.
    network
        The network that decides deadlines: a name (see `simnet network`) or a TOML file. A protocol
        without deadlines needs none.
    by
        How to judge. `elimination` judges runs of up to ten million messages, and `symmetry` also
        judges larger runs, if many parties are alike. Without this option, a run is judged by
        symmetry if its protocol states that it is too large for elimination.
    check
        Check the proof in this certificate, repeat the run that it names, and compare the
        certificate with that run. Give `--seed`, `--inputs`, `--input` or `--column` again if the
        file leaves them out.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.long_work import SECONDS_A_JUDGED_ELEMENT, SECONDS_A_JUDGED_MESSAGE
    from simnet.kernel.limits import refuse_runs
    from simnet.scenario.judging import MOST_ALIKE_ELEMENTS, MOST_MESSAGES
    from simnet.values.residues import reduced_constants

    reduced_constants.clear()
    settings = settings_of(set_)
    held = Held(data or Data(), inputs)
    if check is not None:
        from_file = {
            "corrupt": corrupt,
            "certificate": certificate,
            "expect": expect,
            "with-seed": with_seed,
            "runs": None if runs == 1 else runs,
            "drop": drop,
            "network": network,
            "by": by,
            "collections": None if collections == 1 else collections,
            "users": None if held.data.input is not None else held.data.users,
        }
        _refuse(from_file, "--check does not go with this option: leave out")
        return check_certificate(check, protocol, settings, held, seed, json)
    if protocol is None or corrupt is None:
        missing = "the protocol" if protocol is None else "--corrupt, the coalition,"
        raise BadInput(f"{missing} is missing: write, for example, simnet verify dpds --corrupt u1")
    for name, count in (("runs", runs), ("collections", collections)):
        if count < 1:
            raise BadInput(f"--{name} takes a whole number from 1, got {count}")
    seeds = range(seed or 0, (seed or 0) + runs)
    scenario, people = held.scenario(protocol, settings, seeds[0])
    work = _workload(scenario, people)
    messages, elements = (0, 0) if work is None else (work.messages * collections, work.elements)
    is_too_large = by is None and messages > MOST_MESSAGES
    solver: By = "symmetry" if is_too_large else by or "elimination"
    # A run with more messages, or by symmetry with more elements, is refused.
    seconds = messages * SECONDS_A_JUDGED_MESSAGE * (messages <= MOST_MESSAGES)
    if solver == "symmetry":
        judges = "judges one run, without drop-outs and without a network"
        why = f"symmetry {judges}: leave out"
        if is_too_large:
            why = f"a run of this size is judged by symmetry, which {judges}: take fewer users or "
            why += "leave out"
        several = {
            "runs": None if runs == 1 else runs,
            "collections": None if collections == 1 else collections,
            "drop": drop or None,
            "network": network,
        }
        _refuse(several, why)
        seconds = elements * SECONDS_A_JUDGED_ELEMENT * (elements <= MOST_ALIKE_ELEMENTS)
    else:
        refuse_runs(runs * collections, elements)
    return _judge(
        Written(certificate, protocol, held.is_drawn if with_seed is None else with_seed),
        scenario,
        ",".join(corrupt),
        seeds,
        people,
        collections,
        drop or (),
        network,
        expect,
        solver,
        seconds,
        json,
    )


def _workload(
    scenario: "Scenario", people: "Sequence[int] | Population | None"
) -> "Workload | None":
    from simnet.scenario.population import Population

    fitted = scenario.fitted(people) if isinstance(people, Population) else scenario
    return fitted.described(fitted.build(fitted.users, fitted.items)).workload


def _judge(
    written: Written,
    scenario: "Scenario",
    corrupt: str,
    seeds: range,
    people: "Sequence[int] | Population | None",
    collections: int,
    drop: Sequence[str],
    network: str | None,
    expect: "Expectation | None",
    by: "By",
    seconds: float,
    json: str | None,
) -> int:
    from simnet.adversary.whole_view import meets
    from simnet.cli.long_work import announced
    from simnet.cli.output import console, print_note, print_numbering, remarks, write_json
    from simnet.cli.show_plain import print_compared
    from simnet.cli.verdicts import missing_functionality, print_counts, print_verdict
    from simnet.network.toml_file import network_named
    from simnet.scenario.compared_outputs import compare_outputs
    from simnet.scenario.drops import drop_outs_json, outcome_in_words
    from simnet.scenario.numbered import numbering_of
    from simnet.scenario.perform import plain_parameters
    from simnet.scenario.plain import guessed_inputs_in_words
    from simnet.scenario.verify import verify as verify_one
    from simnet.scenario.verify import verify_runs

    clocked = None if network is None else network_named(network)
    with announced("verify", seconds):
        verified = verify_one(
            scenario, corrupt, seeds[0], people, collections, drop, network=clocked, by=by
        )
    reveals = written.write(verified)
    out = console(json)
    settled = verified.scenario.settings()
    # A run that is judged by symmetry may be too large to be compared with the ideal world.
    small = verified.verdict.sampled_runs if by == "elimination" else ()
    compared = [compare_outputs(done) for done in small]
    result = {
        "protocol": verified.about.name,
        "parameters": plain_parameters(settled, verified.protocol, verified.about),
        "seed": seeds[0],
        **verified.verdict.as_json(),
        "public": verified.public[0],
        **drop_outs_json(verified.verdict.runs[0], verified.about),
        **(compared[0].as_json() if compared else {}),
    }
    numbering = numbering_of(verified.about, people)
    if numbering is not None:
        result["numbering"] = numbering
    if collections > 1:
        result["public_by_run"] = list(verified.public)
        result["ideal_world_by_run"] = [each.as_json()["ideal_world"] for each in compared]
    outcome = outcome_in_words(verified.verdict.runs[0], verified.about)
    for sentence in outcome:
        out.print(sentence, style="yellow")
    print_numbering(out, numbering)
    print_verdict(out, verified.verdict)
    for each in compared:
        print_compared(each, out, only_differences=True)
    guess = guessed_inputs_in_words(scenario, verified.protocol) if people is None else None
    print_note(out, guess)
    met = expect is None or meets(verified.verdict, expect)
    if len(seeds) > 1:
        from simnet.cli.progress import progress_bar

        with progress_bar("runs", len(seeds), announces=True) as progress:
            tally = verify_runs(
                scenario, corrupt, seeds, people, collections, progress, drop, clocked
            )
        result["runs"] = tally.as_json()
        print_counts(out, tally)
        met = expect is None or tally.met[expect] == len(seeds)
    if not met:
        out.print(f"expected: {expect}", style="bold red")
    given_away = [f"{written.file} gives away: {sentence}" for sentence in reveals]
    for sentence in given_away:
        out.print(sentence, style="yellow")
    if expect is not None:
        result |= {"expected": expect, "met": met}
    missing = missing_functionality(verified.verdict)
    result["remarks"] = remarks(*outcome, *missing, guess, *given_away)
    write_json(result, json)
    if written.is_refused(verified):
        raise BadInput("no certificate is written: an undecided verdict is a bound, not a proof")
    return 0 if met else 1


def _refuse(options: Mapping[str, object], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadInput(f"{why} --{name}")
