"""The options that several commands share, and the values that their texts stand for."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
from cyclopts import Parameter, Token, convert

from simnet.errors import BadInput
from simnet.files import refuse_unwritable

if TYPE_CHECKING:
    from simnet.scenario.columns import Column
    from simnet.scenario.data_file import Format
    from simnet.scenario.population import ItemPopulation, Population
    from simnet.scenario.scenario import Scenario
    from simnet.scenario.schema import Numeric

Settings = Annotated[list[str] | None, Parameter(name="--set", negative=())]
DropOuts = Annotated[list[str] | None, Parameter(name="--drop", negative=())]
OneNetwork = Annotated[str | None, Parameter(name="--network")]
Networks = Annotated[list[str] | None, Parameter(name="--network", negative=())]
Words = Annotated[list[str] | None, Parameter(name="--word", negative=())]


# The files that a command writes. Before the command does anything else, these checks refuse a file
# that cannot be written.


def _writable(_: object, file: str | Path | None) -> None:
    if file is not None and str(file) != "-":
        refuse_unwritable(Path(file))


def _drawable(_: object, file: Path | None) -> None:
    if file is not None:
        from simnet.scenario.figure import refuse_undrawable

        refuse_undrawable(file)


def _parquet(_: object, file: Path | None) -> None:
    if file is not None:
        from simnet.studies.table import refuse_without_pyarrow

        refuse_without_pyarrow()
        refuse_unwritable(file)


JsonFile = Annotated[
    str | None,
    Parameter(name="--json", metavar="FILE", allow_leading_hyphen=True, validator=_writable),
]
OutputFile = Annotated[Path | None, Parameter(validator=_writable)]
FigureFile = Annotated[Path | None, Parameter(validator=_drawable)]
ParquetFile = Annotated[Path | None, Parameter(validator=_parquet)]


@Parameter(name="*")
@attrs.frozen
class ColumnOfFile:
    """The options that name a column of a data file and describe the file."""

    input: Path | None = None
    (
        "Read the users from this CSV, CSV.gz or Parquet file. One row is one user, unless "
        "--counts names a column that says how many users a row stands for."
    )
    column: str | None = None
    "The name of the column that has the users' items or numbers."
    counts: str | None = None
    "The name of the column that says how many users have the item of a row."
    delimiter: str | None = None
    (
        "The character between the fields of a CSV file, such as ; or tab. Without this option the "
        "program tries comma, semicolon, tab and vertical bar."
    )
    encoding: str | None = None
    (
        "The encoding of a CSV file, such as latin-1. Without this option the program reads UTF-8, "
        "or UTF-16 and UTF-32 that begin with a byte order mark."
    )
    max_rows: int | None = None
    (
        "Refuse a file that has more rows than this, or more characters (Parquet: bytes) than a "
        "hundred times this number. Without this option the limit is ten million rows."
    )
    missing: str = "?,NA"
    (
        "The texts that mark a missing value, separated by commas. Empty cells and `nan` are "
        "missing values too."
    )
    drop_missing: Annotated[bool, Parameter(negative=())] = False
    "Leave out the rows that have a missing value in a column that you name."

    @property
    def form(self) -> "Format":
        """The format of the file, as the options describe it."""
        from simnet.scenario.data_file import Format

        return Format.of_options(self.delimiter, self.encoding, self.max_rows)

    def read(self, path: Path, names: Sequence[str]) -> "tuple[Column, ...]":
        """Return the columns of the file with these names."""
        from simnet.scenario.columns import read_columns

        marks = [mark.strip() for mark in self.missing.split(",")]
        return read_columns(path, names, marks, self.drop_missing, self.form)

    def items(
        self, path: Path, column: str, domain: Sequence[str] | None = None
    ) -> "ItemPopulation":
        """Return the users with the items of a column; each row is one user, or as many as
        `--counts` says.
        """
        from simnet.scenario.from_columns import items_by_counts, items_of_column

        if self.counts is None:
            (items,) = self.read(path, [column])
            return items_of_column(items, domain)
        items, counts = self.read(path, [column, self.counts])
        return items_by_counts(items, counts, domain)

    def refuse_options_of_files(self) -> None:
        """Raise `BadInput` for an option such as `--column`, which needs a file of data."""
        names = [field.name for field in attrs.fields(type(self))]
        of_files = [name for name in names if name not in ("input", "users")]
        self.refuse("goes with --input: give the file of data too", *of_files)

    def refuse(self, why: str, *names: str) -> None:
        """Raise `BadInput` with these words if one of these options is given."""
        defaults = {field.name: field.default for field in attrs.fields(type(self))}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise BadInput(f"--{name.replace('_', '-')} {why}")


@Parameter(name="*")
@attrs.frozen
class Data(ColumnOfFile):
    """The options that say who the users of a run are: people from a file, or synthetic people."""

    domain: str | None = None
    "The possible items, separated by commas. Without this option they are read off the column."
    numeric: str | None = None
    "The columns of numbers of a table, each with its range: age:0:90,hours:1:99."
    categorical: str | None = None
    (
        "The columns of categories of a table, each with its labels if you declare them: "
        "sex:Male|Female,city."
    )
    users: int | None = None
    "Draw this many of the file's users without replacement. Without a file, make up so many users."

    def population(
        self, scenario: "Scenario", settings: Mapping[str, str], seed: int
    ) -> "Population":
        """Return the people that the options describe.

        Raises `BadInput` when the options do not fit together, when the file cannot be used, or
        for a run above the limits.
        """
        from simnet.scenario.perform import synthetic

        if self.users is not None and "users" in settings:
            raise BadInput("--users means the same as --set users: give only one of them")
        if self.input is None:
            self.refuse_options_of_files()
            return synthetic(scenario, self.users, seed)
        if "items" in settings:
            raise BadInput(
                "--items does not go with --input, because the items are those of the column: "
                "--domain names them"
            )
        population = (
            self._table(self.input)
            if scenario.data == "table"
            else self._column(self.input, scenario)
        )
        sampled = scenario.users if self.users is None and "users" in settings else self.users
        return population if sampled is None else population.sample(sampled, seed)

    def own_population(
        self, scenario: "Scenario", settings: Mapping[str, str], seed: int
    ) -> "Population":
        """Return the people that the options describe, for a protocol of one's own, whose estimate
        is not compared with the truth.

        Raises `BadInput` as `population` does, and as `own_inputs` does.
        """
        from simnet.scenario.numbered import own_inputs
        from simnet.scenario.population import ItemPopulation

        people = self.population(scenario, settings, seed)
        if isinstance(people, ItemPopulation):
            return own_inputs(scenario, people, is_declared=self.domain is not None)
        return people

    def _column(self, path: Path, scenario: "Scenario") -> "Population":
        from simnet.scenario.from_columns import numbers_of_column

        self.refuse(
            "is for scenarios on tables, and this scenario takes one column: name it with --column",
            "numeric",
            "categorical",
        )
        if self.column is None:
            raise BadInput(
                f"--input needs --column: name the column that has the users' "
                f"{scenario.data.split()[-1]}"
            )
        if scenario.on_values:
            self.refuse(
                "names items, and this scenario takes numbers: declare their range, with --low and "
                "--high",
                "domain",
            )
            self.refuse(
                "is for items, and this scenario takes numbers, one row for each user", "counts"
            )
            (column,) = self.read(path, [self.column])
            return numbers_of_column(column, *scenario.range)
        domain = (
            None
            if self.domain is None
            else [label.strip() for label in _fields("--domain", self.domain)]
        )
        people = self.items(path, self.column, domain)
        scenario.refuse_unnamed_none(people.labels)
        return people

    def _table(self, path: Path) -> "Population":
        from simnet.scenario.from_columns import table_of_columns

        self.refuse(
            "is for one column, and this scenario takes a table: name its columns with --numeric "
            "and --categorical",
            "column",
            "counts",
            "domain",
        )
        numeric = (
            [_declared(text) for text in _fields("--numeric", self.numeric)]
            if self.numeric is not None
            else []
        )
        fields = _fields("--categorical", self.categorical) if self.categorical is not None else []
        categories = dict(_with_domain(text) for text in fields)
        names = [
            *(column.name for column in numeric),
            *(name for name, _ in map(_with_domain, fields)),
        ]
        if not names:
            raise BadInput(
                "--input needs --numeric or --categorical: name the columns that users report on"
            )
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise BadInput(f"column {twice!r} is named twice: name each column once")
        columns = self.read(path, names)
        return table_of_columns(dict(zip(names, columns, strict=True)), numeric, categories)


def _declared(text: str) -> "Numeric":
    from simnet.scenario.schema import Numeric

    name, *ends = text.rsplit(":", 2)
    try:
        low, high = map(float, ends)
    except ValueError:
        raise BadInput(
            f"--numeric takes name:low:high, the range declared for each column, got {text!r}"
        ) from None
    if not low < high:
        raise BadInput(f"--numeric takes name:low:high with high above low, got {text!r}")
    return Numeric(name, low, high)


def strictly(kind: Any, tokens: Sequence[Token]) -> Any:
    """Convert the text of an option to its type. Raises `ValueError` for a text such as 1.5 where a
    whole number is expected.

    cyclopts itself would round 1.5 to 2.
    """
    if (
        kind in (int, int | None)
        and re.fullmatch(r"[+-]?[0-9]+", tokens[0].value, re.ASCII) is None
    ):
        raise ValueError(
            f"{tokens[0].keyword or 'the value'} takes a whole number, got {tokens[0].value}"
        )
    return convert(kind, tokens)


def _with_domain(text: str) -> tuple[str, tuple[str, ...] | None]:
    name, colon, labels = text.partition(":")
    if not colon:
        return text, None
    domain = tuple(label.strip() for label in labels.split("|"))
    if not name or not all(domain):
        raise BadInput(
            f"--categorical takes name or name:label|label, with no label empty, got {text!r}"
        )
    return name, domain


def _fields(option: str, text: str) -> list[str]:
    """Split a text at its commas, except at commas inside quotes."""
    noun = "items" if option == "--domain" else "columns"
    if not text.strip():
        raise BadInput(f"{option} names no {noun[:-1]}: {noun} separated by commas are expected")
    try:
        return [field for row in csv.reader([text], strict=True) for field in row]
    except csv.Error as error:
        raise BadInput(f"{option} takes {noun} separated by commas: {error}") from None


def with_short(settings: dict[str, str], **short: int | str | None) -> dict[str, str]:
    """Add to the settings the options that mean the same as a setting, such as `--users`.

    Raises `BadInput` when a setting and its option are both given.
    """
    for name, value in short.items():
        if value is not None and name in settings:
            raise BadInput(f"--{name} means the same as --set {name}: give only one of them")
        if value is not None:
            settings[name] = str(value)
    return settings


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the whole numbers of a text such as `1,0,1`. Raises `BadInput` for any other text."""
    try:
        if re.fullmatch(r"[+-]?[0-9]+( *, *[+-]?[0-9]+)*", text.strip(), re.ASCII) is None:
            raise ValueError
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"{option} takes whole numbers separated by commas, got {text!r}") from None


def settings_of(options: Sequence[str] | None, option: str = "--set") -> dict[str, str]:
    """Return the values of `--set name=value` options by name; `option` is the option's name.

    Raises `BadInput` for a text without an equals sign, and for a name that is given twice.
    """
    settings: dict[str, str] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"{option} takes name=value, got {text!r}")
        if name.strip() in settings:
            raise BadInput(
                f"{name.strip()} is given twice: {settings[name.strip()]} and {value.strip()}"
            )
        settings[name.strip()] = value.strip()
    return settings
