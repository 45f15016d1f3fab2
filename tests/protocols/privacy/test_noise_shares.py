"""Sums of noise shares: their law by exact convolution, and their privacy, compared with the
Gaussian to which they are close.
"""

from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from protocols.dpdg.about import result_variance
from protocols.dpdg.noise import integer_variance
from protocols.dpdg.script import DPDG
from protocols.privacy.composition import Composition
from protocols.privacy.gaussian import delta_of
from protocols.privacy.noise_shares import (
    discrete_gaussian,
    log_law,
    replacement,
    rounded_gaussian,
    shifted,
)
from simnet.coins.sampled import SampledCoins
from tests.harness.many_cases import for_each

FALSE_ALARM = 1e-6
LAWS = {"rounded": rounded_gaussian, "discrete": discrete_gaussian}

noises = for_each("noise", LAWS)


@noises
@for_each("variance", [0.02, 0.3, 2.5, 90.0, 4000.0])
def test_a_share_has_the_variance_of_the_protocol(noise: str, variance: float) -> None:
    share = LAWS[noise](variance)
    assert np.exp(share.log_masses).sum() == pytest.approx(1, rel=1e-13)
    assert share.moments(0.0).variance == pytest.approx(
        integer_variance(variance, noise == "rounded"), rel=1e-11
    )


def precise_share(noise: str, variance: float, x: int) -> Any:
    if noise == "discrete":
        return (-(arb(x) ** 2) / (2 * arb(variance))).exp()
    root = (2 * arb(variance)).sqrt()
    return (((arb(x) - 0.5) / root).erfc() - ((arb(x) + 0.5) / root).erfc()) / 2


@noises
@pytest.mark.parametrize(
    ("variance", "shares", "reach"), [(0.4, 3, 12), (3.0, 4, 40), (1.7, 1, 20)]
)
def test_the_law_of_a_sum_in_high_precision(
    noise: str, variance: float, shares: int, reach: int
) -> None:
    """Plain convolution in 600 bits.

    Every probability, down to 1e-60 and below, within the stated error.
    """
    before, ctx.prec = ctx.prec, 600
    try:
        one = [precise_share(noise, variance, x) for x in range(-reach * 2, reach * 2 + 1)]
        total = sum(one, arb(0))
        one = [mass / total for mass in one]
        law = {0: arb(1)}
        for _ in range(shares):
            spread: dict[int, Any] = {}
            for x, mass in law.items():
                for step, chance in enumerate(one):
                    spread[x + step - 2 * reach] = (
                        spread.get(x + step - 2 * reach, arb(0)) + mass * chance
                    )
            law = spread
        truth = [float(law[x].log()) for x in range(reach + 1)]
    finally:
        ctx.prec = before
    found, error = log_law(LAWS[noise](variance), shares, reach)
    assert abs(found - truth).max() <= error + 1e-13
    assert error < 1e-11
    assert min(truth) < -50


@noises
def test_the_law_is_that_of_what_users_draw(noise: str) -> None:
    """Chi-square of 2,000 sums of five shares; on fresh seeds a false alarm with chance 1e-6."""
    variance, coins = 6.0, SampledCoins(7, "u1")
    if noise == "rounded":
        drawn = np.rint(coins.normal(10_000).plain * sqrt(variance)).astype(np.int64)
    else:
        drawn = coins.discrete_normal(Fraction(6), 10_000).plain
    sums = drawn.reshape(-1, 5).sum(axis=1)
    half, _ = log_law(LAWS[noise](variance), 5, 30)
    law = 2000 * np.exp(half[abs(np.arange(-13, 14))])
    seen = np.bincount(sums + 100, minlength=200)[87:114]
    law, seen = np.append(law, 2000 - law.sum()), np.append(seen, 2000 - seen.sum())
    assert stats.chisquare(seen, law * (2000 / law.sum())).pvalue > FALSE_ALARM


@noises
def test_one_shifted_coordinate_by_summation(noise: str) -> None:
    """δ of one count moved by 3 from the law itself; both directions are alike."""
    share, shift = LAWS[noise](4.0), 3
    half, _ = log_law(share, 6, 80)
    x = np.arange(-60, 61)
    p, q = np.exp(half[abs(x)]), np.exp(half[abs(x - shift)])
    for epsilon in (0.0, 0.4, 2.0):
        found = Composition([(shifted(share, 6, shift), 1)]).delta(epsilon)
        truth = np.maximum(p - exp(epsilon) * q, 0).sum()
        assert found.low - 1e-14 <= truth <= found.high + 1e-14


@noises
def test_the_view_by_summation_over_both_counts(noise: str) -> None:
    share, shift = LAWS[noise](2.0), 2
    half, _ = log_law(share, 4, 40)
    x = np.arange(-25, 26)
    here, up, down = (np.exp(half[abs(x - move)]) for move in (0, shift, -shift))
    p, q = np.outer(here, here), np.outer(up, down)
    for epsilon in (0.2, 1.0):
        found = replacement(share, 4, shift).delta(epsilon)
        truth = np.maximum(p - exp(epsilon) * q, 0).sum()
        assert found.low - 1e-12 <= truth <= found.high + 1e-12


@noises
def test_on_a_fine_grid_it_is_the_gaussian(noise: str) -> None:
    """Relative difference below 1e-4, of the order of the variance that rounding adds.

    On a coarse grid it shows.
    """
    fine, coarse = (
        replacement(LAWS[noise](variance), 50, shift).delta(0.5)
        for variance, shift in ((1000.0, 64), (0.1, 1))
    )
    gaussian = [
        delta_of(sqrt(50 * integer_variance(variance, noise == "rounded")), sqrt(2) * shift, 0.5)
        for variance, shift in ((1000.0, 64), (0.1, 1))
    ]
    assert fine.estimate == pytest.approx(gaussian[0], rel=1e-4)
    assert abs(coarse.estimate / gaussian[1] - 1) > 1e-3


def test_missing_shares_cost_privacy() -> None:
    """DPDG with all shares keeps its δ.

    Half of them known to colluders or never sent, and it does not.
    """
    protocol = DPDG(100, 3, 0.5, 1e-5, fraction_bits=4)
    share = rounded_gaussian(float(protocol.share_variance))
    whole, half = (replacement(share, shares, 1 << 4).delta(0.5) for shares in (100, 50))
    assert whole.high <= 1e-5 < half.low
    assert whole.estimate == pytest.approx(
        delta_of(sqrt(result_variance(protocol)), protocol.sensitivity, 0.5), rel=1e-2
    )


@pytest.mark.parametrize(
    ("variance", "shares", "shift", "what"),
    [
        (4.0, 0, 1, "at least one noise share must be unknown to the server, got shares=0"),
        (1e6, 1000, 1, "above .*: use fewer fractional bits"),
        (1e-3, 1, 1, "below .*: use more fractional bits"),
        (0.02, 1000, 1, r"one noise share has standard deviation 0\.0202 .*: use more fractional"),
        (4.0, 1, 100, "changes a count by 100"),
    ],
)
def test_nonsense_is_refused(variance: float, shares: int, shift: int, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        replacement(rounded_gaussian(variance), shares, shift)


def test_tiny_deltas_come_out() -> None:
    """δ below 1e-40, with an interval relative to it."""
    low, high = replacement(discrete_gaussian(40.0), 100, 10).log_delta_ends(3.0)
    assert high < -40 * log(10)
    assert high - low < 2e-3
