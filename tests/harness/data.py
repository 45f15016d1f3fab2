"""The folder of the source code, and the real data that some tests read.

The data are not part of the repository. They lie in the folder that `SIMNET_DATA` names, or else in
`shared/data` beside the source code. A test that reads them is marked with the files that it needs,
`@pytest.mark.data("adult.csv.gz")`, and is skipped where these are missing.
"""

import csv
import gzip
import os
from pathlib import Path

import numpy as np

from simnet.arrays import Ints

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("SIMNET_DATA") or ROOT.parent / "shared" / "data").resolve()


def absence(files: tuple[str, ...]) -> str | None:
    """Return the reason why a test that reads these files cannot run; empty if it can run."""
    if not DATA.is_dir():
        return f"there are no real data at {DATA}; SIMNET_DATA names another folder"
    missing = [name for name in files if not (DATA / name).is_file()]
    return f"{DATA} lacks {', '.join(missing)}" if missing else None


def counts_of(name: str) -> Ints:
    """Return the counts in a file of items."""
    with gzip.open(DATA / name, "rt") as file:
        return np.array([int(row["count"]) for row in csv.DictReader(file)])
