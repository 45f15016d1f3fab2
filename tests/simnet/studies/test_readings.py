"""What quotes read off tables: quotients, crossings, and which of two numbers is smaller.

Seeds are fixed; statistics state their false-alarm rate.
"""

from math import inf, isclose

import numpy as np
import pytest

from simnet.studies.quote import Counterpart
from simnet.studies.readings import counted, crossing_of, quotient, share_less
from simnet.studies.table import Estimate, NoSuchPoint, gamma_interval


def estimate(mean: float, spread: float, trials: int, expected: float | None = None) -> Estimate:
    return Estimate(mean, *gamma_interval(mean, spread, trials, 0.05), expected, spread, trials)


def test_a_quotients_interval_is_about_that_of_two_gamma_laws() -> None:
    """Of 2,000 quotients whose expectations are 2, 95 % of the intervals hold it.

    Within 5 standard errors, 2.5 %.
    """
    generator, shape = np.random.default_rng(1), 8.0
    ours, theirs = (level * generator.gamma(shape, 1 / shape, 2000) for level in (2.0, 1.0))
    found = [
        quotient(*(estimate(one, shape**-0.5, 1) for one in pair))
        for pair in zip(ours, theirs, strict=True)
    ]
    held = np.mean([(one.low or 0) < 2 < (one.high or 0) for one in found])
    assert abs(held - 0.95) < 0.025
    assert all((one.low or 0) < (one.measured or 0) < (one.high or 0) for one in found)


def test_a_quotient_expects_something_of_two_known_laws_only() -> None:
    known, unknown = estimate(3.0, 0.1, 4, 3.1), estimate(2.0, 0.1, 4)
    assert quotient(known, unknown).expected is None
    both = quotient(known, estimate(2.0, 0.1, 4, 1.9), runs=4)
    assert isclose(both.law, 3.1 / 1.9)
    assert isclose(both.spread, 0.02**0.5 / 2)
    open_ended = quotient(unknown, Estimate(1.0, -inf, inf, None, 0.0, 1))
    assert (open_ended.low, open_ended.high) == (0, inf)


def line(mean: float, arm: float = 1.1) -> dict[str, float]:
    return {"mean": mean, "low": mean / arm, "high": mean * arm}


def test_curves_cross_where_intervals_leave_it_open() -> None:
    rising = {0.5: line(0.5), 1.0: line(0.9), 2.0: line(2.0), 4.0: line(4.0)}
    flat = {x: line(1.0) for x in rising}
    found = crossing_of(rising, flat, 1.05)
    assert (found.expected, found.low, found.high) == (1.05, 0.5, 2.0)
    assert 1.0 < (found.measured or 0) < 1.2
    wide = crossing_of({x: line(one["mean"], 9.0) for x, one in rising.items()}, flat, 1.05)
    assert (wide.low, wide.high) == (0, inf)
    noisy = crossing_of(
        {**rising, 1.0: line(1.1), 0.75: line(0.95)}, {**flat, 0.75: line(1.0)}, 1.05
    )
    assert (noisy.low or 0) <= (noisy.measured or 0) <= (noisy.high or 0)
    with pytest.raises(NoSuchPoint, match="do not cross"):
        crossing_of(rising, {x: line(9.0) for x in rising}, 1.0)


def test_the_smaller_of_two_is_sure_where_intervals_part() -> None:
    low, middle, high = (
        Counterpart(None, value, value - 1, value + 1) for value in (0.0, 1.5, 9.0)
    )
    assert share_less([(low, high)]) == Counterpart(None, 1, 1, 1, share=True)
    unclear = share_less([(low, middle), (high, low)])
    assert (unclear.measured, unclear.low, unclear.high) == (0.5, 0, 0.5)
    assert share_less([(Counterpart(1.0, 2.0), Counterpart(2.0, 1.0))]).expected == 1
    assert counted(3.0).by_runs(3.0, 0.0, "") == "confirm"
    assert counted(3.0).by_runs(4.0, 0.0, "") == "contradict"
