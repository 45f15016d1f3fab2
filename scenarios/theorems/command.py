"""`simnet privacy claims`: what the papers claim, beside what is exact."""

from protocols.commands.holdings import ItemsOfFile, rarest_item
from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import JsonFile
from simnet.errors import BadInput

WIDE = 130  # characters, from which on a table has room for what is claimed


def claims(
    *,
    epsilon: float,
    data: ItemsOfFile | None = None,
    users: int | None = None,
    items: int | None = None,
    beta: float | None = None,
    z: float | None = None,
    delta: float = 1e-5,
    reported: int | None = None,
    gamma: float = 2.0,
    json: JsonFile = None,
) -> int:
    """The papers' claims at these parameters, each beside the exact value, and whether it holds
    there.

    Exit status 0 whatever it finds. The largest β that fits data is the share of the item that the
    fewest users hold: `--input people.csv --column city` takes it from there.

    Parameters
    ----------
    epsilon
        Budget ε.
    data
        The users, from a file.
    users
        Number of users, n, without a file.
    items
        Number of items, N, without a file.
    beta
        Every item has at least β n holders; with a file, the largest β that fits it when left out.
    z
        The z of Theorem 3.2, which claims nothing without it.
    delta
        Delta of DPDG.
    reported
        How many items a user of TSS reports on; two fifths of the items when left out.
    gamma
        Weight of the adaptive law of reporting sets.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from rich.text import Text

    from scenarios.theorems.all_claims import judged
    from scenarios.theorems.claim import Setting
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json

    people = (data or ItemsOfFile()).population(users=users, items=items)
    if people is not None:
        users, items = len(people.items), len(people.labels)
    if users is None or items is None or (beta is None and people is None):
        raise BadInput(
            "claims are about users, items and the share β that holds the rarest of them at least: "
            "give --input FILE --column COLUMN, or --users, --items and --beta"
        )
    if people is not None:
        label, rarest = rarest_item(people)
        largest = rarest / users
        basis = f"{label!r} has {rarest:,} of {users:,} users in {people.source}, the fewest"
        if beta is not None and beta > largest:
            raise BadInput(f"β is at most {largest:.6g}, as {basis}; got {beta:g}")
        beta = largest if beta is None else beta
    setting = call_or_refuse(Setting, users, items, beta, epsilon, z, delta, reported, gamma)
    fitting = (
        f"β = {setting.beta:g} fits data in which every item has {setting.rarest:,} holders or "
        f"more; --input FILE --column COLUMN says which β fits a file."
        if people is None
        else f"β fits the data up to {largest:.6g}, as {basis}; judged is {setting.beta:.6g}."
    )
    found = call_or_refuse(judged, setting)
    out = console(json)
    out.print(fitting + "\n")
    wide = out.width >= WIDE
    table = Grid("claim", *(["what"] if wide else []), "claimed", "exact", "")
    for one in found:
        holds = {
            True: Text("holds", "green"),
            False: Text("fails", "bold red"),
            None: Text("silent here" if one.claimed is None else "not judged here"),
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
