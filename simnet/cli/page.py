"""Reads and writes a part of a Markdown page: the lines between two comments.

For example::

    <!-- speed -->
    | figure | measured | target |
    <!-- /speed -->

The other lines of the page stay as they are.
"""

from collections.abc import Iterable
from pathlib import Path

from simnet.errors import BadInput
from simnet.files import write_whole
from simnet.foreign import text_of


def read_part(page: Path, name: str) -> list[str]:
    """Return the lines of the part with this name.

    Raises `BadInput` when the page cannot be read or has no such part.
    """
    return _split(page, name)[1].splitlines()


def write_part(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace the part with this name by these lines.

    Raises `BadInput` when the page cannot be read or written, or has no such part.
    """
    before, _, after = _split(page, name)
    begin, end = _marks(name)
    write_whole(page, "\n".join([before + begin, *lines, end + after]))


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name} -->", f"<!-- /{name} -->"


def _split(page: Path, name: str) -> tuple[str, str, str]:
    begin, end = _marks(name)
    before, marker, after = text_of(page).partition(begin + "\n")
    part, closed, after = after.partition(end)
    if not (marker and closed):
        raise BadInput(f"{page} has no part to write to: add the lines {begin} and {end}")
    return before, part, after
