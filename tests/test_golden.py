"""Golden vectors fix what seeds give and what bytes mean, and a second reader checks them."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness.golden import reader, writing

VECTORS = json.loads(writing.FILE.read_text(encoding="utf-8"))


def test_the_package_gives_the_golden_vectors() -> None:
    """After a change on purpose: `python -m tests.harness.golden.writing`, and tell users of it."""
    ours = json.loads(json.dumps(writing.written()))
    for section, vectors in VECTORS.items():
        assert ours[section] == vectors
    assert ours.keys() == VECTORS.keys()


def test_the_second_reader_needs_nothing_but_python_and_agrees() -> None:
    path = Path(reader.__file__)
    done = subprocess.run(
        [sys.executable, "-I", "-S", path, writing.FILE], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"{section}: {len(vectors)} vectors hold" for section, vectors in VECTORS.items()
    ]


@pytest.mark.parametrize("section", VECTORS)
def test_the_second_reader_sees_a_change_of_any_vector(section: str) -> None:
    for place, vector in enumerate(VECTORS[section]):
        part = next(name for name in ("words", "values", "bytes") if vector.get(name))
        changed: Any = copy.deepcopy(VECTORS)
        found = changed[section][place][part]
        if part == "bytes":
            changed[section][place][part] = found[:-1] + f"{int(found[-1], 16) ^ 1:x}"
        else:
            found[-1] = [0] if isinstance(found[-1], list) else "0"
        with pytest.raises((AssertionError, ValueError)):
            reader.check(changed)
