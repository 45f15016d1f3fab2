"""Read a prior of one's own from a file.

The file has a column `count` and a column `probability`. Such a prior may come from users who agree
to share their true items (Jia and Gong, *Calibrate*, section III-C)::

    count,probability
    0,0.5
    10,0.375
    200,0.125
"""

from collections import Counter
from pathlib import Path

import numpy as np

from protocols.postprocess.priors import FinitePrior
from simnet.errors import BadInput
from simnet.scenario.columns import numbers, read_columns, whole_numbers
from simnet.scenario.data_file import quoted

ROUNDING = 1e-6  # by how much the sum of the probabilities may differ from 1


def read_prior(path: Path) -> FinitePrior:
    """Return the prior in a file with the columns `count` and `probability`, CSV or Parquet.

    Raises `BadInput` for a file that cannot be used, a count that is not a whole number from 0 on
    or stands in two rows, a probability outside 0 to 1, or probabilities that do not add up to 1.
    """
    counts, probabilities = read_columns(path, ["count", "probability"])
    support, masses = whole_numbers(counts), numbers(probabilities)
    probabilities.refuse(
        lambda text: not 0 <= float(text) <= 1,
        lambda text: f"has {quoted(text)}, where a probability from 0 to 1 is expected",
    )
    repeated = [number for number, times in Counter(support).items() if times > 1]
    if repeated:
        raise BadInput(
            f"{counts.source} has the count {repeated[0]} in two rows or more: give each count once"
        )
    total = float(masses.sum())
    if abs(total - 1) > ROUNDING:
        raise BadInput(
            f"the values in {probabilities.source} add up to {total:.6g}: probabilities add up to 1"
        )
    return FinitePrior(np.array(support, dtype=np.float64), masses / total)
