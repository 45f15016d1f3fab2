"""`simnet privacy participation`, `users` and `advise`: which parameters meet a privacy target."""

from protocols.commands.holdings import ItemsOfFile, rarest_item
from protocols.commands.refusing import Counts, call_or_refuse
from simnet.cli.options import JsonFile, whole_numbers
from simnet.errors import BadInput


def participation(
    *,
    counts: Counts,
    epsilon: float,
    delta: float,
    relation: str = "replace",
    json: JsonFile = None,
) -> int:
    """The largest participation p of DPDS that meets (ε, δ) exactly.

    Parameters
    ----------
    counts
        How many users hold each item, separated by commas, or lower bounds; a 0 says that nobody
        does.
    epsilon
        The ε to meet.
    delta
        The δ to meet.
    relation
        `remove` or `replace`.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.advice.choosing import largest_participation
    from protocols.privacy.count_statements import server_of_sampling
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    holders = whole_numbers("--counts", counts)
    p = call_or_refuse(largest_participation, holders, relation, epsilon, delta)
    stated = server_of_sampling(holders, p, relation, epsilon=epsilon)  # type: ignore[arg-type]
    out = console(json)
    out.print(f"participation {p} at most; then")
    print_privacy(out, [stated])
    write_json({"participation": p, **stated.as_json()}, json)
    return 0


def users_needed(
    *,
    share: float,
    participation: float,
    epsilon: float,
    delta: float,
    relation: str = "replace",
    json: JsonFile = None,
) -> int:
    """How many users DPDS needs to meet (ε, δ) exactly.

    Parameters
    ----------
    share
        Share of the users who hold the rarest item, at least.
    participation
        Chance p that a user takes part.
    epsilon
        The ε to meet.
    delta
        The δ to meet.
    relation
        `remove` or `replace`.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.advice.choosing import fewest_holders, fewest_users
    from protocols.privacy.count_statements import server_of_sampling
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    holders = call_or_refuse(fewest_holders, participation, relation, epsilon, delta)
    needed = call_or_refuse(fewest_users, share, holders, relation)
    stated = server_of_sampling([holders] * 2, participation, relation, epsilon=epsilon)  # type: ignore[arg-type]
    out = console(json)
    out.print(f"{needed:,} users at least, so that every item has {holders:,} holders; then")
    print_privacy(out, [stated])
    write_json({"users": needed, "holders": holders, **stated.as_json()}, json)
    return 0


def advise(
    *,
    epsilon: float,
    delta: float,
    data: ItemsOfFile | None = None,
    users: int | None = None,
    items: int | None = None,
    rarest: int | None = None,
    budget: float | None = None,
    json: JsonFile = None,
) -> int:
    """Compare protocols at equal exact privacy: error, bytes a user sends, and trust.

    Privacy is that of a user whose item is replaced; trust says who must not collude. What sampling
    offers rests on the item that the fewest users hold, so it is asked for: as a number, or by a
    file.

    Examples: `simnet privacy advise --input people.csv --column city --epsilon 0.5 --delta 1e-6`,
    `simnet privacy advise --users 10000 --items 30 --rarest 90 --epsilon 0.5 --delta 1e-6`.

    Parameters
    ----------
    epsilon
        The ε to meet.
    delta
        The δ to meet; local mechanisms meet it with 0.
    data
        The users, from a file.
    users
        Number of users, n, without a file.
    items
        Number of items, N, without a file.
    rarest
        How many users at least hold every item, without a file.
    budget
        Bytes that a user may send; no limit when left out.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    import attrs
    from rich.text import Text

    from protocols.advice.advice import Question
    from protocols.advice.advice import advise as options_for
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json

    people = (data or ItemsOfFile()).population(users=users, items=items, rarest=rarest)
    basis = "as --rarest says"
    if people is not None:
        users, items = len(people.items), len(people.labels)
        label, rarest = rarest_item(people)
        basis = f"as {label!r} has in {people.source}, the rarest of {items:,} items"
    if users is None or items is None or rarest is None:
        raise BadInput(
            "what sampling offers rests on how many users hold the rarest item: give --input FILE "
            "--column COLUMN, or --users, --items and --rarest"
        )
    question = call_or_refuse(
        Question, users, items, epsilon, delta, rarest, float("inf") if budget is None else budget
    )
    options = call_or_refuse(options_for, question)
    columns = "protocol", "parameters", "squared L2", "bytes a user", "", "must not collude"
    table = Grid(*columns)
    for option in options:
        fits = Text("" if option.fits else "too many", "bold red")
        table.add_row(
            option.protocol,
            option.parameters,
            f"{option.error:.3e}",
            f"{option.bytes:,.0f}",
            fits,
            option.trusts,
        )
    out = console(json)
    out.print(table)
    out.print(
        f"\nWhen one user's item is replaced, dpds, tss and dpdg meet ε = {epsilon:g}, δ = "
        f"{delta:g} exactly, local "
        f"mechanisms ε with δ = 0. dpds and tss assume {question.rarest:,} holders of "
        f"every item or more, {basis}; the others assume nothing of the data."
    )
    write_json([attrs.asdict(option) for option in options], json)
    return 0
