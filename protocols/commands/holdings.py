"""How many users hold each item of a file, for commands that make no run."""

from typing import TYPE_CHECKING

import attrs
from cyclopts import Parameter

from simnet.cli.options import ColumnOfFile
from simnet.errors import BadInput

if TYPE_CHECKING:
    from simnet.scenario.population import ItemPopulation


@Parameter(name="*")
@attrs.frozen
class ItemsOfFile(ColumnOfFile):
    """The users' items, read from a column of a file."""

    def population(self, **instead: object) -> "ItemPopulation | None":
        """Return the users of the file, or None if no file is given.

        `instead` holds the command's options whose values the file gives, by name.

        Raises `BadInput` if such an option is given together with a file, if the options of a file
        are given without one or incompletely, and for a file that cannot be used.
        """
        from simnet.scenario.columns import read_column
        from simnet.scenario.from_columns import items_by_counts, items_of_column

        if self.input is None:
            for name, value in attrs.asdict(self).items():
                if value is not None:
                    option = name.replace("_", "-")
                    raise BadInput(f"--{option} goes with --input: give the file of data too")
            return None
        if self.column is None:
            raise BadInput("--input needs --column: name the column that has the users' items")
        for name, value in instead.items():
            if value is not None:
                raise BadInput(
                    f"--{name} does not go with --input, because this value comes from the file: "
                    f"leave --{name} out"
                )
        column = read_column(self.input, self.column, self.form)
        if self.counts is None:
            return items_of_column(column, None)
        return items_by_counts(column, read_column(self.input, self.counts, self.form), None)


def rarest_item(people: "ItemPopulation") -> tuple[str, int]:
    """Return the item that the fewest users hold, and the number of its holders."""
    support = people.support
    return people.labels[int(support.argmin())], int(support.min())
