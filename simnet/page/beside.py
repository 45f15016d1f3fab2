"""What stands beside the picture of a run, such as estimate, privacy, bill and claims.

The template of the page turns these texts and numbers into HTML.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import inf, isfinite, isnan
from time import perf_counter
from typing import Any

import attrs
import numpy as np

from simnet.errors import SimnetError
from simnet.glossary import explained
from simnet.kernel.run import Run
from simnet.scenario.claims import Adversaries
from simnet.scenario.drops import truth_in_words
from simnet.scenario.perform import Performance
from simnet.scenario.plain import OUTPUTS_SHOWN, PlainRun, plain
from simnet.stated.about import Totals
from simnet.stated.assessment import Assessment
from simnet.stated.bill import BYTES_REPEATED, CODES, BillRow, count_in_words, repeats_bytes
from simnet.stated.privacy import PrivacyStatement, Statements

Result = Performance | PlainRun

OUTSIDE = "†"  # marks an estimate that lies outside its interval
MOST_LETTERS_OF_A_LABEL = 16  # the chart of an estimate cuts longer labels off
POINTS = 24  # steps of a curve of δ
LONGEST_CURVES = 2.0  # seconds for all points of all curves
CURVE_WIDTH, CURVE_HEIGHT = 560.0, 220.0
RELATIONS = {
    "replace": "Replace: one user has another input.",
    "remove": "Remove: one user is missing.",
}
COUNTINGS = {
    "wire": "wire = what travels between different parties",
    "logical": "logical = what travels and what a party keeps for itself",
}
# The terms of the glossary that the page explains in its last section.
TERMS = (
    *(
        "coalition",
        "secret",
        "verdict",
        "nothing",
        "output-only",
        "leaks",
        "no-shares",
        "undecided",
    ),
    *("attack", "proved", "disclosure", "door", "sealed", "coins", "field", "form", "role"),
    *("ideal primitive", "round", "payload", "wire count", "logical count", "epsilon", "delta"),
    *("neighbouring inputs", "confidence interval", "claim"),
)
LEAST_DELTA = -16.0  # log10 of the smallest δ that a curve shows


@attrs.frozen
class Table:
    """A table: its heading, the names of its columns, its rows, the places of the columns with
    numbers (the first column has place 0), and notes below it.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()
    notes: Sequence[str] = ()


@attrs.frozen
class Bar:
    """One row of the chart: where its estimate, the ends of its interval and its truth are drawn.

    These positions are shares of the chart's width, from 0 at the left to 1. A position is None if
    nothing is drawn.
    """

    label: str
    estimate: float | None
    low: float | None
    high: float | None
    truth: float | None


@attrs.frozen
class Estimate:
    """The chart of an estimate and the table with the same numbers. `hidden` is the number of items
    that are left out of both.
    """

    bars: Sequence[Bar]
    table: Table
    hidden: int
    sentences: Sequence[str]
    has_intervals: bool
    least: str  # the numbers at the ends of the chart
    most: str

    @property
    def margin(self) -> int:
        """The width of the labels at the left of the chart; the whole chart is 440 units wide."""
        longest = max((len(bar.label) for bar in self.bars), default=0)
        return 24 + 9 * min(longest, MOST_LETTERS_OF_A_LABEL)


def estimate_of(result: Result, is_private: bool) -> Estimate | None:
    """Return the estimate beside the truth; the truth is left out of a page about somebody's data.

    Returns None for a run without an estimate.
    """
    if not isinstance(result, Performance):
        return None
    assessed, labels = result.assessment, result.labels
    heads = ["", "estimate", f"{assessed.confidence:.0%} interval", "truth"]
    columns_shown = 3 if is_private else 4
    columns = (assessed.estimate, assessed.low, assessed.high, assessed.truth)
    rows, bars = [], []
    shown = [*columns[:3]] if is_private else [*columns]
    # The places of the largest true values, in their order, would tell about the inputs.
    places = assessed.shown_without_truth if is_private else assessed.shown
    ends = [float(value[place]) for value in shown for place in places]
    outside = False
    finite = [0.0, *(end for end in ends if isfinite(end))]
    least, most = min(finite), max(finite)

    def position(value: float) -> float | None:
        if not isfinite(value) or most == least:
            return None
        return (value - least) / (most - least)

    for place in places:
        estimate, low, high, truth = (float(values[place]) for values in columns)
        interval = f"{_number(low)} to {_number(high)}" if not isnan(low) else "unknown"
        is_outside = estimate < low or estimate > high
        outside = outside or is_outside
        beside = _number(estimate) + (f" {OUTSIDE}" if is_outside else "")
        rows.append([labels[place], beside, interval, _number(truth)][:columns_shown])
        bars.append(
            Bar(
                labels[place],
                position(estimate),
                position(low),
                position(high),
                None if is_private else position(truth),
            )
        )
    hidden = len(labels) - len(rows)
    notes = [f"{OUTSIDE} {_why_outside(assessed)}"] if outside else []
    table = Table("The same in numbers", heads[:columns_shown], rows, frozenset({1, 2, 3}), notes)
    sentences = _error(result, is_private)
    ends_of_chart = _number(least), _number(most)
    return Estimate(bars, table, hidden, sentences, assessed.has_intervals, *ends_of_chart)


def _why_outside(assessed: Assessment) -> str:
    if assessed.raw is not None:
        bias = ", without the bias of its formula" if assessed.bias_removed else ""
        return (
            "This estimate lies outside its interval. The interval belongs to the estimate before "
            f"post-processing{bias}; the number shown was computed by post-processing."
        )
    if assessed.bias_removed:
        return (
            "This estimate lies outside its interval, and that is no mistake. The formula of the "
            "estimate has a bias, and the interval belongs to the estimate without this bias."
        )
    return (
        "This estimate lies outside its interval, and that is no mistake. The estimate is not cut "
        "off at impossible values: it can be smaller or larger than every value that the truth can "
        "have. The interval stays within the range of these values."
    )


def _error(result: Performance, is_private: bool) -> list[str]:
    assessed = result.assessment
    expected = assessed.expected_squared_l2
    if is_private:
        return [
            "The truth and the error are left out: they are computed from inputs that may belong "
            "to real people."
        ]
    beside = "" if isnan(expected) else f"; {expected:.4g} is expected"
    sentences = [f"Squared L2 error {assessed.squared_l2:.4g}{beside}."]
    truth = truth_in_words(result.run)
    if truth:
        sentences.append(f"The truth is {truth}.")
    if assessed.has_intervals:
        inside = int(((assessed.low <= assessed.truth) & (assessed.truth <= assessed.high)).sum())
        items = int(assessed.has_estimate.sum())
        sentences.append(f"{inside} of {items} intervals contain the truth.")
    return sentences


def outputs_of(result: Result, is_private: bool) -> Table | None:
    """Return a table of the first outputs of a run that has no estimate. Return None if there are
    no outputs, if the run has an estimate, or for a page about somebody's data, because an output
    may give inputs away.
    """
    if isinstance(result, Performance) or is_private:
        return None
    outputs = [(name, out) for name, out in result.run.outputs.items() if out is not None]
    rows = [[name, str(plain(out))] for name, out in outputs[:OUTPUTS_SHOWN]]
    more = len(outputs) - len(rows)
    noun = "party" if more == 1 else "parties"
    notes = [f"and {more:,} more {noun} with an output"] if more > 0 else []
    return Table("What scripts returned", ["party", "output"], rows, notes=notes) if rows else None


def privacy_of_page(statements: Statements) -> list[Table]:
    """Return a table of privacy statements for each view."""
    return [
        Table(
            f"Against {view}",
            lines[0],
            [[_with_infinity(cell) for cell in line] for line in lines[1:]],
            notes=[f"Assuming {assumption}." for assumption in assumptions],
        )
        for view, lines, assumptions in statements.tables()
    ]


def _with_infinity(cell: str) -> str:
    return re.sub(r"\binf\b", "∞", cell)


def privacy_explained(tables: Sequence[Table]) -> list[str]:
    """Sentences that explain the words of these tables, as far as they occur."""
    heads = dict.fromkeys(head for table in tables for head in table.heads)
    cells = {cell for table in tables for row in table.rows for cell in row}
    relations = [RELATIONS[cell] for cell in RELATIONS if cell in cells]
    theorems = [head for head in heads if head not in ("relation", "ε", "δ", "closed form")]
    said = [
        "ε and δ say how well one user's input is hidden: ε = 0 with δ = 0 is perfect, and more "
        "of either is worse. δ is how much of the probability may fall outside the bound of ε.",
        *relations,
    ]
    if any("∞" in cell for cell in cells):
        said.append("ε = ∞ promises no protection: no finite ε is stated at this δ.")
    said += [_claim_in_words(head) for head in theorems]
    if "closed form" in heads:
        said.append(
            "Closed form: an upper bound from a formula. The number in the column ε or δ is never "
            "above this bound."
        )
    return said


def depends_on_truth(result: Result) -> bool:
    """Whether the statements of privacy may depend on the true totals or on the inputs.

    Some protocols state, for example, a δ that depends on the number of holders of the rarest item.
    On a page about somebody's data this δ may reveal the number. So we ask the protocol about other
    totals and about runs on other inputs, at the stated ε and δ and at three points of the curve,
    and return False only if the statements are the same for all of these.
    """
    if not result.privacy or not isinstance(result, Performance):
        return bool(result.privacy)
    totals = np.asarray(result.population.totals)
    others = (np.zeros_like(totals), np.full_like(totals, result.run.people), 2 * totals[::-1] + 1)
    given = [statement for statement in result.privacy if statement.given_delta is None]
    epsilon = given[0].epsilon if given else None
    deltas = (statement.given_delta for statement in result.privacy)
    delta = next((one for one in deltas if one is not None), None)
    asked = [(result.run, t) for t in (result.population.totals, *others)]
    asked += [
        (attrs.evolve(result.run, inputs=inputs), result.population.totals)
        for inputs in _other_inputs(result.run.inputs)
    ]

    def stated(run: Run, totals: Totals, at: float | None) -> tuple[PrivacyStatement, ...] | None:
        try:
            return tuple(result.about.privacy(run, totals, at, delta))
        except (ValueError, SimnetError):
            return None

    if stated(*asked[0], epsilon) is None:
        return True
    for share in (None, 1 / POINTS, 1 / 4, 1):
        at = epsilon if share is None else share * _end_of_curves(given)
        own = stated(*asked[0], at)
        if any(stated(*other, at) != own for other in asked[1:]):
            return True
    return False


def _other_inputs(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    values = list(inputs.values())
    distinct = list({repr(value): value for value in values}.values())
    for value in (distinct[0], distinct[-1]):
        yield dict.fromkeys(inputs, value)
    if all(isinstance(value, int | np.integer) for value in values):
        yield dict.fromkeys(inputs, 1)  # also if all parties have one input
        yield {name: 1 + place % 2 for place, name in enumerate(inputs)}


@attrs.frozen
class Curve:
    """One curve of δ(ε): what it is about, and its points as pairs of ε and log10 δ."""

    title: str
    points: Sequence[tuple[float, float]]


@attrs.frozen
class Curves:
    """Curves of δ(ε), with the paths and the axes of their picture."""

    curves: Sequence[Curve]
    paths: Sequence[str]
    across: Sequence[tuple[float, str]]  # places and words of the marks on the axis of ε
    down: Sequence[tuple[float, str]]  # the same on the axis of δ
    chosen: Sequence[tuple[float, float]]  # the places of the statements of the tables


def curves_of(result: Result) -> Curves | None:
    """Return curves δ(ε) by view and relation; None if there are none to draw, or if computing them
    takes too long.

    A statement of pure ε-privacy has no curve, because δ is 0 from the stated ε on.
    """
    at = [s for s in result.privacy if s.given_delta is None and -inf < s.log_delta]
    if not isinstance(result, Performance) or not at:
        return None
    most = _end_of_curves(at)
    begin = perf_counter()
    found: dict[str, list[tuple[float, float]]] = {}
    for step in range(POINTS + 1):
        if perf_counter() - begin > LONGEST_CURVES:
            return None
        epsilon = most * step / POINTS
        try:
            stated = result.about.privacy(result.run, result.population.totals, epsilon, None)
        except ValueError:
            continue  # this protocol has no statement at this ε
        for statement in stated:
            if statement.given_delta is None and statement.log_delta > -inf:
                found.setdefault(_title(statement), []).append((epsilon, statement.log10_delta))
    curves = [
        Curve(title, [point for point in points if point[1] >= LEAST_DELTA])
        for title, points in found.items()
    ]
    curves = [curve for curve in curves if len(curve.points) > 1]
    return _drawn(curves, at, most) if curves else None


def _end_of_curves(at: Sequence[PrivacyStatement]) -> float:
    return max(2 * max((s.epsilon for s in at), default=0.0), 1.0)


def _title(statement: PrivacyStatement) -> str:
    return f"{statement.whose}, {statement.relation}"


def _drawn(curves: Sequence[Curve], at: Sequence[PrivacyStatement], most: float) -> Curves:
    lowest = min(point[1] for curve in curves for point in curve.points)
    bottom = min(-1.0, float(int(lowest) - 1))

    def place(epsilon: float, log10_delta: float) -> tuple[float, float]:
        return (
            round(CURVE_WIDTH * epsilon / most, 1),
            round(CURVE_HEIGHT * min(max(log10_delta / bottom, 0.0), 1.0), 1),
        )

    paths = [
        "M" + "L".join(f"{x} {y}" for x, y in (place(*point) for point in curve.points))
        for curve in curves
    ]
    across = [(CURVE_WIDTH * step / 4, f"{most * step / 4:.3g}") for step in range(5)]
    step = max(1, round(-bottom / 4))
    powers = range(0, int(bottom) - 1, -step)
    down = [(CURVE_HEIGHT * power / bottom, f"1e{power}" if power else "1") for power in powers]
    chosen = [place(s.epsilon, s.log10_delta) for s in at if s.log10_delta >= bottom]
    return Curves(curves, paths, across, down, chosen)


def bill_of(rows: Sequence[BillRow]) -> Table | None:
    """Return a table of the bill: the formulas of the paper, exact formulas and what was measured.
    Return None for a bill without rows.
    """
    if not rows:
        return None
    cells, notes = [], dict[str, None]()
    for row in rows:
        entry = row.expectation
        travels = entry.kind == "communication" and entry.quantity != "rounds"
        direction = {"none": "both ways"}.get(entry.direction, entry.direction)
        cells.append(
            [
                entry.role,
                entry.quantity,
                f"{direction}, {entry.counting}" if travels else "",
                entry.scope.removeprefix("per-"),
                "" if entry.paper is None else count_in_words(entry.paper),
                count_in_words(entry.exact),
                count_in_words(row.measured) + ("" if row.holds else " (differs)"),
                "" if row.bytes is None else count_in_words(row.bytes),
            ]
        )
        if entry.note:
            notes[entry.note] = None
    heads = ["role", "what", "traffic", "per", "paper", "exact", "measured", "bytes"]
    quantities = dict.fromkeys(row.expectation.quantity for row in rows)
    meanings = [f"{code} = {CODES[code]}" for code in quantities if code in CODES]
    meanings += [
        words
        for counting, words in COUNTINGS.items()
        if any(cell[2].endswith(f", {counting}") for cell in cells)
    ]
    if meanings:
        meanings.append("an empty cell: not stated, or without meaning in this row")
    legend = ["; ".join(meanings)] if meanings else []
    if repeats_bytes(rows):
        legend.append(BYTES_REPEATED)
    title = "By formula and measured"
    return Table(title, heads, cells, frozenset(range(4, 8)), [*legend, *notes])


def roles_of_bill(result: Result) -> Table:
    """Return the messages and bytes that each role sent and received."""
    ledger = result.run.ledger
    sent, received = ledger.by("role", "sent"), ledger.by("role", "received")
    rows = [
        [
            role,
            *(
                f"{traffic[role].messages if role in traffic else 0:,}"
                for traffic in (sent, received)
            ),
            *(
                f"{traffic[role].payload_bytes if role in traffic else 0:,}"
                for traffic in (sent, received)
            ),
        ]
        for role in result.run.roster.roles
    ]
    heads = ["role", "messages sent", "received", "bytes sent", "received"]
    return Table("Messages and bytes of each role", heads, rows, frozenset(range(1, 5)))


def parameters_of(result: Result) -> Table | None:
    """Return the parameters that have a value, with their meanings, and the names of the others in
    a note. Return None if there are no parameters.
    """
    parameters: Mapping[str, object] = result.parameters
    described = result.scenario.settings_in_words
    rows = [
        [name, str(value), described[name].meaning if name in described else ""]
        for name, value in parameters.items()
        if value is not None
    ]
    unset = [name for name, value in parameters.items() if value is None]
    notes = [f"Not set: {', '.join(unset)}."] if unset else []
    if not rows and not unset:
        return None
    return Table("Parameters", ["parameter", "value", "meaning"], rows, notes=notes)


def _claim_in_words(head: str) -> str:
    if head.startswith("Theorem"):
        return f"{head}: the number that this theorem of the paper promises."
    if head == "calibrated":
        return "Calibrated: the number for which the noise was made."
    return f"{head[0].upper()}{head[1:]}: the number that the protocol claims."


def terms_of_page() -> list[tuple[str, str]]:
    """Return terms that pages use, each with its text in the glossary."""
    return [
        (entry.term, entry.plain_text)
        for term in TERMS
        for entry in explained(term)
        if entry.package == "simnet"
    ]


def claims_of(judged: Adversaries) -> Table | None:
    """Return the claims of the scenario, each with its verdict; None if no claim was judged."""
    if not judged:
        return None
    heads = ["coalition", "learned from secret shares", "disclosed", "expected", "holds?"]
    return Table("What the scenario claims", heads, judged.rows(), notes=judged.notes())


def _number(value: float) -> str:
    if isnan(value):
        return "unknown"
    return f"{value:.4f}" if abs(value) < 100 else f"{value:.6g}"
