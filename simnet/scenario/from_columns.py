"""Users from columns of real data: one user for each row, or the number of users that another
column gives for the row.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.printable import count_of
from simnet.scenario.columns import LONGEST_NUMBER, Column, whole_number
from simnet.scenario.data_file import LONGEST_QUOTE, quoted
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
    """Return one user for each row of several columns.

    If the domain of a column is None, it consists of the values that occur.

    Raises `BadInput` for a value outside the declared range or domain of its column, and for a
    value of a column in `numeric` that is not a number.
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
    source = f"{count_of(len(columns), 'column')} of {first.file}"
    if first.left_out:
        gone = "1 row that lacks" if first.left_out == 1 else f"{first.left_out:,} rows that lack"
        source += f" without {gone} a value"
    return TablePopulation(
        np.column_stack([*numbers, *(column.items for column in populations)]),
        Schema(tuple(numeric), domains),
        source,
    )


def items_of_column(column: Column, domain: Sequence[str] | None) -> ItemPopulation:
    """Return one user for each row of a column.

    If `domain` is None, it consists of the values that occur, sorted.

    Raises `BadInput` for a row whose value is outside the domain, and for a domain that names an
    item twice.
    """
    labels = (
        tuple(domain)
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
    return ItemPopulation(by_label[column.numbers], labels, column.source)


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
        source=f"{column.source}, with as many users as column {counts.name!r} says",
    )


def _order(values: Sequence[str]) -> Callable[[str], Any]:
    """Return the key by which values are sorted: by size if all are numbers, else by text."""
    try:
        numbers = {value: Decimal(value) for value in values}
    except InvalidOperation:
        return str
    if any(number.is_nan() for number in numbers.values()):
        return str
    return lambda value: (numbers[value], value)
