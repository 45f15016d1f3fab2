"""Thresholds for a rate of drop-outs: exact laws against enumeration, and against runs."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from math import comb, exp, log, prod, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from protocols.committee.script import RobustDPDS
from protocols.sharing.schemes import ShamirPercent
from protocols.sharing.thresholds import (
    failure_given_elected,
    largest_percent,
    largest_threshold,
    log_failure_of_item,
    log_failure_of_sums,
)
from protocols.tss.robust import RobustTSS
from simnet import Fate, run
from simnet.coins.sampled import SampledCoins
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but


@for_each("rate", [0.0, 0.05, 0.4, 1.0])
@for_each("threshold", [1, 20, 30])
def test_the_failure_of_sums_is_a_binomial_tail(rate: float, threshold: int) -> None:
    expected = binom.cdf(threshold - 1, 30, 1 - rate)
    assert exp(log_failure_of_sums(30, rate, threshold)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("bits", [1, 20, 60])
def test_the_largest_threshold_is_the_last_that_fails_seldom_enough(bits: int) -> None:
    t = largest_threshold(300, 0.1, bits)
    assert t is not None
    assert log_failure_of_sums(300, 0.1, t) <= -bits * log(2)
    assert log_failure_of_sums(300, 0.1, t + 1) > -bits * log(2)


def test_the_largest_percentage_is_the_last_that_fails_seldom_enough() -> None:
    percent = largest_percent(300, 12, 5, 0.1, 20)
    assert percent is not None
    least = -20 * log(2) - log(12)
    assert log_failure_of_item(300, 12, 5, 0.1, percent) <= least
    assert log_failure_of_item(300, 12, 5, 0.1, percent + 1) > least


@pytest.mark.slow
def test_a_percentage_is_found_for_many_bits_too() -> None:
    """With so many bits, even numbers of elected users with a chance below 1e-30 matter."""
    n, rate, bits = 600, Fraction(1, 100), 120

    def fails(percent: int) -> float:
        total = 0.0
        for m in range(1, n + 1):
            t = -(-percent * m // 100)
            most = exp(log_failure_of_sums(m, float(rate), t))
            total += comb(n, m) / 2**n * most
        return total

    percent = largest_percent(n, 2, 1, float(rate), bits)
    assert percent is not None
    assert 2 * fails(percent) <= 2.0**-bits < 2 * fails(percent + 1)


def test_no_threshold_does_where_everybody_leaves() -> None:
    assert largest_threshold(10, 1.0, 1) is None
    assert largest_percent(10, 3, 1, 1.0, 1) is None
    assert largest_threshold(10, 0.0, 100) == 10
    assert largest_percent(10, 3, 1, 0.0, 90) == 100


@pytest.mark.parametrize(
    ("rate", "words"), [(-0.1, "probability"), (1.5, "probability"), (float("nan"), "probability")]
)
def test_other_rates_are_refused(rate: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        largest_threshold(10, rate, 10)
    with pytest.raises(ValueError, match="bits"):
        largest_threshold(10, 0.1, -1)


def enumerated(elected: Sequence[int], users: int, rate: Fraction, percent: int) -> Fraction:
    """The probability that an item fails: every set of users who leave, every election."""
    total = Fraction(0)
    needed = [ShamirPercent(percent).needed(m) for m in elected]
    for gone in itertools.product((0, 1), repeat=users):
        chance = prod(rate if one else 1 - rate for one in gone)
        completes = Fraction(1)
        for m, t in zip(elected, needed, strict=True):
            groups = list(itertools.combinations(range(users), m))
            good = sum(m - sum(gone[place] for place in group) >= t for group in groups)
            completes *= Fraction(good, len(groups))
        total += chance * (1 - completes)
    return total


@for_each("elected", [[2, 1], [4, 4], [0, 3, 2], [1]])
@for_each("percent", [1, 60, 100])
def test_the_law_given_the_elected_users_is_that_of_all_elections(
    elected: list[int], percent: int
) -> None:
    exact = enumerated(elected, 4, Fraction(1, 5), percent)
    assert failure_given_elected(elected, 4, 0.2, percent) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("percent", [34, 60, 100])
def test_the_bounds_of_a_run_hold_and_one_item_is_exact(percent: int) -> None:
    """Every way in which three users choose two of three items is played out."""
    users, rate = 3, Fraction(1, 5)
    choices = list(itertools.combinations(range(3), 2))
    of_run, of_item = Fraction(0), Fraction(0)
    for sets in itertools.product(choices, repeat=users):
        sizes = [sum(item in chosen for chosen in sets) for item in range(3)]
        chance = Fraction(1, len(choices) ** users)
        of_run += chance * enumerated(sizes, users, rate, percent)
        of_item += chance * enumerated(sizes[:1], users, rate, percent)
    found = exp(log_failure_of_item(users, 3, 2, float(rate), percent))
    assert found == pytest.approx(float(of_item), rel=1e-9)
    assert found <= float(of_run) <= 3 * found


# Runs


def users_who_leave(rate: float, users: int, seed: int) -> list[int]:
    return np.flatnonzero(SampledCoins(seed, "drops").bernoullis(rate, users)).tolist()


STAGES = [Fate("share"), Fate("share", reached=3), Fate("heard"), Fate("partial")]


@pytest.mark.parametrize("seed", range(8))
def test_a_run_of_dpds_completes_exactly_if_enough_users_are_left(seed: int) -> None:
    protocol = RobustDPDS(8, 2, 1.0, sharing="shamir:6")
    gone = users_who_leave(0.25, 8, seed)
    fates = {f"u{user + 1}": STAGES[user % 4] for user in gone}
    done = run(protocol, [1, 2] * 4, seed, fates=fates)
    assert (done.outcome == "result") == (8 - len(gone) >= 6)


@pytest.mark.long
@pytest.mark.parametrize("runs", long_but([200, 500], 200))
def test_runs_of_tss_fail_as_often_as_the_law_says(runs: int) -> None:
    """Users leave after sharing: before their list, or before their first sum."""
    users, items, reported, rate, percent = 8, 3, 1, 0.3, 60
    protocol = RobustTSS(users, items, 1.0, reported, sharing=f"shamir:{percent}%")
    failed, expected, variance = 0, 0.0, 0.0
    for seed in range(runs):
        gone = users_who_leave(rate, users, seed)
        fates = {f"u{user + 1}": Fate(("heard", "partial")[user % 2]) for user in gone}
        held = [1, 2, 3, 1, 2, 3, 1, 2]
        done = run(protocol, held, seed, fates=fates)
        failed += done.outcome == "aborted" or bool(np.isnan(done.outputs["S2"]).any())
        sets, elected = run(protocol, held, seed).outputs["S1"]
        assert sets.sum(axis=0).tolist() == list(map(len, elected))
        chance = failure_given_elected(list(map(len, elected)), users, rate, percent)
        expected, variance = expected + chance, variance + chance * (1 - chance)
    assert abs(failed - expected) < 5 * sqrt(variance)  # fails once in a million sets of seeds
    item = exp(log_failure_of_item(users, items, reported, rate, percent))
    assert item * runs - 5 * sqrt(variance) < failed < items * item * runs + 5 * sqrt(variance)


def test_all_numbers_of_elected_users_count() -> None:
    """The law of one item is the mean over the binomial number of its elected users."""
    total = sum(comb(6, m) * 0.5**6 * failure_given_elected([m], 6, 0.2, 60) for m in range(7))
    assert exp(log_failure_of_item(6, 2, 1, 0.2, 60)) == pytest.approx(total, rel=1e-9)
