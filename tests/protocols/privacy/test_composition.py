"""Privacy losses and their composition: intervals contain the truth, by enumeration, by formulas
and by other libraries.
"""

from fractions import Fraction
from itertools import product
from math import exp, inf, log, nan, prod, sqrt
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from protocols.privacy import accounting, loss
from protocols.privacy.accounting import OneWay
from protocols.privacy.composition import Composition, Interval
from protocols.privacy.convolution import OUTSIDE, fold, tilted_sum, window
from protocols.privacy.count_losses import removal
from protocols.privacy.gaussian import delta_of
from protocols.privacy.loss import GaussianLoss, Losses, Pair, finite_pair, gaussian_pair
from protocols.privacy.profile import epsilon_at
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import slow_but

Law = tuple[Fraction, ...]


def logs(law: Law) -> np.ndarray[Any, Any]:
    return np.array([log(mass) if mass else -inf for mass in law])


def pair_of(p: Law, q: Law) -> Pair:
    return finite_pair(logs(p), logs(q))


def exact_delta(pairs: list[tuple[Law, Law]], ratio: Fraction) -> Fraction:
    """δ at ε = log ratio, by enumeration of all joint outcomes."""
    p = [prod(joint) for joint in product(*(pair[0] for pair in pairs))]
    q = [prod(joint) for joint in product(*(pair[1] for pair in pairs))]
    both = [
        sum(max(a - ratio * b, Fraction(0)) for a, b in zip(x, y, strict=True))
        for x, y in ((p, q), (q, p))
    ]
    return Fraction(max(both))


def holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def is_sharp(interval: Interval, relative: float = 1e-3) -> bool:
    return interval.high - interval.low <= relative * interval.high


@st.composite
def laws(draw: st.DrawFn, outcomes: int) -> Law:
    weights = draw(st.lists(st.integers(0, 9), min_size=outcomes, max_size=outcomes).filter(any))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def pairs_of_laws(draw: st.DrawFn) -> tuple[Law, Law]:
    outcomes = draw(st.integers(2, 4))
    return draw(laws(outcomes)), draw(laws(outcomes))


ratios = st.fractions(1, 30, max_denominator=20)


@cases(15)
@given(st.lists(st.tuples(pairs_of_laws(), st.integers(1, 2)), min_size=1, max_size=3), ratios)
def test_the_interval_holds_delta_by_enumeration(
    parts: list[tuple[tuple[Law, Law], int]], ratio: Fraction
) -> None:
    truth = float(exact_delta([pair for pair, times in parts for _ in range(times)], ratio))
    found = Composition([(pair_of(*pair), times) for pair, times in parts]).delta(log(ratio))
    assert holds(found, truth)
    assert is_sharp(found) or found.high < 1e-12  # what rounding leaves of a δ of 0


COARSE = {
    "POINTS": 4,
    "FINENESS": (1,),
}  # of a deviation: splitting changes δ a lot, and the lower end must know it


@given(st.lists(st.tuples(pairs_of_laws(), st.integers(1, 2)), min_size=1, max_size=3), ratios)
def test_coarse_grids_hold_it_too(
    parts: list[tuple[tuple[Law, Law], int]], ratio: Fraction
) -> None:
    truth = float(exact_delta([pair for pair, times in parts for _ in range(times)], ratio))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in COARSE.items():
            patch.setattr(accounting, name, value)
        found = Composition(
            [(pair_of(*pair), times) for pair, times in parts], tolerance=0.9
        ).delta(log(ratio))
        assert holds(found, truth)
        patch.setattr(accounting, "COARSEST", -1)  # no grid is fine enough: all δ are added up
        composed = Composition([(pair_of(*pair), times) for pair, times in parts])
        assert holds(composed.delta(log(ratio)), truth)
        if 0 < truth < 1:
            assert log(ratio) >= composed.epsilon(truth).low


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in COARSE.items():
        monkeypatch.setattr(accounting, name, value)


SPREAD = [(0.05, 400, 1.0), (0.05, 400, 5.0), (0.5, 4, 2.0), (1.0, 1, 0.5)]  # μ, times, ε


def gaussian_deltas() -> list[tuple[Interval, float]]:
    """Composed on coarse grids, with the truth: k Gaussians are one of √k times the sensitivity."""
    return [
        (
            Composition([(gaussian_pair(mu, 1.0), k)], tolerance=0.5).delta(epsilon),
            delta_of(1.0, mu * sqrt(k), epsilon),
        )
        for mu, k, epsilon in SPREAD
    ]


@pytest.mark.usefixtures("coarse")
def test_coarse_grids_hold_the_gaussian() -> None:
    found = gaussian_deltas()
    assert all(holds(interval, truth) for interval, truth in found)
    assert max(1 - interval.low / interval.high for interval, _ in found) > 0.05  # coarse indeed


def rounded(down: bool) -> Any:
    """In place of splitting: every loss to the grid point below or above."""

    def masses(
        log_masses: Any, losses: Any, tilt: float, cumulant: float, spacing: float, points: int
    ) -> Any:
        index = np.floor(losses / spacing) if down else np.ceil(losses / spacing)
        return fold(
            index.astype(np.int64), np.exp(log_masses + tilt * spacing * index - cumulant), points
        ), 0.0

    return masses


@pytest.mark.usefixtures("coarse")
def test_rounding_down_in_place_of_splitting_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimistic grid is no upper end."""
    monkeypatch.setattr(loss, "split", rounded(down=True))
    assert any(truth > interval.high for interval, truth in gaussian_deltas())


@pytest.mark.usefixtures("coarse")
def test_rounding_up_in_place_of_splitting_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pessimistic grid by rounding is off by more than the lower end takes off."""
    monkeypatch.setattr(loss, "split", rounded(down=False))
    assert any(truth < interval.low for interval, truth in gaussian_deltas())


@pytest.mark.usefixtures("coarse")
def test_a_lower_end_that_takes_nothing_off_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounting.TiltedLosses, "_gap", lambda *_: 0.0)
    assert any(truth < interval.low for interval, truth in gaussian_deltas())


GAUSSIANS = [
    (0.5, 1, 0.0),
    (0.5, 1, 0.7),
    (0.1, 10, 0.5),
    (0.05, 1000, 1.0),
    (0.05, 1000, 8.0),
    (0.02, 5000, 0.3),
    (3.0, 3, 20.0),
]


@pytest.mark.parametrize(("ratio", "times", "epsilon"), GAUSSIANS)
def test_many_gaussians_are_one(ratio: float, times: int, epsilon: float) -> None:
    found = Composition([(gaussian_pair(ratio, 1.0), times)]).delta(epsilon)
    truth = delta_of(1.0, ratio * sqrt(times), epsilon)
    assert (
        found.low - 1e-15 <= truth <= found.high + 1e-15
    )  # the formula is a difference of larger numbers
    assert is_sharp(found)


def precise_delta(ratio: float, epsilon: float) -> Any:
    """Balle and Wang, Theorem 8, in 2,000 bits; its logarithm."""
    before, ctx.prec = ctx.prec, 2000
    try:
        r, e = arb(ratio), arb(epsilon)
        upper, lower = ((e / r - sign * r / 2) / arb(2).sqrt() for sign in (1, -1))
        return float(((upper.erfc() - e.exp() * lower.erfc()) / 2).log())
    finally:
        ctx.prec = before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ratio", "times", "epsilon"), [(0.1, 100, 8.0), (0.02, 5000, 40.0), (0.01, 2000, 16.0)]
)
def test_delta_is_right_where_it_is_tiny(ratio: float, times: int, epsilon: float) -> None:
    """δ of 1e-14, 1e-169 and 1e-292, two different Gaussians at a time: tilted FFTs see them."""
    parts = [(gaussian_pair(ratio, 1.0), times), (gaussian_pair(ratio / 2, 1.0), 4)]
    low, high = Composition(parts).log_delta_ends(epsilon)
    assert low <= precise_delta(ratio * sqrt(times + 1), epsilon) <= high
    assert high - low <= 1e-3


def test_errors_of_fft_are_small_beside_delta() -> None:
    """The bound on rounding and on what the circle misplaces, for 5,000 terms and δ = 1e-169."""
    one = OneWay(((GaussianLoss(0.02), 5000),))
    grid = one.tilted(one.tilt_at(40.0), 1e-3, 1)
    value, doubt = grid._excess(40.0)
    assert doubt < 1e-9 * value


def test_fft_agrees_with_plain_convolution() -> None:
    """Every mass of a sum, within its stated error of what Python's exact fractions give."""
    law = (Fraction(1, 7), Fraction(4, 7), Fraction(2, 7))
    places = np.log(2) * np.array([-1.0, 0.0, 1.0])
    one = Losses(logs(law), places)
    exact: dict[int, Any] = {0: Fraction(1)}
    for _ in range(12):
        exact = {
            x: sum(
                exact.get(x - step, 0) * mass for step, mass in zip((-1, 0, 1), law, strict=True)
            )
            for x in range(-13, 14)
        }
    tilt = 1.3
    total = tilted_sum([(one, 12)], tilt, log(2), window([(one, 12)], tilt, OUTSIDE), OUTSIDE)
    for place, mass in zip(total.place(np.arange(len(total.masses))), total.masses, strict=True):
        step = round(place / log(2))
        truth = float(exact.get(step, 0)) * exp(tilt * place - total.cumulant)
        assert abs(mass - truth) <= total.error + total.outside + 1e-13 * truth
    assert total.error < 1e-12


@given(pairs_of_laws(), st.integers(1, 3), st.floats(0, 4), st.floats(0, 2))
@cases(15)
def test_delta_falls_with_epsilon_and_rises_with_every_view(
    pair: tuple[Law, Law], times: int, epsilon: float, more: float
) -> None:
    views = Composition([(pair_of(*pair), times)])
    here = views.delta(epsilon)
    assert views.delta(epsilon + more).low <= here.high
    assert Composition([(pair_of(*pair), times + 1)]).delta(epsilon).high >= here.low


@pytest.mark.slow
@given(pairs_of_laws(), st.integers(1, 3), st.sampled_from([1e-9, 1e-3, 0.1, 0.5]))
@cases(6)
def test_epsilon_is_where_delta_is_met(pair: tuple[Law, Law], times: int, delta: float) -> None:
    views = Composition([(pair_of(*pair), times)])
    found = views.epsilon(delta)
    assert found.low <= found.high
    if found.high < inf:
        assert views.delta(found.high).low <= delta
    if 0 < found.low < inf:
        assert views.delta(found.low * (1 - 1e-9)).high >= delta
    if found.low == inf:
        assert views.delta(700.0).low > delta


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-100, 1e-12, 1e-6, 0.1])
def test_epsilon_of_gaussians(delta: float) -> None:
    found = Composition([(gaussian_pair(0.05, 1.0), 1000)]).epsilon(delta)
    assert (
        precise_delta(0.05 * sqrt(1000), found.high)
        <= log(delta)
        <= precise_delta(0.05 * sqrt(1000), found.low)
    )
    assert found.high - found.low < 1e-3


@pytest.mark.slow
def test_a_composition_is_a_profile_on_the_safe_side() -> None:
    views = Composition(
        [
            (gaussian_pair(0.1, 1.0), 10),
            (pair_of((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 3), Fraction(2, 3))), 2),
        ]
    )
    assert (
        views.epsilon(1e-4).low <= epsilon_at(views, 1e-4) <= views.epsilon(1e-4).high * (1 + 1e-3)
    )
    assert views.log_limit == -inf


def test_infinite_losses_are_what_stays() -> None:
    pair = pair_of(
        (Fraction(1, 4), Fraction(3, 4), Fraction(0)), (Fraction(0), Fraction(3, 4), Fraction(1, 4))
    )
    views = Composition([(pair, 3)])
    assert holds(views.delta(0.0), 1 - 0.75**3)
    assert holds(views.delta(100.0), 1 - 0.75**3)
    assert views.epsilon(0.5) == Interval(inf, inf)
    assert views.epsilon(0.6).high == 0
    assert exp(views.log_limit) == pytest.approx(1 - 0.75**3)
    assert views.epsilon(0.5).estimate == inf


@pytest.mark.parametrize("times", slow_but([1, 3, 50], 3))
@pytest.mark.parametrize("infinite", [0.0, 0.1])
@pytest.mark.parametrize("surplus", slow_but([0.0, 1e-9, 1e-3, 1.0], 1e-9))
def test_a_crossing_keeps_to_its_side(times: int, infinite: float, surplus: float) -> None:
    """Also for a δ so small that ε is the largest loss: there the grid has points beyond it."""
    p = [0.3 * (1 - infinite), 0.7 * (1 - infinite), infinite]
    with np.errstate(divide="ignore"):
        views = OneWay(((finite_pair(np.log(p), np.log([0.6, 0.4, 0.0])).forward, times),))
    target = views.log_infinite(above=True) + surplus if infinite else -800 + surplus
    grid = views.tilted(views.tilt_for(target), 1e-2, 1)
    high = grid.crossing(grid.log_over, target, views.limit)
    low = grid.crossing(grid.log_under, target, views.limit, above=False)
    assert grid.log_over(high) <= target
    assert low == 0 or grid.log_under(low) > target
    assert low <= high <= views.limit


@given(st.lists(st.tuples(st.floats(-50, 50), st.integers(1, 99)), min_size=1, max_size=3))
def test_the_largest_sum_of_losses_is_never_rounded_down(parts: list[tuple[float, int]]) -> None:
    views = OneWay(tuple((Losses(np.zeros(1), np.array([loss])), times) for loss, times in parts))
    exact = sum(times * Fraction(loss) for loss, times in parts)
    assert exact <= views.limit <= exact + Fraction(2) ** -38


def test_unknown_losses_widen_the_interval() -> None:
    known = Composition([(finite_pair(np.log([0.5, 0.5]), np.log([0.25, 0.75])), 2)])
    cut = finite_pair(np.log([0.5, 0.4999]), np.log([0.25, 0.7499]), unknown=1.1e-4)
    found = Composition([(cut, 2)]).delta(0.1)
    assert found.low < known.delta(0.1).estimate < found.high
    assert 1e-4 < found.high - found.low < 3e-4
    assert Composition([(cut, 2)]).epsilon(1e-5).high == inf


def test_errors_of_what_is_given_widen_the_interval() -> None:
    p, q = np.log([0.5, 0.5]), np.log([0.25, 0.75])
    off = np.array([1e-6, -1e-6])
    found = Composition([(finite_pair(p + off, q - off, error=1e-6), 5)]).delta(0.4)
    assert holds(found, Composition([(finite_pair(p, q), 5)]).delta(0.4).estimate)
    assert found.high - found.low < 1e-3
    assert not holds(
        Composition([(finite_pair(p + off, q - off), 5)]).delta(0.4),
        Composition([(finite_pair(p, q), 5)]).delta(0.4).estimate,
    )


def test_a_few_huge_losses_do_not_spoil_the_interval() -> None:
    """Under the tilt for δ = 1e-24 the count of all but one holder outweighs everything else.

    It is set aside.
    """
    assert is_sharp(Composition([(removal(400, 1 - exp(-0.5)), 1)]).delta(0.5))


@for_each(
    "make, what",
    [
        (lambda: finite_pair(np.log([0.5, 0.5]), np.log([0.5, 0.4])), "add up to 1, got 0.9"),
        (lambda: finite_pair(np.log([0.5, 0.5]), np.array([0.0])), "over the same outcomes"),
        (lambda: finite_pair(np.array([nan, 0.0]), np.array([0.0, nan])), "got nan"),
        (
            lambda: Losses(np.array([0.0]), np.array([inf])),
            "give the mass of infinite losses as `infinite`",
        ),
        (lambda: Losses(np.array([0.0]), np.array([0.0, 1.0])), "expected a list of losses"),
        (lambda: gaussian_pair(0.0, 1.0), "between 1e-15 and"),
        (lambda: gaussian_pair(float("nan"), 1.0), "between 1e-15 and"),
        (lambda: gaussian_pair(1.0, 0.0), "got inf"),
        (lambda: gaussian_pair(1.0, 1e-7), r"and 1e\+06, got 10000000"),
        (lambda: Composition([]), "at least one pair"),
        (lambda: Composition([(gaussian_pair(1.0, 1.0), 0)]), "pair is seen is at least 1"),
        (
            lambda: Composition([(gaussian_pair(1.0, 1.0), 1)], tolerance=0.0),
            "tolerance is relative",
        ),
        (
            lambda: Composition([(gaussian_pair(1.0, 1.0), 1)]).delta(-0.1),
            "epsilon is finite and at least 0",
        ),
        (
            lambda: Composition([(gaussian_pair(1.0, 1.0), 1)]).delta(inf),
            "epsilon is finite and at least 0",
        ),
        (
            lambda: Composition([(gaussian_pair(1.0, 1.0), 1)]).epsilon(0.0),
            "delta lies between 0 and 1",
        ),
    ],
)
def test_nonsense_is_refused(make: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        make()


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon_error", "times"), [(0.01, (100, 30)), (0.02, (1000, 5))])
def test_an_independent_accountant_agrees(epsilon_error: float, times: tuple[int, int]) -> None:
    """prv-accountant, on Gaussians together with randomised response: both give intervals, which
    meet.
    """
    from prv_accountant import GaussianMechanism, PRVAccountant, PureDPMechanism

    peer = PRVAccountant(
        [GaussianMechanism(20.0), PureDPMechanism(0.3)],
        eps_error=epsilon_error,
        delta_error=1e-9,
        max_self_compositions=list(times),
    )
    response = np.array([1.0, exp(0.3)]) / (1 + exp(0.3))
    ours = Composition(
        [
            (gaussian_pair(1.0, 20.0), times[0]),
            (finite_pair(np.log(response), np.log(response[::-1])), times[1]),
        ]
    )
    for delta in (1e-6, 1e-3):
        low, _, high = peer.compute_epsilon(delta, list(times))
        found = ours.epsilon(delta)
        assert found.low <= high
        assert low <= found.high
        assert found.high - found.low < high - low
