"""Writes results: tables for a person, JSON for a program.

Text for a person goes through `console`, or through `tell` on standard error. Text that comes from
data is safe to print there: characters that would move a terminal's cursor become dots, and the
library rich does not read square brackets as markup.
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
from rich.text import Text

from simnet.files import write_whole
from simnet.printable import printable, rounded

# In JSON, a letter and its escape (such as \u00e9) mean the same.
_UNPRINTABLE = re.compile(
    "[\\x7f-\\x9f\\u200e-\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]+"
)
_NOT_ASCII = re.compile("[^\\x00-\\x7f]+")


def console(json_file: str | None) -> Console:
    """Return the console for a person. The console prints nothing when JSON goes to standard
    output.
    """
    return Screen(quiet=json_file == "-", highlight=False, emoji=False, markup=False)


class Screen(Console):
    """A console that replaces characters that would move a terminal's cursor."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the pieces of text to print; rich's own control codes pass unchanged."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                lines = "\n".join(map(printable, segment.text.split("\n")))
                yield Segment(lines, segment.style)


def print_note(out: Console, note: str | None) -> None:
    """Print a note in yellow, if there is one."""
    if note is not None:
        out.print(Text(f"note: {note}", "yellow"))


def remarks(*sentences: str | None) -> list[str]:
    """Return what JSON has under `remarks`: the sentences that a command prints beside its result.

    None stands for a sentence that is not printed.
    """
    return [sentence for sentence in sentences if sentence is not None]


def print_numbering(out: Console, numbering: str | None) -> None:
    """Print the sentence that says which value of a column became which input, if there is one."""
    if numbering is not None:
        out.print(Text(numbering))


def sized(octets: float) -> str:
    """Return a number of bytes with a unit, such as kB for 1000 bytes.

    >>> sized(999), sized(53_400), sized(2.5e9)
    ('999 B', '53.4 kB', '2.5 GB')
    """
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if octets < 999.5 or unit == "TB":
            break
        octets /= 1000
    return f"{octets:.3g} {unit}" if octets < 999.5 else f"{rounded(octets)} {unit}"


def write_json(value: Any, file: str | None) -> None:
    """Write JSON to a file, or to standard output for `-`. A new file may hold a seed, so only its
    owner may read it.

    Raises `BadInput` when the file cannot be written.
    """
    if file is None:
        return
    text = json.dumps(_finite(value), indent=2, ensure_ascii=False, default=_number) + "\n"
    text = _UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], text)
    if file != "-":
        write_whole(Path(file), text, private=True)
        return
    if not _can_show(sys.stdout, text):
        text = _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(text)


def _can_show(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _finite(value: Any) -> Any:
    """Replace the numbers that JSON cannot write: infinity by text, NaN (unknown) by null."""
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
    return value.item() if hasattr(value, "item") else float(value)
