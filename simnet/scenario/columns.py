"""Columns of data files (CSV, CSV.gz and Parquet).

A column keeps each different value once, as a label. For each row it keeps the label's number, in 4
bytes, so that millions of rows fit in memory.
"""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import numpy as np

from simnet.arrays import Ints, Numbers
from simnet.errors import BadInput
from simnet.scenario.data_file import Format, numbered_cells, quoted

# A cell with one of these texts has no value; the case of letters does not matter.
MISSING = ("", "nan", "+nan", "-nan")
LONGEST_NUMBER = 18  # the most digits of a whole number that surely fits 64 bits


@attrs.frozen(eq=False)
class Column:
    """One column: `labels` are its different values, and row i has `labels[numbers[i]]`."""

    name: str
    file: str
    labels: tuple[str, ...]
    numbers: Numbers  # shape (rows,)
    places: Ints | None = None  # the rows' places in the file, if some rows were left out
    left_out: int = 0  # the number of rows that were left out

    @classmethod
    def of(cls, name: str, file: str, values: Sequence[str]) -> "Column":
        """Return the column whose cells are `values`."""
        labels = {label: number for number, label in enumerate(dict.fromkeys(values))}
        numbers = np.array([labels[value] for value in values], dtype=np.int32)
        return cls(name, file, tuple(labels), numbers)

    @functools.cached_property
    def values(self) -> tuple[str, ...]:
        """The cells, one for each row."""
        return tuple(self.labels[number] for number in self.numbers.tolist())

    @property
    def source(self) -> str:
        """The column and its file in words, for messages."""
        return f"column {self.name!r} of {self.file}"

    def row(self, place: int) -> str:
        """Return a row in words, for messages; rows count from 1, without the header."""
        return f"row {(place if self.places is None else self.places[place]) + 1} of {self.source}"

    def refuse(self, is_wrong: Callable[[str], bool], why: Callable[[str], str]) -> None:
        """Raise `BadInput` if `is_wrong` is true for some value; `why` gives the words for the
        first such value.
        """
        wrong = np.array([is_wrong(label) for label in self.labels], dtype=np.bool_)
        if wrong.any():
            row = int(wrong[self.numbers].argmax())
            raise BadInput(f"{self.row(row)} {why(self.labels[self.numbers[row]])}")

    def without(self, rows: Ints) -> "Column":
        """Return the column without the rows at these places, and without the values that occur in
        none of the other rows.
        """
        places = np.delete(np.arange(len(self.numbers)), rows)
        return attrs.evolve(
            self, numbers=self.numbers[places], places=places, left_out=len(rows)
        ).compact()

    def compact(self) -> "Column":
        """Return the column without the values that no row has."""
        counts = np.bincount(self.numbers, minlength=len(self.labels))
        if counts.all():
            return self
        occurring = np.flatnonzero(counts)
        renumbered = (np.cumsum(counts > 0) - 1).astype(np.int32)
        labels = tuple(self.labels[number] for number in occurring.tolist())
        return attrs.evolve(self, labels=labels, numbers=renumbered[self.numbers])


def whole_numbers(column: Column, least: int = 0, most: int | None = None) -> list[int]:
    """Return the values as whole numbers.

    Raises `BadInput` for a value that is not a whole number in `least..most`; the message names the
    first such row.
    """

    def is_wrong(text: str) -> bool:
        number = whole_number(text)
        return number is None or number < least or (most is not None and number > most)

    upper = "on" if most is None else f"to {most}"
    expected = f"where a whole number from {least} {upper} is expected"
    column.refuse(is_wrong, lambda text: f"has {quoted(text)}, {expected}")
    by_label = [whole_number(label) or 0 for label in column.labels]
    return [by_label[number] for number in column.numbers.tolist()]


def whole_number(text: str) -> int | None:
    """Return the whole number that a text stands for, or None.

    Only digits without a sign count, and at most 18 of them besides leading zeros: such a number
    fits 64 bits.
    """
    is_digits = text.isascii() and text.isdigit()
    # Python refuses to convert thousands of digits, even if they are zeros.
    digits = text.lstrip("0") or "0"
    return int(digits) if is_digits and len(digits) <= LONGEST_NUMBER else None


def read_column(path: Path, name: str, form: Format | None = None) -> Column:
    r"""Read one column of a file, for `perform` and for protocols of your own.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from simnet import perform, read_column
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "people.csv"
    ...     lines = file.write_text("city\nBern\nBasel\nBern\n")
    ...     column = read_column(file, "city")
    >>> perform("dpds", data=column, claims=False).labels
    ('Basel', 'Bern')

    Raises `BadInput` for a file or a column that cannot be used, for example if a cell has no value
    (see `read_columns`).
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
    """Read several columns of a file.

    A cell has no value if it is empty, `nan` with or without a sign, or one of the `missing` marks,
    in capital or small letters. `form` may name the delimiter and the encoding of CSV, which are
    otherwise guessed, and limits the number of rows.

    Raises `BadInput` for a file or a column that cannot be used. Raises `BadInput` for a row
    without a value as well, unless `drop_missing` leaves such rows out.
    """
    names = [name.strip() for name in names]
    columns = [
        Column(name, path.name, labels, numbers).compact()
        for name, (labels, numbers) in zip(
            names, numbered_cells(path, names, form or Format()), strict=True
        )
    ]
    if not len(columns[0].numbers):
        raise BadInput(f"{path.name} has names of columns, but no rows")
    marks = {*MISSING, *(mark.lower() for mark in missing)}
    lacking = [_rows_with(column, marks) for column in columns]
    gone = functools.reduce(np.union1d, lacking)
    if not gone.size:
        return tuple(columns)
    if not drop_missing:
        raise BadInput(_without_value(columns, lacking, len(gone) - 1))
    if len(gone) == len(columns[0].numbers):
        raise BadInput(f"{path.name} has no row with a value in every column that you name")
    return tuple(column.without(gone) for column in columns)


def _rows_with(column: Column, marks: set[str]) -> Ints:
    marked = np.array([label.lower() in marks for label in column.labels], dtype=np.bool_)
    return np.flatnonzero(marked[column.numbers])


def _without_value(columns: Sequence[Column], lacking: Sequence[Ints], others: int) -> str:
    row, place = min((int(rows[0]), place) for place, rows in enumerate(lacking) if rows.size)
    column = columns[place]
    count = "does 1 other row" if others == 1 else f"do {others:,} other rows"
    more = f", and so {count}" if others and len(columns) > 1 else ""
    drop = ", with --drop-missing" if len(columns) > 1 else ""
    return (
        f"{column.row(row)} has no value ({column.labels[column.numbers[row]]!r}){more}: fill it "
        f"in or leave the row out{drop}"
    )
