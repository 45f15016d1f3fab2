"""`simnet privacy participation`, `users` and `advise`: parameters that meet a privacy target."""

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
    """Find the largest participation p with which DPDS meets (ε, δ) exactly.

    For example:

    - `simnet privacy participation --counts 100,200,700 --epsilon 1 --delta 1e-6`

    Parameters
    ----------
    counts
        The number of users who hold each item, separated by commas. Lower bounds are allowed;
        0 says that nobody holds the item.
    epsilon
        The ε to meet.
    delta
        The δ to meet.
    relation
        The neighbouring inputs: with `remove` the user does not take part, with `replace` the
        user has another item.
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
    """Find the smallest number of users with which DPDS meets (ε, δ) exactly.

    For example:

    - `simnet privacy users --share 0.01 --participation 0.3 --epsilon 1 --delta 1e-6`

    Parameters
    ----------
    share
        The share of the users who hold the rarest item; a lower bound is enough.
    participation
        The probability p that a user takes part.
    epsilon
        The ε to meet.
    delta
        The δ to meet.
    relation
        The neighbouring inputs: with `remove` the user does not take part, with `replace` the
        user has another item.
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
    """Compare protocols at equal exact privacy: error, bytes that a user sends, and trust.

    Privacy means here that one user's item is replaced. The last column says which parties must not
    collude. The privacy of sampling depends on the item that the fewest users hold. So the command
    needs the number of its holders, or a file from which it can count them.

    For example:

    - `simnet privacy advise --input people.csv --column city --epsilon 0.5 --delta 1e-6`
    - `simnet privacy advise --users 10000 --items 30 --rarest 90 --epsilon 0.5 --delta 1e-6`

    Parameters
    ----------
    epsilon
        The ε to meet.
    delta
        The δ to meet; local mechanisms meet the ε with δ = 0.
    data
        The users, from a file.
    users
        The number of users, n, if no file is given.
    items
        The number of items, N, if no file is given.
    rarest
        The number of users who hold the rarest item, if no file is given; a lower bound is enough.
    budget
        The number of bytes that a user may send. Without this option there is no limit.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    import attrs
    from rich.text import Text

    from protocols.advice.advice import NOT_TWO, Question
    from protocols.advice.advice import advise as options_for
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json

    people = (data or ItemsOfFile()).population(users=users, items=items, rarest=rarest)
    basis = "as --rarest says"
    if people is not None:
        users, items = len(people.items), len(people.labels)
        label, rarest = rarest_item(people)
        basis = f"as many as hold {label!r} in {people.source}, the rarest of {items:,} items"
    if users is None or items is None or rarest is None:
        raise BadInput(
            "the privacy of sampling depends on the number of users who hold the rarest item: give "
            "--input FILE --column COLUMN, or --users, --items and --rarest"
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
        f"\nIf one user's item is replaced, dpds, tss and dpdg meet ε = {epsilon:g} and δ = "
        f"{delta:g} exactly, and local mechanisms meet this ε with δ = 0. dpds and tss assume "
        f"that every item has at least {question.rarest:,} holders, {basis}. The others assume "
        f"nothing about the data. The last column names the parties that must not collude."
    )
    if any(option.trusts == NOT_TWO for option in options):
        out.print(
            "In tss, the shares show S1 with S2, or S2 with a few users, only the output. But "
            "these coalitions know who reports on an item. So one user hides among fewer others, "
            "and this δ does not hold against them. All users elected for an item together read "
            "the answers of its reporters."
        )
    write_json([attrs.asdict(option) for option in options], json)
    return 0
