"""`simnet privacy claims`, `participation`, `users`, `advise`: what follows from exact privacy."""

from protocols.commands.refusing import Counts, refusing
from simnet.cli.options import JsonFile, whole_numbers

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
    from rich.table import Table
    from rich.text import Text

    from protocols.privacy.claims.all_claims import judged
    from protocols.privacy.claims.claim import Setting
    from simnet.cli.output import console, write_json

    setting = refusing(Setting, users, items, beta, epsilon, z, delta, reported, gamma)
    found = judged(setting)
    out = console(json)
    wide = out.width >= WIDE
    table = Table(
        "claim", *(["what"] if wide else []), "claimed", "exact", "", box=None, pad_edge=False
    )
    for one in found:
        holds = {True: "[green]holds", False: "[bold red]fails", None: "silent here"}[one.holds]
        table.add_row(
            Text(one.claim),
            *([Text(one.statement)] if wide else []),
            *map(Text, one.in_words()),
            holds,
        )
    out.print(table)
    write_json([one.as_json() for one in found], json)
    return 0


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
        Write JSON to this file; `-` for standard output.
    """
    from protocols.advice.choosing import largest_participation
    from protocols.privacy.views import server_of_sampling
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    held = whole_numbers("--counts", counts)
    p = refusing(largest_participation, held, relation, epsilon, delta)
    stated = server_of_sampling(held, p, relation, epsilon=epsilon)  # type: ignore[arg-type]
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
        Write JSON to this file; `-` for standard output.
    """
    from protocols.advice.choosing import fewest_holders, fewest_users
    from protocols.privacy.views import server_of_sampling
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    holders = refusing(fewest_holders, participation, relation, epsilon, delta)
    needed = refusing(fewest_users, share, holders, relation)
    stated = server_of_sampling([holders] * 2, participation, relation, epsilon=epsilon)  # type: ignore[arg-type]
    out = console(json)
    out.print(f"{needed:,} users at least, so that every item has {holders:,} holders; then")
    print_privacy(out, [stated])
    write_json({"users": needed, "holders": holders, **stated.as_json()}, json)
    return 0


def advise(
    *,
    users: int,
    items: int,
    epsilon: float,
    delta: float,
    budget: float | None = None,
    rarest: int | None = None,
    json: JsonFile = None,
) -> int:
    """Which protocol at equal exact privacy (replacement): error, bytes a user sends, and who must
    be trusted.

    Example: `simnet privacy advise --users 10000 --items 30 --epsilon 0.5 --delta 1e-6 --budget
    20000`.

    Parameters
    ----------
    users
        Number of users, n.
    items
        Number of items, N.
    epsilon
        The ε to meet.
    delta
        The δ to meet; local mechanisms meet it with 0.
    budget
        Bytes that a user may send; no limit when left out.
    rarest
        How many users at least hold every item; evenly spread when left out.
    json
        Write JSON to this file; `-` for standard output.
    """
    import attrs
    from rich.table import Table

    from protocols.advice.advice import Question
    from protocols.advice.advice import advise as options_for
    from simnet.cli.output import console, write_json

    question = refusing(
        Question, users, items, epsilon, delta, float("inf") if budget is None else budget, rarest
    )
    options = refusing(options_for, question)
    columns = "protocol", "parameters", "squared L2", "bytes a user", "", "must not collude"
    table = Table(*columns, box=None, pad_edge=False)
    for one in options:
        fits = "" if one.fits else "[bold red]too many"
        table.add_row(
            one.protocol, one.parameters, f"{one.error:.3e}", f"{one.bytes:,.0f}", fits, one.trusts
        )
    out = console(json)
    out.print(table)
    out.print(
        f"\nWhen one user's item is replaced, dpds, tss and dpdg meet ε = {epsilon:g}, δ = "
        f"{delta:g} exactly, local "
        f"mechanisms ε with δ = 0. dpds and tss assume {question.holders:,} holders of "
        f"every item or more, the others "
        "nothing of the data."
    )
    write_json([attrs.asdict(one) for one in options], json)
    return 0
