"""Reading data files in batches: CSV, CSV.gz and Parquet.

Theory of operation. A data file comes from another program, and a small file may unpack to
gigabytes. So we read batches of rows, and of each requested column we keep the different values
and, for each row, the number of its value (see `columns`). A file with more than `max_rows` rows,
or with more than `max_rows` times `ROW_LENGTH` characters (for Parquet, bytes), is refused.

If the user names no encoding, the program recognises the encoding of CSV by the mark at the
beginning of the file, and takes UTF-8 if there is no mark. If the user names no delimiter, the
program takes the one that a first line such as `sep=;` names, or else the first one of comma,
semicolon, tab and vertical bar that splits the header so that the requested columns occur.
"""

import codecs
import contextlib
import csv
import gzip
import io
import itertools
import math
import operator
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.errors import BadInput
from simnet.installed import extra_missing

MOST_ROWS = 10_000_000  # the most rows of a file, unless the option --max-rows raises the limit
ROW_LENGTH = 100  # characters: a file may have this many for each row that it may have
LONGEST_LINE = 1 << 19  # characters
LONGEST_QUOTE = 60  # a message shows at most this many characters of text from a file
NAMES_SHOWN = 20
PIECE = 1 << 18  # the number of characters that are read at a time
# The number of rows in a batch of Parquet; the largest number of rows in a batch of CSV, which
# should fit into the processor's cache; and the number of rows of CSV that are read in one step.
BATCH, CSV_BATCH, FEW = 1 << 16, 1 << 10, 16
BATCH_CHARACTERS = 1 << 22
DELIMITERS = (",", ";", "\t", "|")
# The first line of a file may name the delimiter, for Excel.
NAMED_DELIMITER = re.compile(r'"?sep=([^\w"])"?', re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d[\d.]*,\d+", re.ASCII)
GROUPING_COMMA = re.compile(r"[+-]?[1-9]\d?\d?,\d{3}", re.ASCII)
# Marks at the beginning of a text, and the encoding that each mark stands for. UTF-32 comes before
# UTF-16, because one mark of UTF-32 begins with a mark of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The cells of a column: different texts, and for each row the place of its cell among these texts.
# The second part is None if the first part lists the cells themselves, one for each row.
Cells = tuple[Sequence[str], Numbers | None]
Batch = Sequence[Cells]  # the cells of each column

ZIP, GZIP, PARQUET, OLE = b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"\xd0\xcf\x11\xe0"


@attrs.frozen
class Format:
    """What the user says about a data file. The program itself recognises a delimiter and an
    encoding that are None.

    Raises `BadInput` for a delimiter that is not one suitable character, for an unknown encoding,
    and for a `max_rows` below 1.
    """

    delimiter: str | None = None
    encoding: str | None = None
    max_rows: int = MOST_ROWS

    def __attrs_post_init__(self) -> None:
        one = self.delimiter
        if one is not None and (len(one) != 1 or one.isalnum() or one in '"\r\n\0'):
            raise BadInput(
                "--delimiter takes one character, such as ; or tab, and no letter, digit, "
                f"quotation mark or line end: got {one!r}"
            )
        if self.max_rows < 1:
            raise BadInput(f"--max-rows takes at least 1, got {self.max_rows}")
        try:
            b"text".decode(self.encoding or "utf-8")
        except UnicodeDecodeError:
            pass  # Python knows the encoding, although `text` is not valid in it
        except (LookupError, ValueError) as error:
            raise BadInput(
                f"no encoding of text is called {self.encoding!r}: utf-8, utf-16, latin-1 and "
                f"cp1252 are common ones"
            ) from error

    @classmethod
    def of_options(
        cls, delimiter: str | None, encoding: str | None, max_rows: int | None
    ) -> "Format":
        """Return the format that the options name; `tab` or a backslash with a t stands for a
        tab.
        """
        named = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
        return cls(named, encoding, MOST_ROWS if max_rows is None else max_rows)


class Numbering(dict[str, int]):
    """A numbering of texts: each new text gets the next number."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def numbers(self, texts: Sequence[str]) -> Numbers:
        """Return the numbers of some texts; shape (len(texts),)."""
        return np.fromiter(map(self.__getitem__, texts), np.int32, len(texts))


def numbered_cells(
    path: Path, names: Sequence[str], form: Format
) -> list[tuple[tuple[str, ...], Numbers]]:
    """Return the labels of each column, all different, and for each row the number of its label.

    A label may occur in no row. Blanks around a cell are removed. A missing cell of Parquet is the
    empty text.

    Raises `BadInput` for a file or a column that cannot be used.
    """
    numberings = [Numbering() for _ in names]
    parts: list[list[Numbers]] = [[np.empty(0, np.int32)] for _ in names]
    rows = 0
    for batch in _batches(path, names, form):
        for numbering, part, (values, places) in zip(numberings, parts, batch, strict=True):
            numbers = numbering.numbers(values)
            part.append(numbers if places is None else numbers[places])
        rows += len(parts[0][-1])
        if rows > form.max_rows:
            raise _too_many(path, form)
    return [
        (tuple(numbering), np.concatenate(part))
        for numbering, part in zip(numberings, parts, strict=True)
    ]


def in_nfc(text: str) -> str:
    """Return the text in NFC, the Unicode form in which texts are compared."""
    return unicodedata.normalize("NFC", text)


def quoted(text: str) -> str:
    """Return text from a file for use in a message, cut if it is long."""
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")


def decimal_comma(path: Path, names: Sequence[str], form: Format) -> str:
    """Return in words where the file has its first number with a decimal comma; empty if there is
    none, and for Parquet. Between the fields of a file with another delimiter, a number such as
    1,234 counts, too.
    """
    if path.suffix == ".parquet":
        return ""
    rows_before = 0
    for delimiter, header, batch in _rows(path, names, form):
        for row, cells in enumerate(batch, start=rows_before + 1):
            for name, cell in zip(header, map(str.strip, cells), strict=True):
                if DECIMAL_COMMA.fullmatch(cell) and not (
                    delimiter == "," and GROUPING_COMMA.fullmatch(cell)
                ):
                    return f"row {row} of column {quoted(name)} holds {quoted(cell)}"
        rows_before += len(batch)
    return ""


def _batches(path: Path, names: Sequence[str], form: Format) -> Iterator[Batch]:
    try:
        if path.is_dir():
            raise BadInput(f"{path} is a folder, where a file of data is expected")
        if not path.exists():
            raise BadInput(f"there is no file {path}")
        if not path.is_file():
            raise BadInput(f"{path} is no ordinary file: save the data to a file first")
        _is_packed(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return (_parquet if path.suffix == ".parquet" else _csv)(path, names, form)


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == GZIP or path.suffix == ".gz"


def _refuse_other_programs(path: Path, head: bytes) -> None:
    if head.startswith((ZIP, OLE)):
        is_workbook = path.suffix.startswith(".xls")
        what = "an Excel workbook" if is_workbook else "a workbook or an archive"
        unpack = "" if is_workbook else ", or unpack the archive"
        raise BadInput(f"{path.name} is {what}, and no CSV: save the sheet as CSV (UTF-8){unpack}")
    if head.startswith(PARQUET):
        raise BadInput(f"{path.name} is a Parquet file: its name should end in .parquet")


def _too_many(path: Path, form: Format) -> BadInput:
    return BadInput(
        f"{path.name} has more rows than {form.max_rows:,}: --max-rows takes a larger limit"
    )


# CSV


@attrs.define
class _Text:
    """The lines of a CSV file, with the number of characters read so far."""

    path: Path
    is_packed: bool
    encoding: str
    most: int  # characters
    characters: int = 0

    @contextlib.contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        with io.TextIOWrapper(
            _unpacked(self.path, self.is_packed), encoding=self.encoding, newline=""
        ) as file:
            self.characters = 0
            yield itertools.chain.from_iterable(self._pieces(file))

    def _pieces(self, file: TextIO) -> Iterator[Iterator[str]]:
        name, number, rest = self.path.name, 0, ""
        while piece := file.read(PIECE):
            self.characters += len(piece)
            if "\0" in piece:
                before = piece[: piece.index("\0")]
                raise BadInput(
                    f"line {number + 1 + _line_ends(before):,} of {name} holds a NUL byte: "
                    f"if the file is text in UTF-16, say so with --encoding utf-16-le or utf-16-be"
                )
            if self.characters > self.most:
                raise BadInput(
                    f"{name} holds more than {self.most:,} characters, {ROW_LENGTH} for each row "
                    f"that it may have: --max-rows takes a larger limit"
                )
            number += _line_ends(piece)
            text = rest + piece
            # A \r at the end may be the first half of a line end \r\n.
            end = 1 + max(text.rfind("\n"), text.rfind("\r", 0, -1))
            rest = text[end:]
            if len(rest) > LONGEST_LINE:
                raise BadInput(
                    f"line {number + 1:,} of {name} has more than {LONGEST_LINE:,} characters"
                )
            yield io.StringIO(text[:end], newline="")
        yield io.StringIO(rest, newline="")


def _line_ends(text: str) -> int:
    return max(text.count("\n"), text.count("\r"))  # lines end with \n, with \r or with both


def _csv(path: Path, names: Sequence[str], form: Format) -> Iterator[Batch]:
    for _, header, batch in _rows(path, names, form):
        cells = [operator.itemgetter(_place(header, path, name)) for name in names]
        yield [([*map(str.strip, map(cell, batch))], None) for cell in cells]


def _rows(
    path: Path, names: Sequence[str], form: Format
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the delimiter, the header, and some rows; the first time, no rows."""
    encoding = form.encoding or "utf-8"
    try:
        is_packed = _is_packed(path)
        encoding = _encoding(path, form, is_packed)
        text = _Text(path, is_packed, encoding, form.max_rows * ROW_LENGTH)
        delimiter = form.delimiter or _delimiter(text, names)
        with text.lines() as lines:
            rows = csv.reader(lines, delimiter=delimiter, strict=True)
            header = _header(rows, path)
            yield delimiter, header, []
            width = len(header)
            filled = _filled(rows) if width == 1 else rows
            while batch := _batch(filled, text):
                # The batch has a blank line, or a line with another number of fields.
                if {*map(len, batch)} != {width}:
                    batch = [*filter(None, batch)]
                    if not {*map(len, batch)} <= {width}:
                        raise _ragged(text, delimiter, width)
                yield delimiter, header, batch
    except UnicodeError as error:
        raise BadInput(
            f"{path.name} cannot be read as {encoding.removesuffix('-sig').upper()}: name its "
            f"encoding, such as --encoding latin-1 ({' '.join(str(error).split())})"
        ) from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise BadInput(
            f"{path.name} cannot be read as CSV: {' '.join(str(error).split())}"
        ) from error


def _filled(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the rows of a single column. A blank line is a cell without a value, except at the
    end.
    """
    blank = 0
    for row in rows:
        if row:
            yield from itertools.repeat([""], blank)
            yield row
        blank = 0 if row else blank + 1


def _unpacked(path: Path, is_packed: bool) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if is_packed else path.open("rb")


def _encoding(path: Path, form: Format, is_packed: bool) -> str:
    with _unpacked(path, is_packed) as file:
        head = file.read(4)
    _refuse_other_programs(path, head)
    told = next((name for mark, name in MARKS if head.startswith(mark)), "utf-8")
    if form.encoding is None:
        return told
    is_utf_8 = codecs.lookup(form.encoding).name == "utf-8"
    return "utf-8-sig" if is_utf_8 else form.encoding


def _delimiter(text: _Text, names: Sequence[str]) -> str:
    """Return the delimiter that the first line names, or the first delimiter with which the header
    has the requested columns.

    If no delimiter gives these columns, return the delimiter that gives the most columns.
    """
    with text.lines() as lines:
        named = NAMED_DELIMITER.fullmatch(next(filter(str.strip, lines), "").strip("\r\n"))
    if named is not None:
        return named[1]
    headers: dict[str, list[str]] = {}
    for delimiter in DELIMITERS:
        with text.lines() as lines, contextlib.suppress(csv.Error):
            header = _first_row(csv.reader(lines, delimiter=delimiter, strict=True))
            headers[delimiter] = [in_nfc(name.strip()) for name in header]
    fitting = [one for one, header in headers.items() if {*names} <= {*header}]
    return next(iter(fitting), max(headers, key=lambda one: len(headers[one]), default=","))


def _batch(rows: Iterator[list[str]], text: _Text) -> list[list[str]]:
    batch: list[list[str]] = []
    end = text.characters + BATCH_CHARACTERS
    while len(batch) < CSV_BATCH and text.characters < end:
        few = list(itertools.islice(rows, FEW))  # read few rows at a time, because rows may be long
        if not few:
            break
        batch += few
    return batch


def _ragged(text: _Text, delimiter: str, width: int) -> BadInput:
    with text.lines() as lines:
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        _first_row(rows)
        fields = next(len(row) for row in rows if len(row) not in (width, 0))
        return BadInput(
            f"line {rows.line_num} of {text.path.name} has {fields} "
            f"field{'' if fields == 1 else 's'}, the header has {width}"
        )


def _first_row(rows: Iterator[list[str]]) -> list[str]:
    first = next(filter(None, rows), [])
    names_delimiter = re.fullmatch("sep=.?", "".join(first), re.IGNORECASE)
    return next(filter(None, rows), []) if names_delimiter else first


def _header(rows: Iterator[list[str]], path: Path) -> list[str]:
    header = _first_row(rows)
    if not header:
        raise BadInput(
            f"{path.name} is empty: a header line with the names of the columns is expected"
        )
    return [in_nfc(name.strip()) for name in header]


def _place(header: Sequence[str], path: Path, name: str) -> int:
    if name not in header:
        shown = [" ".join(one.split())[:LONGEST_QUOTE] for one in header[:NAMES_SHOWN]]
        more = len(header) - len(shown)
        raise BadInput(
            f"{path.name} has no column {name!r}: it has {', '.join(shown)}"
            f"{f' and {more:,} more' if more else ''}"
        )
    if header.count(name) > 1:
        raise BadInput(f"{path.name} has several columns called {name!r}: rename all but one")
    return header.index(name)


# Parquet


def _parquet(path: Path, names: Sequence[str], form: Format) -> Iterator[Batch]:
    """Yield the cells of some columns. Texts are read as a dictionary, because one long text may
    occur in millions of rows.
    """
    if form.delimiter is not None or form.encoding is not None:
        raise BadInput(f"{path.name} is Parquet: --delimiter and --encoding are for CSV")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BadInput(extra_missing("reading Parquet", "pyarrow", "data")) from None
    try:
        schema = pyarrow.parquet.read_schema(path)
        header = [in_nfc(name.strip()) for name in schema.names]
        fields = [schema.field(_place(header, path, name)) for name in names]
        for field in fields:
            _refuse_nested(path, field)
        columns = [field.name for field in fields]
        with pyarrow.parquet.ParquetFile(path, read_dictionary=columns) as file:
            _refuse_large(path, file.metadata, form)
            for batch in file.iter_batches(BATCH, columns=list(dict.fromkeys(columns))):
                yield [_values(batch.column(column)) for column in columns]
    except BadInput:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise BadInput(
            f"{path.name} cannot be read as Parquet: {' '.join(str(error).split())}"
        ) from error


def _refuse_nested(path: Path, field: Any) -> None:
    import pyarrow.types

    kind = field.type
    kind = getattr(kind, "storage_type", kind)
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    if pyarrow.types.is_nested(kind):
        raise BadInput(
            f"column {field.name!r} of {path.name} holds values of type {quoted(str(kind))}: each "
            f"row should have one number or one text"
        )


def _refuse_large(path: Path, metadata: Any, form: Format) -> None:
    # We look at the file's own header, because pyarrow may end the process if a damaged file says
    # that its columns are very long.
    if metadata.num_rows > form.max_rows:
        raise _too_many(path, form)
    groups = range(metadata.num_row_groups)
    size = sum(metadata.row_group(group).total_byte_size for group in groups)
    if size > form.max_rows * ROW_LENGTH:
        raise BadInput(
            f"{path.name} unpacks to more than {form.max_rows * ROW_LENGTH:,} bytes, {ROW_LENGTH} "
            f"for each row that it may have: --max-rows takes a larger limit"
        )


def _values(column: Any) -> Cells:
    import pyarrow

    column.validate(full=True)  # in a damaged file, places may point outside the dictionary
    if not pyarrow.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except pyarrow.ArrowNotImplementedError:  # of a few types
            return _texts(column), None
    texts = _texts(column.dictionary)
    places = column.indices.cast(pyarrow.int64()).fill_null(len(texts)).to_numpy()
    return [*texts, ""], places


def _texts(array: Any) -> list[str]:
    import pyarrow

    try:
        values = array.to_pylist()
    except (ValueError, OverflowError):  # Python has no nanoseconds, and no years after 9999
        values = array.cast(pyarrow.string()).to_pylist()
    texts = [_text(value) for value in values]
    if any("\0" in text for text in texts):
        raise ValueError("a text holds a NUL byte")
    return texts


def _text(value: Any) -> str:
    """Return a cell as a label: None and NaN become the empty text, and 3.0 becomes `3`."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bytes):
        value = value.decode()
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    )
