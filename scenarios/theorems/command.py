"""`simnet privacy claims`: what the papers claim, beside what is exact."""

from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import JsonFile

WIDE = 130  # characters, from which on a table has room for what is claimed


def claims(
    *,
    users: int,
    items: int,
    beta: float,
    epsilon: float,
    z: float | None = None,
    delta: float = 1e-5,
    reported: int | None = None,
    gamma: float = 2.0,
    json: JsonFile = None,
) -> int:
    """The papers' claims at these parameters, each beside the exact value, and whether it holds
    there.

    Exit status 0 whatever it finds.

    Parameters
    ----------
    users
        Number of users, n.
    items
        Number of items, N.
    beta
        Every item has at least β n holders.
    epsilon
        Budget ε.
    z
        The z of Theorem 3.2, which claims nothing without it.
    delta
        Delta of DPDG.
    reported
        How many items a user of TSS reports on; two fifths of the items when left out.
    gamma
        Weight of the adaptive law of reporting sets.
    json
        Write JSON to this file; `-` for standard output.
    """
    from rich.text import Text

    from scenarios.theorems.all_claims import judged
    from scenarios.theorems.claim import Setting
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json

    setting = call_or_refuse(Setting, users, items, beta, epsilon, z, delta, reported, gamma)
    found = judged(setting)
    out = console(json)
    wide = out.width >= WIDE
    table = Grid("claim", *(["what"] if wide else []), "claimed", "exact", "")
    for one in found:
        holds = {
            True: Text("holds", "green"),
            False: Text("fails", "bold red"),
            None: Text("silent here"),
        }[one.holds]
        table.add_row(
            Text(one.claim),
            *([Text(one.statement)] if wide else []),
            *map(Text, one.in_words()),
            holds,
        )
    out.print(table)
    write_json([one.as_json() for one in found], json)
    return 0
