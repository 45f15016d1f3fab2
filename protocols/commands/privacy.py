"""`simnet privacy`: exact ε and δ of views, and what follows from them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from simnet.cli.options import JsonFile, whole_numbers
from simnet.errors import BadInput

if TYPE_CHECKING:
    from protocols.privacy.statement import Statement

WIDE = 130  # characters, from which on a table has room for what is claimed
Counts = Annotated[str, Parameter(allow_leading_hyphen=True)]

privacy = App(
    name="privacy",
    help_format="plaintext",
    help="""Exact privacy: the δ of an ε or the ε of a δ for a named view; papers' claims; parameters for a target.

Examples:
  simnet privacy dpcs --counts 33,40,200 --participation 0.39 --epsilon 0.5 --relation remove
  simnet privacy dpcs --counts 33,40,200 --participation 0.39 --delta 1e-6
  simnet privacy tss-s1 --items 30 --reported 12 --gamma 2 --participation 0.5
  simnet privacy claims --users 1000 --items 30 --beta 0.033 --epsilon 0.5
""",
)


def _refusing(make: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """The same, with what a formula refuses as bad input."""
    try:
        return make(*given, **named)
    except (ValueError, TypeError) as error:
        raise BadInput(str(error)) from error


def _show(statements: list["Statement"], json: str | None, many: bool = False) -> int:
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    print_privacy(console(json), statements)
    found = [one.as_json() for one in statements]
    write_json(found if many else found[0], json)
    return 0


@privacy.command(name=("dpcs", "dpds"))
def dpcs(
    *,
    counts: Counts,
    participation: float,
    epsilon: float | None = None,
    delta: float | None = None,
    relation: str = "replace",
    colluders: int = 0,
    dropped: int = 0,
    json: JsonFile = None,
) -> int:
    """What the server of DPCS or DPDS can tell of one user, from the counts of the sampled users.

    Parameters
    ----------
    counts
        How many users hold each item, separated by commas; or lower bounds on that.
    participation
        Chance p that a user takes part.
    epsilon
        Asks for δ at this ε.
    delta
        Asks for ε at this δ.
    relation
        `remove`: the user takes no part; `replace`: its item becomes another.
    colluders
        Users who tell the server whether they were active.
    dropped
        Users who never reported.
    json
        Write JSON to this file; `-` for standard output.
    """
    from protocols.privacy.views import server_of_sampling

    held = whole_numbers("--counts", counts)
    return _show([
        _refusing(
            server_of_sampling, held, participation, relation, epsilon=epsilon, delta=delta, colluders=colluders,
            dropped=dropped,
        )
    ], json)  # fmt: skip


@privacy.command(name="tss")
def tss(
    *,
    counts: Counts,
    participation: float,
    reported: int,
    gamma: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    json: JsonFile = None,
) -> int:
    """What S2 and S1 of TSS can tell of one user: a list of statements, for both relations.

    Of S2's whole view DPDS's profile is a bound; with up to 4 users every coin is played out too.

    Parameters
    ----------
    counts
        How many users hold each item, separated by commas; or lower bounds on that.
    participation
        Chance p that a user takes part.
    reported
        How many items a user reports on, k = αN.
    gamma
        Weight of the adaptive law of reporting sets; uniform when left out.
    epsilon
        The ε at which δ is stated; -ln(1 - p) when left out.
    delta
        The δ at which ε is stated; 1e-6 when left out.
    json
        Write JSON to this file; `-` for standard output.
    """
    from protocols.privacy.enumerated import TINY, s2_enumerated
    from protocols.privacy.views import tss_run

    held = whole_numbers("--counts", counts)
    statements = _refusing(tss_run, held, participation, reported, gamma, epsilon, delta)
    if 2 <= sum(held) <= TINY:
        statements.insert(0, _refusing(s2_enumerated, held, participation, reported, gamma, statements[0].epsilon))
    return _show(statements, json, many=True)


@privacy.command(name="tss-s1")
def tss_s1(
    *, items: int, reported: int, participation: float, gamma: float | None = None, json: JsonFile = None
) -> int:
    """What S1 of TSS can tell of one user from its reporting set: the exact ε, and log γ as the paper bounds it.

    Parameters
    ----------
    items
        Number of items, N.
    reported
        How many items a user reports on, k = αN.
    participation
        Chance p that a user takes part.
    gamma
        Weight of the adaptive law of reporting sets; uniform when left out.
    json
        Write JSON to this file; `-` for standard output.
    """
    from protocols.privacy.views import s1_of_tss

    return _show([_refusing(s1_of_tss, items, reported, participation, gamma)], json)


@privacy.command(name="dpdg")
def dpdg(
    *,
    users: int,
    epsilon: float,
    delta: float,
    calibration: str = "classic",
    noise_share: str = "exact",
    colluders: int = 0,
    dropped: int = 0,
    json: JsonFile = None,
) -> int:
    """What the server of DPDG can tell of one user when some collude with it and some dropped out.

    Parameters
    ----------
    users
        Number of users, n, all of whom were to add noise.
    epsilon
        The ε that the noise is calibrated for.
    delta
        The δ that the noise is calibrated for.
    calibration
        `classic` or `analytic`.
    noise_share
        `exact`, or `as-printed` for what the paper prints.
    colluders
        Users who take their noise off.
    dropped
        Users whose noise never arrived.
    json
        Write JSON to this file; `-` for standard output.
    """
    from protocols.privacy.views import noisy_run
    from simnet.cli.output import console

    statements, factor = _refusing(noisy_run, users, epsilon, delta, calibration, noise_share, colluders, dropped)
    status = _show(statements, json, many=True)
    if factor > 1:
        console(json).print(f"Each user's variance times {factor:.6g} would make up for those {colluders + dropped}.")
    return status


@privacy.command(name="claims")
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
    """The papers' claims at these parameters, each beside the exact value, and whether it holds there.

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

    setting = _refusing(Setting, users, items, beta, epsilon, z, delta, reported, gamma)
    found = judged(setting)
    out = console(json)
    wide = out.width >= WIDE
    table = Table("claim", *(["what"] if wide else []), "claimed", "exact", "", box=None, pad_edge=False)
    for one in found:
        holds = {True: "[green]holds", False: "[bold red]fails", None: "silent here"}[one.holds]
        table.add_row(Text(one.claim), *([Text(one.statement)] if wide else []), *map(Text, one.in_words()), holds)
    out.print(table)
    write_json([one.as_json() for one in found], json)
    return 0


@privacy.command(name="participation")
def participation(
    *, counts: Counts, epsilon: float, delta: float, relation: str = "replace", json: JsonFile = None
) -> int:
    """The largest participation p of DPDS that meets (ε, δ) exactly.

    Parameters
    ----------
    counts
        How many users hold each item, separated by commas; or lower bounds on that.
    epsilon
        The ε to meet.
    delta
        The δ to meet.
    relation
        `remove` or `replace`.
    json
        Write JSON to this file; `-` for standard output.
    """
    from protocols.privacy.choosing import largest_participation
    from protocols.privacy.views import server_of_sampling
    from simnet.cli.output import console, write_json

    held = whole_numbers("--counts", counts)
    p = _refusing(largest_participation, held, relation, epsilon, delta)
    stated = server_of_sampling(held, p, relation, epsilon=epsilon)  # type: ignore[arg-type]
    console(json).print(f"participation {p:.12g} at most, assuming {stated.assumption}")
    write_json({"participation": p, **stated.as_json()}, json)
    return 0


@privacy.command(name="users")
def users_needed(
    *, share: float, participation: float, epsilon: float, delta: float, relation: str = "replace",
    json: JsonFile = None,
) -> int:  # fmt: skip
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
    from protocols.privacy.choosing import fewest_holders, fewest_users
    from simnet.cli.output import console, write_json

    holders = _refusing(fewest_holders, participation, relation, epsilon, delta)
    needed = _refusing(fewest_users, share, holders)
    console(json).print(f"{needed:,} users at least, so that every item has {holders:,} holders")
    write_json({"users": needed, "holders": holders, "relation": relation, "epsilon": epsilon, "delta": delta}, json)
    return 0


@privacy.command(name="advise")
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
    """Which protocol at equal exact privacy (replacement): error, bytes a user sends, and who must be trusted.

    Example: `simnet privacy advise --users 10000 --items 30 --epsilon 0.5 --delta 1e-6 --budget 20000`.

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

    from protocols.privacy.advice import Question
    from protocols.privacy.advice import advise as options_for
    from simnet.cli.output import console, write_json

    question = _refusing(Question, users, items, epsilon, delta, float("inf") if budget is None else budget, rarest)
    options = _refusing(options_for, question)
    table = Table(
        "protocol", "parameters", "squared L2", "bytes a user", "", "must not collude", box=None, pad_edge=False
    )
    for one in options:
        fits = "" if one.fits else "[bold red]too many"
        table.add_row(one.protocol, one.parameters, f"{one.error:.3e}", f"{one.bytes:,.0f}", fits, one.trusts)
    out = console(json)
    out.print(table)
    out.print(
        f"\nAll meet ε = {epsilon:g}, δ = {delta:g} exactly, when one user's item is replaced. dpds and tss assume"
    )
    out.print(f"{question.holders:,} holders of every item or more, dpdg and local mechanisms nothing of the data.")
    write_json([attrs.asdict(one) for one in options], json)
    return 0
