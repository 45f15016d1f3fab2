"""Columns of real data: three formats give the same column; errors for files that cannot be
used.
"""

import csv
import datetime
import decimal
import gzip
import os
import tracemalloc
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.columns import Column, read_column, read_columns, whole_numbers
from simnet.scenario.data_file import Format
from simnet.scenario.from_columns import items_by_counts, items_of_column, numbers_of_column
from tests.harness.data import DATA
from tests.harness.timing import stopwatch

MISSING = ("", "nan", "-nan", "+nan", "?", "na")
TABLE = "id,city\n1,a\n2,b\n3,a\n"

labels = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).map(
    str.strip
)
columns = st.lists(
    labels.filter(lambda label: label.lower() not in MISSING), min_size=1, max_size=8
)


def flips(whole: bytes) -> list[bytes]:
    """Every way to flip one bit."""
    at = range(len(whole))
    return [
        whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
        for place in at
        for bit in range(8)
    ]


def written(path: Path, content: str | bytes) -> Path:
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def as_csv(path: Path, values: Iterable[str], end: str = "\n") -> Path:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
            [("id", "city"), *enumerate(values)]
        )
    return path


def as_parquet(path: Path, values: Any, **options: Any) -> Path:
    pyarrow.parquet.write_table(
        pyarrow.table({"id": range(len(values)), "city": values}), path, **options
    )
    return path


def read(path: Path, name: str = "city") -> tuple[str, ...]:
    return read_column(path, name).values


def in_nfc(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFC", text) for text in texts)


def refusal(path: Path, name: str = "city") -> str:
    with pytest.raises(BadInput) as caught:
        read_column(path, name)
    text = str(caught.value)
    assert text.splitlines() == [text], "an error is one line"
    return text


# One column, whatever the file


@given(columns, st.sampled_from(["\n", "\r\n"]))
def test_csv_gz_and_parquet_give_the_same_column(
    tmp_path_factory: Any, values: list[str], end: str
) -> None:
    folder = tmp_path_factory.mktemp("columns")
    for write in (as_csv(folder / "x.csv", values, end), as_csv(folder / "x.csv.gz", values, end)):
        assert read(write) == in_nfc(values)
    assert read(as_parquet(folder / "x.parquet", values)) == in_nfc(values)


KINDS: dict[str, Any] = {
    "integers": pyarrow.array([3, -1, 3]),
    "small integers": pyarrow.array([3, -1, 3], pyarrow.int8()),
    "large integers": pyarrow.array([2**64 - 1, 1], pyarrow.uint64()),
    "floats": pyarrow.array([1.0, 2.5, -3.0, 0.1, float("inf")]),
    "short floats": pyarrow.array([1.0, 2.5], pyarrow.float32()),
    "strings": pyarrow.array(["Zürich", "東京", "a, b", 'say "hi"', "two\nlines", "🐱"]),
    "large strings": pyarrow.array(["a", "b"], pyarrow.large_string()),
    "byte strings": pyarrow.array(
        [b"a", b"b"]
    ),  # what writers that do not mark their strings as UTF-8 leave
    "dates": pyarrow.array([datetime.date(2024, 1, 5)]),
    "decimals": pyarrow.array([decimal.Decimal("1.50")]),
    "nanoseconds": pyarrow.array([1, 2], pyarrow.timestamp("ns")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_any_type_are_those_of_the_csv_file(tmp_path: Path, kind: str) -> None:
    table = pyarrow.table({"city": KINDS[kind]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    pyarrow.csv.write_csv(table, tmp_path / "x.csv")
    assert read(tmp_path / "x.parquet") == read(tmp_path / "x.csv")


def test_a_dictionary_column_is_read_as_its_values(tmp_path: Path) -> None:
    cities = pyarrow.array(["b", "a", "b"]).dictionary_encode()
    assert read(as_parquet(tmp_path / "x.parquet", cities)) == ("b", "a", "b")


def test_quotes_spaces_and_line_ends_are_those_of_csv(tmp_path: Path) -> None:
    text = (
        'id,"city"\r\n1,"Paris, France"\r\n2,  Zürich \r\n3,"say '
        '""hi"""\r\n4,"two\r\nlines"\r\n\r\n'
    )
    assert read(written(tmp_path / "x.csv", text)) == (
        "Paris, France",
        "Zürich",
        'say "hi"',
        "two\r\nlines",
    )


def test_a_mark_at_the_start_of_the_file_belongs_to_no_name(
    tmp_path: Path,
) -> None:  # as spreadsheets write it
    assert read(written(tmp_path / "x.csv", "city,id\na,1\n".encode("utf-8-sig"))) == ("a",)


def test_a_column_knows_where_it_comes_from(tmp_path: Path) -> None:
    column = read_column(written(tmp_path / "x.csv", TABLE), "city")
    assert (column.name, column.file, column.values) == ("city", "x.csv", ("a", "b", "a"))
    assert (column.labels, column.numbers.tolist()) == (("a", "b"), [0, 1, 0])
    assert (column.source, column.row(1)) == (
        "column 'city' of x.csv",
        "row 2 of column 'city' of x.csv",
    )


@pytest.mark.slow
@pytest.mark.data("adult.csv.gz")
def test_real_data_is_read_whole() -> None:
    path = DATA / "adult.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        expected = tuple(row["education"] for row in csv.DictReader(file))
    assert read(path, "education") == expected
    assert len(expected) == 48_842


# Files and columns that are not there


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.parquet"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name) == f"there is no file {tmp_path / name}"


@pytest.mark.parametrize("name", ["x", "x.csv", "x.csv.gz", "x.parquet"])
def test_a_folder_in_place_of_a_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    expected = f"{tmp_path / name} is a folder, where a file of data is expected"
    assert refusal(tmp_path / name) == expected


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.parquet"])
def test_an_unknown_column_lists_those_that_there_are(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    as_parquet(path, ["a"]) if name.endswith("parquet") else written(path, TABLE)
    assert refusal(path, "town") == f"{name} has no column 'town': it has id, city"


def test_column_names_do_not_break_the_line(tmp_path: Path) -> None:
    assert "city" in refusal(written(tmp_path / "x.csv", '"my\nid",city\n1,a\n'), "town")


@pytest.mark.parametrize("blank", ["\n", "\n\r\n"])
def test_blank_lines_before_the_header_do_not_count(tmp_path: Path, blank: str) -> None:
    (tmp_path / "blank.csv").write_text(f"{blank}id;city\n1;a\n2;b\n", newline="")
    assert read_column(tmp_path / "blank.csv", "city").labels == ("a", "b")


@pytest.mark.parametrize("content", ["", "\n", "\r\n\r\n"])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str, content: str) -> None:
    assert f"{name} is empty" in refusal(written(tmp_path / name, content))


def test_a_header_alone_is_refused(tmp_path: Path) -> None:
    for path in (
        written(tmp_path / "x.csv", "id,city\n\n"),
        as_parquet(tmp_path / "x.parquet", []),
    ):
        assert refusal(path) == f"{path.name} has names of columns, but no rows"


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "x.csv"
    os.mkfifo(pipe)
    assert "is no ordinary file" in refusal(pipe)


# Rows without a value


@pytest.mark.parametrize("cell", ["", "   ", '""', "NaN", "nan", "-nan"])
def test_a_row_without_a_value_is_named(tmp_path: Path, cell: str) -> None:
    text = refusal(written(tmp_path / "x.csv", f"id,city\n1,a\n2,b\n3,{cell}\n4,\n"))
    assert text.startswith("row 3 of column 'city' of x.csv has no value")


def test_a_row_without_a_value_is_named_where_the_column_stands_alone(tmp_path: Path) -> None:
    text = refusal(
        written(tmp_path / "x.csv", "city\na\n\nb\n")
    )  # three users, of whom one has no value
    assert text.startswith("row 2 of column 'city' of x.csv has no value")


@given(st.lists(st.sampled_from(["a", "b", '""', ""]), max_size=6), st.integers(0, 3))
def test_blank_lines_end_a_file_of_one_column_as_they_end_one_of_two(
    tmp_path_factory: Any, cells: list[str], blank: int
) -> None:
    """A blank line elsewhere is a cell without a value, as two quotation marks are."""
    path = tmp_path_factory.mktemp("blank") / "x.csv"
    written(path, "".join(f"{cell}\n" for cell in ["city", "a", *cells, "a"]) + "\n" * blank)
    missing = sum(cell not in ("a", "b") for cell in cells)
    column = read_column(path, "city", drop_missing=True)
    assert column.values == ("a", *(cell for cell in cells if cell in ("a", "b")), "a")
    assert column.left_out == missing
    written(path, "id,city\n1,a\n" + "\n" * blank)
    assert read(path) == ("a",)


@pytest.mark.parametrize(
    "values",
    [[1, 2, None], ["a", "b", None], ["a", "b", ""], [1.0, 2.0, None], [1.0, 2.0, float("nan")]],
    ids=str,
)
def test_a_parquet_row_without_a_value_is_named(tmp_path: Path, values: list[Any]) -> None:
    text = refusal(as_parquet(tmp_path / "x.parquet", pyarrow.array(values)))
    assert text.startswith("row 3 of column 'city' of x.parquet has no value")


def test_a_value_missing_in_another_column_does_not_matter(tmp_path: Path) -> None:
    assert read(written(tmp_path / "x.csv", "id,city\n,a\nnan,b\n")) == ("a", "b")


# Damaged files


@pytest.mark.parametrize(
    ("text", "line", "fields"),
    [
        ("id,city\n1,a\n2\n", 3, 1),
        ("id,city\n1,a,b\n", 2, 3),
        ('id,city\n1,"a\nb"\n\n2,c,d\n', 5, 3),  # lines are those that an editor counts
    ],
)
def test_a_ragged_line_is_named(tmp_path: Path, text: str, line: int, fields: int) -> None:
    for name in ("x.csv", "x.csv.gz"):
        expected = f"line {line} of {name} has {fields} field{'s' * (fields > 1)}, the header has 2"
        assert refusal(written(tmp_path / name, text)) == expected


@pytest.mark.parametrize("text", ['id,city\n1,"a\n', 'id,city\n1,"a"b\n', '"id,city\n'])
def test_broken_quotes_are_refused(tmp_path: Path, text: str) -> None:
    assert "cannot be read as CSV" in refusal(written(tmp_path / "x.csv", text))


# Other delimiters and encodings


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x"])
def test_delimiter_and_encoding_are_found_out(
    tmp_path: Path, name: str, encoding: str, delimiter: str
) -> None:
    rows = [["id ", " city"], ["1", " Zürich"], ["2", '"a, b; c"'], ["3", "東京"]]
    text = "\r\n".join(delimiter.join(row) for row in rows).encode(encoding)
    path = written(tmp_path / name, text)
    assert read(path) == ("Zürich", "a, b; c", "東京")
    assert read(path, " id") == ("1", "2", "3")
    assert refusal(path, "town").endswith("has no column 'town': it has id, city")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "shift_jis"])
def test_an_encoding_without_a_mark_is_asked_for_and_taken(tmp_path: Path, encoding: str) -> None:
    city = "東京" if encoding == "shift_jis" else "Zürich"
    for name in ("x.csv", "x.csv.gz"):
        path = written(tmp_path / name, f"id,city\n1,{city}\n".encode(encoding))
        assert "--encoding" in refusal(path)
        assert read_column(path, "city", Format(encoding=encoding)).values == (city,)


def test_a_delimiter_that_is_given_is_taken(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "a:b,c\n1:2,3\n")
    for form in (Format.of_options(":", None, None), Format(delimiter=":")):
        assert read_column(path, "b,c", form).values == ("2,3",)
    assert read_column(path, "c").values == ("3",)
    tabbed = written(tmp_path / "y.csv", "a\tb,c\n1\t2,3\n")
    assert read_column(tabbed, "b,c", Format.of_options("tab", None, None)).values == ("2,3",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "!"])
@pytest.mark.parametrize("first", ["sep={}", "SEP={}", '"sep={}"'])
def test_a_first_line_may_name_the_delimiter(tmp_path: Path, first: str, delimiter: str) -> None:
    lines = [first.format(delimiter), f"id{delimiter}city", f"1{delimiter}Bern"]
    path = written(tmp_path / "x.csv", "\r\n".join(lines))
    assert read(path) == read_column(path, "city", Format(delimiter=delimiter)).values == ("Bern",)
    lines.append("2")
    assert refusal(written(path, "\r\n".join(lines))).startswith("line 4 of x.csv has 1 field")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("::", None, None), "--delimiter takes one character"),
        (("x", None, None), "--delimiter takes one character"),
        (("\n", None, None), "--delimiter takes one character"),
        ((None, "nonsense", None), "no encoding of text is called 'nonsense'"),
        ((None, "rot13", None), "no encoding of text is called 'rot13'"),
        ((None, "zlib", None), "no encoding of text is called 'zlib'"),
        ((None, "a\0b", None), "no encoding of text is called"),
        ((None, None, 0), "--max-rows takes at least 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Format.of_options(*options)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.xlsx", b"PK\x03\x04rest", "is an Excel workbook, and no CSV: save the sheet as CSV"),
        ("x.xls", b"\xd0\xcf\x11\xe0rest", "is an Excel workbook, and no CSV"),
        ("x.csv", b"PK\x03\x04rest", "is a workbook or an archive, and no CSV"),
        ("x.csv.gz", b"PK\x03\x04rest", "is a workbook or an archive, and no CSV"),
        ("x.csv", b"PAR1rest", "is a Parquet file: its name should end in .parquet"),
        ("x.csv", b"id,city\n1,a\n2,b\0c\n", "line 3 of x.csv holds a NUL byte"),
        ("x.csv", "id,city\n".encode("utf-16-le"), "say so with --encoding utf-16-le or utf-16-be"),
    ],
)
def test_files_of_other_programs_are_named(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    assert words in refusal(written(tmp_path / name, content))


NESTED: dict[str, Any] = {
    "lists": pyarrow.array([[1], [2]]),
    "structs": pyarrow.array([{"a": 1}, {"a": 2}]),
    "maps": pyarrow.array([[("a", 1)]], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    "fixed lists": pyarrow.array([[1, 2]], pyarrow.list_(pyarrow.int64(), 2)),
}


@pytest.mark.parametrize("kind", NESTED)
def test_cells_that_are_no_single_values_are_refused(tmp_path: Path, kind: str) -> None:
    path = as_parquet(tmp_path / "x.parquet", NESTED[kind])
    assert "'city' of x.parquet holds values of type" in refusal(path)
    assert read(path, "id")[0] == "0"


def test_a_nul_in_a_parquet_text_is_refused(tmp_path: Path) -> None:
    assert "NUL byte" in refusal(as_parquet(tmp_path / "x.parquet", ["a", "b\0c"]))


def test_values_that_stand_in_no_row_are_no_items(tmp_path: Path) -> None:
    cities = pyarrow.DictionaryArray.from_arrays([2, 0, 2], ["b", "unused", "a"])
    assert read_column(as_parquet(tmp_path / "x.parquet", cities), "city").labels == ("b", "a")
    path = written(tmp_path / "x.csv", "id,city\n1,a\n,b\n3,c\n")
    columns = read_columns(path, ["id", "city"], drop_missing=True)
    assert columns[1].labels == ("a", "c")


# Limits


def test_a_limit_of_rows_is_stated_and_can_be_raised(tmp_path: Path) -> None:
    values = [str(place % 3) for place in range(100)]
    for path in (
        as_csv(tmp_path / "x.csv", values),
        as_csv(tmp_path / "x.csv.gz", values),
        as_parquet(tmp_path / "x.parquet", values),
    ):
        with pytest.raises(BadInput, match=rf"{path.name} has more rows than 99: --max-rows"):
            read_column(path, "city", Format(max_rows=99))
        assert len(read_column(path, "city", Format(max_rows=100)).values) == 100


def test_a_message_quotes_long_text_in_part(tmp_path: Path) -> None:
    many = ",".join(f"column{place}" for place in range(10_000))
    path = written(tmp_path / "x.csv", f"{many}\n{many}\n")
    assert len(refusal(path)) < 400
    long = written(tmp_path / "y.csv", f"city\n{'9' * 5000}\n")
    column = read_column(long, "city")
    for use in (
        lambda: whole_numbers(column),
        lambda: items_of_column(column, ["a"]),
        lambda: items_by_counts(Column.of("a", "y.csv", ["a"]), column, None),
        lambda: numbers_of_column(column, 0, 1),
    ):
        with pytest.raises(BadInput, match=r"row 1 of column 'city' of y\.csv") as caught:
            use()
        assert len(str(caught.value)) < 300


def test_a_number_may_begin_with_thousands_of_zeros() -> None:
    column = Column.of("people", "x.csv", [f"{'0' * 5000}2", "0" * 5000])
    assert whole_numbers(column) == [2, 0]
    people = items_by_counts(Column.of("city", "x.csv", ["a", "b"]), column, None)
    assert people.support.tolist() == [2, 0]


MEGA = 1 << 20
BOMBS: dict[str, Callable[[], bytes]] = {
    "rows.csv.gz": lambda: gzip.compress(b"city\n" + b"a\n" * (4 * MEGA), 9),
    "line.csv.gz": lambda: gzip.compress(b"city\n" + b"a" * (64 * MEGA), 9),
    "quoted.csv.gz": lambda: gzip.compress(b'city\n"' + b"a\n" * (16 * MEGA), 9),
    "commas.csv.gz": lambda: gzip.compress(b"city\n" + b"," * (64 * MEGA), 9),
    "wide.csv.gz": lambda: gzip.compress((b"city" + b"," * 9999 + b"\n") * 8000, 9),
    "rows.parquet": lambda: parquet_of(pyarrow.array(np.zeros(4 * MEGA))),
    "text.parquet": lambda: parquet_of(pyarrow.array(["a" * (64 * MEGA)])),
}


def parquet_of(values: Any) -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table({"city": values}), sink, compression="zstd")
    return bytes(sink.getvalue())


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_unpacks_to_much_takes_bounded_time_and_memory(
    tmp_path: Path, name: str
) -> None:
    """With a limit of 100,000 rows: 2 s and 100 MB, whatever is in the file."""
    path = tmp_path / name
    path.write_bytes(BOMBS[name]())
    assert path.stat().st_size < MEGA
    pool = pyarrow.default_memory_pool()
    before = pool.max_memory()
    tracemalloc.start()
    try:
        with stopwatch() as watch, pytest.raises(BadInput) as caught:
            read_column(path, "city", Format(max_rows=100_000))
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    assert watch.seconds < 5  # tracing takes most of it
    assert pool.max_memory() - before < 100e6
    assert len(str(caught.value)) < 300


@pytest.mark.slow
def test_a_long_text_in_many_rows_is_held_once(tmp_path: Path) -> None:
    cities = pyarrow.DictionaryArray.from_arrays(np.zeros(MEGA, dtype=np.int32), ["a" * MEGA])
    (tmp_path / "x.parquet").write_bytes(parquet_of(cities))
    column = read_column(tmp_path / "x.parquet", "city")
    assert (column.labels, len(column.numbers)) == (("a" * MEGA,), MEGA)


@pytest.mark.slow
def test_a_million_rows_take_seconds_and_few_bytes_each(tmp_path: Path) -> None:
    csv_file = written(tmp_path / "x.csv.gz", b"city\n" + b"Bern\nBasel\n" * (MEGA // 2))
    array = pyarrow.array(["Bern", "Basel"] * (MEGA // 2))
    for path in (csv_file, as_parquet(tmp_path / "x.parquet", array)):
        with stopwatch() as watch:
            people = items_of_column(read_column(path, "city"), None)
        assert watch.seconds < 5
        assert people.support.tolist() == [MEGA // 2] * 2
        assert (
            people.sample(3, seed=1).items.tolist()
            == people.items[SampledCoins(1, "population").subset(3, MEGA).plain].tolist()
        )


# Any bytes as any file

HEADS = (
    b"",
    b"city,id\n",
    b"city;id\n1;2\n",
    b"\xff\xfe",
    b"PK\x03\x04",
    b"PAR1",
    b"\x1f\x8b\x08\x00",
)


@given(
    st.sampled_from(["x.csv", "x.csv.gz", "x.parquet", "x.txt", "x"]),
    st.sampled_from(HEADS),
    st.binary(max_size=60),
    st.booleans(),
    st.sampled_from([None, "latin-1", "utf-16", "utf-7"]),
)
def test_any_bytes_are_read_or_refused_in_one_line(
    tmp_path_factory: Any, name: str, head: bytes, tail: bytes, packed: bool, encoding: str | None
) -> None:
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(gzip.compress(head + tail) if packed else head + tail)
    try:
        column = read_column(path, "city", Format(encoding=encoding))
        people = items_of_column(column, None)
        assert [people.labels[item - 1] for item in people.items] == list(column.values)
        numbers_of_column(column, -1e300, 1e300)
        items_by_counts(column, column, None)
    except BadInput as error:
        assert len(str(error)) < 600  # noqa: PT017  # either is right
        assert "\n" not in " ".join(str(error).split(" "))  # noqa: PT017


def test_parquet_strings_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = as_parquet(
        tmp_path / "x.parquet", ["Zurich", "Basel"], compression="none", use_dictionary=False
    )
    path.write_bytes(path.read_bytes().replace(b"Zurich", "Zürich".encode("latin-1")))
    assert "cannot be read as Parquet" in refusal(path)


def test_a_gzip_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(TABLE.encode())
    for length in range(len(whole)):
        path = tmp_path / "x.csv.gz"
        path.write_bytes(whole[:length])
        assert "cannot be read as CSV" in refusal(path) or length == 0


@pytest.mark.slow
def test_a_gzip_file_with_a_bit_flipped_is_refused_or_read_right(tmp_path: Path) -> None:
    whole, path, refused = gzip.compress(TABLE.encode(), mtime=0), tmp_path / "x.csv.gz", 0
    for damaged in flips(whole):
        path.write_bytes(damaged)
        try:
            assert read(path) == ("a", "b", "a")  # a flip in the time stamp, say
        except BadInput:
            refused += 1
    assert refused > 4 * len(whole)


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", b"\x1f\x8b" + bytes(range(40)), TABLE.encode()]
)
def test_garbage_is_no_gzip_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.csv.gz").write_bytes(content)
    assert refusal(tmp_path / "x.csv.gz").startswith(
        "x.csv.gz " + ("cannot be read as CSV" if content else "is empty")
    )


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 9, bytes(range(200)), TABLE.encode()])
def test_garbage_is_no_parquet_file(tmp_path: Path, content: bytes) -> None:
    assert "x.parquet cannot be read as Parquet" in refusal(
        written(tmp_path / "x.parquet", content)
    )


def test_a_parquet_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = as_parquet(tmp_path / "x.parquet", ["a", "b"])
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        assert "cannot be read as Parquet" in refusal(written(path, whole[:length]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["integers", "strings", "nanoseconds"])
def test_a_parquet_file_with_a_bit_flipped_is_refused_in_one_line_or_read(
    tmp_path: Path, kind: str
) -> None:
    path = as_parquet(tmp_path / "x.parquet", KINDS[kind])
    for damaged in flips(path.read_bytes())[::29]:
        try:
            read(
                written(path, damaged)
            )  # Parquet has no checksum by default: a changed value may pass
        except BadInput:
            refusal(path)


# Numbers

GERMAN = "land;cases;rate\nA;2.155;19,47\nB;1.799;13,76\nC;573;15,29\n"
OF_ONE_FORM = st.sampled_from(["2.155", "-1.799", "573", "12.500"])


def test_a_dot_may_be_a_mark_between_thousands_where_commas_are_decimal(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", GERMAN)
    with pytest.raises(
        BadInput,
        match=r"^row 1 of column 'cases' of x.csv holds '2\.155', and row 1 of column 'rate' holds "
        r"'19,47': .* Write 2155, or 2\.1550 if",
    ):
        numbers_of_column(read_column(path, "cases"), 0, 1e4)
    with pytest.raises(BadInput, match=r"row 1 of column 'rate' .* '19,47', which is no number"):
        numbers_of_column(read_column(path, "rate"), 0, 1e4)
    assert read(path, "cases") == ("2.155", "1.799", "573")  # as items


@given(
    st.lists(OF_ONE_FORM, min_size=1, max_size=4),
    st.sampled_from(
        ["7", "0.5", "2.1550", "1e3", "19,47", "1.234.567", "1_000", "\uff15", "1 000"]
    ),
    st.sampled_from(["x", "4", "3.5", "19,47", "1.234,5", "1,234"]),
    st.sampled_from([",", ";", "\t"]),
)
def test_no_number_is_read_by_a_rule_that_another_one_breaks(
    tmp_path_factory: Any, cells: list[str], other: str, neighbour: str, delimiter: str
) -> None:
    path = tmp_path_factory.mktemp("numbers") / "x.csv"
    rows = [("n", "m"), *((cell, "1") for cell in cells), (other, neighbour)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    is_dot_decimal = other in ("0.5", "2.1550")  # else each dot of the column may group thousands
    has_comma = neighbour in ("19,47", "1.234,5", "1,234"[: 5 * (delimiter != ",")])
    is_unclear = not is_dot_decimal and has_comma and any("." in cell for cell in cells)
    try:
        values = numbers_of_column(read_column(path, "n"), -1e9, 1e9).inputs.tolist()
    except BadInput as error:
        assert str(error).startswith("row ")  # noqa: PT017  # either is right
        assert is_unclear or other not in ("7", "0.5", "2.1550", "1e3")
    else:
        assert not is_unclear
        assert values == [*map(float, cells), float(other)]


# Several columns at once

PEOPLE = "age,city,pay\n31,a,?\n,b,2\n47,?,3\n52,c,4\n60,a,5\n"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_several_columns_are_read_as_each_alone(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        as_parquet(path, ["b", "a", "b"])
    else:
        as_csv(path, ["b", "a", "b"])
    together = [column.values for column in read_columns(path, ["city", "id"])]
    assert together == [read(path, "city"), read(path, "id")]


def test_rows_without_a_value_are_refused_or_left_out_and_rows_keep_their_numbers(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "x.csv", PEOPLE)
    with pytest.raises(
        BadInput, match=r"^row 1 of column 'pay' .* and so do 2 other rows: .* --drop-missing; "
    ):
        read_columns(path, ["age", "city", "pay"], ["?"])
    columns = read_columns(path, ["age", "city", "pay"], ["?"], drop_missing=True)
    assert [column.values for column in columns] == [("52", "60"), ("c", "a"), ("4", "5")]
    assert columns[0].row(0) == "row 4 of column 'age' of x.csv"
    assert columns[0].left_out == 3


def test_marks_mean_no_value_unless_others_are_declared(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", PEOPLE)
    with pytest.raises(BadInput, match=r"row 3 of column 'city' .* has no value \('\?'\)"):
        read_columns(path, ["city"])
    assert read_columns(path, ["city"], ["NA"])[0].values == ("a", "b", "?", "c", "a")
    with pytest.raises(BadInput, match=r"row 2 of column 'age' .* has no value"):
        read_columns(path, ["age"])
    with pytest.raises(BadInput, match="no row with a value in every column"):
        read_columns(written(tmp_path / "y.csv", "a,b\n,1\n2,\n"), ["a", "b"], drop_missing=True)


def test_one_text_in_two_unicode_forms_is_one_label(tmp_path: Path) -> None:
    cities = ["Zürich", unicodedata.normalize("NFD", "Zürich"), "Bern"]
    decomposed = unicodedata.normalize("NFD", "Stadtkürzel")
    path = written(tmp_path / "x.csv", f"{decomposed}\n" + "\n".join(cities))
    (column,) = read_columns(path, ["Stadtkürzel"])
    people = items_of_column(column, [unicodedata.normalize("NFD", "Zürich"), "Bern"])
    assert (people.labels, people.items.tolist()) == (("Zürich", "Bern"), [1, 1, 2])
    said = "with 1 label that is the same text as another in another Unicode form"
    assert people.source == f"column 'Stadtkürzel' of x.csv, {said}"


def test_a_row_without_a_value_means_the_same_for_items_and_for_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "city,people\na,2\n?,3\nb,NA\nc,1\n")
    columns = read_columns(path, ["city", "people"], drop_missing=True)
    people = items_by_counts(*columns, None)
    assert (people.labels, people.support.tolist()) == (("a", "c"), [2, 1])
    assert "'city' of x.csv without 2 rows that lack a value" in people.source
