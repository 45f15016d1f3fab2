"""`simnet privacy dpds`, `tss`, `tss-s1`, `dpdg` and `compose`: ε and δ of views."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from protocols.commands.refusing import Counts, call_or_refuse
from simnet.cli.options import JsonFile, whole_numbers
from simnet.errors import BadInput

if TYPE_CHECKING:
    from protocols.privacy.repeated import GroupCollections
    from simnet.stated.privacy import PrivacyStatement


def show(statements: list["PrivacyStatement"], json: str | None, many: bool = False) -> int:
    """Print privacy statements, and write the first one as JSON, or with `many` a list of all."""
    from simnet.cli.output import console, write_json
    from simnet.cli.privacy import print_privacy

    print_privacy(console(json), statements)
    records = [statement.as_json() for statement in statements]
    write_json(records if many else records[0], json)
    return 0


def dpds(
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
    """State the privacy of one user against a server that sees the counts of sampled users.

    The server of DPDS has this view, and these counts are the output of DPCS.

    For example:

    - `simnet privacy dpds --counts 100,200,700 --participation 0.3 --delta 1e-6`

    Parameters
    ----------
    counts
        The number of users who hold each item, separated by commas. Lower bounds above 0 are
        allowed; 0 says that nobody holds the item.
    participation
        The probability p that a user takes part.
    epsilon
        State δ at this ε.
    delta
        State ε at this δ.
    relation
        The neighbouring inputs: with `remove` the user does not take part, with `replace` the
        user has another item.
    colluders
        The number of users who tell the server whether they took part.
    dropped
        The number of users who never reported.
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
    """State the privacy of one user against S2 and against S1 of TSS.

    The privacy against S2 is stated for both relations of neighbouring inputs, remove and replace,
    and the privacy against S1 for replace. With a single item, the privacy against S2 is stated for
    remove only.

    For S2's whole view the profile of DPDS is a bound; for the published counts alone the command
    states the exact privacy. In tiny instances, where users times items is at most 9, the command
    also plays out every coin, and states S2's exact δ for replace. This needs at least two users
    and two items.

    For example:

    - `simnet privacy tss --counts 100,200,700 --participation 0.3 --reported 2`

    Parameters
    ----------
    counts
        The number of users who hold each item, separated by commas. Lower bounds above 0 are
        allowed; 0 says that nobody holds the item.
    participation
        The probability p that a user takes part.
    reported
        The number of items that a user reports on, k = αN.
    gamma
        The weight γ of the adaptive law of reporting sets. Without this option the law is uniform.
    epsilon
        State δ at this ε; by default -ln(1 - p), or 700 if p is 1.
    delta
        State ε at this δ; 1e-6 by default.
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
    """State the privacy of one user against S1 of TSS, which sees the user's reporting set.

    With γ, the exact ε stands beside log γ, the paper's bound.

    For example:

    - `simnet privacy tss-s1 --items 30 --reported 12 --participation 0.3 --gamma 2`

    Parameters
    ----------
    items
        The number of items, N.
    reported
        The number of items that a user reports on, k = αN.
    participation
        The probability p that a user takes part.
    gamma
        The weight γ of the adaptive law of reporting sets. Without this option the law is uniform.
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
    """State the privacy of one user against the server of DPDG, with collusion and drop-outs.

    For example:

    - `simnet privacy dpdg --users 1000 --epsilon 0.5 --delta 1e-6 --colluders 300 --dropped 100`

    Parameters
    ----------
    users
        The number of users, n, who were expected to add noise.
    epsilon
        The ε for which the noise is calibrated.
    delta
        The δ for which the noise is calibrated.
    calibration
        How the noise follows from ε and δ: `classic` or `analytic`.
    noise_share
        `exact`, or `as-printed` for the share that the paper prints, which is too small.
    colluders
        The number of users who tell the server their noise.
    dropped
        The number of users whose noise never arrived.
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
            f"If each user's variance is multiplied by {factor:.6g}, the noise of the others "
            "makes up for that of the colluders and of the users who dropped out."
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
    """State the privacy of one user against a server that sees several collections of DPDS.

    Each collection is of one group to which the user belongs; there may be several groups.

    For example:

    - `simnet privacy compose --group 33,40,200@0.1x12 --delta 1e-6` for twelve collections from one
      population
    - `simnet privacy compose --group 33,40@0.1x5 --group 80,90@0.2 --delta 1e-6` for a user in two
      groups

    Parameters
    ----------
    group
        One group: the number of holders of each item, then `@` and the participation, then `x` and
        the number of collections, which is 1 if it is left out. For example, `33,40,200@0.1x12`.
        Give the option once for each group.
    epsilon
        State δ at this ε.
    delta
        State ε at this δ.
    relation
        The neighbouring inputs: with `remove` the user does not take part, with `replace` the
        user has another item.
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
    from protocols.privacy.repeated import GroupCollections

    counts, _, rest = text.partition("@")
    participation, _, times = rest.partition("x")
    try:
        chance, number = float(participation), int(times or "1")
    except ValueError:
        raise BadInput(
            "--group takes COUNTS@PARTICIPATION, or COUNTS@PARTICIPATIONxCOLLECTIONS, such as "
            f"33,40@0.1x12, got {text!r}"
        ) from None
    collections: GroupCollections = call_or_refuse(
        GroupCollections, whole_numbers("--group", counts), chance, number
    )
    return collections
