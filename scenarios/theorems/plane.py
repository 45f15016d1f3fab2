"""A claim on δ for a table of parameters: where the claim holds, and by how many powers of ten it
differs from the exact δ.
"""

from collections.abc import Sequence
from math import log, nan
from typing import Any

import numpy as np

from scenarios.theorems.claim import DeltaClaim, Setting
from simnet.arrays import Floats


def evenly_held(holders: int, items: int, epsilon: float, **others: Any) -> Setting:
    """Return the setting in which every item has the same number of holders: n = N · holders and β
    = 1/N.

    `others` are further fields of `Setting`.

    Raises `ValueError` for values out of range.

    >>> evenly_held(holders=50, items=4, epsilon=0.5).users
    200
    """
    beta = 1 / items if items else 1.0  # `Setting` refuses 0 items
    return Setting(holders * items, items, beta, epsilon, **others)


def claimed_over_exact(claim: DeltaClaim, plane: Sequence[Sequence[Setting]]) -> Floats:
    """Return log10 of the quotient of the claimed δ and the largest exact δ, for every setting.

    The array has the shape of `plane`. A number of at least 0 says that the claim holds and is
    loose by this number of powers of ten. A number below 0 says that it fails. NaN stands where
    nothing is claimed, or no exact value is defined.
    """
    return np.array([[_ratio(claim, setting) for setting in row] for row in plane])


def _ratio(claim: DeltaClaim, setting: Setting) -> float:
    found = claim.judge(setting)
    if found.holds is None or found.claimed is None:
        return nan
    difference = (found.claimed - max(found.exact.values())) / log(10)
    return (
        max(difference, 0.0) if found.holds else difference
    )  # a rounding error below 0 counts as 0
