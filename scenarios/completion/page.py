"""The page docs/reference/completion.md: when protocols are done, and how exact they are.

`make completion` runs this module. It runs the trials that the store lacks, and writes the tables
and the figures.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path

from scenarios.completion.deadline import EXPERIMENT as DEADLINE
from scenarios.completion.drop import EXPERIMENT as DROP
from scenarios.completion.families import (
    FAMILIES,
    NETWORKS,
    option,
)
from scenarios.completion.figures import ERROR_RATE
from scenarios.completion.trials import ERROR, SECONDS
from scenarios.completion.users import EXPERIMENT as USERS
from scenarios.completion.waiting import COUNTED
from scenarios.completion.waiting import SECONDS as UNTIL_ESTIMATE
from simnet.cli.page import write_part
from simnet.network.timing import in_units
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


# Against the number of users.


def curves(table: Table, measure: Measure) -> dict[str, dict[int, float]]:
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


# If users drop out.


def drops(table: Table) -> Lines:
    """Yield the table with drop-outs: means of the runs that have a result."""
    heads = [
        "protocol",
        "users drop out",
        "runs with a result",
        *(one.name for one in NETWORKS),
        "squared L2 error",
        "by law",
    ]
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


# If servers wait until a deadline.


def deadlines(table: Table) -> Lines:
    """Yield the table with deadlines: means of the runs that have a result."""
    heads = [
        "protocol",
        "users drop out",
        "deadline",
        "runs with a result",
        *(one.name for one in NETWORKS),
        "counted",
        "squared L2 error",
        "by law",
    ]
    cells = []
    for (name, drop, patience), rows in by_patience(table).items():
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


def parts(tables: Mapping[str, Table]) -> dict[str, list[str]]:
    """Return the lines of all parts of the page that the command writes, from the tables of the
    three experiments.
    """
    users, drop, deadline = (tables[name] for name in FIGURES)
    return {
        "errors": list(errors(users)),
        "times": list(times(users)),
        "drops": list(drops(drop)),
        "deadlines": list(deadlines(deadline)),
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
