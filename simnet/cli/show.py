"""Prints a scenario's result: estimate, error, privacy, claims, and the bill or traffic."""

from math import isnan

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from simnet.cli.bills import print_bill, print_copies
from simnet.cli.grid import Grid
from simnet.cli.privacy import print_privacy
from simnet.cli.show_plain import print_compared, print_drop_outs, print_traffic, print_unread
from simnet.cli.tables import (
    expected_in_words,
    parts_in_words,
    print_model,
    print_scores,
    print_table,
)
from simnet.cli.verdicts import print_claims
from simnet.printable import count_of, printable
from simnet.scenario.compared_outputs import ComparedOutputs
from simnet.scenario.drops import truth_in_words
from simnet.scenario.perform import Performance, parameters_in_words
from simnet.scenario.population import NumberPopulation, TablePopulation
from simnet.stated.assessment import ITEMS_SHOWN, Assessment

LABEL_WIDTH = 24
GAPS = 9  # the spaces between five columns, and the first cell of the track
LARGE = 100  # from this value on, digits after the point are noise
SHORTEST_TRACK, LONGEST_TRACK = 10, 60  # the width, in characters, of the bar of the largest value


def show(result: Performance, compared: ComparedOutputs, console: Console) -> None:
    """Print the estimate, its error, privacy, claims, the bill or traffic, and the time."""
    scenario, run = result.scenario, result.run
    console.print(Text(scenario.summary, "bold"))
    people, parameters = result.population, parameters_in_words(result.parameters)
    users = count_of(len(people.inputs), "user")
    inputs = (
        "values"
        if isinstance(people, NumberPopulation)
        else f"{len(result.labels):,} {_what(result)}"
    )
    console.print(Text(f"{users}, {inputs} from {people.source}; {parameters}; seed {run.seed}\n"))
    print_drop_outs(run, result.about, console)
    if isinstance(people, NumberPopulation):
        console.print(_mean(result.assessment))
    elif result.assessment.labels is not None:
        print_model(result, console)
    elif isinstance(people, TablePopulation):
        print_table(result, people.schema, console)
    else:
        _print_estimates(result, console)
    console.print(_errors(result.assessment))
    truth = truth_in_words(run)
    if truth:
        console.print(f"truth          {truth}")
    print_compared(compared, console)
    console.print()
    print_privacy(console, result.privacy)
    print_claims(console, result.adversaries, run.seed)
    printed = any(row.expectation.paper is not None for row in result.bill)
    if result.bill:
        print_bill(console, result.bill, "Bill, against the paper" if printed else "Bill")
        print_copies(run.ledger, console)
    else:
        print_traffic(run, console)
    total = run.ledger.total()
    console.print(
        f"\n{run.ledger.messages_in_words}, {run.ledger.payload_in_words} "
        f"({total.frame_bytes:,} with frames), "
        f"{run.ledger.rounds_in_words}; {run.seconds:.2f} s, "
        f"{total.messages / run.seconds:,.0f} messages/s"
    )
    print_unread(run.ledger, console)


def _what(result: Performance) -> str:
    if result.assessment.labels is not None:
        return "weights of a model"
    is_one = len(result.labels) == 1
    if isinstance(result.population, TablePopulation):
        return "mean or share" if is_one else "means and shares"
    return "item" if is_one else "items"


def _mean(assessed: Assessment) -> str:
    truth, estimate, low, high = (
        float(values[0])
        for values in (assessed.truth, assessed.estimate, assessed.low, assessed.high)
    )
    return (
        f"true mean      {truth:.6g}\n"
        f"estimate       {estimate:.6g}, {assessed.confidence:.0%} interval {low:.6g}..{high:.6g}"
    )


def _print_estimates(result: Performance, console: Console) -> None:
    console.print(_estimates(result, console.width))
    hidden = len(result.population.labels) - ITEMS_SHOWN
    if hidden > 0:
        console.print(f"and {count_of(hidden, 'more item')}; --json writes all of them")
    console.print(
        Text.assemble(
            ("● estimate ", "cyan"), ("─ interval ", "blue"), ("│ truth  ", "bold"), "┃ both"
        )
    )
    if result.assessment.scores is not None:
        print_scores(result.assessment.scores, console)


def _estimates(result: Performance, width: int) -> Grid:
    assessed, labels = result.assessment, [printable(label) for label in result.population.labels]
    heads = ["item", "truth", "estimate", f"{assessed.confidence:.0%} interval"]
    shown = assessed.shown
    rows = [[_short(labels[place]), *_numbers(assessed, place)] for place in shown]
    width_of_numbers = (
        sum(max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)) + GAPS
    )
    track = min(width - width_of_numbers, LONGEST_TRACK)
    if (
        track < SHORTEST_TRACK
    ):  # there is no room for the bars, which show nothing that the numbers do not
        table = Grid(*heads, numbers=range(1, 4))
        for row in rows:
            table.add_row(*row)
        return table
    table = Grid(*heads, "", numbers=range(1, 4))
    most = (assessed.high, assessed.estimate, assessed.truth)
    top = float(np.nanmax(np.concatenate(most))) or 1.0
    for place, row in zip(shown, rows, strict=True):
        ends = (assessed.truth, assessed.estimate, assessed.low, assessed.high)
        truth, estimate, low, high = (float(values[place]) / top for values in ends)
        bar = Text("no estimate") if isnan(estimate) else _bar(truth, estimate, low, high, track)
        table.add_row(Text(row[0], no_wrap=True), *row[1:], bar)
    return table


def _short(label: str) -> str:
    return label if cell_len(label) <= LABEL_WIDTH else set_cell_size(label, LABEL_WIDTH - 1) + "…"


def _numbers(assessed: Assessment, place: int) -> list[str]:
    truth, estimate, low, high = (
        _share(float(values[place]))
        for values in (assessed.truth, assessed.estimate, assessed.low, assessed.high)
    )
    return [truth, estimate, f"{low}..{high}"]


def _share(value: float) -> str:
    return f"{value:.4f}" if abs(value) < LARGE else f"{value:.3g}"


def _bar(truth: float, estimate: float, low: float, high: float, track: int) -> Text:
    """Draw a bar of `track` + 1 characters. The other arguments are positions on the bar, as shares
    of its length; they are cut to 0..1.
    """
    cells = [(" ", "")] * (track + 1)
    first, last, spot, place = (
        round(min(max(share, 0.0), 1.0) * track) for share in (low, high, estimate, truth)
    )
    cells[first : last + 1] = [("─", "blue")] * (last + 1 - first)
    cells[spot] = ("●", "cyan")
    cells[place] = ("┃" if cells[place][0] == "●" else "│", "bold")
    return Text.assemble(*cells, no_wrap=True)


def _deviation_in_words(assessed: Assessment) -> str:
    if isnan(assessed.deviation_squared_l2):
        return ""
    if not assessed.deviation_squared_l2:
        return " (the same for every outcome)"
    return f" ({assessed.deviations:+.1f} standard deviations)"


def _errors(assessed: Assessment) -> str:
    items = int(assessed.has_estimate.sum())
    inside = int(((assessed.low <= assessed.truth) & (assessed.truth <= assessed.high)).sum())
    expected = assessed.expected_squared_l2
    beside = expected_in_words(assessed.expected_squared_l2, _deviation_in_words(assessed))
    name = "squared L2" if items > 1 else "squared error"
    lines = [f"{name:<15}{assessed.squared_l2:.4e}{beside}"]
    if assessed.raw is not None:
        bias = " without the bias of its formula" if assessed.bias_removed else ""
        lines.append(
            f"raw            {assessed.raw_squared_l2:.4e}, before post-processing; the "
            f"intervals are those of this estimate{bias}"
        )
    if assessed.parts:
        lines += parts_in_words(assessed)
    elif items > 1:
        lines.append(f"MSE            {assessed.mse:.4e}{expected_in_words(expected / items)}")
    if assessed.has_intervals:
        lines.append(
            f"intervals      {inside} of {items} contain{'s' if items == 1 else ''} the truth"
        )
    return "\n" + "\n".join(lines)
