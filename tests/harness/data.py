"""Counts of real data, which lie beside the repository when they are there at all."""

import csv
import gzip
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


def counts_of(name: str) -> npt.NDArray[np.int64]:
    """The counts of a file of items; the test is skipped, saying so, when the file is not there."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside the repository")
    with gzip.open(path, "rt") as file:
        return np.array([int(row["count"]) for row in csv.DictReader(file)])
