"""Users from columns of real data: one user for each row, or the number of users that another
column gives for the row.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.printable import count_of
from simnet.scenario.columns import (
    LONGEST_NUMBER,
    Column,
    number,
    numbers,
    whole_number,
    with_changes,
)
from simnet.scenario.data_file import LONGEST_QUOTE, in_nfc, quoted
from simnet.scenario.population import ItemPopulation, NumberPopulation, TablePopulation
from simnet.scenario.schema import Categorical, Numeric, Schema

MOST_USERS = 100_000_000  # the most users; each user takes 8 bytes of memory


def numbers_of_column(
    column: Column, low: float, high: float, option: str = "--low ... --high ..."
) -> NumberPopulation:
    """Return one user for each row of a column of numbers in the declared range `low..high`.
    Messages name the `option` that declares this range.

    Raises `BadInput` for a row without a number, or with a number outside the range. The range must
    be declared, because the smallest and largest value of the data would reveal the values of some
    users.
    """
    values = numbers(column)
    column.refuse(
        lambda text: not low <= float(text) <= high,
        lambda text: (
            f"holds {text[:LONGEST_QUOTE]}, which is outside the declared range {low:g}..{high:g}: "
            f"declare the range that values can have with {option}"
        ),
    )
    return NumberPopulation(values, low, high, column.origin)


def table_of_columns(
    columns: Mapping[str, Column],
    numeric: Sequence[Numeric],
    categorical: Mapping[str, Sequence[str] | None],
) -> TablePopulation:
    """Return one user for each row of several columns.

    If the domain of a column is None, it consists of the values that occur.

    Raises `BadInput` for a value outside the declared range or domain of its column, and for a
    value of a column in `numeric` that is not a number.
    """
    values = [
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
    source = f"{count_of(len(columns), 'column')} of {first.file}"
    return TablePopulation(
        np.column_stack([*values, *(column.items for column in populations)]),
        Schema(tuple(numeric), domains),
        with_changes(source, [*columns.values()]),
    )


def items_of_column(column: Column, domain: Sequence[str] | None) -> ItemPopulation:
    """Return one user for each row of a column.

    If `domain` is None, it consists of the values that occur, sorted.

    Raises `BadInput` for a row whose value is outside the domain, and for a domain that names an
    item twice.
    """
    labels = (
        tuple(map(in_nfc, domain))
        if domain is not None
        else tuple(sorted(column.labels, key=_order(column.labels)))
    )
    place = {label: item for item, label in enumerate(labels, start=1)}
    if len(place) != len(labels):
        again = next(label for label in labels if labels.count(label) > 1)
        raise BadInput(f"the domain names {again!r} more than once")
    shown = ", ".join(label[:LONGEST_QUOTE] for label in labels[:5])
    column.refuse(
        lambda value: value not in place,
        lambda value: (
            f"holds {quoted(value)}, which is outside the domain of {len(labels)} "
            f"item{'' if len(labels) == 1 else 's'} ({shown}{', ...' if len(labels) > 5 else ''})"
        ),
    )
    by_label = np.array([place[label] for label in column.labels], dtype=np.int64)
    return ItemPopulation(by_label[column.numbers], labels, column.origin)


def items_by_counts(column: Column, counts: Column, domain: Sequence[str] | None) -> ItemPopulation:
    """Return, for each row of a column, as many users as another column says.

    Rows with the same item add up. The privacy statement is about one counted user, so a person who
    was counted several times loses more privacy.

    Raises `BadInput` for a count that is not a whole number, for more than a hundred million users,
    and for no users.
    """
    once = items_of_column(column, domain)
    counts.refuse(
        lambda text: whole_number(text) is None,
        lambda text: (
            f"holds {quoted(text)}, which is no number of users: whole numbers of at most "
            f"{LONGEST_NUMBER} digits are expected"
        ),
    )
    by_label = [whole_number(label) or 0 for label in counts.labels]
    rows = np.bincount(counts.numbers, minlength=len(by_label)).tolist()
    total = sum(number * times for number, times in zip(by_label, rows, strict=True))
    if not 1 <= total <= MOST_USERS:
        raise BadInput(
            f"{counts.source} adds up to {total:,} users: between 1 and {MOST_USERS:,} are expected"
        )
    return attrs.evolve(
        once,
        items=np.repeat(once.items, np.array(by_label)[counts.numbers]),
        source=f"{once.source}, with as many users as column {counts.name!r} says",
    )


def _order(values: Sequence[str]) -> Callable[[str], Any]:
    """Return the key by which values are sorted: by size if all are numbers, else by text."""
    by_value = {value: number(value) for value in values}
    return str if None in by_value.values() else lambda value: (by_value[value], value)
