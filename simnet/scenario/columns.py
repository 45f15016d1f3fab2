"""Columns of data files (CSV, CSV.gz and Parquet).

A column keeps each different value once, as a label. For each row it keeps the label's number, in 4
bytes, so that millions of rows fit in memory.
"""

import functools
import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

import attrs
import numpy as np

from simnet.arrays import Floats, Ints, Numbers
from simnet.errors import BadInput
from simnet.printable import count_of
from simnet.scenario.data_file import (
    Format,
    Numbering,
    decimal_comma,
    in_nfc,
    numbered_cells,
    quoted,
)

# A cell with one of these texts has no value; the case of letters does not matter. Neither has a
# cell with one of the marks, unless the user names others.
MISSING = ("", "nan", "+nan", "-nan")
MARKS = ("?", "NA")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# Numbers whose dot may also stand between thousands.
GROUPED = re.compile(r"[+-]?[1-9]\d?\d?\.\d{3}", re.ASCII)
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
    merged: int = 0  # the number of labels that were another one in another Unicode form
    # Where the file has a decimal comma, in words, if the dots of the column's numbers may stand
    # between thousands.
    decimal_comma: str = ""

    @classmethod
    def of(cls, name: str, file: str, values: Sequence[str]) -> "Column":
        """Return the column whose cells are `values`."""
        texts = Numbering()
        numbers = texts.numbers(values)
        return cls(name, file, tuple(texts), numbers).in_nfc()

    def in_nfc(self) -> "Column":
        """Return the column with its labels in NFC, so that one text in two Unicode forms is one
        label.
        """
        texts = Numbering()
        places = texts.numbers([*map(in_nfc, self.labels)])
        merged = len(self.labels) - len(texts)
        return attrs.evolve(self, labels=tuple(texts), numbers=places[self.numbers], merged=merged)

    @functools.cached_property
    def values(self) -> tuple[str, ...]:
        """The cells, one for each row."""
        return tuple(self.labels[number] for number in self.numbers.tolist())

    @property
    def source(self) -> str:
        """The column and its file in words, for messages."""
        return f"column {self.name!r} of {self.file}"

    @property
    def origin(self) -> str:
        """The source, and what was done to the rows and the labels, in words."""
        return with_changes(self.source, [self])

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


def with_changes(source: str, columns: Sequence[Column]) -> str:
    """Return words for the source of some columns, followed by what was done to their rows and
    labels.
    """
    gone, merged = columns[0].left_out, sum(column.merged for column in columns)
    if gone:
        source += f" without {count_of(gone, 'row')} that lack{'s' * (gone == 1)} a value"
    if merged:
        label = "1 label that is" if merged == 1 else f"{merged:,} labels that are"
        source += f", with {label} the same text as another in another Unicode form"
    return source


def number(text: str) -> Decimal | None:
    """Return the number that a text stands for, or None. Only digits of ASCII count, with a decimal
    point and an exponent, and without marks between thousands.
    """
    try:
        return Decimal(text) if NUMBER.fullmatch(text) else None
    except InvalidOperation:  # the exponent is too large
        return None


def numbers(column: Column) -> Floats:
    """Return the values as numbers, one for each row; shape (rows,).

    Raises `BadInput` for a value that is not a number, and for one such as 2.155 if the file has
    decimal commas and no number of the column shows that the dot is no mark between thousands.
    """
    column.refuse(
        lambda text: number(text) is None,
        lambda text: (
            f"holds {quoted(text)}, which is no number: write numbers such as -1234.5, with digits "
            f"and a decimal point only"
        ),
    )
    if column.decimal_comma:
        column.refuse(
            lambda text: "." in text,
            lambda text: (
                f"holds {quoted(text)}, and {column.decimal_comma}: if commas are decimal marks in "
                f"this file, the dot stands between thousands. Write {text.replace('.', '')}, or "
                f"{text}0 if the dot is a decimal point"
            ),
        )
    by_label = np.array([float(label) for label in column.labels])
    return by_label[column.numbers]


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


def read_column(
    path: Path,
    name: str,
    form: Format | None = None,
    *,
    missing: Sequence[str] = MARKS,
    drop_missing: bool = False,
) -> Column:
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
    (column,) = read_columns(path, [name], missing, drop_missing, form)
    return column


def read_columns(
    path: Path,
    names: Sequence[str],
    missing: Sequence[str] = MARKS,
    drop_missing: bool = False,
    form: Format | None = None,
) -> tuple[Column, ...]:
    """Read several columns of a file.

    A cell has no value if it is empty, `nan` with or without a sign, or one of the `missing` marks,
    in capital or small letters. Texts are compared in the Unicode form NFC. `form` may name the
    delimiter and the encoding of CSV, which are otherwise guessed, and limits the number of rows.

    Raises `BadInput` for a file or a column that cannot be used. Raises `BadInput` for a row
    without a value as well, unless `drop_missing` leaves such rows out.
    """
    names = [in_nfc(name.strip()) for name in names]
    form = form or Format()
    columns = [
        Column(name, path.name, labels, numbers).compact().in_nfc()
        for name, (labels, numbers) in zip(names, numbered_cells(path, names, form), strict=True)
    ]
    comma = decimal_comma(path, names, form) if any(map(_may_group, columns)) else ""
    columns = [
        attrs.evolve(column, decimal_comma=comma) if _may_group(column) else column
        for column in columns
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


def _may_group(column: Column) -> bool:
    """Return whether some numbers of the column have a dot, and each dot may group thousands."""
    dotted = [label for label in column.labels if "." in label]
    return bool(dotted) and all(map(GROUPED.fullmatch, dotted))


def _rows_with(column: Column, marks: set[str]) -> Ints:
    marked = np.array([label.lower() in marks for label in column.labels], dtype=np.bool_)
    return np.flatnonzero(marked[column.numbers])


def _without_value(columns: Sequence[Column], lacking: Sequence[Ints], others: int) -> str:
    row, place = min((int(rows[0]), place) for place, rows in enumerate(lacking) if rows.size)
    column = columns[place]
    count = "does 1 other row" if others == 1 else f"do {others:,} other rows"
    more = f", and so {count}" if others else ""
    text = column.labels[column.numbers[row]]
    keep = "" if text.lower() in MISSING else "; --missing names the texts that mean no value"
    return (
        f"{column.row(row)} has no value ({text!r}){more}: fill it in, or leave such rows out with "
        f"--drop-missing{keep}"
    )
