"""`simnet privacy degree` and `completes`: parameters and probabilities when users drop out."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

from protocols.commands.refusing import call_or_refuse
from simnet.cli.options import FigureFile, JsonFile
from simnet.errors import BadInput

if TYPE_CHECKING:
    from fractions import Fraction

    from protocols.privacy.completion import Completion
    from protocols.secagg.degree import Degree, Demands

LEAST = 1e-300  # a smaller probability may be computed as 0
ROUGHLY_0, ROUGHLY_1 = 1e-3, 0.9999  # beyond these, bounds are shown as 1 minus a small number


def degree(
    *,
    users: int,
    corrupt: float,
    drop: float,
    drop_law: str = "rate",
    server: str = "curious",
    security_bits: int = 40,
    correctness_bits: int = 30,
    degree: int | None = None,
    threshold: int | None = None,
    json: JsonFile = None,
) -> int:
    """Find the smallest degree of SecAgg+ with its smallest threshold, or judge given ones.

    The degree k is the number of neighbours of a user, the threshold t the number of shares that
    open one of its secrets. All probabilities are upper bounds, computed without rounding. The exit
    status is 1 if a given degree and threshold do not meet the demands.

    For example:

    - `simnet privacy degree --users 10000 --corrupt 0.1 --drop 0.1`
    - `simnet privacy degree --users 10000 --corrupt 0.1 --drop 0.1 --server lying`
    - `simnet privacy degree --users 10000 --corrupt 0.1 --drop 0.1 --degree 146 --threshold 99`

    Parameters
    ----------
    users
        The number of users, n.
    corrupt
        The largest number of users who give the server all that they see, or their share of the
        users if it is below 1.
    drop
        The rate or the share δ of users that drop out, below 1.
    drop_law
        `rate` if users drop out independently with probability δ; `bound` if at most δn users do.
    server
        `curious` if the server keeps to the protocol, `lying` if it may tell all users one wrong
        list of the users who dropped out.
    security_bits
        The probability that somebody learns too much is at most 2^-b, where b is this number.
    correctness_bits
        The probability that drop-outs abort the run is at most 2^-b, where b is this number.
    degree
        Judge this degree, which must be even, instead of finding the smallest one.
    threshold
        The threshold that belongs to this degree.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols import checks
    from protocols.secagg.degree import Demands, judge_degree, smallest_degree
    from simnet.cli.output import console, write_json

    call_or_refuse(checks.chance, "--drop", drop)
    if (degree is None) != (threshold is None):
        raise BadInput("--degree and --threshold belong together: give both, or neither")
    demands = call_or_refuse(
        Demands,
        users,
        _number_of_users(corrupt, users),
        drop,
        drop_law,
        server,
        security_bits,
        correctness_bits,
    )
    if degree is None:
        found = call_or_refuse(smallest_degree, demands)
    else:
        found = call_or_refuse(judge_degree, demands, degree, threshold)
    _print_degree(console(json), demands, found)
    write_json(_degree_json(demands, found), json)
    return 0 if found.failures.meet(demands) else 1


def _number_of_users(corrupt: float, users: int) -> int:
    from fractions import Fraction

    if 0 <= corrupt < 1:
        return int(Fraction(str(corrupt)) * users)
    if not (corrupt >= 0 and corrupt.is_integer()):  # also refuses NaN and infinity
        raise BadInput(
            f"--corrupt is a whole number of users, or their share below 1, got {corrupt:g}"
        )
    return int(corrupt)


LIMITS = (
    "The probabilities are over the random order in which the server places the users on a circle, "
    "as the protocol says, and over drop-outs if these are random. Keys must be authentic, and all "
    "users must be told the same: a server that tells different users different things can open "
    "sums over a few users."
)


def _print_degree(out: Any, demands: "Demands", found: "Degree") -> None:
    from fractions import Fraction

    from rich.text import Text

    from simnet.cli.grid import Grid

    lost = (
        f"each user drops out with probability {demands.drop_outs:g}"
        if demands.drop_law == "rate"
        else f"the number of drop-outs is at most {demands.dropped:,}"
    )
    manner = "keeps to the protocol" if demands.server == "curious" else "lies about drop-outs"
    out.print(
        f"SecAgg+ among {demands.users:,} users: the number of corrupt users is at most "
        f"{demands.corrupt:,}, {lost}, and the server {manner}"
    )
    shares = found.degree + 1
    out.print(f"degree {found.degree}, threshold {found.threshold} of {shares} shares\n")
    failures, security = found.failures, demands.security_bits + 1
    table = Grid("what may go wrong", "probability at most", "allowed", "met?")
    for words, chance, bits in (
        ("both secrets of an honest user are opened", failures.corrupt_neighbours, security),
        ("sums over two groups of users are opened", failures.cut, security),
        (
            "too few holders of a secret are left",
            failures.too_few_helpers,
            demands.correctness_bits,
        ),
    ):
        verdict = Text("yes") if chance <= Fraction(1, 1 << bits) else Text("too much", "bold red")
        table.add_row(words, _power_of_two(chance), f"2^-{bits}", verdict)
    out.print(table)
    if found.smallest_sum is not None and failures.meet(demands):
        out.print(
            f"\nIf none of these happens, the server can open one sum, which counts at least "
            f"{found.smallest_sum:,} honest users."
        )
    out.print(f"\n{LIMITS}")
    if found.threshold > found.degree:
        out.print("\nsimnet run refuses this threshold: with it nobody may drop out.")
        return
    left = (found.threshold - 0.5) / shares  # any number that the floor brings to t - 1
    out.print(
        f"\nTo run it: simnet run secagg_plus --users {demands.users} --degree {found.degree} "
        f"--left {left:.6f}"
    )


def _power_of_two(bound: "Fraction") -> str:
    """Return an upper bound on a probability as a power of 2, rounded up.

    >>> from fractions import Fraction
    >>> _power_of_two(Fraction(103, 100 * 2**41)), _power_of_two(Fraction(0))
    ('2^-40.9', '0')
    """
    from math import floor

    from protocols.secagg.degree import bits_of

    if bound == 0 or bound >= 1:
        return "0" if bound == 0 else "1"
    return f"2^-{floor(10 * bits_of(bound)) / 10:.1f}"


def _degree_json(demands: "Demands", found: "Degree") -> dict[str, Any]:
    import attrs

    from protocols.secagg.degree import bits_of

    failures = found.failures
    return {
        **attrs.asdict(demands),
        "degree": found.degree,
        "threshold": found.threshold,
        "meets_demands": failures.meet(demands),
        "bits": {
            "corrupt_neighbours": bits_of(failures.corrupt_neighbours),
            "cut": bits_of(failures.cut),
            "too_few_helpers": bits_of(failures.too_few_helpers),
        },
        "smallest_sum": found.smallest_sum,
    }


def completes(
    *,
    users: int,
    drop: float,
    threshold: int | None = None,
    degree: int | None = None,
    neighbour_threshold: int | None = None,
    corrupt: float = 0.1,
    server: str = "curious",
    members: int = 5,
    member_threshold: int = 3,
    member_drop: float = 0.0,
    runs: int = 1000,
    seed: int = 0,
    figure: FigureFile = None,
    json: JsonFile = None,
) -> int:
    """State for several protocols the probability that a run completes if users drop out at a rate.

    A user drops out with this probability, before the last message that the protocol needs from
    this user. Where no exact law is known, the command prints bounds, and simulates `--runs` runs.

    For example:

    - `simnet privacy completes --users 100 --drop 0.1`
    - `simnet privacy completes --users 1000 --drop 0.2 --threshold 501 --degree 52
      --neighbour-threshold 28`
    - `simnet privacy completes --users 100 --drop 0.1 --figure completes.png`

    Parameters
    ----------
    users
        The number of users, n.
    drop
        The probability that a user drops out.
    threshold
        The threshold t of `secagg`, and of `dpds_robust` with Shamir's sharing; more than half of
        the users by default.
    degree
        The degree k of `secagg_plus`; by default the smallest one for this rate, `--corrupt` and
        `--server`, as `simnet privacy degree` finds it.
    neighbour_threshold
        The threshold of `secagg_plus` that belongs to this degree.
    corrupt
        The number of corrupt users, or their share below 1, for which the degree is chosen.
    server
        `curious` or `lying`: the server against which the degree is chosen.
    members
        The number of members of `committee`.
    member_threshold
        The number of members who must be left at the end.
    member_drop
        The probability that a member drops out.
    runs
        The number of simulated runs of `secagg_plus`; 0 for none.
    seed
        The seed of the simulation.
    figure
        Draw the probabilities against the rate into this file (PNG, SVG or PDF; this needs
        matplotlib).
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    import attrs

    from protocols import checks
    from protocols.privacy.completion import Deployment, completions
    from simnet.cli.output import console, write_json

    call_or_refuse(checks.chance, "--drop", drop)
    call_or_refuse(checks.chance, "--member-drop", member_drop)
    if (degree is None) != (neighbour_threshold is None):
        raise BadInput("--degree and --neighbour-threshold belong together: give both, or neither")
    if runs < 0:
        raise BadInput(f"--runs is at least 0, got {runs}")
    missing = None
    if degree is None:
        degree, neighbour_threshold, missing = _chosen_degree(users, corrupt, drop, server)
    deployment = call_or_refuse(
        Deployment,
        users,
        users // 2 + 1 if threshold is None else threshold,
        degree,
        neighbour_threshold,
        members,
        member_threshold,
        member_drop,
    )
    found = call_or_refuse(completions, deployment, drop, runs, seed)
    if figure is not None:
        from protocols.privacy.completion_drawing import draw_completion

        draw_completion(deployment, drop, figure)
    out = console(json)
    _print_completions(out, found)
    out.print(
        f"\nMembers of the committee drop out with probability {member_drop:g} each "
        "(--member-drop), users with the probability of --drop."
    )
    if missing is not None:
        out.print(f"\nsecagg_plus is left out: {missing}")
    rows = [{"rate": drop, **attrs.asdict(option)} for option in found]
    write_json(rows, json)
    return 0


def _chosen_degree(
    users: int, corrupt: float, drop: float, server: str
) -> tuple[int | None, int | None, str | None]:
    from protocols.secagg.degree import Demands, smallest_degree

    if users < 3 or drop == 1:
        return None, None, "it needs at least 3 users, and a rate below 1"
    bound = _number_of_users(corrupt, users)
    demands = call_or_refuse(Demands, users, bound, drop, server=server)
    try:
        found = smallest_degree(demands)
    except ValueError as error:
        return None, None, str(error)
    return found.degree, found.threshold, None


def _print_completions(out: Any, found: "tuple[Completion, ...]") -> None:
    from simnet.cli.grid import Grid

    table = Grid("protocol", "parameters", "completes", "aborts", "who must stay")
    for option in found:
        table.add_row(
            option.protocol,
            option.parameters,
            *chances_in_words(option),
            option.needs,
        )
    out.print(table)
    for option in found:
        simulated = option.simulated
        if simulated is not None:
            out.print(
                f"\nFor {option.protocol} no exact law is known: the table has bounds. "
                f"{simulated.completed:,} of {simulated.runs:,} simulated "
                f"{'run' if simulated.runs == 1 else 'runs'} completed, so the "
                f"probability is {simulated.low:.4g} to {simulated.high:.4g} with confidence 0.95, "
                "if users are equally likely to leave before each of their four messages."
            )
    out.print(
        "\nA local mechanism needs one report, or more if a run sets `--fewest-reports`. "
        "A local mechanism whose users stay silent by chance needs all users."
    )


def _outward(bound: float, digits: int, rounding: str) -> str:
    """Return a bound with this number of digits; `rounding` must be up for an upper bound, and down
    for a lower one.

    >>> _outward(0.12641, 3, ROUND_CEILING), _outward(0.87359, 4, ROUND_FLOOR)
    ('0.127', '0.8735')
    """
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(bound)):.{digits}g}"


def _probability_text(
    chance: float, other: float, digits: int, is_possible: bool, is_certain: bool
) -> str:
    """Return a probability; `other` is 1 minus this probability, and is shown where the probability
    would be rounded to 1. The text is 0 only if the event is impossible, and 1 only if it is
    certain.

    >>> _probability_text(0.25, 0.75, 6, True, False), _probability_text(0.0, 1.0, 6, True, False)
    ('0.25', 'below 1e-300')
    >>> [_probability_text(1.0, other, 6, True, False) for other in (5.8e-24, 0.0)]
    ['1 - 5.8e-24', 'above 1 - 1e-300']
    """
    if chance < LEAST:
        return f"below {LEAST:g}" if is_possible else "0"
    text = f"{chance:.{digits}g}"
    if text != "1" or is_certain:
        return text
    return f"1 - {other:.3g}" if other >= LEAST else f"above 1 - {LEAST:g}"


def chances_in_words(option: "Completion") -> tuple[str, str]:
    """Return the probability to complete and that to abort, or bounds on them."""
    if not option.exact:
        return bounds_in_words(option.lowest, option.highest, option.most_aborts)
    chances = option.lowest, option.most_aborts
    possible = option.can_complete, option.can_abort
    return (
        _probability_text(*chances, 6, possible[0], not possible[1]),
        _probability_text(*chances[::-1], 3, possible[1], not possible[0]),
    )


def bounds_in_words(lowest: float, highest: float, most_aborts: float) -> tuple[str, str]:
    """Return the bounds on a probability between 0 and 1, and on 1 minus this probability.

    `most_aborts` is 1 - `lowest`. A bound that says nothing is left out.

    >>> bounds_in_words(0.87359, 0.99811, 0.12641)
    ('0.8735 to 0.9982', 'at most 0.127')
    >>> bounds_in_words(1.0, 1.0, 2.0**-72), bounds_in_words(0.0, 2.0**-50, 1.0)
    (('at least 1 - 2.12e-22', 'at most 2.12e-22'), ('at most 8.882e-16', 'at least 1 - 8.882e-16'))
    """
    high = _outward(highest, 4, ROUND_CEILING)
    if highest < LEAST:
        return f"below {LEAST:g}", f"above 1 - {LEAST:g}"
    if lowest < LEAST and high == "1":
        return "above 0, below 1", "above 0, below 1"
    if lowest < LEAST:
        rest = _outward(1 - highest, 3, ROUND_FLOOR)
        return f"at most {high}", f"at least {rest if highest > ROUGHLY_0 else f'1 - {high}'}"
    aborts = _outward(max(most_aborts, LEAST), 3, ROUND_CEILING)
    low = f"1 - {aborts}" if lowest >= ROUGHLY_1 else _outward(lowest, 4, ROUND_FLOOR)
    if aborts == "1":
        aborts = f"1 - {_outward(lowest, 3, ROUND_FLOOR)}"
    both = low if low == high else f"{low} to {high}"
    return f"at least {low}" if high == "1" else both, f"at most {aborts}"
