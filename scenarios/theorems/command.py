"""The command `simnet privacy claims`: claims of the papers beside the exact numbers."""

from protocols.commands.holdings import ItemsOfFile, rarest_item
from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import JsonFile
from simnet.errors import BadInput
from simnet.printable import count_of

WIDE = 130  # if a line has this many characters, the table also shows the claims' statements


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
    """Show claims of the papers, most of them for these parameters, beside the exact numbers and
    whether the claims hold.

    The bounds R1 to R4 on δ are this project's own. The exit status is 0 whether claims hold or
    fail. β is at most the share of the users who hold the rarest item: `--input people.csv --column
    city` reads this share from the data.

    Example: `simnet privacy claims --users 1000 --items 30 --beta 0.033 --epsilon 0.5`.

    Parameters
    ----------
    epsilon
        Budget ε.
    data
        Read the users' items from a file.
    users
        The number of users n, if there is no file.
    items
        The number of items N, if there is no file.
    beta
        β: every item has at least β n holders. The default is the largest β that fits the file.
    z
        The z of Theorem 3.2; without z the theorem claims nothing.
    delta
        The δ of DPDG.
    reported
        The number of items that a user of TSS reports on; by default two fifths of the items,
        rounded, and at least 1.
    gamma
        The weight γ of adaptive reporting sets.
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
            "claims depend on the number of users, the number of items, and β, the least "
            "share of the users who hold an item: give --input FILE --column COLUMN, or "
            "--users, --items and --beta"
        )
    if people is not None:
        label, rarest = rarest_item(people)
        largest = rarest / users
        basis = (
            f"the rarest item, {label!r}, belongs to {rarest:,} of {users:,} users in "
            f"{people.source}"
        )
        if beta is not None and beta > largest:
            raise BadInput(f"β is at most {largest}, as {basis}; got {beta}")
        beta = largest if beta is None else beta
    setting = call_or_refuse(Setting, users, items, beta, epsilon, z, delta, reported, gamma)
    holders = count_of(setting.rarest, "holder")
    fitting = (
        f"β = {setting.beta:g} fits data in which every item has {holders} or "
        f"more; --input FILE --column COLUMN says which β fits a file."
        if people is None
        else f"β fits the data up to {largest}, as {basis}. The claims are judged for "
        f"β = {setting.beta}."
    )
    found = call_or_refuse(judged, setting)
    out = console(json)
    out.print(fitting + "\n")
    wide = out.width >= WIDE
    more = ["statement"] if wide else []
    table = Grid("claim", *more, "quantity", "claimed", "exact", "holds?")
    for one in found:
        holds = {
            True: Text("holds", "green"),
            False: Text("fails", "bold red"),
            None: Text("not judged here"),
        }[one.holds]
        table.add_row(
            Text(one.claim),
            *([Text(one.statement)] if wide else []),
            Text(one.quantity),
            *map(Text, one.in_words()),
            holds,
        )
    out.print(table)
    write_json([one.as_json() for one in found], json)
    return 0
