"""Prints the estimates of a whole table, column by column, and the weights of a model."""

from math import isnan

from rich.console import Console
from rich.text import Text

from simnet.cli.grid import Grid
from simnet.printable import printable
from simnet.scenario.perform import Performance
from simnet.scenario.population import TablePopulation
from simnet.scenario.scenario import CATEGORIES_SHOWN
from simnet.scenario.schema import Schema
from simnet.stated.assessment import Assessment, Scores


def print_table(result: Performance, schema: Schema, console: Console) -> None:
    """Print a line for each mean, and for each of the most frequent categories of each column."""
    assessed = result.assessment
    percent = f"{assessed.confidence:.0%}"
    heads = "", "truth", "estimate", f"{percent} interval", "error", "expected"
    grid = Grid(*heads, numbers=range(1, 6))
    for name, where in schema.groups:
        order = assessed.truth[where].argsort(kind="stable")[::-1] + where.start
        for place in order[:CATEGORIES_SHOWN].tolist():
            grid.add_row(Text(printable(schema.labels[place])), *_numbers(assessed, place))
        if len(order) > CATEGORIES_SHOWN:
            grid.add_row(
                Text(f"and {len(order) - CATEGORIES_SHOWN} more of {printable(name)}", "dim"),
                *[""] * 5,
            )
    console.print(grid)
    console.print("expected = the square root of the exact mean squared error")
    _print_domains(schema, console)


def print_model(result: Performance, console: Console) -> None:
    """Print a line for each weight of a model, and the error of the model's answers."""
    assessed = result.assessment
    grid = Grid("", "without noise", "this run", "error", numbers=range(1, 4))
    pairs = zip(assessed.truth.tolist(), assessed.estimate.tolist(), strict=True)
    for label, (truth, estimate) in zip(result.labels, pairs, strict=True):
        grid.add_row(
            Text(printable(label)), f"{truth:.4g}", f"{estimate:.4g}", f"{estimate - truth:+.2g}"
        )
    console.print(grid)
    console.print(
        "The weight of a column of numbers is for values scaled to [-1, 1]. The weight of a "
        "category is relative to the last category of its column."
    )
    if isinstance(result.population, TablePopulation):
        _print_domains(result.population.schema, console)
    if assessed.scores is not None:
        print_scores(assessed.scores, console)


def print_scores(scores: Scores, console: Console) -> None:
    """Print the error of each model, or how well heavy items are found."""
    console.print(Text(f"\n{printable(scores.target)}: {scores.measure}, over {scores.judges}"))
    grid = Grid("", "", numbers=[1])
    for name, error in scores.errors.items():
        grid.add_row(name, f"{error:.4g}")
    console.print(grid)
    if scores.remark:
        console.print(Text(scores.remark, "yellow"))


def _print_domains(schema: Schema, console: Console) -> None:
    read_off = [printable(column.name) for column in schema.categorical if not column.declared]
    if read_off:
        console.print(
            Text(
                f"the categories of these columns were not declared, but read off the data: "
                f"{', '.join(read_off)}",
                "yellow",
            )
        )


def _numbers(assessed: Assessment, place: int) -> list[str]:
    columns = (assessed.truth, assessed.estimate, assessed.low, assessed.high, assessed.variance)
    truth, estimate, low, high, variance = (float(column[place]) for column in columns)
    error, expected = f"{estimate - truth:+.2g}", "" if isnan(variance) else f"{variance**0.5:.2g}"
    return [f"{truth:.4g}", f"{estimate:.4g}", f"{low:.3g}..{high:.3g}", error, expected]


def expected_in_words(value: float, more: str = "") -> str:
    """Return the expected value as text after a comma, or nothing for NaN (unknown)."""
    return "" if isnan(value) else f", expected {value:.4e}{more}"


def parts_in_words(assessed: Assessment) -> list[str]:
    """Return a line for each kind of estimate: its mean squared error, measured and expected."""
    return [
        f"MSE            {part['mse']:.4e}{expected_in_words(part['expected_mse'])} ({name})"
        for name, part in assessed.mse_of_parts().items()
    ]
