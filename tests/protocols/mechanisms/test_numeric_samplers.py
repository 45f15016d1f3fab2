"""Numeric mechanisms: drawn reports follow the laws, arrive as they were sent, and wrong values are
refused.

Statistical tests have a false-alarm rate of 1e-6 each; seeds are fixed.
"""

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, kstest

from protocols.mechanisms.additive import SCDF, Laplace, Staircase, Stairs, least_variance
from protocols.mechanisms.density import Atom
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.hybrid import EPS_STAR, HM
from protocols.mechanisms.odds import log
from protocols.mechanisms.piecewise import PM
from simnet.coins.sampled import SampledCoins
from simnet.values.wire import BIT, REAL
from tests.harness.many_cases import for_each

FALSE_ALARM = 1e-6
MECHANISMS: dict[str, Callable[[float], Any]] = {
    "laplace": Laplace,
    "scdf": SCDF,
    "staircase": Staircase,
    "least variance": least_variance,
    "duchi": Duchi,
    "pm": PM,
    "hm": HM,
}
every_mechanism = for_each("make", MECHANISMS.values())
values = st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 1.0])
SOME_EPSILONS = [1e-6, 1e-3, 0.5, EPS_STAR, 0.61, 1.0, 4.0, 50.0, 200.0, 1400.0]


@given(st.floats(1e-6, 60), st.lists(values, min_size=1, max_size=5))
def test_pm_inverts_the_distribution_functions(epsilon: float, held: list[float]) -> None:
    reports = PM(epsilon).perturb(held, SampledCoins(5, "u1"))
    uniforms = SampledCoins(5, "u1").uniform(len(held)).plain
    found = [
        float(PM(epsilon).law(value).cdf(report))
        for value, report in zip(held, reports, strict=True)
    ]
    steepest = exp(
        PM(epsilon).log_height
    )  # rounding of a report moves the probability by this much
    assert found == pytest.approx(uniforms, abs=1e-15 * (8 + steepest * PM(epsilon).bound * 8))


def p_value(
    make: Callable[[float], Any], law_of: Callable[[float], Any], epsilon: float, value: float
) -> float:
    reports = make(epsilon).perturb(np.full(50_000, value), SampledCoins(11, "u1"))
    return float(kstest(reports, law_of(epsilon).law(value).cdf).pvalue)


@for_each("make", [Laplace, SCDF, Staircase, least_variance, PM])
@for_each("epsilon, value", [(0.01, 0.3), (1.0, -1.0), (1.0, 0.5), (5.0, 1.0), (12.0, 0.0)])
def test_reports_follow_the_law(make: Callable[[float], Any], epsilon: float, value: float) -> None:
    assert p_value(make, make, epsilon, value) > FALSE_ALARM


@pytest.mark.parametrize("make", [Laplace, SCDF, Staircase, PM])
def test_reports_of_another_epsilon_do_not(make: Callable[[float], Any]) -> None:
    assert p_value(make, lambda epsilon: make(epsilon * 1.1), 1.0, 0.5) < FALSE_ALARM


def test_stairs_of_another_middle_are_told_apart() -> None:
    assert p_value(Staircase, lambda epsilon: Stairs(epsilon, 1.0), 4.0, 0.5) < FALSE_ALARM


@for_each("epsilon", [0.1, 1.0, 6.0])
@for_each("value", [-1.0, -0.2, 0.0, 0.9])
@for_each("make", [Duchi, HM])
def test_atoms_come_as_often_as_the_law_says(
    make: Callable[[float], Any], epsilon: float, value: float
) -> None:
    mechanism, users = make(epsilon), 50_000
    reports = mechanism.perturb(np.full(users, value), SampledCoins(2, "u1"))
    for atom in mechanism.law(value).atoms:
        count = int((reports == float(atom.at)).sum())
        assert binomtest(count, users, exp(atom.log_mass)).pvalue > FALSE_ALARM


def test_what_hm_does_not_report_by_an_atom_follows_pm() -> None:
    reports = HM(2.0).perturb(np.full(50_000, 0.4), SampledCoins(2, "u1"))
    rest = reports[np.abs(reports) != Duchi(2.0).bound]
    assert kstest(rest, PM(2.0).law(0.4).cdf).pvalue > FALSE_ALARM
    assert kstest(rest, PM(2.0).law(0.5).cdf).pvalue < FALSE_ALARM


@every_mechanism
@for_each("epsilon", SOME_EPSILONS)
def test_every_user_is_perturbed_by_its_own_value(
    make: Callable[[float], Any], epsilon: float
) -> None:
    held = np.repeat([-1.0, -0.5, 0.0, 0.5, 1.0], 8_000)
    reports = make(epsilon).perturb(held, SampledCoins(9, "u1"))
    assert np.isfinite(reports).all()
    means = reports.reshape(5, -1).mean(axis=1)
    tolerance = 5 * np.sqrt(
        make(epsilon).variance(held[::8_000]) / 8_000
    )  # 6e-7 to be outside, each
    assert (np.abs(means - held[::8_000]) <= tolerance + 1e-12).all()


@every_mechanism
def test_reports_travel_and_are_averaged(make: Callable[[float], Any]) -> None:
    mechanism = make(1.0)
    reports = mechanism.perturb([0.1, -0.7, 1.0], SampledCoins(1, "u1"))
    np.testing.assert_array_equal(mechanism.received(mechanism.payload(reports).values), reports)
    assert mechanism.estimate(reports) == pytest.approx(sum(reports) / 3)
    assert mechanism.payload(reports).wire == (BIT if make is Duchi else REAL)


def test_the_law_of_duchi_has_two_atoms_even_at_the_ends() -> None:
    law = Duchi(1400.0).law(1.0)
    assert law.atoms == (Atom(-1.0, pytest.approx(-1400)), Atom(1.0, pytest.approx(0)))


@every_mechanism
@for_each("epsilon", [0.0, -1.0, float("nan"), float("inf"), 9e-7, 1401.0])
def test_bad_budgets_are_refused(make: Callable[[float], Any], epsilon: float) -> None:
    with pytest.raises(
        ValueError, match="epsilon is positive, from 1e-06 to 1400 for a mechanism for numbers"
    ):
        make(epsilon)


@every_mechanism
def test_a_budget_is_a_number(make: Callable[[float], Any]) -> None:
    with pytest.raises(TypeError, match="epsilon is a number"):
        make("1")


@every_mechanism
@for_each("value", [1.0000001, -2.0, float("nan"), float("inf")])
def test_values_outside_are_refused(make: Callable[[float], Any], value: float) -> None:
    mechanism = make(1.0)
    for asked in (
        lambda: mechanism.perturb([0.0, value], SampledCoins(1, "u1")),
        lambda: mechanism.law(value),
        lambda: mechanism.variance([value]),
    ):
        with pytest.raises(ValueError, match=r"a value lies in \[-1, 1\], got"):
            asked()


@every_mechanism
@for_each("bound", [1.0, -1.0])
def test_a_rounding_beyond_the_bound_is_the_bound(
    make: Callable[[float], Any], bound: float
) -> None:
    """As the ends of a range have it, once scaled: the same report from the same coins, the same
    law and variance.
    """
    mechanism, beyond = make(1.0), bound * (1 + 2**-52)
    assert abs(beyond) > 1
    one, other = (
        mechanism.perturb([0.0, value], SampledCoins(1, "u1")) for value in (bound, beyond)
    )
    assert np.array_equal(one, other)
    assert mechanism.law(beyond) == mechanism.law(bound)
    assert mechanism.variance([beyond]) == mechanism.variance([bound])


@every_mechanism
@for_each("report", [float("nan"), float("inf"), -float("inf"), 1e9])
def test_reports_that_no_user_makes_are_refused(
    make: Callable[[float], Any], report: float
) -> None:
    mechanism = make(1.0)
    if report == 1e9 and mechanism.bound == float("inf"):
        assert mechanism.estimate([0.0, report]) == 5e8  # noise may be of any size
        return
    with pytest.raises(
        ValueError,
        match=r"a report is (finite|between .*), got .*: no user's mechanism makes such a report",
    ):
        mechanism.estimate([0.0, report])


@every_mechanism
@for_each("epsilon", SOME_EPSILONS)
def test_reports_that_users_make_are_taken(make: Callable[[float], Any], epsilon: float) -> None:
    mechanism = make(epsilon)
    for value in (-1.0, 0.0, 1.0):
        reports = mechanism.perturb(np.full(2_000, value), SampledCoins(3, "u1"))
        assert mechanism.estimate(reports) == pytest.approx(reports.mean())


@pytest.mark.parametrize("epsilon", [0.5, 40.0, 90.0, 1400.0])
def test_the_coin_on_which_duchi_rests_has_its_chance_at_any_epsilon(epsilon: float) -> None:
    """Never decided by a comparison of doubles, which would make the rare answer impossible above ε
    = 37.
    """

    class Asked(SampledCoins):
        chances: list[Any] = []  # noqa: RUF012  # one test long

        def bernoullis(self, chance: Any, count: int) -> Any:
            self.chances.append(chance)
            return super().bernoullis(chance, count)

    coins = Asked(1, "u1")
    Duchi(epsilon).perturb([1.0], coins)
    chance = coins.chances.pop()
    assert 0 < chance < 1
    assert log(chance / (1 - chance)) == pytest.approx(epsilon, rel=1e-12)


@every_mechanism
def test_other_shapes_and_no_reports_are_refused(make: Callable[[float], Any]) -> None:
    with pytest.raises(ValueError, match=r"values have shape \(n,\), got \(1, 2\)"):
        make(1.0).perturb([[0.0, 0.5]], SampledCoins(1, "u1"))
    with pytest.raises(ValueError, match="at least one report"):
        make(1.0).estimate([])
    assert make(1.0).perturb([], SampledCoins(1, "u1")).shape == (0,)


@pytest.mark.parametrize("middle", [0.0, -1.0, 2.1, float("nan")])
def test_stairs_without_a_middle_are_refused(middle: float) -> None:
    with pytest.raises(ValueError, match="lies above 0 and is at most 2"):
        Stairs(1.0, middle)
