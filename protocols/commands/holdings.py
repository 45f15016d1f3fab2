"""How many users hold each item, read from a column of a file, for commands that ask for no run."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from cyclopts import Parameter

from simnet.errors import BadInput

if TYPE_CHECKING:
    from simnet.scenario.population import ItemPopulation


@Parameter(name="*")
@attrs.frozen
class ItemsOfFile:
    """The items that users hold, from a column of a file."""

    input: Path | None = None
    "CSV, CSV.gz or Parquet file; one row is one user, unless --counts says how many."
    column: str | None = None
    "The column that holds the users' items."
    counts: str | None = None
    "The column that says how many users hold the item of a row."
    delimiter: str | None = None
    "What separates the fields of a CSV file, such as ; or tab; found out when left out."
    encoding: str | None = None
    "How a CSV file's letters are written, such as latin-1; UTF-8, UTF-16 or UTF-32 when left out."
    max_rows: int | None = None
    "Refuse a file of more rows than this; ten million when left out."

    def population(self, **instead: object) -> "ItemPopulation | None":
        """The users of the file; None where no file is given.

        `instead` are the command's options that the file answers. Raises `BadInput` where both are
        given, and for a file that cannot be used.
        """
        from simnet.scenario.columns import read_column
        from simnet.scenario.data_file import Format
        from simnet.scenario.from_columns import items_by_counts, items_of_column

        if self.input is None:
            for name, value in attrs.asdict(self).items():
                if value is not None:
                    option = name.replace("_", "-")
                    raise BadInput(f"--{option} goes with --input: it describes a file")
            return None
        if self.column is None:
            raise BadInput("--input needs --column: which column holds the users' items?")
        for name, value in instead.items():
            if value is not None:
                raise BadInput(f"--input says what --{name} would: leave --{name} out")
        form = Format.of_options(self.delimiter, self.encoding, self.max_rows)
        column = read_column(self.input, self.column, form)
        if self.counts is None:
            return items_of_column(column, None)
        return items_by_counts(column, read_column(self.input, self.counts, form), None)


def rarest_item(people: "ItemPopulation") -> tuple[str, int]:
    """The item that the fewest users hold, and how many do."""
    support = people.support
    return people.labels[int(support.argmin())], int(support.min())
