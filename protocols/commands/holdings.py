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
        if self.input is None:
            self.refuse_options_of_files()
            return None
        if self.column is None:
            raise BadInput("--input needs --column: name the column that has the users' items")
        for name, value in instead.items():
            if value is not None:
                raise BadInput(
                    f"--{name} does not go with --input, because this value comes from the file: "
                    f"leave --{name} out"
                )
        return self.items(self.input, self.column)


def rarest_item(people: "ItemPopulation") -> tuple[str, int]:
    """Return the item that the fewest users hold, and the number of its holders."""
    support = people.support
    return people.labels[int(support.argmin())], int(support.min())
