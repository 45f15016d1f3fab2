"""Columns of real data: CSV, CSV.gz and Parquet; one row is one user, values become labels.

A column keeps each different value once, and for each row the value's number, which takes 4 bytes.
So a sample of the users is drawn when all rows are known, from the seed and the number of rows
alone: the same users, however the file was written or read.
"""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import numpy as np

from simnet.arrays import Ints, Numbers
from simnet.errors import BadInput
from simnet.scenario.data_file import Format, numbered_cells, quoted

MISSING = ("", "nan", "+nan", "-nan")  # cells that hold no value
LONGEST_NUMBER = 18  # digits of a whole number that fits 64 bits


@attrs.frozen(eq=False)
class Column:
    """One column: `labels` are its different values, `labels[numbers[i]]` is that of row i."""

    name: str
    file: str
    labels: tuple[str, ...]
    numbers: Numbers  # shape (rows,)
    places: Ints | None = None  # of these rows in the file, where some are left out
    left_out: int = 0  # how many rows

    @classmethod
    def of(cls, name: str, file: str, values: Sequence[str]) -> "Column":
        """The column of these cells."""
        labels = {label: number for number, label in enumerate(dict.fromkeys(values))}
        numbers = np.array([labels[value] for value in values], dtype=np.int32)
        return cls(name, file, tuple(labels), numbers)

    @functools.cached_property
    def values(self) -> tuple[str, ...]:
        """The cell of every row."""
        return tuple(self.labels[number] for number in self.numbers.tolist())

    @property
    def source(self) -> str:
        """The column in words."""
        return f"column {self.name!r} of {self.file}"

    def row(self, place: int) -> str:
        """A row in words, counted from 1 without the header."""
        return f"row {(place if self.places is None else self.places[place]) + 1} of {self.source}"

    def refuse(self, is_wrong: Callable[[str], bool], why: Callable[[str], str]) -> None:
        """Raise `BadInput` for the first row whose value is wrong, and say why."""
        wrong = np.array([is_wrong(label) for label in self.labels], dtype=np.bool_)
        if wrong.any():
            row = int(wrong[self.numbers].argmax())
            raise BadInput(f"{self.row(row)} {why(self.labels[self.numbers[row]])}")

    def without(self, rows: Ints) -> "Column":
        """The column without some rows, and without the values that stand in none of the others."""
        places = np.delete(np.arange(len(self.numbers)), rows)
        return attrs.evolve(
            self, numbers=self.numbers[places], places=places, left_out=len(rows)
        ).compact()

    def compact(self) -> "Column":
        """The column without values that stand in no row."""
        counts = np.bincount(self.numbers, minlength=len(self.labels))
        if counts.all():
            return self
        occurring = np.flatnonzero(counts)
        renumbered = (np.cumsum(counts > 0) - 1).astype(np.int32)
        labels = tuple(self.labels[number] for number in occurring.tolist())
        return attrs.evolve(self, labels=labels, numbers=renumbered[self.numbers])


def whole_numbers(column: Column, least: int = 0, most: int | None = None) -> list[int]:
    """The values as whole numbers.

    Raises `BadInput` for anything else and outside the range, naming the first row.
    """

    def is_wrong(text: str) -> bool:
        number = whole_number(text)
        return number is None or number < least or (most is not None and number > most)

    upper = "on" if most is None else f"to {most}"
    expected = f"where a whole number from {least} {upper} is expected"
    column.refuse(is_wrong, lambda text: f"has {quoted(text)}, {expected}")
    by_label = [int(label) for label in column.labels]
    return [by_label[number] for number in column.numbers.tolist()]


def whole_number(text: str) -> int | None:
    """The whole number that a text is, if it is one that fits 64 bits and has no sign."""
    is_digits = text.isascii() and text.isdigit()
    return int(text) if is_digits and len(text.lstrip("0")) <= LONGEST_NUMBER else None


def read_column(path: Path, name: str, form: Format | None = None) -> Column:
    """One column of a file.

    Raises `BadInput` for a file or a column that cannot be used, naming the first bad row.
    """
    (column,) = read_columns(path, [name], form=form)
    return column


def read_columns(
    path: Path,
    names: Sequence[str],
    missing: Sequence[str] = (),
    drop_missing: bool = False,
    form: Format | None = None,
) -> tuple[Column, ...]:
    """Several columns of a file, in one pass.

    Cells that are empty or one of the `missing` marks hold no value. The `form` tells delimiter and
    encoding of CSV, where they are not to be found out, and how many rows are read at most.

    Raises `BadInput` for a file or a column that cannot be used, and for a row without a value
    unless such rows are to be left out, naming the first.
    """
    names = [name.strip() for name in names]
    columns = [
        Column(name, path.name, labels, numbers).compact()
        for name, (labels, numbers) in zip(
            names, numbered_cells(path, names, form or Format()), strict=True
        )
    ]
    if not len(columns[0].numbers):
        raise BadInput(f"{path.name} has a header but no rows: one row is one user")
    marks = {*MISSING, *(mark.lower() for mark in missing)}
    lacking = [_rows_with(column, marks) for column in columns]
    gone = functools.reduce(np.union1d, lacking)
    if not gone.size:
        return tuple(columns)
    if not drop_missing:
        raise BadInput(_without_value(columns, lacking, len(gone) - 1))
    if len(gone) == len(columns[0].numbers):
        raise BadInput(f"{path.name} has no row with a value in every column that is asked for")
    return tuple(column.without(gone) for column in columns)


def _rows_with(column: Column, marks: set[str]) -> Ints:
    """The rows whose cell is one of the marks."""
    marked = np.array([label.lower() in marks for label in column.labels], dtype=np.bool_)
    return np.flatnonzero(marked[column.numbers])


def _without_value(columns: Sequence[Column], lacking: Sequence[Ints], others: int) -> str:
    """What to say of the first row without a value, and what to do about it."""
    row, place = min((int(rows[0]), place) for place, rows in enumerate(lacking) if rows.size)
    column = columns[place]
    more = f", and so do {others:,} other rows" if others and len(columns) > 1 else ""
    drop = ", with --drop-missing" if len(columns) > 1 else ""
    return (
        f"{column.row(row)} has no value ({column.labels[column.numbers[row]]!r}){more}: fill it "
        f"in or leave the row out{drop}"
    )
