"""Rows of numbers as a person sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from simnet.studies.table import columns


def print_rows(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """A column for each name, a line for each row."""
    names = columns(rows)
    grid = Table(*names, box=None, pad_edge=False)
    for column in grid.columns:
        column.overflow = "fold"
    for row in rows:
        grid.add_row(*(Text(in_words(row.get(name))) for name in names))
    console.print(grid)


def in_words(value: Any) -> str:
    """A cell: numbers with few digits, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
