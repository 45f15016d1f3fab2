"""Collusion sets of two-stage sampling that depend on whom S1 elected."""

from collections.abc import Sequence

import numpy as np

from simnet.kernel.run import Run
from simnet.study.claims import Chosen


def fewest_elected(run: Run) -> list[str]:
    """The users elected for the item with the fewest of them, if somebody else reports on it; else nobody."""
    sets, elected = run.outputs["S1"]
    reported = [item for item in range(len(elected)) if sets[:, item].any()]
    item = min(reported, key=lambda item: (len(elected[item]), item))
    outside = np.setdiff1d(np.flatnonzero(sets[:, item]), elected[item])
    names = list(run.roster.role("user"))
    return [names[user] for user in elected[item]] if outside.size else []


def _all_but_one(run: Run) -> Sequence[str]:
    return fewest_elected(run)[:-1]


ALL_ELECTED = Chosen("all users elected for one item", fewest_elected)
ALL_ELECTED_BUT_ONE = Chosen("all of them but one", _all_but_one)
