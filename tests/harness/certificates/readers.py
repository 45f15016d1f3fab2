"""The two readers of certificates, as functions: each takes the bytes of a file and returns the
lines that the reader prints.
"""

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from simnet.adversary import check as checker
from tests.harness.data import ROOT

Lines = tuple[str, str, str]
Reader = Callable[[bytes], Lines | None]  # the three lines; None if the file is refused

NODE = shutil.which("node")


def python_reader(data: bytes, module: Any = checker) -> Lines | None:
    """Return the lines that the checker in Python prints; `module` may be a weakened copy of the
    checker.
    """
    try:
        found = module.check(data.decode())
    except (module.BadCertificate, UnicodeDecodeError):
        return None
    return f"Checking takes {found.products} products.", found.proved, found.not_shown


class NodeReader:
    """The checker in JavaScript, as one process that reads many files."""

    def __init__(self) -> None:
        driver = Path(__file__).with_name("driver.mjs")
        module = ROOT / "simnet" / "adversary" / "check.mjs"
        self._process = subprocess.Popen(
            [str(NODE), str(driver), str(module)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def __call__(self, data: bytes) -> Lines | None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(base64.b64encode(data).decode() + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return tuple(answer) if isinstance(answer, list) else None
