"""Local frequency mechanisms: exact privacy, the exact law of the reports, and bias and variance by
enumeration.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
import qif
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.mechanisms.channel import epsilon_of, worst_ratio
from protocols.mechanisms.grr import GRR, spread
from protocols.mechanisms.hadamard import Hadamard
from protocols.mechanisms.hashing import OLH
from protocols.mechanisms.numbered import Numbered
from protocols.mechanisms.odds import exp
from protocols.mechanisms.response import JoyGerla, Warner
from protocols.mechanisms.unary import OUE, SUE, Unary
from simnet.coins.sampled import SampledCoins
from simnet.values.wire import encode, manifest_of
from tests.harness.fuzz import cases
from tests.harness.laws import law_of
from tests.harness.many_cases import for_each
from tests.harness.marks import slow_but

F = Fraction
FALSE_ALARM = 1e-6  # of every statistical test here, on fresh seeds

SMALL: list[Any] = [
    GRR(1.0, 2),
    GRR(0.3, 3),
    GRR(2.5, 4),
    Warner(0.7),
    SUE(1.0, 2),
    SUE(2.0, 3),
    OUE(1.0, 2),
    OUE(0.5, 3),
    OLH(1.0, 3),
    OLH(0.3, 4),
    Hadamard(1.0, 3),
    Hadamard(0.5, 4),
    Unary(0.75, 0.25, 2),
    Unary(F(2, 3), F(1, 5), 3),
    Unary(1, 0.25, 2),
    JoyGerla(0.8, 0.2),
    JoyGerla(F(1, 2), F(9, 10), F(1, 3)),
    JoyGerla(1, 0.5, 0.5),
]
STATED: list[Callable[[float, int], Any]] = [
    GRR,
    SUE,
    OUE,
    OLH,
    Hadamard,
    lambda epsilon, _: Warner(epsilon),
]

small = for_each("mechanism", SMALL)
stated = pytest.mark.parametrize(
    "make", STATED, ids=["GRR", "SUE", "OUE", "OLH", "Hadamard", "Warner"]
)


def reports(mechanism: Any) -> list[Any]:
    """The reports in the order of the entries of `law`."""
    if isinstance(mechanism, JoyGerla):
        return [0, 1, 2]
    if isinstance(mechanism, GRR):
        return list(range(1, mechanism.items + 1))
    if isinstance(mechanism, Numbered):
        return list(range(mechanism.outcomes))
    return list(itertools.product((0, 1), repeat=mechanism.items))


# Privacy


@stated
@given(st.floats(1e-6, 1400) | st.sampled_from([1e-6, 1400.0]), st.integers(2, 5))
@cases(25)
def test_the_stated_epsilon_is_that_of_the_whole_channel(
    make: Callable[[float, int], Any], epsilon: float, items: int
) -> None:
    mechanism = make(epsilon, items)
    if getattr(mechanism, "outcomes", 0) > 300:  # too many to be listed one by one
        assert mechanism.exact_epsilon == pytest.approx(epsilon, rel=1e-13)
        return
    rows = [mechanism.law(value) for value in range(1, mechanism.items + 1)]
    assert all(sum(row) == 1 for row in rows)
    assert epsilon_of(rows) == pytest.approx(epsilon, rel=1e-13)
    assert mechanism.exact_epsilon == epsilon_of(rows)


@pytest.mark.parametrize("items", [2, 3, 4])
def test_three_items_or_more_make_no_difference_to_oue(items: int) -> None:
    """Calibrate's specification: the channel of OUE has ratio e^ε exactly, whatever the number of
    items.
    """
    mechanism = OUE(math.log(3), items)
    assert worst_ratio([mechanism.law(value) for value in range(1, items + 1)]) == exp(math.log(3))


@pytest.mark.parametrize(
    "mechanism", [GRR(1.3, 4), SUE(0.4, 3), OUE(2.0, 3), JoyGerla(0.5, 0.9, 0.3)], ids=str
)
def test_the_epsilon_is_that_of_an_independent_library(mechanism: Any) -> None:
    channel = np.array(
        [[float(x) for x in mechanism.law(value)] for value in range(1, mechanism.items + 1)]
    )
    expected = qif.measure.d_privacy.smallest_epsilon(channel, qif.metric.discrete())
    assert mechanism.exact_epsilon == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("users", "epsilon", "variance", "deviation"),
    [
        (8_019_015, 1, 29_531_581.4, 5434.297),
        (8_019_015, 4, 609_620.2, 780.782),
        (8_019_015, 5, 219_069.0, 468.048),
        (908_576, 1, 3_346_007.7, 1829.210),
        (908_576, 4, 69_071.6, 262.815),
        (908_576, 5, 24_821.1, 157.547),
    ],
)
def test_the_noise_of_oue_is_as_specified(
    users: int, epsilon: float, variance: float, deviation: float
) -> None:
    """Calibrate's table; the paper prints the 5434 of the first row as a variance."""
    found = OUE(epsilon, 10).variance(0, users) * users**2
    assert found == pytest.approx(variance, abs=0.06)
    assert found**0.5 == pytest.approx(deviation, abs=6e-4)


def test_an_item_that_many_hold_has_more_noise() -> None:
    """Eq. 14 of Calibrate is no equality: 820,443 for the first item of Kosarak (about 601,000 of
    8,019,015 users).
    """
    users = 8_019_015
    for held, mechanism in ((601_374, OUE(5.0, 10)), (601_374, SUE(5.0, 10))):
        noise, found = (mechanism.variance(share, users) * users**2 for share in (0, held / users))
        slope = 1 if isinstance(mechanism, OUE) else 0
        assert found == pytest.approx(noise + slope * held, rel=1e-9)
    assert OUE(5.0, 10).variance(601_374 / users, users) * users**2 == pytest.approx(820_443, abs=1)


@pytest.mark.parametrize(
    ("users", "yes", "deviation"),
    [
        (286, 29, 4.638),
        (286, 85, 5.469),
        (10_000, 29, 24.584),
        (10_000, 85, 24.754),
        (10**6, 85, 244.975),
        (10**6, 201, 245.011),
    ],
)
def test_joy_and_gerlas_deviations_are_as_specified(users: int, yes: int, deviation: float) -> None:
    found = JoyGerla(0.8, 0.2).variance(yes / users, users) ** 0.5 * users
    assert found == pytest.approx(deviation, abs=6e-4)


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 40.0, 700.0, 1400.0])
def test_chances_and_variances_are_right_at_any_epsilon(epsilon: float) -> None:
    before, ctx.prec = ctx.prec, 5000
    try:
        e, root = arb(epsilon).exp(), (arb(epsilon) / 2).exp()
        expected = {
            GRR(epsilon, 10): (e / (e + 9), 1 / (e + 9)),
            SUE(epsilon, 10): (root / (root + 1), 1 / (root + 1)),
            OUE(epsilon, 10): (arb(1) / 2, 1 / (e + 1)),
        }
        for mechanism, (p, q) in expected.items():
            assert mechanism.support_chances == pytest.approx((float(p), float(q)), rel=1e-15)
            for share in (0.0, 0.01, 1.0):
                f = arb(share)
                variance = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2 / 1000
                assert mechanism.variance(share, 1000) == pytest.approx(float(variance), rel=1e-13)
            assert math.isfinite(mechanism.worst_variance)
        assert OUE(epsilon, 10).variance(0, 1) == pytest.approx(
            float(1 / (arb(epsilon) / 2).sinh() ** 2), rel=1e-13
        )
    finally:
        ctx.prec = before


@for_each("epsilon", [1e-6, 1400.0])
@stated
def test_extreme_epsilons_can_be_drawn(make: Callable[[float, int], Any], epsilon: float) -> None:
    mechanism = make(epsilon, 4)
    values = np.arange(2000) % 2 + 1
    supports = mechanism.supports(mechanism.perturb(values, SampledCoins(1, "u1")))
    estimate = mechanism.estimate(supports, values.size)
    deviations = np.sqrt(
        mechanism.variance(np.bincount(values, minlength=mechanism.items + 1)[1:] / 2000, 2000)
    )
    assert (
        np.abs(estimate - np.bincount(values, minlength=mechanism.items + 1)[1:] / 2000)
        <= 6 * deviations + 1e-12
    ).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_epsilon_is_that_of_opendp(epsilon: float) -> None:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    p = GRR(epsilon, 5).support_chances[0]
    assert dp.m.make_randomized_response(list("abcde"), p).map(1) == pytest.approx(
        epsilon, rel=1e-12
    )
    truthful = Warner(epsilon).support_chances[0]
    assert dp.m.make_randomized_response_bool(truthful).map(1) == pytest.approx(epsilon, rel=1e-12)
    space = dp.bitvector_domain(max_weight=1), dp.discrete_distance()
    flip = (
        2 * SUE(epsilon, 5).support_chances[1]
    )  # RAPPOR's f: a bit is redrawn with chance f, so flipped with f/2
    assert dp.m.make_randomized_response_bitvec(*space, f=flip).map(1) == pytest.approx(
        epsilon, rel=1e-12
    )


@pytest.mark.parametrize(
    ("truthful", "yes", "epsilon"),
    [
        (0.8, 0.1, 3.7136),
        (0.8, 0.2, 3.0445),
        (0.8, 0.3, 2.6626),
        (0.8, 0.5, 2.1972),
        (0.8, 0.7, 2.6626),
        (0.8, 0.9, 3.7136),
        (1, 0.5, math.inf),
        (0.5, 1, math.inf),
        (0.5, 0, math.inf),
    ],
)
def test_the_answer_no_counts_too(truthful: float, yes: float, epsilon: float) -> None:
    """The table of Joy and Gerla's specification: their Eq. 30 gives 1.6946 at (0.8, 0.9)."""
    for sampling in (1, 0.3):
        assert JoyGerla(truthful, yes, sampling).exact_epsilon == pytest.approx(epsilon, abs=5e-5)


@given(st.fractions(F(1, 100), 1), st.fractions(0, 1), st.fractions(F(1, 100), 1))
@cases(50)
def test_joy_and_gerlas_epsilon_has_a_closed_form(
    truthful: Fraction, yes: Fraction, sampling: Fraction
) -> None:
    rest = 1 - truthful
    ratios = [
        (truthful + rest * said) / (rest * said) if rest * said else math.inf
        for said in (yes, 1 - yes)
    ]
    expected = math.inf if math.inf in ratios else math.log(max(ratios))
    assert JoyGerla(truthful, yes, sampling).exact_epsilon == pytest.approx(expected)


def test_one_coin_less_makes_warner() -> None:
    """Answering at random with chance 1 - t, by a fair coin, is Warner's response at ε = ln((1 + t)
    / (1 - t)).
    """
    joy, warner = JoyGerla(F(1, 2), F(1, 2)), Warner(math.log(3))
    assert [float(chance) for chance in joy.law(1)[1:]] == pytest.approx(
        [float(chance) for chance in warner.law(1)]
    )


# What is drawn


@small
def test_what_is_drawn_for_one_user_has_exactly_the_stated_law(mechanism: Any) -> None:
    """Every way in which the coins of one user can fall, added up with its probability: equal
    fractions.
    """

    def one(value: int) -> Callable[[Any], Any]:
        def draw(coins: Any) -> Any:
            report = mechanism.perturb([value], coins)[0]
            return tuple(report.tolist()) if np.ndim(report) else int(report)

        return draw

    for value in range(1, mechanism.items + 1):
        stated_law = zip(reports(mechanism), mechanism.law(value), strict=True)
        assert law_of(one(value)) == {report: chance for report, chance in stated_law if chance}


def supports_law(mechanism: Any, values: list[int]) -> dict[tuple[int, ...], Fraction]:
    """The law of the supports of independent reports of the stated law, by convolution."""
    total = {(0,) * mechanism.items: F(1)}
    for value in values:
        convolved: dict[tuple[int, ...], Fraction] = {}
        for report, chance in zip(reports(mechanism), mechanism.law(value), strict=True):
            added = mechanism.supports(np.array([report]))
            for counts, held in total.items():
                if chance:
                    key = tuple((np.array(counts) + added).tolist())
                    convolved[key] = convolved.get(key, F(0)) + chance * held
        total = convolved
    return total


POPULATIONS = [[1], [1, 2], [1, 1, 2], [2, 2, 2]]


@pytest.mark.slow
@small
@pytest.mark.parametrize("values", POPULATIONS, ids=str)
def test_supports_drawn_in_one_go_have_exactly_the_law_of_those_of_reports(
    mechanism: Any, values: list[int]
) -> None:
    holders = np.bincount(values, minlength=mechanism.items + 1)[1:]
    drawn = law_of(lambda coins: tuple(mechanism.draw_supports(holders, coins).tolist()))
    assert drawn == supports_law(mechanism, values)


@small
@for_each("values", POPULATIONS)
def test_estimates_are_unbiased_and_have_exactly_the_stated_variance(
    mechanism: Any, values: list[int]
) -> None:
    users = len(values)
    share = np.bincount(values, minlength=mechanism.items + 1)[1:] / users
    law = supports_law(mechanism, values)
    chances = np.array([float(chance) for chance in law.values()])
    estimates = np.array([mechanism.estimate(counts, users) for counts in law])
    mean = chances @ estimates
    np.testing.assert_allclose(mean, share, atol=1e-13)
    of_whom = (
        share[[0, 0]] if isinstance(mechanism, JoyGerla) else share
    )  # its variances are those of item 1
    np.testing.assert_allclose(
        chances @ (estimates - mean) ** 2, mechanism.variance(of_whom, users), rtol=1e-12
    )
    assert (
        mechanism.variance(share, users) * users <= mechanism.worst_variance * (1 + 1e-12)
    ).all()


def test_estimates_of_direct_encoding_add_up_to_one() -> None:
    mechanism = GRR(0.5, 7)
    supports = mechanism.supports(mechanism.perturb(np.arange(100) % 7 + 1, SampledCoins(2, "u1")))
    assert mechanism.estimate(supports, 100).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "mechanism",
    slow_but([GRR(1.0, 5), SUE(1.0, 5), OUE(1.0, 5), JoyGerla(0.6, 0.3, 0.5)], OUE(1.0, 5)),
    ids=str,
)
def test_supports_of_many_users_have_their_law_either_way(mechanism: Any) -> None:
    """300 populations of 600 users: the supports of the first item, in eight cells of about equal
    chance.
    """
    coins, items = SampledCoins(5, "u1"), mechanism.items
    values = np.arange(600) % items + 1
    holders = np.bincount(values, minlength=items + 1)[1:]
    p, q = mechanism.support_chances
    law = np.convolve(
        stats.binom.pmf(np.arange(holders[0] + 1), holders[0], p),
        stats.binom.pmf(np.arange(holders[1:].sum() + 1), holders[1:].sum(), q),
    )
    edges = np.searchsorted(law.cumsum(), np.arange(1, 8) / 8)
    cells = np.add.reduceat(law, np.append(0, edges + 1))
    for draw in (
        lambda: mechanism.draw_supports(holders, coins)[0],
        lambda: mechanism.supports(mechanism.perturb(values, coins))[0],
    ):
        drawn = np.searchsorted(edges, [draw() for _ in range(300)])
        assert stats.chisquare(np.bincount(drawn, minlength=8), cells * 300).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    "mechanism", slow_but([GRR(1.0, 30), SUE(1.0, 30), OUE(1.0, 30)], OUE(1.0, 30)), ids=str
)
def test_supports_of_every_one_of_thirty_items_have_their_law_either_way(mechanism: Any) -> None:
    """200 populations of 1,830 users, item j held by 4 j - 1: every item in four cells, 30 tests,
    two ways each.
    """
    coins = SampledCoins(7, "u1")
    holders = np.arange(1, 31) * 4 - 1
    values = np.repeat(np.arange(1, 31), holders)
    p, q = mechanism.support_chances
    ways = (
        [mechanism.draw_supports(holders, coins) for _ in range(200)],
        [mechanism.supports(mechanism.perturb(values, coins)) for _ in range(200)],
    )
    for item, own in enumerate(holders):
        others = values.size - own
        law = np.convolve(
            stats.binom.pmf(np.arange(own + 1), own, p),
            stats.binom.pmf(np.arange(others + 1), others, q),
        )
        edges = np.searchsorted(law.cumsum(), np.arange(1, 4) / 4)
        cells = np.add.reduceat(law, np.append(0, edges + 1))
        for way in ways:
            drawn = np.searchsorted(edges, [supports[item] for supports in way])
            assert (
                stats.chisquare(np.bincount(drawn, minlength=4), cells * 200).pvalue
                > FALSE_ALARM / 60
            )


@pytest.mark.parametrize(("balls", "cells"), [(0, 3), (1, 1), (4, 3), (3, 5)])
def test_balls_fall_into_every_cell_alike(balls: int, cells: int) -> None:
    expected: dict[tuple[int, ...], Fraction] = {}
    for thrown in itertools.product(range(cells), repeat=balls):
        key = tuple(np.bincount(thrown, minlength=cells).tolist()) if thrown else (0,) * cells
        expected[key] = expected.get(key, F(0)) + F(1, cells**balls)
    assert law_of(lambda coins: tuple(spread(balls, cells, coins).tolist())) == expected


def test_blocks_of_reports_are_those_of_everybody() -> None:
    mechanism, values = OUE(1.0, 1024), np.arange(10_000) % 1024 + 1
    blocks = list(mechanism.perturbed(values, SampledCoins(6, "u1")))
    assert len(blocks) > 2
    assert sum(len(block) for block in blocks) == values.size
    estimate = mechanism.estimate(sum(mechanism.supports(block) for block in blocks), values.size)
    assert (
        np.abs(estimate - 1 / 1024) < 6 * mechanism.variance(1 / 1024, values.size) ** 0.5
    ).all()


def test_supports_count_beyond_what_a_byte_holds() -> None:
    reports_ = np.ones((255 * 3 + 17, 3), dtype=bool)
    reports_[::2, 1] = False
    for given_ in (reports_, reports_.astype(np.uint8), reports_.astype(np.int64)):
        assert OUE(1.0, 3).supports(given_).tolist() == reports_.sum(axis=0).tolist()


# On the wire


def test_reports_travel_in_as_many_bits_as_stated() -> None:
    for mechanism in (GRR(1.0, 100), SUE(1.0, 9), OUE(1.0, 9), Warner(1.0), JoyGerla(0.8, 0.2)):
        payload = mechanism.payload(mechanism.perturb([2] * 8, SampledCoins(7, "u1")))
        manifest = manifest_of((payload.wire, payload.shape))
        assert (
            len(encode(manifest, [payload.numbers()])) == mechanism.report_bits
        )  # 8 reports, 8 bits a byte


# What is refused


@for_each("epsilon", [0, -1.0, math.nan, math.inf, 1e6, 1e-200])
@stated
def test_an_epsilon_is_positive_and_finite(
    make: Callable[[float, int], Any], epsilon: float
) -> None:
    with pytest.raises(ValueError, match="epsilon is positive"):
        make(epsilon, 3)


@pytest.mark.parametrize("make", [GRR, SUE, OUE])
def test_mechanisms_refuse_nonsense(make: Any) -> None:
    for epsilon in (True, "1", None):
        with pytest.raises(TypeError, match="epsilon is a number"):
            make(epsilon, 3)
    with pytest.raises(ValueError, match="items is at least 2"):
        make(1.0, 1)
    with pytest.raises(TypeError, match="items is a whole number"):
        make(1.0, 3.0)
    mechanism, coins = make(1.0, 3), SampledCoins(0, "u1")
    for values in ([0], [4], [-1], [[1]]):
        with pytest.raises(ValueError, match="values"):
            mechanism.perturb(values, coins)
    with pytest.raises(TypeError, match="whole numbers"):
        mechanism.perturb([1.5], coins)
    with pytest.raises(ValueError, match="values are whole numbers from 1 to 3, got 4"):
        mechanism.law(4)
    for supports, users in (([1, 1], 3), ([1, 1, 4], 3), ([-1, 1, 1], 3)):
        with pytest.raises(ValueError, match="supports"):
            mechanism.estimate(supports, users)
    with pytest.raises(ValueError, match="users is at least 1"):
        mechanism.estimate([0, 0, 0], 0)
    with pytest.raises(ValueError, match="share of the users"):
        mechanism.variance(1.1, 3)
    with pytest.raises(ValueError, match="holders"):
        mechanism.draw_supports([1, -1, 1], coins)
    assert mechanism.perturb([], coins).shape[0] == 0


@pytest.mark.parametrize(
    ("p", "q"), [(0.5, 0.5), (0.2, 0.4), (1.1, 0.5), (0.5, -0.1), (math.nan, 0.1)]
)
def test_unary_chances_are_ordered(p: float, q: float) -> None:
    with pytest.raises(ValueError, match=r"q < p|probability"):
        Unary(p, q, 3)


def test_reports_of_another_shape_are_refused() -> None:
    for wrong in ([[1, 0]], [1, 0, 1], [[1, 0, 2]]):
        with pytest.raises(ValueError, match="report"):
            OUE(1.0, 3).supports(wrong)
    with pytest.raises(ValueError, match="a report holds bits, 0 or 1, got 2"):
        OUE(1.0, 3).supports([[1, 0, 2]])
    with pytest.raises(ValueError, match="too many to list"):
        OUE(1.0, 100).law(1)
    with pytest.raises(ValueError, match="reports"):
        GRR(1.0, 3).supports([4])
    with pytest.raises(ValueError, match="reports are whole numbers from 0 to 2, got 3"):
        JoyGerla(0.8, 0.2, 0.5).payload(np.array([0, 3]))


@pytest.mark.parametrize(
    "parameters", [(0, 0.5), (0.5, 0.5, 0), (0.5, 1.5), (-0.1, 0.5), (0.5, 0.5, math.nan)]
)
def test_joy_and_gerlas_chances_are_probabilities(parameters: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"probability|above 0"):
        JoyGerla(*parameters)


def test_mechanisms_are_frozen_records() -> None:
    for mechanism in SMALL:
        assert mechanism == attrs.evolve(mechanism)
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            mechanism.items = 9
