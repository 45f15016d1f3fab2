"""A bill as a person sees it on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from simnet.stated.bill import BillRow

WIDEST = 400  # characters


def print_bill(
    console: Console, rows: Sequence[BillRow], title: str, expected: bool = False
) -> None:
    """Print the paper's figure, the exact one, with `expected` its mean, and the measured one.

    Notes stand below.
    """
    heads = [
        "role",
        "what",
        "",
        "counting",
        "per",
        "paper",
        "exact",
        *["expected"] * expected,
        "measured",
        "bytes",
    ]
    table = Table(*heads, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        column.no_wrap = True
    for column in table.columns[5:]:
        column.justify = "right"
    notes: list[str] = []
    for row in rows:
        table.add_row(*_cells(row, expected, notes))
    console.print(title, style="bold")
    wide = console.options.update(width=WIDEST)
    needed = Measurement.get(
        console, wide, table
    ).maximum  # a number is never cut, whatever the terminal's width
    console.print(
        table, width=max(needed, 1), crop=False, overflow="ignore", no_wrap=True, soft_wrap=True
    )
    for place, note in enumerate(notes, start=1):
        console.print(Text.assemble((f"({place})", "yellow"), f" {note}"))
    if _two_kinds(rows):
        console.print(
            "bytes are those of the messages that carry such elements: a message of two "
            "kinds counts twice"
        )


def _two_kinds(rows: Sequence[BillRow]) -> bool:
    """Whether some role sends or receives elements of several kinds.

    One message may carry several kinds, and then its bytes stand in several rows.
    """
    entries = [row.expectation for row in rows if row.bytes is not None]
    ways = {(entry.role, entry.direction, entry.quantity) for entry in entries}
    return len({(role, direction) for role, direction, _ in ways}) < len(ways)


def _cells(row: BillRow, expected: bool, notes: list[str]) -> list[str | Text]:
    entry = row.expectation
    if entry.note and entry.note not in notes:
        notes.append(entry.note)
    mark = f"({notes.index(entry.note) + 1})" if entry.note else ""
    paper = "" if entry.paper is None else number(entry.paper)
    travels = entry.kind == "communication" and entry.quantity != "rounds"
    direction = {"none": "both ways"}.get(entry.direction, entry.direction) if travels else ""
    measured = Text(number(row.measured), "" if row.holds else "bold red")
    mean = "" if entry.expected is None else number(entry.expected)
    return [
        entry.role,
        entry.quantity,
        direction,
        entry.counting if travels else "",
        entry.scope.removeprefix("per-"),
        Text.assemble((mark, "yellow"), " " if mark else "", paper),
        number(entry.exact),
        *[mean] * expected,
        measured,
        "" if row.bytes is None else number(row.bytes),
    ]


def number(value: float) -> str:
    """A count for a person: thousands separated, and few digits after the point.

    Whole numbers have none, small ones two significant digits, others one decimal.
    """
    if abs(value - round(value)) < 1e-6:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 0.1 else f"{value:.2g}"
