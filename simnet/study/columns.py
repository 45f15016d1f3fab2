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

MISSING = ("", "nan", "+nan", "-nan")  # cells that hold no value


@attrs.frozen
class Column:
    """The values of one column as text, in the order of the rows."""

    name: str
    file: str
    values: tuple[str, ...]

    @property
    def source(self) -> str:
        """The column in words."""
        return f"column {self.name!r} of {self.file}"

    def row(self, place: int) -> str:
        """A row in words, counted from 1 without the header."""
        return f"row {place + 1} of {self.source}"


def read_column(path: Path, name: str) -> Column:
    """One column of a file. Raises `BadInput` for a file or a column that cannot be used, naming the first bad row."""
    return read_columns(path, [name])[0]


def read_columns(path: Path, names: Sequence[str]) -> list[Column]:
    """Some columns of a file, read once. Raises `BadInput` as `read_column` does."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    reader = _parquet if path.suffix == ".parquet" else _csv
    columns = [Column(name, path.name, tuple(values)) for name, values in zip(names, reader(path, names), strict=True)]
    for column in columns:
        _check_values(column)
    return columns


def _check_values(column: Column) -> None:
    if not column.values:
        raise BadInput(f"{column.file} has a header but no rows: one row is one user")
    empty = next((place for place, value in enumerate(column.values) if value.lower() in MISSING), None)
    if empty is not None:
        raise BadInput(f"{column.row(empty)} has no value ({column.values[empty]!r}): fill it in or leave the row out")


def _csv(path: Path, names: Sequence[str]) -> list[list[str]]:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            return _cells(file, path.name, names)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path.name} cannot be read as CSV: {' '.join(str(error).split())}") from error


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
            raise BadInput(f"line {rows.line_num} of {path} has {len(row)} fields, the header has {len(header)}")
        for place, column in zip(places, columns, strict=True):
            column.append(row[place].strip())
    return columns


def _parquet(path: Path, names: Sequence[str]) -> list[list[str]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BadInput("reading Parquet needs pyarrow: install simnet[data]") from None
    try:
        file = pyarrow.parquet.ParquetFile(path)
        for name in names:
            _place(file.schema_arrow.names, path.name, name)
        return [[_text(value) for value in file.read([name]).column(0).to_pylist()] for name in names]
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path.name} cannot be read as Parquet: {' '.join(str(error).split())}") from error


def _text(value: Any) -> str:
    """A cell as a label: None and NaN are no value, whole floats lose their point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        value = value.decode()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _place(header: Sequence[str], path: str, name: str) -> int:
    if name not in header:
        raise BadInput(f"{path} has no column {name!r}: it has {' '.join(', '.join(header).split())}")
    if list(header).count(name) > 1:
        raise BadInput(f"{path} names column {name!r} twice: which one is meant?")
    return list(header).index(name)
