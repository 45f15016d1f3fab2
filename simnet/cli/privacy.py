"""Privacy statements as a person sees them on a terminal."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from simnet.stated.privacy import PrivacyStatement


def print_privacy(console: Console, statements: Sequence[PrivacyStatement]) -> None:
    """View by view a table of the statements, and what they rest on."""
    for whose, group in groupby(statements, key=lambda one: one.whose):
        mine = list(group)
        console.print(Text(f"Privacy of one user against {whose}", "bold"))
        columns = [name for name in mine[0].row() if any(one.row().get(name) for one in mine)]
        table = Table(*columns, box=None, pad_edge=False)
        for one in mine:
            table.add_row(*(Text(one.row().get(name, "")) for name in columns))
        console.print(table)
        for assumption in dict.fromkeys(one.assumption for one in mine):
            console.print(Text(f"assuming {assumption}", "dim"))
        console.print()
