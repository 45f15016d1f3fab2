"""Read a prior of one's own from a file.

The file has a column `count` and a column `probability`. Such a prior may come from users who agree
to share their true items (Jia and Gong, *Calibrate*, section III-C)::

    count,probability
    0,0.5
    10,0.375
    200,0.125
"""

import math
from collections import Counter
from pathlib import Path

import numpy as np

from protocols.postprocess.priors import FinitePrior
from simnet.errors import BadInput
from simnet.scenario.columns import Column, read_columns, whole_numbers

ROUNDING = 1e-6  # by how much the sum of the probabilities may differ from 1


def read_prior(path: Path) -> FinitePrior:
    """Return the prior in a file with the columns `count` and `probability`, CSV or Parquet.

    Raises `BadInput` for a file that cannot be used, a count that is not a whole number from 0 on
    or stands in two rows, a probability outside 0 to 1, or probabilities that do not add up to 1.
    """
    counts, probabilities = read_columns(path, ["count", "probability"])
    numbers, masses = whole_numbers(counts), np.array(_probabilities(probabilities))
    repeated = [number for number, times in Counter(numbers).items() if times > 1]
    if repeated:
        raise BadInput(
            f"{counts.source} has the count {repeated[0]} in two rows or more: give each count once"
        )
    total = float(masses.sum())
    if abs(total - 1) > ROUNDING:
        raise BadInput(
            f"the values in {probabilities.source} add up to {total:.6g}: probabilities add up to 1"
        )
    return FinitePrior(np.array(numbers, dtype=np.float64), masses / total)


def _probabilities(column: Column) -> list[float]:
    column.refuse(
        lambda text: _probability(text) is None,
        lambda text: f"has {text!r}, where a probability from 0 to 1 is expected",
    )
    by_label = [_probability(label) or 0.0 for label in column.labels]
    return [by_label[number] for number in column.numbers.tolist()]


def _probability(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None
