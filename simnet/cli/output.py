"""Where results go: tables for a person, JSON for a program."""

import json
import math
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from simnet.errors import BadInput


def console(json_file: str | None) -> Console:
    """The console for a person; silent when JSON goes to standard output."""
    return _Console(quiet=json_file == "-", highlight=False, emoji=False)


class _Console(Console):
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
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}") from error


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
