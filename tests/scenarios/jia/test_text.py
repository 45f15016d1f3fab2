"""Sentences of Jia and Gong without a figure, on counts whose shape is known."""

from math import isnan

import numpy as np
import pytest

from scenarios.jia import text


def test_shares_of_small_and_of_large_frequencies() -> None:
    counts = np.array([1] * 98 + [2, 1000])  # the mean is 11
    assert (text.small(counts), text.large(counts)) == (0.99, 0.01)


def test_a_power_law_is_a_line_and_an_exponential_law_is_none() -> None:
    places = np.arange(1, 9)
    power = np.repeat(places, (840 / places).astype(int))
    falling = np.repeat(places, 2 ** (9 - places))
    assert text.straight(power, 1) == pytest.approx(1, abs=1e-4)
    assert text.straight(falling, 1) < 0.95
    assert text.straight(np.array([1, 1, 1, 2, 2, 5]), 1) == pytest.approx(1)  # 1 and 2 only
    assert isnan(text.straight(np.array([1, 1, 3, 3]), 1))  # one point is no line
    assert isnan(text.straight(np.array([2, 2, 3, 3]), 1))  # no item has the count 1


def test_noise_is_a_gaussian_if_many_reports_support_an_item() -> None:
    counts = np.array([50_000, 40_000, 10_000, 0])
    assert text.off_gaussian("oue")(counts) < 0.01
    assert text.off_gaussian("k-rr")(np.full(3000, 5)) > 0.05  # a handful of reports for each item


def test_calibrate_lowers_high_estimates_and_fits_better_with_more_epsilon() -> None:
    counts = np.array([400, 200, 100, 50, 25, 12, 6, 3, 2, 1, 1, 1])
    assert text.reduces(counts) == 1
    assert text.better_fit(counts) == 1
