"""The command line in tests: runs `simnet` in this process or in a new one, and reads what it
wrote.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from typing import Any, NamedTuple
from unittest import mock

import pytest

from simnet.cli.main import main
from tests.harness.data import ROOT

RING = ROOT / "notebooks" / "ring_sum.py"
WIDTH = 80  # the width of the terminal that commands see, in columns
_TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


class Result(NamedTuple):
    """The result of a command: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, read as a JSON document."""
        return json.loads(self.out)


def simnet(*arguments: object) -> Result:
    """Run the command in this process, without a terminal and with a width of 80 columns."""
    out, err = io.StringIO(), io.StringIO()
    plain = {name: value for name, value in os.environ.items() if name not in _TERMINAL}
    with (
        mock.patch.dict(os.environ, {**plain, "COLUMNS": str(WIDTH)}, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as left,
    ):
        main([str(argument) for argument in arguments])
    code = left.value.code or 0
    return Result(code if isinstance(code, int) else 1, out.getvalue(), err.getvalue())


def refusal(result: Result) -> str:
    """Return the text of the only line on standard error."""
    assert result.status == 2
    assert "Traceback" not in result.err
    assert re.fullmatch(r"simnet: \S.*\n", result.err), f"one line is expected, got {result.err!r}"
    return result.err.removeprefix("simnet: ").strip()


def words(text: str) -> str:
    """Return a text with its line breaks removed."""
    return " ".join(text.split())


def process(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Start `simnet` in a new process."""
    command = [sys.executable, "-m", "simnet", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False, **options
    )
