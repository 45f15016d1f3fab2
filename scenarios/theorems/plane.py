"""A claim on δ over a plane of settings.

It shows where the claim holds, and by how many powers of ten it is off.
"""

from collections.abc import Sequence
from math import log, nan
from typing import Any

import numpy as np

from scenarios.theorems.claim import DeltaClaim, Setting
from simnet.arrays import Floats


def evenly_held(holders: int, items: int, epsilon: float, **others: Any) -> Setting:
    """The setting in which as many users hold every item: n = N holders, β = 1/N.

    `others` are fields of a `Setting`.

    Raises `ValueError` as a `Setting` does.
    """
    return Setting(holders * items, items, 1 / items, epsilon, **others)


def claimed_over_exact(claim: DeltaClaim, plane: Sequence[Sequence[Setting]]) -> Floats:
    """Decimal logs of the claimed δ over the largest exact one, setting by setting.

    Shape of the plane. At or above 0 the claim holds and is loose by so many powers of ten, below 0
    it fails, and it is NaN where the claim is silent or there is nothing to be exact about.
    """
    return np.array([[_ratio(claim, setting) for setting in row] for row in plane])


def _ratio(claim: DeltaClaim, setting: Setting) -> float:
    found = claim.judge(setting)
    if found.holds is None or found.claimed is None:
        return nan
    difference = (found.claimed - max(found.exact.values())) / log(10)
    return max(difference, 0.0) if found.holds else difference  # a rounding below equality is none
