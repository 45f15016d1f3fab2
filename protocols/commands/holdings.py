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

    def population(self, **instead: object) -> "ItemPopulation | None":
        """The users of the file; None where no file is given.

        `instead` are the command's options that the file answers. Raises `BadInput` where both are
        given, and for a file that cannot be used.
        """
        from simnet.scenario.columns import read_column
        from simnet.scenario.from_columns import items_by_counts, items_of_column

        if self.input is None:
            for name in ("column", "counts"):
                if getattr(self, name) is not None:
                    raise BadInput(f"--{name} goes with --input: it describes a file")
            return None
        if self.column is None:
            raise BadInput("--input needs --column: which column holds the users' items?")
        for name, value in instead.items():
            if value is not None:
                raise BadInput(f"--input says what --{name} would: leave --{name} out")
        column = read_column(self.input, self.column)
        if self.counts is None:
            return items_of_column(column, None)
        return items_by_counts(column, read_column(self.input, self.counts), None)


def rarest_item(people: "ItemPopulation") -> tuple[str, int]:
    """The item that the fewest users hold, and how many do."""
    support = people.support
    return people.labels[int(support.argmin())], int(support.min())
