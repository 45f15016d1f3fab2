"""What TSS′ costs more than TSS: stated in section 3.1.3 of Yang et al., and counted in runs.

Let m_j users report on item j. TSS elects m_j users; TSS′ elects φ + 1 users if m_j is smaller.
The paper lists what d_j = φ + 1 - m_j further elections cost each role. A trial runs TSS′ and
counts what each role did. From this the trial subtracts what TSS does with the same numbers of
reporters (Table I), and compares the rest with the paper's list.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.tss import about as tss
from protocols.tss.prime import TSSPrime
from simnet.arrays import Ints
from simnet.kernel.run import run
from simnet.scenario.perform import bill as bill_of
from simnet.scenario.synthetic import uniform_items
from simnet.stated.bill import BillRow
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.table import Measure, NoSuchPoint, Table

SOURCE = "Yang et al., section 3.1.3, after Algorithm 4"
Counts = Callable[[Ints, Ints, int], Any]  # a function of m_j, d_j and n that returns a number


@attrs.frozen
class Overhead:
    """A cost: its entry in the bill, what TSS spends, and what the paper adds for TSS′.

    Two rows can be about two parts of one cost. Then `of_tss` of one row includes the part of the
    other row.
    """

    role: str
    quantity: str
    direction: str
    words: str
    of_tss: Counts
    printed: Counts
    why: str = "The count differs."
    part: str = ""  # which part of the cost, if the paper has a sentence on each part
    disputed: str = attrs.field(default="", kw_only=True)

    @property
    def name(self) -> str:
        """The name in the table of results."""
        return f"{self.role} {self.quantity} {self.part}".strip()


OVERHEADS = (
    Overhead(
        "S1",
        "nS",
        "none",
        "S1 draws d_j more elements of [n] for an item with m_j < φ + 1",
        lambda m, _d, _n: m.sum(),
        lambda _m, d, _n: d.sum(),
    ),
    Overhead(
        "S1",
        "nd",
        "sent",
        "S1 publishes one more element of [n], m_j, for an item with m_j < φ + 1",
        lambda m, _d, n: (n + 1) * m.sum(),
        lambda _m, d, n: (n + 1) * np.count_nonzero(d),
        "S1 also publishes the d_j further elected users, and it publishes m_j for every item.",
        disputed="The text lists extra costs, and does not say that its list is complete.",
    ),
    Overhead(
        "S2",
        "FA",
        "none",
        "S2 adds d_j more field elements for an item with m_j < φ + 1",
        lambda m, _d, _n: np.maximum(m - 1, 0).sum(),
        lambda _m, d, _n: d.sum(),
    ),
    Overhead(
        "user",
        "FS",
        "none",
        "each reporter of an item with m_j < φ + 1 draws d_j more field elements",
        lambda m, _d, _n: (m * (m - 1)).sum(),
        lambda m, d, _n: (m * d).sum(),
    ),
    Overhead(
        "user",
        "FA",
        "none",
        "each reporter of an item with m_j < φ + 1 makes d_j more field additions",
        # The d_j further elected users make m_j - 1 additions each: the next row is about these.
        lambda m, d, _n: ((2 * m + d) * (m - 1)).sum(),
        lambda m, d, _n: (m * d).sum(),
        part="by reporters",
    ),
    Overhead(
        "user",
        "FA",
        "none",
        "each elected user of an item with m_j < φ + 1 makes d_j more field additions",
        # The m_j reporters make d_j more additions each: the row before this one is about these.
        lambda m, d, _n: (2 * m * (m - 1) + m * d).sum(),
        lambda m, d, _n: ((m + d) * d).sum(),
        "An elected user adds m_j shares as in TSS. Only the d_j further elected users are new.",
        "by elected users",
    ),
    Overhead(
        "user",
        "qd",
        "sent",
        "each reporter of an item with m_j < φ + 1 sends d_j more field elements",
        lambda m, _d, _n: (m * m).sum(),
        lambda m, d, _n: (m * d).sum(),
    ),
)


@attrs.frozen(kw_only=True)
class OverheadPoint:
    """TSS′ among users with uniform items."""

    users: int
    items: int
    reported: int
    participation: float
    bound: int  # φ


@typed(OverheadPoint)
def extra(point: OverheadPoint, seed: int, data: Path | None) -> Measurements:
    """Run TSS′; return by how much each cost exceeds the same cost in TSS: as counted in the run,
    by the exact formulas of the bill, and as printed.
    """
    del data
    people = uniform_items(point.users, point.items, seed)
    protocol = TSSPrime(
        users=point.users,
        items=point.items,
        participation=point.participation,
        reported=point.reported,
        bound=point.bound,
    )
    done = run(protocol, people.inputs, seed, threads=1)
    reporters = np.asarray(done.outputs["S1"][0]).sum(axis=0, dtype=np.int64)
    short = np.maximum(point.bound + 1 - reporters, 0)
    numbers: dict[str, float | str] = {
        "people": people.source,
        "short items": float(np.count_nonzero(short)),
    }
    rows = bill_of(tss.about(protocol), done)
    for one in OVERHEADS:
        row = _entry(rows, one.role, one.quantity, one.direction)
        times = point.users if one.role == "user" else 1
        base = float(one.of_tss(reporters, short, point.users))
        measured, expected = row.measured * times, row.expectation.exact * times
        if one.quantity == "qd":  # leave out what elected users send to S2
            sums = _entry(rows, "S2", "qd", "received")
            measured, expected = measured - sums.measured, expected - sums.expectation.exact
        numbers |= {
            one.name: round(measured - base, 6),
            f"{one.name} expected": round(expected - base, 6),
            f"{one.name} printed": float(one.printed(reporters, short, point.users)),
        }
    return numbers


def _entry(rows: Sequence[BillRow], role: str, quantity: str, direction: str) -> BillRow:
    """Return a row of a bill; what users send is counted with the shares that they keep."""
    return next(
        row
        for row in rows
        if (row.expectation.role, row.expectation.quantity, row.expectation.direction)
        == (role, quantity, direction)
        and (row.expectation.counting == "logical") == ((role, quantity) == ("user", "qd"))
    )


def sizes(table: Table) -> str:
    """A text with the values of n, N, k and φ in the runs, which also says what m_j and d_j are."""
    values = {axis: ", ".join(map(str, table.values(axis))) for axis in LETTERS}
    parts = (f"{letter} = {values[axis]}" for axis, letter in LETTERS.items())
    return f"{', '.join(parts)}; {COUNTED}"


def quote(one: Overhead) -> Quote:
    """The quote of a sentence on a cost; it is judged by the share of the runs that have the stated
    cost.
    """

    def reading(table: Table) -> Counterpart:
        rows = table.rows
        if not rows:
            raise NoSuchPoint("TSS′ was not run")
        if not all(row["short items"] for row in rows):
            raise NoSuchPoint("in some run every item has φ + 1 reporters or more")
        by_law, measured = (
            sum(row[name] == row[f"{one.name} printed"] for row in rows) / len(rows)
            for name in (f"{one.name} expected", one.name)
        )
        return Counterpart(
            by_law,
            measured,
            measured,
            measured,
            share=True,
            trials=len(rows),
            judged_at=sizes(table),
        )

    return Quote(SOURCE, one.words, STATED, reading, why=one.why, disputed=one.disputed)


USERS, ITEMS, REPORTED, BOUND = 100, 10, 4, 42
COUNTED = "m_j is the number of reporters of item j, and d_j = max(φ + 1 - m_j, 0)"
LETTERS = {"users": "n", "items": "N", "reported": "k", "bound": "φ"}

EXPERIMENT = Experiment(
    summary="What TSS′ costs more than TSS",
    source="Yang et al., section 3.1.3",
    trial=extra,
    grid=[
        {
            "users": [USERS],
            "items": [ITEMS],
            "reported": [REPORTED],
            "participation": [0.5],
            "bound": [BOUND],
        }
    ],
    measures=[Measure(one.name, one.name, f"{one.name} expected") for one in OVERHEADS],
    trials=10,
    quick_trials=5,
    choices=(
        f"We take n = {USERS}, N = {ITEMS}, k = {REPORTED}, φ = {BOUND}, p = 0.5, uniform items "
        f"and uniform reporting sets; the text names no numbers. Here {COUNTED}.",
    ),
    quotes=[quote(one) for one in OVERHEADS],
    cost=lambda _: 0.05,
)
