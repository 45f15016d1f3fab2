"""Columns of real data: CSV, CSV.gz and Parquet; one row is one user, values become labels."""

import csv
import gzip
import math
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import attrs

from simnet.errors import BadInput
from simnet.installed import extra_missing

MISSING = ("", "nan", "+nan", "-nan")  # cells that hold no value


@attrs.frozen
class Column:
    """The values of one column as text, in the order of the rows."""

    name: str
    file: str
    values: tuple[str, ...]
    places: tuple[int, ...] | None = None  # of these rows in the file, where some are left out
    left_out: int = 0  # how many rows

    @property
    def source(self) -> str:
        """The column in words."""
        return f"column {self.name!r} of {self.file}"

    def row(self, place: int) -> str:
        """A row in words, counted from 1 without the header."""
        return f"row {(place if self.places is None else self.places[place]) + 1} of {self.source}"


def whole_numbers(column: Column, least: int = 0, most: int | None = None) -> list[int]:
    """The values as whole numbers.

    Raises `BadInput` for anything else and outside the range, naming the first row.
    """
    for place, value in enumerate(column.values):
        if not value.isdecimal() or int(value) < least or (most is not None and int(value) > most):
            upper = "on" if most is None else f"to {most}"
            raise BadInput(
                f"{column.row(place)} has {value!r}, where a whole number from {least} "
                f"{upper} is expected"
            )
    return [int(value) for value in column.values]


def read_column(path: Path, name: str) -> Column:
    """One column of a file.

    Raises `BadInput` for a file or a column that cannot be used, naming the first bad row.
    """
    (column,) = read_columns(path, [name])
    return column


def read_columns(
    path: Path, names: Sequence[str], missing: Sequence[str] = (), drop_missing: bool = False
) -> tuple[Column, ...]:
    """Several columns of a file, in one pass.

    Cells that are empty or one of the `missing` marks hold no value.

    Raises `BadInput` for a file or a column that cannot be used, and for a row without a value
    unless such rows are to be left out, naming the first.
    """
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    columns = (_parquet if path.suffix == ".parquet" else _csv)(path, names)
    if not columns[0]:
        raise BadInput(f"{path.name} has a header but no rows: one row is one user")
    marks = {*MISSING, *(mark.lower() for mark in missing)}
    lacking = [
        [place for place, value in enumerate(values) if value.lower() in marks]
        for values in columns
    ]
    if not any(lacking):
        return tuple(
            Column(name, path.name, tuple(values))
            for name, values in zip(names, columns, strict=True)
        )
    if not drop_missing:
        raise BadInput(_without_value(path, names, columns, lacking))
    gone = {place for places in lacking for place in places}
    complete = tuple(place for place in range(len(columns[0])) if place not in gone)
    if not complete:
        raise BadInput(f"{path.name} has no row with a value in every column that is asked for")
    return tuple(
        Column(name, path.name, tuple(values[place] for place in complete), complete, len(gone))
        for name, values in zip(names, columns, strict=True)
    )


def _without_value(
    path: Path,
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    lacking: Sequence[Sequence[int]],
) -> str:
    """What to say of the first row without a value, and what to do about it."""
    row, column = min((places[0], column) for column, places in enumerate(lacking) if places)
    where = Column(names[column], path.name, ()).row(row)
    others = len({place for places in lacking for place in places}) - 1
    more = f", and so do {others:,} other rows" if others and len(names) > 1 else ""
    drop = ", with --drop-missing" if len(names) > 1 else ""
    return (
        f"{where} has no value ({columns[column][row]!r}){more}: fill it in or leave the row "
        f"out{drop}"
    )


def _csv(path: Path, names: Sequence[str]) -> list[list[str]]:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            return _cells(file, path.name, names)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(
            f"{path.name} cannot be read as CSV: {' '.join(str(error).split())}"
        ) from error


def _cells(file: TextIO, path: str, names: Sequence[str]) -> list[list[str]]:
    rows = csv.reader(file, strict=True)
    header = next(rows, None)
    if not header:
        raise BadInput(f"{path} is empty: a header line with the names of the columns is expected")
    places = [_place(header, path, name) for name in names]
    columns: list[list[str]] = [[] for _ in names]
    for row in rows:
        if not row and len(header) > 1:
            continue  # a blank line; in a file of one column it is a row without a value
        row = row or [""]
        if len(row) != len(header):
            raise BadInput(
                f"line {rows.line_num} of {path} has {len(row)} fields, the header has "
                f"{len(header)}"
            )
        for values, place in zip(columns, places, strict=True):
            values.append(row[place].strip())
    return columns


def _parquet(path: Path, names: Sequence[str]) -> list[list[str]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BadInput(extra_missing("reading Parquet", "pyarrow", "data")) from None
    try:
        file = pyarrow.parquet.ParquetFile(path)
        for name in names:
            _place(file.schema_arrow.names, path.name, name)
        read = file.read(list(names))
        return [[_text(value) for value in read.column(name).to_pylist()] for name in names]
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path.name} cannot be read as Parquet: {' '.join(str(error).split())}"
        ) from error


def _text(value: Any) -> str:
    """A cell as a label: None and NaN are no value, whole floats lose their point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        value = value.decode()
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    )


def _place(header: Sequence[str], path: str, name: str) -> int:
    if name not in header:
        raise BadInput(
            f"{path} has no column {name!r}: it has {' '.join(', '.join(header).split())}"
        )
    if list(header).count(name) > 1:
        raise BadInput(f"{path} names column {name!r} twice: which one is meant?")
    return list(header).index(name)
