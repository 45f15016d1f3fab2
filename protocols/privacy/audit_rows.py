"""The samples of an audit, split into three parts.

An audit learns from the first part, selects an event with the second, and certifies with the third.
"""

from collections.abc import Callable, Iterator

import attrs
import numpy as np
import numpy.typing as npt

from simnet.arrays import Numbers
from simnet.coins.coins import Coins
from simnet.errors import BadInput

Sample = npt.ArrayLike | Callable[[int, Coins], npt.ArrayLike]

LEAST = 80  # the least number of rows of a sample
SHARE = 8  # one row in 8 is for learning, and one in 8 for selecting an event
LARGEST = 1e150  # upper bound on the numbers in a report, so that their squares are finite
CHUNK = 1 << 18  # rows per step


@attrs.frozen(eq=False)
class SampleParts:
    """Disjoint rows (m, features) of one sample.

    `fit` is for learning scores and `choose` for selecting an event. `rest` yields the remaining
    rows in chunks, `certifying` rows in all; `rest` can be read once.
    """

    fit: Numbers
    choose: Numbers
    rest: Iterator[Numbers]
    certifying: int


def parts(sample: Sample, samples: int | None, coins: Coins) -> SampleParts:
    """Return the parts of a sample. An array is split at random; a function draws `samples` rows.

    Raises `BadInput` for fewer than 80 rows, for rows that `rows_of` refuses, for a function
    without `samples`, and if `samples` is given and differs from the number of rows.
    """
    if callable(sample):
        if samples is None:
            raise BadInput(
                "a sample that is a function needs `samples`, the number of rows to draw"
            )
        part = _part(samples)
        fit, choose = (rows_of(sample(part, coins), part) for _ in range(2))
        return SampleParts(
            fit, choose, _draws(sample, samples - 2 * part, coins), samples - 2 * part
        )
    rows = rows_of(sample, samples)
    part = _part(len(rows))
    fit, remaining = _deal(rows, part, coins)
    choose, remaining = _deal(remaining, part, coins)
    return SampleParts(
        fit,
        choose,
        (remaining[start : start + CHUNK] for start in range(0, len(remaining), CHUNK)),
        len(remaining),
    )


def rows_of(sample: npt.ArrayLike, count: int | None = None) -> Numbers:
    """Return the reports as rows (m, features); booleans become 0 and 1.

    Raises `BadInput` for reports that are not finite numbers below 1e150 in absolute value, for
    another shape, and if `count` is given and differs from the number of rows.
    """
    try:
        rows = np.asarray(sample)
    except ValueError:
        raise BadInput(
            "reports are numbers of shape (m,) or (m, features), got rows of different lengths"
        ) from None
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or rows.shape[1] < 1 or rows.dtype.kind not in "buif":
        raise BadInput(
            f"reports are numbers of shape (m,) or (m, features), got {rows.dtype} of shape "
            f"{rows.shape}"
        )
    if count is not None and len(rows) != count:
        raise BadInput(f"asked for {count} reports, got {len(rows)}")
    rows = rows.astype(
        {"b": np.uint8, "f": np.float64}.get(rows.dtype.kind, rows.dtype), copy=False
    )
    if rows.dtype.kind == "f" and not (np.abs(rows) < LARGEST).all():  # also refuses NaN
        raise BadInput(
            f"a report holds numbers between -{LARGEST:g} and {LARGEST:g}: scale larger numbers, "
            f"and mark NaN and infinities by 0 or 1 in a coordinate of their own"
        )
    return rows


def _part(samples: int) -> int:
    if samples < LEAST:
        raise BadInput(f"an audit needs at least {LEAST} reports under each input, got {samples}")
    return samples // SHARE


def _deal(rows: Numbers, count: int, coins: Coins) -> tuple[Numbers, Numbers]:
    chosen = np.zeros(len(rows), dtype=np.bool_)
    chosen[coins.subset(count, len(rows)).plain] = True
    return rows[chosen], rows[~chosen]


def _draws(
    sample: Callable[[int, Coins], npt.ArrayLike], samples: int, coins: Coins
) -> Iterator[Numbers]:
    for start in range(0, samples, CHUNK):
        count = min(CHUNK, samples - start)
        yield rows_of(sample(count, coins), count)
