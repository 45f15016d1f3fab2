"""A bill, whose entries are compared with their formulas.

An entry has the exact number for the run, by a formula, and the measured number. It also has the
number that a paper states, and the mean over the coins, if these are known.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import attrs

from simnet import markup
from simnet.errors import BadInput
from simnet.printable import MANY_DIGITS, rounded
from simnet.record.ledger import Counting, Direction, Ledger, Traffic
from simnet.values.meter import Operation
from simnet.values.wire import Kind

Quantity = str  # an operation (FA, RM, ...), a kind of element (qd, nd, ...), or "rounds"
EntryDirection = Literal["sent", "received", "none"]
EntryScope = Literal["per-user", "total"]
EntryKind = Literal["computation", "communication"]


# The codes of the papers' cost tables: kinds of elements that messages carry, and operations.
CODES = {
    "qd": "field element",
    "nd": "index (mostly of a party)",
    "Nd": "index (mostly of an item)",
    "bd": "bit",
    "rd": "real number",
    "od": "octet",
    "BS": "Bernoulli draw",
    "FS": "field element drawn",
    "aS": "set of items drawn",
    "nS": "whole number drawn",
    "RS": "real number or noise drawn",
    "FA": "field addition",
    "FM": "field multiplication",
    "nA": "addition of whole numbers",
    "RM": "multiplication of real numbers",
}

BYTES_REPEATED = (
    "bytes: the size of the messages that carry what the row counts; a message with several kinds "
    "counts in several rows"
)


@attrs.frozen
class Expectation:
    """One entry of a cost table.

    - `scope` says whether the numbers are means per user or totals.
    - `direction` is `none` for operations, for rounds, and for the sum of elements that are sent
      and received.
    - `paper` is the number that the paper prints, or None.
    - `exact` is the number for this run, and `expected` is its mean over the coins, or None if the
      mean is not known.

    Raises `BadInput` for an unknown kind, direction, scope or counting, and for a quantity that
    does not belong to the kind.

    >>> entry = Expectation("user", "computation", "FA", "none", "per-user", "wire", 3, 3.0)
    >>> entry.exact
    3
    """

    role: str
    kind: EntryKind
    quantity: Quantity
    direction: EntryDirection
    scope: EntryScope
    counting: Counting
    exact: float
    expected: float | None
    paper: float | None = None
    note: str = ""

    def __attrs_post_init__(self) -> None:
        work, traffic = get_args(Operation), ("rounds", *get_args(Kind))
        known = {
            "kind": get_args(EntryKind),
            "quantity": work if self.kind == "computation" else traffic,
            "direction": get_args(EntryDirection),
            "scope": get_args(EntryScope),
            "counting": get_args(Counting),
        }
        for what, words in known.items():
            given = getattr(self, what)
            if given not in words:
                use = f"use one of {', '.join(words)}"
                raise BadInput(f"an entry of a bill has no {what} {given!r}: {use}")


@attrs.frozen
class BillRow:
    """An entry with the number that the ledger measured.

    `bytes` is the payload of the messages that carry elements of the entry's kind, per user or in
    total as the entry's scope says. `bytes` is None for operations and rounds.
    """

    protocol: str
    expectation: Expectation
    measured: float
    bytes: float | None

    @property
    def holds(self) -> bool:
        """Whether the measured value equals the exact value, up to rounding."""
        return math.isclose(self.measured, self.expectation.exact, rel_tol=1e-12)

    def as_json(self) -> dict[str, Any]:
        """Return the row for JSON, without nested keys."""
        entry = attrs.asdict(self.expectation)
        expected = (
            None if self.expectation.expected is None else round(self.expectation.expected, 9)
        )  # compare with a tolerance for the rounding errors of floats
        return {
            "protocol": self.protocol,
            **entry,
            "expected": expected,
            "measured": self.measured,
            "bytes": self.bytes,
        }


def measured(protocol: str, expectation: Expectation, ledger: Ledger, members: int) -> BillRow:
    """Return an entry with its number in the ledger. `members` is the number of parties of the
    role; each member of a crowd counts.

    Second copies of duplicated messages are left out.
    """
    share = members if expectation.scope == "per-user" else 1
    if expectation.quantity == "rounds":
        return BillRow(protocol, expectation, ledger.rounds_of(expectation.role), None)
    if expectation.kind == "computation":
        operations: Mapping[Any, int] = ledger.operations().get(expectation.role, {})
        return BillRow(protocol, expectation, operations.get(expectation.quantity, 0) / share, None)
    traffic = Traffic()
    directions: tuple[Direction, ...] = ("sent", "received")
    for direction in directions:
        if expectation.direction in (direction, "none"):
            traffic += ledger.by("role", direction, expectation.counting).get(
                expectation.role, Traffic()
            )
    elements: Mapping[Any, int] = traffic.elements
    carriers: Mapping[Any, int] = traffic.carriers
    copies = Traffic()
    if expectation.direction != "received":
        copies = ledger.copies().get(expectation.role, Traffic())
    second: tuple[Mapping[Any, int], ...] = (copies.elements, copies.carriers)
    count, payload = (
        (counts.get(expectation.quantity, 0) - less.get(expectation.quantity, 0)) / share
        for counts, less in zip((elements, carriers), second, strict=True)
    )
    return BillRow(protocol, expectation, count, payload)


def mean_row(rows: Sequence[BillRow]) -> BillRow:
    """Return one row with the means, over several runs, of an entry's exact numbers, measured
    numbers and bytes.
    """
    first = rows[0]
    exact = sum(row.expectation.exact for row in rows) / len(rows)
    payload = None if first.bytes is None else sum(row.bytes or 0.0 for row in rows) / len(rows)
    return BillRow(
        first.protocol,
        attrs.evolve(first.expectation, exact=exact),
        sum(row.measured for row in rows) / len(rows),
        payload,
    )


class Bill(tuple[BillRow, ...]):
    """The entries of a bill; a notebook shows them as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = []
        for row in self:
            entry, numbers = row.expectation, (row.expectation.exact, row.measured)
            exact, found = map(count_in_words, numbers)
            what = f"{entry.role} {entry.quantity} {entry.direction}"
            lines.append(f"{what}: exact {exact}, measured {found}")
        return "\n".join(lines) or "no bill is stated of this run"

    def _repr_html_(self) -> str:
        heads = ["role", "what", "traffic", "per", "paper", "exact", "measured", "bytes"]
        rows = []
        for row in self:
            entry = row.expectation
            travels = entry.kind == "communication" and entry.quantity != "rounds"
            direction = {"none": "both ways"}.get(entry.direction, entry.direction)
            rows.append(
                [
                    entry.role,
                    entry.quantity,
                    f"{direction}, {entry.counting}" if travels else "",
                    entry.scope.removeprefix("per-"),
                    "" if entry.paper is None else count_in_words(entry.paper),
                    count_in_words(entry.exact),
                    count_in_words(row.measured),
                    "" if row.bytes is None else count_in_words(row.bytes),
                ]
            )
        notes = dict.fromkeys(row.expectation.note for row in self if row.expectation.note)
        shown = markup.table(heads, rows, numbers=range(4, len(heads)))
        return shown + "".join(markup.paragraph(note) for note in notes)


def repeats_bytes(rows: Sequence[BillRow]) -> bool:
    """Return whether some role sends or receives elements of several kinds.

    If one message carries several kinds, its bytes stand in several rows of the bill.
    """
    entries = [row.expectation for row in rows if row.bytes is not None]
    ways = {(entry.role, entry.direction, entry.quantity) for entry in entries}
    return len({(role, direction) for role, direction, _ in ways}) < len(ways)


def count_in_words(value: float) -> str:
    """Return a number as text, with commas between thousands and few digits after the point.

    A number within 1e-6 of a whole number has no digit after the point. Any other number has one
    decimal, or two significant digits if it lies between -0.1 and 0.1.
    """
    if abs(value) >= MANY_DIGITS or abs(value - round(value)) < 1e-6:
        return rounded(value)
    return f"{value:,.1f}" if abs(value) >= 0.1 else f"{value:.2g}"
