"""People from columns of real data: one row is one user, or as many as another column says."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.scenario.columns import Column
from simnet.scenario.population import ItemPopulation, NumberPopulation, TablePopulation
from simnet.scenario.schema import Categorical, Numeric, Schema

MOST_USERS = 100_000_000  # each takes 8 bytes


def numbers_of_column(
    column: Column, low: float, high: float, option: str = "--set low=... --set high=..."
) -> NumberPopulation:
    """One user for each row of a column of numbers in a range that the `option` declares.

    Raises `BadInput` for a row that holds no number, or one out of the range: the data's own least
    and largest value would tell of those who hold them.
    """
    values = np.empty(len(column.values))
    for row, text in enumerate(column.values):
        try:
            values[row] = float(text)
        except ValueError:
            raise BadInput(f"{column.row(row)} holds {text!r}, which is no number") from None
    outside = np.flatnonzero(~((values >= low) & (values <= high)))  # also finds NaN
    if outside.size:
        raise BadInput(
            f"{column.row(int(outside[0]))} holds {column.values[outside[0]]}, which is "
            f"outside the declared range "
            f"{low:g}..{high:g}: declare the range that values can have with {option}"
        )
    return NumberPopulation(values, low, high, column.source)


def table_of_columns(
    columns: Mapping[str, Column],
    numeric: Sequence[Numeric],
    categorical: Mapping[str, Sequence[str] | None],
) -> TablePopulation:
    """One user for each row of some columns, by name.

    A domain of None is what occurs in the column.

    Raises `BadInput` for a row that holds no number, or what is outside the range or domain
    declared for its column.
    """
    numbers = [
        numbers_of_column(
            columns[column.name], column.low, column.high, f"--numeric {column.name}:LOW:HIGH"
        ).inputs
        for column in numeric
    ]
    populations = [items_of_column(columns[name], domain) for name, domain in categorical.items()]
    declared = [domain is not None for domain in categorical.values()]
    domains = tuple(
        Categorical(name, column.labels, how)
        for name, column, how in zip(categorical, populations, declared, strict=True)
    )
    first = next(iter(columns.values()))
    source = f"{len(columns)} columns of {first.file}"
    if first.left_out:
        gone = "1 row that lacks" if first.left_out == 1 else f"{first.left_out:,} rows that lack"
        source += f" without {gone} a value"
    return TablePopulation(
        np.column_stack([*numbers, *(column.items for column in populations)]),
        Schema(tuple(numeric), domains),
        source,
    )


def items_of_column(column: Column, domain: Sequence[str] | None) -> ItemPopulation:
    """One user for each row of a column; the domain is what occurs in it, in order, unless given.

    Raises `BadInput` for a row whose value is outside the domain.
    """
    labels = (
        tuple(domain)
        if domain is not None
        else tuple(sorted(set(column.values), key=_order(column.values)))
    )
    place = {label: item for item, label in enumerate(labels, start=1)}
    if len(place) != len(labels):
        raise BadInput(
            f"the domain names {next(label for label in labels if labels.count(label) > 1)!r} twice"
        )
    stranger = next((row for row, value in enumerate(column.values) if value not in place), None)
    if stranger is not None:
        raise BadInput(
            f"{column.row(stranger)} holds {column.values[stranger]!r}, which is outside "
            f"the domain "
            f"of {len(labels)} items ({', '.join(labels[:5])}{', ...' if len(labels) > 5 else ''})"
        )
    items = np.array([place[value] for value in column.values], dtype=np.int64)
    return ItemPopulation(items, labels, column.source)


def items_by_counts(column: Column, counts: Column, domain: Sequence[str] | None) -> ItemPopulation:
    """As many users for each row of a column as another column of the file says.

    Rows of one item add up. Each is a user of its own, and so protected by itself: who was counted
    k times loses k times as much privacy. Raises `BadInput` for what is no number of users, for
    more than a hundred million, and for none at all.
    """
    once = items_of_column(column, domain)
    times = [_times(counts, row) for row in range(len(counts.values))]
    if not 1 <= sum(times) <= MOST_USERS:
        raise BadInput(
            f"{counts.source} adds up to {sum(times):,} users: between 1 and {MOST_USERS:,} "
            f"are expected"
        )
    return attrs.evolve(
        once,
        items=np.repeat(once.items, times),
        source=f"{column.source}, {counts.name!r} users a row, each private by itself",
    )


def _times(counts: Column, row: int) -> int:
    text = counts.values[row]
    if not (text.isascii() and text.isdigit()):
        raise BadInput(
            f"{counts.row(row)} holds {text!r}, which is no number of users: whole numbers "
            f"are expected"
        )
    return int(text)


def _order(values: Sequence[str]) -> Callable[[str], Any]:
    """Numbers in order of size, anything else in order of text.

    Equal numbers, such as 1 and 1.0, by their text.
    """
    try:
        numbers = {value: Decimal(value) for value in set(values)}
    except InvalidOperation:
        return str
    if any(number.is_nan() for number in numbers.values()):
        return str
    return lambda value: (numbers[value], value)
