"""`simnet privacy dpcs`, `tss`, `tss-s1`, `dpdg`: exact ε and δ of views."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from protocols.commands.refusing import Counts, call_or_refuse
from simnet.cli.options import JsonFile, whole_numbers
from simnet.errors import BadInput

if TYPE_CHECKING:
    from protocols.privacy.repeated import GroupCollections
    from simnet.stated.privacy import PrivacyStatement


def show(statements: list["PrivacyStatement"], json: str | None, many: bool = False) -> int:
    """Print statements, and write one of them, or all as a list."""
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    print_privacy(console(json), statements)
    records = [statement.as_json() for statement in statements]
    write_json(records if many else records[0], json)
    return 0


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
        How many users hold each item, separated by commas, or lower bounds; a 0 says that nobody
        does.
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
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.privacy.count_statements import server_of_sampling

    holders = whole_numbers("--counts", counts)
    return show(
        [
            call_or_refuse(
                server_of_sampling,
                holders,
                participation,
                relation,
                epsilon=epsilon,
                delta=delta,
                colluders=colluders,
                dropped=dropped,
            )
        ],
        json,
    )


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

    DPDS's profile is a bound for S2's whole view; where users times items are at most 9, every coin
    is played out too.

    Parameters
    ----------
    counts
        How many users hold each item, separated by commas, or lower bounds; a 0 says that nobody
        does.
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
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.tss.enumerated import is_tiny, s2_enumerated
    from protocols.tss.privacy import tss_run

    holders = whole_numbers("--counts", counts)
    statements = call_or_refuse(tss_run, holders, participation, reported, gamma, epsilon, delta)
    if is_tiny(holders):
        at = statements[0].epsilon
        enumerated = call_or_refuse(s2_enumerated, holders, participation, reported, gamma, at)
        statements.insert(0, enumerated)
    return show(statements, json, many=True)


def tss_s1(
    *,
    items: int,
    reported: int,
    participation: float,
    gamma: float | None = None,
    json: JsonFile = None,
) -> int:
    """What S1 of TSS can tell of one user from its reporting set.

    The exact ε stands beside log γ, which is the paper's bound.

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
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.tss.privacy import s1_of_tss

    return show([call_or_refuse(s1_of_tss, items, reported, participation, gamma)], json)


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
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.dpdg.privacy import noisy_run
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    statements, factor = call_or_refuse(
        noisy_run, users, epsilon, delta, calibration, noise_share, colluders, dropped
    )
    out = console(json)
    print_privacy(out, statements)
    if factor > 1:
        out.print(
            f"Each user's variance times {factor:.6g} would make up for those "
            f"{colluders + dropped}."
        )
    records = [statement.as_json() for statement in statements]
    write_json({**records[0], "restoring_factor": factor, "statements": records}, json)
    return 0


def compose(
    *,
    group: Annotated[list[str], Parameter(negative=())],
    epsilon: float | None = None,
    delta: float | None = None,
    relation: str = "replace",
    json: JsonFile = None,
) -> int:
    """What the server can tell of one user from several collections of DPDS.

    They are repetitions of one collection, or those of the groups that a user is in.

    Examples: `simnet privacy compose --group 33,40,200@0.1x12 --delta 1e-6` for twelve collections
    of one population, `--group 33,40@0.1x5 --group 80,90@0.2` for a user in two groups.

    Parameters
    ----------
    group
        Holders of each item, participation and number of collections, such as `33,40,200@0.1x12`;
        may be repeated.
    epsilon
        Asks for δ at this ε.
    delta
        Asks for ε at this δ.
    relation
        `remove`: the user takes no part; `replace`: its item becomes another.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.privacy.repeated import server_of_collections
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    collections = [_collection(text) for text in group]
    stated, interval = call_or_refuse(
        server_of_collections, collections, relation, epsilon=epsilon, delta=delta
    )
    out = console(json)
    print_privacy(out, [stated])
    out.print(
        f"the true {'δ' if delta is None else 'ε'} lies in {interval.low:.8g}..{interval.high:.8g}"
    )
    write_json({**stated.as_json(), "low": interval.low, "high": interval.high}, json)
    return 0


def _collection(text: str) -> "GroupCollections":
    """Return a group's collections from a text such as `33,40@0.1x12`.

    Raises `BadInput` for a text of another form.
    """
    from protocols.privacy.repeated import GroupCollections

    counts, _, rest = text.partition("@")
    participation, _, times = rest.partition("x")
    try:
        chance, number = float(participation), int(times or "1")
    except ValueError:
        raise BadInput(
            f"--group takes counts@participationxtimes, such as 33,40@0.1x12, got {text!r}"
        ) from None
    collections: GroupCollections = call_or_refuse(
        GroupCollections, whole_numbers("--group", counts), chance, number
    )
    return collections
