"""Where results go: tables for a person, JSON for a program.

Everything that a person sees goes through `console`, or through `tell` on standard error. Both show
text from elsewhere as it is: characters that would move a cursor become dots, and square brackets
are no markup. What is to be coloured is a rich `Text`.
"""

import json
import math
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from simnet.files import write_whole
from simnet.printable import printable

# In the text of JSON a letter may stand as itself or as an escape, which means the same.
_UNPRINTABLE = re.compile(
    "[\\x7f-\\x9f\\u200e-\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]+"
)
_NOT_ASCII = re.compile("[^\\x00-\\x7f]+")


def console(json_file: str | None) -> Console:
    """The console for a person; silent when JSON goes to standard output."""
    return Screen(quiet=json_file == "-", highlight=False, emoji=False, markup=False)


class Screen(Console):
    """A console that shows no character that would move a terminal's cursor."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The pieces of text that are to be printed; rich's own commands are no text."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                lines = "\n".join(map(printable, segment.text.split("\n")))
                yield Segment(lines, segment.style)

    def on_broken_pipe(self) -> None:
        """Leave it to the frame of the command line, which knows that it is no failure."""
        raise BrokenPipeError


def write_json(value: Any, file: str | None) -> None:
    """Write JSON to a file, or to standard output for `-`.

    Raises `BadInput` when the file cannot be written.
    """
    if file is None:
        return
    text = json.dumps(_finite(value), indent=2, ensure_ascii=False, default=_number) + "\n"
    text = _UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], text)
    if file != "-":
        write_whole(Path(file), text)
        return
    if not _can_show(sys.stdout, text):
        text = _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(text)


def _can_show(stream: TextIO, text: str) -> bool:
    """Whether the stream's encoding has every letter of the text."""
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _finite(value: Any) -> Any:
    """Replace what JSON has no word for: infinity by text, NaN (unknown) by null."""
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _number(value: Any) -> Any:
    """A numpy number or a fraction as a plain one."""
    return value.item() if hasattr(value, "item") else float(value)
