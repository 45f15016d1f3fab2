"""Options that several commands share, and what they mean."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
from cyclopts import Parameter

from simnet.errors import BadInput

if TYPE_CHECKING:
    from simnet.study.population import People
    from simnet.study.scenario import Scenario

Settings = Annotated[list[str] | None, Parameter(name="--set", negative=())]
JsonFile = Annotated[str | None, Parameter(name="--json", allow_leading_hyphen=True)]


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
    users: int | None = None
    "Draw so many rows without replacement; without a file, so many synthetic users."

    def population(self, scenario: "Scenario", settings: Mapping[str, str], seed: int, limit: int) -> "People":
        """The people that the options describe, `--users m` being short for `--set users=m`.

        Raises `BadInput` when the options do not fit together, or synthetic users would cost more than the limit.
        """
        from simnet.study.perform import synthetic

        if self.users is not None and "users" in settings:
            raise BadInput("--users is short for --set users: give one of them")
        if self.input is None:
            for name, value in (("--column", self.column), ("--counts", self.counts), ("--domain", self.domain)):
                if value is not None:
                    raise BadInput(f"{name} goes with --input: it describes a file")
            users = scenario.users if self.users is None else self.users
            return synthetic(scenario, users, seed, limit)
        if "items" in settings:
            raise BadInput("with --input the items are those of the column: name them with --domain, not --set items")
        if self.column is None:
            raise BadInput(f"--input needs --column: which column holds the users' {scenario.data}?")
        population = self._read(scenario, self.input, self.column)
        sampled = scenario.users if self.users is None and "users" in settings else self.users
        return population if sampled is None else population.sample(sampled, seed)

    def _read(self, scenario: "Scenario", file: Path, name: str) -> "People":
        """The people of a column. Raises `BadInput` when it cannot be used, or options do not fit the scenario."""
        from simnet.study.columns import read_column
        from simnet.study.population import column_population, column_values, counted_population

        if scenario.data == "values":
            if self.domain is not None:
                raise BadInput("--domain names items, and this scenario takes numbers: --set low=... --set high=...")
            if self.counts is not None:
                raise BadInput("--counts goes with items, and this scenario takes numbers, one user a row")
            return column_values(read_column(file, name), *scenario.range)
        domain = None if self.domain is None else [label.strip() for label in _fields(self.domain)]
        column = read_column(file, name)
        if self.counts is None:
            return column_population(column, domain)
        return counted_population(column, read_column(file, self.counts), domain)


def _fields(text: str) -> list[str]:
    """The fields of comma-separated text; quotes protect a comma."""
    if not text.strip():
        raise BadInput("--domain names no item: items separated by commas are expected")
    try:
        return [field for row in csv.reader([text], strict=True) for field in row]
    except csv.Error as error:
        raise BadInput(f"--domain takes items separated by commas: {error}") from None


def with_sizes(settings: dict[str, str], users: int | None, items: int | None) -> dict[str, str]:
    """Settings with `--users` and `--items`, which are short for two of them. Raises `BadInput` for both at once."""
    for name, value in (("users", users), ("items", items)):
        if value is not None and name in settings:
            raise BadInput(f"--{name} is short for --set {name}: give one of them")
        if value is not None:
            settings[name] = str(value)
    return settings


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers separated by commas. Raises `BadInput` for anything else."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"{option} takes whole numbers separated by commas, got {text!r}") from None


def settings_of(given: Sequence[str] | None) -> dict[str, str]:
    """`--set k=v` options by name. Raises `BadInput` for one without an equals sign."""
    settings: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"--set takes name=value, got {text!r}")
        if name.strip() in settings:
            raise BadInput(f"--set {name.strip()} is given twice: {settings[name.strip()]} and {value.strip()}")
        settings[name.strip()] = value.strip()
    return settings
