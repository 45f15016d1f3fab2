"""`simnet coalitions`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simnet.cli.options import (
    DropOuts,
    FigureFile,
    JsonFile,
    OneNetwork,
    Settings,
    settings_of,
)
from simnet.printable import count_of

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.adversary.coalitions.every_coalition import EveryCoalition
    from simnet.contract import Protocol
    from simnet.scenario.large_coalitions import OneRun, Searched

SHOWN = 4  # so many coalitions of a list are shown
FINDINGS = {
    "nothing": "nothing",
    "output-only": "only the output",
    "leaks": "more than the output",
    "undecided": "undecided",
}


def coalitions(
    protocol: str,
    /,
    *,
    set_: Settings = None,
    seed: int = 0,
    drop: DropOuts = None,
    network: OneNetwork = None,
    figure: FigureFile = None,
    certificates: Path | None = None,
    user: str | None = None,
    runs: int | None = None,
    json: JsonFile = None,
) -> None:
    """Judge the coalitions of a run: whom they expose, and whom they learn something about.

    A coalition *exposes* a party if it determines a function of this party's secrets alone. It
    *touches* a party if it determines a function in which a secret of the party occurs, for example
    a sum. For each party with a secret, a table shows minimal coalitions that expose or touch the
    party, and maximal coalitions that do not expose it. With at most 12 parties, the command also
    shows minimal coalitions that learn more than their output. The verdicts are about secret
    shares, in one run.

    With more than 12 parties, coalitions are given by their numbers of members of each kind: for
    example, a user is exposed by the server with all 999 other users. If a run cannot be judged by
    counts, the command gives one minimal coalition that exposes a party and one maximal coalition
    that does not; others may exist.

    With `--runs`, the command plays several runs, and searches each for the smallest coalitions of
    users that can compute a function of another user's secrets. The table has their sizes.

    For example:

    - `simnet coalitions dpds --users 4 --items 2`
    - `simnet coalitions dpds_shamir --users 5 --items 1 --sharing shamir:3`
    - `simnet coalitions tss --users 6 --items 3 --seed 4`
    - `simnet coalitions secagg --users 4 --items 1 --figure coalitions.svg --certificates proofs`
    - `simnet coalitions dpds --users 1000 --items 30`
    - `simnet coalitions tss --users 50 --items 12 --runs 100`
    - `simnet coalitions tss_prime --users 50 --items 12 --bound 30 --runs 20`

    Parameters
    ----------
    protocol
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet
        coalitions tss --help` shows them.
    set_
        Set a setting of the scenario: `--set bound=20` means the same as `--bound 20`. You can give
        this option several times.
    seed
        The seed of the run. With `--runs`, the seed of the first run; the seeds are consecutive.
    drop
        Let parties drop out: `0.1`, or `u3@share` (see `simnet run --help`).
    network
        The network that decides deadlines: a name (see `simnet network`) or a TOML file. A protocol
        without deadlines needs none.
    figure
        Draw the coalitions into this file (PNG, SVG or PDF; needs matplotlib). With at most 6
        parties, the figure has a mark for each coalition; with up to 12, a bar for all coalitions
        with the same number of members of each role. With `--runs`, the figure shows the shares of
        the table.
    certificates
        Write certificates of the coalitions that the lists name into this folder. `python -m
        simnet.adversary.check` checks the proofs. `simnet verify --check` also repeats the run.
    user
        Show only these parties in the tables; their names are separated by commas. If the
        coalitions of a run with more than 12 parties cannot be judged by counts, the command
        searches which coalitions expose these parties or, without this option, the first party
        with a secret.
    runs
        Search this number of runs for the smallest coalitions of users.
    json
        Write the result as JSON to this file; `-` writes it to standard output. For a run with up
        to 12 parties, and without `--runs`, the JSON has the finding about each coalition.
    """
    from simnet.cli.output import console
    from simnet.cli.over_runs import coalitions_over_runs
    from simnet.errors import BadInput
    from simnet.files import make_folder
    from simnet.network.toml_file import network_named
    from simnet.scenario.find import find
    from simnet.scenario.large_coalitions import OneRun

    scenario = find(protocol)[1].with_settings(settings_of(set_))
    made = scenario.build(scenario.users, scenario.items)
    out = console(json)
    if runs is not None:
        if user is not None or drop or network is not None or certificates is not None:
            raise BadInput(
                "--runs searches whole runs for all users: leave out --user, --drop, --network and "
                "--certificates"
            )
        coalitions_over_runs(out, scenario, made, seed, runs, figure, json)
        return
    clocked = None if network is None else network_named(network)
    # Certificates are for other people, so they do not name the folder of the file.
    asked = OneRun(scenario, Path(protocol).name, seed, drop or (), clocked)
    users = [] if user is None else [name.strip() for name in user.split(",")]
    if certificates is not None:
        make_folder(certificates)
    _one_run(out, asked, made, users, certificates, figure, json)


def _one_run(
    out: "Console",
    asked: "OneRun",
    made: "Protocol",
    users: Sequence[str],
    certificates: Path | None,
    figure: Path | None,
    json: str | None,
) -> None:
    from simnet.adversary.coalitions.every_coalition import MOST_PARTIES
    from simnet.cli.counted import as_json, large_coalitions, print_found
    from simnet.cli.output import print_note, remarks, write_json
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.scenario.drops import outcome_in_words
    from simnet.scenario.figure import refuse_undrawable
    from simnet.scenario.large_coalitions import all_coalitions
    from simnet.scenario.lattice import draw_coalitions
    from simnet.scenario.plain import guessed_inputs_in_words

    about, parties = asked.scenario.described(made), len(made.parties())
    if figure is not None:
        if parties > MOST_PARTIES:
            raise BadInput(
                f"--figure draws runs with at most {MOST_PARTIES} parties, except with --runs, and "
                f"this run has {parties:,}: leave out --figure, or choose fewer --users"
            )
        refuse_undrawable(figure)
    if parties <= MOST_PARTIES:
        with progress_bar("coalitions", 2**parties - 1, announces=True) as progress:
            searched = all_coalitions(asked, about, users, progress)
    else:
        searched = large_coalitions(asked, about, parties, users)
    outcome = outcome_in_words(searched.run, about)
    for sentence in outcome:
        out.print(sentence, style="yellow")
    every = searched.every
    if every is None:
        print_found(out, searched, users)
    else:
        _print(out, searched.run.seed, every, users)
    guess = guessed_inputs_in_words(asked.scenario, made, has_option=False)
    print_note(out, guess)
    if every is not None and figure is not None:
        draw_coalitions(every, figure)
    if certificates is not None:
        _write_certificates(out, searched, certificates)
    told = as_json(searched) if every is None else _as_json(every)
    write_json({**told, "remarks": remarks(*outcome, guess)}, json)


def _write_certificates(out: "Console", searched: "Searched", folder: Path) -> None:
    """Write certificates of the listed coalitions into files: numbered ones, or files with the
    names of the members, if all coalitions were judged.
    """
    from simnet.files import write_whole

    texts = {members: text for members in searched.listed() if (text := searched.certify(members))}
    for number, (members, text) in enumerate(texts.items(), 1):
        numbered = f"{number:0{len(str(len(texts)))}}"
        name = numbered if searched.every is None else "-".join(members)
        write_whole(folder / f"{name}.json", text, private=True)
    out.print(f"certificates written to {folder}: {len(texts):,}")


def _as_json(found: "EveryCoalition") -> dict[str, object]:
    import attrs

    return {
        "parties": list(found.parties),
        "roles": list(found.roles),
        "standings": [attrs.asdict(each) for each in found.standings],
        "leaks": [attrs.asdict(each) for each in found.leaks],
        "findings": {",".join(members): finding for members, finding in found.coalitions()},
        "by_class": [
            {"members": dict(zip(found.role_names, counts, strict=True)), "findings": findings}
            for counts, findings in found.by_class().items()
        ],
        "judged": found.judged,
        "undecided": found.undecided,
    }


def _print(out: "Console", seed: int, found: "EveryCoalition", users: Sequence[str]) -> None:
    from simnet.adversary.words import sets_in_words
    from simnet.cli.grid import Grid

    names = found.parties
    were = "was" if found.judged == 1 else "were"
    out.print(
        f"{count_of(found.judged, 'coalition')} of {len(names)} parties {were} judged (seed "
        f"{seed}): what they learn from secret shares"
    )
    role_of = dict(zip(names, found.roles, strict=True))
    table = Grid("party", "exposed by", "not exposed by", "touched by")
    for standing in found.standings:
        if users and standing.party not in users:
            continue
        others = [name for name in names if name != standing.party]
        table.add_row(
            standing.party,
            *(
                sets_in_words(sets, others, role_of)
                for sets in (standing.exposing, standing.unexposing, standing.touching)
            ),
        )
    out.print(table)
    for_good = [leak.coalition for leak in found.leaks if not leak.undone_by]
    if for_good:
        out.print(
            "minimal coalitions that learn more than their output: "
            f"{sets_in_words(for_good, names, role_of, braces=True)}"
        )
    undone = [leak for leak in found.leaks if leak.undone_by]
    for leak in undone[:SHOWN]:
        who, joining = ", ".join(leak.coalition), " or ".join(leak.undone_by)
        out.print(f"{{{who}}} learns more than its output, but no longer if {joining} joins")
    if len(undone) > SHOWN:
        more = len(undone) - SHOWN
        out.print(f"and {count_of(more, 'more such coalition')}")
    if not found.leaks and not found.undecided:
        out.print("no coalition learns more than its output")
    _print_classes(out, found)
    _print_unknown(out, found, users)


def _print_unknown(out: "Console", found: "EveryCoalition", users: Sequence[str]) -> None:
    if found.undecided:
        verdicts = "verdict is" if found.undecided == 1 else "verdicts are"
        out.print(
            f"{found.undecided:,} {verdicts} undecided: these coalitions are missing from the "
            "lists of coalitions that learn more than their output",
            style="yellow",
        )
    shown = [each for each in found.standings if not users or each.party in users]
    for verb, counts in (
        ("expose", {each.party: each.may_expose for each in shown}),
        ("touch", {each.party: each.may_touch for each in shown}),
    ):
        numbers = [f"{count:,} for {party}" for party, count in counts.items() if count]
        if numbers:
            out.print(
                f"of some coalitions it is not known whether they {verb} a party; the table leaves "
                f"them out ({', '.join(numbers)})",
                style="yellow",
            )


def _print_classes(out: "Console", found: "EveryCoalition") -> None:
    from simnet.cli.grid import Grid

    table = Grid(*found.role_names, "coalitions", "what they learn")
    for counts, findings in found.by_class().items():
        words = [
            FINDINGS[finding] if len(findings) == 1 else f"{count} {FINDINGS[finding]}"
            for finding, count in sorted(findings.items())
        ]
        table.add_row(*map(str, counts), f"{findings.total():,}", ", ".join(words))
    out.print()
    out.print(table)
