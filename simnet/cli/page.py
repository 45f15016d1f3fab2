"""Parts of Markdown pages that commands write: what stands between two comments.

    <!-- speed -->
    | figure | measured | target |
    <!-- /speed -->

The rest of such a page is written by hand, and left as it is.
"""

from collections.abc import Iterable
from pathlib import Path

from simnet.errors import BadInput
from simnet.files import write_whole


def write_part(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace the part of that name by these lines.

    Raises `BadInput` when the page cannot be read or written, or has no such part.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        before, marker, after = page.read_text(encoding="utf-8").partition(begin + "\n")
        _, closed, after = after.partition(end)
        if not (marker and closed):
            raise BadInput(f"{page} has no part between {begin} and {end} to write to")
    except OSError as error:
        raise BadInput(f"{page} cannot be read: {error.strerror}") from error
    write_whole(page, "\n".join([before + begin, *lines, end + after]))
