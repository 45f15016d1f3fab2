"""`simnet privacy participation`, `users` and `advise`: parameters that meet a privacy target."""

from protocols.commands.holdings import ItemsOfFile, rarest_item
from protocols.commands.refusing import Counts, call_or_refuse
from simnet.cli.options import JsonFile, whole_numbers
from simnet.errors import BadInput
from simnet.printable import count_of, rounded


def participation(
    *,
    counts: Counts,
    epsilon: float,
    delta: float,
    relation: str = "replace",
    json: JsonFile = None,
) -> int:
    """Find the largest participation p with which DPDS meets (ε, δ).

    For example:

    - `simnet privacy participation --counts 100,200,700 --epsilon 1 --delta 1e-6`

    Parameters
    ----------
    counts
        The number of users who hold each item, separated by commas. Lower bounds above 0 are
        allowed; 0 says that nobody holds the item.
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
    out.print(f"the largest participation is {p}; with this participation:")
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
    """Find the smallest number of users with which DPDS meets (ε, δ).

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
    # DPDS has at least two users.
    needed = max(call_or_refuse(fewest_users, share, holders, relation), 2)
    stated = server_of_sampling([holders] * 2, participation, relation, epsilon=epsilon)  # type: ignore[arg-type]
    out = console(json)
    out.print(
        f"{needed:,} users are needed, so that every item has at least "
        f"{count_of(holders, 'holder')}; with so many users:"
    )
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
    """Compare protocols at equal privacy: error, traffic, drop-outs, and trust.

    Neighbouring inputs differ in one user's item. The second table says who may drop out, and which
    parties must not collude. The privacy of sampling depends on the item that the fewest users
    hold. So the command needs the number of its holders, or a file from which it can count them.

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
        The number of bytes, without headers, that a user may send on average. Without this option
        there is no limit.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from rich.text import Text

    from protocols.advice.advice import OF_TRUST, Question, trust_in_words
    from protocols.advice.advice import advise as options_for
    from simnet.cli.grid import Grid
    from simnet.cli.output import console, sized, write_json

    people = (data or ItemsOfFile()).population(users=users, items=items, rarest=rarest)
    basis = "as --rarest says"
    if people is not None:
        users, items = len(people.items), len(people.labels)
        label, rarest = rarest_item(people)
        basis = f"as many as hold {label!r} in {people.source}, the rarest item"
    if users is None or items is None or rarest is None:
        raise BadInput(
            "the privacy of sampling depends on the number of users who hold the rarest item: give "
            "--input FILE --column COLUMN, or --users, --items and --rarest"
        )
    question = call_or_refuse(
        Question, users, items, epsilon, delta, rarest, float("inf") if budget is None else budget
    )
    options = call_or_refuse(options_for, question)
    heads = "protocol", "parameters", "squared L2", "a user sends", "messages", "at the servers"
    table = Grid(*heads, numbers=(2, 3, 4, 5))
    for option in options:
        sent = Text(f"{sized(option.bytes)}")
        if not option.fits:
            sent = Text("! ", "bold red") + sent
        table.add_row(
            option.protocol,
            option.parameters,
            f"{option.error:.2e}",
            sent,
            rounded(option.messages),
            sized(option.server_bytes),
        )
    out = console(json)
    out.print(table)
    if not all(option.fits for option in options):
        out.print("! = more bytes than --budget allows")
    trust = Grid("protocol", *OF_TRUST)
    for row in dict.fromkeys((option.protocol, *option.of_trust) for option in options):
        trust.add_row(*row)
    out.print()
    out.print(trust)
    out.print(
        f"\nIf one user's item is replaced, local mechanisms meet ε = {epsilon:g} with δ = 0, and "
        f"all others meet it with δ = {delta:g}, also if users drop out as the option says. "
        f"Options with p sample the users: they assume that every item has at least "
        f"{count_of(rarest, 'holder')}, {basis}. Options without p assume nothing about the data. "
        "The errors are those of runs in which nobody drops out."
    )
    for sentence in trust_in_words({option.protocol for option in options}):
        out.print(sentence)
    write_json([option.as_json() for option in options], json)
    return 0
