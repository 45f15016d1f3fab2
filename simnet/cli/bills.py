"""Prints a bill: how much each role sends, receives and computes, by formula and as measured."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from simnet.cli.grid import Grid
from simnet.printable import count_of
from simnet.record.ledger import Ledger, Traffic
from simnet.stated.bill import BYTES_REPEATED, CODES, BillRow, count_in_words, repeats_bytes


def print_bill(
    console: Console, rows: Sequence[BillRow], title: str, expected: bool = False
) -> None:
    """Print the cost that the paper prints, the exact cost and the measured cost, row by row.

    With `expected`, a column shows the mean of the exact cost over the coins.
    """
    heads = [
        "role",
        "what",
        "traffic",
        "per",
        "paper",
        "exact",
        *["expected"] * expected,
        "measured",
        "bytes",
    ]
    table = Grid(*heads, numbers=range(4, len(heads)))
    notes: list[str] = []
    for row in rows:
        table.add_row(*_cells(row, expected, notes))
    console.print(title, style="bold")
    console.print(table)
    quantities = dict.fromkeys(row.expectation.quantity for row in rows)
    meanings = [f"{code} = {CODES[code]}" for code in quantities if code in CODES]
    if meanings:
        console.print(Text(", ".join(meanings), "dim"))
    for place, note in enumerate(notes, start=1):
        console.print(Text.assemble((f"({place})", "yellow"), f" {note}"))
    if repeats_bytes(rows):
        console.print(BYTES_REPEATED)


def print_copies(ledger: Ledger, console: Console) -> None:
    """Print how many second copies of duplicated messages the bill leaves out, if there are any."""
    copies = sum(ledger.copies().values(), Traffic())
    if copies.messages:
        many = "message that came twice" if copies.messages == 1 else "messages that came twice"
        console.print(
            f"not in the bill: the second copies of {copies.messages:,} {many} "
            f"({count_of(copies.payload_bytes, 'byte')} without "
            "headers)"
        )


def _cells(row: BillRow, expected: bool, notes: list[str]) -> list[str | Text]:
    entry = row.expectation
    if entry.note and entry.note not in notes:
        notes.append(entry.note)
    mark = f"({notes.index(entry.note) + 1})" if entry.note else ""
    paper = "" if entry.paper is None else count_in_words(entry.paper)
    travels = entry.kind == "communication" and entry.quantity != "rounds"
    direction = {"none": "both ways"}.get(entry.direction, entry.direction)
    measured = Text(count_in_words(row.measured), "" if row.holds else "bold red")
    mean = "" if entry.expected is None else count_in_words(entry.expected)
    return [
        entry.role,
        entry.quantity,
        f"{direction}, {entry.counting}" if travels else "",
        entry.scope.removeprefix("per-"),
        Text.assemble((mark, "yellow"), " " if mark else "", paper, no_wrap=True),
        count_in_words(entry.exact),
        *[mean] * expected,
        measured,
        "" if row.bytes is None else count_in_words(row.bytes),
    ]
