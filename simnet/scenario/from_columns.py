"""People from columns of real data: one row is one user, or as many as another column says."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.scenario.columns import Column, whole_number
from simnet.scenario.data_file import LONGEST_QUOTE, quoted
from simnet.scenario.population import ItemPopulation, NumberPopulation, TablePopulation
from simnet.scenario.schema import Categorical, Numeric, Schema

MOST_USERS = 100_000_000  # each takes 8 bytes


def numbers_of_column(
    column: Column, low: float, high: float, option: str = "--low ... --high ..."
) -> NumberPopulation:
    """One user for each row of a column of numbers in a range that the `option` declares.

    Raises `BadInput` for a row that holds no number, or one out of the range: the data's own least
    and largest value would tell of those who hold them.
    """
    column.refuse(_is_no_number, lambda text: f"holds {quoted(text)}, which is no number")
    column.refuse(
        lambda text: not low <= float(text) <= high,  # NaN is outside too
        lambda text: (
            f"holds {text[:LONGEST_QUOTE]}, which is outside the declared range {low:g}..{high:g}: "
            f"declare the range that values can have with {option}"
        ),
    )
    by_label = np.array([float(label) for label in column.labels])
    return NumberPopulation(by_label[column.numbers], low, high, column.source)


def _is_no_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False


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
        else tuple(sorted(column.labels, key=_order(column.labels)))
    )
    place = {label: item for item, label in enumerate(labels, start=1)}
    if len(place) != len(labels):
        raise BadInput(
            f"the domain names {next(label for label in labels if labels.count(label) > 1)!r} twice"
        )
    shown = ", ".join(label[:LONGEST_QUOTE] for label in labels[:5])
    column.refuse(
        lambda value: value not in place,
        lambda value: (
            f"holds {quoted(value)}, which is outside the domain of {len(labels)} items "
            f"({shown}{', ...' if len(labels) > 5 else ''})"
        ),
    )
    by_label = np.array([place[label] for label in column.labels], dtype=np.int64)
    return ItemPopulation(by_label[column.numbers], labels, column.source)


def items_by_counts(column: Column, counts: Column, domain: Sequence[str] | None) -> ItemPopulation:
    """As many users for each row of a column as another column of the file says.

    Rows of one item add up. Each is a user of its own, and so protected by itself: who was counted
    k times loses k times as much privacy. Raises `BadInput` for what is no number of users, for
    more than a hundred million, and for none at all.
    """
    once = items_of_column(column, domain)
    counts.refuse(
        lambda text: whole_number(text) is None,
        lambda text: (
            f"holds {quoted(text)}, which is no number of users: whole numbers are expected"
        ),
    )
    by_label = [int(label) for label in counts.labels]
    rows = np.bincount(counts.numbers, minlength=len(by_label)).tolist()
    total = sum(number * times for number, times in zip(by_label, rows, strict=True))
    if not 1 <= total <= MOST_USERS:
        raise BadInput(
            f"{counts.source} adds up to {total:,} users: between 1 and {MOST_USERS:,} are expected"
        )
    return attrs.evolve(
        once,
        items=np.repeat(once.items, np.array(by_label)[counts.numbers]),
        source=f"{column.source}, {counts.name!r} users a row, each private by itself",
    )


def _order(values: Sequence[str]) -> Callable[[str], Any]:
    """Numbers in order of size, anything else in order of text.

    Equal numbers, such as 1 and 1.0, by their text.
    """
    try:
        numbers = {value: Decimal(value) for value in values}
    except InvalidOperation:
        return str
    if any(number.is_nan() for number in numbers.values()):
        return str
    return lambda value: (numbers[value], value)
