"""The trials of Wang et al.: tables collected by its mechanisms and by their rivals."""

from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path

import attrs
import numpy as np

from protocols.local_table.about import assess
from protocols.local_table.script import local_table
from scenarios.wang.people import STAND_INS, drawn, rows_of, title
from simnet.kernel.run import run
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import MeasureByAxis, Statement, everywhere, places_in_words
from simnet.studies.table import Measure, Table

RUNS = 100  # as the paper
USERS = 10_000
EPSILONS = (0.5, 1.0, 2.0, 4.0)
METHODS = {
    "pm": "PM",
    "hm": "HM",
    "duchi": "Duchi et al., corrected",
    "duchi-as-printed": "Duchi et al., as printed",
    "laplace": "Laplace, ε/d each",
    "scdf": "SCDF, ε/d each",
}
NUMERIC = tuple(METHODS)
# For categories a method is OUE with ε/k on k attributes, or OUE with ε/d on all attributes.
# The mechanism for numbers does not matter to them.
CATEGORICAL = ("hm", "duchi")
MSE = Measure("mse", "mean squared error", "expected_mse", "deviation_mse")
EPSILON_CHOICE = "ε of 0.5, 1, 2 and 4: the values of the axis are in the figure only"
ENCODINGS = {
    "hm": "OUE, ε/k on k attributes",
    "duchi": "OUE, ε/d on all attributes",
}  # the encodings: what the methods do with categories
DRAWN = {
    **METHODS,
    "staircase": "Staircase, ε/d each",
    **{f"{method} on categories": words for method, words in ENCODINGS.items()},
}
LINES = "Lines: by the law. Laplace and SCDF err almost alike, so their lines hide each other."
CLOSE = "at some places the errors are too close"
TOO_LITTLE = (
    "as printed, that mechanism has the actual ε ln(1 + e^ε) for an even number of "
    "attributes and is no fair rival"
)


@attrs.frozen(kw_only=True)
class TablePoint:
    """A table of `users` users, and how it is collected.

    `estimates` is the name of the people. For a census the name also says which columns the errors
    are about, such as `BR-Numeric`.
    """

    estimates: str
    users: int
    epsilon: float
    method: str
    k: int | str | None
    attributes: int | None = None  # the number of columns; None stands for all columns


@typed(TablePoint)
def collected(point: TablePoint, seed: int, data: Path | None) -> Measurements:
    """Collect a table; return the mean squared error of its means or of its frequencies.

    Numbers are scaled to [-1, 1]. This is the trial of Fig. 4 to 8.
    """
    name, _, kind = point.estimates.partition("-")
    people = drawn(name, point.users, data, seed, point.attributes)
    protocol = local_table(
        users=point.users,
        schema=people.schema,
        method=point.method,
        epsilon=point.epsilon,
        k=point.k,
    )
    # Trials already run side by side, so a run uses one thread.
    numbers, _ = protocol.scaled(people.inputs)
    done = run(protocol, people.inputs, seed, threads=1)
    assessed = assess(protocol, done, people.totals)
    part = list(assessed.parts.values())[kind == "Categorical"]
    squares = ((assessed.estimate - assessed.truth) / assessed.units)[part] ** 2
    variances = (assessed.variance / assessed.units**2)[part]
    # The standard deviation is that of the mean square of normal, uncorrelated errors.
    return {
        "mse": float(squares.mean()),
        "expected_mse": float(variances.mean()),
        "deviation_mse": sqrt(2 * float(np.sum(variances**2))) / len(variances),
        "exact_epsilon": protocol.mechanism.exact_epsilon,
        "numeric": len(people.schema.numeric),
        "categorical": len(people.schema.categorical),
        "categories": sum(protocol.mechanism.attributes.domains),
        "mean_square": float(np.mean(numbers**2)) if numbers.size else 0.0,
        "rows": point.users if data is None or name not in STAND_INS else rows_of(name, data),
        "people": people.source,
    }


@typed(TablePoint)
def collected_cost(point: TablePoint) -> float:
    """About how many seconds a collection takes."""
    return 0.04 * point.users / 40_000 + 0.005


def with_encodings(table: Table) -> Table:
    """Return the table with other names of the methods in the rows about categories.

    In these rows the mechanism for numbers does not matter.
    """
    rows = [
        {**row, "method": f"{row['method']} on categories"}
        if row["estimates"].endswith("-Categorical")
        else row
        for row in table.rows
    ]
    return attrs.evolve(table, rows=rows)


def titles(table: Table) -> dict[str, str]:
    """The titles of the panels: what is estimated, and about whom."""
    return {
        f"{name}-{kind}": f"{kind}, {title(name, table.synthetic)}"
        for name in STAND_INS
        for kind in ("Numeric", "Categorical")
    }


def judged_among(
    quote: Quote, methods: Sequence[str], axes: Sequence[str], kind: str = ""
) -> Quote:
    """Return the same quote; the points that it names are only those of these methods.

    With a `kind` they are only those of estimates of that kind, such as `Numeric`.
    """

    def reading(table: Table) -> Counterpart:
        compared = [
            row
            for row in table.rows
            if row["method"] in methods and row["estimates"].endswith(kind)
        ]
        return attrs.evolve(quote.reading(table), judged_at=places_in_words(compared, axes))

    return attrs.evolve(quote, reading=reading)


def ours_below(rival: str, most: float = 1.0) -> Statement:
    """Return the statement that PM and HM have smaller errors than another method.

    Their errors must be below `most` times the other error.
    """

    def holds(numbers: MeasureByAxis) -> bool:
        return max(numbers["pm"], numbers["hm"]) < most * numbers[rival]

    return holds


def sampled_below(most: float = 1.0) -> Statement:
    """Return the statement that frequencies have smaller errors with sampled attributes than with
    ε/d for each attribute.

    The errors must be below `most` times the others. The statement raises `KeyError` for means,
    which it is not about.
    """

    def holds(numbers: MeasureByAxis) -> bool:
        if "pm" in numbers:
            raise KeyError("means")
        return numbers["hm"] < most * numbers["duchi"]

    return holds


def outperforms(
    source: str,
    what: str,
    place: Sequence[str],
    below: Callable[[float], Statement],
    word: str,
    methods: Sequence[str],
    kind: str,
    why: str,
) -> list[Quote]:
    """Return two quotes: errors are smaller everywhere, and they are smaller by so much as a word
    of the text asks, such as "significantly".

    `below` gives the statement that errors are smaller than so many times the others.
    """
    axes = list(place) if methods == CATEGORICAL else ["method", *place]

    def by_word(table: Table) -> Counterpart:
        statement = below(1 - table.word(word))
        return everywhere(source, what, "mse", "method", place, statement).reading(table)

    any_smaller = everywhere(
        source,
        what,
        "mse",
        "method",
        place,
        below(1.0),
        why=why,
        under=f"any smaller error counts; the next row takes the words '{word}'",
    )
    so_much = Quote(
        source,
        f"{what}: {word}",
        STATED,
        by_word,
        why=why,
        under=f"the error is smaller by the threshold of '{word}'",
    )
    return [judged_among(quote, methods, axes, kind) for quote in (any_smaller, so_much)]
