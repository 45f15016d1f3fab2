"""`simnet coalitions`."""

from collections import Counter
from collections.abc import Sequence
from math import comb, prod
from typing import TYPE_CHECKING

from simnet.cli.options import DropOuts, JsonFile, Settings, settings_of

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.adversary.every_coalition import EveryCoalition
    from simnet.kernel.run import Run
    from simnet.stated.about import About

SHOWN = 4  # so many coalitions of a list are shown


def coalitions(
    protocol: str,
    /,
    *,
    set_: Settings = None,
    seed: int = 0,
    drop: DropOuts = None,
    json: JsonFile = None,
) -> None:
    """Judge every coalition of a small run: whom it exposes, and whom it learns something about.

    A coalition *exposes* a party if it determines a function of this party's secrets alone. It
    *touches* a party if it determines a function in which a secret of the party occurs, for example
    a sum. For every party, the table has the minimal coalitions that expose or touch it, and the
    maximal ones that do not expose it. Then come the minimal coalitions that learn more than their
    output. All this is about secret shares, in one run with at most 12 parties.

    For example:

    - `simnet coalitions dpds --users 4 --items 2`
    - `simnet coalitions dpds_shamir --users 5 --items 1 --sharing shamir:3`
    - `simnet coalitions tss --users 6 --items 3 --seed 4`

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
        The seed of the run.
    drop
        Let parties drop out: `0.1`, or `u3@share` (see `simnet run --help`).
    json
        Write the result as JSON to this file; `-` writes it to standard output. It lists all
        coalitions.
    """
    import attrs

    from simnet.adversary.every_coalition import MOST_PARTIES, every_coalition
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.scenario.find import find
    from simnet.scenario.verify import played

    scenario = find(protocol)[1].with_settings(settings_of(set_))
    made = scenario.build(scenario.users, scenario.items)
    parties = len(made.parties())
    if parties > MOST_PARTIES:
        raise BadInput(
            f"this run has {parties} parties, and all coalitions are judged of at most "
            f"{MOST_PARTIES}: choose fewer --users, or use simnet breaking"
        )
    done = played(scenario, seed, drop=drop or ())
    with progress_bar("coalitions", 2**parties - 1, announces=True) as progress:
        found = every_coalition(done, scenario.described(made), progress)
    out = console(json)
    _print(out, done, scenario.described(made), found)
    write_json(attrs.asdict(found), json)


def _print(out: "Console", done: "Run", about: "About", found: "EveryCoalition") -> None:
    from simnet.cli.grid import Grid
    from simnet.scenario.drops import outcome_in_words

    for sentence in outcome_in_words(done, about):
        out.print(sentence, style="yellow")
    names = found.parties
    out.print(
        f"{found.judged:,} coalitions of {len(names)} parties were judged (seed "
        f"{done.seed}): what they learn from secret shares"
    )
    role_of = {name: seat.role for name, seat in zip(names, done.roster.seats, strict=True)}
    table = Grid("party", "exposed by", "not exposed by", "touched by")
    for standing in found.standings:
        others = [name for name in names if name != standing.party]
        table.add_row(
            standing.party,
            *(
                in_words(sets, others, role_of)
                for sets in (standing.exposing, standing.unexposing, standing.touching)
            ),
        )
    out.print(table)
    for_good = [leak.coalition for leak in found.leaks if not leak.undone_by]
    if for_good:
        out.print(f"learn more than their output: {in_words(for_good, names, role_of)}")
    undone = [leak for leak in found.leaks if leak.undone_by]
    for leak in undone[:SHOWN]:
        who, joining = ", ".join(leak.coalition), " or ".join(leak.undone_by)
        out.print(f"learns more than its output: {who}; no longer if {joining} joins")
    if len(undone) > SHOWN:
        out.print(f"and {len(undone) - SHOWN:,} more such coalitions")
    if not found.leaks:
        out.print("no coalition learns more than its output")
    if found.undecided:
        out.print(
            f"{found.undecided:,} verdicts are undecided: such a coalition is in no list",
            style="yellow",
        )


def in_words(sets: Sequence[Sequence[str]], others: Sequence[str], role_of: dict[str, str]) -> str:
    """Return a list of coalitions in words: by number and role where all of a kind are meant.

    >>> roles = {"u1": "user", "u2": "user", "u3": "user", "server": "server"}
    >>> in_words([("u1", "u2"), ("u1", "u3"), ("u2", "u3")], ["u1", "u2", "u3", "server"], roles)
    'any 2 users'
    >>> in_words([("u1", "server")], ["u1", "u2", "server"], roles)
    'u1, server'
    """
    if not sets:
        return "none"
    size_of = Counter(role_of[name] for name in others)
    kinds: dict[tuple[tuple[str, int], ...], list[Sequence[str]]] = {}
    for members in sets:
        counts = Counter(role_of[name] for name in members)
        kinds.setdefault(tuple(sorted(counts.items())), []).append(members)
    words: list[str] = []
    for kind, alike in kinds.items():
        if len(alike) > 1 and len(alike) == prod(comb(size_of[role], n) for role, n in kind):
            words.append(" with ".join(_any(role, n, size_of[role]) for role, n in kind))
        else:
            words += [", ".join(members) for members in alike]
    more = f"; and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return "; ".join(words[:SHOWN]) + more


def _any(role: str, count: int, size: int) -> str:
    if size == 1:
        return role
    if count == size:
        return f"all other {role}s"
    return f"any {role}" if count == 1 else f"any {count} {role}s"
