"""Prints privacy statements: a table for each view, with what the numbers assume."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from simnet.cli.grid import Grid
from simnet.stated.privacy import PrivacyStatement, assumptions_in_words


def print_privacy(console: Console, statements: Sequence[PrivacyStatement]) -> None:
    """Print a table of the statements for each view, and the assumptions of the numbers."""
    for view, group in groupby(statements, key=lambda statement: statement.whose):
        of_view = list(group)
        console.print(Text(f"Privacy of one user against {view}", "bold"))
        columns = [
            name
            for name in of_view[0].row()
            if any(statement.row().get(name) for statement in of_view)
        ]
        table = Grid(*columns)
        for statement in of_view:
            table.add_row(*(Text(statement.row().get(name, "")) for name in columns))
        console.print(table)
        for assumption in assumptions_in_words(of_view):
            console.print(Text(f"assuming {assumption}", "dim"))
        console.print()
