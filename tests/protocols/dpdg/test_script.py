"""DPDG: real outputs equal ideal ones, the noise has the calibrated variance, and signed sums never
wrap.
"""

from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.catalogue import about
from protocols.dpdg.about import result_variance
from protocols.dpdg.noise import integer_variance
from protocols.dpdg.script import DPDG, NOISES
from protocols.privacy.gaussian import delta_of, sigma
from simnet import ScriptError, constant, run
from simnet.coins.sampled import SampledCoins
from simnet.values.metered import Metered
from tests.harness.ideal import handed
from tests.harness.many_cases import for_each

FALSE_ALARM = 1e-6
noises = for_each("noise", NOISES)


@st.composite
def instances(draw: st.DrawFn) -> tuple[DPDG, list[int]]:
    items = draw(st.integers(1, 4))
    held = draw(st.lists(st.integers(1, items), min_size=2, max_size=6))
    return DPDG(
        len(held),
        items,
        draw(st.sampled_from([0.01, 0.5, 1.0])),
        draw(st.sampled_from([1e-9, 0.3])),
        draw(st.sampled_from([4, 5, 16])),
        draw(st.sampled_from(NOISES)),
        draw(st.sampled_from(["classic", "analytic"])),
        draw(st.sampled_from(["exact", "as-printed"])),
        draw(st.sampled_from(["additive", "shamir:1", "shamir:2", "shamir:4"])),
    ), held


def summed(protocol: DPDG, held: list[int], seed: int) -> np.ndarray[Any, Any]:
    """Return the counts that the functionality hands to the server, as signed fixed-point
    numbers.
    """
    return np.asarray(handed(protocol, held, seed)["server"].numbers(signed=True))


@given(instances(), st.integers(0, 1000))
def test_real_and_ideal_worlds_agree_on_the_same_coins(
    instance: tuple[DPDG, list[int]], seed: int
) -> None:
    protocol, held = instance
    done = run(protocol, held, seed)
    ideal = summed(protocol, held, seed)
    assert np.array_equal(
        done.outputs["server"], ideal / (protocol.users * 2.0**protocol.fraction_bits)
    )
    secrets = [secret[0].numbers(signed=True) for secret in done.secrets.values()]
    assert np.array_equal(sum(secrets), ideal)  # over the integers: nothing has wrapped


def integer_law(variance: float, noise: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The oracle: return the integers within 12 deviations, and their probabilities."""
    reach = int(12 * sqrt(variance)) + 3
    x = np.arange(-reach, reach + 1)
    if noise == "rounded-gaussian":
        law = stats.norm(scale=sqrt(variance))
        return x, np.where(
            x > 0, law.sf(x - 0.5) - law.sf(x + 0.5), law.cdf(x + 0.5) - law.cdf(x - 0.5)
        )
    weights = np.exp(-(x**2) / (2 * variance))
    return x, weights / weights.sum()


@noises
@for_each("variance", [0.01, 0.1, 0.5, 1.0, 3.0, 30.0, 99.0, 101.0, 400.0])
def test_the_variance_of_the_integers_is_that_of_their_law(noise: str, variance: float) -> None:
    x, law = integer_law(variance, noise)
    assert integer_variance(variance, noise == "rounded-gaussian") == pytest.approx(
        (x**2 * law).sum(), rel=1e-9
    )


@pytest.mark.slow
@noises
@pytest.mark.parametrize(
    ("users", "bits", "delta"), [(2, 0, 0.5), (3, 0, 0.9), (3, 1, 0.3), (5, 2, 0.1)]
)
def test_the_variance_of_the_result_is_that_of_the_enumerated_sum(
    noise: str, users: int, bits: int, delta: float
) -> None:
    protocol = DPDG(users, 1, 1.0, delta, bits, noise)
    x, law = integer_law(float(protocol.share_variance), noise)
    total = law
    for _ in range(users - 1):
        total = np.convolve(total, law)
    values = np.arange(len(total)) + users * x[0]
    assert result_variance(protocol) == pytest.approx(
        (values**2 * total).sum() / (users * 2**bits) ** 2, rel=1e-9
    )
    seen = np.concatenate(
        [summed(DPDG(users, 50, 1.0, delta, bits, noise), [1] * users, seed) for seed in range(60)]
    )
    seen = seen.reshape(60, 50)[:, 1:].ravel()  # all but the item held: noise alone
    expected = seen.size * total
    common = expected >= 5
    counts = np.array([(seen == value).sum() for value in values[common]])
    observed, law = (
        np.append(counts, seen.size - counts.sum()),
        np.append(expected[common], expected[~common].sum()),
    )
    keep = law > 1e-9
    assert (
        stats.chisquare(observed[keep], law[keep] * (observed[keep].sum() / law[keep].sum())).pvalue
        > FALSE_ALARM
    )


@noises
@for_each("calibration", ["classic", "analytic"])
@for_each("users", [2, 1000, 10**6])
@for_each("epsilon, delta", [(0.01, 1e-9), (0.5, 1e-5), (1.0, 0.3)])
def test_the_result_has_the_calibrated_variance(
    noise: str, calibration: Any, users: int, epsilon: float, delta: float
) -> None:
    protocol = DPDG(users, 30, epsilon, delta, 16, noise, calibration)
    deviation = sigma(calibration, sqrt(2) / users, epsilon, delta)
    assert protocol.target_variance == pytest.approx(deviation**2)
    if calibration == "classic":
        assert protocol.target_variance == pytest.approx(
            4 * log(1.25 / delta) / (users * epsilon) ** 2
        )  # V_G
    assert result_variance(protocol) == pytest.approx(protocol.target_variance, rel=1e-6)
    assert result_variance(protocol) >= protocol.target_variance * (
        1 - 1e-12
    )  # never less noise than is needed
    assert about(protocol).expected_squared_l2 == pytest.approx(
        30 * protocol.target_variance, rel=1e-6
    )


@noises
@pytest.mark.parametrize("noise_share", ["exact", "as-printed"])
def test_the_noise_that_comes_out_has_the_variance(noise: str, noise_share: str) -> None:
    """n = 4, 3,000 coordinates: chi-square for the variance and Kolmogorov-Smirnov, false alarm
    1e-6 each.
    """
    protocol = DPDG(4, 3000, 0.5, 1e-5, 16, noise, noise_share=noise_share)
    counts = summed(protocol, [1, 1, 2, 3], 17)
    truth = np.zeros(3000)
    truth[:3] = 0.5, 0.25, 0.25
    wanted = protocol.target_variance / (1 if noise_share == "exact" else 4)
    scaled = (protocol.estimate(counts) - truth) / sqrt(wanted)
    law = stats.chi2(3000)
    assert law.ppf(FALSE_ALARM / 2) < (scaled**2).sum() < law.isf(FALSE_ALARM / 2)
    assert stats.kstest(scaled, "norm").pvalue > FALSE_ALARM
    assert (
        abs(stats.pearsonr(scaled[::2], scaled[1::2]).statistic) < 0.13
    )  # 5 deviations of 1 / √1500


def test_as_printed_there_is_n_times_too_little_noise() -> None:
    """Erratum 9.1."""
    printed = DPDG(1000, 30, 0.5, 1e-5, noise_share="as-printed")
    assert result_variance(printed) == pytest.approx(printed.target_variance / 1000, rel=1e-6)
    assert delta_of(sqrt(result_variance(printed)), printed.sensitivity, 0.5) == pytest.approx(
        0.87, abs=0.005
    )
    exact = DPDG(1000, 30, 0.5, 1e-5)
    assert delta_of(sqrt(result_variance(exact)), exact.sensitivity, 0.5) <= 1e-5
    analytic = DPDG(1000, 30, 0.5, 1e-5, calibration="analytic")
    assert delta_of(sqrt(result_variance(analytic)), analytic.sensitivity, 0.5) == pytest.approx(
        1e-5, rel=1e-4
    )


class Fixed(SampledCoins):
    """Coins whose noise is a given number of deviations, or a given integer."""

    __slots__ = ("_deviations",)

    def __init__(self, deviations: float) -> None:
        super().__init__(0, "u1")
        self._deviations = deviations

    def normal(self, count: int) -> Metered:
        return Metered.of(np.full(count, self._deviations), None)

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:
        return Metered.of(np.full(count, round(self._deviations * sqrt(variance))), None)


@st.composite
def wide(draw: st.DrawFn) -> DPDG:
    return DPDG(
        draw(st.integers(2, 5000)),
        draw(st.integers(1, 100)),
        draw(st.floats(0.01, 1)),
        draw(st.sampled_from([1e-12, 1e-5, 0.5])),
        draw(st.integers(7, 20)),
        draw(st.sampled_from(NOISES)),
    )


@given(wide())
def test_no_sum_wraps_by_law(protocol: DPDG) -> None:
    """If all users hold one item, a sum leaves the field's range with probability at most 2^-40,
    roundings included.
    """
    bound, q = protocol.largest_sum, protocol.field.modulus
    assert q > 2 * bound
    count = protocol.users << protocol.fraction_bits
    deviation = sqrt(protocol.users * float(protocol.share_variance))
    beyond = 2 * protocol.items * stats.norm.sf((bound - count - protocol.users / 2) / deviation)
    assert beyond <= 2.0**-40
    extremes = constant(protocol.field, [bound, -bound, count, -1, 0])
    assert extremes.numbers(signed=True).tolist() == [bound, -bound, count, -1, 0]


@noises
@for_each("sign", [1, -1])
@for_each("bits", [0, 16, 30])
def test_signed_sums_at_the_edge_come_out_right(noise: str, sign: int, bits: int) -> None:
    """Every user's noise is 3.7 deviations the same way: together 7.5 deviations of the sum,
    2^-43.
    """
    protocol = DPDG(4, 2, 0.1, 1e-9, bits, noise)
    noisy = [protocol.noisy(1, Fixed(sign * 3.7)) for _ in range(4)]
    shares = [constant(protocol.field, numbers) for numbers in noisy]
    total = shares[0] + shares[1] + shares[2] + shares[3]
    drawn = round(3.7 * sqrt(protocol.share_variance)) * sign
    assert total.numbers(signed=True).tolist() == [4 * (drawn + (1 << bits)), 4 * drawn]
    assert protocol.largest_sum > abs(4 * drawn) + (4 << bits)


@noises
@pytest.mark.parametrize("sharing", ["additive", "shamir:3"])
def test_all_users_with_one_item(noise: str, sharing: str) -> None:
    """Every sum within 7 deviations; more has chance 1e-11."""
    protocol = DPDG(20, 3, 1.0, 0.5, 30, noise, sharing=sharing)
    for seed in range(5):
        estimate = run(protocol, [2] * 20, seed).outputs["server"]
        assert np.all(abs(estimate - [0, 1, 0]) < 7 * sqrt(result_variance(protocol)))


def test_negative_frequencies_occur_and_are_decoded() -> None:
    protocol = DPDG(3, 4, 0.1, 1e-5)
    estimates = np.concatenate(
        [run(protocol, [1, 1, 1], seed).outputs["server"][1:] for seed in range(40)]
    )
    assert 30 < (estimates < 0).sum() < 90  # of 120; outside it with chance below 1e-7
    assert abs(estimates).max() < 7 * sqrt(protocol.target_variance)


def test_the_workload_counts_the_bits_of_the_wider_field() -> None:
    protocol = DPDG(users=100, items=5, epsilon=0.5, delta=1e-5)
    workload = about(protocol).workload
    assert workload is not None
    assert workload.element_bits == protocol.field.modulus.bit_length() > (100).bit_length()


def test_the_paper_compares_one_coordinate_with_all() -> None:
    """Section 6 and erratum 9.5: V_G < (1-p)/(pn) iff n > 4(e^ε-1) ln(1.25/δ)/ε².

    Like with like needs N times that.
    """
    epsilon, delta, items = 0.5, 1e-5, 12
    crossover = 4 * (exp(epsilon) - 1) * log(1.25 / delta) / epsilon**2
    for factor in (0.99, 1.01):
        users = int(crossover * factor)
        assert (
            DPDG(users, items, epsilon, delta).target_variance < 1 / (users * (exp(epsilon) - 1))
        ) == (factor > 1)
        users = int(items * crossover * factor)
        gaussian = about(DPDG(users, items, epsilon, delta)).expected_squared_l2
        assert (gaussian < 1 / (users * (exp(epsilon) - 1))) == (factor > 1)


GOOD = {"users": 4, "items": 3, "epsilon": 0.5, "delta": 1e-5}


@for_each(
    "change, what",
    [
        ({"users": 1}, "at least 2 users"),
        ({"items": 0}, "at least 1 item"),
        ({"epsilon": 0.0}, "epsilon is positive"),
        ({"epsilon": -1.0}, "epsilon is positive"),
        ({"epsilon": float("nan")}, "epsilon is positive"),
        ({"epsilon": 1.5}, "classic calibration holds for epsilon up to 1"),
        ({"delta": 0.0}, "delta lies between 0 and 1"),
        ({"delta": 1.0}, "delta lies between 0 and 1"),
        ({"fraction_bits": -1}, "fraction_bits is at least 0"),
        ({"fraction_bits": 41}, "fraction_bits is at most 40"),
        ({"fraction_bits": 1.5}, "fraction_bits is a whole number, got 1.5"),
        ({"noise": "laplace"}, "noise is rounded-gaussian or discrete-gaussian, got 'laplace'"),
        ({"calibration": "best"}, "calibration is classic or analytic, got 'best'"),
        ({"noise_share": "half"}, "noise_share is exact or as-printed, got 'half'"),
        ({"sharing": "shamir:0"}, "threshold is at least 1"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any], what: str) -> None:
    with pytest.raises((ValueError, TypeError), match=what):
        DPDG(**GOOD | change)


def test_the_analytic_calibration_holds_above_one() -> None:
    assert DPDG(4, 3, 1.5, 1e-5, calibration="analytic").target_variance > 0


@pytest.mark.parametrize("item", [0, 4])
def test_an_item_outside_the_domain_is_refused(item: int) -> None:
    with pytest.raises(ScriptError, match=rf"item .*1\.\.3, got {item}"):
        run(DPDG(3, 3, 0.5, 1e-5), [1, item, 2])


@pytest.mark.parametrize(("epsilon", "bits"), [(1e-9, 40), (1e-150, 16), (1e-300, 16), (1e-320, 0)])
def test_noise_too_wide_for_any_field_is_refused(epsilon: float, bits: int) -> None:
    with pytest.raises(ValueError, match="fit no field below"):
        DPDG(4, 3, epsilon, 1e-5, bits)


def test_counts_too_large_for_any_field_are_refused() -> None:
    with pytest.raises(ValueError, match="fit no field below"):
        DPDG(1 << 22, 3, 1.0, 1e-5, 40)


@pytest.mark.parametrize("noise", ["rounded-gaussian", "discrete-gaussian"])
def test_a_grid_too_coarse_for_the_noise_is_refused(noise: str) -> None:
    with pytest.raises(ValueError, match="use more fraction_bits"):
        DPDG(1000, 3, 1.0, 1e-5, 0, noise)
    for bits in (8, 16):
        protocol = DPDG(1000, 3, 1.0, 1e-5, bits, noise)
        assert result_variance(protocol) >= 0.99 * protocol.target_variance
