"""The values that quotes compute from tables: quotients, crossings, and which of two numbers is
smaller.

Seeds are fixed; statistics state their false-alarm rate.
"""

from math import inf, isclose

import numpy as np
import pytest

from simnet.coins.sampled import SampledCoins
from simnet.studies.paper_claim import Counterpart
from simnet.studies.readings import counted, crossing_of, paired_quotient, quotient, share_less
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
    return {"mean": mean, "low": mean / arm, "high": mean * arm, "trials": 20}


def test_curves_cross_where_intervals_leave_it_open() -> None:
    rising = {0.5: line(0.5), 1.0: line(0.9), 2.0: line(2.0), 4.0: line(4.0)}
    flat = {x: line(1.0) for x in rising}
    found = crossing_of(rising, flat, 1.05)
    assert (found.expected, found.low, found.high, found.trials) == (1.05, 0.5, 2.0, 20)
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
    assert unclear.trials is None
    tried = [Counterpart(None, 1.0, trials=count) for count in (7, 4)]
    assert share_less([(tried[0], tried[1])]).trials == 4
    assert counted(3.0).by_runs(3.0, 0.0, "") == "confirm"
    assert counted(3.0).by_runs(4.0, 0.0, "") == "contradict"


def test_a_quotient_of_numbers_of_the_same_trials() -> None:
    """What both numbers of a trial share cancels; their true quotient is 0.98."""
    coins = SampledCoins(3, "trials")
    levels = 100 * (1 + 0.2 * coins.normal(30).plain)
    noise = 1 + 0.001 * coins.normal(30).plain
    rows = [
        {"ours": float(0.98 * level * error), "theirs": float(level)}
        for level, error in zip(levels, noise, strict=True)
    ]
    found = paired_quotient(rows, "ours", "theirs", expected=0.98, runs=20)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.98 < found.high
    assert found.high - found.low < 0.003
    assert found.spread == pytest.approx(0.001 / 20**0.5, rel=0.5)
    assert found.trials == 30
    exact = paired_quotient(
        [{"ours": row["theirs"] / 2, "theirs": row["theirs"]} for row in rows], "ours", "theirs"
    )
    assert (exact.low, exact.measured, exact.high) == pytest.approx((0.5, 0.5, 0.5))
    single = paired_quotient(rows[:1], "ours", "theirs", runs=20)
    assert (single.low, single.high) == (-inf, inf)
    assert single.by_runs(0.5, 0.0, "") == "undecided"
    alike = paired_quotient([{"ours": 1.0, "theirs": 2.0}] * 4, "ours", "theirs", runs=20)
    assert (alike.low, alike.high, alike.trials) == (-inf, inf, 4)
    with pytest.raises(NoSuchPoint):
        paired_quotient(rows, "ours", "missing")


def test_the_interval_of_a_paired_quotient_holds_as_often_as_promised() -> None:
    """2,000 sets of 12 trials: each interval misses with probability 1/1000, so that nine or more
    do with probability 2e-4; the first order of the logarithm adds little.
    """
    coins, missed = SampledCoins(4, "sets"), 0
    for _ in range(2000):
        shared, own = coins.normal(12).plain, coins.normal(12).plain
        rows = [
            {"ours": float(3 * (1 + 0.1 * a + 0.05 * b)), "theirs": float(1 + 0.1 * a)}
            for a, b in zip(shared, own, strict=True)
        ]
        found = paired_quotient(rows, "ours", "theirs")
        missed += not (found.low or 0) <= 3 <= (found.high or 0)
    assert missed < 9
