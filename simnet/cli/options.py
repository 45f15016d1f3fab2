"""Options that several commands share, and what they mean."""

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
    from simnet.scenario.data_file import Format
    from simnet.scenario.population import Population
    from simnet.scenario.scenario import Scenario
    from simnet.scenario.schema import Numeric

Settings = Annotated[list[str] | None, Parameter(name="--set", negative=())]


# Files that a command writes. Whether it can is asked before it does anything else.


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
    str | None, Parameter(name="--json", allow_leading_hyphen=True, validator=_writable)
]
OutputFile = Annotated[Path | None, Parameter(validator=_writable)]
FigureFile = Annotated[Path | None, Parameter(validator=_drawable)]
ParquetFile = Annotated[Path | None, Parameter(validator=_parquet)]


@Parameter(name="*")
@attrs.frozen
class Data:
    """The people of a run: from a column of a file, or synthetic."""

    input: Path | None = None
    "CSV, CSV.gz or Parquet file; one row is one user, unless --counts says how many."
    column: str | None = None
    "The column that holds the users' items or numbers."
    counts: str | None = None
    "The column that says how many users hold the item of a row."
    domain: str | None = None
    "The items, separated by commas; default: what occurs in the column."
    numeric: str | None = None
    "Columns of numbers of a table, each with its range, separated by commas: age:0:90,hours:1:99."
    categorical: str | None = None
    (
        "Columns of categories of a table, each with its labels if these are declared: "
        "sex:Male|Female,city."
    )
    missing: str = "?"
    "What a cell of a table holds that has no value, if it is not empty."
    drop_missing: Annotated[bool, Parameter(negative=())] = False
    "Leave out the rows of a table that lack a value."
    delimiter: str | None = None
    "What separates the fields of a CSV file, such as ; or tab; found out when left out."
    encoding: str | None = None
    "How a CSV file's letters are written, such as latin-1; UTF-8, UTF-16 or UTF-32 when left out."
    max_rows: int | None = None
    "Refuse a file of more rows than this; ten million when left out."
    users: int | None = None
    "Draw so many rows without replacement; without a file, so many synthetic users."

    def population(
        self, scenario: "Scenario", settings: Mapping[str, str], seed: int, limit: int
    ) -> "Population":
        """The people that the options describe, `--users m` being short for `--set users=m`.

        Raises `BadInput` when the options do not fit together, or synthetic users would cost more
        than the limit.
        """
        from simnet.scenario.perform import synthetic

        if self.users is not None and "users" in settings:
            raise BadInput("--users is short for --set users: give one of them")
        if self.input is None:
            self._refuse("goes with --input: it describes a file", *_OF_FILES)
            users = scenario.users if self.users is None else self.users
            return synthetic(scenario, users, seed, limit)
        if "items" in settings:
            raise BadInput(
                "with --input the items are those of the column: name them with --domain, "
                "not --items"
            )
        population = (
            self._table(self.input)
            if scenario.data == "table"
            else self._column(self.input, scenario)
        )
        sampled = scenario.users if self.users is None and "users" in settings else self.users
        return population if sampled is None else population.sample(sampled, seed)

    @property
    def form(self) -> "Format":
        """What the options say of the file."""
        from simnet.scenario.data_file import Format

        return Format.of_options(self.delimiter, self.encoding, self.max_rows)

    def _refuse(self, why: str, *names: str) -> None:
        """Raise `BadInput` when one of these options is given."""
        for name in names:
            if getattr(self, name):
                raise BadInput(f"--{name.replace('_', '-')} {why}")

    def _column(self, path: Path, scenario: "Scenario") -> "Population":
        """Users who hold the cells of one column."""
        from simnet.scenario.columns import read_column
        from simnet.scenario.from_columns import items_by_counts, items_of_column, numbers_of_column

        self._refuse(
            "is for scenarios on tables: this one takes --column",
            "numeric",
            "categorical",
            "drop_missing",
        )
        if self.column is None:
            raise BadInput(
                f"--input needs --column: which column holds the users' "
                f"{scenario.data.split()[-1]}?"
            )
        if scenario.on_values:
            self._refuse(
                "names items, and this scenario takes numbers: --low ... --high ...",
                "domain",
            )
            self._refuse(
                "goes with items, and this scenario takes numbers, one user a row", "counts"
            )
            return numbers_of_column(read_column(path, self.column, self.form), *scenario.range)
        domain = (
            None
            if self.domain is None
            else [label.strip() for label in _fields("--domain", self.domain)]
        )
        column = read_column(path, self.column, self.form)
        if self.counts is None:
            people = items_of_column(column, domain)
        else:
            people = items_by_counts(column, read_column(path, self.counts, self.form), domain)
        scenario.refuse_unnamed_none(people.labels)
        return people

    def _table(self, path: Path) -> "Population":
        """Users who hold the rows of a table."""
        from simnet.scenario.columns import read_columns
        from simnet.scenario.from_columns import table_of_columns

        self._refuse(
            "is for one column: a table takes --numeric and --categorical",
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
                "--input needs --numeric or --categorical: which columns hold what users report on?"
            )
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise BadInput(f"column {twice!r} is named twice: each column is reported on once")
        columns = read_columns(path, names, [self.missing], self.drop_missing, self.form)
        return table_of_columns(dict(zip(names, columns, strict=True)), numeric, categories)


_OF_FILES = (
    *("column", "counts", "domain", "numeric", "categorical", "drop_missing"),
    *("delimiter", "encoding", "max_rows"),
)


def _declared(text: str) -> "Numeric":
    """A column of numbers with its range.

    Raises `BadInput` for anything else than name:low:high.
    """
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
    """A value from the command line; a whole number is one, where cyclopts would round 1.5 to 2.

    The options that several commands share come with their `None`, a command's own without.
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
    """A column of categories, and its labels if they are declared.

    Raises `BadInput` for an empty name or label.
    """
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
    """The fields of comma-separated text; quotes protect a comma."""
    noun = "items" if option == "--domain" else "columns"
    if not text.strip():
        raise BadInput(f"{option} names no {noun[:-1]}: {noun} separated by commas are expected")
    try:
        return [field for row in csv.reader([text], strict=True) for field in row]
    except csv.Error as error:
        raise BadInput(f"{option} takes {noun} separated by commas: {error}") from None


def with_short(settings: dict[str, str], **short: int | str | None) -> dict[str, str]:
    """Settings with options that are short for one, such as `--users`.

    Raises `BadInput` for both at once.
    """
    for name, value in short.items():
        if value is not None and name in settings:
            raise BadInput(f"--{name} is short for --set {name}: give one of them")
        if value is not None:
            settings[name] = str(value)
    return settings


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers separated by commas. Raises `BadInput` for anything else."""
    try:
        if re.fullmatch(r"[+-]?[0-9]+( *, *[+-]?[0-9]+)*", text.strip(), re.ASCII) is None:
            raise ValueError
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"{option} takes whole numbers separated by commas, got {text!r}") from None


def settings_of(options: Sequence[str] | None) -> dict[str, str]:
    """`--set k=v` options by name. Raises `BadInput` for one without an equals sign."""
    settings: dict[str, str] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"--set takes name=value, got {text!r}")
        if name.strip() in settings:
            raise BadInput(
                f"{name.strip()} is given twice: {settings[name.strip()]} and {value.strip()}"
            )
        settings[name.strip()] = value.strip()
    return settings
