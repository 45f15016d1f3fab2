"""Tables on a terminal with columns that are wide enough for their numbers.

The library rich makes a table narrow by cutting or breaking words, and half a number is a wrong
number. In a `Grid`, a column is at least as wide as its longest word; only a word of more than 40
letters may be broken. If the table is then too wide, it is printed row by row: each cell that is
not empty begins a line, behind its heading. There, a very narrow terminal breaks shorter words::

    role  exact      measured            role      user
    user  1,200,000  1,200,000           exact     1,200,000
                                         measured  1,200,000
"""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from simnet.printable import transliterated
from simnet.studies.table import columns

LONGEST_WORD = 40  # a longer word is not a number, so it may be broken into two lines
GAPS = (2, 1)  # two spaces stand between columns, or one if there is no room for two


class Grid:
    """A table with headings; the columns in `numbers`, counted from 0, are aligned to the right."""

    def __init__(self, *heads: str, numbers: Container[int] = ()) -> None:
        self.heads = heads
        self.rows: list[list[Text]] = []
        self._numbers = numbers

    def add_row(self, *cells: str | Text) -> None:
        """Add a row, with one cell for each heading."""
        self.rows.append([cell if isinstance(cell, Text) else Text(cell) for cell in cells])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = [_shown(Text(head, "bold"), console.encoding) for head in self.heads]
        rows = [[_shown(cell, console.encoding) for cell in row] for row in self.rows]
        for gap in GAPS:
            widths = _widths([heads, *rows], options.max_width - gap * (len(heads) - 1))
            if widths is not None:
                yield self._table(heads, rows, widths, gap)
                return
        for place, row in enumerate(rows):
            if place:
                yield Text()
            yield _block(heads, row, options.max_width)

    def _table(
        self, heads: list[Text], rows: list[list[Text]], widths: list[int], gap: int
    ) -> Table:
        padding = (0, gap, 0, 0)
        table = Table(
            box=None, pad_edge=False, padding=padding, show_header=any(map(len, self.heads))
        )
        for place, (head, width) in enumerate(zip(heads, widths, strict=True)):
            justify = "right" if place in self._numbers else "left"
            table.add_column(head, width=width, overflow="fold", justify=justify)  # type: ignore[arg-type]
        for row in rows:
            table.add_row(*row)
        return table


def _shown(cell: Text, encoding: str) -> Text:
    plain = transliterated(cell.plain, encoding)
    if plain == cell.plain:
        return cell
    return Text(plain, cell.style, no_wrap=cell.no_wrap)


def _widths(rows: Sequence[Sequence[Text]], room: int) -> list[int] | None:
    cells = list(zip(*rows, strict=True))
    wanted = [max(cell_len(line) for cell in column for line in _lines(cell)) for column in cells]
    widths = [max(map(_longest_word, column)) for column in cells]
    if sum(widths) > room:
        return None
    while sum(widths) < min(room, sum(wanted)):  # widen the narrowest column first
        narrow = [place for place, width in enumerate(widths) if width < wanted[place]]
        widths[min(narrow, key=lambda place: widths[place])] += 1
    return widths


def _lines(cell: Text) -> list[str]:
    return cell.plain.split("\n")


def _longest_word(cell: Text) -> int:
    if cell.no_wrap:
        return cell_len(cell.plain)
    return min(max(map(cell_len, cell.plain.split()), default=0), LONGEST_WORD)


def _block(heads: Sequence[Text], row: Sequence[Text], room: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    widest = max(cell_len(head.plain) for head in heads)
    table.add_column(width=min(widest, max(room // 3, 1)), overflow="fold")
    table.add_column(overflow="fold")
    for head, cell in zip(heads, row, strict=True):
        if cell.plain:
            table.add_row(head, cell)
    return table


def print_rows(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print a table with a column for each name that occurs in a row, and a line for each row."""
    names = columns(rows)
    grid = Grid(*names)
    for row in rows:
        grid.add_row(*(in_words(row.get(name)) for name in names))
    console.print(grid)


def in_words(value: Any) -> str:
    """Return the text of a cell: four significant digits of a `float`, yes or no for a `bool`, and
    an empty text for None.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
