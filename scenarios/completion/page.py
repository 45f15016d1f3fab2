"""The page docs/reference/completion.md: when protocols are done, and how exact they are.

`make completion` runs this module. It runs the trials that the store lacks, and writes the tables,
the sentences with numbers, and the figures.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Context
from functools import cache
from math import inf, isfinite, nan
from pathlib import Path

from protocols.advice.seconds import seconds
from protocols.tss.script import TSS
from scenarios.completion.crossings import Crossing, Curves, crossings, leaders, rounded
from scenarios.completion.deadline import EXPERIMENT as DEADLINE
from scenarios.completion.drop import EXPERIMENT as DROP
from scenarios.completion.families import (
    FAMILIES,
    LOCAL,
    NEED_EVERYBODY,
    NETWORKS,
    option,
    people,
    script_of,
)
from scenarios.completion.figures import ERROR_RATE
from scenarios.completion.trials import ERROR, SECONDS
from scenarios.completion.users import EXPERIMENT as USERS
from scenarios.completion.waiting import COUNTED
from scenarios.completion.waiting import SECONDS as UNTIL_ESTIMATE
from simnet.cli.page import write_part
from simnet.kernel.run import run, sends
from simnet.network.recorded import RecordedRun, recorded
from simnet.network.timing import in_units, timed
from simnet.scenario.figure import write_figure
from simnet.scenario.verify import clopper_pearson
from simnet.studies.here import reproduce
from simnet.studies.table import Estimate, Measure, Table, TrialRow, estimated
from simnet.studies.trial import SQUARED_L2
from simnet.studies.typeset import markdown_table

PAGE = Path("docs/reference/completion.md")
STORE = Path("build/completion.jsonl")
# The figure of each experiment, and how the experiment draws it.
FIGURES = {
    "completion": (PAGE.with_name("completion.svg"), USERS),
    "completion_drop": (PAGE.with_name("drop-outs.svg"), DROP),
    "completion_deadline": (PAGE.with_name("deadlines.svg"), DEADLINE),
}
SHARED = tuple(name for name in FAMILIES if name not in LOCAL)  # all but local mechanisms
Lines = Iterator[str]


def mean(rows: Sequence[TrialRow], measure: Measure) -> Estimate | None:
    """Return the estimate of a measure with a 95 % interval; None if no run has a result."""
    found = [row for row in rows if measure.name in row]
    return estimated(found, measure, ERROR_RATE) if found else None


def time_cell(rows: Sequence[TrialRow], measure: Measure) -> str:
    """Return a mean time as text."""
    found = mean(rows, measure)
    return "-" if found is None else in_units(found.mean)


def error_cell(rows: Sequence[TrialRow]) -> str:
    """Return the mean of the squared errors with its interval."""
    found = mean(rows, SQUARED_L2)
    if found is None:
        return "-"
    interval = f" ({found.low:.2g} to {found.high:.2g})" if isfinite(found.high) else ""
    return f"{found.mean:.3g}{interval}"


def share_cell(rows: Sequence[TrialRow], measure: Measure) -> str:
    """Return how many runs have a result, with a 95 % interval of the share."""
    count = sum(measure.name in row for row in rows)
    low, high = clopper_pearson(count, len(rows), ERROR_RATE)
    return f"{count} of {len(rows)} ({low:.0%} to {high:.0%})"


def joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    """Return a share in percent, with two significant digits.

    >>> percent(0.1), percent(0.00123)
    ('10 %', '0.12 %')
    """
    return f"{100 * share:.2g} %"


def rounded_up(number: float, digits: int) -> str:
    """Return a number rounded up to `digits` significant digits, for sentences with "at most".

    >>> rounded_up(1.00007, 3), rounded_up(1.0, 3), rounded_up(0.0173, 2)
    ('1.01', '1', '0.018')
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(number)
    return f"{float(up):.{digits}g}"


def ranged(numbers: Sequence[float], form: str) -> str:
    """Return the smallest and the largest number, or the only one."""
    low, high = format(min(numbers), form), format(max(numbers), form)
    return low if low == high else f"{low} to {high}"


# Against the number of users.


def curves(table: Table, measure: Measure) -> Curves:
    """Return the means of a measure by protocol and number of users. The error is also computed for
    numbers of users with which no run was made.
    """
    found: dict[str, dict[int, float]] = {}
    for (name, users), part in table.points().items():
        at = mean(part.rows, measure)
        assert at is not None
        found.setdefault(name, {})[users] = at.mean
    if measure == ERROR:
        for name, own in found.items():
            for users in table.values("users"):
                own.setdefault(users, option(name, users).error)
    return {name: found[name] for name in FAMILIES if name in found}


@cache
def log_of_stages(users: int) -> RecordedRun:
    """Return the log of a run of TSS."""
    return recorded(run(option("tss", users).script, people(users).inputs, 0, threads=1))


@cache
def value_at(measure: str, name: str, users: int) -> float:
    """Return a measure at any number of users: by a formula, or from one run."""
    chosen = option(name, users)
    if measure == ERROR.name:
        return chosen.error
    network = next(one for one, own in zip(NETWORKS, SECONDS, strict=True) if own.name == measure)
    if isinstance(chosen.script, TSS):
        return timed(log_of_stages(users), network).completion
    held = people(users).inputs.tolist()
    return seconds(chosen.script, users, lambda: held, [network], chosen.messages)[0]


@cache
def found_crossings(table: Table, measure: Measure) -> list[Crossing]:
    """Return where the curves of a measure cross."""
    in_runs = () if measure == ERROR else ("tss",)
    return crossings(
        curves(table, measure), lambda name, users: value_at(measure.name, name, users), in_runs
    )


def over_users(table: Table, measure: Measure, form: Callable[[float], str]) -> str:
    """Return a table of a measure: a row for each number of users, a column for each protocol."""
    found = curves(table, measure)
    rows = [
        [f"{n:,}", *(form(found[name][n]) if n in found[name] else "not run" for name in found)]
        for n in table.values("users")
    ]
    return markdown_table(["users", *found], rows)


def errors(table: Table) -> Lines:
    """Yield the table of errors over the number of users."""
    yield over_users(table, ERROR, lambda error: f"{error:.3g}")


def times(table: Table) -> Lines:
    """Yield the tables of times over the number of users: one for each network."""
    for network, measure in zip(NETWORKS, SECONDS, strict=True):
        yield from (f"On {network.name}:", "", over_users(table, measure, in_units), "")


def crossing_table(table: Table) -> Lines:
    """Yield the table of the places found at which two curves cross."""
    heads = ["quantity", "from about … users on", "these protocols", "are better than"]
    rows = [
        [title, place, better, worse]
        for title, measure in titles()
        for place, better, worse in grouped(found_crossings(table, measure))
    ]
    yield markdown_table(heads, rows)


def grouped(found: Sequence[Crossing]) -> Iterator[tuple[str, str, str]]:
    """Yield crossing points as text: the place, the better protocols and the others."""
    others: dict[tuple[str, str], list[str]] = {}
    for one in found:
        others.setdefault((one.place, one.better), []).append(one.other)
    betters: dict[tuple[str, str], list[str]] = {}
    for (place, better), worse in others.items():
        betters.setdefault((place, joined(worse)), []).append(better)
    for (place, overtaken), names in betters.items():
        yield place, joined(names), overtaken


def titles() -> Iterator[tuple[str, Measure]]:
    """Yield a title and a measure for the time on each network and for the error."""
    for network, measure in zip(NETWORKS, SECONDS, strict=True):
        yield f"time, {network.name}", measure
    yield "error", ERROR


def users_findings(table: Table) -> Lines:
    """Yield sentences on time and error over the number of users."""
    users = sorted(table.values("users"))
    least, most = users[0], users[-1]
    for network, measure in zip(NETWORKS, SECONDS, strict=True):
        found = curves(table, measure)
        local = [name for name in LOCAL if name in found]
        others = [name for name in SHARED if name in found]
        slowest = max(others, key=lambda name: found[name].get(most, 0.0))
        first = all(
            max(found[name][n] for name in local) < min(found[name].get(n, inf) for name in others)
            for n in users
        )
        lead = f"*{network.name}*: "
        if local and first:
            lead += "the local mechanisms are done first at all these numbers of users. "
        best = leaders(found, found_crossings(table, measure), others)
        order = f"Of the other protocols, {best[0][0]} is done first {reign(best)}"
        yield (
            f"- {lead}{order}. With {most:,} users {best[-1][0]} takes "
            f"{in_units(found[best[-1][0]][most])}, and the slowest one that we ran, {slowest}, "
            f"{in_units(found[slowest][most])}."
        )
    found = curves(table, ERROR)
    best = leaders(found, found_crossings(table, ERROR), list(found))
    worst = {n: max(found, key=lambda name: found[name].get(n, 0.0)) for n in (least, most)}
    yield (
        f"- *Error*: {best[0][0]} has the smallest error {reign(best)}. With "
        f"{least:,} users {worst[least]} has the largest error, and with {most:,} users "
        f"{worst[most]}."
    )
    yield from two_stages(table)
    yield from trade(table)
    yield from noise_and_chance(table)


def reign(best: Sequence[tuple[str, str]]) -> str:
    """Return in words for which numbers of users the first protocol leads, and which protocols lead
    after it.
    """
    if len(best) == 1:
        return "at all these numbers of users"
    changes = [
        f", and {name} from there on"
        if at == len(best) - 1
        else f", {name} up to about {best[at + 1][1]}"
        for at, (name, _) in enumerate(best)
        if at
    ]
    return f"up to about {best[1][1]} users{''.join(changes)}"


def two_stages(table: Table) -> Lines:
    """Yield how many times as long TSS takes as DPDS, if it takes longer at every point."""
    ratios = []
    for measure in SECONDS:
        found = curves(table, measure)
        ratios += [time / found["dpds"][n] for n, time in found["tss"].items()]
    users = curves(table, SECONDS[0])["tss"]
    sent = [option("tss", n).bytes / option("dpds", n).bytes for n in users]
    if min(ratios) > 1:
        yield (
            f"- With up to {max(users):,} users, tss takes {ranged(ratios, '.2g')} times as long "
            f"as dpds, although its users send {ranged(sent, '.2g')} times as many bytes of "
            "payload: tss has many small messages, each with headers of its own, and two rounds "
            "more."
        )


def trade(table: Table) -> Lines:
    """Yield how much earlier a local mechanism is done than a committee, and how much larger its
    error is.
    """
    users = [n for n in table.values("users") if n >= 200]
    for n in (users[0], users[-1]) if users else ():
        at = table.where(users=n)
        ratios = []
        for measure in SECONDS:
            one, two = (curves(at, measure)[name][n] for name in ("committee", "oue"))
            ratios.append(one / two)
        error = curves(at, ERROR)
        yield (
            f"- With {n:,} users a committee takes {ranged(ratios, '.2g')} times as long as the "
            "local mechanism oue, and the squared error of oue is "
            f"{rounded(error['oue'][n] / error['committee'][n]):,} times as large."
        )


def noise_and_chance(table: Table) -> Lines:
    """Yield what noise changes in secure aggregation, and how much the times of TSS vary."""
    longer = []
    for name in ("secagg", "secagg_plus"):
        for n in table.values("users"):
            for measure in SECONDS:
                noisy, plain = (
                    value_at(measure.name, label, n) for label in (f"{name} with noise", name)
                )
                longer.append(noisy / plain - 1)
    yield (
        "- secagg and secagg_plus can also add up the noisy answers of dpdg. They then have the "
        f"error of dpdg, and take at most {rounded_up(100 * max(longer), 2)} % longer than with "
        "those of dpds."
    )
    spread = []
    for part in table.where(protocol="tss").points().values():
        for measure in SECONDS:
            found = mean(part.rows, measure)
            assert found is not None
            if isfinite(found.high):
                spread.append(found.high / found.mean - 1)
    if spread:
        yield (
            f"- Only the times of tss are random here. They are means of {USERS.trials} runs, and "
            f"every 95 % interval is within ± {rounded_up(100 * max(spread), 2)} % of its mean."
        )


# If users drop out.


def drops(table: Table) -> Lines:
    """Yield the table with drop-outs: means of the runs that have a result."""
    heads = ["protocol", "users drop out", "runs with a result", *(one.name for one in NETWORKS)]
    heads += ["squared L2 error", "by law"]
    cells = []
    for (name, _, drop), part in table.points().items():
        expected = mean(part.rows, SQUARED_L2)
        cells.append(
            [
                name,
                f"{drop:.0%}",
                share_cell(part.rows, SQUARED_L2),
                *(time_cell(part.rows, measure) for measure in SECONDS),
                error_cell(part.rows),
                "-" if expected is None else f"{expected.expected:.3g}",
            ]
        )
    yield markdown_table(heads, cells)


def chance_of_result(name: str, users: int, drop: float) -> float:
    """Return the probability that a run of a protocol that needs everybody has a result, if each
    user sends as often as in the run with seed 0.
    """
    # A user with s sends leaves at one of s + 1 points, and only the last point does no harm.
    chance = 1.0
    sent = sends(script_of(name, users), people(users).inputs, 0)
    for party in [f"u{number}" for number in range(1, users + 1)]:
        chance *= 1 - drop * len(sent[party]) / (len(sent[party]) + 1)
    return chance


def drop_findings(table: Table) -> Lines:
    """Yield sentences on drop-outs."""
    (users,) = table.values("users")
    rates = [drop for drop in table.values("drop") if drop]
    stated = joined([percent(drop) for drop in rates])
    strict = [name for name in NEED_EVERYBODY if name in table.values("protocol")]
    yield (
        f"- {joined(strict)}: if a user leaves before it has sent its last message, the run has no "
        "result."
    )
    for name in strict:
        chances = [f"{chance_of_result(name, users, drop):.2g}" for drop in rates]
        yield (
            f"- If each user drops out with probability {stated}, a run of {name} with {users} "
            f"users has a result with probability {joined(chances)}, in this order. These numbers "
            "follow from how often each user sends in one run."
        )
    others = [name for name in table.values("protocol") if name not in NEED_EVERYBODY]
    top = max(rates)
    slower = {}
    for name in others:
        before, after = (table.where(protocol=name, drop=drop).rows for drop in (0.0, top))
        found = [(mean(before, measure), mean(after, measure)) for measure in SECONDS]
        slower[name] = [two.mean / one.mean for one, two in found if one and two]
    calm = [name for name, ratios in slower.items() if ratios and max(ratios) < 1.1]
    if calm:
        yield (
            f"- If each user drops out with probability {percent(top)}, the runs of {joined(calm)} "
            f"take at most {rounded_up(max(max(slower[name]) for name in calm), 3)} times as long "
            "on average as without drop-outs. Here nobody waits for a deadline."
        )
    for name in [name for name in slower if name not in calm and slower[name]]:
        yield (
            f"- {name} then takes {ranged(slower[name], '.2g')} times as long as without drop-outs."
        )
    worse = [
        law_ratio(*(table.where(protocol=name, drop=drop).rows for drop in (0.0, top)))
        for name in others
    ]
    yield (
        f"- If each user drops out with probability {percent(top)}, the squared error by law of "
        f"the protocols other than {joined(strict)} is {ranged(worse, '.2f')} times as large as "
        "without drop-outs, because fewer users are counted."
    )


# If servers wait until a deadline.


def deadlines(table: Table) -> Lines:
    """Yield the table with deadlines: means of the runs that have a result."""
    heads = ["protocol", "users drop out", "deadline", "runs with a result"]
    heads += [*(one.name for one in NETWORKS), "counted", "squared L2 error", "by law"]
    cells = []
    for key, rows in by_patience(table).items():
        name, drop, patience = key
        networks = [[row for row in rows if row["network"] == one.name] for one in NETWORKS]
        counted, expected = mean(rows, COUNTED), mean(rows, SQUARED_L2)
        cells.append(
            [
                name,
                f"{drop:.0%}",
                f"{patience:g}",
                share_cell(rows, SQUARED_L2),
                *(time_cell(part, UNTIL_ESTIMATE) for part in networks),
                "-" if counted is None else f"{counted.mean:.0f}%",
                error_cell(rows),
                "-" if expected is None else f"{expected.expected:.3g}",
            ]
        )
    yield markdown_table(heads, cells)


def by_patience(table: Table) -> dict[tuple[str, float, float], list[TrialRow]]:
    """Return the trials of all networks by protocol, rate of drop-outs and deadline."""
    found: dict[tuple[str, float, float], list[TrialRow]] = {}
    for row in table.rows:
        found.setdefault((row["protocol"], row["drop"], row["patience"]), []).append(row)
    return found


def deadline_findings(table: Table) -> Lines:
    """Yield sentences on deadlines."""
    points = by_patience(table)
    patiences = sorted(table.values("patience"))
    names = table.values("protocol")
    strict = [name for name in names if name in NEED_EVERYBODY]
    others = [name for name in names if name not in NEED_EVERYBODY]
    top = max(table.values("drop"))
    for patience in patiences:
        late = [
            f"{name} has a result in {share(points[name, 0.0, patience])} runs" for name in strict
        ]
        counted = [mean(points[name, 0.0, patience], COUNTED) for name in others]
        means = [one.mean for one in counted if one]
        yield (
            f"- *Deadline {patience:g}, nobody drops out*: "
            f"{joined(late)}. The other protocols count about {ranged(means, '.0f')} % of the "
            "users on average."
        )
    lost = [row for name in strict for patience in patiences for row in points[name, top, patience]]
    yield (
        f"- *{joined(strict)} cannot go on without a user who left or is late*: if each user drops "
        f"out with probability {percent(top)}, {share(lost)} of their runs with these deadlines "
        "have a result."
    )
    short, long_ = patiences[-2:] if len(patiences) > 1 else patiences * 2

    def slower(before: Mapping[str, float], after: Mapping[str, float]) -> str:
        return ranged(time_ratios(table, others, before, after), ".2f")

    longer = {
        drop: slower({"drop": drop, "patience": short}, {"drop": drop, "patience": long_})
        for drop in (0.0, top)
    }
    yield (
        f"- *How much time a longer deadline costs.* With the deadline {long_:g} "
        f"in place of {short:g}, the other protocols take {longer[top]} times as long if each user "
        f"drops out with probability {percent(top)}, and {longer[0.0]} times as long if nobody "
        "drops out."
    )
    dropping = slower({"drop": 0.0, "patience": short}, {"drop": top, "patience": short})
    yield (
        f"- *How much time drop-outs cost.* With the deadline {short:g} the other "
        f"protocols take {dropping} times as long if each user drops out with probability "
        f"{percent(top)} as if nobody drops out."
    )
    worse = [
        law_ratio(points[name, 0.0, patiences[-1]], points[name, 0.0, patiences[0]])
        for name in others
    ]
    yield (
        f"- *A short deadline costs exactness*: with the deadline {patiences[0]:g} in place of "
        f"{patiences[-1]:g} the squared error by law of the other protocols is "
        f"{ranged(worse, '.2f')} times as large if nobody drops out."
    )


def time_ratios(
    table: Table, names: Sequence[str], before: Mapping[str, float], after: Mapping[str, float]
) -> list[float]:
    """Return for each protocol and network the mean time at the parameters `after`, divided by the
    mean time at the parameters `before`, if trials have both times.
    """
    ratios = []
    for name in names:
        for network in table.values("network"):
            part = table.where(protocol=name, network=network)
            one, two = (mean(part.where(**at).rows, UNTIL_ESTIMATE) for at in (before, after))
            if one and two:
                ratios.append(two.mean / one.mean)
    return ratios


def law_ratio(before: Sequence[TrialRow], after: Sequence[TrialRow]) -> float:
    """Return the error by law of the rows `after`, divided by that of the rows `before`; NaN if one
    of them has no results.
    """
    one, two = mean(before, SQUARED_L2), mean(after, SQUARED_L2)
    if one is None or two is None or one.expected is None or two.expected is None:
        return nan
    return two.expected / one.expected


def share(rows: Sequence[TrialRow]) -> str:
    """Return how many runs have a result."""
    return f"{sum(SQUARED_L2.name in row for row in rows)} of {len(rows)}"


def parts(tables: Mapping[str, Table]) -> dict[str, list[str]]:
    """Return the lines of all parts of the page that the command writes, from the tables of the
    three experiments.
    """
    users, drop, deadline = (tables[name] for name in FIGURES)
    return {
        "errors": list(errors(users)),
        "times": list(times(users)),
        "users": list(users_findings(users)),
        "crossings": list(crossing_table(users)),
        "drops": list(drops(drop)),
        "dropping": list(drop_findings(drop)),
        "deadlines": list(deadlines(deadline)),
        "waiting": list(deadline_findings(deadline)),
    }


def main() -> None:
    """Run the trials that the store lacks, and write the page and its figures."""
    STORE.parent.mkdir(exist_ok=True)
    tables = {name: reproduce(name, store=STORE).table for name in FIGURES}
    for name, lines in parts(tables).items():
        write_part(PAGE, name, lines)
    for name, (path, experiment) in FIGURES.items():
        assert experiment.figure is not None
        write_figure(experiment.figure(tables[name]), path)


if __name__ == "__main__":
    main()
