"""The command line in tests: `simnet` in this process or in one of its own, and its words."""

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
WIDTH = 80  # columns of the terminal that commands believe to have
_TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


class Result(NamedTuple):
    """What a command has left: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, as the JSON document that it is."""
        return json.loads(self.out)


def simnet(*arguments: object) -> Result:
    """Run the command in this process, which has no terminal and a width of 80 columns."""
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
    """What the one line on standard error says."""
    assert result.status == 2
    assert "Traceback" not in result.err
    assert re.fullmatch(r"simnet: \S.*\n", result.err), f"one line is expected, got {result.err!r}"
    return result.err.removeprefix("simnet: ").strip()


def words(text: str) -> str:
    """Text as it was before it was wrapped."""
    return " ".join(text.split())


def process(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    """`simnet` in a process of its own."""
    command = [sys.executable, "-m", "simnet", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False, **options
    )
