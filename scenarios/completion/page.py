"""The page docs/reference/completion.md: when protocols are done, as tables and a figure.

`make completion` runs this module. The numbers without drop-outs are those of `simnet compare`.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from math import isnan
from pathlib import Path

import attrs

from protocols.advice.advice import NAMES
from protocols.advice.compared_page import compared_figure, in_points
from protocols.advice.comparing import Compared, compare
from scenarios.completion.deadline import EXPERIMENT as DEADLINE
from scenarios.completion.deadline import drawn
from scenarios.completion.drop import EXPERIMENT
from scenarios.completion.trials import DELTA, EPSILON, ITEMS, NETWORKS, SECONDS
from simnet.cli.page import write_part
from simnet.network.timing import in_units
from simnet.scenario.figure import write_figure
from simnet.studies.here import table_here
from simnet.studies.table import Table
from simnet.studies.typeset import markdown_table

PAGE = Path("docs/reference/completion.md")
FIGURE = Path("docs/reference/completion.svg")
DEADLINE_FIGURE = Path("docs/reference/deadlines.svg")
USERS = (100, 300, 1000, 10_000, 100_000)
SHOWN = tuple(name for name in NAMES if name not in ("olh", "hadamard"))  # as fast as oue
DROPS = {"drop": "0.0,0.1", "users": "100"}
DEADLINES = {"patience": "2.0,4.0,8.0"}
TRIALS = 2


@cache
def compared(names: Sequence[str] = SHOWN, users: Sequence[int] = USERS) -> Compared:
    """Return the comparison of these protocols on the four networks."""
    shares = [1 / ITEMS] * ITEMS
    return compare(names, shares, users, EPSILON, DELTA, networks=NETWORKS)


def times(found: Compared) -> Iterator[str]:
    """Yield the lines of the table: when each protocol is done, and its margin."""
    heads = ["users", "protocol", *(one.name for one in NETWORKS), "typical item"]
    cells = [
        [
            f"{row.users:,}",
            row.label,
            *("?" if isnan(time) else in_units(time) for time in row.seconds),
            in_points(row.typical),
        ]
        for row in found.rows
    ]
    yield markdown_table(heads, cells)


def crossings(found: Compared) -> Iterator[str]:
    """Yield a line for each point at which protocols change places in time."""
    in_time = [each for each in found.crossings if each.quantity == "seconds"]
    for sentence in attrs.evolve(found, crossings=tuple(in_time)).crossings_in_words:
        yield f"- {sentence}"


def dropping(settings: dict[str, str]) -> Table:
    """Return the table of the experiment `completion_drop` with other values of parameters."""
    return table_here(EXPERIMENT.with_settings(settings).with_trials(TRIALS), "completion_drop")


def drops(table: Table) -> Iterator[str]:
    """Yield the lines of the table with drop-outs: means of the runs that were completed."""
    heads = ["protocol", "users drop out", "completed", *(one.name for one in NETWORKS)]
    cells = []
    for (protocol, _, drop), part in table.points().items():
        done = [row for row in part.rows if SECONDS[0].name in row]
        means = [
            in_units(sum(row[one.name] for row in done) / len(done)) if done else "-"
            for one in SECONDS
        ]
        share = f"{len(done)} of {len(part.rows)}"
        cells.append([protocol, f"{drop:.0%}", share, *means])
    yield markdown_table(heads, cells)


def hurrying(settings: dict[str, str]) -> Table:
    """Return the table of the experiment `completion_deadline` with other values of parameters."""
    wanted = DEADLINE.with_settings(settings).with_trials(TRIALS)
    return table_here(wanted, "completion_deadline")


def deadlines(table: Table) -> Iterator[str]:
    """Yield the lines of the table with deadlines: means of the runs that were completed."""
    heads = [
        "protocol",
        "users drop out",
        "deadline",
        "completed",
        *(one.name for one in NETWORKS),
        "counted",
    ]
    cells = []
    rows = [row for part in table.points().values() for row in part.rows]
    points = dict.fromkeys((row["protocol"], row["drop"], row["patience"]) for row in rows)
    for protocol, drop, patience in points:
        part = table.where(protocol=protocol, drop=drop, patience=patience).rows
        done = [row for row in part if "seconds" in row]
        means = []
        for one in NETWORKS:
            here = [row["seconds"] for row in done if row["network"] == one.name]
            means.append(in_units(sum(here) / len(here)) if here else "-")
        counted = f"{sum(row['counted'] for row in done) / len(done):.0f}%" if done else "-"
        share = f"{len(done)} of {len(part)}"
        cells.append([protocol, f"{drop:.0%}", f"{patience:g}", share, *means, counted])
    yield markdown_table(heads, cells)


def main() -> None:
    """Compute everything, and write the page and its figure."""
    found = compared()
    write_part(PAGE, "times", list(times(found)))
    write_part(PAGE, "crossings", list(crossings(found)))
    write_figure(compared_figure(found), FIGURE)
    write_part(PAGE, "drops", list(drops(dropping(DROPS))))
    table = hurrying(DEADLINES)
    write_part(PAGE, "deadlines", list(deadlines(table)))
    write_figure(drawn(table), DEADLINE_FIGURE)


if __name__ == "__main__":
    main()
